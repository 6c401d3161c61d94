//! What the declarer can name: one of the nine trumps of straight 42, or a special contract.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Pip;

/// A declaration. The first nine are straight 42; the last two need the layer of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Trump {
    /// Blanks are trumps.
    Blanks,
    /// Ones are trumps.
    Ones,
    /// Twos are trumps.
    Twos,
    /// Threes are trumps.
    Threes,
    /// Fours are trumps.
    Fours,
    /// Fives are trumps.
    Fives,
    /// Sixes are trumps.
    Sixes,
    /// The seven doubles are trumps, a suit of their own.
    Doubles,
    /// No trumps; doubles are the highest of their suits.
    FollowMe,
    /// The bidder means to take no trick, alone.
    Nello,
    /// Nearest to seven dots takes the trick.
    Sevens,
}

impl Trump {
    /// The nine declarations of straight 42.
    pub const STRAIGHT: [Self; 9] = {
        let [nine @ .., _, _] = Self::ALL;
        nine
    };

    /// Every declaration.
    pub const ALL: [Self; 11] = [
        Self::Blanks,
        Self::Ones,
        Self::Twos,
        Self::Threes,
        Self::Fours,
        Self::Fives,
        Self::Sixes,
        Self::Doubles,
        Self::FollowMe,
        Self::Nello,
        Self::Sevens,
    ];

    /// The pip that is trumps, or `None` if trumps are not one of the seven pip suits.
    pub const fn pip(self) -> Option<Pip> {
        if (self as u8) < 7 { Some(self as u8) } else { None }
    }

    /// The name of this declaration in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Trump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
