//! A player that picks random legal actions, for simulations, benchmarks and tests. Choices are determined by a seed.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use texas42_engine::Offers;
use texas42_vocab::Action;

/// How rarely the player claims. A random claim nearly always fails and ends the hand, so claiming as often as any
/// other action would leave few hands to play.
const CLAIMS_ONCE_IN: u64 = 100;

/// Picks actions at random, reproducibly.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    random: SplitMix64,
    claims_once_in: Option<u64>,
}

impl RandomPlayer {
    /// A player whose choices are determined by the seed.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::seed_from_u64(seed), claims_once_in: Some(CLAIMS_ONCE_IN) }
    }

    /// A player that never claims.
    pub fn without_claims(seed: u64) -> Self {
        Self { random: SplitMix64::seed_from_u64(seed), claims_once_in: None }
    }

    /// A number below `bound`, computed without a division.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// One of the offered actions, or `None` if there are none.
    pub fn pick(&mut self, offers: &Offers) -> Option<Action> {
        let count = offers.len() as u64;
        match offers.claim() {
            Some(claim) if self.claims() => Some(claim),
            // A claim is always the last offer.
            Some(_) => offers.nth(self.below(count - 1) as usize),
            None => offers.nth(self.below(count) as usize),
        }
    }

    fn claims(&mut self) -> bool {
        self.claims_once_in.is_some_and(|once_in| self.below(once_in) == 0)
    }
}
