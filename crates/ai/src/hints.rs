//! What a friend would say who sees what the seat sees: a remark beside each thing that can be done, for players who asked
//! for hints. The reason of a [`Decision`] is what programs show as their intent.

use alloc::{string::String, vec::Vec};

use serde::Serialize;
use texas42_vocab::Action;

use crate::{
    ask::{Ask, Choice, Strategy},
    words,
};

/// A remark about something that can be done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remark {
    /// What it is about.
    pub action: Action,
    /// What is said.
    pub text: String,
    /// Whether it is what the friend would do.
    pub recommended: bool,
}

/// Remarks about everything that the seat may do, by what an expert thinks of it. Nothing hidden is looked at: the view is
/// all there is.
pub fn hints(ask: &Ask<'_>) -> Vec<Remark> {
    let Some(decision) = Strategy::Expert.decide(ask) else { return Vec::new() };
    let remark = |action: Action| {
        let recommended = action == decision.action;
        let weighed = decision.choices.iter().find(|choice| choice.action == action);
        let text = if recommended { decision.why.clone() } else { weighed.map_or_else(String::new, other) };
        Remark { action, text, recommended }
    };
    ask.valid().map(remark).filter(|remark| !remark.text.is_empty()).collect()
}

fn other(choice: &Choice) -> String {
    alloc::format!("Works {} of the time, {:+.2} marks on average.", words::percent(choice.chance), choice.marks)
}
