//! The review on the screen: what is known of it, whether it goes on, the grid of a bid, and what the person looks for.
//!
//! The worker answers each request with the next part. A review that is stopped asks for no more.

use leptos::prelude::*;
use texas42_protocol::review::{BidGrid, PunishedLine};
use texas42_vocab::{Action, Seat};
use texas42_worker_protocol::ReviewPart;

use crate::review::ReviewModel;

/// How far a review is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nobody has asked for it.
    Idle,
    /// The worker computes the next part.
    Running,
    /// The person has stopped it.
    Stopped,
    /// Everything is reviewed.
    Finished,
}

/// A decision for which the person looks for something better.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exercise {
    pub(crate) seat: Seat,
    pub(crate) event: u32,
    /// What the person tried last.
    pub(crate) tried: Option<Action>,
    /// What follows from it with all hands open.
    pub(crate) line: Option<PunishedLine>,
}

/// The review. A cheap handle that is copied freely.
#[derive(Clone, Copy)]
pub(crate) struct ReviewState {
    model: RwSignal<ReviewModel>,
    progress: RwSignal<Progress>,
    grid: RwSignal<Option<BidGrid>>,
    exercise: RwSignal<Option<Exercise>>,
    /// Whether an answer of the worker is on its way, which a stopped review still gets.
    is_asked: StoredValue<bool>,
}

impl ReviewState {
    /// Nothing is reviewed.
    pub(crate) fn new() -> Self {
        Self {
            model: RwSignal::new(ReviewModel::default()),
            progress: RwSignal::new(Progress::Idle),
            grid: RwSignal::new(None),
            exercise: RwSignal::new(None),
            is_asked: StoredValue::new(false),
        }
    }

    /// Reads something of what is known. Subscribes to it.
    pub(crate) fn with<T>(self, ask: impl FnOnce(&ReviewModel) -> T) -> T {
        self.model.with(ask)
    }

    /// Reads something of what is known, without subscribing to it.
    pub(crate) fn with_untracked<T>(self, ask: impl FnOnce(&ReviewModel) -> T) -> T {
        self.model.with_untracked(ask)
    }

    /// How far the review is. Subscribes to it.
    pub(crate) fn progress(self) -> Progress {
        self.progress.get()
    }

    /// Starts or continues. Returns whether the worker has to be asked.
    pub(crate) fn start(self) -> bool {
        self.progress.set(Progress::Running);
        let was_asked = self.is_asked.get_value();
        self.is_asked.set_value(true);
        !was_asked
    }

    /// Stops after the part that is on its way.
    pub(crate) fn stop(self) {
        self.progress.set(Progress::Stopped);
    }

    /// Adds a part. Returns whether to ask for the next one.
    pub(crate) fn add(self, part: ReviewPart) -> bool {
        self.model.update(|model| model.add(part));
        if self.model.with_untracked(ReviewModel::is_finished) {
            self.progress.set(Progress::Finished);
        }
        let goes_on = self.progress.get_untracked() == Progress::Running;
        self.is_asked.set_value(goes_on);
        goes_on
    }

    /// The grid, as far as it is computed. Subscribes to it.
    pub(crate) fn grid(self) -> Option<BidGrid> {
        self.grid.get()
    }

    /// Shows a grid. Returns the event of the next row, if one is missing.
    pub(crate) fn show_grid(self, grid: Option<BidGrid>, total: u32) -> Option<u32> {
        let next = grid.as_ref().filter(|grid| grid.rows.len() < total as usize).map(|grid| grid.event);
        self.grid.set(grid);
        next
    }

    /// What the person looks for. Subscribes to it.
    pub(crate) fn exercise(self) -> Option<Exercise> {
        self.exercise.get()
    }

    /// Looks for something better at an event, or for nothing any more.
    pub(crate) fn learn(self, exercise: Option<Exercise>) {
        self.exercise.set(exercise);
    }

    /// The person tries an action.
    pub(crate) fn try_out(self, action: Action) {
        self.exercise.update(|exercise| {
            if let Some(exercise) = exercise {
                (exercise.tried, exercise.line) = (Some(action), None);
            }
        });
    }

    /// Shows what follows from an action, if it is still the one that was tried.
    pub(crate) fn show_line(self, event: u32, action: Action, line: Option<PunishedLine>) {
        self.exercise.update(|exercise| {
            if let Some(exercise) = exercise.as_mut().filter(|of| (of.event, of.tried) == (event, Some(action))) {
                exercise.line = line;
            }
        });
    }
}
