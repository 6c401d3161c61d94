//! Waiting for what other threads and processes do.

use std::time::{Duration, Instant};

/// How long anything that is certain to happen may take. It only ends a test that would hang, however busy the machine is.
pub const TIMEOUT: Duration = Duration::from_secs(120);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// Asks again until there is an answer.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waiting for {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}
