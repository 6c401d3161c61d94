//! The messages between clients and a table, the same over every transport.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use texas42_vocab::{Action, Config, Control, Seat};

use crate::{
    bounded::{Entropy, GameId, Name, PlayerId, RequestId, SecretKey},
    capability::{Capability, Role},
    error::WireError,
    intent::Intent,
    patch::ViewPatch,
    read::read_field,
    view::{GameView, PlayerView},
};

/// What a client says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase", deny_unknown_fields)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum ClientMessage {
    /// Sets up a table and takes its first seat for a person.
    CreateGame {
        /// The client's number for this request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// What is played.
        #[serde(default, deserialize_with = "read_field")]
        config: Config,
        /// How the table is run.
        #[serde(default, deserialize_with = "read_field")]
        table: TableOptions,
        /// What the creator is called.
        name: Name,
        /// The creator's own randomness for the deals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
        /// The key to come back with, made by the client: the same request again finds the same seat. Without it, the
        /// table makes one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_key: Option<SecretKey>,
    },
    /// Comes to a table, or comes back.
    JoinGame {
        /// Which table.
        game_id: GameId,
        /// The client's number for this request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// The key of an invitation, or one that the table has made to come back with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<SecretKey>,
        /// The key to come back with, made by the client. Whoever joins again with it comes back, so that a lost answer
        /// costs no seat and a repeated request takes no second one. Without it, the table makes one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_key: Option<SecretKey>,
        /// What the newcomer is called.
        name: Name,
        /// As what; without it, as what the key grants.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<Role>,
        /// Which seat, where the key leaves a choice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
        /// Only these of the capabilities that the key grants; without it, all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capabilities: Option<Vec<Capability>>,
        /// The newcomer's own randomness for the deals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
        /// The last version that the client has, when it comes back. The answer is a full view, whatever was missed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
    },
    /// Gives the seat up for good.
    LeaveGame {
        /// Which table.
        game_id: GameId,
        /// The client's number for this request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
    },
    /// Asks for updates, beginning with a full view.
    Subscribe {
        /// Which table.
        game_id: GameId,
    },
    /// Asks for no more updates.
    Unsubscribe {
        /// Which table.
        game_id: GameId,
    },
    /// Does something.
    ExecuteAction {
        /// Which table.
        game_id: GameId,
        /// The client's number: the same number is done once and answered alike.
        request_id: RequestId,
        /// The version on which the decision was made.
        version: u64,
        /// What.
        action: ActionMessage,
        /// What a program has in mind with it, for those at the table who may see that. People keep theirs to
        /// themselves: what a person's client writes here is dropped.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_field")]
        intent: Option<Intent>,
    },
    /// Puts a program on a seat, or takes a program's place.
    SetPlayerControl {
        /// Which table.
        game_id: GameId,
        /// The client's number for this request.
        request_id: RequestId,
        /// Which seat.
        player: Seat,
        /// Who moves it from now on.
        control_type: Control,
        /// The version on which the decision was made; without it, it holds for any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
    },
    /// Makes an invitation, or takes one back.
    Invite {
        /// Which table.
        game_id: GameId,
        /// The client's number for this request.
        request_id: RequestId,
        /// What the invitation grants; without it, `revoke` is looked at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<Grant>,
        /// The key of the invitation, made by the client. Without it, the table makes one and shows it once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<SecretKey>,
        /// The number of the invitation that is taken back, with everybody who came with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revoke: Option<u32>,
    },
    /// Plays again at the same table, with the same seats and settings.
    Rematch {
        /// Which table.
        game_id: GameId,
        /// The client's number for this request.
        request_id: RequestId,
        /// The player's own randomness for the new deals; without it, that of the last game counts again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entropy: Option<Entropy>,
    },
    /// Says that it may begin, at a table that waits for that. Whoever sits down anew says it for themselves.
    Ready {
        /// Which table.
        game_id: GameId,
        /// The client's number for this request.
        request_id: RequestId,
    },
    /// Asks whether anybody is there.
    Ping {
        /// Any number; it comes back.
        #[serde(default)]
        nonce: u64,
    },
}

