//! How much of the memory of an isolate the bodies of requests occupy, for each client address and in total. An isolate has
//! 128 MiB for all its requests and tables.

use std::{collections::BTreeMap, net::IpAddr};

/// Maximum number of bytes in one isolate: several imports at a time.
const MAX_TOTAL: usize = 32 << 20;
/// Maximum number of bytes for one client address: two imports at a time, as on the native server.
const MAX_PER_CLIENT: usize = 8 << 20;
/// Maximum number of client addresses with a body in memory at the same time. Beyond it, the isolate counts as full.
const MAX_CLIENTS: usize = 4096;

/// The limit that a body exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverLimit {
    /// That of its client address.
    Client,
    /// That of the isolate.
    Isolate,
}

/// The bytes of all bodies in memory. An address is listed as long as it has some.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    total: usize,
    by_client: BTreeMap<IpAddr, usize>,
}

impl BodyMemory {
    pub(crate) const fn new() -> Self {
        Self { total: 0, by_client: BTreeMap::new() }
    }

    /// Counts bytes of a body. A request without an address, which the Worker itself sends to an object, counts in total
    /// only: its body has been counted for the address already.
    pub(crate) fn take(&mut self, client: Option<IpAddr>, bytes: usize) -> Result<(), OverLimit> {
        if self.total + bytes > MAX_TOTAL {
            return Err(OverLimit::Isolate);
        }
        if let Some(client) = client {
            let used = self.by_client.get(&client).copied();
            if used.is_none() && self.by_client.len() >= MAX_CLIENTS {
                return Err(OverLimit::Isolate);
            }
            let sum = used.unwrap_or(0) + bytes;
            if sum > MAX_PER_CLIENT {
                return Err(OverLimit::Client);
            }
            self.by_client.insert(client, sum);
        }
        self.total += bytes;
        Ok(())
    }

    /// Gives back what was counted.
    pub(crate) fn release(&mut self, client: Option<IpAddr>, bytes: usize) {
        self.total = self.total.saturating_sub(bytes);
        let Some(client) = client else { return };
        let rest = self.by_client.get(&client).map_or(0, |used| used.saturating_sub(bytes));
        match rest {
            0 => self.by_client.remove(&client),
            rest => self.by_client.insert(client, rest),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn client(number: u32) -> Option<IpAddr> {
        Some(IpAddr::from(number.to_be_bytes()))
    }

    #[test]
    fn one_address_cannot_use_the_memory_of_the_others() {
        let mut memory = BodyMemory::new();
        assert_eq!(memory.take(client(1), 8 * MIB), Ok(()));
        assert_eq!(memory.take(client(1), 1), Err(OverLimit::Client));
        assert_eq!(memory.take(client(2), 8 * MIB), Ok(()));
        memory.release(client(1), MIB);
        assert_eq!((memory.take(client(1), MIB), memory.take(client(1), 1)), (Ok(()), Err(OverLimit::Client)));
    }

    #[test]
    fn all_bodies_together_are_bounded() {
        let mut memory = BodyMemory::new();
        for number in 0..4 {
            assert_eq!(memory.take(client(number), 8 * MIB), Ok(()));
        }
        assert_eq!(
            (memory.take(client(5), 1), memory.take(None, 1)),
            (Err(OverLimit::Isolate), Err(OverLimit::Isolate))
        );
        memory.release(client(0), MIB);
        assert_eq!(memory.take(None, MIB), Ok(()));
        assert_eq!(memory.take(client(5), 1), Err(OverLimit::Isolate));
    }

    #[test]
    fn the_list_of_addresses_is_bounded_and_empties() {
        let mut memory = BodyMemory::new();
        for number in 0..5000 {
            let taken = memory.take(client(number), 1);
            assert_eq!(taken.is_ok(), (number as usize) < MAX_CLIENTS);
        }
        (0..MAX_CLIENTS as u32).for_each(|number| memory.release(client(number), 1));
        assert!(memory.by_client.is_empty() && memory.total == 0);
    }
}
