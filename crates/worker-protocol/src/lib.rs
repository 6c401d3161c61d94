//! The messages between the page and its Web Worker, as JSON text.
//!
//! The page sends [`ToWorker`], the worker answers with [`FromWorker`]. A *frame* is a message between a client and a table
//! (`texas42-protocol`), exactly as a WebSocket would carry it; everything else is a request to the worker itself. Both sides
//! read with `read` and write with `write`. The worker answers text that it cannot read with [`FromWorker::Unreadable`]; the
//! page logs what it cannot read.
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
    /// A client message for a table. It stays JSON here: the table reads it, and answers when it cannot.
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
        /// The table whose record is wanted.
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
        /// The version of the view; the answer carries it, so that the page can discard advice about an older view.
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
    /// Storing an event failed. The page has to start a new worker, which begins from what is stored.
    StorageFailed,
    /// The events of an exported table, in order.
    Exported {
        /// Each event as it is stored.
        log: Vec<Box<RawValue>>,
    },
    /// The record of the hands that are over; none when there is no such table or no such hand.
    Recorded {
        /// The record, as `texas42 replay` reads it.
        record: Option<Box<RawValue>>,
    },
    /// The result of checking hands.
    Verified(Verdict),
    /// What an expert says about a view.
    Advised {
        /// The version of the view in the question.
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
    /// The shortest wait before a move, in milliseconds.
    pub least_wait: u32,
    /// The longest wait before a move, in milliseconds.
    pub most_wait: u32,
    /// The name of their strategy.
    pub level: String,
}

/// Whether hands were dealt as the table promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// How many hands were checked.
    pub checked: usize,
    /// The numbers of the hands that were dealt otherwise, counted from 0.
    pub wrong: Vec<u32>,
}

/// What an expert says about one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// Whether the expert would choose it. One piece of advice of an answer says so.
    pub is_best: bool,
    /// What the expert says about it.
    pub why: Vec<Remark>,
}

impl ToWorker {
    /// A client message, given as JSON.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn frame(text: String) -> Result<Self, Error> {
        RawValue::from_string(text).map(Self::Frame)
    }

    /// Reads a message of the page.
    ///
    /// # Errors
    /// When the text is not a message. The error says why.
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
    /// When the text is not JSON.
    pub fn frame(text: String) -> Result<Self, Error> {
        RawValue::from_string(text).map(Self::Frame)
    }

    /// An exported log, of which each event is given as it is stored.
    ///
    /// # Errors
    /// When an event is not JSON.
    pub fn exported(events: Vec<String>) -> Result<Self, Error> {
        let log = events.into_iter().map(RawValue::from_string).collect::<Result<_, _>>()?;
        Ok(Self::Exported { log })
    }

    /// The answer to a question for a record, which is given as JSON.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn recorded(record: Option<String>) -> Result<Self, Error> {
        Ok(Self::Recorded { record: record.map(RawValue::from_string).transpose()? })
    }

    /// Reads a message of the worker.
    ///
    /// # Errors
    /// When the text is not a message. The error says why.
    pub fn read(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text)
    }

    /// The message as JSON.
    pub fn write(&self) -> String {
        to_json(self)
    }
}
