//! Reviews a past decision: by what the seat could know, and with all hands open.

use alloc::vec::Vec;

use serde::Serialize;
use texas42_engine::{Goal, HAND_POINTS, Tally};
use texas42_phrases::Remark;
use texas42_solver::{MoveValues, Position, Solver, Value};
use texas42_vocab::{Action, Bid, BidKind, Hand, Seat, Trump, sort_best_first};

use crate::{
    decision::{Choice, DecisionPoint},
    expert::{Effort, Expert, claimed, position, rest_is_ours},
    knowledge::Knowledge,
};

/// An evaluated alternative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EvaluatedAction {
    /// The action.
    pub action: Action,
    /// The chance that the hand ends well for the seat's team, by what the seat knew.
    pub chance: f64,
    /// The expected marks, weighted by what they are worth at this score, by what the seat knew.
    pub marks: f64,
    /// The result with all hands open and perfect play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Open>,
}

/// The result of an action with all hands open. For a bid, with the best trump for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Open {
    /// Whether the contract is made.
    pub made: bool,
    /// The points of the bidders; `None` in nello.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u8>,
}

/// The review of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The action taken.
    pub done: Action,
    /// The action that an expert would have taken.
    pub best: Action,
    /// The expert's reasons.
    pub why: Vec<Remark>,
    /// The evaluated legal actions, best first. A claim is included only if the seat made it and it was false.
    pub choices: Vec<EvaluatedAction>,
    /// The marks given away, by what the seat knew.
    pub regret: f64,
    /// Whether the action turned the hand: with all hands open it loses the contract, and another action wins it.
    pub turned: bool,
}

/// Reviews one decision; `None` if there was no choice or the seat claimed correctly. Only [`EvaluatedAction::open`] and
/// [`Verdict::turned`] use the true hands.
pub fn review(point: &DecisionPoint<'_>, hands: [Hand; 4], done: Action) -> Option<Verdict> {
    let knowledge = Knowledge::new(point.view, point.seat)?;
    let options = options(point, &knowledge, done);
    if options.len() < 2 {
        return None;
    }
    let effort = point.worlds.map_or(Effort::EXPERT, |worlds| Effort::EXPERT.with_worlds(worlds));
    let mut solver = Solver::new();
    let decision = Expert::new(&knowledge, effort, point.seed, &mut solver).decide(&options)?;
    let mut choices = decision.choices;
    for option in &options {
        if !choices.iter().any(|choice| choice.action == *option) {
            // The same seed gives the same worlds.
            choices.extend(weigh(&mut Expert::new(&knowledge, effort, point.seed, &mut solver), *option));
        }
    }
    sort_best_first(&mut choices, |choice| choice.marks);
    let marks = |action: Action| choices.iter().find(|choice| choice.action == action).map(|choice| choice.marks);
    let regret = marks(decision.action).zip(marks(done)).map_or(0.0, |(best, done)| (best - done).max(0.0));
    let mut evaluator = OpenHandEvaluator::new(&knowledge, hands, &mut solver);
    let choices: Vec<EvaluatedAction> = choices.into_iter().map(|choice| evaluator.evaluate(choice)).collect();
    let turned = turned(&knowledge, &choices, done);
    Some(Verdict { done, best: decision.action, why: decision.why, choices, regret, turned })
}

/// The actions to compare. Claiming is optional and a correct claim needs no review, so a claim is included only if it
/// was made and is false.
fn options(point: &DecisionPoint<'_>, knowledge: &Knowledge, done: Action) -> Vec<Action> {
    let is_claim = |action: &Action| matches!(action, Action::Claim { .. });
    if is_claim(&done) && rest_is_ours(knowledge) {
        return Vec::new();
    }
    point.valid().filter(|action| !is_claim(action) || *action == done).collect()
}

