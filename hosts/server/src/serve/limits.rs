//! Limits per connection and per client address. Requests over a limit get an error response.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex},
    time::Duration,
};

use texas42_hosting::{Bucket, Rate};

use super::clock::uptime;

/// Maximum number of tracked addresses. Beyond it, idle addresses are dropped first.
const MAX_ADDRESSES: usize = 10_000;

#[derive(Debug)]
struct Address {
    connections: u32,
    streams: u32,
    tables: Bucket,
    requests: Bucket,
    files: Bucket,
    seen: Duration,
}

/// Limits of one client address, for all its connections together.
#[derive(Clone, Copy, Debug)]
pub struct AddressLimits {
    /// Maximum number of open WebSockets.
    pub connections: u32,
    /// Maximum number of open HTTP connections.
    pub streams: u32,
    /// Rate limit for new tables.
    pub tables: Rate,
    /// Rate limit for HTTP requests and new connections.
    pub requests: Rate,
}

impl AddressLimits {
    /// Rate limit for files of the page. It is generous: a page needs many files at once, they are cheap to serve, and
    /// several people may share an address.
    fn files(self) -> Rate {
        Rate { burst: self.requests.burst * 8.0, per_second: self.requests.per_second * 4.0 }
    }
}

/// The recent activity of every client address.
#[derive(Debug)]
pub(crate) struct Addresses {
    limits: AddressLimits,
    known: Mutex<HashMap<IpAddr, Address>>,
}

impl Addresses {
    pub(crate) fn new(limits: AddressLimits) -> Self {
        Self { limits, known: Mutex::default() }
    }

    /// Counts a new WebSocket; returns `false` if the address has too many.
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

    /// Counts a new HTTP connection until the guard is dropped; `None` if the address has too many.
    pub(crate) fn open_stream(self: &Arc<Self>, address: IpAddr) -> Option<OpenStream> {
        let may = self.with(address, |known, limits, _| {
            let may = known.streams < limits.streams;
            known.streams += u32::from(may);
            may
        });
        may.then(|| OpenStream { addresses: Arc::clone(self), address })
    }

    pub(crate) fn may_create(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.tables.take(limits.tables, now))
    }

    pub(crate) fn may_request(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.requests.take(limits.requests, now))
    }

    pub(crate) fn may_load_page(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.files.take(limits.files(), now))
    }

    fn with(&self, address: IpAddr, act: impl FnOnce(&mut Address, AddressLimits, Duration) -> bool) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        let now = uptime();
        if known.len() >= MAX_ADDRESSES {
            drop_idle(&mut known, now);
        }
        let fresh = || Address {
            connections: 0,
            streams: 0,
            tables: Bucket::full(self.limits.tables, now),
            requests: Bucket::full(self.limits.requests, now),
            files: Bucket::full(self.limits.files(), now),
            seen: now,
        };
        let entry = known.entry(tracking_key(address)).or_insert_with(fresh);
        entry.seen = now;
        act(entry, self.limits, now)
    }
}

/// Counts an HTTP connection of an address until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.addresses.with(self.address, |known, _, _| {
            known.streams = known.streams.saturating_sub(1);
            true
        });
    }
}

/// The key under which an address is tracked. With IPv6 it is the /64 network, because one customer has a whole network
/// and could use a new address for each request.
fn tracking_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

impl Address {
    const fn is_connected(&self) -> bool {
        self.connections > 0 || self.streams > 0
    }
}

/// Drops addresses without connections that have been idle long enough for their buckets to be full. If that is not
/// enough, drops all addresses without connections.
fn drop_idle(known: &mut HashMap<IpAddr, Address>, now: Duration) {
    let quiet = Duration::from_secs(600);
    known.retain(|_, address| address.is_connected() || now.saturating_sub(address.seen) < quiet);
    if known.len() >= MAX_ADDRESSES {
        known.retain(|_, address| address.is_connected());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let rate = Rate { burst: 1.0, per_second: 0.001 };
        let addresses = Addresses::new(AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate });
        let ask = |text: &str| addresses.may_request(text.parse().unwrap());
        assert!(ask("2001:db8::1") && !ask("2001:db8::2") && ask("2001:db8:0:1::1"));
        assert!(ask("192.0.2.1") && !ask("::ffff:192.0.2.1"));
    }

    #[test]
    fn limits_the_http_connections_of_an_address() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let addresses =
            Arc::new(Addresses::new(AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate }));
        let one = IpAddr::from([127, 0, 0, 1]);
        let stream = addresses.open_stream(one);
        assert!(stream.is_some() && addresses.open_stream(one).is_none());
        assert!(addresses.connect(one), "WebSockets must be counted separately");
        drop(stream);
        assert!(addresses.open_stream(one).is_some());
    }

    #[test]
    fn limits_the_connections_of_an_address_and_the_number_of_addresses() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let addresses = Addresses::new(AddressLimits { connections: 2, streams: 2, tables: rate, requests: rate });
        let one = IpAddr::from([127, 0, 0, 1]);
        assert!(addresses.connect(one) && addresses.connect(one) && !addresses.connect(one));
        addresses.disconnect(one);
        assert!(addresses.connect(one));
        for number in 0..30_000_u32 {
            addresses.may_request(IpAddr::from(number.to_be_bytes()));
        }
        assert!(addresses.known.lock().unwrap().len() <= MAX_ADDRESSES);
        assert!(!addresses.connect(one), "an address with connections must not be dropped");
    }
}
