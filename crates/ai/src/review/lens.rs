//! The lens of what the seat could know: every choice of a decision in the same worlds.
//!
//! A choice keeps its result in each world, so that the error of a difference is that of the paired results. Nothing here
//! knows the true hands.

use alloc::{vec, vec::Vec};

use texas42_engine::{Goal, HAND_POINTS, HAND_TRICKS};
use texas42_phrases::Remark;
use texas42_solver::{Position, Solver, Value};
use texas42_vocab::{Action, Bid, BidKind, Hand, Trump, sort_best_first};

use super::class;
use crate::{
    beginner::{HandEstimate, ranked},
    calibration::{OwnHand, Standing},
    decision::{Choice, played},
    expert::{Effort, Expert, Prospect, at_table, claimed, least_points, position, rest_is_ours},
    knowledge::Knowledge,
    random::Random,
    reasons,
    stakes::Stake,
    worlds::Worlds,
};

/// Up to this many worlds are enumerated instead of sampled, because that costs about as much as a sample and has no error.
const ENUMERATED: u64 = 400;
/// The number of worlds in which the points of equally good plays are compared. Points take twenty times as long as the
/// question whether the contract is made.
const POINTS_WORLDS: usize = 20;
/// Half the width over which the slope of a value is measured, as a chance.
const SLOPE_STEP: f64 = 0.02;

/// A choice with its result in every world.
#[derive(Clone, Debug)]
pub(super) struct Weighed {
    pub(super) choice: Choice,
    /// Whether it ends well for the seat's team, world by world. Empty for a pass, whose value is measured and not sampled.
    pub(super) ends_well: Vec<bool>,
    /// By how much the marks grow with the share of worlds that end well.
    pub(super) slope: f64,
    /// The trump that a bid is evaluated with; `None` if the partner names it.
    pub(super) trump: Option<Trump>,
    /// The points of the bidders in the first worlds.
    pub(super) points: Vec<f64>,
}

impl Weighed {
    /// The share of the worlds in which it ends well with all hands open.
    pub(super) fn open_chance(&self) -> Option<f64> {
        (!self.ends_well.is_empty()).then(|| share(&self.ends_well))
    }
}

/// The worlds that a seat considers possible, as many as are looked at, and whether these are all.
pub(super) fn worlds(knowledge: &Knowledge, count: u32, seed: u64) -> (Vec<[Hand; 4]>, bool) {
    let (worlds, mut random) = (Worlds::new(knowledge), Random::new(seed));
    if worlds.count() > ENUMERATED.max(count.into()) {
        return (worlds.sample_stratified(count, &mut random), false);
    }
    let mut all = worlds.all();
    // Some callers use only the first few.
    random.shuffle(&mut all);
    (all, true)
}

/// Evaluates the choices of one decision.
pub(super) struct KnowledgeLens<'a> {
    knowledge: &'a Knowledge,
    worlds: &'a [[Hand; 4]],
    expert: Expert<'a>,
}

impl<'a> KnowledgeLens<'a> {
    pub(super) fn new(knowledge: &'a Knowledge, worlds: &'a [[Hand; 4]], solver: &'a mut Solver) -> Self {
        // The expert only evaluates in given worlds here, so it needs no randomness.
        Self { knowledge, worlds, expert: Expert::new(knowledge, Effort::EXPERT, 0, solver) }
    }

    /// Evaluates the choices, best first.
    pub(super) fn weigh(&mut self, options: &[Action]) -> Vec<Weighed> {
        let is_trump = |action: &Action| matches!(action, Action::SelectTrump { .. });
        let is_call = |action: &Action| matches!(action, Action::Bid { .. } | Action::Pass { .. });
        let mut weighed = match options {
            all if all.iter().any(is_call) => self.bids(all),
            all if all.iter().any(is_trump) => self.trumps(all),
            all => self.plays(all),
        };
        sort_best_first(&mut weighed, |weighed| weighed.choice.marks);
        self.compare_points(&mut weighed);
        weighed
    }

    /// The reasons for the best choice.
    pub(super) fn why(&self, weighed: &[Weighed]) -> Vec<Remark> {
        let Some(best) = weighed.first() else { return Vec::new() };
        let choices: Vec<Choice> = weighed.iter().map(|weighed| weighed.choice).collect();
        match best.choice.action {
            Action::Bid { bid, .. } => reasons::for_bid(self.knowledge, bid, best.trump, &best.choice),
            Action::Pass { .. } => {
                let standing = Standing::of(self.knowledge.standing(), self.knowledge.seat);
                reasons::for_pass(self.knowledge, standing == Standing::Partner, best.choice.marks)
            }
            Action::SelectTrump { trump, .. } => match self.knowledge.standing() {
                Some((_, bid)) => reasons::for_trump(self.knowledge, trump, bid, &choices),
                None => Vec::new(),
            },
            Action::Play { domino, .. } => reasons::for_play(self.knowledge, domino, 0, &choices),
            _ => vec![self.expert.why_claim()],
        }
    }

