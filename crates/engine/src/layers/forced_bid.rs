//! Forced bid: if nobody has bid, one seat may not pass. Usually that is the shaker, who bids last ("the shaker is
//! stuck"); some tables force the first bidder instead.

use texas42_phrases::Problem;
use texas42_vocab::{Action, Config, ForcedBid, Phase, WhoMustBid};

use crate::{context::ConfigError, offers::Offers, rules::Rules, state::State};

impl Rules for ForcedBid {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, _config: &Config) -> Result<(), ConfigError> {
        if (30..=42).contains(&self.minimum) {
            return Ok(());
        }
        Err(ConfigError::new("layers", Problem::ForcedBidMinimum))
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Bidding]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        if !is_forced(self.who, state) {
            return;
        }
        offers.retain(|action| match action {
            Action::Pass { .. } => false,
            Action::Bid { bid, .. } => bid.worth() >= u16::from(self.minimum),
            _ => true,
        });
    }
}

fn is_forced(who: WhoMustBid, state: &State) -> bool {
    let is_their_turn = match who {
        WhoMustBid::Shaker => state.auction.len() == 3,
        WhoMustBid::First => state.auction.is_empty(),
    };
    is_their_turn && state.auction.standing().is_none()
}
