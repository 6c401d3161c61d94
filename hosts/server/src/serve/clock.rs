//! The time and the randomness of the machine, which rooms and clients are given because they have none of their own.

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

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// How long this program has run, by a clock that never goes back.
pub(crate) fn uptime() -> Duration {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    STARTED.elapsed()
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    match SEEDED.get() {
        Some(seeded) => seeded.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes),
        None => getrandom::fill(&mut bytes).expect("the operating system has randomness"),
    }
    bytes
}

/// From now on, [`random`] gives the same bytes in every run of the program. For tests only: anybody who knows the seed can
/// compute the deals and the keys.
pub fn seed_random(seed: u64) {
    SEEDED.get_or_init(|| Mutex::new(SplitMix64::seed_from_u64(seed)));
}
