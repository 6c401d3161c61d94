//! Times in microseconds, and how they are spread.

/// Every time that was measured.
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

    /// `p50 …, p99 …, p99.9 …, most …` in milliseconds.
    pub(crate) fn spread(&mut self) -> String {
        self.0.sort_unstable();
        let at = |share: f64| {
            let place = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
            f64::from(self.0.get(place).copied().unwrap_or(0)) / 1000.0
        };
        format!("p50 {:.1} ms, p99 {:.1} ms, p99.9 {:.1} ms, most {:.1} ms", at(0.5), at(0.99), at(0.999), at(1.0))
    }
}
