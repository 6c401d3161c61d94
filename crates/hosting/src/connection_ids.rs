//! The ids of connections. Those of bots, connections and calls never meet: bots are below, by seat, and calls are above.

use texas42_room::ConnectionId;

/// The first id of a connection. Those below belong to the bots.
pub(crate) const FIRST_CONNECTION: ConnectionId = 16;
/// The first id of a call: no host sees so many connections.
pub(crate) const FIRST_CALL: ConnectionId = 1 << 40;

/// Gives out the ids of connections. A process has one: on most hosts a connection goes from table to table and keeps its id.
#[derive(Debug)]
pub struct ConnectionIds {
    next: ConnectionId,
}

impl ConnectionIds {
    /// From the beginning.
    pub const fn new() -> Self {
        Self { next: FIRST_CONNECTION }
    }

    /// For a host whose connections outlive it. It begins anywhere, so that an id which an earlier host gave out is not given
    /// to somebody else while news of its old connection may still be on its way. The bytes are random.
    pub const fn after_restart(random: [u8; 4]) -> Self {
        Self { next: FIRST_CONNECTION + u32::from_le_bytes(random) as ConnectionId }
    }

    /// The next one that nobody has.
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
    fn an_id_is_given_out_once_and_belongs_to_no_bot_and_no_call() {
        for mut ids in [ConnectionIds::new(), ConnectionIds::after_restart([255; 4])] {
            let first = ids.next(|_| false);
            let third = ids.next(|id| id == first + 1);
            assert_eq!(third, first + 2, "one that survived has the second");
            assert!((FIRST_CONNECTION..FIRST_CALL).contains(&first));
        }
    }
}
