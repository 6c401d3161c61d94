//! The ids of connections. The ranges are disjoint: bots have the lowest ids, by seat, and calls the highest.

use texas42_room::ConnectionId;

/// The first id of a connection. Lower ids belong to bots.
pub(crate) const FIRST_CONNECTION: ConnectionId = 16;
/// The first id of a call. No host has that many connections.
pub(crate) const FIRST_CALL: ConnectionId = 1 << 40;

/// Assigns connection ids. A process has one instance, because on most hosts a connection keeps its id when it moves
/// between tables.
#[derive(Debug)]
pub struct ConnectionIds {
    next: ConnectionId,
}

impl ConnectionIds {
    /// Starts with the first id.
    pub const fn new() -> Self {
        Self { next: FIRST_CONNECTION }
    }

    /// For a host whose connections outlive it. Starts at a random id, so that an id from before the restart is not
    /// reused while events of the old connection may still arrive.
    pub const fn after_restart(random: [u8; 4]) -> Self {
        Self { next: FIRST_CONNECTION + u32::from_le_bytes(random) as ConnectionId }
    }

    /// The next free id.
    pub fn next(&mut self, is_taken: impl Fn(ConnectionId) -> bool) -> ConnectionId {
        while is_taken(self.next) {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }
}

impl Default for ConnectionIds {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_outside_the_ranges_of_bots_and_calls() {
        for mut ids in [ConnectionIds::new(), ConnectionIds::after_restart([255; 4])] {
            let first = ids.next(|_| false);
            let third = ids.next(|id| id == first + 1);
            assert_eq!(third, first + 2, "a surviving connection has the second id");
            assert!((FIRST_CONNECTION..FIRST_CALL).contains(&first));
        }
    }

    #[test]
    fn after_a_restart_ids_start_at_the_random_number() {
        let first = |random: u32| ConnectionIds::after_restart(random.to_le_bytes()).next(|_| false);
        assert_eq!(first(0), FIRST_CONNECTION);
        assert_eq!(first(1), FIRST_CONNECTION + 1);
        assert_eq!(first(u32::MAX), FIRST_CONNECTION + ConnectionId::from(u32::MAX));
    }
}
