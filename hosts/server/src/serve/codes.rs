//! The tables that the codes of lobbies lead to. Codes are not stored: after a restart, a host asks for a new one.
//!
//! Invariant: a code leads to at most one table, and a table has at most one code.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use texas42_phrases::Problem;
use texas42_protocol::{GameId, LobbyCode};
use texas42_room::{CodeClaim, OpenCode};

/// The maximum number of valid codes. With so many, a guess leads to a table once in 6,400 times.
const MAX_CODES: usize = 10_000;

/// The valid codes.
#[derive(Debug, Default)]
pub(crate) struct Codes(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    /// The table of each code, and when the code expires.
    tables: HashMap<LobbyCode, (GameId, u64)>,
    /// The code of each table.
    codes: HashMap<GameId, LobbyCode>,
}

impl Codes {
    /// Lets a code lead to a table, in place of the table's earlier one, unless it leads to another table.
    pub(crate) fn claim(&self, now: u64, game: &GameId, OpenCode { code, until }: OpenCode) -> CodeClaim {
        let mut entries = self.entries();
        entries.drop_code_of(game);
        if entries.tables.len() >= MAX_CODES {
            entries.drop_expired(now);
        }
        match entries.tables.get(&code) {
            Some((_, until)) if *until > now => CodeClaim::Taken,
            _ if entries.tables.len() >= MAX_CODES => CodeClaim::Refused(Problem::ServerFull),
            _ => {
                entries.insert(game, OpenCode { code, until });
                CodeClaim::Granted
            }
        }
    }

    /// Forgets the code of a table, if it is still this one.
    pub(crate) fn release(&self, game: &GameId, code: LobbyCode) {
        let mut entries = self.entries();
        if entries.codes.get(game) == Some(&code) {
            entries.drop_code_of(game);
        }
    }

    /// The table that a code leads to.
    pub(crate) fn table(&self, now: u64, code: LobbyCode) -> Option<GameId> {
        let entries = self.entries();
        entries.tables.get(&code).filter(|(_, until)| *until > now).map(|(game, _)| game.clone())
    }

    /// The code of a table.
    pub(crate) fn of_table(&self, game: &GameId) -> Option<OpenCode> {
        let entries = self.entries();
        let code = *entries.codes.get(game)?;
        entries.tables.get(&code).map(|(_, until)| OpenCode { code, until: *until })
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn insert(&mut self, game: &GameId, OpenCode { code, until }: OpenCode) {
        // An expired code of another table may still be here.
        if let Some((other, _)) = self.tables.insert(code, (game.clone(), until)) {
            self.codes.remove(&other);
        }
        self.codes.insert(game.clone(), code);
    }

    fn drop_code_of(&mut self, game: &GameId) {
        if let Some(code) = self.codes.remove(game) {
            self.tables.remove(&code);
        }
    }

    fn drop_expired(&mut self, now: u64) {
        self.tables.retain(|_, (_, until)| *until > now);
        let tables = &self.tables;
        self.codes.retain(|_, code| tables.contains_key(code));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(number: u64, until: u64) -> OpenCode {
        OpenCode { code: LobbyCode::new(number), until }
    }

    fn game(number: usize) -> GameId {
        GameId::try_from(format!("table-{number}")).unwrap()
    }

    #[test]
    fn a_code_leads_to_one_table_until_it_expires() {
        let (codes, ann, bob) = (Codes::default(), game(1), game(2));
        assert_eq!(codes.claim(0, &ann, open(7, 100)), CodeClaim::Granted);
        assert_eq!(codes.claim(0, &bob, open(7, 100)), CodeClaim::Taken);
        assert_eq!(codes.table(99, LobbyCode::new(7)), Some(ann.clone()));
        assert_eq!(codes.table(100, LobbyCode::new(7)), None, "the time is over");
        assert_eq!(codes.claim(100, &bob, open(7, 200)), CodeClaim::Granted, "an expired code is free again");
        assert_eq!((codes.of_table(&ann), codes.of_table(&bob)), (None, Some(open(7, 200))));
    }

    #[test]
    fn a_table_has_one_code() {
        let (codes, ann) = (Codes::default(), game(1));
        codes.claim(0, &ann, open(7, 100));
        codes.claim(0, &ann, open(8, 100));
        assert_eq!((codes.table(0, LobbyCode::new(7)), codes.of_table(&ann)), (None, Some(open(8, 100))));
        codes.release(&ann, LobbyCode::new(7));
        assert_eq!(codes.of_table(&ann), Some(open(8, 100)), "an earlier code is not the table's any more");
        codes.release(&ann, LobbyCode::new(8));
        assert_eq!((codes.table(0, LobbyCode::new(8)), codes.of_table(&ann)), (None, None));
    }

    #[test]
    fn the_number_of_codes_is_limited_and_expired_ones_make_room() {
        let codes = Codes::default();
        for number in 0..MAX_CODES {
            assert_eq!(codes.claim(0, &game(number), open(number as u64, 100)), CodeClaim::Granted);
        }
        let more = open(MAX_CODES as u64, 200);
        assert_eq!(codes.claim(99, &game(MAX_CODES), more), CodeClaim::Refused(Problem::ServerFull));
        assert_eq!(codes.claim(100, &game(MAX_CODES), more), CodeClaim::Granted);
        assert_eq!(codes.entries().codes.len(), 1);
    }
}
