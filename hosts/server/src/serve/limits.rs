//! Bounds on what one connection and one address may ask for. Whoever goes over gets an answer that says so.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex},
    time::Duration,
};

use texas42_hosting::{Bucket, Rate};

use super::clock::uptime;

/// So many addresses are remembered; when there are more, those that have been quiet are forgotten first.
const MOST_ADDRESSES: usize = 10_000;

#[derive(Debug)]
struct Address {
    connections: u32,
    streams: u32,
    tables: Bucket,
    requests: Bucket,
    files: Bucket,
    seen: Duration,
}

/// What an address may do, all its connections together.
#[derive(Clone, Copy, Debug)]
pub struct AddressLimits {
    /// Open WebSockets.
    pub connections: u32,
    /// Open streams that speak HTTP.
    pub streams: u32,
    /// New tables.
    pub tables: Rate,
    /// HTTP requests and new connections.
    pub requests: Rate,
}

impl AddressLimits {
    /// Files of the page, which are many at once and cost next to nothing: several people behind one address open it
    /// together.
    fn files(self) -> Rate {
        Rate { burst: self.requests.burst * 8.0, per_second: self.requests.per_second * 4.0 }
    }
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

    /// One more stream that speaks HTTP, until the guard is dropped, if the address may have it.
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

    pub(crate) fn may_ask(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.requests.take(limits.requests, now))
    }

    pub(crate) fn may_load(&self, address: IpAddr) -> bool {
        self.with(address, |known, limits, now| known.files.take(limits.files(), now))
    }

    fn with(&self, address: IpAddr, act: impl FnOnce(&mut Address, AddressLimits, Duration) -> bool) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        let now = uptime();
        if known.len() >= MOST_ADDRESSES {
            forget_quiet(&mut known, now);
        }
        let fresh = || Address {
            connections: 0,
            streams: 0,
            tables: Bucket::full(self.limits.tables, now),
            requests: Bucket::full(self.limits.requests, now),
            files: Bucket::full(self.limits.files(), now),
            seen: now,
        };
        let entry = known.entry(owner(address)).or_insert_with(fresh);
        entry.seen = now;
        act(entry, self.limits, now)
    }
}

/// A stream of an address.
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

/// Whom an address belongs to: with IPv6 one customer has a network of 64 bits, and could come from another address each
/// time.
fn owner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

impl Address {
    const fn is_here(&self) -> bool {
        self.connections > 0 || self.streams > 0
    }
}

/// Forgets addresses without a connection that have been quiet for so long that their buckets are full again; when that
/// is not enough, all without a connection.
fn forget_quiet(known: &mut HashMap<IpAddr, Address>, now: Duration) {
    let quiet = Duration::from_secs(600);
    known.retain(|_, address| address.is_here() || now.saturating_sub(address.seen) < quiet);
    if known.len() >= MOST_ADDRESSES {
        known.retain(|_, address| address.is_here());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let rate = Rate { burst: 1.0, per_second: 0.001 };
        let addresses = Addresses::new(AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate });
        let ask = |text: &str| addresses.may_ask(text.parse().unwrap());
        assert!(ask("2001:db8::1") && !ask("2001:db8::2") && ask("2001:db8:0:1::1"));
        assert!(ask("192.0.2.1") && !ask("::ffff:192.0.2.1"));
    }

    #[test]
    fn an_address_has_so_many_streams() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let addresses =
            Arc::new(Addresses::new(AddressLimits { connections: 1, streams: 1, tables: rate, requests: rate }));
        let one = IpAddr::from([127, 0, 0, 1]);
        let stream = addresses.open_stream(one);
        assert!(stream.is_some() && addresses.open_stream(one).is_none());
        assert!(addresses.connect(one), "a WebSocket is counted by itself");
        drop(stream);
        assert!(addresses.open_stream(one).is_some());
    }

    #[test]
    fn an_address_has_so_many_connections_and_the_memory_is_bounded() {
        let rate = Rate { burst: 5.0, per_second: 1.0 };
        let addresses = Addresses::new(AddressLimits { connections: 2, streams: 2, tables: rate, requests: rate });
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
