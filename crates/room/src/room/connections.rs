//! The connections of a table.

use alloc::{collections::BTreeMap, sync::Arc};

use texas42_protocol::{GameView, PlayerId};

use super::ConnectionId;

#[derive(Debug)]
pub(super) struct Connection {
    /// The session, or an id without a session for spectators without a key.
    pub(super) player_id: PlayerId,
    /// The last view sent, while the connection is subscribed. Connections with the same view share it.
    pub(super) shown: Option<Arc<GameView>>,
    /// The version of the lobby that was sent last, if one was.
    pub(super) lobby: Option<u64>,
    /// Whether it exists for a single request only. Such a connection does not affect presence.
    pub(super) is_transient: bool,
    /// Whether it belongs to a spectator without a session.
    pub(super) is_spectator: bool,
}

/// The connections of a table, ordered by id.
pub(super) type Connections = BTreeMap<ConnectionId, Connection>;
