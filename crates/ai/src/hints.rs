//! What a friend would say who sees what the seat sees: a remark beside each thing that can be done, for players who asked
//! for hints. The reason of a [`Decision`] is what programs show as their intent.

use alloc::{vec, vec::Vec};

use serde::Serialize;
use texas42_phrases::Remark;
use texas42_vocab::{Action, Scoring, Trump};

use crate::{
    ask::{Ask, Choice, Decision, Strategy},
    beginner::Outlook,
    reasons,
};

/// What is said about something that can be done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// What it is about.
    pub action: Action,
    /// What is said.
    pub why: Vec<Remark>,
    /// The chance that the hand ends well for the seat's side, where it was weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The marks that it brings on average, as they count at this score, where it was weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<f64>,
    /// Whether it is what the friend would do. One of the choices is.
    pub recommended: bool,
}

/// Advice about everything that the seat may do, by what an expert thinks of it. Nothing hidden is looked at: the view is
/// all there is.
pub fn hints(ask: &Ask<'_>) -> Vec<Advice> {
    let Some(decision) = Strategy::Expert.decide(ask) else { return Vec::new() };
    ask.valid().map(|action| advice(ask, &decision, action)).collect()
}

fn advice(ask: &Ask<'_>, decision: &Decision, action: Action) -> Advice {
    let recommended = action == decision.action;
    let weighed = decision.choices.iter().find(|choice| choice.action == action);
    let why = match weighed {
        _ if recommended => decision.why.clone(),
        Some(choice) => vec![other(ask.view.state.scoring, choice)],
        None => vec![not_weighed(ask, action)],
    };
    let (chance, marks) = weighed.map(|choice| (choice.chance, choice.marks)).unzip();
    Advice { action, why, chance, marks, recommended }
}

fn other(scoring: Scoring, choice: &Choice) -> Remark {
    let gain = reasons::gain(scoring, choice.marks);
    match choice.action {
        Action::Pass { .. } => Remark::PassBrings { gain },
        _ => Remark::Works { chance: reasons::chance(choice.chance), gain },
    }
}

/// What an expert does not look at closely, and why.
fn not_weighed(ask: &Ask<'_>, action: Action) -> Remark {
    let hand = ask.view.state.players[ask.seat.index()].hand;
    match action {
        Action::Claim { .. } if hand.len() == 1 => Remark::SameWithOneTrick,
        Action::Claim { .. } => Remark::ClaimWouldFail,
        Action::Play { .. } if hand.len() > 1 => Remark::PlayingOnIsSame,
        Action::SelectTrump { trump, .. } if Trump::STRAIGHT.contains(&trump) => {
            Remark::HandLooksLike { points: reasons::points(Outlook::new(hand, trump).points) }
        }
        Action::SelectTrump { .. } => Remark::HandNotMadeForIt,
        _ => Remark::NotWorthATry,
    }
}
