//! The phases of a game.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The part of the game that a table is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Phase {
    /// Players are gathering; nothing is dealt yet.
    Setup,
    /// The auction.
    Bidding,
    /// The auction is over and the declarer names trumps.
    TrumpSelection,
    /// Tricks are played.
    Playing,
    /// The hand is decided and waits to be scored.
    Scoring,
    /// A side has reached the target.
    GameEnd,
    /// The single hand of a one-hand game is scored.
    OneHandComplete,
}

impl Phase {
    /// Every phase in the order of play.
    pub const ALL: [Self; 7] = [
        Self::Setup,
        Self::Bidding,
        Self::TrumpSelection,
        Self::Playing,
        Self::Scoring,
        Self::GameEnd,
        Self::OneHandComplete,
    ];

    /// The name of this phase in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the game is over.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::GameEnd | Self::OneHandComplete)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
