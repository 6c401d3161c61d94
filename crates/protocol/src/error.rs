//! The only error that goes over the wire: a code for programs, a sentence for people, and what would be right.

use alloc::{boxed::Box, string::String};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What went wrong, as a word that a program can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The message cannot be read.
    BadMessage,
    /// The configuration cannot be played.
    BadConfig,
    /// There is no such game here.
    NoSuchGame,
    /// The connection has not joined.
    NotJoined,
    /// The key opens nothing, or nothing any more.
    BadKey,
    /// The session lacks the capability.
    NotAllowed,
    /// The seat is taken, or no seat is free.
    SeatTaken,
    /// The players are still gathering.
    NotStarted,
    /// The rules refuse the action.
    Refused,
    /// The action was decided on an older version of the table.
    Stale,
    /// Too many requests; try again later.
    RateLimited,
    /// The table has as many sessions or invitations as it may have.
    Full,
    /// The table could not write it down; nothing has happened.
    NotStored,
}

/// An error on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireError {
    /// For programs.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// The field that is wrong, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The rule that refuses an action, with its facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<Value>>,
}

impl WireError {
    /// An error with a code and a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, reason: None }
    }

    /// The same, about one field.
    #[must_use]
    pub fn at(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }
}