/// Evaluates an action that the expert leaves out.
fn weigh(expert: &mut Expert<'_>, action: Action) -> Option<Choice> {
    let chance = match action {
        Action::SelectTrump { .. } => return expert.weigh_trump(action),
        Action::Claim { .. } => {
            f64::from(u8::from(failed_claim(expert.knowledge)?.made == expert.knowledge.is_bidders()))
        }
        Action::Play { .. } => chance_of_playing_on(expert),
        _ => return None,
    };
    expert.weigh(action, chance)
}

/// The result of a false claim.
fn failed_claim(knowledge: &Knowledge) -> Option<Open> {
    let (terms, (outcome, tally)) = (knowledge.terms?, claimed(knowledge, false)?);
    let points = tally.points[terms.bidder.team().index()];
    Some(Open { made: outcome.made, points: (terms.goal != Goal::NoTrick).then_some(points) })
}

/// The chance after the only legal play. It is evaluated only if the seat claimed instead.
fn chance_of_playing_on(expert: &mut Expert<'_>) -> f64 {
    let worlds = expert.worlds(expert.effort.worlds);
    let positions: Vec<Position> = worlds.into_iter().filter_map(|hands| position(expert.knowledge, hands)).collect();
    let ours = expert.knowledge.is_bidders();
    let good = positions.iter().filter(|position| expert.solver.makes(position) == ours).count();
    good as f64 / positions.len().max(1) as f64
}

/// Whether, with all hands open, the action loses the contract for its team and another action wins it.
fn turned(knowledge: &Knowledge, choices: &[EvaluatedAction], done: Action) -> bool {
    let is_ours = knowledge.terms.is_none() || knowledge.is_bidders();
    let ends_well = |choice: &EvaluatedAction| Some(choice.open?.made == is_ours);
    let ended_well = choices.iter().find(|choice| choice.action == done).and_then(ends_well);
    ended_well == Some(false) && choices.iter().any(|choice| ends_well(choice) == Some(true))
}

/// Evaluates actions with all hands open.
struct OpenHandEvaluator<'a> {
    knowledge: &'a Knowledge,
    hands: [Hand; 4],
    solver: &'a mut Solver,
    plays: MoveValues,
    /// The most points that the seat takes with any trump, computed on demand.
    most: Option<u8>,
}

impl<'a> OpenHandEvaluator<'a> {
    fn new(knowledge: &'a Knowledge, hands: [Hand; 4], solver: &'a mut Solver) -> Self {
        let plays = position(knowledge, hands).map(|position| solver.moves(&position)).unwrap_or_default();
        Self { knowledge, hands, solver, plays, most: None }
    }

    fn evaluate(&mut self, Choice { action, chance, marks }: Choice) -> EvaluatedAction {
        EvaluatedAction { action, chance, marks, open: self.after(action) }
    }

    fn after(&mut self, action: Action) -> Option<Open> {
        match action {
            Action::Play { domino, .. } => {
                let value = self.plays.iter().find(|(played, _)| *played == domino);
                value.map(|(_, value)| Open::from(*value))
            }
            Action::SelectTrump { trump, .. } => {
                let (bidder, bid) = self.knowledge.standing()?;
                self.contract(bidder, bid, trump)
            }
            Action::Bid { bid, .. } => self.bid(bid),
            Action::Claim { .. } => failed_claim(self.knowledge),
            _ => None,
        }
    }

    fn contract(&mut self, bidder: Seat, bid: Bid, trump: Trump) -> Option<Open> {
        let terms = self.knowledge.terms_if(bidder, bid, trump);
        let position = Position::new(&terms, self.hands, terms.leader, &[], &Tally::default())?;
        Some(self.solver.value(&position).into())
    }

