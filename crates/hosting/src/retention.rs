//! How long a host keeps tables to which nobody is connected.

use core::time::Duration;

/// How long a host keeps a table to which nobody is connected after its last event was stored. Then the table is inactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention(Option<Duration>);

impl Retention {
    /// Keeps every table.
    pub const FOREVER: Self = Self(None);
    /// How many days tables are kept by default.
    pub const DEFAULT_DAYS: u32 = 90;

    /// Keeps tables for a number of days; 0 keeps every table.
    pub const fn days(days: u32) -> Self {
        if days == 0 { Self::FOREVER } else { Self::of(Duration::from_hours(24 * days as u64)) }
    }

    /// Keeps tables for this long.
    pub const fn of(time: Duration) -> Self {
        Self(Some(time))
    }

    /// For how long tables are kept; `None` if forever.
    pub const fn time(self) -> Option<Duration> {
        self.0
    }

    /// The time from which a table counts as inactive if its last event was stored at `last_stored`; `None` if never.
    pub fn inactive_from(self, last_stored: u64) -> Option<u64> {
        Some(last_stored.saturating_add(self.milliseconds()?).saturating_add(1))
    }

    /// Tables whose last event was stored before the returned time are inactive now; `None` if no table is.
    pub fn inactive_before(self, now: u64) -> Option<u64> {
        Some(now.saturating_sub(self.milliseconds()?))
    }

    fn milliseconds(self) -> Option<u64> {
        Some(u64::try_from(self.0?.as_millis()).unwrap_or(u64::MAX))
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self::days(Self::DEFAULT_DAYS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inactive_from_and_inactive_before_agree() {
        const DAY: u64 = 86_400_000;
        for retention in [Retention::of(Duration::from_millis(1)), Retention::days(1), Retention::default()] {
            for stored in [0, 5, 200 * DAY] {
                let from = retention.inactive_from(stored).unwrap();
                assert!(stored >= retention.inactive_before(from - 1).unwrap(), "{retention:?} {stored}");
                assert!(stored < retention.inactive_before(from).unwrap(), "{retention:?} {stored}");
            }
        }
        assert_eq!(Retention::default().inactive_from(0), Some(90 * DAY + 1));
        assert_eq!((Retention::days(2).time(), Retention::FOREVER.time()), (Some(Duration::from_hours(48)), None));
        assert_eq!((Retention::days(0).inactive_from(0), Retention::FOREVER.inactive_before(DAY)), (None, None));
    }
}
