//! Sevens: after a winning marks bid, the bidder may declare that there are no suits and no trumps. Every seat must
//! play its domino nearest to seven pips, and the nearest (the first played of equals) takes the trick. The bidding
//! team must take every trick.

use texas42_vocab::{Action, BidKind, Config, Phase, Sevens, Trump};

use crate::{
    context::ConfigError,
    offers::Offers,
    rules::Rules,
    state::State,
    suits::Suits,
    terms::{Contract, Terms},
};

impl Rules for Sevens {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        super::marks_only(Self::NAME, config)
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::TrumpSelection]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        if state.auction.standing().is_some_and(|(_, bid)| bid.kind == BidKind::Marks) {
            offers.push(Action::SelectTrump { player: state.turn, trump: Trump::Sevens });
        }
    }

    fn terms(&self, contract: &Contract, prev: Terms) -> Terms {
        if contract.trump == Trump::Sevens { Terms { suits: Suits::NearestSeven, ..prev } } else { prev }
    }
}
