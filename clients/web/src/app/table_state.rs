//! The table that is shown, and what this page adds to it: the perspective, the chosen domino, the last move, the clock.

use std::sync::Arc;

use leptos::prelude::*;
use texas42_vocab::{Domino, Seat};
use texas42_worker_protocol::Advice;

use crate::{browser, table_model::TableModel, turn_clock::TableClock};

/// The present table.
#[derive(Clone, Copy)]
pub(crate) struct TableState {
    model: RwSignal<Option<Arc<TableModel>>>,
    /// The next game, which somebody else has begun while this person still reads the result of the last one.
    next_game: RwSignal<Option<Arc<TableModel>>>,
    /// Whether the person wants the next game as soon as it begins.
    wants_next_game: StoredValue<bool>,
    /// The seat from which a spectator looks.
    perspective: RwSignal<Option<Seat>>,
    /// The domino that a second tap plays.
    pub(crate) chosen: RwSignal<Option<Domino>>,
    /// How many events the game had before the player's last move: where taking it back leads to.
    moved_at: RwSignal<Option<u16>>,
    clock: StoredValue<TableClock>,
}

impl TableState {
    pub(super) fn new() -> Self {
        Self {
            model: RwSignal::new(None),
            next_game: RwSignal::new(None),
            wants_next_game: StoredValue::new(false),
            perspective: RwSignal::new(None),
            chosen: RwSignal::new(None),
            moved_at: RwSignal::new(None),
            clock: StoredValue::new(TableClock::default()),
        }
    }

    /// The table. Reading it subscribes to it.
    pub(crate) fn get(self) -> Option<Arc<TableModel>> {
        self.model.get()
    }

    /// The table at this moment.
    pub(crate) fn now(self) -> Option<Arc<TableModel>> {
        self.model.get_untracked()
    }

    /// Shows a table.
    pub(super) fn set(self, table: Arc<TableModel>) {
        self.model.set(Some(table));
    }

    /// Removes the table.
    pub(super) fn forget(self) {
        self.model.set(None);
        self.next_game.set(None);
        self.wants_next_game.set_value(false);
        self.perspective.set(None);
    }

    /// Adds what an expert says about the view with this version.
    pub(crate) fn advised(self, version: u64, advice: &[Advice]) {
        if let Some(table) = self.now().filter(|table| table.version == version) {
            self.set(Arc::new(table.advised(advice)));
        }
    }

    /// Looks from another seat.
    pub(crate) fn look_from(self, seat: Seat) {
        self.perspective.set(Some(seat));
    }

    /// The same table from the perspective that a spectator has chosen.
    pub(super) fn in_perspective(self, table: Arc<TableModel>) -> Arc<TableModel> {
        match self.perspective.get_untracked().filter(|_| table.seat.is_none()) {
            Some(bottom) => Arc::new(TableModel { bottom, ..(*table).clone() }),
            None => table,
        }
    }

    /// Adapts what this page adds to the next view.
    pub(super) fn follow(self, before: Option<&TableModel>, after: &TableModel) {
        if self.chosen.get_untracked().is_some() {
            self.chosen.set(None);
        }
        // Another hand, or a move that was taken back: there is no last move any more.
        if before.is_none_or(|before| !before.is_same_hand(after))
            || self.moved_at.get_untracked().is_some_and(|at| after.view.state.events < at)
        {
            self.moved_at.set(None);
        }
        if let Some(since) = after.decision_since() {
            self.note_time(since);
        }
    }
}

// The next game.
impl TableState {
    /// Whether another game waits for this person.
    pub(crate) fn has_next_game(self) -> bool {
        self.next_game.with(Option::is_some)
    }

    /// The person wants the next game.
    pub(super) fn want_next_game(self) {
        self.wants_next_game.set_value(true);
    }

    /// Whether the person wants the next game; the wish is fulfilled by asking.
    pub(super) fn take_wish_for_next_game(self) -> bool {
        let wants = self.wants_next_game.get_value();
        self.wants_next_game.set_value(false);
        wants
    }

    /// Lets the next game wait; whether it is the first one that does.
    pub(super) fn hold_next_game(self, table: Arc<TableModel>) -> bool {
        let is_first = self.next_game.with_untracked(Option::is_none);
        self.next_game.set(Some(table));
        is_first
    }

    /// The game that waits, which then does not wait any more.
    pub(super) fn take_next_game(self) -> Option<Arc<TableModel>> {
        let next = self.next_game.get_untracked();
        self.next_game.set(None);
        next
    }
}

// The player's last move.
impl TableState {
    /// How many events the game had before the player's last move. Reading it subscribes to it.
    pub(crate) fn moved_at(self) -> Option<u16> {
        self.moved_at.get()
    }

    /// The person moves now.
    pub(super) fn note_move(self) {
        self.moved_at.set(self.now().map(|table| table.view.state.events));
    }
}

// The clock.
impl TableState {
    /// Forgets the clock of the table before.
    pub(crate) fn reset_clock(self) {
        self.clock.set_value(TableClock::default());
    }

    /// The table's clock has come this far.
    pub(crate) fn note_time(self, time: u64) {
        self.clock.update_value(|clock| clock.note(time, browser::now()));
    }

    /// The whole seconds until a time of the table's clock.
    pub(crate) fn seconds_left(self, deadline: u64) -> Option<u64> {
        self.clock.get_value().seconds_left(deadline, browser::now())
    }
}
