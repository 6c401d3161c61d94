//! The clock of a table. It follows the host's clock but never goes backward: when the host's clock is set back, the
//! table's clock stops briefly and then continues at the same pace.

/// The maximum step of the table's clock: one day. Everything that a table waits for is due by then, and a clock that
/// is wrong by years does little harm.
const MAX_STEP: u64 = 86_400_000;

/// The clock of a table, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// The last time of the host's clock.
    host: u64,
    /// The table's time at that moment.
    table: u64,
}

impl Clock {
    pub(crate) const fn new(host: u64, table: u64) -> Self {
        Self { host, table }
    }

    /// The table's time.
    pub(crate) const fn now(&self) -> u64 {
        self.table
    }

    /// Advances to the current time of the host's clock.
    pub(crate) const fn note(&mut self, host: u64) {
        let step = host.saturating_sub(self.host);
        self.table = self.table.saturating_add(if step < MAX_STEP { step } else { MAX_STEP });
        self.host = host;
    }

    /// The host's time at which the table's clock will show `at`.
    pub(crate) const fn to_host_time(self, at: u64) -> u64 {
        self.host.saturating_add(at.saturating_sub(self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_clock_that_jumps_back_stops_nothing() {
        let mut clock = Clock::new(1000, 1000);
        clock.note(9_000_000);
        clock.note(2000);
        assert_eq!(clock.now(), 9_000_000);
        assert_eq!(clock.to_host_time(9_000_500), 2500, "both clocks run at the same pace");
        clock.note(2500);
        assert_eq!(clock.now(), 9_000_500);
        assert_eq!(clock.to_host_time(1), 2500, "times in the past are due now");
        clock.note(u64::MAX);
        clock.note(3000);
        assert_eq!(clock.now(), 9_000_500 + MAX_STEP, "a jump far ahead is limited to a day");
    }
}
