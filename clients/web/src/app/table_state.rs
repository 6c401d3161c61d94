//! The shown table and the page's additions to it: perspective, selected choice, last move, clock.

use std::sync::Arc;

use leptos::prelude::*;
use texas42_display::ShownTable;
use texas42_vocab::{Action, Domino, Seat};
use texas42_worker_protocol::ActionAdvice;

use crate::{browser, table_model::TableModel, turn_clock::TableClock};

/// The current table.
#[derive(Clone, Copy)]
pub(crate) struct TableState {
    shown: ShownTable,
    /// The next game, started by somebody else while this person still reads the last result.
    next_game: RwSignal<Option<Arc<TableModel>>>,
    /// Whether to show the next game as soon as it starts.
    wants_next_game: StoredValue<bool>,
    /// The seat from which a spectator watches.
    perspective: RwSignal<Option<Seat>>,
    /// The choice that a second tap makes.
    pub(crate) chosen: RwSignal<Option<Action>>,
    /// The move that the table has not confirmed yet.
    pub(crate) sent: RwSignal<Option<Action>>,
    /// The domino to lead when the person's own trick has been picked up.
    pub(crate) next_lead: RwSignal<Option<Domino>>,
    /// The number of events before the player's last move: the target of an undo.
    moved_at: RwSignal<Option<u16>>,
    clock: StoredValue<TableClock>,
}

impl TableState {
    pub(super) fn new(shown: ShownTable) -> Self {
        Self {
            shown,
            next_game: RwSignal::new(None),
            wants_next_game: StoredValue::new(false),
            perspective: RwSignal::new(None),
            chosen: RwSignal::new(None),
            sent: RwSignal::new(None),
            next_lead: RwSignal::new(None),
            moved_at: RwSignal::new(None),
            clock: StoredValue::new(TableClock::default()),
        }
    }

    /// The table, without subscribing to it.
    pub(crate) fn now(self) -> Option<Arc<TableModel>> {
        self.shown.now()
    }

    /// Shows a table.
    pub(super) fn set(self, table: Arc<TableModel>) {
        self.shown.set(Some(table));
    }

    /// Removes the table.
    pub(super) fn forget(self) {
        self.shown.set(None);
        self.next_game.set(None);
        self.wants_next_game.set_value(false);
        self.perspective.set(None);
        self.forget_taps();
    }

    /// Forgets what was tapped.
    pub(super) fn forget_taps(self) {
        self.chosen.set(None);
        self.sent.set(None);
        self.next_lead.set(None);
    }

    /// Whether a domino was tapped that the table has not taken yet. Subscribes to it.
    pub(crate) fn is_on_its_way(self, play: Action) -> bool {
        let is_next = matches!(play, Action::Play { domino, .. } if self.next_lead.get() == Some(domino));
        is_next || self.sent.get() == Some(play)
    }

    /// Adds the expert's advice for the view with this version.
    pub(crate) fn advised(self, version: u64, advice: &[ActionAdvice]) {
        if let Some(table) = self.now().filter(|table| table.version == version) {
            self.set(Arc::new(table.advised(advice)));
        }
    }

    /// Changes the perspective of a spectator.
    pub(crate) fn look_from(self, seat: Seat) {
        self.perspective.set(Some(seat));
    }

    /// The table from the perspective that a spectator has chosen.
    pub(super) fn in_perspective(self, table: Arc<TableModel>) -> Arc<TableModel> {
        match self.perspective.get_untracked().filter(|_| table.seat.is_none()) {
            Some(bottom) => Arc::new(TableModel { bottom, ..(*table).clone() }),
            None => table,
        }
    }

    /// Updates the page's additions for the next view.
    pub(super) fn follow(self, before: Option<&TableModel>, after: &TableModel) {
        if self.chosen.get_untracked().is_some() {
            self.chosen.set(None);
        }
        if self.sent.get_untracked().is_some() {
            self.sent.set(None);
        }
        // Another hand, or an undo: there is no last move any more.
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

impl TableState {
    /// Whether the next game is waiting for this person.
    pub(crate) fn has_next_game(self) -> bool {
        self.next_game.with(Option::is_some)
    }

    /// Requests to show the next game as soon as it starts.
    pub(super) fn want_next_game(self) {
        self.wants_next_game.set_value(true);
    }

    /// Takes the request to show the next game.
    pub(super) fn take_wish_for_next_game(self) -> bool {
        let wants = self.wants_next_game.get_value();
        self.wants_next_game.set_value(false);
        wants
    }

    /// Holds the next game back; returns whether it is the first one held back.
    pub(super) fn hold_next_game(self, table: Arc<TableModel>) -> bool {
        let is_first = self.next_game.with_untracked(Option::is_none);
        self.next_game.set(Some(table));
        is_first
    }

    /// Takes the game that was held back.
    pub(super) fn take_next_game(self) -> Option<Arc<TableModel>> {
        let next = self.next_game.get_untracked();
        self.next_game.set(None);
        next
    }
}

impl TableState {
    /// The number of events before the player's last move. Subscribes to it.
    pub(crate) fn moved_at(self) -> Option<u16> {
        self.moved_at.get()
    }

    /// Records the current position as the player's last move.
    pub(super) fn note_move(self) {
        self.moved_at.set(self.now().map(|table| table.view.state.events));
    }
}

impl TableState {
    /// Resets the clock for another table.
    pub(crate) fn reset_clock(self) {
        self.clock.set_value(TableClock::default());
    }

    /// Records a time of the table's clock.
    pub(crate) fn note_time(self, time: u64) {
        self.clock.update_value(|clock| clock.note(time, browser::now()));
    }

    /// The whole seconds until a deadline of the table's clock.
    pub(crate) fn seconds_left(self, deadline: u64) -> Option<u64> {
        self.clock.get_value().seconds_left(deadline, browser::now())
    }
}
