//! Rate limits based on token buckets.

use core::time::Duration;

/// A rate limit: a burst, and a sustained rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The size of the burst.
    pub burst: f32,
    /// The sustained rate per second.
    pub per_second: f32,
}

/// A token bucket; each request takes one token. Times are relative to any fixed moment.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    tokens: f32,
    at: Duration,
}

impl Bucket {
    /// A full bucket.
    pub const fn full(rate: Rate, now: Duration) -> Self {
        Self { tokens: rate.burst, at: now }
    }

    /// Takes a token if there is one. A clock that goes backward adds no tokens.
    pub fn take(&mut self, rate: Rate, now: Duration) -> bool {
        let passed = now.saturating_sub(self.at).as_secs_f32();
        self.tokens = (self.tokens + passed * rate.per_second).min(rate.burst);
        self.at = now;
        let has_one = self.tokens >= 1.0;
        if has_one {
            self.tokens -= 1.0;
        }
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills() {
        let rate = Rate { burst: 2.0, per_second: 1.0 };
        let at = Duration::from_millis;
        let mut bucket = Bucket::full(rate, at(0));
        assert!(bucket.take(rate, at(0)) && bucket.take(rate, at(0)) && !bucket.take(rate, at(0)));
        assert!(bucket.take(rate, at(1100)) && !bucket.take(rate, at(1200)));
        assert!(!bucket.take(rate, at(100)), "a clock that goes back");
    }
}
