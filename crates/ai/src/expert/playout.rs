//! Playouts with simulated players who see only their own hand.
//!
//! With all hands open, a play that depends on a guess looks as good as one that does not. So plays that look about
//! equal are played to the end in some worlds by four simulated players, each of whom samples a few worlds.

use alloc::vec::Vec;

use texas42_engine::Terms;
use texas42_solver::Position;
use texas42_vocab::{Domino, Hand, Seat};

use super::{
    Effort, Expert,
    play::{Judged, best_chance, is_behind},
};
use crate::{knowledge::Knowledge, random::Random};

/// Plays are played out if their chance with open hands is at most this far behind the best.
const NEAR: f64 = 0.08;
/// The weight of the chance with open hands, in worlds played out.
const OPEN_COUNTS: f64 = 150.0;
/// The typical share of worlds in which two plays end differently.
const OFTEN_DIFFERENT: f64 = 0.2;
/// The number of worlds between checks for plays that have fallen behind.
const LOOK_EVERY: u32 = 8;

/// The divisor of the number of worlds before the third trick, when each world is expensive.
const FEWER_EARLY: u32 = 4;

/// Fewer worlds than this add nothing to the chance with open hands.
const TOO_FEW: usize = 20;

/// Whether a hand of this size has not reached the third trick.
const fn is_early(dominoes: usize) -> bool {
    dominoes > 5
}

/// The effort of the simulated players: intermediate, with even fewer worlds early on.
const fn simulated_effort(dominoes: usize) -> Effort {
    let worlds = if is_early(dominoes) { 2 } else { Effort::INTERMEDIATE.worlds };
    Effort { worlds, ..Effort::INTERMEDIATE }
}

/// A play that is played out until it is too far behind.
struct Tried<'a> {
    judged: &'a mut Judged,
    open_chance: f64,
    ended_well: u32,
    /// How far behind the best it was when it was dropped.
    dropped: Option<f64>,
}

impl Expert<'_> {
    /// Replaces the chances of plays that look about equal by those among players who do not see all hands. The other
    /// plays stay as far behind as they were.
    pub(super) fn play_out(&mut self, terms: &Terms, judged: &mut [Judged], positions: &[Position]) {
        let worlds = self.worlds_to_play_out();
        if worlds < TOO_FEW || terms.outcome(&self.knowledge.tally).is_some() {
            return;
        }
        let positions = &positions[..positions.len().min(worlds)];
        let best = best_chance(judged);
        let mut tried: Vec<Tried<'_>> = judged.iter_mut().map(|judged| Tried::new(judged, best)).collect();
        if on_trial(&tried).count() > 1 {
            self.try_out(terms, &mut tried, positions);
            settle(&mut tried);
        }
    }

    fn worlds_to_play_out(&self) -> usize {
        let fewer = if is_early(self.knowledge.hand.len()) { FEWER_EARLY } else { 1 };
        (self.effort.playout_worlds / fewer) as usize
    }

    fn try_out(&mut self, terms: &Terms, tried: &mut [Tried<'_>], positions: &[Position]) {
        let ours = self.knowledge.is_bidders();
        for (number, position) in (1..).zip(positions) {
            // The same seed for each play reduces the variance of their difference.
            let seed = self.random.below(u64::MAX);
            for tried in tried.iter_mut().filter(|tried| tried.dropped.is_none()) {
                let is_made = self.is_made(terms, position.hands(), tried.judged.domino, seed);
                tried.note(is_made == ours, number);
            }
            if number % LOOK_EVERY == 0 && one_is_left(tried, number) {
                return;
            }
        }
    }

    /// Whether the bidders make the contract after this play, if each seat continues with only its own knowledge.
    fn is_made(&mut self, terms: &Terms, mut hands: [Hand; 4], first: Domino, seed: u64) -> bool {
        let mut random = Random::new(seed);
        let mut knowledge = self.knowledge.clone();
        let mut next = Some((knowledge.seat, first));
        while let Some((seat, domino)) = next {
            let hand = &mut hands[seat.index()];
            *hand = hand.without(domino);
            knowledge.lay(seat, domino);
            if let Some(outcome) = terms.outcome(&knowledge.tally) {
                return outcome.made;
            }
            next = self.next_play(&knowledge, &hands, &mut random);
        }
        false
    }

    /// The seat to play, and what it would play if these were the hands and it saw only its own.
    fn next_play(&mut self, now: &Knowledge, hands: &[Hand; 4], random: &mut Random) -> Option<(Seat, Domino)> {
        let seat = now.to_play()?;
        let knowledge = now.seen_by(seat, hands);
        let plays: Vec<Domino> = knowledge.playable().into_iter().collect();
        let mut expert =
            Expert::new(&knowledge, simulated_effort(knowledge.hand.len()), random.below(u64::MAX), self.solver);
        Some((seat, expert.weighed(&now.terms?, &plays).first()?.domino))
    }
}

