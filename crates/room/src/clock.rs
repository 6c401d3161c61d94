//! The table's own clock. It follows the host's, except that it never goes back: when the host's clock is set back, the
//! table's stands for a moment and then goes on at the same pace.

/// The most by which the table's clock goes on at once, a day: whatever the table waits for is due by then, and a clock
/// that was wrong by years leaves no trace.
const MOST_STEP: u64 = 86_400_000;

/// The clock of a table, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// What the host's clock said last.
    host: u64,
    /// The table's time then.
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

    /// Takes in what the host's clock says.
    pub(crate) const fn note(&mut self, host: u64) {
        let step = host.saturating_sub(self.host);
        self.table = self.table.saturating_add(if step < MOST_STEP { step } else { MOST_STEP });
        self.host = host;
    }

    /// When the host's clock will say that it is `at` at the table.
    pub(crate) const fn by_host(&self, at: u64) -> u64 {
        self.host.saturating_add(at.saturating_sub(self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_back_stops_nothing() {
        let mut clock = Clock::new(1000, 1000);
        clock.note(9_000_000);
        clock.note(2000);
        assert_eq!(clock.now(), 9_000_000);
        assert_eq!(clock.by_host(9_000_500), 2500, "half a second is half a second on any clock");
        clock.note(2500);
        assert_eq!(clock.now(), 9_000_500);
        assert_eq!(clock.by_host(1), 2500, "what is over is due now");
        clock.note(u64::MAX);
        clock.note(3000);
        assert_eq!(clock.now(), 9_000_500 + MOST_STEP, "a clock gone mad costs a day");
    }
}
