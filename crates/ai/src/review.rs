//! Reviews games: what each choice was worth, by what the seat could know and with all hands open.
//!
//! [`Review::new`] lists the steps of a game, and [`Review::step`] takes the next one: a decision, or the end of a trick.
//! A host calls it between other work, reports its progress, and stops whenever it likes; [`Review::report`] is valid at
//! any time. There is no clock and no thread inside. A step depends only on the game, the options and its own number, so a
//! host may also compute steps in parallel with [`Review::evaluate`] and hand them in with [`Review::insert`].
//!
//! ```
//! use texas42_ai::review::{Review, ReviewOptions};
//! use texas42_room::HeadlessRoom;
//! use texas42_vocab::{Action, Bid};
//!
//! let mut room = HeadlessRoom::new(&Default::default()).unwrap();
//! let player = room.state().turn;
//! room.execute(Action::Bid { player, bid: Bid::points(30) }).unwrap();
//!
//! let mut review = Review::new(room.game(), ReviewOptions { worlds: 10, ..Default::default() });
//! while review.step(room.game()) {
//!     assert!(review.done() <= review.total());
//! }
//! assert_eq!(review.report().decisions[0].seat, player);
//! ```
//!
//! Invariant: everything but the fields named `open`, `turned` and `punished` comes from the view of the seat that decided
//! (the chart: of the bidder). `docs/review.md` explains the numbers.

mod class;
mod grid;
mod lens;
mod open;
mod summary;

use alloc::vec::Vec;

pub use class::{ERRORS, GOOD_UP_TO, INACCURACY_UP_TO, MISTAKE_UP_TO, POINTS_THAT_MATTER, class_of};
pub use grid::BidGridBuilder;
use texas42_engine::{Game, State};
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_protocol::review::{ChartPoint, GameReview, PunishedLine, ReviewedChoice, ReviewedDecision};
use texas42_solver::{Position, Solver};
use texas42_vocab::{Action, Hand, Seat};

use self::{
    lens::{KnowledgeLens, Weighed, share},
    open::OpenLens,
    summary::HandFacts,
};
use crate::{decision::DecisionPoint, expert::Effort, expert::position, knowledge::Knowledge};

/// How thorough a review is, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewOptions {
    /// The number of worlds for a decision. Bids use at most [`Effort::bid_worlds`] of the expert.
    pub worlds: u32,
    /// The seed of the worlds.
    pub seed: u64,
    /// The only hand to review, counted from 0; `None` for all.
    pub hand: Option<u32>,
}

impl ReviewOptions {
    /// The number of worlds for a decision unless somebody chooses another: the error of a chance is then at most five
    /// percentage points, and that of most differences half of it.
    pub const WORLDS: u32 = 100;
}

impl Default for ReviewOptions {
    fn default() -> Self {
        Self { worlds: Self::WORLDS, seed: 0, hand: None }
    }
}

/// The review of a game, step by step.
#[derive(Clone, Debug)]
pub struct Review {
    options: ReviewOptions,
    scoring: texas42_vocab::Scoring,
    steps: Vec<Step>,
    findings: Vec<Option<Finding>>,
    hands: Vec<HandFacts>,
    next: usize,
}

/// An event to look at.
#[derive(Clone, Copy, Debug)]
struct Step {
    event: usize,
    hand_number: u32,
    action: Action,
}

/// What a step found out.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    decision: Option<ReviewedDecision>,
    chart: Option<ChartPoint>,
}

impl Finding {
    /// The reviewed decision, if the step was a decision with a choice.
    pub const fn decision(&self) -> Option<&ReviewedDecision> {
        self.decision.as_ref()
    }
}

