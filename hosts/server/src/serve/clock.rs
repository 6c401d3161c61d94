//! The server's clock and random number generator; rooms and clients get time and randomness as arguments.

use std::{
    sync::{
        LazyLock, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use texas42_client::SteadyClock;

/// The source of [`random`] after [`seed_random`].
static SEEDED: OnceLock<Mutex<SplitMix64>> = OnceLock::new();

/// The milliseconds by which [`advance_clock`] has advanced [`now`].
static AHEAD: AtomicU64 = AtomicU64::new(0);

/// The milliseconds by which [`set_wall_clock_back`] has set back the wall clock that [`now`] reads.
static BEHIND: AtomicU64 = AtomicU64::new(0);

/// The time at which [`hold_clock`] stopped [`now`].
static HELD: OnceLock<u64> = OnceLock::new();

/// The longest wait that ends in real time while the clock is held. Pauses of the game are shorter; time limits of people are
/// longer.
const LONGEST_FREE_WAIT: Duration = Duration::from_secs(3);
/// How often a table looks at the clock while it is held, in case it was advanced.
const HELD_CLOCK_CHECK: Duration = Duration::from_millis(20);

/// Milliseconds since the Unix epoch. Never goes back, not even when the wall clock of the machine does.
pub fn now() -> u64 {
    if let Some(held) = HELD.get() {
        return held.saturating_add(AHEAD.load(Ordering::Relaxed));
    }
    static CLOCK: Mutex<Option<SteadyClock>> = Mutex::new(None);
    let (wall, elapsed) = (wall(), milliseconds(uptime()));
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    clock.get_or_insert(SteadyClock::new(wall, elapsed)).now(wall, elapsed)
}

/// The wall clock of the machine.
fn wall() -> u64 {
    let wall = milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    wall.saturating_add(AHEAD.load(Ordering::Relaxed)).saturating_sub(BEHIND.load(Ordering::Relaxed))
}

/// Sets back the wall clock as this process reads it, as if somebody had corrected the clock of the machine. For tests only.
pub fn set_wall_clock_back(milliseconds: u64) {
    BEHIND.fetch_add(milliseconds, Ordering::Relaxed);
}

/// Advances [`now`] in the whole process. For tests only. A table notices with its next message.
pub fn advance_clock(milliseconds: u64) {
    AHEAD.fetch_add(milliseconds, Ordering::Relaxed);
}

/// Stops [`now`], so that no time limit depends on the speed of the machine. Afterwards only [`advance_clock`] and short
/// waits advance it. For tests only.
pub fn hold_clock() {
    let now = now();
    HELD.get_or_init(|| now.saturating_sub(AHEAD.load(Ordering::Relaxed)));
}

/// How long to wait before calling [`finish_wait`] for this time.
pub(crate) fn wait_until(at: u64) -> Duration {
    let wait = Duration::from_millis(at.saturating_sub(now()));
    if HELD.get().is_some() && wait > LONGEST_FREE_WAIT { HELD_CLOCK_CHECK } else { wait }
}

/// Returns the time after waiting until `at`. A held clock advances to it, if the wait was short.
pub(crate) fn finish_wait(at: Option<u64>) -> u64 {
    if let (Some(held), Some(at)) = (HELD.get(), at)
        && Duration::from_millis(at.saturating_sub(now())) <= LONGEST_FREE_WAIT
    {
        AHEAD.fetch_max(at.saturating_sub(*held), Ordering::Relaxed);
    }
    now()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
