//! The players that think: they draw worlds that fit to what they see, solve each with all hands open, and do what ends
//! well most often. How many worlds, and what they make of it, is their [`Effort`].

mod auction;
mod play;
mod playing_out;

pub(crate) use auction::aim;

use alloc::{vec, vec::Vec};

use texas42_engine::{Claim, Goal, Outcome, State, Tally, claim};
use texas42_phrases::Remark;
use texas42_solver::{Position, Solver};
use texas42_vocab::{Action, Bid, Domino, Hand, Trump};

use crate::{
    ask::{Choice, Decision, played},
    random::Random,
    sight::Sight,
    stakes::Stakes,
    worlds::Worlds,
};

/// How much a player thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Worlds that are drawn to choose a domino.
    pub worlds: u32,
    /// Worlds that are drawn to weigh a bid.
    pub bid_worlds: u32,
    /// Whether all worlds are looked at from the fifth trick on: at most 1,680, and 34,320 where a hand sits out.
    pub all_late: bool,
    /// Worlds in which choices that are equally good are played for points.
    pub points_worlds: u32,
    /// Whether worlds are drawn one from each of equal parts of all, which makes few of them say more.
    pub spreads: bool,
    /// Worlds in which plays that look about equal are played to the end by players who see their own hand only; fewer in
    /// the first tricks.
    pub played_out: u32,
}

impl Effort {
    /// A player who looks at a few deals, and at more of them for a bid.
    pub const INTERMEDIATE: Self =
        Self { worlds: 10, bid_worlds: 30, all_late: false, points_worlds: 0, spreads: false, played_out: 0 };
    /// A player who looks at many deals with all hands open: what the strongest is measured against.
    pub const SAMPLER: Self =
        Self { worlds: 300, bid_worlds: 100, all_late: true, points_worlds: 40, spreads: true, played_out: 0 };
    /// The strongest.
    pub const EXPERT: Self = Self { played_out: 200, ..Self::SAMPLER };

    /// The same player with another number of worlds, for everything that it asks about a play. A bid is weighed with at most
    /// as many, which makes players with few worlds bid badly: the luckiest of few looks too good.
    #[must_use]
    pub fn with_worlds(self, worlds: u32) -> Self {
        let worlds = worlds.max(1);
        let as_many = |usual: u32| usual.saturating_mul(worlds).div_ceil(self.worlds);
        Self {
            worlds,
            bid_worlds: self.bid_worlds.min(worlds),
            points_worlds: as_many(self.points_worlds),
            played_out: as_many(self.played_out),
            ..self
        }
    }
}

/// From the fifth trick on a hand has no more dominoes than this.
const LAST_TRICKS: usize = 3;

/// A seat that thinks about one decision.
pub(crate) struct Mind<'a> {
    pub(crate) sight: &'a Sight,
    pub(crate) effort: Effort,
    pub(crate) solver: &'a mut Solver,
    pub(crate) random: Random,
}

impl<'a> Mind<'a> {
    pub(crate) fn new(sight: &'a Sight, effort: Effort, seed: u64, solver: &'a mut Solver) -> Self {
        Self { sight, effort, solver, random: Random::new(seed) }
    }

    /// What it does.
    pub(crate) fn decide(&mut self, valid: &[Action]) -> Option<Decision> {
        let plays: Vec<Domino> = valid.iter().filter_map(|action| played(*action)).collect();
        if !plays.is_empty() {
            return self.claims(valid).or_else(|| self.play(&plays));
        }
        self.call(valid)
    }

    /// Lays down when the rest is sure, whatever the others hold and play. With one trick to go nobody bothers.
    fn claims(&self, valid: &[Action]) -> Option<Decision> {
        let claim = *valid.iter().find(|action| matches!(action, Action::Claim { .. }))?;
        (self.sight.hand.len() > 1 && rest_is_ours(self.sight)).then(|| Decision {
            action: claim,
            why: vec![self.why_claim()],
            choices: self.after_claim(claim).into_iter().collect(),
        })
    }

    fn why_claim(&self) -> Remark {
        let takes_none = self.sight.terms.is_some_and(|terms| terms.goal == Goal::NoTrick) && self.sight.is_bidders();
        if takes_none { Remark::NoTrickForMe } else { Remark::RestIsMine }
    }

