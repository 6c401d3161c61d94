//! The bots that search: they sample worlds that are consistent with their view, solve each with all hands open, and
//! choose what ends well most often. Their [`Effort`] sets the number of worlds.

mod auction;
mod play;
mod playout;
mod textbook;

pub(crate) use auction::{Prospect, aim, at_table, least_points};

use alloc::{vec, vec::Vec};

use texas42_engine::{Claim, Goal, Outcome, State, Tally, claim};
use texas42_phrases::Remark;
use texas42_solver::{Position, Solver};
use texas42_vocab::{Action, Bid, Domino, Hand, Trump};

use crate::{
    decision::{Choice, Decision, played},
    knowledge::Knowledge,
    random::Random,
    stakes::Stakes,
    worlds::Worlds,
};

/// The search effort of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The number of worlds sampled to choose a domino.
    pub worlds: u32,
    /// The number of worlds sampled to evaluate a bid.
    pub bid_worlds: u32,
    /// Whether to enumerate all worlds from the fifth trick on: at most 1,680, or 34,320 if a seat sits out.
    pub enumerates_endgame: bool,
    /// The number of worlds used to break ties by points.
    pub points_worlds: u32,
    /// Whether to use stratified sampling, which gets more out of few worlds.
    pub is_stratified: bool,
    /// The number of worlds in which plays that look about equal are played out by simulated players who see only their
    /// own hand. Fewer in the first tricks.
    pub playout_worlds: u32,
}

impl Effort {
    /// Few worlds for a play, more for a bid.
    pub const INTERMEDIATE: Self = Self {
        worlds: 10,
        bid_worlds: 30,
        enumerates_endgame: false,
        points_worlds: 0,
        is_stratified: false,
        playout_worlds: 0,
    };
    /// Many worlds with all hands open. The baseline for the expert.
    pub const SAMPLER: Self = Self {
        worlds: 300,
        bid_worlds: 100,
        enumerates_endgame: true,
        points_worlds: 40,
        is_stratified: true,
        playout_worlds: 0,
    };
    /// The strongest bot.
    pub const EXPERT: Self = Self { playout_worlds: 200, ..Self::SAMPLER };

    /// The same effort scaled to another number of worlds. Bids use at most as many, so bots with few worlds bid badly:
    /// the luckiest of a few candidates looks too good.
    #[must_use]
    pub fn with_worlds(self, worlds: u32) -> Self {
        let worlds = worlds.max(1);
        let as_many = |usual: u32| usual.saturating_mul(worlds).div_ceil(self.worlds);
        Self {
            worlds,
            bid_worlds: self.bid_worlds.min(worlds),
            points_worlds: as_many(self.points_worlds),
            playout_worlds: as_many(self.playout_worlds),
            ..self
        }
    }
}

/// The hand size from the fifth trick on.
const LAST_TRICKS: usize = 3;

/// The search for one decision of a seat.
pub(crate) struct Expert<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) effort: Effort,
    pub(crate) solver: &'a mut Solver,
    pub(crate) random: Random,
}

impl<'a> Expert<'a> {
    pub(crate) fn new(knowledge: &'a Knowledge, effort: Effort, seed: u64, solver: &'a mut Solver) -> Self {
        Self { knowledge, effort, solver, random: Random::new(seed) }
    }

    /// Decides among the legal actions.
    pub(crate) fn decide(&mut self, valid: &[Action]) -> Option<Decision> {
        let plays: Vec<Domino> = valid.iter().filter_map(|action| played(*action)).collect();
        if !plays.is_empty() {
            return self.claims(valid).or_else(|| self.play(&plays));
        }
        self.call(valid)
    }

    /// Claims if the claim is certain to stand and more than one trick is left.
    fn claims(&self, valid: &[Action]) -> Option<Decision> {
        let claim = *valid.iter().find(|action| matches!(action, Action::Claim { .. }))?;
        (self.knowledge.hand.len() > 1 && rest_is_ours(self.knowledge)).then(|| Decision {
            action: claim,
            why: vec![self.why_claim()],
            choices: self.after_claim(claim).into_iter().collect(),
        })
    }

    pub(crate) fn why_claim(&self) -> Remark {
        let takes_none =
            self.knowledge.terms.is_some_and(|terms| terms.goal == Goal::NoTrick) && self.knowledge.is_bidders();
        if takes_none { Remark::NoTrickForMe } else { Remark::RestIsMine }
    }

