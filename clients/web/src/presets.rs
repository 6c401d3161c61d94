//! Presets for tables: tournament, casual, family, and the tables that this browser creates itself.

use texas42_protocol::{DealKind, TableOptions};
use texas42_vocab::{
    Config, Consensus, Control, DailyChallenge, Date, Difficulty, ForcedBid, Hints, Layer, Nello, OneHand, Plunge,
    SeedText, Sevens, Splash, Tournament,
};

/// A common set of house rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Straight 42.
    Tournament,
    /// With nello and a forced bid.
    #[default]
    Casual,
    /// All special contracts, with hints.
    Family,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Tournament, Self::Casual, Self::Family];

    /// The layers of the preset. All presets have consensus, so that everyone sees a trick before it is taken in; the
    /// page of a person in a hurry agrees immediately.
    pub fn layers(self) -> Vec<Layer> {
        let consensus = Layer::Consensus(Consensus {});
        match self {
            Self::Tournament => vec![Layer::Tournament(Tournament {}), consensus],
            Self::Casual => vec![Layer::Nello(Nello::default()), Layer::ForcedBid(ForcedBid::default()), consensus],
            Self::Family => vec![
                Layer::Nello(Nello::default()),
                Layer::Plunge(Plunge {}),
                Layer::Splash(Splash {}),
                Layer::Sevens(Sevens {}),
                Layer::ForcedBid(ForcedBid::default()),
                Layer::Hints(Hints {}),
                consensus,
            ],
        }
    }
}

/// The layers that a person can switch individually, in the order in which a table consults them.
pub fn choices() -> Vec<Layer> {
    let is_choice = |layer: &Layer| match layer {
        Layer::Nello(_)
        | Layer::Plunge(_)
        | Layer::Splash(_)
        | Layer::Sevens(_)
        | Layer::Tournament(_)
        | Layer::ForcedBid(_)
        | Layer::Speed(_)
        | Layer::Hints(_)
        | Layer::Consensus(_) => true,
        Layer::OneHand(_) | Layer::DailyChallenge(_) => false,
    };
    Layer::every().into_iter().filter(is_choice).collect()
}

/// One person and three bots.
pub const ALONE: [Control; 4] = [Control::Human, Control::Ai, Control::Ai, Control::Ai];

/// The table of "Play now".
pub fn offline() -> (Config, TableOptions) {
    let config = Config { layers: Preset::Casual.layers(), players: ALONE, ..Config::default() };
    (config, TableOptions::default())
}

/// A table with a public seed and a target score: everyone gets the same hands.
fn seeded(seed: SeedText, target: Option<u16>) -> (Config, TableOptions) {
    let (config, options) = offline();
    (Config { seed: Some(seed), target, ..config }, TableOptions { deal: DealKind::Seeded, ..options })
}

/// The table of a seed link: the seed, and optionally the target.
pub fn of_link(link: &str) -> Option<(Config, TableOptions)> {
    let (seed, target) = match link.split_once('/') {
        Some((seed, target)) => (seed, Some(target.parse().ok()?)),
        None => (link, None),
    };
    Some(seeded(seed.parse().ok()?, target))
}

/// A hand for beginners: straight 42 with hints, easy to make.
pub fn lesson() -> (Config, TableOptions) {
    let layers = vec![
        Layer::Tournament(Tournament {}),
        Layer::ForcedBid(ForcedBid::default()),
        Layer::Hints(Hints {}),
        Layer::Consensus(Consensus {}),
        Layer::OneHand(OneHand { difficulty: Some(Difficulty::Easy), ..OneHand::default() }),
    ];
    let options = TableOptions { deal: DealKind::Seeded, hints: true, ..TableOptions::default() };
    (Config { layers, players: ALONE, ..Config::default() }, options)
}

/// The difficulties of the daily challenge, with their names in links.
const DIFFICULTIES: [(Difficulty, &str); 3] =
    [(Difficulty::Easy, "easy"), (Difficulty::Medium, "medium"), (Difficulty::Hard, "hard")];

/// The name of a difficulty in links.
pub fn name_of(difficulty: Difficulty) -> &'static str {
    DIFFICULTIES.iter().find(|(other, _)| *other == difficulty).map_or("", |(_, name)| name)
}

/// The difficulty with this name.
pub fn difficulty(name: &str) -> Option<Difficulty> {
    DIFFICULTIES.iter().find(|(_, other)| *other == name).map(|(difficulty, _)| *difficulty)
}

/// The daily challenge of a date.
pub fn daily(date: Date, difficulty: Difficulty) -> (Config, TableOptions) {
    let challenge = DailyChallenge { date, difficulty, ..DailyChallenge::default() };
    let layers =
        vec![Layer::ForcedBid(ForcedBid::default()), Layer::Consensus(Consensus {}), Layer::DailyChallenge(challenge)];
    let options = TableOptions { deal: DealKind::Seeded, ..TableOptions::default() };
    (Config { layers, players: ALONE, ..Config::default() }, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difficulty_has_a_name_that_parses_back() {
        for hard in [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard] {
            assert_eq!(difficulty(name_of(hard)), Some(hard));
        }
        assert_eq!((difficulty(""), difficulty("Easy"), difficulty("easy/1")), (None, None, None));
    }

    #[test]
    fn a_seed_link_is_parsed_exactly_or_rejected() {
        // The table itself rejects an invalid target.
        let target = |link| of_link(link).map(|(config, _)| config.target);
        assert_eq!((target("lubbock"), target("lubbock/3"), target("a/0")), (Some(None), Some(Some(3)), Some(Some(0))));
        for link in ["", "a/", "a/-1", "a/999999", "a/x", "a/3/4", "a b"] {
            assert_eq!(target(link), None, "{link}");
        }
    }
}
