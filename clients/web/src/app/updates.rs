//! Handles a new view of the table.

use std::sync::Arc;

use leptos::prelude::WithUntracked;
use texas42_vocab::Seat;

use crate::{
    analysis, announce,
    app::App,
    browser::{TICKETS, WITNESSES},
    sound,
    table_model::{Home, TableModel},
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
        WITNESSES.note(before, &table);
        TICKETS.note_end(before, &table);
        if let Some(before) = before {
            self.motion.follow(before, &table);
            self.make_sounds(before, &table);
            self.end_notice(before, &table);
            self.tell_time_out(before, &table);
        }
        self.table.follow(before, &table);
        if table.wants_advice() {
            analysis::ask_expert(self, &table);
        }
        self.table.set(table.clone());
        self.navigation.arrive();
        self.agree_later(&table);
    }

    /// Holds back a next game that the person has not asked for, so that the last result stays.
    fn holds_next_game(self, before: Option<&TableModel>, table: &Arc<TableModel>) -> bool {
        let is_wanted = self.table.take_wish_for_next_game();
        let is_next = before.is_some_and(|before| table.is_next_game(before));
        if !is_next || table.home == Home::Browser || is_wanted {
            return false;
        }
        if self.table.hold_next_game(table.clone()) {
            self.announcements.say(vec![self.words().next_game.to_owned()]);
        }
        true
    }

    fn announce(self, before: Option<&TableModel>, after: &TableModel) {
        let words = self.words();
        self.announcements.say(announce::news(before, after, words));
        if before.is_none() && after.is_guest_of_an_imported_table() {
            self.tell(words.brought);
        }
    }

    fn make_sounds(self, before: &TableModel, after: &TableModel) {
        if !self.settings.with_untracked(|settings| settings.sounds) {
            return;
        }
        let played = |table: &TableModel| table.view.state.trick.as_ref().map_or(0, |trick| trick.plays.len());
        if played(after) > played(before) {
            sound::clack();
        } else if after.is_my_turn() && !before.is_my_turn() {
            sound::knock();
        }
    }

    /// Removes a notice about a decision that is over, unless a bot decides for this seat.
    fn end_notice(self, before: &TableModel, after: &TableModel) {
        if before.phase() != after.phase() && !after.is_replaced() {
            self.announcements.clear_notice();
        }
    }

    /// Explains why a bot has taken a seat whose time ran out.
    fn tell_time_out(self, before: &TableModel, after: &TableModel) {
        let left = before.view.metadata.deadline.and_then(|deadline| self.table.seconds_left(deadline));
        let Some(seat) = after.taken_over(before).filter(|_| left.is_some_and(|left| left <= 1)) else { return };
        let words = self.words();
        self.tell(match after.seat == Some(seat) {
            true => words.time_out_yours.to_owned(),
            false => fill(words.time_out, &[&after.name(seat, words)]),
        });
    }
}

/// Whether a table in this browser still has empty seats. Bots take them in a moment, so there is nothing to show yet.
fn is_gathering_here(table: &TableModel) -> bool {
    table.home == Home::Browser && Seat::ALL.into_iter().any(|seat| table.player_on(seat).is_none())
}
