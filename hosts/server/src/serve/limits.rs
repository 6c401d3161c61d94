//! Limits per connection and per client address. Requests over a limit get an error response.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use texas42_hosting::{Bucket, Rate, client_network};

use super::clock::uptime;

/// Maximum number of tracked addresses. Beyond it, idle addresses are dropped first.
const MAX_ADDRESSES: usize = 10_000;

#[derive(Debug)]
struct Address {
    connections: u32,
    streams: u32,
    tables: Bucket,
    requests: Bucket,
    codes: Bucket,
    files: Bucket,
    /// Bytes of request bodies in memory.
    body_bytes: usize,
    last_seen: Duration,
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
    /// Rate limit for looking up the codes of lobbies, so that they cannot be guessed.
    pub codes: Rate,
}

impl AddressLimits {
    /// The usual rate limit for looking up codes: a family that types several wrong ones is not stopped, and an address
    /// tries fewer than 9,000 of the 64,000,000 codes in a day.
    pub const CODES: Rate = Rate { burst: 10.0, per_second: 0.1 };

    /// Rate limit for files of the page. It is generous: a page needs many files at once, they are cheap to serve, and
    /// several people may share an address.
    fn files(self) -> Rate {
        Rate { burst: self.requests.burst * 8.0, per_second: self.requests.per_second * 4.0 }
    }
}

/// Limits of the memory for request bodies, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// For the requests of one client address.
    pub per_address: usize,
    /// For all requests together.
    pub total: usize,
}

impl Default for BodyLimits {
    /// Two imports at a time from one address.
    fn default() -> Self {
        Self { per_address: 8 << 20, total: 256 << 20 }
    }
}

/// The limit that a request exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverLimit {
    /// The limit of its client address.
    Address,
    /// The limit of the server.
    Server,
}

/// The recent activity of every client address.
#[derive(Debug)]
pub(crate) struct Addresses {
    limits: AddressLimits,
    bodies: BodyLimits,
    /// Bytes of request bodies in memory, of all addresses.
    body_bytes: AtomicUsize,
    known: Mutex<HashMap<IpAddr, Address>>,
}

impl Addresses {
    pub(crate) fn new(limits: AddressLimits, bodies: BodyLimits) -> Self {
        Self { limits, bodies, body_bytes: AtomicUsize::new(0), known: Mutex::default() }
    }

    /// Counts a new WebSocket; returns `false` if the address has too many.
    pub(crate) fn connect(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, _| {
            let is_allowed = known.connections < limits.connections;
            known.connections += u32::from(is_allowed);
            is_allowed
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
        let is_allowed = self.with(address, |known, limits, _| {
            let is_allowed = known.streams < limits.streams;
            known.streams += u32::from(is_allowed);
            is_allowed
        });
        is_allowed.then(|| OpenStream { addresses: Arc::clone(self), address })
    }

    pub(crate) fn may_create(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.tables.take(limits.tables, now))
    }

    pub(crate) fn may_request(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.requests.take(limits.requests, now))
    }

    pub(crate) fn may_look_up_code(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.codes.take(limits.codes, now))
    }

    pub(crate) fn may_load_page(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.files.take(limits.files(), now))
    }

    /// Counts memory for the body of a request. Give it back with [`release_buffer`](Self::release_buffer).
    pub(crate) fn buffer(&self, address: IpAddr, bytes: usize) -> Result<(), OverLimit> {
        let most = self.bodies.total;
        let grown = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= most);
        if self.body_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).is_err() {
            return Err(OverLimit::Server);
        }
        let most = self.bodies.per_address;
        let is_allowed = self.with(address, |known, _, _| {
            let is_allowed = known.body_bytes.saturating_add(bytes) <= most;
            known.body_bytes += if is_allowed { bytes } else { 0 };
            is_allowed
        });
        if !is_allowed {
            self.body_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(OverLimit::Address);
        }
        Ok(())
    }

    pub(crate) fn release_buffer(&self, address: IpAddr, bytes: usize) {
        self.body_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.with(address, |known, _, _| {
            known.body_bytes = known.body_bytes.saturating_sub(bytes);
            true
        });
    }

    fn with(&self, address: IpAddr, act: impl FnOnce(&mut Address, AddressLimits, Duration) -> bool) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        let now = uptime();
        if known.len() >= MAX_ADDRESSES {
            drop_idle(&mut known, now);
        }
        let new = || Address {
            connections: 0,
            streams: 0,
            tables: Bucket::full(self.limits.tables, now),
            requests: Bucket::full(self.limits.requests, now),
            codes: Bucket::full(self.limits.codes, now),
            files: Bucket::full(self.limits.files(), now),
            body_bytes: 0,
            last_seen: now,
        };
        let entry = known.entry(client_network(address)).or_insert_with(new);
        entry.last_seen = now;
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

impl Address {
    const fn is_connected(&self) -> bool {
        self.connections > 0 || self.streams > 0 || self.body_bytes > 0
    }
}

/// Drops addresses without connections that have been idle long enough for their buckets to be full. If that is not
/// enough, drops all addresses without connections.
fn drop_idle(known: &mut HashMap<IpAddr, Address>, now: Duration) {
    let idle = Duration::from_secs(600);
    known.retain(|_, address| address.is_connected() || now.saturating_sub(address.last_seen) < idle);
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
        let addresses = Addresses::new(
            AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate, codes: rate },
            BodyLimits::default(),
        );
        let ask = |text: &str| addresses.may_request(text.parse().unwrap());
        assert!(ask("2001:db8::1") && !ask("2001:db8::2") && ask("2001:db8:0:1::1"));
        assert!(ask("192.0.2.1") && !ask("::ffff:192.0.2.1"));
    }

    #[test]
    fn limits_the_http_connections_of_an_address() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let addresses = Arc::new(Addresses::new(
            AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate, codes: rate },
            BodyLimits::default(),
        ));
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
        let addresses = Addresses::new(
            AddressLimits { connections: 2, streams: 2, tables: rate, requests: rate, codes: rate },
            BodyLimits::default(),
        );
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

    #[test]
    fn limits_the_memory_for_bodies_of_an_address_and_of_all() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let limits = AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate, codes: rate };
        let addresses = Addresses::new(limits, BodyLimits { per_address: 10, total: 25 });
        let [one, two, three] = [1, 2, 3].map(|last| IpAddr::from([127, 0, 0, last]));
        assert_eq!(addresses.buffer(one, 10), Ok(()));
        assert_eq!(addresses.buffer(one, 1), Err(OverLimit::Address));
        assert_eq!((addresses.buffer(two, 10), addresses.buffer(three, 5)), (Ok(()), Ok(())));
        assert_eq!(addresses.buffer(three, 1), Err(OverLimit::Server));
        addresses.release_buffer(two, 10);
        assert_eq!(addresses.buffer(three, 5), Ok(()));
    }
}
