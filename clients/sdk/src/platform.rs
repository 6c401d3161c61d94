//! The clock and the random number generator of the machine.

use std::{
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use texas42_client::SteadyClock;

/// How long to wait when nothing is due.
const NOTHING_DUE: Duration = Duration::from_secs(3600);

/// Waits until a Unix time in milliseconds. `None` is an hour away.
pub(crate) async fn sleep_until(at: Option<u64>) {
    let wait = at.map_or(NOTHING_DUE, |at| Duration::from_millis(at.saturating_sub(now())));
    tokio::time::sleep(wait).await;
}

/// Cryptographically secure random bytes.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the platform provides randomness");
    bytes
}

/// Milliseconds since the Unix epoch. Never goes back, not even when the wall clock of the machine does.
pub(crate) fn now() -> u64 {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    static CLOCK: Mutex<Option<SteadyClock>> = Mutex::new(None);
    let wall = milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let elapsed = milliseconds(STARTED.elapsed());
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    clock.get_or_insert(SteadyClock::new(wall, elapsed)).now(wall, elapsed)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