    fn bid(&mut self, bid: Bid) -> Option<Open> {
        match bid.kind {
            BidKind::Points => self.points(bid.value),
            BidKind::Marks => {
                let special = |(least, trump)| (least <= bid.value).then_some(trump);
                let specials: Vec<Trump> = self.knowledge.special_contracts().into_iter().filter_map(special).collect();
                self.points(HAND_POINTS).max(self.best_of(bid, &specials))
            }
            BidKind::Plunge | BidKind::Splash => self.best_of(bid, &Trump::STRAIGHT),
        }
    }

    fn best_of(&mut self, bid: Bid, trumps: &[Trump]) -> Option<Open> {
        trumps.iter().filter_map(|trump| self.contract(self.knowledge.seat, bid, *trump)).max()
    }

    /// The result of a bid of `wanted` points with the best trump. The most points are the same for every bid, so they
    /// are computed once.
    fn points(&mut self, wanted: u8) -> Option<Open> {
        if self.most.is_none() {
            self.most = self.best_of(Bid::points(30), &Trump::STRAIGHT)?.points;
        }
        self.most.map(|most| Open { made: most >= wanted, points: Some(most) })
    }
}

impl From<Value> for Open {
    fn from(value: Value) -> Self {
        Self { made: value.makes(), points: value.points() }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use texas42_room::HeadlessRoom;

    use super::*;
    use crate::{Strategy, knowledge::tests::table};

    /// A table at which a seat is to name trumps.
    fn table_before_declaration(seed: u32) -> (HeadlessRoom, Seat) {
        let mut room = table(&format!("name-{seed}"));
        while !room.legal().iter().any(|action| matches!(action, Action::SelectTrump { .. })) {
            let seat = room.state().to_act().unwrap();
            let decision = Strategy::Beginner.decide(&DecisionPoint::new(&room.view(seat), seat, seed.into())).unwrap();
            room.execute(decision.action).unwrap();
        }
        let seat = room.state().to_act().unwrap();
        (room, seat)
    }

    #[test]
    fn weigh_trump_agrees_with_the_expert() {
        for seed in 0..6 {
            let (room, seat) = table_before_declaration(seed);
            let (view, mut solver) = (room.view(seat), Solver::new());
            let (point, knowledge) = (DecisionPoint::new(&view, seat, 1), Knowledge::new(&view, seat).unwrap());
            let options: Vec<Action> = point.valid().collect();
            let decision = Expert::new(&knowledge, Effort::SAMPLER, 1, &mut solver).decide(&options).unwrap();
            let is_straight = |choice: &&Choice| match choice.action {
                Action::SelectTrump { trump, .. } => Trump::STRAIGHT.contains(&trump),
                _ => false,
            };
            let thought_about: Vec<&Choice> = decision.choices.iter().filter(is_straight).collect();
            assert!(thought_about.len() > 1, "{decision:?}");
            for choice in thought_about {
                let again = Expert::new(&knowledge, Effort::SAMPLER, 1, &mut solver).weigh_trump(choice.action);
                assert_eq!(again, Some(*choice));
            }
        }
    }

    #[test]
    fn a_bid_is_evaluated_with_its_best_trump() {
        let mut made = [0; 2];
        for seed in 0..3 {
            let room = table(&format!("bid-{seed}"));
            let seat = room.state().to_act().unwrap();
            let (knowledge, hands) = (Knowledge::new(&room.view(seat), seat).unwrap(), room.state().hands);
            let mut solver = Solver::new();
            let mut evaluator = OpenHandEvaluator::new(&knowledge, hands, &mut solver);
            for bid in [Bid::points(30), Bid::points(36), Bid::points(41), Bid::marks(1), Bid::marks(2)] {
                let named = if bid.kind == BidKind::Points { &Trump::STRAIGHT[..] } else { &Trump::ALL[..] };
                let open = evaluator.bid(bid).unwrap();
                assert_eq!(Some(open), evaluator.best_of(bid, named), "{bid} of {knowledge:?}");
                made[usize::from(open.made)] += 1;
            }
        }
        assert!(made.iter().all(|times| *times > 0), "{made:?}");
    }
}
