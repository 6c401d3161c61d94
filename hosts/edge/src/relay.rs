//! Routes a WebSocket opened without a table id to the Durable Object of the table that its messages name. A relay
//! parses messages only to find the table, and stores nothing.

use std::{cell::Cell, rc::Rc};

use futures_util::StreamExt;
use texas42_client::close;
use texas42_hosting::{id_for, read_frame, reply_without_table};
use texas42_protocol::{ClientMessage, GameId, ServerMessage};
use worker::{
    Env, Headers, Request, Response, Result, WebSocket, WebSocketPair, WebsocketEvent, js_sys::Reflect,
    wasm_bindgen_futures::spawn_local, web_sys::RequestInit,
};

use crate::{
    ObjectRequest,
    front::{request, table},
    object::{AddressedRequest, now, random},
};

/// A client's socket and, once the table is known, the socket to its Durable Object.
struct Relay {
    env: Env,
    /// The socket to the client.
    client: WebSocket,
    /// The table and the socket to it.
    table: Option<(GameId, WebSocket)>,
    /// Incremented when the client moves to another table. Messages from an earlier table are dropped.
    generation: Rc<Cell<u32>>,
}

/// Accepts a client's socket and starts its relay.
pub(crate) fn open(req: &Request, env: &Env) -> Result<Response> {
    let WebSocketPair { client, server } = WebSocketPair::new()?;
    server.accept()?;
    // The shim closes this socket if the module panics.
    Reflect::set(req.inner(), &"relaySocket".into(), server.as_ref())?;
    let mut relay = Relay { env: env.clone(), client: server, table: None, generation: Rc::default() };
    spawn_local(async move {
        if let Err(error) = relay.run().await {
            worker::console_error!("{error}");
            relay.client.close(Some(close::RESTORED), None::<&str>).ok();
        }
        relay.disconnect();
    });
    Response::from_websocket(client)
}

impl Relay {
    async fn run(&mut self) -> Result<()> {
        let client = self.client.clone();
        let mut events = client.events()?;
        while let Some(event) = events.next().await {
            match event? {
                WebsocketEvent::Message(message) => self.handle_message(&message.text().unwrap_or_default()).await?,
                WebsocketEvent::Close(_) => break,
            }
        }
        self.client.close(Some(1000), None::<&str>).ok();
        Ok(())
    }

    async fn handle_message(&mut self, text: &str) -> Result<()> {
        let message = match read_frame(text) {
            Ok(message) => message,
            Err(reply) => return self.reply(&reply),
        };
        match &message {
            ClientMessage::CreateGame { .. } => self.connect_to(&id_for(&message, random())).await?,
            message if message.enters_table() => {
                if let Some(game) = message.game_id().filter(|game| !self.is_at(game)) {
                    self.connect_to(game).await?;
                }
            }
            _ => {}
        }
        let is_here = message.game_id().is_none_or(|game| self.is_at(game));
        match &self.table {
            Some((_, table)) if is_here => table.send_with_str(text),
            _ => self.reply(&reply_without_table(now(), &message)),
        }
    }

    fn is_at(&self, game: &GameId) -> bool {
        self.table.as_ref().is_some_and(|(here, _)| here == game)
    }

    async fn connect_to(&mut self, game: &GameId) -> Result<()> {
        self.disconnect();
        let table = connect(&self.env, game).await?;
        table.accept()?;
        spawn_local(forward_to_client(
            table.clone(),
            self.client.clone(),
            Rc::clone(&self.generation),
            self.generation.get(),
        ));
        self.table = Some((game.clone(), table));
        Ok(())
    }

    /// Closes the socket to the table, if any.
    fn disconnect(&mut self) {
        self.generation.set(self.generation.get() + 1);
        if let Some((_, table)) = self.table.take() {
            table.close(Some(1000), None::<&str>).ok();
        }
    }

    fn reply(&self, message: &ServerMessage) -> Result<()> {
        self.client.send_with_str(serde_json::to_string(message)?)
    }
}

async fn connect(env: &Env, game: &GameId) -> Result<WebSocket> {
    let headers = Headers::new();
    headers.set("upgrade", "websocket")?;
    AddressedRequest { game: game.clone(), kind: ObjectRequest::Socket { may_create: true } }.write(&headers)?;
    let request = request("/", &headers, &RequestInit::new())?;
    let socket = table(env, game)?.fetch_with_request(request).await?.websocket();
    socket.ok_or_else(|| "the table opened no socket".into())
}

/// Forwards messages and the close code from the table to the client, until the client moves to another table.
async fn forward_to_client(table: WebSocket, client: WebSocket, current: Rc<Cell<u32>>, generation: u32) {
    let Ok(mut events) = table.events() else { return };
    while let Some(event) = events.next().await {
        if current.get() != generation {
            return;
        }
        match event {
            Ok(WebsocketEvent::Message(message)) => {
                client.send_with_str(message.text().unwrap_or_default()).ok();
            }
            Ok(WebsocketEvent::Close(closed)) if (3000..5000).contains(&closed.code()) => {
                client.close(Some(closed.code()), Some(closed.reason())).ok();
                return;
            }
            // The connection to the table broke; the client can reconnect.
            Ok(WebsocketEvent::Close(_)) | Err(_) => {
                client.close(Some(close::RESTORED), None::<&str>).ok();
                return;
            }
        }
    }
}