/// An action as a client sends it. Whatever a client writes beside the action itself (metadata, authority) is dropped
/// here, before anything looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ActionMessage(pub Action);

/// How a table is run, beside what is played. What it is not is left out of what is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct TableOptions {
    /// Whether the deals follow from the public seed (lessons, challenges) or from a secret that is revealed afterwards.
    pub deal: DealKind,
    /// Whether the game begins only when everybody who plays has said `READY`; without it, it begins when all are there.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub ready: bool,
    /// Seconds for a decision before a program takes over; without it, there is no clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_seconds: Option<u16>,
    /// Milliseconds for which a complete trick or a scored hand lies on the table before it goes on.
    pub pause: u16,
    /// Whether results count: then nothing is taken back once hidden dominoes have been seen.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub rated: bool,
    /// Whether anybody may watch without an invitation.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub open_to_spectators: bool,
    /// Whether people see hints, where the table has them.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub hints: bool,
    /// Whether hands may be shown to those who are invited to see them while they are played. Everybody at the table is
    /// told, and such a table never counts.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub open_hands: bool,
    /// Whether the game was begun on the device of its first player and brought along, so that this device has dealt and
    /// could know the hands. The table says so by itself; the next game is dealt here.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub brought: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            deal: DealKind::Secret,
            ready: false,
            turn_seconds: None,
            pause: 1200,
            rated: false,
            open_to_spectators: false,
            hints: false,
            open_hands: false,
            brought: false,
        }
    }
}

/// Where the deals come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DealKind {
    /// A secret of the table and the players' own randomness; committed before, revealed after.
    #[default]
    Secret,
    /// The public seed of the configuration.
    Seeded,
}

/// What an invitation grants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Grant {
    /// As what.
    pub role: Role,
    /// Which seat: to sit on, or to coach. Without it, any free one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// Whether a spectator sees the hands while they are played.
    #[serde(default)]
    pub open_hands: bool,
    /// How many whole hands a spectator is behind.
    #[serde(default)]
    pub delay_hands: u8,
    /// How many can come with it; without it, one for a seat or a coach, and any number to watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u8>,
}

impl Grant {
    /// The invitation that grants a role and nothing out of the ordinary.
    pub const fn of(role: Role) -> Self {
        Self { role, seat: None, open_hands: false, delay_hands: 0, uses: None }
    }

    /// How many can come with it, if that is bounded.
    pub const fn most_uses(&self) -> Option<u8> {
        match (self.uses, self.role) {
            (None, Role::Spectator) => None,
            (None, _) => Some(1),
            (bounded, _) => bounded,
        }
    }
}

/// What a table says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum ServerMessage {
    /// The table stands, and its creator sits.
    GameCreated {
        /// Which request this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// Its id.
        game_id: GameId,
        /// The creator's public id.
        player_id: PlayerId,
        /// The key to come back with, where the client brought none. It is shown this once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<SecretKey>,
        /// The version of the view.
        version: u64,
        /// The table.
        #[serde(deserialize_with = "read_field")]
        view: GameView,
    },
    /// The newcomer is at the table.
    Joined {
        /// Which request this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// Which table.
        game_id: GameId,
        /// The newcomer's public id.
        player_id: PlayerId,
        /// The seat, for those who sit.
        seat: Option<Seat>,
        /// What the session may do and see.
        capabilities: Vec<Capability>,
        /// The key to come back with, when it is new and the client brought none. It is shown this once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<SecretKey>,
        /// The version of the view.
        version: u64,
        /// The table.
        #[serde(deserialize_with = "read_field")]
        view: GameView,
    },
    /// The invitation that was asked for.
    Invited {
        /// Which request this answers.
        request_id: RequestId,
        /// Its number, by which it can be revoked.
        invitation: u32,
        /// The key to hand on, where the client brought none. It is shown this once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<SecretKey>,
        /// Whether it is taken back.
        #[serde(default, skip_serializing_if = "core::ops::Not::not")]
        is_revoked: bool,
    },
    /// The session is over: its holder has left, or its invitation was taken back.
    Left {
        /// Which request this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// Which table.
        game_id: GameId,
    },
    /// The table has moved on by one event.
    StateUpdate {
        /// Which table.
        game_id: GameId,
        /// The version after the event.
        version: u64,
        /// The request that this answers, in the messages to the one who made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ack: Option<Ack>,
        /// What happened, if it was an action.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_action: Option<Action>,
        /// The whole table…
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_field")]
        view: Option<GameView>,
        /// …or what has changed in the view of the version before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        patch: Option<ViewPatch>,
    },
    /// Somebody came, went, or changed.
    PlayerStatus {
        /// Which table.
        game_id: GameId,
        /// Who, as the table shows it from now on.
        #[serde(deserialize_with = "read_field")]
        player: PlayerView,
        /// What happened.
        status: Status,
    },
    /// Long work goes on.
    Progress {
        /// Which work.
        operation: Operation,
        /// How much of it is done, in percent.
        progress: u8,
    },
    /// Something was wrong, and nothing has happened.
    Error {
        /// The kind of message that was wrong, where it could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_type: Option<String>,
        /// Which request this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<RequestId>,
        /// What was wrong.
        error: WireError,
        /// The version of the view.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
        /// The table as it stands, so that the client can decide again.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_field")]
        view: Option<GameView>,
    },
    /// Somebody is there.
    Pong {
        /// The number that was sent.
        nonce: u64,
        /// The clock of the table or of its host, in milliseconds: what deadlines are told in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<u64>,
    },
}

