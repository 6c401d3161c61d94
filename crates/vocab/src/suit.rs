//! The names of the suits: one for each pip, and the doubles where they form a suit of their own.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Trump;

/// A suit that can be led and has to be followed. The engine calculates with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SuitName {
    /// Blanks, number 0.
    Blanks,
    /// Ones.
    Ones,
    /// Twos.
    Twos,
    /// Threes.
    Threes,
    /// Fours.
    Fours,
    /// Fives.
    Fives,
    /// Sixes.
    Sixes,
    /// Doubles, number 7.
    Doubles,
}

impl SuitName {
    /// Every suit, in the order of the engine's suit numbers.
    pub const ALL: [Self; 8] =
        [Self::Blanks, Self::Ones, Self::Twos, Self::Threes, Self::Fours, Self::Fives, Self::Sixes, Self::Doubles];

    /// The trump of the same name.
    pub const fn trump(self) -> Trump {
        Trump::ALL[self as usize]
    }

    /// The name of this suit in JSON.
    pub fn name(self) -> &'static str {
        self.trump().name()
    }
}

impl fmt::Display for SuitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suits_have_the_names_of_trumps() {
        for suit in SuitName::ALL {
            assert_eq!(serde_json::to_value(suit).unwrap(), suit.name());
            assert_eq!(serde_json::to_value(suit.trump()).unwrap(), suit.name());
        }
    }
}
