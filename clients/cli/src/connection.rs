//! A client at a table, wherever the table is: on a server, or in this process.

use anyhow::bail;
use texas42_client::GameClient;
use texas42_protocol::{GameId, Role, SecretKey};
use texas42_server::serve::now;

use crate::{
    invite_link::link,
    offline::OfflineTable,
    wire::{Happened, Wire},
};

/// The way to a table.
#[derive(Debug)]
pub enum Connection {
    /// Over a WebSocket.
    Server(Box<Wire>),
    /// In this process.
    Offline(Box<OfflineTable>),
}

impl Connection {
    /// Whether the table is in this process.
    pub const fn is_offline(&self) -> bool {
        matches!(self, Self::Offline(_))
    }

    /// The link that invites to a table. Nobody can be invited to a table in this process.
    pub fn link(&self, role: Role, game: &GameId, key: &SecretKey) -> Option<String> {
        match self {
            Self::Server(wire) => Some(link(wire.place(), role, game, key)),
            Self::Offline(_) => None,
        }
    }

    async fn turn(&mut self, client: &GameClient) -> Happened {
        match self {
            Self::Server(wire) => wire.turn(client, client.wake_at()).await,
            Self::Offline(table) => table.turn(client).await,
        }
    }

    async fn close(&mut self) {
        match self {
            Self::Server(wire) => wire.close().await,
            Self::Offline(table) => table.carry_out(),
        }
    }

    /// Whether to stop trying.
    fn check_hope(&self, tries: u32, reason: &str) -> anyhow::Result<()> {
        match self {
            Self::Server(wire) => wire.check_hope(tries, reason),
            Self::Offline(_) => bail!("{reason}"),
        }
    }
}

/// A client and its connection. Call [`Session::wait`] and give what happened to [`Session::handle`]; after asking the client
/// for something, call [`Session::send`].
#[derive(Debug)]
pub struct Session {
    /// The client.
    pub client: GameClient,
    /// Its connection.
    pub connection: Connection,
}

impl Session {
    /// Waits for the next thing to happen. It may be dropped while it waits, and nothing is lost.
    pub async fn wait(&mut self) -> Happened {
        self.connection.turn(&self.client).await
    }

    /// Takes in what happened. Says why the server cannot be reached, at the first try that fails.
    ///
    /// # Errors
    /// When there is no hope to reach the table.
    pub async fn handle(&mut self, happened: Happened) -> anyhow::Result<Option<String>> {
        let mut trouble = None;
        match happened {
            Happened::Connected => self.client.handle_connected(now()),
            Happened::FollowOutcome(message) => self.client.handle_message(now(), &message),
            Happened::Gone(code) => self.client.handle_disconnected(now(), code),
            Happened::Unreachable(reason) => {
                self.client.handle_disconnected(now(), None);
                self.connection.check_hope(self.client.failed_attempts(), &reason)?;
                trouble = Some(reason).filter(|_| self.client.failed_attempts() == 1);
            }
            Happened::Time => self.client.handle_time(now()),
        }
        if self.client.poll_close() {
            self.connection.close().await;
            self.client.handle_disconnected(now(), None);
        }
        self.send().await;
        Ok(trouble)
    }

    /// Sends what the client has to say.
    pub async fn send(&mut self) {
        while let Some(frame) = self.client.poll_frame() {
            match &mut self.connection {
                Connection::Server(wire) => wire.send(&frame).await,
                Connection::Offline(table) => table.send(&frame),
            }
        }
    }

    /// Sends the rest and closes the connection.
    pub async fn close(mut self) {
        self.send().await;
        self.connection.close().await;
    }

    /// The link of the own seat, with which only its owner comes back.
    pub fn own_link(&self) -> Option<String> {
        let ticket = self.client.ticket()?;
        self.connection.link(Role::Player, &ticket.game_id, &ticket.key)
    }
}
