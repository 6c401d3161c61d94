//! The messages between the screens that study a game and their worker.

use alloc::{boxed::Box, string::String};

use serde::{Deserialize, Serialize};
use serde_json::Error;
use texas42_protocol::{GameView, to_json};
use texas42_vocab::Seat;

/// A message to the worker that studies a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    expecting = "a message to the worker that studies a game"
)]
pub enum ToStudyWorker {
    /// Answer with [`FromStudyWorker::Replayed`] or [`FromStudyWorker::NotReplayed`].
    Replay {
        /// The code of the game: what follows `#replay/` in a link.
        code: String,
        /// The step to show; 0 is the first deal. Steps beyond the end show the end.
        step: u32,
        /// The seat whose knowledge to show; without one, all hands are open.
        viewer: Option<Seat>,
    },
}

/// A message from the worker that studies a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    expecting = "a message from the worker that studies a game"
)]
pub enum FromStudyWorker {
    /// A step of a replay.
    Replayed {
        /// The step.
        step: u32,
        /// The number of the last step.
        steps: u32,
        /// The seat whose knowledge is shown; without one, all hands are open.
        viewer: Option<Seat>,
        /// The table at that step. The last one has the result. It has no players, because a code has no names.
        view: Box<GameView>,
    },
    /// The code of a replay leads to no game.
    NotReplayed(ReplayFault),
    /// The worker could not read a message.
    Unreadable {
        /// Why, for logs.
        error: String,
    },
}

/// Why a code cannot be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplayFault {
    /// Incomplete, modified, or no code at all.
    Damaged,
    /// Made by a version with later rules.
    LaterRules,
    /// Intact, but the game does not follow the rules of this version.
    OtherRules,
}

impl ToStudyWorker {
    /// Deserializes a message to the worker.
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

impl FromStudyWorker {
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
