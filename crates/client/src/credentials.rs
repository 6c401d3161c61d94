//! How a client gets to a table: by creating one, with an invite, with the code of its lobby, or with a stored ticket.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_protocol::{
    Capability, ClientMessage, Entropy, GameId, LobbyCode, Name, RequestId, Role, SecretKey, TableOptions,
};
use texas42_vocab::{Config, Seat};

/// How a client enters a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Create a table and join it.
    Create {
        /// The rules of the game.
        config: Config,
        /// How the table is run.
        table: TableOptions,
        /// The creator's name.
        name: Name,
        /// The creator's role. If omitted, a player.
        role: Option<Role>,
        /// The creator's seat or, for a coach, the student's. If omitted, a player takes the first seat for a person.
        seat: Option<Seat>,
        /// The creator's randomness, mixed into the deals.
        entropy: Option<Entropy>,
    },
    /// Join an existing table.
    Join {
        /// The table.
        game_id: GameId,
        /// The key of the invite. Without one, the client watches an open table.
        invite: Option<SecretKey>,
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
    /// Wait in the lobby of a table until its host lets the client in.
    Knock {
        /// The table, which the code leads to.
        game_id: GameId,
        /// The code.
        code: LobbyCode,
        /// The key to join with after admission: 16 random bytes, and others for each request.
        key: SecretKey,
        /// The player's name.
        name: Name,
        /// The player's randomness, mixed into the deals.
        entropy: Option<Entropy>,
    },
}

impl Credentials {
    /// Creates a table with default settings.
    pub fn create(name: Name) -> Self {
        let (config, table) = (Config::default(), TableOptions::default());
        Self::Create { config, table, name, role: None, seat: None, entropy: None }
    }

    /// Joins with an invite, or watches an open table without one.
    pub const fn join(game_id: GameId, invite: Option<SecretKey>, name: Name) -> Self {
        Self::Join { game_id, invite, name, role: None, seat: None, capabilities: None, entropy: None }
    }

    /// What enters the table once its host has let the client in.
    pub(crate) fn admitted(&self) -> Self {
        match self.clone() {
            Self::Knock { game_id, key, name, entropy, .. } => {
                Self::Join { game_id, invite: Some(key), name, role: None, seat: None, capabilities: None, entropy }
            }
            other => other,
        }
    }

    /// The message that enters the table, or its lobby. Repeating it with the same key leads to the same session.
    pub(crate) fn message(
        &self,
        request_id: RequestId,
        session_key: Option<SecretKey>,
        version: Option<u64>,
    ) -> ClientMessage {
        let request_id = Some(request_id);
        match self.clone() {
            Self::Create { config, table, name, role, seat, entropy } => {
                ClientMessage::CreateGame { request_id, config, table, name, role, seat, entropy, session_key }
            }
            Self::Join { game_id, invite, name, role, seat, capabilities, entropy } => ClientMessage::JoinGame {
                game_id,
                request_id,
                key: invite,
                session_key,
                name,
                role,
                seat,
                capabilities,
                entropy,
                version,
            },
            Self::Knock { game_id, code, key, name, .. } => {
                ClientMessage::Knock { game_id, request_id, code, name, key: Some(key) }
            }
        }
    }

    pub(crate) const fn name(&self) -> &Name {
        match self {
            Self::Create { name, .. } | Self::Join { name, .. } | Self::Knock { name, .. } => name,
        }
    }
}

/// What a client stores to reconnect to its session later. It contains a secret key: store it accordingly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "struct Ticket without other fields")]
pub struct Ticket {
    /// The table.
    pub game_id: GameId,
    /// The key of the session.
    pub key: SecretKey,
    /// The name of the session.
    pub name: Name,
}
