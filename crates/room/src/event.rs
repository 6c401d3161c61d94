//! The log of a table: the game's actions and everything around them, in one numbered sequence. Only the log is stored;
//! derived data never is.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use texas42_engine::deal::{Hex, Key, key_from_hex};
use texas42_kernel::{KeyHash, Session};
use texas42_protocol::{Entropy, Grant, Intent, PlayerId, RequestId, TableOptions, read_field};
use texas42_vocab::{Action, Config};

/// An event with its time, in milliseconds of the table's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredEvent {
    /// The time.
    pub at: u64,
    /// The event.
    pub event: Event,
}

/// Something that happened at a table. Events are stored forever: every variant and field must stay readable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// The table was created.
    Created {
        /// The rules of the game.
        #[serde(deserialize_with = "read_field")]
        config: Config,
        /// How the table is run.
        #[serde(deserialize_with = "read_field")]
        table: TableOptions,
        /// The secret that the deals come from.
        secret: Secret,
        /// The games before, if the table was imported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<EarlierGames>,
    },
    /// An invite was created.
    Invited {
        /// Who created it.
        by: PlayerId,
        /// The client's id for the request.
        request_id: RequestId,
        /// The number of the invite.
        number: u32,
        /// The hash of its key.
        key: KeyHash,
        /// What it grants.
        grant: Grant,
    },
    /// An invite was revoked.
    Revoked {
        /// Who revoked it.
        by: PlayerId,
        /// The client's id for the request.
        request_id: RequestId,
        /// The number of the invite.
        number: u32,
    },
    /// A session joined.
    Joined {
        /// The session.
        session: Session,
        /// The player's randomness.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
    },
    /// A session left for good.
    Left {
        /// The session.
        player_id: PlayerId,
    },
    /// A player is ready.
    Ready {
        /// The player.
        by: PlayerId,
        /// The client's id for the request.
        request_id: RequestId,
    },
    /// The game started, and the first hand was dealt.
    Started {
        /// The secret of the next game. It is chosen, and its hash is shown, before players contribute randomness for
        /// that game.
        next: Secret,
    },
    /// An action, an undo or a change of control.
    Acted {
        /// Who initiated it. Absent if the table did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PlayerId>,
        /// The client's id for the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// The action.
        action: Action,
        /// A bot's reason, if a session at the table may see it.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_field")]
        intent: Option<Intent>,
    },
    /// A player requested an undo, or agreed to one.
    UndoAsked {
        /// The player.
        by: PlayerId,
        /// The client's id for the request.
        request_id: RequestId,
        /// The number of events of the game to go back to.
        to: u16,
    },
    /// Another game started at the same table.
    Rematch {
        /// Who requested it.
        by: PlayerId,
        /// The client's id for the request.
        request_id: RequestId,
        /// The player's new randomness.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
        /// The secret of the game after this one.
        next: Secret,
    },
}

impl Event {
    /// The request that resulted in this event.
    pub fn request(&self) -> Option<(&PlayerId, &RequestId)> {
        match self {
            Self::Acted { by: Some(by), request_id: Some(request_id), .. }
            | Self::Invited { by, request_id, .. }
            | Self::Revoked { by, request_id, .. }
            | Self::Ready { by, request_id }
            | Self::UndoAsked { by, request_id, .. }
            | Self::Rematch { by, request_id, .. } => Some((by, request_id)),
            Self::Acted { .. }
            | Self::Created { .. }
            | Self::Joined { .. }
            | Self::Left { .. }
            | Self::Started { .. } => None,
        }
    }
}

/// The games of a table before it was imported. They are part of the randomness of the imported game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierGames {
    /// The number of games.
    pub games: u32,
    /// The hash of the log of the last one, 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// 256 random bits that a table deals from. Stored, but never shown before the game is over, and never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(pub(crate) Key);

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        key_from_hex(&text).map(Self).ok_or_else(|| de::Error::custom("a secret is 64 hexadecimal digits"))
    }
}
