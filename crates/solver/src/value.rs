//! The value of a position with perfect play.

use texas42_engine::{Goal, HAND_POINTS, HAND_TRICKS};

/// The result of a hand for the bidding team if every seat plays perfectly to the last trick.
///
/// Values of one hand are ordered by the preference of the bidding team: more points, or fewer tricks in nello. A
/// contract for every trick is solved for points too, since all 42 points mean every trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// The points of the bidding team, or in nello the tricks of the defenders.
    gained: u8,
    makes: bool,
    counts_tricks: bool,
}

impl Value {
    pub(crate) fn new(goal: Goal, gained: i32) -> Self {
        Self { gained: gained as u8, makes: gained >= needed(goal), counts_tricks: goal == Goal::NoTrick }
    }

    /// Whether the contract is made.
    pub const fn makes(self) -> bool {
        self.makes
    }

    /// The points of the bidding team; `None` in nello.
    pub const fn points(self) -> Option<u8> {
        if self.counts_tricks { None } else { Some(self.gained) }
    }

    /// The tricks of the bidder in nello; `None` otherwise.
    pub const fn tricks(self) -> Option<u8> {
        if self.counts_tricks { Some(HAND_TRICKS - self.gained) } else { None }
    }
}

/// The result that makes the contract, on the scale of the search.
pub(crate) fn needed(goal: Goal) -> i32 {
    i32::from(match goal {
        Goal::Points(points) => points,
        Goal::EveryTrick => HAND_POINTS,
        Goal::NoTrick => HAND_TRICKS,
    })
}
