//! A client's WebSocket connection to a server. It connects when a [`ClientCore`] asks for it, carries messages, and reports
//! events.

use std::{io, time::Duration};

use futures_util::{SinkExt, StreamExt};
use texas42_client::ClientCore;
use texas42_protocol::{ClientMessage, GameId};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream,
    tungstenite::{Error, Message},
};

use crate::{
    address::ServerAddress,
    connection::{ConnectionEvent, Reachability},
    platform::sleep_until,
};

/// The timeout for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A WebSocket connection to a server. Call [`next_event`](Self::next_event) in a loop, pass each event to the client, then
/// [`send`](Self::send) the messages of the client.
#[derive(Debug)]
pub struct WebSocketConnection {
    server: Reachability,
    socket: Option<WebSocketStream<MaybeTlsStream<TcpStream>>>,
}

impl WebSocketConnection {
    /// A connection that is not open yet; [`WebSocketConnection::next_event`] opens it when the client asks for it.
    pub const fn new(server: ServerAddress) -> Self {
        Self { server: Reachability::new(server), socket: None }
    }

    /// The address of the server.
    pub const fn server(&self) -> &ServerAddress {
        self.server.address()
    }

    /// Fails when another attempt to connect is pointless; see [`ConnectionError`](crate::ConnectionError).
    ///
    /// # Errors
    /// After too many failed attempts at an address at which no server has ever answered.
    pub fn check_attempts(&self, attempts: u32, reason: &str) -> Result<(), crate::ConnectionError> {
        self.server.check(attempts, reason)
    }

    /// Waits for the next event: a connection when one is due, a message, or the time `wake_at`. Cancel-safe: no
    /// message is lost, and an attempt to connect starts over.
    pub async fn next_event(&mut self, client: &ClientCore, wake_at: Option<u64>) -> ConnectionEvent {
        if let Some(at) = client.connect_at() {
            self.socket = None;
            sleep_until(Some(at)).await;
            return self.connect(client.game_id()).await;
        }
        let timer = sleep_until(wake_at);
        let Some(socket) = &mut self.socket else {
            timer.await;
            return ConnectionEvent::Timer;
        };
        tokio::pin!(timer);
        loop {
            let next = tokio::select! {
                next = socket.next() => next,
                () = &mut timer => return ConnectionEvent::Timer,
            };
            match next {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(message) = serde_json::from_str(text.as_str()) {
                        return ConnectionEvent::Message(Box::new(message));
                    }
                }
                Some(Ok(Message::Close(frame))) => {
                    self.socket = None;
                    return ConnectionEvent::Closed(frame.map(|frame| frame.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    self.socket = None;
                    return ConnectionEvent::Closed(None);
                }
            }
        }
    }

    async fn connect(&mut self, table: Option<&GameId>) -> ConnectionEvent {
        let connecting =
            tokio_tungstenite::connect_async_with_config(self.server.address().socket_url(table), None, true);
        match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
            Ok(Ok((socket, _))) => {
                self.socket = Some(socket);
                self.server.note_answer();
                ConnectionEvent::Connected
            }
            Ok(Err(error)) => ConnectionEvent::Unreachable(describe(&error)),
            Err(_) => ConnectionEvent::Unreachable(format!("no answer within {} seconds", CONNECT_TIMEOUT.as_secs())),
        }
    }

    /// Sends a message. If that fails, [`WebSocketConnection::next_event`] reports that the connection is closed.
    pub async fn send(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).expect("every map in a message has string keys");
        if let Some(socket) = &mut self.socket
            && let Err(error) = socket.send(Message::text(text)).await
            && !matches!(error, Error::ConnectionClosed | Error::AlreadyClosed)
        {
            socket.close(None).await.ok();
        }
    }

    /// Closes the connection.
    pub async fn close(&mut self) {
        if let Some(mut socket) = self.socket.take() {
            socket.close(None).await.ok();
        }
    }
}

/// Why a connection could not be opened, for people.
fn describe(error: &Error) -> String {
    match error {
        Error::Http(response) => match response.status().as_u16() {
            404 => "there is no Texas 42 server at that address".to_owned(),
            429 => "the server has received too many requests; try again later".to_owned(),
            status => format!("the server answers with status {status}"),
        },
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        Error::Io(error) => error.to_string(),
        Error::Tls(error) => format!("no secure connection: {error}"),
        error => error.to_string(),
    }
}
