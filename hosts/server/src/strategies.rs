//! The bot strategies by name. Each decides from the view of its seat.

use std::sync::Arc;

use texas42_ai::DecisionPoint;
use texas42_client::BotDecision;
use texas42_protocol::{GameView, Intent};
use texas42_vocab::{Action, Seat};

use crate::serve::DecideFn;

/// The names that [`by_name`] accepts, from weakest to strongest.
pub const NAMES: [&str; 4] = ["random", "beginner", "intermediate", "expert"];

/// The default strategy.
pub const DEFAULT: &str = "intermediate";

/// A strategy that never needs to think long.
pub const QUICK: &str = "beginner";

/// The strategy with this name; `None` if there is none.
pub fn by_name(name: &str) -> Option<DecideFn> {
    let player: texas42_ai::Strategy = name.parse().ok()?;
    Some(Arc::new(move |view: &GameView, seat: Seat, seed: u64| {
        let decision = player.decide(&DecisionPoint::new(view, seat, seed));
        let fallback = || BotDecision::from(Action::Pass { player: seat });
        decision.map_or_else(fallback, |decision| BotDecision {
            action: decision.action,
            why: Intent::from_remarks(decision.why),
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_has_a_name() {
        assert_eq!(NAMES, texas42_ai::Strategy::ALL.map(texas42_ai::Strategy::name));
        assert!(NAMES.iter().all(|name| by_name(name).is_some()) && by_name("oracle").is_none());
    }
}