    /// What a claim that stands brings; it ends the hand.
    fn after_claim(&self, action: Action) -> Option<Choice> {
        let (outcome, _) = claimed(self.sight, true)?;
        self.weigh(action, f64::from(u8::from(outcome.made == self.sight.is_bidders())))
    }

    /// Something that is done while a contract is played and ends well with this chance.
    pub(crate) fn weigh(&self, action: Action, chance: f64) -> Option<Choice> {
        let stakes = self.stakes();
        Some(stakes.weighed(action, chance, stakes.as_seen(self.sight.contract?.bid, self.sight.is_bidders())))
    }

    /// What marks are worth now.
    fn stakes(&self) -> Stakes {
        Stakes::new(&self.sight.rules, self.sight.score)
    }

    /// Worlds to think about.
    pub(crate) fn worlds(&mut self, drawn: u32) -> Vec<[Hand; 4]> {
        let worlds = Worlds::new(self.sight);
        let is_late = self.sight.hand.len() <= LAST_TRICKS;
        if (self.effort.all_late && is_late) || worlds.count() <= u64::from(drawn) {
            let mut all = worlds.all();
            // Their numbers are by the lies of the trumps, and some questions are asked of the first few only.
            self.random.shuffle(&mut all);
            all
        } else if self.effort.spreads {
            worlds.spread(drawn, &mut self.random)
        } else {
            worlds.drawn(drawn, &mut self.random)
        }
    }
}

/// How the hand ends with a claim of this seat, and what each side has then.
pub(crate) fn claimed(sight: &Sight, stands: bool) -> Option<(Outcome, Tally)> {
    let (terms, mut tally) = (sight.terms?, sight.tally);
    let outcome = terms.settle(Claim { seat: sight.seat, stands }, terms.outcome(&tally), &mut tally);
    Some((outcome, tally))
}

/// Whether a claim of this seat would stand. What the others really hold does not matter, so any world will do.
pub(crate) fn rest_is_ours(sight: &Sight) -> bool {
    let (Some(contract), Some(terms)) = (sight.contract, sight.terms) else { return false };
    let worlds = Worlds::new(sight);
    if worlds.count() == 0 {
        return false;
    }
    let tricks: Vec<_> = sight.tricks.iter().map(|trick| (trick.leader, &trick.dominoes[..])).collect();
    let state = State::in_play(contract, terms, worlds.world(0), &tricks, sight.tally);
    claim::stands(&state, sight.seat)
}

/// The position that a seat would see if these were the hands.
pub(crate) fn position(sight: &Sight, hands: [Hand; 4]) -> Option<Position> {
    let (terms, trick) = (sight.terms?, sight.on_table()?);
    Position::new(&terms, hands, trick.leader, &trick.dominoes, &sight.tally)
}

/// What a hand is worth with all hands open, before anything is bid: for those who measure how bids turn out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenChance {
    /// What would be named.
    pub trump: Trump,
    /// The chance to take what was asked for.
    pub chance: f64,
}

impl OpenChance {
    /// The chance of a nello of a seat that would bid now; none where the hand is not made for it.
    pub fn nello(sight: &Sight, effort: Effort, seed: u64) -> Option<f64> {
        let mut solver = Solver::new();
        let mut mind = Mind::new(sight, effort, seed, &mut solver);
        let worlds = mind.worlds(effort.bid_worlds);
        mind.open_special(Trump::Nello, Bid::marks(1), &worlds)
    }

    /// The chance of so many points, with its best trump, of a seat that would bid them now.
    pub fn of_points(sight: &Sight, points: u8, effort: Effort, seed: u64) -> Option<Self> {
        let mut solver = Solver::new();
        let mut mind = Mind::new(sight, effort, seed, &mut solver);
        let worlds = mind.worlds(effort.bid_worlds);
        let prospects = mind.prospects((sight.seat, Bid::points(30)), points..=points, &worlds);
        let chances = prospects.iter().map(|of| Self { trump: of.trump, chance: of.open_chance(points) });
        chances.rev().max_by(|a, b| a.chance.total_cmp(&b.chance))
    }

    /// The chance of a bid with this trump, of a seat that would play it now.
    pub fn of_contract(sight: &Sight, bid: Bid, trump: Trump, effort: Effort, seed: u64) -> f64 {
        let mut solver = Solver::new();
        let mut mind = Mind::new(sight, effort, seed, &mut solver);
        let worlds = mind.worlds(effort.bid_worlds);
        mind.open_chance(sight.seat, bid, &worlds, |_| trump)
    }
}
