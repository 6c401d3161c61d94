//! The messages between the screens that study a game and their worker.

use alloc::{boxed::Box, string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use serde_json::Error;
use texas42_protocol::{
    GameView,
    review::{BidGrid, PunishedLine, ReviewedDecision, ReviewedHand, SeatAccuracy},
    to_json,
};
use texas42_vocab::{Action, Scoring, Seat};

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
    /// Continue the review of a game up to the next decision. Answer with [`FromStudyWorker::Reviewed`] or
    /// [`FromStudyWorker::NotReplayed`]. The page asks again until the review is done, so it can stop at any time.
    Review {
        /// The code of the game.
        code: String,
        /// Whether to start again.
        from_start: bool,
    },
    /// Compute the next row of the grid of a bid. Answer with [`FromStudyWorker::Grid`].
    Grid {
        /// The code of the game.
        code: String,
        /// The event at which a seat was to bid.
        event: u32,
    },
    /// What follows from a choice with all hands open. Answer with [`FromStudyWorker::Line`].
    Line {
        /// The code of the game.
        code: String,
        /// The event of the decision.
        event: u32,
        /// The choice.
        action: Action,
    },
}

/// A part of a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPart {
    /// The steps of the review that are done, and all of them.
    pub done: u32,
    /// See `done`.
    pub total: u32,
    /// What the game counts.
    pub scoring: Scoring,
    /// The number of events before each step of the replay.
    pub events: Vec<u32>,
    /// The decision that was reviewed, if this part has one.
    #[serde(default)]
    pub decision: Option<ReviewedDecision>,
    /// The hand that was looked at, as far as it is reviewed.
    #[serde(default)]
    pub hand: Option<ReviewedHand>,
    /// How well each seat played so far.
    pub seats: [SeatAccuracy; 4],
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
    /// A part of a review. The last one is that in which everything is done.
    Reviewed(Box<ReviewPart>),
    /// The grid of a bid, with the rows so far. Without a grid, no seat was to bid at the event.
    Grid {
        /// The grid.
        grid: Option<BidGrid>,
        /// The number of rows of the finished grid.
        total: u32,
    },
    /// What follows from a choice. Without a line, the choice leads to no play by itself.
    Line {
        /// The event of the decision.
        event: u32,
        /// The choice.
        action: Action,
        /// What follows.
        line: Option<PunishedLine>,
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
