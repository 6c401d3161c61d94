//! The log of a table: the game's actions and everything around them, in one numbered sequence. Only the log is stored;
//! derived data never is.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use texas42_engine::deal::{Hex, Key, key_from_hex};
use texas42_kernel::{KeyHash, Session};
use texas42_protocol::{Entropy, Grant, Intent, PlayerId, RequestId, TableOptions};
use texas42_vocab::{Action, Config};

/// An event with its time, in milliseconds of the table's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredEvent {
    /// The time.
    pub at: u64,
    /// The event.
    pub event: Event,
}

texas42_vocab::tagged! {
    "Event": tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase", expecting = "an event";
    /// Something that happened at a table. Events are stored forever: every variant and field must stay readable.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Event {
        /// The table was created.
        Created {
            /// The rules of the game.
            config: Config,
            /// How the table is run.
            table: TableOptions,
            /// The secret that the deals come from.
            secret: Secret,
            /// The games before, if the table was imported.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            earlier: Option<EarlierGames>,
            /// The hands that this table deals itself, if the table was imported in the middle of a game. Imported tables of
            /// earlier versions have none: the whole game was dealt elsewhere.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            later: Option<LaterDeals>,
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
            /// Whether it waits for the next deal: until then it neither sees nor plays the hand of its seat.
            #[serde(default, skip_serializing_if = "core::ops::Not::not")]
            waits: bool,
        },
        /// A session ended: a visitor or a bot left, or an invite was revoked. In logs of version 0.1.0, also the session of a
        /// player who gave up the seat.
        Left {
            /// The session.
            player_id: PlayerId,
        },
        /// A player gave up the seat for good.
        GaveUp {
            /// The session.
            player_id: PlayerId,
        },
        /// An invited bot was away for too long, or did not decide in time. A bot of the host plays its seat until it
        /// returns.
        BotAbsent {
            /// The session of the invited bot.
            player_id: PlayerId,
            /// Whether it was present but did not decide in time. Then it returns with a move, or in the next hand.
            #[serde(default, skip_serializing_if = "core::ops::Not::not")]
            is_late: bool,
        },
        /// An invited bot returned, and plays its seat again.
        BotReturned {
            /// The session of the invited bot.
            player_id: PlayerId,
        },
        /// A person who plays or manages the table has been without a connection for some seconds. Logged if there are others.
        /// Or a player who keeps the seat left while no bot could play it: before a game, after it, or as its only person.
        PersonAbsent {
            /// The person.
            player_id: PlayerId,
            /// Whether the person asked to leave. Then a bot plays the seat as soon as others play.
            #[serde(default, skip_serializing_if = "core::ops::Not::not")]
            has_left: bool,
        },
        /// An absent person is connected again.
        PersonReturned {
            /// The person.
            player_id: PlayerId,
        },
        /// All hosts have been absent for too long. This person acts as host until one of them returns.
        HostPassed {
            /// The person.
            player_id: PlayerId,
        },
        /// A player at a rated table left in the middle of a hand, or handed the seat to a bot between hands. Until this deal, the
        /// bot plays, and the player does not see the hand.
        WaitsForDeal {
            /// The player.
            player_id: PlayerId,
            /// The number of the first hand that the player plays again.
            first_deal: u32,
        },
        /// A player is ready.
        Ready {
            /// The player.
            by: PlayerId,
            /// The client's id for the request.
            request_id: RequestId,
        },
        /// A player allowed the coaches of the seat to talk, or ended it.
        CoachAllowed {
            /// The player.
            by: PlayerId,
            /// The client's id for the request.
            request_id: RequestId,
            /// Whether they may talk.
            allowed: bool,
        },
        /// The rules and options were changed before the first game.
        Configured {
            /// Who changed them.
            by: PlayerId,
            /// The client's id for the request.
            request_id: RequestId,
            /// The rules of the game.
            config: Config,
            /// How the table is run.
            table: TableOptions,
        },
        /// The game started, and the first hand was dealt.
        Started {
            /// The secret of the next game. It is chosen, and its hash is shown, before players contribute randomness for
            /// that game.
            next: Secret,
            /// Whether the draw for the first shaker depends on the secret.
            #[serde(default, skip_serializing_if = "core::ops::Not::not")]
            secret_draw: bool,
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
            #[serde(default, skip_serializing_if = "Option::is_none")]
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
        /// A player declined the pending undo request, which ended it.
        UndoDeclined {
            /// The player.
            by: PlayerId,
            /// The client's id for the request.
            request_id: RequestId,
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
            /// Whether the draw for the first shaker depends on the secret.
            #[serde(default, skip_serializing_if = "core::ops::Not::not")]
            secret_draw: bool,
            /// The new rules, if they were changed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            config: Option<Config>,
            /// The new options, if they were changed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            table: Option<TableOptions>,
        },
    }
}

impl Event {
    /// The request that resulted in this event.
    pub fn request(&self) -> Option<(&PlayerId, &RequestId)> {
        match self {
            Self::Acted { by: Some(by), request_id: Some(request_id), .. }
            | Self::Invited { by, request_id, .. }
            | Self::Revoked { by, request_id, .. }
            | Self::Ready { by, request_id }
            | Self::CoachAllowed { by, request_id, .. }
            | Self::Configured { by, request_id, .. }
            | Self::UndoAsked { by, request_id, .. }
            | Self::UndoDeclined { by, request_id }
            | Self::Rematch { by, request_id, .. } => Some((by, request_id)),
            Self::Acted { .. }
            | Self::Created { .. }
            | Self::Joined { .. }
            | Self::Left { .. }
            | Self::GaveUp { .. }
            | Self::BotAbsent { .. }
            | Self::BotReturned { .. }
            | Self::PersonAbsent { .. }
            | Self::PersonReturned { .. }
            | Self::HostPassed { .. }
            | Self::WaitsForDeal { .. }
            | Self::Started { .. } => None,
        }
    }

    /// The rules that the event introduces.
    pub(crate) const fn new_config(&self) -> Option<&Config> {
        match self {
            Self::Created { config, .. } | Self::Configured { config, .. } => Some(config),
            Self::Rematch { config, .. } => config.as_ref(),
            Self::Invited { .. }
            | Self::Revoked { .. }
            | Self::Joined { .. }
            | Self::Left { .. }
            | Self::GaveUp { .. }
            | Self::BotAbsent { .. }
            | Self::BotReturned { .. }
            | Self::PersonAbsent { .. }
            | Self::PersonReturned { .. }
            | Self::HostPassed { .. }
            | Self::WaitsForDeal { .. }
            | Self::Ready { .. }
            | Self::CoachAllowed { .. }
            | Self::Started { .. }
            | Self::Acted { .. }
            | Self::UndoAsked { .. }
            | Self::UndoDeclined { .. } => None,
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

/// The hands of an imported game that its new table deals, so that nobody knows them from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaterDeals {
    /// The number of the first of these hands.
    pub from_hand: u32,
    /// The secret that they come from.
    pub secret: Secret,
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
