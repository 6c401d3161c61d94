//! A bid: how much a seat promises to take.

use core::fmt;

use serde::{Deserialize, Serialize};

/// How a bid is made. Points and marks are straight 42; the others need the layer of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum BidKind {
    /// 30 to 41 points.
    Points,
    /// All 42 points, for a number of marks.
    Marks,
    /// Four or more doubles in hand; the partner names trumps.
    Plunge,
    /// Three or more doubles in hand; the partner names trumps.
    Splash,
}

impl BidKind {
    /// The name of this kind in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A bid: points by their number, everything else by its marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bid {
    /// How it is made.
    #[serde(rename = "bid")]
    pub kind: BidKind,
    /// Points, or marks.
    pub value: u8,
}

impl Bid {
    /// The points of a whole hand, which is also what one mark is worth.
    pub const HAND: u16 = 42;

    /// A bid of 30 to 41 points.
    pub const fn points(value: u8) -> Self {
        Self { kind: BidKind::Points, value }
    }

    /// A bid of `value` marks.
    pub const fn marks(value: u8) -> Self {
        Self { kind: BidKind::Marks, value }
    }

    /// The rank of this bid in the auction: points at face value, everything else at 42 per mark. Higher beats lower.
    pub const fn worth(self) -> u16 {
        match self.kind {
            BidKind::Points => self.value as u16,
            _ => self.value as u16 * Self::HAND,
        }
    }

    /// The marks at stake: one for a point bid, otherwise the marks bid.
    pub const fn stake(self) -> u8 {
        match self.kind {
            BidKind::Points => 1,
            _ => self.value,
        }
    }
}

impl fmt::Display for Bid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks = if self.value == 1 { "mark" } else { "marks" };
        match self.kind {
            BidKind::Points => write!(f, "{}", self.value),
            BidKind::Marks => write!(f, "{} {marks}", self.value),
            kind => write!(f, "{} for {} {marks}", kind.name(), self.value),
        }
    }
}

impl fmt::Debug for Bid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_worth_42_points() {
        let ladder = [Bid::points(30), Bid::points(41), Bid::marks(1), Bid::marks(2), Bid::marks(4)];
        assert!(ladder.windows(2).all(|pair| pair[0].worth() < pair[1].worth()));
        let plunge = Bid { kind: BidKind::Plunge, value: 4 };
        assert_eq!((plunge.worth(), plunge.stake()), (168, 4));
        assert_eq!(Bid::points(41).stake(), 1);
    }
}
