//! What the server counts, as Prometheus reads it. Counting costs one atomic addition.

use std::{
    fmt::Write,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// The number.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    /// One more, until the guard is dropped.
    pub fn enter(&self) -> Entered<'_> {
        self.up();
        Entered(self)
    }

    pub(crate) fn up(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn down(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// So many instead of so many.
    pub(crate) fn change(&self, before: u64, after: u64) {
        self.0.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
    }

    /// The number.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One of a [`Gauge`].
#[derive(Debug)]
pub struct Entered<'a>(&'a Gauge);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.down();
    }
}

/// The upper ends of the buckets, in microseconds; the last bucket has none.
const BUCKETS: [u64; 12] = [100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000];

/// Times, counted in buckets.
#[derive(Debug, Default)]
pub struct Times {
    buckets: [AtomicU64; BUCKETS.len() + 1],
    microseconds: AtomicU64,
}

impl Times {
    /// Counts one.
    pub fn observe(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.partition_point(|end| *end < micros);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(micros, Ordering::Relaxed);
    }

    fn write(&self, text: &mut String, name: &str, help: &str) {
        let mut total = 0;
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} histogram").ok();
        for (bucket, count) in self.buckets.iter().enumerate() {
            total += count.load(Ordering::Relaxed);
            let end = BUCKETS.get(bucket).map_or("+Inf".to_owned(), |end| (*end as f64 / 1e6).to_string());
            writeln!(text, "{name}_bucket{{le=\"{end}\"}} {total}").ok();
        }
        let sum = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        writeln!(text, "{name}_sum {sum}\n{name}_count {total}").ok();
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "each is explained where it is written, in `Metrics::text`")]
pub struct Metrics {
    pub connections: Gauge,
    pub streams: Gauge,
    pub rooms: Gauge,
    pub programs: Gauge,
    pub requests: Counter,
    pub messages_in: Counter,
    pub messages_out: Counter,
    pub errors: Counter,
    pub rate_limited: Counter,
    pub slow_clients: Counter,
    pub refused_origins: Counter,
    pub tables_created: Counter,
    pub tables_forgotten: Counter,
    pub rooms_restored: Counter,
    pub commits: Counter,
    pub stores: Counter,
    pub events: Counter,
    pub store_failures: Counter,
    pub commit_time: Times,
    pub store_works: AtomicBool,
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self { store_works: AtomicBool::new(true), ..Self::default() }
    }

    /// All of it in the text format of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let gauges = [
            ("connections", "WebSockets that are open.", &self.connections),
            ("streams", "Connections that speak HTTP.", &self.streams),
            ("rooms", "Tables that are in memory.", &self.rooms),
            ("programs", "Programs that sit at tables.", &self.programs),
        ];
        for (name, help, gauge) in gauges {
            let value = gauge.value();
            writeln!(text, "# HELP texas42_{name} {help}\n# TYPE texas42_{name} gauge\ntexas42_{name} {value}").ok();
        }
        let counters = [
            ("http_requests_total", "HTTP requests.", &self.requests),
            ("messages_in_total", "Messages of clients.", &self.messages_in),
            ("messages_out_total", "Messages to clients.", &self.messages_out),
            ("errors_total", "Requests that were refused.", &self.errors),
            ("rate_limited_total", "Requests that came too fast.", &self.rate_limited),
            ("slow_clients_total", "Connections closed because the client did not read.", &self.slow_clients),
            ("refused_origins_total", "Requests of pages of other origins.", &self.refused_origins),
            ("tables_created_total", "Tables that were set up.", &self.tables_created),
            (
                "tables_forgotten_total",
                "Tables that were removed because nothing happened there.",
                &self.tables_forgotten,
            ),
            ("rooms_restored_total", "Tables that were read from the store.", &self.rooms_restored),
            ("commits_total", "Transactions of the store.", &self.commits),
            ("stores_total", "What tables asked to be stored.", &self.stores),
            ("events_total", "Events that were stored.", &self.events),
            ("store_failures_total", "Transactions that failed.", &self.store_failures),
        ];
        for (name, help, counter) in counters {
            let value = counter.value();
            writeln!(text, "# HELP texas42_{name} {help}\n# TYPE texas42_{name} counter\ntexas42_{name} {value}").ok();
        }
        self.commit_time.write(&mut text, "texas42_commit_seconds", "How long a transaction took.");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_fall_into_their_buckets() {
        let metrics = Metrics::new();
        metrics.commit_time.observe(Duration::from_micros(200));
        metrics.commit_time.observe(Duration::from_secs(5));
        let text = metrics.text();
        assert!(text.contains("texas42_commit_seconds_bucket{le=\"0.0001\"} 0"), "{text}");
        assert!(text.contains("texas42_commit_seconds_bucket{le=\"0.00025\"} 1"), "{text}");
        assert!(text.contains("texas42_commit_seconds_bucket{le=\"+Inf\"} 2"), "{text}");
    }
}
