//! The hash chain of a table: each row of the journal stores a hash of everything in it and of the row before.
//!
//! The chain of a table starts at the hash of its id. A flipped byte, a row of another table, a missing row, and a wrong
//! version or time in `games` all break it. It detects accidents, not forgery, so a fast hash is enough
//! ([ADR 31](../../../../../docs/adr/0031-damage-is-reported.md)).

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The end of a table's chain: the hash of its last row, which covers all rows before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain(pub(crate) u64);

impl Chain {
    /// The start of the chain of a table.
    pub(crate) fn start(id: &str) -> Self {
        Self(xxh3_64(id.as_bytes()))
    }

    /// The chain after one more row.
    #[must_use]
    pub(crate) fn next(self, row: &Row<'_>) -> Self {
        let mut hash = Xxh3::new();
        let numbers = [self.0, row.game.cast_unsigned(), row.previous.cast_unsigned(), row.version, row.at];
        numbers.iter().for_each(|number| hash.update(&number.to_le_bytes()));
        hash.update(row.events);
        Self(hash.digest())
    }

    /// The value as SQLite stores it.
    pub(crate) const fn stored(self) -> i64 {
        self.0.cast_signed()
    }
}

/// What a row of the journal contains, apart from its number and its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    /// The number of the table.
    pub(crate) game: i64,
    /// The number of the table's previous row; 0 for the first.
    pub(crate) previous: i64,
    /// The version of the table after this row.
    pub(crate) version: u64,
    /// When the row was stored. For the last row of a table, also `games.touched`.
    pub(crate) at: u64,
    /// The events as JSON.
    pub(crate) events: &'a [u8],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_row_changes_the_chain() {
        let row = Row { game: 1, previous: 2, version: 3, at: 4, events: b"[]" };
        let chain = Chain::start("table");
        let others = [
            Row { game: 9, ..row },
            Row { previous: 9, ..row },
            Row { version: 9, ..row },
            Row { at: 9, ..row },
            Row { events: b"{}", ..row },
        ];
        assert_eq!(chain.next(&row), chain.next(&row));
        assert!(others.iter().all(|other| chain.next(other) != chain.next(&row)));
        assert_ne!(Chain::start("other").next(&row), chain.next(&row));
    }

    /// Stored in every journal, so it must never change.
    #[test]
    fn the_chain_of_a_known_row_stays_the_same() {
        let row = Row { game: 1, previous: 0, version: 1, at: 1_700_000_000_000, events: br#"[{"at":1}]"# };
        assert_eq!(format!("{:016x}", Chain::start("table").next(&row).0), "e79db66d41cbfc24");
    }
}
