//! The machine's clock and random number generator; rooms and clients get time and randomness as arguments.

use std::{
    sync::{LazyLock, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};

/// The source of [`random`] after [`seed_random`].
static SEEDED: OnceLock<Mutex<SplitMix64>> = OnceLock::new();

/// Milliseconds since the Unix epoch.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Time since the process started, by a monotonic clock.
pub(crate) fn uptime() -> Duration {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    STARTED.elapsed()
}

/// Cryptographically secure random bytes, unless [`seed_random`] was called.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    match SEEDED.get() {
        Some(seeded) => seeded.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes),
        None => getrandom::fill(&mut bytes).expect("the operating system provides randomness"),
    }
    bytes
}

/// Makes [`random`] return the same bytes in every run of the process. For tests only: anyone who knows the seed can
/// compute the deals and the keys.
pub fn seed_random(seed: u64) {
    SEEDED.get_or_init(|| Mutex::new(SplitMix64::seed_from_u64(seed)));
}
