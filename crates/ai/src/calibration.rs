//! Converts the chance with all hands open to the chance at the table.
//!
//! With all hands open nobody has to guess, so most contracts look better than they are. The curves were measured in
//! games of the expert against itself; `texas42 calibrate` repeats the measurement. Knots at 0, 10, …, 100 %, linear
//! interpolation between them.

use texas42_vocab::{Bid, Seat};

/// What has to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// 30 to 41 points.
    Points,
    /// Every trick.
    Everything,
    /// No trick.
    Nothing,
}

/// Points that are measured: at each tenth of the open chance.
pub const KNOTS: usize = 11;

/// The chance at the table for each tenth of the open one: `texas42 calibrate --deals 2000 --player expert:30 --seed
/// tune5`.
const POINTS: [f64; KNOTS] = [0.0, 0.083, 0.118, 0.156, 0.191, 0.25, 0.31, 0.421, 0.548, 0.663, 0.92];
const EVERYTHING: [f64; KNOTS] = [0.0, 0.054, 0.122, 0.172, 0.216, 0.216, 0.231, 0.411, 0.411, 0.643, 1.0];
/// A bidder who plays alone loses less by not seeing than two who have to catch him and cannot talk: the only contract
/// that is made more often at the table than with open hands.
const NOTHING: [f64; KNOTS] = [0.099, 0.378, 0.527, 0.653, 0.653, 0.653, 0.653, 0.653, 0.889, 0.95, 1.0];

/// The chance at the table.
pub fn table_chance(aim: Aim, open: f64) -> f64 {
    let knots = match aim {
        Aim::Points => &POINTS,
        // Few hands looked sure to take every trick, so the fit is loose there: it is never likelier than points that
        // look as sure.
        Aim::Everything => return between(&EVERYTHING, open).min(between(&POINTS, open)),
        Aim::Nothing => &NOTHING,
    };
    between(knots, open)
}

fn between(knots: &[f64; KNOTS], open: f64) -> f64 {
    let at = open.clamp(0.0, 1.0) * (KNOTS - 1) as f64;
    let low = (at as usize).min(KNOTS - 2);
    let part = at - low as f64;
    knots[low] + part * (knots[low + 1] - knots[low])
}

/// Where a seat stands in the auction when it thinks about passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has bid.
    Nobody,
    /// The partner has.
    Partner,
    /// One of the others has.
    Others,
}

impl Standing {
    /// For this seat, when this is the bid that stands.
    pub fn of(bid: Option<(Seat, Bid)>, seat: Seat) -> Self {
        match bid {
            None => Self::Nobody,
            Some((bidder, _)) if bidder == seat.partner() => Self::Partner,
            Some(_) => Self::Others,
        }
    }

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Partner => "partner",
            Self::Others => "others",
        }
    }
}

/// What a seat that passes could have bid itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnHand {
    /// Nothing.
    Weak,
    /// Something that is made now and then: the others have less of it.
    Fair,
}

impl OwnHand {
    /// With this chance to make the cheapest bid, at the table.
    pub const fn new(chance: f64) -> Self {
        if chance < 0.3 { Self::Weak } else { Self::Fair }
    }

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Fair => "fair",
        }
    }
}

/// The marks that a pass brings on average, by who has bid, how many seats speak after this one, and the own hand.
/// Measured by the same command, rounded, and drawn towards each other where few passes were seen.
pub fn pass_value(standing: Standing, to_speak: usize, hand: OwnHand) -> f64 {
    // Nothing is lost when the last one passes: the hand is thrown in.
    const NOBODY: [[f64; 2]; 4] = [[0.0, 0.0], [-0.2, -0.35], [-0.05, -0.1], [-0.15, -0.02]];
    let [weak, fair] = match standing {
        Standing::Nobody => NOBODY[to_speak.min(3)],
        Standing::Partner => [0.0, 0.24],
        Standing::Others => [-0.08, -0.2],
    };
    match hand {
        OwnHand::Weak => weak,
        OwnHand::Fair => fair,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_bid_is_never_likelier() {
        for percent in 0..=100 {
            let open = f64::from(percent) / 100.0;
            assert!(table_chance(Aim::Everything, open) <= table_chance(Aim::Points, open), "{percent} %");
        }
    }

    #[test]
    fn more_open_chance_is_never_less_at_the_table() {
        for aim in [Aim::Points, Aim::Everything, Aim::Nothing] {
            let all: alloc::vec::Vec<f64> = (0..=100).map(|n| table_chance(aim, f64::from(n) / 100.0)).collect();
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]) && all[100] <= 1.0, "{aim:?}");
        }
    }
}
