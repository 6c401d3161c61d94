//! The beginner: a bot that plays by rules of thumb.
//!
//! It counts trumps, doubles and offs before it bids, draws trumps, walks doubles, gives count to its partner and keeps
//! it from the opponents. It looks at one trick at a time, does not track voids, and makes occasional mistakes.

mod bidding;
mod playing;

use alloc::vec::Vec;

pub use bidding::HandEstimate;
pub(crate) use bidding::{caught, from_seven, trumps_of};
use texas42_vocab::{Action, Domino, sort_best_first};

use crate::{
    decision::{Decision, played},
    knowledge::Knowledge,
    random::Random,
};

/// How often the bot plays its second-best domino.
const SLIPS: f64 = 0.02;

/// The weights of the evaluation, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Worth {
    /// The average count that another seat adds to a trick.
    count_to_come: f64,
    /// Drawing a trump of the opponents.
    drawing: f64,
    /// Keeping a domino that wins its suit.
    walker: f64,
    /// Keeping a trump.
    trump: f64,
    /// Keeping each step of rank.
    rank: f64,
    /// The reliability of a partner who is still to play, 0 to 1.
    partner: f64,
    /// Keeping count that could go to the partner later.
    count: f64,
}

impl Worth {
    /// Tuned by hill climbing on the number of 30 bids made.
    const STEADY: Self =
        Self { count_to_come: 1.8, drawing: 1.5, walker: 1.0, trump: 2.4, rank: 0.19, partner: 0.7, count: 0.24 };
    /// The beginner's weights: it hardly saves anything for later.
    const SIMPLE: Self = Self { drawing: 1.1, walker: 0.0, rank: 0.0, count: 0.06, ..Self::STEADY };
}

/// The decision of a beginner.
pub(crate) fn decide(knowledge: &Knowledge, valid: &[Action], random: &mut Random) -> Option<Decision> {
    let plays: Vec<Domino> = valid.iter().filter_map(|action| played(*action)).collect();
    if plays.is_empty() { bidding::decide(knowledge, valid) } else { playing::decide(knowledge, &plays, random) }
}

/// The plays of a seat by the rules of thumb without mistakes, best first.
pub(crate) fn ranked(knowledge: &Knowledge, plays: &[Domino]) -> Vec<Domino> {
    let mut ranked = playing::weighed(knowledge, plays, &Worth::STEADY);
    sort_best_first(&mut ranked, |(_, value)| *value);
    ranked.into_iter().map(|(domino, _)| domino).collect()
}