    fn plays(&mut self, options: &[Action]) -> Vec<Weighed> {
        let Some((contract, terms)) = self.knowledge.contract.zip(self.knowledge.terms) else { return Vec::new() };
        let ours = self.knowledge.is_bidders();
        let stake = self.expert.stakes().as_seen(contract.bid, ours);
        let making: Vec<Hand> = match terms.outcome(&self.knowledge.tally) {
            Some(outcome) => vec![if outcome.made { Hand::FULL } else { Hand::EMPTY }; self.worlds.len()],
            None => {
                let plays: Hand = options.iter().filter_map(|action| played(*action)).collect();
                self.positions().map(|position| self.expert.solver.making(&position, plays)).collect()
            }
        };
        let ends_well = |action: Action| match played(action) {
            Some(domino) => making.iter().map(|making| making.contains(domino) == ours).collect(),
            None => vec![self.claim_ends_well(); self.worlds.len()],
        };
        let in_order: Vec<(Action, Vec<bool>)> =
            self.in_order(options).into_iter().map(|action| (action, ends_well(action))).collect();
        in_order.into_iter().map(|(action, good)| self.weighed(action, good, stake, |open| open)).collect()
    }

    fn positions(&self) -> impl Iterator<Item = Position> + use<'a> {
        let (knowledge, worlds) = (self.knowledge, self.worlds);
        worlds.iter().filter_map(|hands| position(knowledge, *hands))
    }

    /// The order of equal plays: a correct claim, the plays by rules of thumb, a false claim.
    fn in_order(&self, options: &[Action]) -> Vec<Action> {
        let claims = || options.iter().copied().filter(|action| matches!(action, Action::Claim { .. }));
        let dominoes: Vec<_> = options.iter().filter_map(|action| played(*action)).collect();
        let player = self.knowledge.seat;
        let plays = ranked(self.knowledge, &dominoes).into_iter().map(|domino| Action::Play { player, domino });
        if rest_is_ours(self.knowledge) { claims().chain(plays).collect() } else { plays.chain(claims()).collect() }
    }

    fn claim_ends_well(&self) -> bool {
        let settled = claimed(self.knowledge, rest_is_ours(self.knowledge));
        settled.is_some_and(|(outcome, _)| outcome.made == self.knowledge.is_bidders())
    }

    fn trumps(&mut self, options: &[Action]) -> Vec<Weighed> {
        let Some((bidder, bid)) = self.knowledge.standing() else { return Vec::new() };
        let stake = self.expert.stakes().of(bid);
        let estimate = |action: &Action| match action {
            Action::SelectTrump { trump, .. } => HandEstimate::new(self.knowledge.hand, *trump).points,
            _ => 0.0,
        };
        let mut named = options.to_vec();
        // Equal choices stay in this order.
        sort_best_first(&mut named, estimate);
        let mut weighed = Vec::new();
        for action in named {
            let Action::SelectTrump { trump, .. } = action else { continue };
            let made = self.worlds.iter().map(|hands| self.expert.makes(bidder, bid, trump, *hands)).collect();
            weighed.push(self.weighed(action, made, stake, |open| at_table(Some(trump), bid, open)));
        }
        weighed
    }

    fn bids(&mut self, options: &[Action]) -> Vec<Weighed> {
        let seat = self.knowledge.seat;
        let range = least_points(options)..=HAND_POINTS;
        let straight = self.expert.prospects((seat, Bid::points(30)), range, self.worlds);
        let specials = self.specials(options);
        let mut weighed = Vec::new();
        for action in options.iter().copied() {
            let Action::Bid { bid, .. } = action else { continue };
            weighed.extend(self.bid(action, bid, &straight, &specials));
        }
        if let Some(pass) = options.iter().find(|action| matches!(action, Action::Pass { .. })) {
            let best = weighed.iter().map(|weighed: &Weighed| weighed.choice.chance).fold(0.0, f64::max);
            let (choice, _) = self.expert.weigh_pass(*pass, OwnHand::new(best), &self.expert.stakes());
            let pass = Weighed { choice, ends_well: Vec::new(), slope: 0.0, trump: None, points: Vec::new() };
            // Equal choices stay in order: ties go to the pass, then to the lower bid.
            weighed.insert(0, pass);
        }
        weighed
    }

    /// The special contracts that the hand suits and that can be bid: the least bid, the trump, and whether it is made.
    fn specials(&mut self, options: &[Action]) -> Vec<(u8, Trump, Vec<bool>)> {
        let in_marks = |action: &Action| matches!(action, Action::Bid { bid, .. } if bid.kind == BidKind::Marks);
        if !options.iter().any(in_marks) {
            return Vec::new();
        }
        let mut specials = Vec::new();
        for (least, trump) in self.knowledge.special_contracts() {
            let bid = Bid::marks(least);
            if self.expert.is_hopeful(trump, bid) {
                specials.push((least, trump, self.makes(bid, |_| trump)));
            }
        }
        specials
    }

    /// Evaluates a bid with the best trump for it.
    fn bid(
        &mut self,
        action: Action,
        bid: Bid,
        straight: &[Prospect],
        specials: &[(u8, Trump, Vec<bool>)],
    ) -> Option<Weighed> {
        let points = if bid.kind == BidKind::Points { bid.value } else { HAND_POINTS };
        let straight = straight.iter().map(|of| (Some(of.trump), of.takes(points)));
        let candidates: Vec<(Option<Trump>, Vec<bool>)> = match bid.kind {
            BidKind::Points => straight.collect(),
            BidKind::Marks => {
                let allowed = specials.iter().filter(|(least, ..)| *least <= bid.value);
                straight.chain(allowed.map(|(_, trump, made)| (Some(*trump), made.clone()))).collect()
            }
            BidKind::Plunge | BidKind::Splash => vec![(None, self.by_partner(bid))],
        };
        let chance = |(trump, made): &(Option<Trump>, Vec<bool>)| at_table(*trump, bid, share(made));
        // The first of the best.
        let (trump, made) = candidates.into_iter().rev().max_by(|a, b| chance(a).total_cmp(&chance(b)))?;
        let stake = self.expert.stakes().of(bid);
        Some(Weighed { trump, ..self.weighed(action, made, stake, |open| at_table(trump, bid, open)) })
    }

    /// Whether a bid for which the partner names trumps is made, world by world. Assumes that it names its best trump.
    pub(super) fn by_partner(&mut self, bid: Bid) -> Vec<bool> {
        let partner = self.knowledge.seat.partner();
        self.makes(bid, |hands| HandEstimate::best(hands[partner.index()]).trump)
    }

    /// Whether the seat makes a bid, world by world.
    pub(super) fn makes(&mut self, bid: Bid, name: impl Fn(&[Hand; 4]) -> Trump) -> Vec<bool> {
        let seat = self.knowledge.seat;
        self.worlds.iter().map(|hands| self.expert.makes(seat, bid, name(hands), *hands)).collect()
    }

    /// The points of the seat's team with this trump.
    pub(super) fn prospect(&mut self, trump: Trump) -> Prospect {
        let seat = self.knowledge.seat;
        let bid = Bid::points(30);
        self.expert.prospect(trump, &self.knowledge.terms_if(seat, bid, trump), &(30..=HAND_POINTS), self.worlds)
    }

    fn weighed(&self, action: Action, ends_well: Vec<bool>, stake: Stake, at_table: impl Fn(f64) -> f64) -> Weighed {
        let (stakes, open) = (self.expert.stakes(), share(&ends_well));
        let at = |open: f64| stakes.weighed(action, at_table(open), stake);
        let (low, high) = ((open - SLOPE_STEP).max(0.0), (open + SLOPE_STEP).min(1.0));
        let slope = (at(high).marks - at(low).marks) / (high - low);
        Weighed { choice: at(open), ends_well, slope, trump: None, points: Vec::new() }
    }

    /// Compares the points if choices are equally good, and sorts these by points.
    fn compare_points(&mut self, weighed: &mut [Weighed]) {
        let Some(terms) = self.knowledge.terms else { return };
        let best = weighed.first().map_or(0.0, |best| best.choice.marks);
        let tied = weighed.iter().take_while(|weighed| class::is_tied(best - weighed.choice.marks)).count();
        if tied < 2 || terms.goal == Goal::NoTrick {
            return;
        }
        for position in self.positions().take(POINTS_WORLDS) {
            let values = self.expert.solver.moves(&position);
            for weighed in weighed.iter_mut() {
                let play = played(weighed.choice.action);
                let value = values.iter().find(|(domino, _)| Some(*domino) == play).map(|(_, value)| *value);
                let points = value.map_or_else(|| self.claimed_points(), points_of);
                weighed.points.push(points);
            }
        }
        let sign = if self.knowledge.is_bidders() { 1.0 } else { -1.0 };
        sort_best_first(&mut weighed[..tied], |weighed| sign * mean(&weighed.points));
    }

    /// The points of the bidders after the claim.
    fn claimed_points(&self) -> f64 {
        let settled = claimed(self.knowledge, rest_is_ours(self.knowledge)).zip(self.knowledge.terms);
        settled.map_or(0.0, |((_, tally), terms)| f64::from(tally.points[terms.bidder.team().index()]))
    }
}

fn points_of(value: Value) -> f64 {
    f64::from(value.points().or(value.tricks().map(|tricks| HAND_TRICKS - tricks)).unwrap_or(0))
}

pub(super) fn share(results: &[bool]) -> f64 {
    results.iter().filter(|result| **result).count() as f64 / results.len().max(1) as f64
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
impl Weighed {
    pub(super) fn for_tests(choice: Choice, ends_well: Vec<bool>, slope: f64) -> Self {
        Self { choice, ends_well, slope, trump: None, points: Vec::new() }
    }
}
