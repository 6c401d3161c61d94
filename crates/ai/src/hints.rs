//! Hints: an expert's remark about each legal action, from the view of the seat.

use alloc::{vec, vec::Vec};

use serde::Serialize;
use texas42_phrases::Remark;
use texas42_vocab::{Action, Trump};

use crate::{
    beginner::HandEstimate,
    decision::{Choice, Decision, DecisionPoint, Strategy},
    knowledge::Knowledge,
    reasons,
};

/// Advice about one legal action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The action.
    pub action: Action,
    /// The remarks about it.
    pub why: Vec<Remark>,
    /// The chance that the hand ends well for the seat's team, if evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The expected marks, weighted by what they are worth at this score, if evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<f64>,
    /// Whether the expert would choose it. True for exactly one action.
    pub recommended: bool,
}

/// An expert's advice about every legal action of the seat. It uses only the view.
pub fn hints(point: &DecisionPoint<'_>) -> Vec<Advice> {
    hints_of(Strategy::Expert, point)
}

/// The advice of another bot. Bots that do not search evaluate no action.
pub fn hints_of(adviser: Strategy, point: &DecisionPoint<'_>) -> Vec<Advice> {
    let Some(decision) = adviser.decide(point) else { return Vec::new() };
    point.valid().map(|action| advice(point, &decision, action)).collect()
}

fn advice(point: &DecisionPoint<'_>, decision: &Decision, action: Action) -> Advice {
    let recommended = action == decision.action;
    let weighed = decision.choices.iter().find(|choice| choice.action == action);
    let why = match weighed {
        _ if recommended => principle(decision),
        Some(choice) => rate(point, choice),
        None => why_not_evaluated(point, action),
    };
    let why = vec![why];
    let (chance, marks) = weighed.map(|choice| (choice.chance, choice.marks)).unzip();
    Advice { action, why, chance, marks, recommended }
}

/// The principle behind a choice, without the numbers that led to it: what a player can remember.
fn principle(decision: &Decision) -> Remark {
    match decision.why.first() {
        Some(Remark::BidWith { bid, chance, .. }) => Remark::BidMade { bid: *bid, chance: *chance },
        Some(principle) => principle.clone(),
        None => Remark::Something,
    }
}

/// How often another choice ends well.
fn rate(point: &DecisionPoint<'_>, choice: &Choice) -> Remark {
    let chance = reasons::chance(choice.chance);
    match (choice.action, Knowledge::new(point.view, point.seat)) {
        (Action::Bid { bid, .. }, _) => Remark::BidMade { bid, chance },
        (Action::Pass { .. }, _) => Remark::WorthABid,
        (Action::SelectTrump { .. }, _) => Remark::Made { chance },
        (_, Some(knowledge)) => reasons::ends_well(&knowledge, chance),
        (_, None) => Remark::Something,
    }
}

/// Why the expert did not evaluate an action.
fn why_not_evaluated(point: &DecisionPoint<'_>, action: Action) -> Remark {
    let hand = point.view.state.players[point.seat.index()].hand;
    match action {
        Action::Claim { .. } if hand.len() == 1 => Remark::SameWithOneTrick,
        Action::Claim { .. } => Remark::ClaimWouldFail,
        Action::Play { .. } if hand.len() > 1 => Remark::PlayingOnIsSame,
        Action::SelectTrump { trump, .. } if Trump::STRAIGHT.contains(&trump) => {
            Remark::HandLooksLike { points: reasons::points(HandEstimate::new(hand, trump).points) }
        }
        Action::SelectTrump { .. } => Remark::HandNotMadeForIt,
        _ => Remark::NotWorthATry,
    }
}
