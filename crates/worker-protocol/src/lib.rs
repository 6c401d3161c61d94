//! The messages between the page and its Web Worker, as JSON text.
//!
//! The page sends [`ToWorker`], the worker replies with [`FromWorker`]. A *frame* is a message between a client and a
//! table (`texas42-protocol`), exactly as a WebSocket would carry it; everything else is a request to the worker
//! itself. Both sides deserialize with `read` and serialize with `write`. The worker answers text that it cannot read
//! with [`FromWorker::Unreadable`]; the page logs such text.
//!
//! ```
//! use texas42_worker_protocol::{FromWorker, ToWorker};
//!
//! assert_eq!(ToWorker::Release.write(), r#""release""#);
//! assert!(matches!(FromWorker::read(r#"{"recorded":{"record":null}}"#), Ok(FromWorker::Recorded { record: None })));
//! assert!(ToWorker::read("release").is_err());
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::{boxed::Box, string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use serde_json::{Error, value::RawValue};
use texas42_phrases::Remark;
use texas42_protocol::{GameId, GameView, HandWitness, read_field, to_json};
use texas42_vocab::Seat;

/// A message from the page to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToWorker {
    /// A client message for a table. It stays JSON here: the table reads it and reports errors.
    Frame(Box<RawValue>),
    /// How bots play from now on.
    ConfigureBots(BotSettings),
    /// Answer with [`FromWorker::Exported`], then process nothing before [`ToWorker::Release`].
    Export {
        /// The table to export.
        game_id: GameId,
    },
    /// Continue after an export.
    Release,
    /// Answer with [`FromWorker::Recorded`].
    Record {
        /// The table whose record is requested.
        game_id: GameId,
    },
    /// Answer with [`FromWorker::Verified`].
    Verify {
        /// The hands to check.
        #[serde(deserialize_with = "read_field")]
        witnesses: Vec<HandWitness>,
    },
    /// Answer with [`FromWorker::Advised`].
    Advise {
        /// The version of the view. The reply repeats it, so that the page can discard advice about an older view.
        version: u64,
        /// The seat to advise.
        seat: Seat,
        /// What that seat sees.
        #[serde(deserialize_with = "read_field")]
        view: Box<GameView>,
    },
}

/// A message from the worker to the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FromWorker {
    /// A server message from a table, as JSON.
    Frame(Box<RawValue>),
    /// This browser has no storage: a reload loses the game.
    StorageUnavailable,
    /// Storing an event failed. The page must start a new worker, which resumes from what is stored.
    StorageFailed,
    /// The events of an exported table, in order.
    Exported {
        /// Each event in its stored form.
        log: Vec<Box<RawValue>>,
    },
    /// The record of the finished hands. Absent if the table does not exist or has no finished hand.
    Recorded {
        /// The record, in the format of `texas42 replay`.
        record: Option<Box<RawValue>>,
    },
    /// The result of checking hands.
    Verified(Verdict),
    /// An expert's advice about a view.
    Advised {
        /// The version of the view in the request.
        version: u64,
        /// One piece of advice for each valid action of the seat, in the order of the view.
        #[serde(deserialize_with = "read_field")]
        advice: Vec<Advice>,
    },
    /// The worker could not read a message.
    Unreadable {
        /// Why, for logs.
        error: String,
    },
}

/// How the bots of a browser play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BotSettings {
    /// The shortest delay before an action, in milliseconds.
    pub least_wait: u32,
    /// The longest delay before an action, in milliseconds.
    pub most_wait: u32,
    /// The name of their strategy.
    pub level: String,
}

/// Whether hands were dealt as the table had committed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// How many hands were checked.
    pub checked: usize,
    /// The numbers of the hands that were dealt differently, starting at 0.
    pub wrong: Vec<u32>,
}

/// An expert's advice about one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// Whether the expert would choose this action. True for exactly one action of a reply.
    pub is_best: bool,
    /// The expert's remarks about it.
    pub why: Vec<Remark>,
}

impl ToWorker {
    /// A client message, given as JSON.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn frame(text: String) -> Result<Self, Error> {
        RawValue::from_string(text).map(Self::Frame)
    }

    /// Deserializes a message from the page.
    ///
    /// # Errors
    /// If the text is not a message.
    pub fn read(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text)
    }

    /// The message as JSON.
    pub fn write(&self) -> String {
        to_json(self)
    }
}

impl FromWorker {
    /// A server message, given as JSON.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn frame(text: String) -> Result<Self, Error> {
        RawValue::from_string(text).map(Self::Frame)
    }

    /// An exported log; each event in its stored form.
    ///
    /// # Errors
    /// If an event is not JSON.
    pub fn exported(events: Vec<String>) -> Result<Self, Error> {
        let log = events.into_iter().map(RawValue::from_string).collect::<Result<_, _>>()?;
        Ok(Self::Exported { log })
    }

    /// The reply to [`ToWorker::Record`], with the record as JSON.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn recorded(record: Option<String>) -> Result<Self, Error> {
        Ok(Self::Recorded { record: record.map(RawValue::from_string).transpose()? })
    }

    /// Deserializes a message from the worker.
    ///
    /// # Errors
    /// If the text is not a message.
    pub fn read(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text)
    }

    /// The message as JSON.
    pub fn write(&self) -> String {
        to_json(self)
    }
}
