//! The ways to a table: set one up, come with an invitation, come back with what was kept.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_protocol::{Capability, ClientMessage, Entropy, GameId, Name, RequestId, Role, SecretKey, TableOptions};
use texas42_vocab::{Config, Seat};

/// What brings a client to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// Set up a table and take its first seat.
    Create {
        /// What is played.
        config: Config,
        /// How the table is run.
        table: TableOptions,
        /// What the creator is called.
        name: Name,
        /// The creator's own randomness for the deals.
        entropy: Option<Entropy>,
    },
    /// Come to a table that stands.
    Join {
        /// Which.
        game_id: GameId,
        /// The key of the invitation; without it, to watch a table that is open to that.
        invitation: Option<SecretKey>,
        /// What the newcomer is called.
        name: Name,
        /// As what; without it, as what the invitation grants.
        role: Option<Role>,
        /// Which seat, where the invitation leaves a choice.
        seat: Option<Seat>,
        /// Only these capabilities; without it, all that the invitation grants.
        capabilities: Option<Vec<Capability>>,
        /// The newcomer's own randomness for the deals.
        entropy: Option<Entropy>,
    },
}

impl Entrance {
    /// A usual table of one's own.
    pub fn create(name: Name) -> Self {
        Self::Create { config: Config::default(), table: TableOptions::default(), name, entropy: None }
    }

    /// Comes with an invitation, or to watch an open table without one.
    pub const fn join(game_id: GameId, invitation: Option<SecretKey>, name: Name) -> Self {
        Self::Join { game_id, invitation, name, role: None, seat: None, capabilities: None, entropy: None }
    }

    /// What is said at the door. Whoever knocks again with the same key gets the same place.
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

/// What a client keeps to come back to its session, also after it was closed. The key in it is a secret: it is written
/// where its owner keeps secrets, and nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ticket {
    /// Which table.
    pub game_id: GameId,
    /// The key of the session.
    pub key: SecretKey,
    /// What the session is called.
    pub name: Name,
}
