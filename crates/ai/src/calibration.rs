//! Converts the chance with all hands open to the chance at the table.
//!
//! With all hands open nobody has to guess, so most contracts look better than they are. The curves were measured in
//! games of the expert against itself; `texas42 calibrate` repeats the measurement. Knots at 0, 10, …, 100 %, linear
//! interpolation between them.

use texas42_vocab::{Bid, Seat};

/// What the bidders must take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// 30 to 41 points.
    Points,
    /// Every trick.
    Everything,
    /// No trick.
    Nothing,
}

/// The number of knots of a curve: one per tenth of the open chance.
pub const KNOTS: usize = 11;

/// The chance at the table for each tenth of the open chance, measured by `texas42 calibrate --deals 2000 --player
/// expert:30 --seed tune5`.
const POINTS: [f64; KNOTS] = [0.0, 0.083, 0.118, 0.156, 0.191, 0.25, 0.31, 0.421, 0.548, 0.663, 0.92];
const EVERYTHING: [f64; KNOTS] = [0.0, 0.054, 0.122, 0.172, 0.216, 0.216, 0.231, 0.411, 0.411, 0.643, 1.0];
/// Nello is the only contract that is made more often at the table than with open hands: a lone bidder loses less by
/// not seeing the hands than two defenders who must cooperate to catch it.
const NOTHING: [f64; KNOTS] = [0.099, 0.378, 0.527, 0.653, 0.653, 0.653, 0.653, 0.653, 0.889, 0.95, 1.0];

/// The chance at the table.
pub fn table_chance(aim: Aim, open: f64) -> f64 {
    let knots = match aim {
        Aim::Points => &POINTS,
        // Few hands in the sample were likely to take every trick, so the fit is loose there. Taking every trick is
        // never likelier than points with the same open chance.
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

/// Who holds the highest bid when a seat considers passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has bid.
    Nobody,
    /// The partner.
    Partner,
    /// An opponent.
    Others,
}

impl Standing {
    /// The standing of a seat, given the highest bid.
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

/// The strength of the hand of a seat that considers passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnHand {
    /// The hand is too weak to bid.
    Weak,
    /// The hand makes a bid now and then.
    Fair,
}

impl OwnHand {
    /// The strength of a hand with this chance, at the table, to make the cheapest bid.
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

/// The expected marks of a pass, by who has bid, how many seats speak after this one, and the seat's own hand. Measured
/// by `texas42 calibrate`, rounded, and smoothed where the sample was small.
pub fn pass_value(standing: Standing, to_speak: usize, hand: OwnHand) -> f64 {
    // A pass by the last seat costs nothing: the hand is thrown in.
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
    fn taking_everything_is_never_likelier_than_points() {
        for percent in 0..=100 {
            let open = f64::from(percent) / 100.0;
            assert!(table_chance(Aim::Everything, open) <= table_chance(Aim::Points, open), "{percent} %");
        }
    }

    #[test]
    fn curves_are_monotonic() {
        for aim in [Aim::Points, Aim::Everything, Aim::Nothing] {
            let all: alloc::vec::Vec<f64> = (0..=100).map(|n| table_chance(aim, f64::from(n) / 100.0)).collect();
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]) && all[100] <= 1.0, "{aim:?}");
        }
    }
}
