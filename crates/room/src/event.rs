//! The log of a table: engine actions and everything around them, in one numbered sequence. It is all that is stored;
//! what can be derived from it is never stored as truth.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use texas42_engine::deal::{Hex, Key, key_from_hex};
use texas42_kernel::{KeyHash, Session};
use texas42_protocol::{Entropy, Grant, Intent, PlayerId, RequestId, TableOptions, read_field};
use texas42_vocab::{Action, Config};

/// An event and the time at which it happened, in milliseconds of the host's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// When.
    pub at: u64,
    /// What.
    pub event: Event,
}

/// Something that happened at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// The table was set up.
    Created {
        /// What is played.
        #[serde(deserialize_with = "read_field")]
        config: Config,
        /// How the table is run.
        #[serde(deserialize_with = "read_field")]
        table: TableOptions,
        /// What the deals come from.
        secret: Secret,
        /// What was played before, where the table was brought from elsewhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<Earlier>,
    },
    /// An invitation was made.
    Invited {
        /// Who made it.
        by: PlayerId,
        /// The client's number for it.
        request_id: RequestId,
        /// Its number.
        number: u32,
        /// The hash of its key.
        key: KeyHash,
        /// What it grants.
        grant: Grant,
    },
    /// An invitation was taken back.
    Revoked {
        /// Who took it back.
        by: PlayerId,
        /// The client's number for it.
        request_id: RequestId,
        /// Its number.
        number: u32,
    },
    /// Somebody came to the table.
    Joined {
        /// Who.
        session: Session,
        /// The newcomer's own randomness.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
    },
    /// Somebody left for good.
    Left {
        /// Who.
        player_id: PlayerId,
    },
    /// Somebody says that it may begin.
    Ready {
        /// Who.
        by: PlayerId,
        /// The client's number for it.
        request_id: RequestId,
    },
    /// Everybody is there, and the first hand is dealt.
    Started {
        /// What the deals of the next game will come from: it is chosen, and its hash is shown, before anybody gives
        /// randomness for that game.
        next: Secret,
    },
    /// The game took a step: a move, an undo, a change of control.
    Acted {
        /// Who started it; nobody when the table did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PlayerId>,
        /// The client's number for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// What.
        action: Action,
        /// What a program had in mind, where somebody at the table may see it.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_field")]
        intent: Option<Intent>,
    },
    /// Somebody asks to take back, or agrees to it.
    UndoAsked {
        /// Who.
        by: PlayerId,
        /// The client's number for it.
        request_id: RequestId,
        /// To how many events of the game.
        to: u16,
    },
    /// The same table plays again.
    Rematch {
        /// Who asked.
        by: PlayerId,
        /// The client's number for it.
        request_id: RequestId,
        /// The fresh randomness of the one who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
        /// What the deals of the game after this one will come from.
        next: Secret,
    },
}

impl Event {
    /// The request that became this event.
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

/// The games of a table before it came to this host. They go into the deals of the one that it came with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// How many.
    pub games: u32,
    /// The hash of everything that happened in the last of them, 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// 256 random bits from which a table deals. Stored, never shown before the game is over, never printed.
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
