//! Routes a WebSocket opened without a table id to the Durable Object of the table that its messages name. It stores
//! nothing but the two ends.

use std::{cell::Cell, rc::Rc};

use futures_util::StreamExt;
use texas42_client::close;
use texas42_hosting::{id_for, unreadable_reply};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, RequestId, ServerMessage, WireError};
use worker::{
    Env, Headers, Request, Response, Result, WebSocket, WebSocketPair, WebsocketEvent, js_sys::Reflect,
    wasm_bindgen_futures::spawn_local, web_sys::RequestInit,
};

use crate::{
    ObjectRequest,
    front::{request, table},
    object::{AddressedRequest, now, random},
};

/// A client's socket and, once known, the socket to its table.
struct Relay {
    env: Env,
    near: WebSocket,
    far: Option<(GameId, WebSocket)>,
    /// Counts the changes of table. Messages from an earlier table are dropped.
    generation: Rc<Cell<u32>>,
}

/// Accepts a client's socket and starts its relay.
pub(crate) fn open(req: &Request, env: &Env) -> Result<Response> {
    let WebSocketPair { client, server } = WebSocketPair::new()?;
    server.accept()?;
    // The shim closes this socket if the module panics.
    Reflect::set(req.inner(), &"relaySocket".into(), server.as_ref())?;
    let mut relay = Relay { env: env.clone(), near: server, far: None, generation: Rc::default() };
    spawn_local(async move {
        if let Err(error) = relay.run().await {
            worker::console_error!("{error}");
            relay.near.close(Some(close::RESTORED), None::<&str>).ok();
        }
        relay.disconnect();
    });
    Response::from_websocket(client)
}

impl Relay {
    async fn run(&mut self) -> Result<()> {
        let near = self.near.clone();
        let mut events = near.events()?;
        while let Some(event) = events.next().await {
            match event? {
                WebsocketEvent::Message(message) => self.hear(&message.text().unwrap_or_default()).await?,
                WebsocketEvent::Close(_) => break,
            }
        }
        self.near.close(Some(1000), None::<&str>).ok();
        Ok(())
    }

    async fn hear(&mut self, text: &str) -> Result<()> {
        let message = match serde_json::from_str::<ClientMessage>(text) {
            Ok(message) => message,
            Err(error) => return self.say(&unreadable_reply(text, &error)),
        };
        match (&message, &self.far) {
            (ClientMessage::Ping { nonce }, None) => {
                return self.say(&ServerMessage::Pong { nonce: *nonce, time: Some(now()) });
            }
            (ClientMessage::CreateGame { .. }, _) => self.connect_to(&id_for(&message, random())).await?,
            (ClientMessage::JoinGame { game_id, .. }, _) if !self.is_at(game_id) => self.connect_to(game_id).await?,
            _ => {}
        }
        let is_here = message.game_id().is_none_or(|game| self.is_at(game));
        match &self.far {
            Some((_, far)) if is_here => far.send_with_str(text),
            _ => {
                let error = WireError::new(Problem::JoinFirst);
                self.refuse(Some(message.name()), message.request_id().cloned(), error)
            }
        }
    }

    fn is_at(&self, game: &GameId) -> bool {
        self.far.as_ref().is_some_and(|(here, _)| here == game)
    }

    async fn connect_to(&mut self, game: &GameId) -> Result<()> {
        self.disconnect();
        let far = connect(&self.env, game).await?;
        far.accept()?;
        spawn_local(pass_back(far.clone(), self.near.clone(), Rc::clone(&self.generation), self.generation.get()));
        self.far = Some((game.clone(), far));
        Ok(())
    }

    /// Closes the socket to the table, if any.
    fn disconnect(&mut self) {
        self.generation.set(self.generation.get() + 1);
        if let Some((_, far)) = self.far.take() {
            far.close(Some(1000), None::<&str>).ok();
        }
    }

    fn refuse(&self, kind: Option<&str>, request: Option<RequestId>, error: WireError) -> Result<()> {
        self.say(&ServerMessage::refusal(kind, request, error))
    }

    fn say(&self, message: &ServerMessage) -> Result<()> {
        self.near.send_with_str(serde_json::to_string(message)?)
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

/// Forwards messages and the close code from the table to the client, until the client generation to another table.
async fn pass_back(far: WebSocket, near: WebSocket, current: Rc<Cell<u32>>, generation: u32) {
    let Ok(mut events) = far.events() else { return };
    while let Some(event) = events.next().await {
        if current.get() != generation {
            return;
        }
        match event {
            Ok(WebsocketEvent::Message(message)) => {
                near.send_with_str(message.text().unwrap_or_default()).ok();
            }
            Ok(WebsocketEvent::Close(closed)) if (3000..5000).contains(&closed.code()) => {
                near.close(Some(closed.code()), Some(closed.reason())).ok();
                return;
            }
            // The connection to the table broke; the client can reconnect.
            Ok(WebsocketEvent::Close(_)) | Err(_) => {
                near.close(Some(close::RESTORED), None::<&str>).ok();
                return;
            }
        }
    }
}