impl<'a> Tried<'a> {
    fn new(judged: &'a mut Judged, best: f64) -> Self {
        let behind = best - judged.chance;
        Self { open_chance: judged.chance, judged, ended_well: 0, dropped: (behind > NEAR).then_some(behind) }
    }

    /// Records a playout; `worlds` is the number of playouts so far.
    fn note(&mut self, ended_well: bool, worlds: u32) {
        self.ended_well += u32::from(ended_well);
        let well = f64::from(self.ended_well) + OPEN_COUNTS * self.open_chance;
        self.judged.chance = well / (f64::from(worlds) + OPEN_COUNTS);
    }
}

/// The chances of the plays that are not dropped.
fn on_trial<'a>(tried: &'a [Tried<'_>]) -> impl Iterator<Item = f64> + 'a {
    tried.iter().filter(|tried| tried.dropped.is_none()).map(|tried| tried.judged.chance)
}

/// Drops the plays that are far behind and returns whether only one is left.
fn one_is_left(tried: &mut [Tried<'_>], worlds: u32) -> bool {
    let worlds = f64::from(worlds);
    let most = on_trial(tried).fold(0.0, f64::max);
    for tried in tried.iter_mut().filter(|tried| tried.dropped.is_none()) {
        let behind = most - tried.judged.chance;
        tried.dropped = is_behind(behind * (worlds + OPEN_COUNTS), worlds * OFTEN_DIFFERENT).then_some(behind);
    }
    on_trial(tried).count() < 2
}

/// Lowers the chances of the dropped plays. Playouts lower the chances of the others, because open hands are too
/// optimistic, and a dropped play must not overtake them that way.
fn settle(tried: &mut [Tried<'_>]) {
    let best = on_trial(tried).fold(0.0, f64::max);
    for tried in tried {
        if let Some(behind) = tried.dropped {
            tried.judged.chance = (best - behind).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use texas42_solver::Solver;
    use texas42_vocab::Phase;

    use super::*;
    use crate::{DecisionPoint, Strategy, expert::position, knowledge::tests::table};

    /// If a seat sees every other hand, the others can infer its hand too. Then every seat plays perfectly, and a
    /// playout ends as the solver says.
    #[test]
    fn with_open_hands_a_playout_agrees_with_the_solver() {
        let mut room = table("open");
        let (mut solver, mut endings) = (Solver::new(), [0; 2]);
        while let Some(mut action) = room.legal().nth(0) {
            if let Some(seat) = room.state().to_act() {
                let view = room.view(seat);
                action = Strategy::Beginner.decide(&DecisionPoint::new(&view, seat, 1)).unwrap().action;
                if room.state().phase == Phase::Playing && room.state().outcome.is_none() {
                    let knowledge =
                        Knowledge { shown: room.state().hands.map(Some), ..Knowledge::new(&view, seat).unwrap() };
                    compare(&knowledge, room.state().hands, &mut solver, &mut endings);
                }
            }
            room.execute(action).unwrap();
        }
        assert!(endings.iter().all(|endings| *endings > 100), "{endings:?}");
    }

    /// A play that was dropped at 70 % stays behind one that has fallen to 60 % since.
    #[test]
    fn a_dropped_play_does_not_overtake_the_others() {
        let dominoes: Vec<Domino> = Domino::all().take(3).collect();
        let mut judged: Vec<Judged> = dominoes.into_iter().map(Judged::new).collect();
        for (judged, chance) in judged.iter_mut().zip([0.6, 0.7, 0.5]) {
            judged.chance = chance;
        }
        let mut tried: Vec<Tried<'_>> = judged.iter_mut().map(|judged| Tried::new(judged, 0.7)).collect();
        (tried[0].dropped, tried[1].dropped, tried[2].dropped) = (None, Some(0.05), Some(0.9));
        settle(&mut tried);
        let chances: Vec<i32> = judged.iter().map(|judged| (judged.chance * 100.0 + 0.5) as i32).collect();
        assert_eq!(chances, [60, 55, 0]);
    }

    fn compare(knowledge: &Knowledge, hands: [Hand; 4], solver: &mut Solver, endings: &mut [u32; 2]) {
        let (terms, position) = (knowledge.terms.unwrap(), position(knowledge, hands).unwrap());
        let making = solver.making(&position, position.legal());
        for domino in position.legal() {
            let is_made = Expert::new(knowledge, Effort::EXPERT, 1, solver).is_made(&terms, hands, domino, 1);
            assert_eq!(is_made, making.contains(domino), "{domino} of {knowledge:?}");
            endings[usize::from(is_made)] += 1;
        }
    }
}
