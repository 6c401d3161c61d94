//! One hand: the game is over when its first played hand is scored.
//!
//! The auction may be scripted, for lessons and puzzles: the script's seat bids and declares automatically, and the
//! other seats pass. A later layer can still offer other actions.

use texas42_phrases::Problem;
use texas42_vocab::{Action, Config, Layer, OneHand, Phase, Script, SeedText, Trump};

use crate::{
    context::ConfigError,
    offers::{Annotated, Authority, Offers},
    rules::Rules,
    state::State,
};

impl Rules for OneHand {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        let forced = config.layers.iter().any(Layer::forces_bid);
        match self.script {
            Some(_) if forced => Err(ConfigError::new("layers", Problem::ScriptIsForced)),
            Some(script) if !is_straight(&script) => Err(ConfigError::new("layers", Problem::ScriptNotStraight)),
            _ => Ok(()),
        }
    }

    fn seed(&self, prev: SeedText) -> SeedText {
        self.seed.unwrap_or(prev)
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection, Phase::Scoring]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        end_instead_of_scoring(offers);
        if let Some(action) = scripted_action(self.script, state).filter(|action| offers.contains(action)) {
            offers.replace_all(action);
        }
    }

    fn annotates_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection]
    }

    fn annotate(&self, state: &State, offers: &mut Annotated) {
        let scripted = scripted_action(self.script, state);
        for offer in offers.iter_mut().filter(|offer| scripted == Some(offer.action)) {
            offer.meta.auto_execute = true;
            offer.meta.authority = Authority::System;
            offer.meta.reason = Some("scripted");
        }
    }

    fn after_hand(&self, _state: &State, _prev: Phase) -> Phase {
        Phase::OneHandComplete
    }
}

/// The scripted action for the current decision.
fn scripted_action(script: Option<Script>, state: &State) -> Option<Action> {
    let script = script?;
    let player = state.to_act()?;
    match state.phase {
        Phase::Bidding if player == script.player => Some(Action::Bid { player, bid: script.bid() }),
        Phase::Bidding => Some(Action::Pass { player }),
        Phase::TrumpSelection => Some(Action::SelectTrump { player, trump: script.trump }),
        _ => None,
    }
}

fn is_straight(script: &Script) -> bool {
    use texas42_vocab::BidKind::{Marks, Points};
    let bid = matches!((script.bid, script.value), (Points, 30..=41) | (Marks, 1..=2));
    bid && Trump::STRAIGHT.contains(&script.trump)
}

/// Offers to end the game instead of scoring the hand.
pub(super) fn end_instead_of_scoring(offers: &mut Offers) {
    if offers.contains(&Action::ScoreHand) {
        offers.replace_all(Action::EndGame);
    }
}
