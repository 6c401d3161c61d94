//! A client and its connection to a table: over a WebSocket, over HTTP, or in this process, on the same or another thread. All
//! connections carry the same messages to the same [`ClientCore`].

use texas42_client::ClientCore;
use texas42_protocol::{ClientMessage, GameId, Role, SecretKey, ServerMessage};

use crate::{address::ServerAddress, invite_link::link, platform::now, web_socket::WebSocketConnection};

use crate::{http::HttpConnection, in_process::InProcessTable, worker::WorkerTable};

/// How many times to try an address at which no server has ever answered.
const MAX_ATTEMPTS: u32 = 5;

/// An event of a connection to a table.
#[derive(Debug)]
pub enum ConnectionEvent {
    /// The connection is open.
    Connected,
    /// The table sent a message.
    Message(Box<ServerMessage>),
    /// The connection was closed, with the close code if there was one.
    Closed(Option<u16>),
    /// The connection could not be opened, for this reason.
    Unreachable(String),
    /// The wake-up time of the client has come.
    Timer,
}

/// Why a table cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    /// No server has ever answered at an address.
    #[error(
        "{server} cannot be reached: {reason}. Check the address, and that a server runs there (`texas42 serve` starts one)"
    )]
    Unreachable {
        /// The address.
        server: ServerAddress,
        /// Why.
        reason: String,
    },
    /// The table in this process cannot be opened.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
}

/// A server, and whether it has ever answered.
#[derive(Clone, Debug)]
pub(crate) struct Reachability {
    server: ServerAddress,
    has_answered: bool,
}

impl Reachability {
    pub(crate) const fn new(server: ServerAddress) -> Self {
        Self { server, has_answered: false }
    }

    pub(crate) const fn address(&self) -> &ServerAddress {
        &self.server
    }

    pub(crate) const fn note_answer(&mut self) {
        self.has_answered = true;
    }

    /// Checks whether to try again after `attempts` failed attempts. A server that has answered once is expected to come back.
    pub(crate) fn check(&self, attempts: u32, reason: &str) -> Result<(), ConnectionError> {
        if self.has_answered || attempts < MAX_ATTEMPTS {
            return Ok(());
        }
        Err(ConnectionError::Unreachable { server: self.server.clone(), reason: reason.to_owned() })
    }
}

/// A connection to a table.
#[derive(Debug)]
pub enum Connection {
    /// To a server, over a WebSocket.
    WebSocket(Box<WebSocketConnection>),
    /// To a server, with one HTTP request for each message.
    Http(Box<HttpConnection>),
    /// To a table in this process.
    InProcess(Box<InProcessTable>),
    /// To a table on its own thread.
    Worker(Box<WorkerTable>),
}

impl Connection {
    /// The server of the table; `None` if the table is in this process.
    pub const fn server(&self) -> Option<&ServerAddress> {
        match self {
            Self::WebSocket(socket) => Some(socket.server()),
            Self::Http(http) => Some(http.server()),
            Self::InProcess(_) | Self::Worker(_) => None,
        }
    }

    /// The invite link of a table. A table without a server has none.
    pub fn link(&self, role: Role, game: &GameId, key: &SecretKey) -> Option<String> {
        self.server().map(|server| link(server, role, game, key))
    }

    async fn next_event(&mut self, client: &ClientCore) -> ConnectionEvent {
        match self {
            Self::WebSocket(socket) => socket.next_event(client, client.wake_at()).await,
            Self::Http(http) => http.next_event(client).await,
            Self::InProcess(table) => table.next_event(client).await,
            Self::Worker(table) => table.next_event(client).await,
        }
    }

    async fn send(&mut self, client: &ClientCore, message: &ClientMessage) {
        match self {
            Self::WebSocket(socket) => socket.send(message).await,
            Self::Http(http) => http.send(client, message),
            Self::InProcess(table) => table.send(message),
            Self::Worker(table) => table.send(message),
        }
    }

    async fn close(&mut self) {
        match self {
            Self::WebSocket(socket) => socket.close().await,
            Self::Http(http) => http.close().await,
            Self::InProcess(table) => table.close(),
            Self::Worker(table) => table.close().await,
        }
    }

    /// Fails when another attempt to connect is pointless. A table in this process is never tried again.
    fn check_attempts(&self, attempts: u32, reason: &str) -> Result<(), ConnectionError> {
        match self {
            Self::WebSocket(socket) => socket.check_attempts(attempts, reason),
            Self::Http(http) => http.check_attempts(attempts, reason),
            Self::InProcess(_) | Self::Worker(_) => Err(ConnectionError::Failed { reason: reason.to_owned() }),
        }
    }
}

/// A client without I/O and its connection, for programs with their own event loop, such as a terminal.
///
/// In a loop, await [`wait`](Self::wait) and pass the event to [`handle`](Self::handle). After each request to the client, call
/// [`send`](Self::send). Call [`close`](Self::close) at the end. Programs without an event loop use
/// [`GameClient`](crate::GameClient), which does this in the background.
#[derive(Debug)]
pub struct ClientSession {
    /// The client.
    pub client: ClientCore,
    /// Its connection.
    pub connection: Connection,
}

impl ClientSession {
    /// Waits for the next event of the connection. Cancel-safe: dropping the future loses nothing.
    pub async fn wait(&mut self) -> ConnectionEvent {
        self.connection.next_event(&self.client).await
    }

    /// Passes an event to the client and sends the frames that follow from it. Returns why the table cannot be reached after
    /// the first failed attempt only, so that callers show the reason once.
    ///
    /// # Errors
    /// When the table cannot be reached and another attempt is pointless.
    pub async fn handle(&mut self, event: ConnectionEvent) -> Result<Option<String>, ConnectionError> {
        let mut warning = None;
        match event {
            ConnectionEvent::Connected => self.client.handle_connected(now()),
            ConnectionEvent::Message(message) => self.client.handle_message(now(), &message),
            ConnectionEvent::Closed(code) => self.client.handle_disconnected(now(), code),
            ConnectionEvent::Unreachable(reason) => {
                self.client.handle_disconnected(now(), None);
                self.connection.check_attempts(self.client.failed_attempts(), &reason)?;
                warning = Some(reason).filter(|_| self.client.failed_attempts() == 1);
            }
            ConnectionEvent::Timer => self.client.handle_time(now()),
        }
        if self.client.poll_close() {
            self.connection.close().await;
            self.client.handle_disconnected(now(), None);
        }
        self.send().await;
        Ok(warning)
    }

    /// Sends the frames that the client has queued.
    pub async fn send(&mut self) {
        while let Some(frame) = self.client.poll_frame() {
            self.connection.send(&self.client, &frame).await;
        }
    }

    /// Sends the remaining frames and closes the connection, which can be used for another client.
    pub async fn close(mut self) -> Connection {
        self.send().await;
        self.connection.close().await;
        self.connection
    }

    /// The link with which this person returns to the session. It contains the key of the session, so it must not be shared. A
    /// spectator who joined without a key has no session, and so no link.
    pub fn own_link(&self) -> Option<String> {
        let (_, view) = self.client.table()?;
        let has_session = view.players.iter().any(|player| Some(&player.player_id) == self.client.player_id());
        let ticket = self.client.ticket().filter(|_| has_session)?;
        let role = if self.client.seat().is_some() { Role::Player } else { Role::Spectator };
        self.connection.link(role, &ticket.game_id, &ticket.key)
    }
}
