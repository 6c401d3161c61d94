//! Splash: a seat with three or more doubles may bid two or three marks if that beats the standing bid. Its partner
//! names trumps and leads, and their team must take every trick.

use texas42_vocab::{Action, Bid, BidKind, Config, Phase, Seat, Splash};

use super::base::{bidder_with_doubles, standing_worth};
use crate::{context::ConfigError, offers::Offers, rules::Rules, state::State};

/// The minimum number of doubles.
const DOUBLES: usize = 3;
/// The possible bids, in marks.
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
