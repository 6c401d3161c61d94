//! Restores a room while its connections are still open, for hosts that evict idle tables but keep their sockets.
//! Clients do not notice: they keep their views and receive only what is new.

use alloc::{sync::Arc, vec::Vec};

use texas42_kernel::Session;
use texas42_protocol::{GameId, PlayerId, Status};
use texas42_vocab::Seat;

use super::{Connection, ConnectionId, RestoreError, Room, WaitingGuest};
use crate::event::StoredEvent;

/// A connection that outlived its room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurvivingConnection {
    /// The id of the connection, unchanged.
    pub connection: ConnectionId,
    /// Who uses it.
    pub who: ConnectionOwner,
    /// Whether it is subscribed. If so, it must have received every stored event.
    pub is_subscribed: bool,
}

/// Who uses a connection that outlived its room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionOwner {
    /// A session, or a spectator without one.
    Player(PlayerId),
    /// The bot at a seat. It reconnects through this connection without an announcement.
    Bot(Seat),
    /// A guest who waits in the lobby.
    Guest(WaitingGuest),
}

impl Room {
    /// Like [`Room::restore`], with connections that are still open. Connections of ended sessions are dropped.
    ///
    /// # Errors
    /// If the log was not written by a room.
    pub fn restore_with_connections(
        now: u64,
        id: GameId,
        randomness: &[u8; 32],
        log: &[StoredEvent],
        survivors: &[SurvivingConnection],
    ) -> Result<Self, RestoreError> {
        let mut room = Self::from_log(now, id, randomness, log)?;
        let bound: Vec<(ConnectionId, PlayerId, bool)> =
            survivors.iter().filter_map(|survivor| room.rebind(survivor)).collect();
        // Bind all connections first, because views show who is connected.
        for (connection, player_id, _) in bound.iter().filter(|(_, _, is_subscribed)| *is_subscribed) {
            let shown = room.spectator_view(player_id).unwrap_or_else(|| Arc::new(room.view_of(player_id)));
            if let Some(connection) = room.connections.get_mut(connection) {
                connection.shown = Some(shown);
            }
        }
        room.correct_presence_of_absent_bots();
        room.resume();
        Ok(room)
    }

    /// Tells everyone that the invited bots without a seat to play are disconnected. One that polls may have been shown as
    /// connected, which no log records; its next call connects it again.
    fn correct_presence_of_absent_bots(&mut self) {
        let is_gone = |session: &&Session| self.table.is_absent_bot(session) && !self.is_connected(&session.player_id);
        let gone: Vec<PlayerId> =
            self.table.sessions.iter().filter(is_gone).map(|session| session.player_id.clone()).collect();
        gone.iter().for_each(|player| self.announce(player, Status::Disconnected));
    }

    fn rebind(&mut self, survivor: &SurvivingConnection) -> Option<(ConnectionId, PlayerId, bool)> {
        let player_id = match &survivor.who {
            ConnectionOwner::Player(player) => player.clone(),
            ConnectionOwner::Bot(seat) => self.table.host_bot(*seat)?.player_id.clone(),
            ConnectionOwner::Guest(guest) => {
                self.restore_guest(survivor.connection, guest);
                return None;
            }
        };
        let is_spectator = self.table.session(&player_id).is_none();
        // A player without a session is a spectator, or the session has ended.
        if is_spectator && player_id != Self::spectator_id(survivor.connection) {
            return None;
        }
        // The connection has seen the lobby as it was: a restored lobby has the same code and the same guests.
        let lobby = Some(0);
        let connection =
            Connection { player_id: player_id.clone(), shown: None, lobby, is_transient: false, is_spectator };
        self.connections.insert(survivor.connection, connection);
        Some((survivor.connection, player_id, survivor.is_subscribed))
    }

    /// The player on a connection, and whether it is subscribed. An adapter keeps both to restore the connection later.
    pub fn bound(&self, connection: ConnectionId) -> Option<(&PlayerId, bool)> {
        let connection = self.connections.get(&connection)?;
        Some((&connection.player_id, connection.shown.is_some()))
    }
}
