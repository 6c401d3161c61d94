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
pub struct Companion {
    /// The seat.
    pub seat: Seat,
    /// The name that the creator entered.
    pub name: Name,
    /// What leads back to the session. `None` before the companion has joined.
    pub ticket: Option<Ticket>,
}

/// The companions in a storage.
pub struct Companions<S>(pub S);

impl<S: Storage> Companions<S> {
    /// The companions of all saved games, and of a game that is being created.
    pub fn all(&self) -> Vec<Companion> {
        self.0.get(STORED).and_then(|text| texas42_protocol::read(&text).ok()).unwrap_or_default()
    }

    /// Stores the companions of a new game, in place of those of a game that was never created.
    pub fn keep(&self, companions: &[Companion]) {
        let mut all = self.all();
        all.retain(|companion| companion.ticket.is_some());
        all.extend_from_slice(companions);
        self.store(&all);
    }

    /// Removes the companions of a game.
    pub fn forget(&self, game: &GameId) {
        let mut all = self.all();
        all.retain(|companion| companion.ticket.as_ref().is_none_or(|ticket| ticket.game_id != *game));
        self.store(&all);
    }

    fn store(&self, companions: &[Companion]) {
        match companions.is_empty() {
            true => self.0.remove(STORED),
            false => self.0.set(STORED, &texas42_protocol::to_json(companions)),
        }
    }

    /// Records that the companion on a seat has joined.
    pub fn note_joined(&self, seat: Seat, ticket: &Ticket) {
        let mut companions = self.all();
        let is_of_game = |old: &Ticket| old.game_id == ticket.game_id;
        let is_it = |other: &&mut Companion| other.seat == seat && other.ticket.as_ref().is_none_or(is_of_game);
        for companion in companions.iter_mut().filter(is_it) {
            companion.ticket = Some(ticket.clone());
        }
        self.store(&companions);
    }

    /// The first companion who has not joined yet.
    pub fn next_to_join(&self) -> Option<Companion> {
        self.all().into_iter().find(|companion| companion.ticket.is_none())
    }
}
