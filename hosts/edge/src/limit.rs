//! A bound on what one connection says, in the time of the host. Whoever goes over gets an answer that says so.

/// What is allowed: so many at once, and so many a second in the long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// At once.
    pub burst: f32,
    /// A second.
    pub per_second: f32,
}

/// A bucket of tokens that fills with time; each message takes one. A connection that outlives its object begins with a
/// full one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    tokens: f32,
    at: u64,
}

impl Bucket {
    pub(crate) const fn full(rate: Rate, now: u64) -> Self {
        Self { tokens: rate.burst, at: now }
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self, rate: Rate, now: u64) -> bool {
        let passed = now.saturating_sub(self.at) as f32 / 1000.0;
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
        let mut bucket = Bucket::full(rate, 0);
        assert!(bucket.take(rate, 0) && bucket.take(rate, 0) && !bucket.take(rate, 0));
        assert!(bucket.take(rate, 1100) && !bucket.take(rate, 1200));
    }
}
