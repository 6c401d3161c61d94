//! How long the one who is to act still has. Deadlines are told in the table's clock; how far it is ahead of the own one is
//! learned from what the table says.

/// What is known of the table's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableClock {
    /// By how many milliseconds the table's clock is ahead of the own one, as far as is known.
    ahead: Option<i64>,
}

impl TableClock {
    /// It was `table` or later there when it was `own` here. Whatever is heard was on its way for a while, so of all that was
    /// heard the greatest is the nearest.
    pub fn note(&mut self, table: u64, own: u64) {
        self.ahead = self.ahead.max(Some(table.cast_signed() - own.cast_signed()));
    }

    /// The whole seconds that are left when it is `own` here.
    pub fn seconds_left(self, deadline: u64, own: u64) -> Option<u64> {
        let left = deadline.cast_signed() - own.cast_signed() - self.ahead?;
        Some(left.max(0).cast_unsigned().div_ceil(1000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_table_is_learned_from_what_it_says() {
        let mut clock = TableClock::default();
        assert_eq!(clock.seconds_left(90_000, 1_000), None, "nothing is known yet");
        // The table's clock is a minute ahead. What comes late says less, whatever comes first.
        clock.note(60_000, 4_000);
        assert_eq!(clock.seconds_left(90_000, 4_000), Some(30));
        clock.note(65_000, 5_000);
        clock.note(61_000, 6_000);
        assert_eq!(clock.seconds_left(90_000, 6_000), Some(24));
        assert_eq!(clock.seconds_left(90_000, 29_001), Some(1));
        assert_eq!(clock.seconds_left(90_000, 31_000), Some(0), "what is over is over");
        let mut behind = TableClock::default();
        behind.note(1_000, 61_000);
        assert_eq!(behind.seconds_left(21_000, 62_000), Some(19));
    }
}
