//! The destinations of the URL fragment.

use texas42_protocol::TableOptions;
use texas42_vocab::{Config, Difficulty};

use crate::{invite_link::InviteLink, presets};

/// Where a fragment leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Address {
    /// The start page.
    Home,
    /// The game in this browser, or a new one.
    Play,
    /// The form for a new table.
    Create,
    /// The form for joining a table.
    Invite(InviteLink),
    /// The daily challenge.
    Daily(Difficulty),
    /// A table with a public seed.
    Seed(Box<(Config, TableOptions)>),
    /// A table on the server to rejoin, by its id.
    Table(String),
    /// A damaged invite link.
    BadInvite,
    /// A damaged seed or difficulty.
    BadSeed,
    /// An unknown fragment.
    Unknown,
}

impl Address {
    /// Parses a fragment, without the `#`.
    pub fn read(fragment: &str) -> Self {
        if let Some(link) = InviteLink::read(fragment) {
            return Self::Invite(link);
        }
        match fragment.split_once('/') {
            Some(("daily", name)) => presets::difficulty(name).map_or(Self::BadSeed, Self::Daily),
            Some(("seed", link)) => presets::of_link(link).map_or(Self::BadSeed, |table| Self::Seed(Box::new(table))),
            Some(("table", game)) => Self::Table(game.to_owned()),
            None if fragment.is_empty() => Self::Home,
            None if fragment == "play" => Self::Play,
            None if fragment == "new" => Self::Create,
            _ if InviteLink::is_meant(fragment) => Self::BadInvite,
            _ => Self::Unknown,
        }
    }

    /// Whether a fragment asks for a new table. Such a fragment is dropped if the person declines.
    pub fn asks_for_new_table(fragment: &str) -> bool {
        ["seed/", "daily/"].iter().any(|start| fragment.starts_with(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fragment_leads_to_its_destination() {
        assert_eq!(Address::read(""), Address::Home);
        assert_eq!(Address::read("play"), Address::Play);
        assert_eq!(Address::read("new"), Address::Create);
        assert_eq!(Address::read("daily/hard"), Address::Daily(Difficulty::Hard));
        assert_eq!(Address::read("table/abc"), Address::Table("abc".to_owned()));
        assert!(matches!(Address::read("seed/abc/3"), Address::Seed(table) if table.0.target == Some(3)));
        assert!(matches!(Address::read("join/abc"), Address::Invite(link) if link.game.as_str() == "abc"));
    }

    #[test]
    fn a_damaged_fragment_differs_from_an_unknown_one() {
        for seed in ["daily/", "daily/terrible", "seed/", "seed/abc/many"] {
            assert_eq!(Address::read(seed), Address::BadSeed, "{seed}");
        }
        for invite in ["join", "join/", "join/abc/x", "watch/a/b/c/d"] {
            assert!(matches!(Address::read(invite), Address::BadInvite), "{invite}");
        }
        for unknown in ["x", "play/x", "new/x", "sit/abc", "/"] {
            assert_eq!(Address::read(unknown), Address::Unknown, "{unknown}");
        }
    }

    #[test]
    fn only_fragments_for_new_tables_are_dropped_when_declined() {
        assert!(["seed/abc", "daily/easy"].into_iter().all(Address::asks_for_new_table));
        assert!(!["", "play", "table/abc", "join/abc"].into_iter().any(Address::asks_for_new_table));
    }
}
