//! The messages between the page and its Web Worker, as JSON text.
//!
//! The page sends [`ToWorker`], the worker replies with [`FromWorker`]. A *frame* is a message between a client and a
//! table (`texas42-protocol`), exactly as a WebSocket would carry it; everything else is a request to the worker
//! itself. A page has a *channel* for each person who plays on this device; the first is number 0. Messages contain
//! frames and other JSON documents as text, so that they arrive unchanged. Both sides deserialize with `read` and
//! serialize with `write`. The worker answers text that it cannot read with [`FromWorker::Unreadable`]; the page logs
//! such text.
//!
//! The screens that study a game have a worker of their own, which the page reaches with [`ToStudyWorker`] and [`FromStudyWorker`].
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
use serde_json::Error;
use texas42_phrases::Remark;
use texas42_protocol::{DrawWitness, GameId, GameView, HandWitness, to_json};
use texas42_vocab::Seat;

mod study;

pub use study::{FromStudyWorker, ReplayFault, ReviewPart, ToStudyWorker};

/// A message from the page to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", expecting = "a message to the worker")]
pub enum ToWorker {
    /// A client message for a table. The table reads it and reports errors.
    Frame {
        /// The number of the channel. Each channel is a connection of its own, for each person who plays on this device.
        channel: u8,
        /// The message, as JSON.
        text: String,
    },
    /// How bots play from now on.
    ConfigureBots(OfflineBotSettings),
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
        witnesses: Vec<HandWitness>,
        /// The draw for the first shaker, if the page saw it.
        #[serde(default)]
        draw: Option<DrawWitness>,
    },
    /// Answer with [`FromWorker::Advised`].
    Advise {
        /// The version of the view. The reply repeats it, so that the page can discard advice about an older view.
        version: u64,
        /// The seat to advise.
        seat: Seat,
        /// What that seat sees.
        view: Box<GameView>,
    },
}

/// A message from the worker to the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", expecting = "a message from the worker")]
pub enum FromWorker {
    /// A server message from a table.
    Frame {
        /// The number of the channel.
        channel: u8,
        /// The message, as JSON.
        text: String,
    },
    /// This browser has no storage: a reload loses the game.
    StorageUnavailable,
    /// Storing an event failed. The page must start a new worker, which resumes from what is stored.
    StorageFailed,
    /// The events of an exported table, in order.
    Exported {
        /// Each event in its stored form, as JSON.
        log: Vec<String>,
    },
    /// The record of the finished hands. Absent if the table does not exist or has no finished hand.
    Recorded {
        /// The record, in the format of `texas42 replay`.
        record: Option<String>,
    },
    /// The result of checking hands.
    Verified(DealVerification),
    /// An expert's advice about a view.
    Advised {
        /// The version of the view in the request.
        version: u64,
        /// One piece of advice for each valid action of the seat, in the order of the view.
        advice: Vec<ActionAdvice>,
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
pub struct OfflineBotSettings {
    /// The shortest delay before an action, in milliseconds.
    #[serde(rename = "leastWait")]
    pub min_delay: u32,
    /// The longest delay before an action, in milliseconds.
    #[serde(rename = "mostWait")]
    pub max_delay: u32,
    /// The name of their strategy.
    pub level: String,
}

/// Whether hands were dealt, and the first shaker drawn, as the table had committed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DealVerification {
    /// How many hands were checked.
    pub checked: usize,
    /// The numbers of the hands that were dealt differently, starting at 0.
    pub wrong: Vec<u32>,
    /// Whether the first shaker was drawn as the table had committed to, if the page saw the draw.
    #[serde(default)]
    pub shaker: Option<bool>,
}

/// An expert's advice about one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionAdvice {
    /// Whether the expert would choose this action. True for exactly one action of a reply.
    pub is_best: bool,
    /// The expert's remarks about it.
    pub why: Vec<Remark>,
}

impl ToWorker {
    /// Deserializes a message from the page.
    ///
    /// # Errors
    /// If the text is not a message.
    pub fn read(text: &str) -> Result<Self, Error> {
        texas42_vocab::read(text)
    }

    /// The message as JSON.
    pub fn write(&self) -> String {
        to_json(self)
    }
}

impl FromWorker {
    /// Deserializes a message from the worker.
    ///
    /// # Errors
    /// If the text is not a message.
    pub fn read(text: &str) -> Result<Self, Error> {
        texas42_vocab::read(text)
    }

    /// The message as JSON.
    pub fn write(&self) -> String {
        to_json(self)
    }
}
