//! What a position is worth with best play of both sides and all hands open.

use texas42_engine::{Goal, HAND_POINTS, HAND_TRICKS};

/// What the bidders end with, if everybody plays the hand to its last trick as well as can be.
///
/// Values of one hand are ordered by what the bidders prefer: more points, or, where they may take no trick, fewer
/// tricks. A contract for every trick is played for points as well: all of them are every trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// Points of the bidders, or tricks that go past a bidder who may take none.
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

    /// The points of the bidders; none where they may take no trick.
    pub const fn points(self) -> Option<u8> {
        if self.counts_tricks { None } else { Some(self.gained) }
    }

    /// The tricks of a bidder who may take none.
    pub const fn tricks(self) -> Option<u8> {
        if self.counts_tricks { Some(HAND_TRICKS - self.gained) } else { None }
    }
}

/// What makes the contract, on the scale of the search.
pub(crate) fn needed(goal: Goal) -> i32 {
    i32::from(match goal {
        Goal::Points(points) => points,
        Goal::EveryTrick => HAND_POINTS,
        Goal::NoTrick => HAND_TRICKS,
    })
}
