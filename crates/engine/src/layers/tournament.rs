//! Tournament: straight 42 only. It removes every special contract, and configuring one next to it is an error.

use texas42_phrases::Problem;
use texas42_vocab::{Action, Config, Phase, Tournament, Trump};

use crate::{context::ConfigError, offers::Offers, rules::Rules, state::State};

impl Rules for Tournament {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        match config.layers.iter().find(|layer| layer.is_special_contract()) {
            None => Ok(()),
            Some(special) => {
                Err(ConfigError::new("layers", Problem::ExcludedByTournament { layer: special.name().into() }))
            }
        }
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection]
    }

    fn offer(&self, _state: &State, offers: &mut Offers) {
        retain_straight(offers);
    }
}

/// Removes every bid and declaration that straight 42 does not have.
pub(super) fn retain_straight(offers: &mut Offers) {
    offers.retain(|action| match action {
        Action::Bid { bid, .. } => super::is_straight_bid(bid.kind),
        Action::SelectTrump { trump, .. } => Trump::STRAIGHT.contains(&trump),
        _ => true,
    });
}
