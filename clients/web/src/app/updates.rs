//! Handles a new view of the table.

use std::sync::Arc;

use leptos::prelude::WithUntracked;
use texas42_vocab::Seat;

use crate::{
    analysis, announce,
    app::App,
    browser::{self, TICKETS, WITNESSES},
    sound,
    table::waits_for,
    table_model::{HostKind, TableModel},
    words::fill,
};

impl App {
    /// Shows a new view.
    pub(crate) fn show(self, table: Arc<TableModel>) {
        let before = self.table.now();
        let table = self.table.in_perspective(table);
        if before.as_ref() == Some(&table) {
            return;
        }
        let before = before.as_deref();
        if before.is_none() && is_gathering_here(&table) {
            return;
        }
        if self.holds_next_game(before, &table) {
            return;
        }
        self.announce(before, &table);
        self.publish_turn(&table);
        WITNESSES.note(before, &table);
        TICKETS.note_end(before, &table);
        TICKETS.note_progress(before, &table);
        if let Some(before) = before {
            self.motion.follow(before, &table);
            self.speech.follow(before, &table);
            self.make_sounds(before, &table);
            self.end_notice(before, &table);
            self.show_timeout_notice(before, &table);
            if announce::undo_expires(before, &table) {
                self.show_notice(self.words().undo_expired);
            }
            if let Some(said) = announce::undo_declined(before, &table, self.words()) {
                self.announcements.show_notice(said);
            }
        }
        self.table.follow(before, &table);
        if table.wants_advice() {
            analysis::ask_expert(self, &table);
        }
        self.table.set(table.clone());
        self.navigation.arrive();
        self.agree_later(&table);
        self.lead_tapped(&table);
        self.pass_device(&table);
    }

    /// Shows the table as another person at this device sees it. Nothing happened at the table, so nothing moves.
    pub(crate) fn show_person(self, table: TableModel) {
        let table = Arc::new(table);
        self.announcements.log(announce::news(None, &table, self.words()));
        self.motion.forget();
        self.table.forget_taps();
        if table.wants_advice() {
            analysis::ask_expert(self, &table);
        }
        self.table.set(table.clone());
        self.agree_later(&table);
    }

    /// Holds back a next game that the person has not asked for, so that the last result stays.
    fn holds_next_game(self, before: Option<&TableModel>, table: &Arc<TableModel>) -> bool {
        let is_wanted = self.table.take_wish_for_next_game();
        let is_next = before.is_some_and(|before| table.is_next_game(before));
        if !is_next || table.home == HostKind::Browser || is_wanted {
            return false;
        }
        if self.table.hold_next_game(table.clone()) {
            self.announcements.log(vec![self.words().next_game.to_owned()]);
        }
        true
    }

    fn announce(self, before: Option<&TableModel>, after: &TableModel) {
        let words = self.words();
        self.announcements.log(announce::news(before, after, words));
        if before.is_none() && after.is_newcomer_to_an_imported_table() {
            self.show_notice(words.brought);
        }
    }

    /// Publishes the turn to the boot script, which shows it in the title of a hidden tab and alerts the person.
    fn publish_turn(self, table: &TableModel) {
        let turn = if table.is_my_turn() { waits_for(table, self.words()) } else { String::new() };
        browser::set_root("data-turn", &turn);
    }

    fn make_sounds(self, before: &TableModel, after: &TableModel) {
        if !self.settings.with_untracked(|settings| settings.sounds) {
            return;
        }
        let is_played = played(after) > played(before);
        if is_played {
            sound::clack();
        }
        // The turn usually comes with the domino of the player before.
        if after.is_my_turn() && !before.is_my_turn() {
            sound::knock(is_played);
        }
    }

    /// Removes a notice about a decision or a turn that is over, unless a bot decides for this seat.
    fn end_notice(self, before: &TableModel, after: &TableModel) {
        let is_over = before.phase() != after.phase() || before.is_my_turn() != after.is_my_turn();
        if is_over && !after.is_replaced() {
            self.announcements.clear_notice();
        }
    }

    /// Explains why a bot has taken a seat whose time ran out.
    fn show_timeout_notice(self, before: &TableModel, after: &TableModel) {
        let left = before.view.metadata.deadline.and_then(|deadline| self.table.seconds_left(deadline));
        let Some(seat) = after.taken_over(before).filter(|_| left.is_some_and(|left| left <= 1)) else { return };
        let words = self.words();
        self.show_notice(match after.seat == Some(seat) {
            true => words.time_out_yours.to_owned(),
            false => fill(words.time_out, &[&after.name(seat, words)]),
        });
    }
}

/// Whether a table in this browser still has empty seats. Bots take them in a moment, so there is nothing to show yet.
fn is_gathering_here(table: &TableModel) -> bool {
    table.home == HostKind::Browser && Seat::ALL.into_iter().any(|seat| table.player_on(seat).is_none())
}

/// How many dominoes have been played in the hand.
fn played(table: &TableModel) -> usize {
    let state = &table.view.state;
    state.tricks.iter().chain(&state.trick).map(|trick| trick.plays.len()).sum()
}
