//! Bounds on what one connection and one address may ask for. Whoever goes over gets an answer that says so.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::Mutex,
    time::{Duration, Instant},
};

/// So many addresses are remembered; when there are more, those that have been quiet are forgotten first.
const MOST_ADDRESSES: usize = 10_000;

/// What is allowed: so many at once, and so many a second in the long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// At once.
    pub burst: f32,
    /// A second.
    pub per_second: f32,
}

/// A bucket of tokens that fills with time; each request takes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    tokens: f32,
    at: Instant,
}

impl Bucket {
    pub(crate) fn full(rate: Rate, now: Instant) -> Self {
        Self { tokens: rate.burst, at: now }
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self, rate: Rate, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f32();
        self.tokens = (self.tokens + passed * rate.per_second).min(rate.burst);
        self.at = now;
        let has_one = self.tokens >= 1.0;
        if has_one {
            self.tokens -= 1.0;
        }
        has_one
    }
}

#[derive(Debug)]
struct Address {
    connections: u32,
    tables: Bucket,
    requests: Bucket,
    seen: Instant,
}

/// What an address may do, all its connections together.
#[derive(Clone, Copy, Debug)]
pub struct AddressLimits {
    /// Open connections.
    pub connections: u32,
    /// New tables.
    pub tables: Rate,
    /// HTTP requests and new connections.
    pub requests: Rate,
}

/// What every address has done lately.
#[derive(Debug)]
pub(crate) struct Addresses {
    limits: AddressLimits,
    known: Mutex<HashMap<IpAddr, Address>>,
}

impl Addresses {
    pub(crate) fn new(limits: AddressLimits) -> Self {
        Self { limits, known: Mutex::default() }
    }

    /// One more connection, if the address may have it.
    pub(crate) fn connect(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, _| {
            let may = known.connections < limits.connections;
            known.connections += u32::from(may);
            may
        })
    }

    pub(crate) fn disconnect(&self, address: IpAddr) {
        self.with(address, |known, _, _| {
            known.connections = known.connections.saturating_sub(1);
            true
        });
    }

    pub(crate) fn may_create(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.tables.take(limits.tables, now))
    }

    pub(crate) fn may_ask(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.requests.take(limits.requests, now))
    }

    fn with(&self, address: IpAddr, act: impl FnOnce(&mut Address, AddressLimits, Instant) -> bool) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        let now = Instant::now();
        if known.len() >= MOST_ADDRESSES {
            forget_quiet(&mut known, now);
        }
        let fresh = || Address {
            connections: 0,
            tables: Bucket::full(self.limits.tables, now),
            requests: Bucket::full(self.limits.requests, now),
            seen: now,
        };
        let entry = known.entry(address).or_insert_with(fresh);
        entry.seen = now;
        act(entry, self.limits, now)
    }
}

/// Forgets addresses without a connection that have been quiet for so long that their buckets are full again; when that
/// is not enough, all without a connection.
fn forget_quiet(known: &mut HashMap<IpAddr, Address>, now: Instant) {
    let quiet = Duration::from_secs(600);
    known.retain(|_, address| address.connections > 0 || now.duration_since(address.seen) < quiet);
    if known.len() >= MOST_ADDRESSES {
        known.retain(|_, address| address.connections > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills() {
        let rate = Rate { burst: 2.0, per_second: 1.0 };
        let start = Instant::now();
        let mut bucket = Bucket::full(rate, start);
        assert!(bucket.take(rate, start) && bucket.take(rate, start) && !bucket.take(rate, start));
        assert!(bucket.take(rate, start + Duration::from_millis(1100)));
        assert!(!bucket.take(rate, start + Duration::from_millis(1200)));
    }

    #[test]
    fn an_address_has_so_many_connections_and_the_memory_is_bounded() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let addresses = Addresses::new(AddressLimits { connections: 2, tables: rate, requests: rate });
        let one = IpAddr::from([127, 0, 0, 1]);
        assert!(addresses.connect(one) && addresses.connect(one) && !addresses.connect(one));
        addresses.disconnect(one);
        assert!(addresses.connect(one));
        for number in 0..30_000_u32 {
            addresses.may_ask(IpAddr::from(number.to_be_bytes()));
        }
        assert!(addresses.known.lock().unwrap().len() <= MOST_ADDRESSES);
        assert!(!addresses.connect(one), "an address with connections is never forgotten");
    }
}
