//! A player with rules of thumb: it counts trumps, doubles and offs before it bids, draws trumps, walks doubles, gives
//! count to its partner and keeps it from the others. It looks at one trick at a time, and errs as people do: it keeps
//! little for later, does not note who could not follow, and now and then it slips.

mod bidding;
mod playing;

use alloc::vec::Vec;

pub use bidding::Outlook;
pub(crate) use bidding::caught;
use texas42_vocab::{Action, Domino, sort_few};

use crate::{
    ask::{Ask, Decision},
    random::Random,
    sight::Sight,
};

/// What makes a beginner human.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habits {
    /// How often the second-best is played instead of the best.
    pub slips: f64,
    /// Points that are added to what the own hand looks worth.
    pub optimism: f64,
    /// What it thinks that things are worth.
    pub worth: Worth,
    /// Whether it notes who could not follow.
    pub notes_voids: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self { slips: 0.02, optimism: 0.0, worth: Worth::SIMPLE, notes_voids: false }
    }
}

impl Habits {
    /// What a beginner with these habits does.
    pub fn decide(&self, ask: &Ask<'_>) -> Option<Decision> {
        let valid: Vec<Action> = ask.valid().collect();
        decide(&Sight::new(ask.view, ask.seat)?, &valid, self, &mut Random::new(ask.seed))
    }
}

/// What a beginner thinks that things are worth, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// What another seat adds to a trick, on average.
    pub count_to_come: f64,
    /// To take a trump of the other side out of play.
    pub drawing: f64,
    /// To keep a domino that wins its suit.
    pub walker: f64,
    /// To keep a trump.
    pub trump: f64,
    /// To keep each step of rank.
    pub rank: f64,
    /// How far a partner who has still to play can be relied on, 0 to 1.
    pub partner: f64,
    /// To keep count that could go to the partner later.
    pub count: f64,
}

impl Worth {
    /// Found by trying: each was moved up and down, and kept where it won more hands for 30 against what was there before.
    pub const STEADY: Self =
        Self { count_to_come: 1.8, drawing: 1.5, walker: 1.0, trump: 2.4, rank: 0.19, partner: 0.7, count: 0.24 };
    /// What a beginner thinks: a walker or a high domino is nothing to keep for later, count hardly.
    pub const SIMPLE: Self = Self { drawing: 1.1, walker: 0.0, rank: 0.0, count: 0.06, ..Self::STEADY };
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

/// The plays of a seat by what somebody with rules of thumb who errs in nothing thinks of them, the best first.
pub(crate) fn ranked(sight: &Sight, plays: &[Domino]) -> Vec<Domino> {
    let mut ranked = playing::weighed(sight, plays, &Worth::STEADY);
    sort_few(&mut ranked, |a, b| b.1.total_cmp(&a.1));
    ranked.into_iter().map(|(domino, _)| domino).collect()
}