impl Review {
    /// The review of a game, nothing of which is computed yet.
    pub fn new(game: &Game, options: ReviewOptions) -> Self {
        let (mut steps, mut hands) = (Vec::new(), Vec::<HandFacts>::new());
        for event in effective_events(game.log()) {
            let (action, Some(before)) = (game.log()[event], game.state_at(event)) else { continue };
            let hand_number = before.hand_number;
            if options.hand.is_some_and(|wanted| wanted != hand_number) {
                continue;
            }
            if hands.last().is_none_or(|hand| hand.number != hand_number) {
                hands.push(HandFacts::new(hand_number));
            }
            if let (Some(hand), Some(after)) = (hands.last_mut(), game.state_at(event + 1)) {
                hand.note(event, action, &after);
            }
            if is_looked_at(action) {
                steps.push(Step { event, hand_number, action });
            }
        }
        let findings = alloc::vec![None; steps.len()];
        Self { options, scoring: game.ctx().config().scoring, steps, findings, hands, next: 0 }
    }

    /// The number of steps of the whole review.
    pub fn total(&self) -> usize {
        self.steps.len()
    }

    /// The number of steps that are done.
    pub fn done(&self) -> usize {
        self.findings.iter().flatten().count()
    }

    /// Takes the next step that is not done. Returns false if there is none left. `game` is the game of [`Review::new`].
    pub fn step(&mut self, game: &Game) -> bool {
        self.step_with(game, &mut Solver::new()).is_some()
    }

    /// As [`Review::step`] with a solver that is used again. Returns what was found.
    pub fn step_with(&mut self, game: &Game, solver: &mut Solver) -> Option<&Finding> {
        while self.findings.get(self.next)?.is_some() {
            self.next += 1;
        }
        let finding = self.evaluate(game, self.next, solver);
        self.insert(self.next, finding);
        self.findings[self.next].as_ref()
    }

    /// Computes one step, counted from 0. The result does not depend on other steps.
    pub fn evaluate(&self, game: &Game, step: usize, solver: &mut Solver) -> Finding {
        let step = &self.steps[step];
        let states = game.state_at(step.event).zip(game.state_at(step.event + 1));
        let Some((before, after)) = states else { return Finding::default() };
        self.look_at(game, step, [&before, &after], solver)
    }

    /// Stores the result of a step.
    pub fn insert(&mut self, step: usize, finding: Finding) {
        self.findings[step] = Some(finding);
    }

    /// What has been found so far.
    pub fn report(&self) -> GameReview {
        let findings = || self.findings.iter().flatten();
        let decisions = findings().filter_map(|finding| finding.decision.clone()).collect();
        let chart: Vec<(u32, ChartPoint)> = self
            .steps
            .iter()
            .zip(&self.findings)
            .filter_map(|(step, finding)| Some((step.hand_number, finding.as_ref()?.chart?)))
            .collect();
        summary::report(self.scoring, self.options, decisions, &chart, &self.hands)
    }

    /// The reviewed decision at an event, once its step is done.
    pub fn decision(&self, event: usize) -> Option<&ReviewedDecision> {
        let step = self.steps.iter().position(|step| step.event == event)?;
        self.findings[step].as_ref()?.decision.as_ref()
    }

    fn look_at(&self, game: &Game, step: &Step, [before, after]: [&State; 2], solver: &mut Solver) -> Finding {
        let seed = self.options.seed.wrapping_add(step.event as u64);
        let Some(seat) = step.action.player() else {
            return Finding { decision: None, chart: self.chart_after(game, step, after, seed, solver) };
        };
        let Some(asked) = Asked::new(game, before, seat, step.action, self.options.worlds, seed) else {
            return Finding::default();
        };
        let weighed = KnowledgeLens::new(&asked.knowledge, &asked.worlds, solver).weigh(&asked.options);
        let choices = class::rated(&weighed, asked.exact);
        let choices = with_open_hands(choices, &asked.knowledge, before.hands, solver);
        let chart = chart_of_call(step, &weighed, &choices, seat, before).or_else(|| {
            matches!(step.action, Action::Claim { .. })
                .then(|| self.chart_after(game, step, after, seed, solver))
                .flatten()
        });
        let why = KnowledgeLens::new(&asked.knowledge, &asked.worlds, solver).why(&weighed);
        let decision = (choices.len() > 1).then(|| self.decided(step, seat, &asked, why, choices)).flatten();
        Finding { decision, chart }
    }

