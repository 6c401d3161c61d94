//! The tickets to rejoin tables, stored only in this browser: one for the current game in this browser, one for the
//! table on the server, and those of the unfinished games that other games in this browser have replaced.

use serde::{Deserialize, Serialize};
use texas42_client::Ticket;
use texas42_protocol::GameId;
use texas42_vocab::{Date, Difficulty};

use crate::{
    presets,
    storage::Storage,
    table_model::{HostKind, TableModel},
};

/// Maximum number of unfinished games in this browser, the current one included. A list that fits on a phone.
pub const MAX_SAVED_GAMES: usize = 5;

/// The name under which the replaced games are stored.
const REPLACED: &str = "offline-games";

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameProgress {
    /// The score of the person's team, then of the others.
    Score(u16, u16),
    /// The daily challenge of a day.
    Day(Date, Difficulty),
}

impl GameProgress {
    fn of(table: &TableModel) -> Option<String> {
        let (first, state) = (table.first_team(), &table.view.state);
        let scores = [first, first.other()].map(|team| state.score[team.index()].to_string());
        let day = state.challenge.map(|daily| format!("{} {}", presets::name_of(daily.difficulty), daily.date));
        let score = (!state.one_hand).then(|| scores.join(" "));
        score.or(day).filter(|_| table.seat.is_some())
    }

    fn read(text: &str) -> Option<Self> {
        let (first, second) = text.split_once(' ')?;
        Some(match presets::difficulty(first) {
            Some(difficulty) => Self::Day(second.parse().ok()?, difficulty),
            None => Self::Score(first.parse().ok()?, second.parse().ok()?),
        })
    }
}

/// An unfinished game of this browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedGame {
    /// The ticket to the game.
    pub ticket: Ticket,
    /// The progress as it is stored.
    #[serde(rename = "standing", default, skip_serializing_if = "Option::is_none")]
    progress: Option<String>,
}

impl SavedGame {
    /// How far the game is; `None` for one hand, and before the game has begun.
    pub fn progress(&self) -> Option<GameProgress> {
        GameProgress::read(self.progress.as_deref()?)
    }
}

/// A game that is not kept any longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedGame {
    /// Its id.
    pub game: GameId,
    /// Whether it could have been continued.
    pub was_open: bool,
}

/// The tickets in a storage.
pub struct Tickets<S>(pub S);

impl<S: Storage> Tickets<S> {
    /// The ticket to the table in this browser or on the server.
    pub fn get(&self, home: HostKind) -> Option<Ticket> {
        texas42_protocol::read(&self.0.get(name(home))?).ok()
    }

    /// Stores a ticket and replaces the previous one.
    pub fn keep(&self, home: HostKind, ticket: &Ticket) {
        self.0.set(name(home), &texas42_protocol::to_json(ticket));
    }

    /// Stores the ticket of the current game in this browser. An unfinished game that it replaces stays saved; returns
    /// the games that are not kept any longer, because they are over or there are too many.
    #[must_use]
    pub fn keep_game(&self, ticket: &Ticket) -> Vec<DroppedGame> {
        let mut dropped = Vec::new();
        let mut games = self.replaced();
        if let Some(before) = self.get(HostKind::Browser).filter(|before| before.game_id != ticket.game_id) {
            match self.has_open_game(HostKind::Browser) {
                true => games.insert(0, self.current(before)),
                false => dropped.push(DroppedGame { game: before.game_id, was_open: false }),
            }
            self.0.remove(score_name(HostKind::Browser));
        }
        games.retain(|game| game.ticket.game_id != ticket.game_id);
        let oldest = games.drain(games.len().min(MAX_SAVED_GAMES - 1)..);
        dropped.extend(oldest.map(|game| DroppedGame { game: game.ticket.game_id, was_open: true }));
        self.keep_replaced(&games);
        self.keep(HostKind::Browser, ticket);
        dropped
    }

