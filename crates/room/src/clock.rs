//! The clock of a table. It follows the host's clock but never goes backward: when the host's clock is set back, the
//! table's clock stops briefly and then continues at the same pace. A table host uses it for its bots, too.

/// The maximum step of the table's clock: one day. Every timer of a table is shorter, and the limit bounds the effect of a
/// host clock that is wrong by years.
const MAX_STEP: u64 = 86_400_000;

/// The clock of a table, in milliseconds. Call [`advance`](Self::advance) with every input.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The last reported time of the host's clock.
    host: u64,
    /// The table's time at that moment.
    table: u64,
}

impl Clock {
    /// A clock that shows `table` while the host's clock shows `host`.
    pub const fn new(host: u64, table: u64) -> Self {
        Self { host, table }
    }

    /// The table's time.
    pub const fn now(&self) -> u64 {
        self.table
    }

    /// Advances the table's clock by the time that has passed on the host's clock.
    pub const fn advance(&mut self, host: u64) {
        let step = host.saturating_sub(self.host);
        self.table = self.table.saturating_add(if step < MAX_STEP { step } else { MAX_STEP });
        self.host = host;
    }

    /// The table's time when the host's clock will show `at`, if nobody corrects it until then.
    pub const fn to_table_time(self, at: u64) -> u64 {
        self.table.saturating_add(at.saturating_sub(self.host))
    }

    /// The host's time at which the table's clock will show `at`.
    pub const fn to_host_time(self, at: u64) -> u64 {
        self.host.saturating_add(at.saturating_sub(self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_clock_that_jumps_back_does_not_stop_the_table() {
        let mut clock = Clock::new(1000, 1000);
        clock.advance(9_000_000);
        clock.advance(2000);
        assert_eq!(clock.now(), 9_000_000);
        assert_eq!(clock.to_host_time(9_000_500), 2500, "both clocks run at the same pace");
        clock.advance(2500);
        assert_eq!(clock.now(), 9_000_500);
        assert_eq!(clock.to_host_time(1), 2500, "times in the past are due now");
        clock.advance(u64::MAX);
        clock.advance(3000);
        assert_eq!(clock.now(), 9_000_500 + MAX_STEP, "a jump far ahead is limited to a day");
    }
}
