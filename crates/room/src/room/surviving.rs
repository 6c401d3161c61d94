//! A room that is built again under connections that outlived it, as on a host that puts quiet tables away and keeps their
//! sockets. Those at the other end notice nothing: they are shown what they were shown, and told only what is new.

use alloc::{sync::Arc, vec::Vec};

use texas42_protocol::{GameId, PlayerId};
use texas42_vocab::{Control, Seat};

use super::{Connection, ConnectionId, RestoreError, Room};
use crate::event::Stored;

/// A connection that was there before the room was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Its number, as before.
    pub connection: ConnectionId,
    /// Who is behind it.
    pub who: Survived,
    /// Whether it hears of every event, and has heard of every one that is stored.
    pub is_subscribed: bool,
}

/// Who is behind a connection that was there before the room was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Survived {
    /// A session, or a watcher without one.
    Player(PlayerId),
    /// The program on a seat, if one was called there. It comes back through this connection, and nobody hears of it.
    Program(Seat),
}

impl Room {
    /// The same as [`Room::restore`], under connections that are still there.
    ///
    /// # Errors
    /// When the log is not one of a room.
    pub fn restore_under(
        now: u64,
        id: GameId,
        randomness: &[u8; 32],
        log: &[Stored],
        survivors: &[Survivor],
    ) -> Result<Self, RestoreError> {
        let mut room = Self::from_log(now, id, randomness, log)?;
        let bound: Vec<(ConnectionId, PlayerId, bool)> =
            survivors.iter().filter_map(|survivor| room.bind_again(survivor)).collect();
        // Everybody is there before anybody is shown who is there.
        for (connection, player_id, _) in bound.iter().filter(|(_, _, is_subscribed)| *is_subscribed) {
            let shown = room.shown_to_watchers(player_id).unwrap_or_else(|| Arc::new(room.view_of(player_id)));
            if let Some(connection) = room.connections.get_mut(connection) {
                connection.shown = Some(shown);
            }
        }
        room.go_on();
        Ok(room)
    }

    fn bind_again(&mut self, survivor: &Survivor) -> Option<(ConnectionId, PlayerId, bool)> {
        let player_id = match &survivor.who {
            Survived::Player(player) => player.clone(),
            Survived::Program(seat) => self.table.on_seat(*seat, Control::Ai)?.player_id.clone(),
        };
        let is_watching = self.table.session(&player_id).is_none();
        // A session that has ended is nobody any more; only those who never had one watch.
        if is_watching && player_id != Self::watcher_id(survivor.connection) {
            return None;
        }
        let connection = Connection { player_id: player_id.clone(), shown: None, is_passing: false, is_watching };
        self.connections.insert(survivor.connection, connection);
        Some((survivor.connection, player_id, survivor.is_subscribed))
    }

    /// Who is behind a connection, and whether it hears of every event: what a host keeps to build the room again.
    pub fn bound(&self, connection: ConnectionId) -> Option<(&PlayerId, bool)> {
        let connection = self.connections.get(&connection)?;
        Some((&connection.player_id, connection.shown.is_some()))
    }
}
