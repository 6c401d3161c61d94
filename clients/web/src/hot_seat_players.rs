//! The other people who play on this device, at the table in this browser. They are stored, so that a reload continues
//! with all of them.

use serde::{Deserialize, Serialize};
use texas42_client::Ticket;
use texas42_protocol::{GameId, Name};
use texas42_vocab::Seat;

use crate::storage::Storage;

/// The name under which they are stored.
const STORED: &str = "companions";

/// Another person who plays on the device of the person who created the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotSeatPlayer {
    /// The seat.
    pub seat: Seat,
    /// The name that the creator entered.
    pub name: Name,
    /// What leads back to the session. `None` before the hot-seat player has joined.
    pub ticket: Option<Ticket>,
}

/// The hot-seat players in a storage.
pub struct HotSeatPlayers<S>(pub S);

impl<S: Storage> HotSeatPlayers<S> {
    /// The hot-seat players of all saved games, and of a game that is being created.
    pub fn all(&self) -> Vec<HotSeatPlayer> {
        self.0.get(STORED).and_then(|text| texas42_protocol::read(&text).ok()).unwrap_or_default()
    }

    /// Stores the hot-seat players of a new game, in place of those of a game that was never created.
    pub fn keep(&self, players: &[HotSeatPlayer]) {
        let mut all = self.all();
        all.retain(|player| player.ticket.is_some());
        all.extend_from_slice(players);
        self.store(&all);
    }

    /// Removes the hot-seat players of a game.
    pub fn forget(&self, game: &GameId) {
        let mut all = self.all();
        all.retain(|player| player.ticket.as_ref().is_none_or(|ticket| ticket.game_id != *game));
        self.store(&all);
    }

    fn store(&self, players: &[HotSeatPlayer]) {
        match players.is_empty() {
            true => self.0.remove(STORED),
            false => self.0.set(STORED, &texas42_protocol::to_json(players)),
        }
    }

    /// Records that the hot-seat player on a seat has joined.
    pub fn note_joined(&self, seat: Seat, ticket: &Ticket) {
        let mut players = self.all();
        let is_of_game = |old: &Ticket| old.game_id == ticket.game_id;
        let is_it = |other: &&mut HotSeatPlayer| other.seat == seat && other.ticket.as_ref().is_none_or(is_of_game);
        for player in players.iter_mut().filter(is_it) {
            player.ticket = Some(ticket.clone());
        }
        self.store(&players);
    }

    /// The first hot-seat player who has not joined yet.
    pub fn next_to_join(&self) -> Option<HotSeatPlayer> {
        self.all().into_iter().find(|player| player.ticket.is_none())
    }
}
