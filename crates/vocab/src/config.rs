//! The configuration of a game: its layers, its target, and where its deals come from. A configuration and a list of
//! actions determine a whole game.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Control, DailyChallenge, Hand, Layer, Seat, SeedText};

/// The four hands of one deal, by seat.
pub type Deal = [Hand; 4];

/// How hands turn into a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// Marks: the stake of the bid goes to one side. The usual game, to 7.
    #[default]
    Marks,
    /// The older game: points taken are added up, to 250.
    Points,
}

impl Scoring {
    /// The default target: the score that ends a game.
    pub const fn default_target(self) -> u16 {
        match self {
            Self::Marks => 7,
            Self::Points => 250,
        }
    }
}

/// The configuration of a table. Every field has a default, so `{}` is straight 42 to seven marks.
///
/// The engine validates it when it composes the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, expecting = "struct Config without other fields", rename_all = "camelCase")]
pub struct Config {
    /// The layers over straight 42, in order; the last one has the last word.
    pub layers: Vec<Layer>,
    /// Marks, or points: the older game to 250.
    pub scoring: Scoring,
    /// The score that ends the game: 1 to 100 marks, 1 to 5000 points. Without it, 7 marks or 250 points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u16>,
    /// The public seed from which the hands are dealt; without it, `texas-42`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<SeedText>,
    /// The first hands, one deal each: four lists of seven dominoes. Later hands come from the seed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deals: Vec<Deal>,
    /// Who shakes the first hand; without it, drawn from the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shaker: Option<Seat>,
    /// Play a decided hand to its last trick.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub play_on: bool,
    /// Who controls each seat when the game starts. Only the `consensus` layer uses it.
    pub players: [Control; 4],
}

impl Config {
    /// The score that ends the game, with the default filled in.
    pub fn target(&self) -> u16 {
        self.target.unwrap_or(self.scoring.default_target())
    }

    /// The daily challenge, if the table is one.
    pub fn daily_challenge(&self) -> Option<&DailyChallenge> {
        self.layers.iter().find_map(|layer| if let Layer::DailyChallenge(daily) = layer { Some(daily) } else { None })
    }

    /// The daily challenge, to be changed.
    pub fn daily_challenge_mut(&mut self) -> Option<&mut DailyChallenge> {
        self.layers
            .iter_mut()
            .find_map(|layer| if let Layer::DailyChallenge(daily) = layer { Some(daily) } else { None })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            layers: Vec::new(),
            scoring: Scoring::Marks,
            target: None,
            seed: None,
            deals: Vec::new(),
            shaker: None,
            play_on: false,
            players: [Control::Human; 4],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_object_is_straight_42() {
        let config: Config = serde_json::from_str("{}").unwrap();
        assert_eq!(config, Config::default());
        assert_eq!(config.target(), 7);
        assert_eq!(
            serde_json::to_string(&config).unwrap(),
            r#"{"layers":[],"scoring":"marks","players":["human","human","human","human"]}"#
        );
    }

    #[test]
    fn points_scoring_defaults_to_250() {
        let config: Config = serde_json::from_str(r#"{"scoring":"points"}"#).unwrap();
        assert_eq!(config.target(), 250);
    }
}
