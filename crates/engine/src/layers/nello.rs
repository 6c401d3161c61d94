//! Nello: after a winning marks bid, the bidder may declare to take no trick.
//!
//! The partner sits out, tricks have three dominoes, and there are no trumps. Parameters: the minimum bid, who leads
//! first, and how doubles rank.

use texas42_phrases::Problem;
use texas42_vocab::{Action, BidKind, Config, Doubles, Lead, Nello, Phase, Trump};

use crate::{
    context::ConfigError,
    offers::Offers,
    rules::Rules,
    state::State,
    suits::Suits,
    terms::{Contract, Goal, Terms},
};

impl Rules for Nello {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        if !(1..=4).contains(&self.minimum) {
            return Err(ConfigError::new("layers", Problem::NelloMinimum));
        }
        super::marks_only(Self::NAME, config)
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::TrumpSelection]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        let Some((_, bid)) = state.auction.standing() else { return };
        if bid.kind == BidKind::Marks && bid.value >= self.minimum {
            offers.push(Action::SelectTrump { player: state.turn, trump: Trump::Nello });
        }
    }

    fn terms(&self, contract: &Contract, prev: Terms) -> Terms {
        if contract.trump != Trump::Nello {
            return prev;
        }
        Terms {
            leader: match self.lead {
                Lead::Bidder => contract.bidder,
                Lead::Left => contract.bidder.left(),
            },
            sits_out: Some(contract.bidder.partner()),
            suits: match self.doubles {
                Doubles::Own => Suits::DoublesOwn,
                Doubles::High => Suits::DoublesHigh,
                Doubles::Low => Suits::DoublesLow,
            },
            goal: Goal::NoTrick,
            ..prev
        }
    }
}
