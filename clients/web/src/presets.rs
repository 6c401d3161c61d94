//! The tables that this browser creates without a form.

pub use texas42_house_rules::{ALONE, daily, hand};
use texas42_house_rules::{Preset, TableSettings};
use texas42_protocol::{DealKind, TableOptions};
use texas42_vocab::{Config, Consensus, Difficulty, ForcedBid, Hints, Layer, OneHand, SeedText, Speed, Tournament};

/// The table of "Play now".
pub fn offline() -> (Config, TableOptions) {
    TableSettings::new(Preset::default().rules()).table()
}

/// The text that stores a table for the next "Play now"; `None` for a table that is played once, such as the hand of a
/// seed, and for one with other people.
pub fn remembered(table: &(Config, TableOptions)) -> Option<String> {
    is_usual(table).then(|| texas42_protocol::to_json(table))
}

/// The table of "Play now": the remembered one.
pub fn usual(remembered: Option<&str>) -> (Config, TableOptions) {
    remembered.and_then(|text| texas42_protocol::read(text).ok()).filter(is_usual).unwrap_or_else(offline)
}

/// Whether a table can be played again with other deals.
fn is_usual((config, options): &(Config, TableOptions)) -> bool {
    let has_chosen_deals = config.seed.is_some() || !config.deals.is_empty() || options.deal != DealKind::Secret;
    config.players == ALONE && !has_chosen_deals && !config.layers.iter().any(Layer::is_one_hand)
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

/// A hand for beginners: straight 42 with hints, easy to make. The table makes the only legal choice for the person, who
/// can undo moves.
pub fn lesson() -> (Config, TableOptions) {
    let layers = vec![
        Layer::Tournament(Tournament {}),
        Layer::ForcedBid(ForcedBid::default()),
        Layer::Speed(Speed::default()),
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

#[cfg(test)]
mod tests {
    use texas42_house_rules::SettingValue;
    use texas42_protocol::BotLevel;
    use texas42_vocab::{Control, Scoring, Seat};

    use super::*;

    #[test]
    fn a_lesson_has_the_layers_of_the_tutorial() {
        let (config, options) = lesson();
        let has = |name: &str| config.layers.iter().any(|layer| layer.name() == name);
        assert!([OneHand::NAME, Speed::NAME, Hints::NAME, Tournament::NAME].into_iter().all(has));
        assert!(options.hints && !options.rated, "hints are shown, and moves can be taken back");
    }

    #[test]
    fn every_difficulty_has_a_name_that_parses_back() {
        for hard in [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard] {
            assert_eq!(difficulty(name_of(hard)), Some(hard));
        }
        assert_eq!((difficulty(""), difficulty("Easy"), difficulty("easy/1")), (None, None, None));
    }

    #[test]
    fn play_now_remembers_rules_length_and_computer_skill() {
        let mut settings = TableSettings::new(Preset::Family.rules());
        settings.choose(SettingValue::Target(Scoring::Marks, 14));
        settings.choose(SettingValue::Bot(Seat::ALL[2], Some(BotLevel::Expert)));
        let table = settings.table();
        let text = remembered(&table).unwrap();
        assert_eq!(usual(Some(&text)), table);
        for text in [None, Some("nonsense"), Some("[]")] {
            assert_eq!(usual(text), offline(), "{text:?}");
        }
        let shared = Config { players: [Control::Human; 4], ..offline().0 };
        let shared = (shared, offline().1);
        for (table, why) in [(lesson(), "a lesson"), (of_link("lubbock").unwrap(), "a seed"), (shared, "other people")]
        {
            assert_eq!(remembered(&table), None, "{why}");
            assert_eq!(usual(Some(&texas42_protocol::to_json(&table))), offline(), "{why}");
        }
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
