//! The server's metrics in Prometheus format. Counting costs one atomic addition.

use std::{
    fmt::Write,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// A number that only increases.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to the counter.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// The current value.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    /// Increments the gauge until the guard is dropped.
    pub fn track(&self) -> GaugeGuard<'_> {
        self.up();
        GaugeGuard(self)
    }

    pub(crate) fn up(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn down(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Replaces a contribution of `before` with `after`.
    pub(crate) fn change(&self, before: u64, after: u64) {
        self.0.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
    }

    /// The current value.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Decrements a [`Gauge`] when it is dropped.
#[derive(Debug)]
pub struct GaugeGuard<'a>(&'a Gauge);

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.down();
    }
}

/// The upper bounds of the buckets in microseconds; the last bucket is unbounded.
const BUCKETS: [u64; 12] = [100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000];

/// A histogram of durations.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BUCKETS.len() + 1],
    microseconds: AtomicU64,
}

impl Histogram {
    /// Adds one duration.
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

/// All metrics of a server.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "`Metrics::text` has a help text for each")]
pub struct Metrics {
    pub connections: Gauge,
    pub streams: Gauge,
    pub rooms: Gauge,
    pub bots: Gauge,
    pub body_bytes: Gauge,
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
    pub commit_time: Histogram,
    pub store_works: AtomicBool,
}

impl Metrics {
    /// Creates metrics with all counters at zero.
    pub fn new() -> Self {
        Self { store_works: AtomicBool::new(true), ..Self::default() }
    }

    /// All metrics in the Prometheus text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let gauges = [
            ("connections", "Open WebSocket connections.", &self.connections),
            ("streams", "Open HTTP connections.", &self.streams),
            ("rooms", "Tables in memory.", &self.rooms),
            ("programs", "Bots seated at tables.", &self.bots),
            ("body_bytes", "Bytes of request bodies in memory.", &self.body_bytes),
        ];
        for (name, help, gauge) in gauges {
            let value = gauge.value();
            writeln!(text, "# HELP texas42_{name} {help}\n# TYPE texas42_{name} gauge\ntexas42_{name} {value}").ok();
        }
        let counters = [
            ("http_requests_total", "HTTP requests.", &self.requests),
            ("messages_in_total", "Messages from clients.", &self.messages_in),
            ("messages_out_total", "Messages to clients.", &self.messages_out),
            ("errors_total", "Refused requests.", &self.errors),
            ("rate_limited_total", "Requests refused by a rate limit.", &self.rate_limited),
            ("slow_clients_total", "Connections closed because the client did not read.", &self.slow_clients),
            ("refused_origins_total", "Requests refused because of their origin.", &self.refused_origins),
            ("tables_created_total", "Tables created.", &self.tables_created),
            ("tables_forgotten_total", "Inactive tables deleted.", &self.tables_forgotten),
            ("rooms_restored_total", "Tables restored from the store.", &self.rooms_restored),
            ("commits_total", "Database transactions.", &self.commits),
            ("stores_total", "Writes requested by tables.", &self.stores),
            ("events_total", "Events stored.", &self.events),
            ("store_failures_total", "Failed database transactions.", &self.store_failures),
        ];
        for (name, help, counter) in counters {
            let value = counter.value();
            writeln!(text, "# HELP texas42_{name} {help}\n# TYPE texas42_{name} counter\ntexas42_{name} {value}").ok();
        }
        self.commit_time.write(&mut text, "texas42_commit_seconds", "Duration of database transactions.");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_their_buckets() {
        let metrics = Metrics::new();
        metrics.commit_time.observe(Duration::from_micros(200));
        metrics.commit_time.observe(Duration::from_secs(5));
        let text = metrics.text();
        assert!(text.contains("texas42_commit_seconds_bucket{le=\"0.0001\"} 0"), "{text}");
        assert!(text.contains("texas42_commit_seconds_bucket{le=\"0.00025\"} 1"), "{text}");
        assert!(text.contains("texas42_commit_seconds_bucket{le=\"+Inf\"} 2"), "{text}");
    }
}
