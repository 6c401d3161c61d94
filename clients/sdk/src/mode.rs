//! Where the table of a client is.

use std::time::Duration;

use texas42_hosting::BotSettings;

use crate::{
    address::ServerAddress,
    connection::Connection,
    http::HttpConnection,
    in_process::{GameStore, InProcessTable},
    web_socket::WebSocketConnection,
    worker::WorkerTable,
};

/// Where the table of a client is, and how to get there.
#[derive(Debug)]
pub enum Mode {
    /// On a server, over a WebSocket. The client learns of every change at once.
    WebSocket(ServerAddress),
    /// On a server, with plain HTTP requests, for networks and services without WebSockets.
    Http {
        /// The server.
        server: ServerAddress,
        /// How often to request the table.
        poll_every: Duration,
    },
    /// In this process, with computer players.
    InProcess {
        /// Where the game is kept.
        store: Box<dyn GameStore>,
        /// How the computer players play.
        bots: BotSettings,
    },
    /// On its own thread in this process, with computer players. The table continues while the tasks of the program are busy,
    /// and does not delay them.
    Worker {
        /// Where the game is kept.
        store: Box<dyn GameStore>,
        /// How the computer players play.
        bots: BotSettings,
    },
}

impl Mode {
    pub(crate) fn connection(self) -> Connection {
        match self {
            Self::WebSocket(server) => Connection::WebSocket(Box::new(WebSocketConnection::new(server))),
            Self::Http { server, poll_every } => Connection::Http(Box::new(HttpConnection::new(server, poll_every))),
            Self::InProcess { store, bots } => Connection::InProcess(Box::new(InProcessTable::new(store, bots))),
            Self::Worker { store, bots } => Connection::Worker(Box::new(WorkerTable::new(store, bots))),
        }
    }
}
