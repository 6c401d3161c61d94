//! The players that a program can be, by their names: each is a function of what its seat sees.

use std::sync::Arc;

use texas42_protocol::GameView;
use texas42_room::RandomPlayer;
use texas42_vocab::{Action, Seat};

use crate::serve::Strategy;

/// The names that [`by_name`] knows, from the weakest to the strongest.
pub const NAMES: &[&str] = &["random"];

/// The one that is taken when none is named.
pub const USUAL: &str = "random";

/// The strategy with this name.
pub fn by_name(name: &str) -> Option<Strategy> {
    match name {
        "random" => Some(Arc::new(random)),
        _ => None,
    }
}

/// Anything that is offered, except a claim: a random claim ends the hand nearly always wrongly.
fn random(view: &GameView, seat: Seat, seed: u64) -> Action {
    let own = view.valid_actions.iter().map(|valid| valid.action).filter(|action| action.player() == Some(seat));
    let (claims, others): (Vec<Action>, Vec<Action>) = own.partition(|action| matches!(action, Action::Claim { .. }));
    let choices = if others.is_empty() { claims } else { others };
    let pick = RandomPlayer::new(seed).below(choices.len().max(1) as u64) as usize;
    choices.get(pick).copied().unwrap_or(Action::Pass { player: seat })
}
