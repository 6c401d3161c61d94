//! A clock for timers: it shows the time of the wall clock, but waits are measured in monotonic time.

/// A clock that never goes back. It advances with monotonic time, and follows a wall clock that is set forward.
///
/// While the wall clock is behind, because it was set back, this clock continues at the same pace. So a timer is never
/// delayed by a correction of the wall clock. All times are in milliseconds.
///
/// ```
/// use texas42_client::SteadyClock;
///
/// let mut clock = SteadyClock::new(1_000_000, 0);
/// assert_eq!(clock.now(1_000_500, 500), 1_000_500);
/// assert_eq!(clock.now(980_600, 600), 1_000_600, "set back by 20 seconds");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SteadyClock {
    now: u64,
    /// The monotonic time at that moment.
    elapsed: u64,
}

impl SteadyClock {
    /// A clock that shows `wall` now. `elapsed` is the monotonic time since any fixed moment.
    pub const fn new(wall: u64, elapsed: u64) -> Self {
        Self { now: wall, elapsed }
    }

    /// The current time, given the time of the wall clock and the monotonic time.
    pub const fn now(&mut self, wall: u64, elapsed: u64) -> u64 {
        let steady = self.now.saturating_add(elapsed.saturating_sub(self.elapsed));
        self.elapsed = elapsed;
        self.now = if wall > steady { wall } else { steady };
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400_000;

    #[test]
    fn a_wall_clock_that_is_set_back_delays_nothing() {
        for back in [20_000, 2 * DAY] {
            let start = 10 * DAY;
            let mut clock = SteadyClock::new(start, 7);
            for elapsed in [0, 400, 1_000, 1_900] {
                assert_eq!(clock.now(start + elapsed - back, 7 + elapsed), start + elapsed);
            }
        }
    }

    #[test]
    fn follows_a_wall_clock_that_is_set_forward() {
        let mut clock = SteadyClock::new(0, 0);
        assert_eq!(clock.now(DAY, 100), DAY, "a machine that learns the time after its start");
        assert_eq!(clock.now(DAY + 50, 150), DAY + 50);
        assert_eq!(clock.now(DAY + 40, 160), DAY + 60);
    }
}
