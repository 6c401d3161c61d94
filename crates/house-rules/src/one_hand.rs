//! Tables of one hand that everybody gets alike: the daily challenge, and the hand of a seed.

use alloc::{vec, vec::Vec};

use texas42_protocol::{DealKind, TableOptions};
use texas42_vocab::{
    Config, Consensus, Control, DailyChallenge, Date, Difficulty, ForcedBid, Layer, OneHand, SeedText,
};

/// One person and three bots.
pub const ALONE: [Control; 4] = [Control::Human, Control::Ai, Control::Ai, Control::Ai];

/// The daily challenge of a date. The host finds its hand and its goal.
pub fn daily(date: Date, difficulty: Difficulty) -> (Config, TableOptions) {
    let challenge = DailyChallenge { date, difficulty, ..DailyChallenge::default() };
    table(vec![
        Layer::ForcedBid(ForcedBid::default()),
        Layer::Consensus(Consensus {}),
        Layer::DailyChallenge(challenge),
    ])
}

/// The hand of a seed, such as `texas42 seeds` finds.
pub fn hand(seed: SeedText) -> (Config, TableOptions) {
    let hand = OneHand { seed: Some(seed), ..OneHand::default() };
    table(vec![Layer::ForcedBid(ForcedBid::default()), Layer::Consensus(Consensus {}), Layer::OneHand(hand)])
}

fn table(layers: Vec<Layer>) -> (Config, TableOptions) {
    let options = TableOptions { deal: DealKind::Seeded, ..TableOptions::default() };
    (Config { layers, players: ALONE, ..Config::default() }, options)
}
