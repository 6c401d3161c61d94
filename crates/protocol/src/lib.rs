//! The wire protocol: messages between clients and a table, views, errors, and how a client follows a table.
//!
//! Messages are JSON objects in camelCase, tagged with `type`. They are the same over WebSocket, Web Worker and direct
//! calls. Clients and bots need only this crate and `texas42-vocab`, never the engine. Deserializing enforces a limit
//! on everything that comes from outside.
//!
//! ```
//! use texas42_protocol::ClientMessage;
//!
//! let text = r#"{"type":"SUBSCRIBE","gameId":"abc123"}"#;
//! assert_eq!(serde_json::from_str::<ClientMessage>(text).unwrap().name(), "SUBSCRIBE");
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bounded;
mod capability;
mod error;
mod follower;
mod hint;
mod intent;
mod lobby;
mod message;
mod names;
mod numbered;
mod patch;
pub mod review;
mod view;

pub use bounded::{Entropy, GameId, IntentText, InvalidText, MAX_MESSAGE_BYTES, Name, PlayerId, RequestId, SecretKey};
pub use capability::{Capability, Role};
pub use error::{ErrorCode, WireError};
pub use follower::{FollowOutcome, Follower};
pub use hint::ActionHint;
pub use intent::Intent;
pub use lobby::{KnockStatus, LobbyCode, LobbyGuest, LobbyPlayer};
pub use message::{
    Ack, ActionMessage, BotLevel, ClientMessage, DealKind, Grant, Operation, ServerMessage, Status, TableOptions,
};
pub use patch::{CommonChanges, ViewPatch};
pub use texas42_vocab::{read, to_json};
pub use view::{
    ActionGroup, Blocked, Call, ChallengeView, ClaimView, Composition, ContractView, DealProof, Derived, DrawWitness,
    EffectView, GameView, HandSummary, HandWitness, IntentView, LaterProof, Metadata, OutcomeView, PlayView,
    PlayerHand, PlayerView, ResultView, RevealedHand, RulingView, StoryHand, TableView, TrickView, UndoView,
    ValidAction,
};