    fn decided(
        &self,
        step: &Step,
        seat: Seat,
        asked: &Asked,
        why: Vec<texas42_phrases::Remark>,
        choices: Vec<ReviewedChoice>,
    ) -> Option<ReviewedDecision> {
        let taken = *choices.iter().find(|choice| choice.action == step.action)?;
        let best = *choices.first()?;
        let hand = self.hands.iter().find(|hand| hand.number == step.hand_number)?;
        let is_ours = asked.knowledge.terms.is_none() || asked.knowledge.is_bidders();
        let turned = !hand.was_overbid(step.event) && turned(is_ours, &choices, step.action);
        Some(ReviewedDecision {
            event: step.event as u32,
            hand_number: step.hand_number,
            seat,
            done: step.action,
            best: best.action,
            class: taken.class,
            why,
            regret: (best.marks - taken.marks).max(0.0),
            turned,
            punished: taken.class.is_error().then(|| hand.was_punished(step.event, seat)).flatten(),
            worlds: asked.worlds.len() as u32,
            exact: asked.exact,
            choices,
        })
    }

    /// The chance to make the contract after a trick or a claim, by what the bidder knows.
    fn chart_after(
        &self,
        game: &Game,
        step: &Step,
        after: &State,
        seed: u64,
        solver: &mut Solver,
    ) -> Option<ChartPoint> {
        let (contract, tricks) = (after.contract?, after.tally.tricks_played());
        let point = |chance, open| ChartPoint {
            event: step.event as u32,
            action: step.action,
            tricks,
            bidder: contract.bidder,
            chance,
            open,
        };
        if let Some(outcome) = after.outcome {
            return Some(point(f64::from(u8::from(outcome.made)), outcome.made));
        }
        let knowledge = knowledge(game, after, contract.bidder)?;
        let (worlds, _) = lens::worlds(&knowledge, self.options.worlds, seed);
        let positions = worlds.into_iter().filter_map(|hands| position(&knowledge, hands));
        let made: Vec<bool> = positions.map(|position| solver.makes(&position)).collect();
        let open = solver.makes(&Position::from_state(after)?);
        Some(point(share(&made), open))
    }
}

/// The events that a review looks at: decisions, and the ends of tricks.
const fn is_looked_at(action: Action) -> bool {
    matches!(
        action,
        Action::Bid { .. }
            | Action::Pass { .. }
            | Action::SelectTrump { .. }
            | Action::Play { .. }
            | Action::Claim { .. }
            | Action::CompleteTrick
    )
}

/// A decision as its seat met it.
struct Asked {
    knowledge: Knowledge,
    options: Vec<Action>,
    worlds: Vec<[Hand; 4]>,
    exact: bool,
}

impl Asked {
    /// `None` before the first deal, or if the only action was a call or a claim without a choice to chart.
    fn new(game: &Game, before: &State, seat: Seat, done: Action, worlds: u32, seed: u64) -> Option<Self> {
        let view = view(game.ctx(), before, &Viewer::player(seat), &TableMetadata::default());
        let knowledge = Knowledge::new(&view, seat)?;
        let is_claim = |action: &Action| matches!(action, Action::Claim { .. });
        // Nobody has to claim, so a claim is a choice only if it was made.
        let options =
            DecisionPoint::new(&view, seat, seed).valid().filter(|action| !is_claim(action) || *action == done);
        let options: Vec<Action> = options.collect();
        let is_forced_play = options.len() == 1 && matches!(done, Action::Play { .. });
        if is_forced_play || options.iter().all(|action| matches!(action, Action::Pass { .. })) {
            return None;
        }
        let count = if knowledge.terms.is_none() { worlds.min(Effort::EXPERT.bid_worlds) } else { worlds };
        let (worlds, exact) = lens::worlds(&knowledge, count, seed);
        Some(Self { knowledge, options, worlds, exact })
    }
}

