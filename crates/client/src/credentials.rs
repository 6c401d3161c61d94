//! How a client gets to a table: by creating one, with an invite, or with a stored ticket.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_protocol::{Capability, ClientMessage, Entropy, GameId, Name, RequestId, Role, SecretKey, TableOptions};
use texas42_vocab::{Config, Seat};

/// How a client enters a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Create a table and take its first seat.
    Create {
        /// The rules of the game.
        config: Config,
        /// How the table is run.
        table: TableOptions,
        /// The creator's name.
        name: Name,
        /// The creator's randomness, mixed into the deals.
        entropy: Option<Entropy>,
    },
    /// Join an existing table.
    Join {
        /// The table.
        game_id: GameId,
        /// The key of the invite. Without one, the client watches an open table.
        invitation: Option<SecretKey>,
        /// The player's name.
        name: Name,
        /// The requested role. If omitted, the role that the invite grants.
        role: Option<Role>,
        /// The requested seat, if the invite leaves a choice.
        seat: Option<Seat>,
        /// Limits the session to these capabilities. If omitted, all that the invite grants.
        capabilities: Option<Vec<Capability>>,
        /// The player's randomness, mixed into the deals.
        entropy: Option<Entropy>,
    },
}

impl Credentials {
    /// Creates a table with default settings.
    pub fn create(name: Name) -> Self {
        Self::Create { config: Config::default(), table: TableOptions::default(), name, entropy: None }
    }

    /// Joins with an invite, or watches an open table without one.
    pub const fn join(game_id: GameId, invitation: Option<SecretKey>, name: Name) -> Self {
        Self::Join { game_id, invitation, name, role: None, seat: None, capabilities: None, entropy: None }
    }

    /// The message that enters the table. Repeating it with the same key leads to the same session.
    pub(crate) fn message(
        &self,
        request_id: RequestId,
        session_key: Option<SecretKey>,
        version: Option<u64>,
    ) -> ClientMessage {
        let request_id = Some(request_id);
        match self.clone() {
            Self::Create { config, table, name, entropy } => {
                ClientMessage::CreateGame { request_id, config, table, name, entropy, session_key }
            }
            Self::Join { game_id, invitation, name, role, seat, capabilities, entropy } => ClientMessage::JoinGame {
                game_id,
                request_id,
                key: invitation,
                session_key,
                name,
                role,
                seat,
                capabilities,
                entropy,
                version,
            },
        }
    }

    pub(crate) const fn name(&self) -> &Name {
        match self {
            Self::Create { name, .. } | Self::Join { name, .. } => name,
        }
    }
}

/// What a client stores to reconnect to its session later. It contains a secret key: store it accordingly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ticket {
    /// The table.
    pub game_id: GameId,
    /// The key of the session.
    pub key: SecretKey,
    /// The name of the session.
    pub name: Name,
}