    /// Evaluates a correct claim, which ends the hand.
    fn after_claim(&self, action: Action) -> Option<Choice> {
        let (outcome, _) = claimed(self.knowledge, true)?;
        self.weigh(action, f64::from(u8::from(outcome.made == self.knowledge.is_bidders())))
    }

    /// Evaluates an action after which the contract ends well with this chance.
    pub(crate) fn weigh(&self, action: Action, chance: f64) -> Option<Choice> {
        let stakes = self.stakes();
        Some(stakes.weighed(action, chance, stakes.as_seen(self.knowledge.contract?.bid, self.knowledge.is_bidders())))
    }

    /// The value of marks at the current score.
    pub(crate) fn stakes(&self) -> Stakes {
        Stakes::new(&self.knowledge.rules, self.knowledge.score)
    }

    /// Samples or enumerates worlds.
    pub(crate) fn worlds(&mut self, count: u32) -> Vec<[Hand; 4]> {
        let worlds = Worlds::new(self.knowledge);
        let is_late = self.knowledge.hand.len() <= LAST_TRICKS;
        if (self.effort.enumerates_endgame && is_late) || worlds.count() <= u64::from(count) {
            let mut all = worlds.all();
            // They are ordered by the location of the trumps, and some callers use only the first few.
            self.random.shuffle(&mut all);
            all
        } else if self.effort.is_stratified {
            worlds.sample_stratified(count, &mut self.random)
        } else {
            worlds.sample(count, &mut self.random)
        }
    }
}

/// The outcome and the tally after a claim of this seat.
pub(crate) fn claimed(knowledge: &Knowledge, stands: bool) -> Option<(Outcome, Tally)> {
    let (terms, mut tally) = (knowledge.terms?, knowledge.tally);
    let outcome = terms.settle(Claim { seat: knowledge.seat, stands }, terms.outcome(&tally), &mut tally);
    Some((outcome, tally))
}

/// Whether a claim of this seat would stand. Claims are decided from public information, so any world will do.
pub(crate) fn rest_is_ours(knowledge: &Knowledge) -> bool {
    let (Some(contract), Some(terms)) = (knowledge.contract, knowledge.terms) else { return false };
    let worlds = Worlds::new(knowledge);
    if worlds.count() == 0 {
        return false;
    }
    let tricks: Vec<_> = knowledge.tricks.iter().map(|trick| (trick.leader, &trick.dominoes[..])).collect();
    let state = State::in_play(contract, terms, worlds.world(0), &tricks, knowledge.tally);
    claim::stands(&state, knowledge.seat)
}

/// The position for these hands.
pub(crate) fn position(knowledge: &Knowledge, hands: [Hand; 4]) -> Option<Position> {
    let (terms, trick) = (knowledge.terms?, knowledge.on_table()?);
    Position::new(&terms, hands, trick.leader, &trick.dominoes, &knowledge.tally)
}

/// The chance of a contract with all hands open, before the auction. Used for calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenHandChance {
    /// The best trump.
    pub trump: Trump,
    /// The chance to make the contract.
    pub chance: f64,
}

impl OpenHandChance {
    /// The chance of a nello; `None` if the hand is unsuitable.
    pub fn nello(knowledge: &Knowledge, effort: Effort, seed: u64) -> Option<f64> {
        let mut solver = Solver::new();
        let mut expert = Expert::new(knowledge, effort, seed, &mut solver);
        let worlds = expert.worlds(effort.bid_worlds);
        expert.open_special(Trump::Nello, Bid::marks(1), &worlds)
    }

    /// The chance to take `points` with the best trump.
    pub fn of_points(knowledge: &Knowledge, points: u8, effort: Effort, seed: u64) -> Option<Self> {
        let mut solver = Solver::new();
        let mut expert = Expert::new(knowledge, effort, seed, &mut solver);
        let worlds = expert.worlds(effort.bid_worlds);
        let prospects = expert.prospects((knowledge.seat, Bid::points(30)), points..=points, &worlds);
        let chances = prospects.iter().map(|of| Self { trump: of.trump, chance: of.open_chance(points) });
        chances.rev().max_by(|a, b| a.chance.total_cmp(&b.chance))
    }

    /// The chance to make a bid with this trump.
    pub fn of_contract(knowledge: &Knowledge, bid: Bid, trump: Trump, effort: Effort, seed: u64) -> f64 {
        let mut solver = Solver::new();
        let mut expert = Expert::new(knowledge, effort, seed, &mut solver);
        let worlds = expert.worlds(effort.bid_worlds);
        expert.open_chance(knowledge.seat, bid, &worlds, |_| trump)
    }
}
