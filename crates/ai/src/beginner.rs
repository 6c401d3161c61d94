//! A player with rules of thumb: it counts trumps, doubles and offs before it bids, draws trumps, walks doubles, gives
//! count to its partner and keeps it from the others. It looks at one trick at a time, and errs as people do: it keeps
//! little for later, does not note who could not follow, and now and then it slips.

mod bidding;
mod playing;

use alloc::vec::Vec;

pub use bidding::Outlook;
pub(crate) use bidding::{caught, from_seven};
use texas42_vocab::{Action, Domino};

use crate::{
    ask::{Decision, played},
    random::Random,
    sight::Sight,
};

/// How often the second-best is played instead of the best.
const SLIPS: f64 = 0.02;

/// What a beginner thinks that things are worth, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Worth {
    /// What another seat adds to a trick, on average.
    count_to_come: f64,
    /// To take a trump of the other side out of play.
    drawing: f64,
    /// To keep a domino that wins its suit.
    walker: f64,
    /// To keep a trump.
    trump: f64,
    /// To keep each step of rank.
    rank: f64,
    /// How far a partner who has still to play can be relied on, 0 to 1.
    partner: f64,
    /// To keep count that could go to the partner later.
    count: f64,
}

impl Worth {
    /// Found by trying: each was moved up and down, and kept where it won more hands for 30 against what was there before.
    const STEADY: Self =
        Self { count_to_come: 1.8, drawing: 1.5, walker: 1.0, trump: 2.4, rank: 0.19, partner: 0.7, count: 0.24 };
    /// What a beginner thinks: a walker or a high domino is nothing to keep for later, count hardly.
    const SIMPLE: Self = Self { drawing: 1.1, walker: 0.0, rank: 0.0, count: 0.06, ..Self::STEADY };
}

/// What a beginner does.
pub(crate) fn decide(sight: &Sight, valid: &[Action], random: &mut Random) -> Option<Decision> {
    let plays: Vec<Domino> = valid.iter().filter_map(|action| played(*action)).collect();
    if plays.is_empty() { bidding::decide(sight, valid) } else { playing::decide(sight, &plays, random) }
}

/// The plays of a seat by what somebody with rules of thumb who errs in nothing thinks of them, the best first.
pub(crate) fn ranked(sight: &Sight, plays: &[Domino]) -> Vec<Domino> {
    let mut ranked = playing::weighed(sight, plays, &Worth::STEADY);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.into_iter().map(|(domino, _)| domino).collect()
}