fn knowledge(game: &Game, state: &State, seat: Seat) -> Option<Knowledge> {
    Knowledge::new(&view(game.ctx(), state, &Viewer::player(seat), &TableMetadata::default()), seat)
}

fn with_open_hands(
    mut choices: Vec<ReviewedChoice>,
    knowledge: &Knowledge,
    hands: [Hand; 4],
    solver: &mut Solver,
) -> Vec<ReviewedChoice> {
    let mut lens = OpenLens::new(knowledge, hands, solver);
    choices.iter_mut().for_each(|choice| choice.open = lens.after(choice.action));
    choices
}

/// The chance to make a bid after it was made, or after its trumps were named.
fn chart_of_call(
    step: &Step,
    weighed: &[Weighed],
    choices: &[ReviewedChoice],
    seat: Seat,
    before: &State,
) -> Option<ChartPoint> {
    let bidder = match step.action {
        Action::Bid { .. } => seat,
        Action::SelectTrump { .. } => before.auction.standing()?.0,
        _ => return None,
    };
    let chance = weighed.iter().find(|weighed| weighed.choice.action == step.action)?.open_chance()?;
    let open = choices.iter().find(|choice| choice.action == step.action)?.open?.made;
    Some(ChartPoint { event: step.event as u32, action: step.action, tricks: 0, bidder, chance, open })
}

/// Whether, with all hands open, the action loses the contract for its team and another action wins it.
fn turned(is_ours: bool, choices: &[ReviewedChoice], done: Action) -> bool {
    let ends_well = |choice: &ReviewedChoice| Some(choice.open?.made == is_ours);
    let ended_well = choices.iter().find(|choice| choice.action == done).and_then(ends_well);
    ended_well == Some(false) && choices.iter().any(|choice| ends_well(choice) == Some(true))
}

/// What follows from an action at an event with all hands open, if everybody plays perfectly from there. `None` for calls
/// and claims, which lead to no play by themselves.
pub fn punished_line(game: &Game, event: usize, action: Action, solver: &mut Solver) -> Option<PunishedLine> {
    let before = game.state_at(event)?;
    let knowledge = knowledge(game, &before, action.player()?)?;
    open::line_after(&knowledge, before.hands, action, solver)
}

/// Starts the grid of the bids at an event; `None` if no seat was to bid there.
pub fn bid_grid(game: &Game, event: usize, options: ReviewOptions) -> Option<BidGridBuilder> {
    let before = game.state_at(event)?;
    let done = *game.log().get(event)?;
    if !matches!(done, Action::Bid { .. } | Action::Pass { .. }) {
        return None;
    }
    let seed = options.seed.wrapping_add(event as u64);
    let asked = Asked::new(game, &before, done.player()?, done, options.worlds, seed)?;
    Some(BidGridBuilder::new(event as u32, asked.knowledge, asked.worlds, &asked.options))
}

/// The indices of the events that were not undone, in order. Walks backwards, because an undo may return to a state before an
/// earlier undo.
fn effective_events(log: &[Action]) -> Vec<usize> {
    let mut effective = Vec::new();
    let mut events = log.len();
    while let Some(last) = events.checked_sub(1) {
        events = last;
        match log[last] {
            Action::Undo { to } => events = to.into(),
            _ => effective.push(last),
        }
    }
    effective.reverse();
    effective
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undone_events_do_not_count_even_if_the_undo_is_undone() {
        let [one, other] = [Seat::ALL[0], Seat::ALL[1]].map(|player| Action::Pass { player });
        let undo = |to| Action::Undo { to };
        assert_eq!(effective_events(&[one, other, undo(1), other]), [0, 3]);
        assert_eq!(effective_events(&[one, other, undo(0), one, undo(2), other]), [0, 1, 5]);
        assert_eq!(effective_events(&[one, undo(0)]), [0; 0]);
    }
}
