//! Chooses a domino: the one with which the contract is made, or set, in the most worlds. Ties are broken by points,
//! because opponents do not see all hands and may err. Among plays within the error, the textbook decides.

use alloc::vec::Vec;

use texas42_engine::{Goal, HAND_TRICKS, Terms};
use texas42_solver::Position;
use texas42_vocab::{Action, Domino, Scoring, sort_best_first};

use super::{Expert, position, textbook};
use crate::{
    decision::{Choice, Decision},
    reasons,
};

/// A play, and the number of worlds in which it ends well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) domino: Domino,
    worlds: u32,
    good: u32,
    /// The chance that it ends well.
    pub(super) chance: f64,
    /// The points for the seat's team, summed over some worlds; `None` if no tie-break was needed.
    points: Option<f64>,
    /// Whether it has fallen too far behind to be evaluated further.
    is_out: bool,
}

impl Judged {
    pub(super) const fn new(domino: Domino) -> Self {
        Self { domino, worlds: 0, good: 0, chance: 0.0, points: None, is_out: false }
    }

    /// Whether another play, which is not ahead, is behind by no more than the error of the sample.
    pub(super) fn is_about_equal_to(&self, other: &Self) -> bool {
        let worlds = f64::from(self.worlds.max(1));
        let behind = (self.chance - other.chance) * worlds;
        !other.is_out && behind * behind <= behind.max(worlds * OFTEN_DIFFERENT)
    }

    /// The sort key of the tie-break. Plays without points come last.
    fn compared(&self) -> f64 {
        self.points.unwrap_or(f64::NEG_INFINITY)
    }

    /// Records the result in one more world.
    fn note(&mut self, is_good: bool) {
        self.worlds += 1;
        self.good += u32::from(is_good);
        self.chance = f64::from(self.good) / f64::from(self.worlds);
    }
}

#[cfg(test)]
impl Judged {
    /// A play that ended well in some of the worlds.
    pub(super) const fn sampled(domino: Domino, worlds: u32, good: u32) -> Self {
        let chance = good as f64 / worlds as f64;
        Self { worlds, good, chance, ..Self::new(domino) }
    }
}

/// A play is given up when it is this many standard deviations of the difference behind.
const BEHIND: f64 = 2.5;
/// The typical share of worlds in which two plays differ with open hands.
const OFTEN_DIFFERENT: f64 = 0.1;
/// The number of worlds between checks for plays that have fallen behind.
const LOOK_EVERY: usize = 8;

impl Expert<'_> {
    pub(super) fn play(&mut self, plays: &[Domino]) -> Option<Decision> {
        let terms = self.knowledge.terms?;
        let judged = self.weighed(&terms, plays);
        let (stakes, player) = (self.stakes(), self.knowledge.seat);
        let stake = stakes.as_seen(self.knowledge.contract?.bid, self.knowledge.is_bidders());
        let choice = |judged: &Judged| {
            let action = Action::Play { player, domino: judged.domino };
            stakes.weighed(action, judged.chance, stake)
        };
        let mut choices: Vec<Choice> = judged.iter().map(choice).collect();
        let chosen = textbook::chosen(self.knowledge, &terms, &judged);
        let action = choices.get(chosen)?.action;
        if plays.len() == 1 {
            choices.clear();
        }
        let why = reasons::for_play(self.knowledge, judged[chosen].domino, chosen, &choices);
        Some(Decision { action, why, choices })
    }

    /// Evaluates the plays. Best first.
    pub(super) fn weighed(&mut self, terms: &Terms, plays: &[Domino]) -> Vec<Judged> {
        let worlds = if plays.len() > 1 { self.worlds(self.effort.worlds) } else { Vec::new() };
        let positions: Vec<Position> = worlds.into_iter().filter_map(|hands| position(self.knowledge, hands)).collect();
        let mut judged = self.judge(terms, plays, &positions);
        self.break_ties(&mut judged, &positions);
        self.play_out(terms, &mut judged, &positions);
        // By chance, then by points. Equal plays stay in the beginner's order.
        sort_best_first(&mut judged, Judged::compared);
        sort_best_first(&mut judged, |judged| judged.chance);
        judged
    }

    fn judge(&mut self, terms: &Terms, plays: &[Domino], positions: &[Position]) -> Vec<Judged> {
        let ours = self.knowledge.is_bidders();
        let ranked = crate::beginner::ranked(self.knowledge, plays);
        let mut judged: Vec<Judged> = ranked.into_iter().map(Judged::new).collect();
        if let Some(outcome) = terms.outcome(&self.knowledge.tally) {
            // The contract is decided, so every play has the same chance.
            judged.iter_mut().for_each(|judged| judged.chance = f64::from(u8::from(outcome.made == ours)));
            return judged;
        }
        for (number, position) in positions.iter().enumerate() {
            let looked_at = judged.iter().filter(|judged| !judged.is_out).map(|judged| judged.domino).collect();
            let making = self.solver.making(position, looked_at);
            for judged in judged.iter_mut().filter(|judged| !judged.is_out) {
                judged.note(making.contains(judged.domino) == ours);
            }
            if number % LOOK_EVERY == LOOK_EVERY - 1 {
                give_up(&mut judged);
            }
        }
        judged
    }

    /// The points of the bidders, clamped to the range that shows how safe the contract is.
    fn points_about(&mut self, position: &Position) -> u8 {
        if let (Goal::Points(bid), Scoring::Marks) = (position.terms().goal, position.terms().scoring) {
            return self.solver.points_within(position, bid.saturating_sub(SAFE), bid + SAFE);
        }
        let value = self.solver.value(position);
        value.points().or(value.tricks().map(|tricks| HAND_TRICKS - tricks)).unwrap_or(0)
    }

    /// Breaks ties by points, even if every sampled world is won: the true one may not be among them.
    fn break_ties(&mut self, judged: &mut [Judged], positions: &[Position]) {
        let best = best_chance(judged);
        let tied = judged.iter().filter(|judged| judged.chance >= best).count();
        if tied < 2 {
            return;
        }
        let sign = if self.knowledge.is_bidders() { 1.0 } else { -1.0 };
        let some = positions.iter().take(self.effort.points_worlds as usize);
        for position in some {
            for judged in judged.iter_mut().filter(|judged| judged.chance >= best) {
                let Some(next) = position.play(judged.domino) else { continue };
                *judged.points.get_or_insert(0.0) += sign * f64::from(self.points_about(&next));
            }
        }
    }
}

/// Points beyond this distance from the bid say nothing more about its safety.
const SAFE: u8 = 6;

/// Gives up the plays that are far behind the best.
fn give_up(judged: &mut [Judged]) {
    let most = judged.iter().map(|judged| judged.good).max().unwrap_or(0);
    for judged in judged.iter_mut().filter(|judged| !judged.is_out) {
        judged.is_out = is_behind(f64::from(most - judged.good), f64::from(judged.worlds) * OFTEN_DIFFERENT);
    }
}

/// Whether a play that is `behind` worlds behind another is unlikely to catch up. The variance of the difference is the
/// number of worlds in which the two differ: typically `usually_different`, and at least `behind`.
pub(super) fn is_behind(behind: f64, usually_different: f64) -> bool {
    behind * behind > BEHIND * BEHIND * behind.max(usually_different)
}

pub(super) fn best_chance(judged: &[Judged]) -> f64 {
    judged.iter().map(|judged| judged.chance).fold(0.0, f64::max)
}
