//! Common sets of house rules.

use alloc::{string::String, vec, vec::Vec};

use texas42_phrases::{Words, fill};
use texas42_vocab::{Consensus, ForcedBid, Hints, Layer, Nello, Plunge, Scoring, Sevens, Splash, Tournament};

use crate::{HouseRules, SettingValue};

impl HouseRules {
    /// The rules and the length of the game in a few words, such as "Casual, to 7 marks".
    pub fn summary(&self, words: &Words) -> String {
        let is_same = |preset: &Preset| HouseRules { target: self.target, ..preset.rules() } == *self;
        let name = Preset::ALL.into_iter().find(is_same).map_or(words.house_rules, |preset| preset.texts(words).0);
        fill(words.rules_and_target, &[name, &SettingValue::Target(self.scoring, self.target()).text(words)])
    }
}

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
    /// Straight 42 for points, to 250.
    Points,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 4] = [Self::Tournament, Self::Casual, Self::Family, Self::Points];

    /// The rules of the preset. All presets have consensus, so that everyone sees a trick before it is turned over.
    pub fn rules(self) -> HouseRules {
        let mut rules = HouseRules::of_layers(self.layers());
        if self == Self::Points {
            rules.set_scoring(Scoring::Points);
        }
        rules
    }

    fn layers(self) -> Vec<Layer> {
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
            Self::Points => vec![Layer::ForcedBid(ForcedBid::default()), consensus],
        }
    }

    /// The name of the preset, and a sentence about it.
    pub const fn texts(self, words: &Words) -> (&'static str, &'static str) {
        match self {
            Self::Tournament => (words.preset_tournament, words.preset_tournament_more),
            Self::Casual => (words.preset_casual, words.preset_casual_more),
            Self::Family => (words.preset_family, words.preset_family_more),
            Self::Points => (words.preset_points, words.preset_points_more),
        }
    }
}
