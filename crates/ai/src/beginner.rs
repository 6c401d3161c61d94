//! A player with rules of thumb: it counts trumps, doubles and offs before it bids, draws trumps, walks doubles, gives
//! count to its partner and keeps it from the others. It looks at one trick at a time, and now and then it slips.

mod bidding;
mod playing;

use alloc::vec::Vec;

pub use bidding::Outlook;
pub(crate) use bidding::caught;
use texas42_vocab::{Action, Domino};

use crate::{ask::Decision, random::Random, sight::Sight};

/// What makes a beginner human.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habits {
    /// How often the second-best is played instead of the best.
    pub slips: f64,
    /// Points that are added to what the own hand looks worth.
    pub optimism: f64,
}

impl Default for Habits {
    fn default() -> Self {
        Self { slips: 0.05, optimism: 0.0 }
    }
}

impl Habits {
    /// Nobody is so steady: for tools that need a quick player.
    pub const STEADY: Self = Self { slips: 0.0, optimism: 0.0 };
}

/// What a beginner does.
pub(crate) fn decide(sight: &Sight, valid: &[Action], habits: &Habits, random: &mut Random) -> Option<Decision> {
    let plays: Vec<Domino> = valid.iter().filter_map(|action| played(*action)).collect();
    if !plays.is_empty() {
        return playing::decide(sight, &plays, habits, random);
    }
    bidding::decide(sight, valid, habits)
}

fn played(action: Action) -> Option<Domino> {
    match action {
        Action::Play { domino, .. } => Some(domino),
        _ => None,
    }
}

/// The plays of a seat by what a steady beginner thinks of them, the best first.
pub(crate) fn ranked(sight: &Sight, plays: &[Domino]) -> Vec<Domino> {
    let mut ranked = playing::weighed(sight, plays);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.into_iter().map(|(domino, _)| domino).collect()
}
