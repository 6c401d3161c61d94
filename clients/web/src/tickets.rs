//! The tickets to rejoin tables, stored only in this browser: one for the game in this browser, one for the table on
//! the server.

use texas42_client::Ticket;

use crate::{
    storage::Storage,
    table_model::{Home, TableModel},
};

/// The name under which the id of this browser's finished game is stored.
const OVER: &str = "over";

/// The tickets in a storage.
pub struct Tickets<S>(pub S);

impl<S: Storage> Tickets<S> {
    /// The ticket to the table in this browser or on the server.
    pub fn get(&self, home: Home) -> Option<Ticket> {
        texas42_protocol::read(&self.0.get(name(home))?).ok()
    }

    /// Stores a ticket and replaces the previous one.
    pub fn keep(&self, home: Home, ticket: &Ticket) {
        self.0.set(name(home), &serde_json::to_string(ticket).unwrap_or_default());
    }

    /// Removes a ticket.
    pub fn forget(&self, home: Home) {
        self.0.remove(name(home));
    }

    /// Whether this browser has an unfinished game.
    pub fn has_open_game(&self) -> bool {
        self.get(Home::Browser).is_some_and(|ticket| self.0.get(OVER).as_deref() != Some(ticket.game_id.as_str()))
    }

    /// Records whether the game in this browser is over, so that the next one may replace it without asking.
    pub fn note_end(&self, before: Option<&TableModel>, after: &TableModel) {
        let is_over = |table: &TableModel| table.phase().is_over();
        if after.home == Home::Server || before.is_some_and(|before| is_over(before) == is_over(after)) {
            return;
        }
        match is_over(after) {
            true => self.0.set(OVER, after.game.as_str()),
            false => self.0.remove(OVER),
        }
    }
}

/// The name under which a ticket is stored.
const fn name(home: Home) -> &'static str {
    match home {
        Home::Browser => "offline",
        Home::Server => "online",
    }
}
