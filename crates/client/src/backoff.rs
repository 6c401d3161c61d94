//! Exponential backoff with jitter between connection attempts.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};

/// The first delay, in milliseconds.
const FIRST: u64 = 250;
/// The longest delay, in milliseconds.
const LONGEST: u64 = 15_000;

/// Delays that double up to a limit, each randomly reduced by up to a half, so that the clients of a restarted host do
/// not all reconnect at the same moment.
#[derive(Clone, Debug)]
pub struct Backoff {
    failures: u32,
    random: SplitMix64,
}

impl Backoff {
    /// A backoff whose jitter is determined by the seed.
    pub fn new(seed: u64) -> Self {
        Self { failures: 0, random: SplitMix64::seed_from_u64(seed) }
    }

    /// Starts over with short delays, after a success.
    pub const fn reset(&mut self) {
        self.failures = 0;
    }

    /// The number of consecutive failures.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// The delay before the next attempt, in milliseconds. Counts a failure.
    pub fn next_delay(&mut self) -> u64 {
        let whole = (FIRST << self.failures.min(10)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        whole - self.random.next_u64() % (whole / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_limit_and_start_over_after_a_reset() {
        let mut backoff = Backoff::new(1);
        let waits: [u64; 12] = core::array::from_fn(|_| backoff.next_delay());
        assert!(waits[0] <= FIRST && waits[0] > FIRST / 2);
        assert!(waits.iter().all(|wait| *wait <= LONGEST));
        assert!(waits[11] > LONGEST / 2);
        backoff.reset();
        assert!(backoff.next_delay() <= FIRST);
    }

    #[test]
    fn clients_with_different_seeds_wait_differently() {
        let waits = |seed| {
            let mut backoff = Backoff::new(seed);
            core::array::from_fn::<u64, 8, _>(|_| backoff.next_delay())
        };
        assert_ne!(waits(1), waits(2));
    }
}
