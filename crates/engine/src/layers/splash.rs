//! Splash: a seat with three or more doubles bids two or three marks, whichever beats the standing bid; its partner
//! names trumps and leads, and every trick has to be taken.

use texas42_vocab::{Action, Bid, BidKind, Config, Phase, Seat, Splash};

use super::base::{bidder_with_doubles, standing_worth};
use crate::{context::ConfigError, offers::Offers, rules::Rules, state::State};

/// The doubles that it takes, and the marks for which it may be bid.
const DOUBLES: usize = 3;
const MARKS: [u8; 2] = [2, 3];

impl Rules for Splash {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        super::marks_only(Self::NAME, config)
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Bidding]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        let Some(player) = bidder_with_doubles(state, DOUBLES) else { return };
        let bids = MARKS.map(|value| Bid { kind: BidKind::Splash, value });
        for bid in bids.into_iter().filter(|bid| bid.worth() > standing_worth(state)) {
            offers.push(Action::Bid { player, bid });
        }
    }

    fn declarer(&self, bidder: Seat, bid: Bid, prev: Seat) -> Seat {
        if bid.kind == BidKind::Splash { bidder.partner() } else { prev }
    }
}
