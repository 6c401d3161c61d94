//! The connections of a table.

use alloc::{collections::BTreeMap, sync::Arc};

use texas42_protocol::{GameView, PlayerId};

use super::ConnectionId;

#[derive(Debug)]
pub(super) struct Connection {
    /// The session behind it; watchers without a key have an id and no session.
    pub(super) player_id: PlayerId,
    /// The view that the other side has, while it is subscribed. Those who see the same share it.
    pub(super) shown: Option<Arc<GameView>>,
    /// It is there for one request only, and nobody is shown as present by it.
    pub(super) is_passing: bool,
    /// Nothing but watching came with it: it has no session.
    pub(super) is_watching: bool,
}

/// The connections of a table, in the order of their ids.
pub(super) type Connections = BTreeMap<ConnectionId, Connection>;
