//! How long to wait before the next try to connect: soon at first, then longer and longer, and never all at once.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};

/// The first wait, in milliseconds.
const FIRST: u64 = 250;
/// The longest wait.
const LONGEST: u64 = 15_000;

/// Waits that double up to a bound, each shortened at random by up to a half, so that the clients of a host that comes
/// back do not all knock at the same moment.
#[derive(Clone, Debug)]
pub struct Backoff {
    failures: u32,
    random: SplitMix64,
}

impl Backoff {
    /// Waits whose random part follows from the seed.
    pub fn new(seed: u64) -> Self {
        Self { failures: 0, random: SplitMix64::seed_from_u64(seed) }
    }

    /// It worked: begin with short waits again.
    pub const fn reset(&mut self) {
        self.failures = 0;
    }

    /// How many tries have failed in a row.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// The wait before the next try, in milliseconds.
    pub fn next_wait(&mut self) -> u64 {
        let whole = (FIRST << self.failures.min(10)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        whole - self.random.next_u64() % (whole / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_bound_and_begin_again() {
        let mut backoff = Backoff::new(1);
        let waits: [u64; 12] = core::array::from_fn(|_| backoff.next_wait());
        assert!(waits[0] <= FIRST && waits[0] > FIRST / 2);
        assert!(waits.iter().all(|wait| *wait <= LONGEST));
        assert!(waits[11] > LONGEST / 2);
        backoff.reset();
        assert!(backoff.next_wait() <= FIRST);
    }

    #[test]
    fn two_clients_do_not_knock_together() {
        let waits = |seed| core::array::from_fn::<u64, 8, _>(|_| 0).map(|_| Backoff::new(seed).next_wait());
        assert_ne!(waits(1), waits(2));
    }
}
