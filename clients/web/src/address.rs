//! The destinations of the URL fragment.

use texas42_protocol::{LobbyCode, TableOptions};
use texas42_vocab::{Config, Date, Difficulty};

use crate::{invite_link::InviteLink, presets};

/// How the fragments of the screens in the study module start, before the first slash.
const STUDIES: [&str; 1] = ["replay"];

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
    /// The lobby of the table with this code.
    Code(LobbyCode),
    /// The daily challenge of a day; of today if none is given.
    Daily(Difficulty, Option<Date>),
    /// A table with a public seed.
    Seed(Box<(Config, TableOptions)>),
    /// A screen that studies a game, by its whole fragment. Only the study module can read it.
    Study(String),
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
            Some(("daily", link)) => daily(link).unwrap_or(Self::BadSeed),
            Some(("seed", link)) => presets::of_link(link).map_or(Self::BadSeed, |table| Self::Seed(Box::new(table))),
            Some(("hand", seed)) => {
                seed.parse().map_or(Self::BadSeed, |seed| Self::Seed(Box::new(presets::hand(seed))))
            }
            Some(("code", code)) => LobbyCode::typed(code).map_or(Self::BadInvite, Self::Code),
            Some((screen, _)) if STUDIES.contains(&screen) => Self::Study(fragment.to_owned()),
            Some(("table", game)) => Self::Table(game.to_owned()),
            None if fragment.is_empty() => Self::Home,
            None if fragment == "play" => Self::Play,
            None if fragment == "new" => Self::Create,
            _ if InviteLink::is_meant(fragment) => Self::BadInvite,
            _ => Self::Unknown,
        }
    }
}

/// The daily challenge of a link: the difficulty, and optionally the day.
fn daily(link: &str) -> Option<Address> {
    let (name, day) = match link.split_once('/') {
        Some((name, day)) => (name, Some(day.parse().ok()?)),
        None => (link, None),
    };
    Some(Address::Daily(presets::difficulty(name)?, day))
}

/// The fragment of the code of a lobby.
pub fn code_fragment(code: LobbyCode) -> String {
    format!("code/{code}")
}

/// The fragment of the daily challenge of a day; today's has no date, so that its link leads to another hand tomorrow.
pub fn daily_fragment(difficulty: Difficulty, day: Date, today: Date) -> String {
    let start = format!("daily/{}", presets::name_of(difficulty));
    if day == today { start } else { format!("{start}/{day}") }
}

#[cfg(test)]
mod tests {
    use texas42_vocab::Layer;

    use super::*;

    #[test]
    fn each_fragment_leads_to_its_destination() {
        assert_eq!(Address::read(""), Address::Home);
        assert_eq!(Address::read("play"), Address::Play);
        assert_eq!(Address::read("new"), Address::Create);
        assert_eq!(Address::read("daily/hard"), Address::Daily(Difficulty::Hard, None));
        assert_eq!(Address::read("replay/bAQ-_x"), Address::Study("replay/bAQ-_x".to_owned()));
        assert_eq!(Address::read("table/abc"), Address::Table("abc".to_owned()));
        assert!(matches!(Address::read("seed/abc/3"), Address::Seed(table) if table.0.target == Some(3)));
        assert!(matches!(Address::read("join/abc"), Address::Invite(link) if link.game.as_str() == "abc"));
    }

    #[test]
    fn a_code_leads_to_its_lobby() {
        let code = LobbyCode::typed("BCDFGH").unwrap();
        for fragment in [code_fragment(code), "code/bcd-fgh".to_owned()] {
            assert_eq!(Address::read(&fragment), Address::Code(code), "{fragment}");
        }
        assert_eq!(Address::read("code/short"), Address::BadInvite);
    }

    #[test]
    fn a_daily_link_without_a_day_is_todays() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let (first, today) = (day("2026-11-01"), day("2026-11-18"));
        for (date, fragment) in [(today, "daily/easy"), (first, "daily/easy/2026-11-01")] {
            assert_eq!(daily_fragment(Difficulty::Easy, date, today), fragment);
            let read = Address::Daily(Difficulty::Easy, Some(date).filter(|date| *date != today));
            assert_eq!(Address::read(fragment), read);
        }
    }

    #[test]
    fn the_hand_of_a_seed_is_one_hand() {
        let Address::Seed(table) = Address::read("hand/monday-easy-3") else { panic!("not a table") };
        assert!(table.0.layers.iter().any(Layer::is_one_hand));
        let seeds = table.0.layers.iter().filter_map(|layer| match layer {
            Layer::OneHand(hand) => hand.seed,
            _ => None,
        });
        assert_eq!(seeds.map(|seed| seed.to_string()).collect::<Vec<_>>(), ["monday-easy-3"]);
    }

    #[test]
    fn a_damaged_fragment_differs_from_an_unknown_one() {
        for seed in [
            "daily/",
            "daily/terrible",
            "daily/easy/",
            "daily/easy/2026-02-30",
            "daily/easy/2026-11-01/2",
            "seed/",
            "seed/abc/many",
            "hand/",
            "hand/a b",
        ] {
            assert_eq!(Address::read(seed), Address::BadSeed, "{seed}");
        }
        for invite in ["join", "join/", "join/abc/x", "watch/a/b/c/d"] {
            assert!(matches!(Address::read(invite), Address::BadInvite), "{invite}");
        }
        for unknown in ["x", "play/x", "new/x", "sit/abc", "/"] {
            assert_eq!(Address::read(unknown), Address::Unknown, "{unknown}");
        }
    }
}
