//! Latencies and their percentiles.

/// All measured latencies in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<u32>);

impl Times {
    pub(crate) fn add(&mut self, micros: u128) {
        self.0.push(u32::try_from(micros).unwrap_or(u32::MAX));
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The percentile for `share` (0.99 for p99), in milliseconds.
    pub(crate) fn percentile(&mut self, share: f64) -> f64 {
        self.0.sort_unstable();
        let place = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
        f64::from(self.0.get(place).copied().unwrap_or(0)) / 1000.0
    }

    /// `p50 …, p99 …, p99.9 …, most …` in milliseconds; `most` is the maximum.
    pub(crate) fn summary(&mut self) -> String {
        let [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(|share| self.percentile(share));
        format!("p50 {p50:.1} ms, p99 {p99:.1} ms, p99.9 {p999:.1} ms, most {max:.1} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_hundred_latencies() {
        let mut times = Times::default();
        assert_eq!(times.percentile(0.5), 0.0);
        (1..=100).rev().for_each(|time| times.add(time * 1000));
        assert_eq!((times.percentile(0.5), times.percentile(0.99), times.percentile(1.0)), (51.0, 100.0, 100.0));
    }
}
