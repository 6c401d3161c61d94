//! Speed: a seat that has exactly one choice does not have to make it; it is marked to be made after a short delay.

use texas42_vocab::{Config, Phase, Speed};

use crate::{
    context::ConfigError,
    offers::{Annotated, only_choice},
    rules::Rules,
    state::State,
};

impl Rules for Speed {
    fn name(&self) -> &'static str {
        "speed"
    }

    fn check(&self, _config: &Config) -> Result<(), ConfigError> {
        if self.delay <= 10_000 {
            return Ok(());
        }
        Err(ConfigError::new("layers", "speed: delay is at most 10000 milliseconds"))
    }

    fn annotates_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection, Phase::Playing]
    }

    fn annotate(&self, state: &State, offers: &mut Annotated) {
        let Some(seat) = state.to_act() else { return };
        let Some(only) = only_choice(offers, seat) else { return };
        only.meta.auto_execute = true;
        only.meta.delay = self.delay;
        only.meta.reason = Some("only legal action");
    }
}
