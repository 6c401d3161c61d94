//! Restores a room while its connections are still open, for hosts that evict idle tables but keep their sockets.
//! Clients do not notice: they keep their views and receive only what is new.

use alloc::{sync::Arc, vec::Vec};

use texas42_protocol::{GameId, PlayerId};
use texas42_vocab::{Control, Seat};

use super::{Connection, ConnectionId, RestoreError, Room};
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
    Program(Seat),
}

impl Room {
    /// Like [`Room::restore`], with connections that are still open.
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
        room.resume();
        Ok(room)
    }

    fn rebind(&mut self, survivor: &SurvivingConnection) -> Option<(ConnectionId, PlayerId, bool)> {
        let player_id = match &survivor.who {
            ConnectionOwner::Player(player) => player.clone(),
            ConnectionOwner::Program(seat) => self.table.on_seat(*seat, Control::Ai)?.player_id.clone(),
        };
        let is_spectator = self.table.session(&player_id).is_none();
        // A session that has ended is dropped. Only spectators have no session.
        if is_spectator && player_id != Self::spectator_id(survivor.connection) {
            return None;
        }
        let connection = Connection { player_id: player_id.clone(), shown: None, is_transient: false, is_spectator };
        self.connections.insert(survivor.connection, connection);
        Some((survivor.connection, player_id, survivor.is_subscribed))
    }

    /// The player on a connection, and whether it is subscribed. A host keeps both to restore the connection later.
    pub fn bound(&self, connection: ConnectionId) -> Option<(&PlayerId, bool)> {
        let connection = self.connections.get(&connection)?;
        Some((&connection.player_id, connection.shown.is_some()))
    }
}
