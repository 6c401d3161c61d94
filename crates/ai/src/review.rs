//! What a decision was worth, afterwards: by what the seat could know, and with all hands open.

use alloc::{string::String, vec::Vec};

use serde::Serialize;
use texas42_solver::Solver;
use texas42_vocab::{Action, Hand};

use crate::{
    ask::Ask,
    mind::{Effort, Mind, position},
    sight::Sight,
};

/// One thing that could have been done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Weighed {
    /// What.
    pub action: Action,
    /// The chance that the hand ends well for the seat's side, as far as it could know.
    pub chance: f64,
    /// The marks that it brings on average, as they count at the score, and as far as the seat could know.
    pub marks: f64,
    /// What comes of it with all hands open and best play of everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Open>,
}

/// What a play leads to with all hands open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Open {
    /// Whether the contract is made.
    pub made: bool,
    /// Points of the bidders, where points are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u8>,
}

/// A decision, reviewed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What was done.
    pub done: Action,
    /// What an expert would have done.
    pub best: Action,
    /// Why.
    pub why: String,
    /// Everything that could have been done, the best first.
    pub choices: Vec<Weighed>,
    /// The marks that were given away, as far as the seat could know.
    pub regret: f64,
    /// Whether it turned the hand with all hands open: another play would have made, or set, what this one did not.
    pub turned: bool,
}

/// Reviews one decision; claims are decided exactly and need no review. The true hands are known by now; the seat's own
/// judgement does not see them.
pub fn review(ask: &Ask<'_>, hands: [Hand; 4], done: Action) -> Option<Verdict> {
    let is_claim = |action: &Action| matches!(action, Action::Claim { .. });
    let valid: Vec<Action> = ask.valid().filter(|action| !is_claim(action)).collect();
    if valid.len() < 2 || is_claim(&done) {
        return None;
    }
    let sight = Sight::new(ask.view, ask.seat)?;
    let effort = ask.worlds.map_or(Effort::EXPERT, |worlds| Effort::EXPERT.with_worlds(worlds));
    let decision = Mind::new(&sight, effort, ask.seed, &mut Solver::new()).decide(&valid)?;
    let open = open_values(&sight, hands);
    let of = |action: Action| open.iter().find(|(played, _)| *played == action).map(|(_, open)| *open);
    let choices: Vec<Weighed> = decision
        .choices
        .iter()
        .map(|choice| Weighed {
            action: choice.action,
            chance: choice.chance,
            marks: choice.marks,
            open: of(choice.action),
        })
        .collect();
    let marks = |action: Action| choices.iter().find(|choice| choice.action == action).map(|choice| choice.marks);
    let regret = marks(decision.action).zip(marks(done)).map_or(0.0, |(best, done)| (best - done).max(0.0));
    let wanted = sight.is_bidders();
    let turned = of(done).is_some_and(|done| done.made != wanted) && open.iter().any(|(_, open)| open.made == wanted);
    Some(Verdict { done, best: decision.action, why: decision.why, choices, regret, turned })
}

fn open_values(sight: &Sight, hands: [Hand; 4]) -> Vec<(Action, Open)> {
    let player = sight.seat;
    let Some(position) = position(sight, hands) else { return Vec::new() };
    let moves = Solver::new().moves(&position);
    let open = |(domino, value): (_, texas42_solver::Value)| {
        (Action::Play { player, domino }, Open { made: value.makes(), points: value.points() })
    };
    moves.into_iter().map(open).collect()
}
