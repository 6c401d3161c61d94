//! The layers, one file each, and the `match` that maps a configured layer to its rules.

mod base;
mod consensus;
mod daily_challenge;
mod forced_bid;
mod hints;
mod nello;
mod one_hand;
mod plunge;
mod sevens;
mod speed;
mod splash;
mod tournament;

use alloc::boxed::Box;

pub(crate) use base::Base;
pub use daily_challenge::{daily_seed, star_thresholds, stars};
use texas42_phrases::Problem;
use texas42_vocab::{BidKind, Config, Layer, Scoring};

use crate::{context::ConfigError, rules::Rules};

/// The rules of a configured layer.
pub(crate) fn rules_of(layer: &Layer) -> Box<dyn Rules> {
    match *layer {
        Layer::Nello(layer) => Box::new(layer),
        Layer::Plunge(layer) => Box::new(layer),
        Layer::Splash(layer) => Box::new(layer),
        Layer::Sevens(layer) => Box::new(layer),
        Layer::Tournament(layer) => Box::new(layer),
        Layer::ForcedBid(layer) => Box::new(layer),
        Layer::Speed(layer) => Box::new(layer),
        Layer::Hints(layer) => Box::new(layer),
        Layer::Consensus(layer) => Box::new(layer),
        Layer::OneHand(layer) => Box::new(layer),
        Layer::DailyChallenge(layer) => Box::new(layer),
    }
}

/// The check that all special contracts share: they need marks scoring.
fn marks_only(name: &str, config: &Config) -> Result<(), ConfigError> {
    match config.scoring {
        Scoring::Marks => Ok(()),
        Scoring::Points => Err(ConfigError::new("layers", Problem::MarksOnly { layer: name.into() })),
    }
}

/// Whether straight 42 has this kind of bid.
const fn is_straight_bid(kind: BidKind) -> bool {
    matches!(kind, BidKind::Points | BidKind::Marks)
}
