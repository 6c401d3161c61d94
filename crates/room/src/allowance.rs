//! Limits how often something happens, on the table's clock: a few times at once after a pause, and then once in each
//! interval. An [`Allowance`] is what is left; its [`Limit`] is a constant of the code that uses it.

/// How often something may happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// How often at once.
    pub(crate) burst: u64,
    /// The time until one more is allowed, in milliseconds.
    pub(crate) interval: u64,
}

/// How much of a [`Limit`] has been used lately.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allowance {
    /// When everything will be allowed again that the limit allows at once.
    busy_until: u64,
}

impl Allowance {
    /// Whether it may happen once more.
    pub(crate) const fn is_free(self, limit: Limit, now: u64) -> bool {
        self.busy_until <= now.saturating_add(limit.interval * (limit.burst - 1))
    }

    /// Notes that it happened.
    pub(crate) fn note(&mut self, limit: Limit, now: u64) {
        self.busy_until = self.busy_until.max(now).saturating_add(limit.interval);
    }

    /// Whether nothing of it is used, so that it need not be kept.
    pub(crate) const fn is_unused(self, now: u64) -> bool {
        self.busy_until <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit { burst: 3, interval: 1000 };

    #[test]
    fn a_few_at_once_and_then_one_in_each_interval() {
        let mut allowance = Allowance::default();
        let mut take = |now: u64| {
            let is_free = allowance.is_free(LIMIT, now);
            if is_free {
                allowance.note(LIMIT, now);
            }
            is_free
        };
        assert!(take(5000) && take(5000) && take(5000) && !take(5000));
        assert!(!take(5999) && take(6000) && !take(6000));
        assert!(take(60_000) && take(60_000) && take(60_000) && !take(60_000), "a pause gives no more than a burst");
    }

    #[test]
    fn an_allowance_is_unused_again_after_a_pause() {
        let mut allowance = Allowance::default();
        allowance.note(LIMIT, 5000);
        assert!(!allowance.is_unused(5999) && allowance.is_unused(6000));
    }
}
