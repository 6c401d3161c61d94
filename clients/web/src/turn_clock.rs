//! The time left for a decision. Deadlines use the table's clock; its offset from the local clock is estimated from the
//! table's messages.

/// An estimate of the table's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableClock {
    /// Milliseconds by which the table's clock is ahead of the local one, if known.
    ahead: Option<i64>,
}

impl TableClock {
    /// Records that the table's clock had reached `table` when the local clock showed `own`. Messages are delayed, so
    /// the greatest difference is the best estimate.
    pub fn note(&mut self, table: u64, own: u64) {
        self.ahead = self.ahead.max(Some(table.cast_signed() - own.cast_signed()));
    }

    /// The whole seconds left when the local clock shows `own`.
    pub fn seconds_left(self, deadline: u64, own: u64) -> Option<u64> {
        let left = deadline.cast_signed() - own.cast_signed() - self.ahead?;
        Some(left.max(0).cast_unsigned().div_ceil(1000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_the_offset_of_the_tables_clock() {
        let mut clock = TableClock::default();
        assert_eq!(clock.seconds_left(90_000, 1_000), None, "no estimate yet");
        // The table's clock is a minute ahead. Delayed messages do not change the estimate.
        clock.note(60_000, 4_000);
        assert_eq!(clock.seconds_left(90_000, 4_000), Some(30));
        clock.note(65_000, 5_000);
        clock.note(61_000, 6_000);
        assert_eq!(clock.seconds_left(90_000, 6_000), Some(24));
        assert_eq!(clock.seconds_left(90_000, 29_001), Some(1));
        assert_eq!(clock.seconds_left(90_000, 31_000), Some(0), "an expired deadline has no time left");
        let mut behind = TableClock::default();
        behind.note(1_000, 61_000);
        assert_eq!(behind.seconds_left(21_000, 62_000), Some(19));
    }
}
