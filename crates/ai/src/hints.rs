//! What a friend would say who sees what the seat sees: a remark beside each thing that can be done, for players who asked
//! for hints. The reason of a [`Decision`] is what programs show as their intent.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::Serialize;
use texas42_vocab::{Action, Scoring, Trump};

use crate::{
    ask::{Ask, Choice, Decision, Strategy},
    beginner::Outlook,
    words,
};

/// A remark about something that can be done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remark {
    /// What it is about.
    pub action: Action,
    /// What is said.
    pub text: String,
    /// The chance that the hand ends well for the seat's side, where it was weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The marks that it brings on average, as they count at this score, where it was weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<f64>,
    /// Whether it is what the friend would do. One of the remarks is.
    pub recommended: bool,
}

/// Remarks about everything that the seat may do, by what an expert thinks of it. Nothing hidden is looked at: the view is
/// all there is.
pub fn hints(ask: &Ask<'_>) -> Vec<Remark> {
    let Some(decision) = Strategy::Expert.decide(ask) else { return Vec::new() };
    ask.valid().map(|action| remark(ask, &decision, action)).collect()
}

fn remark(ask: &Ask<'_>, decision: &Decision, action: Action) -> Remark {
    let recommended = action == decision.action;
    let weighed = decision.choices.iter().find(|choice| choice.action == action);
    let text = match weighed {
        _ if recommended => decision.why.clone(),
        Some(choice) => other(ask.view.state.scoring, choice),
        None => not_weighed(ask, action),
    };
    let (chance, marks) = weighed.map(|choice| (choice.chance, choice.marks)).unzip();
    Remark { action, text, chance, marks, recommended }
}

fn other(scoring: Scoring, choice: &Choice) -> String {
    let gain = words::gain(scoring, choice.marks);
    if matches!(choice.action, Action::Pass { .. }) {
        return format!("A pass brings {gain} on average.");
    }
    format!("Works {} of the time, {gain} on average.", words::percent(choice.chance))
}

/// What an expert does not look at closely, and why.
fn not_weighed(ask: &Ask<'_>, action: Action) -> String {
    let hand = ask.view.state.players[ask.seat.index()].hand;
    match action {
        Action::Claim { .. } if hand.len() == 1 => "With one trick to go it comes to the same.".to_string(),
        Action::Claim { .. } => "It is not sure, whatever the others hold, so a claim would fail.".to_string(),
        Action::Play { .. } if hand.len() > 1 => "Playing on comes to the same, only later.".to_string(),
        Action::SelectTrump { trump, .. } if Trump::STRAIGHT.contains(&trump) => {
            let points = words::whole(Outlook::new(hand, trump).points.max(0.0));
            format!("With these the hand looks like {points} points.")
        }
        Action::SelectTrump { .. } => "The hand is not made for it.".to_string(),
        _ => "Not worth a try.".to_string(),
    }
}
