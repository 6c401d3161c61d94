//! Plunge: a seat with four or more doubles may bid four marks, or one more than a standing bid of four or more. Its
//! partner names trumps and leads, and their team must take every trick.

use texas42_vocab::{Action, Bid, BidKind, Config, Phase, Plunge, Seat};

use super::base::{bidder_with_doubles, standing_worth};
use crate::{context::ConfigError, offers::Offers, rules::Rules, state::State};

/// The minimum number of doubles.
const DOUBLES: usize = 4;
/// The lowest bid, in marks.
const LOWEST_MARKS: u8 = 4;

impl Rules for Plunge {
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
        let over = (standing_worth(state) / Bid::HAND) as u8 + 1;
        offers.push(Action::Bid { player, bid: Bid { kind: BidKind::Plunge, value: over.max(LOWEST_MARKS) } });
    }

    fn declarer(&self, bidder: Seat, bid: Bid, prev: Seat) -> Seat {
        if bid.kind == BidKind::Plunge { bidder.partner() } else { prev }
    }
}
