//! The addresses that count as one client in limits.

use core::net::{IpAddr, Ipv6Addr};

/// The key under which the limits of a client address are kept. With IPv6 it is the /64 network, because one customer has a
/// whole network and could use a new address for each request.
///
/// ```
/// use texas42_hosting::client_network;
///
/// let network = |address: &str| client_network(address.parse().unwrap());
/// assert_eq!(network("2001:db8::1"), network("2001:db8::2"));
/// assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
/// assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
/// ```
pub const fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !(u64::MAX as u128))),
        v4 => v4,
    }
}