impl ServerMessage {
    /// The answer to a request that is refused: which kind of message and which request it was, where that is known.
    pub fn refusal(kind: Option<&str>, request_id: Option<RequestId>, error: WireError) -> Self {
        Self::Error { request_type: kind.map(Into::into), request_id, error, version: None, view: None }
    }

    /// The version of the table that it speaks of.
    pub const fn version(&self) -> Option<u64> {
        match self {
            Self::GameCreated { version, .. } | Self::Joined { version, .. } | Self::StateUpdate { version, .. } => {
                Some(*version)
            }
            Self::Error { version, .. } => *version,
            Self::Invited { .. }
            | Self::Left { .. }
            | Self::PlayerStatus { .. }
            | Self::Progress { .. }
            | Self::Pong { .. } => None,
        }
    }
}

/// The answer to a request that was accepted: the event that it became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ack {
    /// Which request.
    pub request_id: RequestId,
    /// The version after it.
    pub version: u64,
}

/// What happened to somebody at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Came to the table.
    Joined,
    /// Left it for good.
    Left,
    /// Came back.
    Connected,
    /// The connection is gone; the seat is kept.
    Disconnected,
    /// A person took over from a program, or a program from a person.
    ControlChanged,
    /// Asks to take back; others are asked to agree.
    UndoAsked,
}

/// Work that takes long enough to tell about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A deal of the wanted difficulty is looked for.
    SeedFinding,
}

impl ClientMessage {
    /// Its word in the field `type`.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The table that it is about; a table that is not there yet has no id, and nobody in particular is pinged.
    pub const fn game_id(&self) -> Option<&GameId> {
        match self {
            Self::JoinGame { game_id, .. }
            | Self::LeaveGame { game_id, .. }
            | Self::Subscribe { game_id }
            | Self::Unsubscribe { game_id }
            | Self::ExecuteAction { game_id, .. }
            | Self::SetPlayerControl { game_id, .. }
            | Self::Invite { game_id, .. }
            | Self::Rematch { game_id, .. }
            | Self::Ready { game_id, .. } => Some(game_id),
            Self::CreateGame { .. } | Self::Ping { .. } => None,
        }
    }

    /// The client's number for it.
    pub const fn request_id(&self) -> Option<&RequestId> {
        match self {
            Self::CreateGame { request_id, .. }
            | Self::JoinGame { request_id, .. }
            | Self::LeaveGame { request_id, .. } => request_id.as_ref(),
            Self::ExecuteAction { request_id, .. }
            | Self::SetPlayerControl { request_id, .. }
            | Self::Invite { request_id, .. }
            | Self::Rematch { request_id, .. }
            | Self::Ready { request_id, .. } => Some(request_id),
            Self::Subscribe { .. } | Self::Unsubscribe { .. } | Self::Ping { .. } => None,
        }
    }
}
