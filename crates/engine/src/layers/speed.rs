//! Speed: a seat's only choice is marked for automatic execution after a short delay.

use texas42_phrases::Problem;
use texas42_vocab::{Config, Phase, Speed};

use crate::{
    context::ConfigError,
    offers::{Annotated, only_choice},
    rules::Rules,
    state::State,
};

/// The longest delay, in milliseconds.
const MAX_DELAY: u16 = 10_000;

impl Rules for Speed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, _config: &Config) -> Result<(), ConfigError> {
        if self.delay <= MAX_DELAY {
            return Ok(());
        }
        Err(ConfigError::new("layers", Problem::SpeedDelay { most: MAX_DELAY }))
    }

    fn annotates_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection, Phase::Playing]
    }

    fn annotate(&self, state: &State, offers: &mut Annotated) {
        let Some(seat) = state.to_act() else { return };
        let Some(only) = only_choice(offers, seat) else { return };
        only.meta.auto_execute = true;
        only.meta.delay = self.delay;
        only.meta.reason = Some("only-legal-action");
    }
}