    /// The unfinished games in this browser: the current one, then those that were replaced, the latest first.
    pub fn games(&self) -> Vec<SavedGame> {
        let current = self.get(HostKind::Browser).filter(|_| self.has_open_game(HostKind::Browser));
        current.map(|ticket| self.current(ticket)).into_iter().chain(self.replaced()).collect()
    }

    /// Makes a saved game the current one; returns the current one if it is over.
    #[must_use]
    pub fn choose(&self, game: &GameId) -> Vec<DroppedGame> {
        let saved = self.replaced().into_iter().find(|saved| saved.ticket.game_id == *game);
        let Some(SavedGame { ticket, progress }) = saved else { return Vec::new() };
        let dropped = self.keep_game(&ticket);
        if let Some(progress) = progress {
            self.0.set(score_name(HostKind::Browser), &progress);
        }
        dropped
    }

    /// Removes a saved game.
    pub fn remove(&self, game: &GameId) {
        if self.get(HostKind::Browser).is_some_and(|ticket| ticket.game_id == *game) {
            self.forget(HostKind::Browser);
        }
        let mut games = self.replaced();
        games.retain(|saved| saved.ticket.game_id != *game);
        self.keep_replaced(&games);
    }

    fn current(&self, ticket: Ticket) -> SavedGame {
        SavedGame { ticket, progress: self.0.get(score_name(HostKind::Browser)) }
    }

    fn replaced(&self) -> Vec<SavedGame> {
        self.0.get(REPLACED).and_then(|text| texas42_protocol::read(&text).ok()).unwrap_or_default()
    }

    fn keep_replaced(&self, games: &[SavedGame]) {
        match games.is_empty() {
            true => self.0.remove(REPLACED),
            false => self.0.set(REPLACED, &texas42_protocol::to_json(games)),
        }
    }

    /// Stores the progress of a person's game when it changes, for the start page.
    pub fn note_progress(&self, before: Option<&TableModel>, after: &TableModel) {
        match GameProgress::of(after) {
            now if before.map(GameProgress::of).as_ref() == Some(&now) => {}
            Some(progress) => self.0.set(score_name(after.home), &progress),
            None => self.0.remove(score_name(after.home)),
        }
    }

    /// The stored progress of the game in this browser or on the server.
    pub fn progress(&self, home: HostKind) -> Option<GameProgress> {
        GameProgress::read(&self.0.get(score_name(home))?)
    }

    /// Removes a ticket.
    pub fn forget(&self, home: HostKind) {
        self.0.remove(name(home));
        self.0.remove(score_name(home));
    }

    /// Whether there is an unfinished game in this browser or on the server.
    pub fn has_open_game(&self, home: HostKind) -> bool {
        self.get(home).is_some_and(|ticket| self.0.get(over_name(home)).as_deref() != Some(ticket.game_id.as_str()))
    }

    /// Records whether the game is over: a finished game is not offered to be continued.
    pub fn note_end(&self, before: Option<&TableModel>, after: &TableModel) {
        let is_over = |table: &TableModel| table.phase().is_over();
        if before.is_some_and(|before| is_over(before) == is_over(after)) {
            return;
        }
        match is_over(after) {
            true => self.0.set(over_name(after.home), after.game.as_str()),
            false => self.0.remove(over_name(after.home)),
        }
    }
}

/// The name under which the progress of a game is stored.
const fn score_name(home: HostKind) -> &'static str {
    match home {
        HostKind::Browser => "offline-score",
        HostKind::Server => "online-score",
    }
}

/// The name under which the id of a finished game is stored.
const fn over_name(home: HostKind) -> &'static str {
    match home {
        HostKind::Browser => "over",
        HostKind::Server => "over-online",
    }
}

/// The name under which a ticket is stored.
const fn name(home: HostKind) -> &'static str {
    match home {
        HostKind::Browser => "offline",
        HostKind::Server => "online",
    }
}
