//! The person's actions at the table, and those that the page does for the person after a delay.

use std::time::Duration;

use leptos::prelude::*;
use texas42_house_rules::TableSettings;
use texas42_vocab::{Action, Domino};

use crate::{
    app::{App, navigation::keep_focus},
    browser,
    connection::{self, ConnectionState},
    settings::PaceSetting,
    table_model::{HostKind, TableModel},
    words::fill,
};

/// How long a result stays at a table with other people before the page continues automatically, in milliseconds.
const RESULT_PAUSE: u32 = 20_000;

impl App {
    /// Sends a valid action that the person has chosen. Without a connection, one action waits until it is back, as the
    /// header says, and further ones are refused.
    pub(crate) fn act(self, action: Action) {
        if self.connection.get_untracked() == (ConnectionState::Down { is_waiting: true }) {
            return self.show_notice(self.words().not_sent);
        }
        // A second tap is not another move.
        if is_move(action) && self.table.sent.get_untracked().is_some() {
            return;
        }
        // A notice is about the choice that is made now.
        self.announcements.clear_notice();
        // The hand manages the focus of its dominoes.
        if !matches!(action, Action::Play { .. }) {
            keep_focus();
        }
        // Undoing an automatic move of the table would change nothing.
        if is_move(action) && !self.table.now().is_some_and(|table| table.is_automatic(action)) {
            self.table.note_move();
            self.table.sent.set(Some(action));
        }
        self.send(action);
    }

    /// Whether the person has to make a choice a second time. If so, this marks it and says so.
    pub(crate) fn asks_again(self, action: Action) -> bool {
        let words = self.words();
        let (confirm, confirm_bids) =
            self.settings.with_untracked(|settings| (settings.confirm, settings.confirm_bids));
        let is_unusual = |bid| self.table.now().is_some_and(|table| table.is_unusual(bid));
        let question = match action {
            Action::Play { domino, .. } if confirm => fill(words.tap_again, &[&words.domino_text(domino)]),
            Action::Bid { bid, .. } if confirm_bids && is_unusual(bid) => {
                fill(words.bid_again, &[&words.bid_text(bid)])
            }
            _ => return false,
        };
        if self.table.chosen.get_untracked() == Some(action) {
            return false;
        }
        self.table.chosen.set(Some(action));
        self.show_notice(question);
        true
    }

    /// Makes a choice, once it is confirmed if necessary.
    pub(crate) fn choose(self, action: Action) {
        if !self.asks_again(action) {
            self.act(action);
        }
    }

    /// Taps a domino while a complete trick lies on the table: picks the trick up, and leads the domino if the trick is
    /// the person's. Returns whether the tap did any of that.
    pub(crate) fn pick_up_and_lead(self, table: &TableModel, domino: Domino) -> bool {
        let Some(winner) = table.complete_trick().and_then(|trick| trick.winner) else { return false };
        let agrees = table.agree_offer().map(|offer| offer.action);
        let leads = table.seat == Some(winner) && !self.settings.with_untracked(|settings| settings.confirm);
        if leads {
            self.table.next_lead.set(Some(domino));
        }
        agrees.into_iter().for_each(|action| self.act(action));
        leads || agrees.is_some()
    }

    /// Leads the domino that was tapped while the last trick lay on the table, once the trick has been picked up.
    pub(super) fn lead_tapped(self, table: &TableModel) {
        let Some(domino) = self.table.next_lead.get_untracked().filter(|_| table.complete_trick().is_none()) else {
            return;
        };
        self.table.next_lead.set(None);
        if let Some(offer) = table.play_offer(domino) {
            self.act(offer.action);
        }
    }

    fn send(self, action: Action) {
        connection::with_client(self, |client, now| client.execute(now, action));
    }

    /// Requests a rematch.
    pub(crate) fn play_again(self) {
        self.table.want_next_game();
        connection::with_client(self, |client, now| client.rematch(now, browser::entropy()));
    }

    /// Requests new rules before the first game, and another game with new rules afterwards.
    pub(crate) fn change_rules(self, settings: &TableSettings) {
        let Some(table) = self.table.now() else { return };
        let (config, options) = settings.changed(&table.view);
        // A game that has started meanwhile refuses new rules and says why.
        if !table.phase().is_over() {
            connection::with_client(self, |client, now| client.configure(now, Some(config), Some(options)));
            return;
        }
        self.table.want_next_game();
        connection::with_client(self, |client, now| {
            client.rematch_with(now, browser::entropy(), Some(config), Some(options))
        });
    }

    /// Joins the next game that somebody else has started.
    pub(crate) fn join_next_game(self) {
        if let Some(next) = self.table.take_next_game() {
            self.table.want_next_game();
            self.show(next);
        }
    }

    /// Agrees to continue after a trick or a hand, with the delay that the person has chosen.
    pub(super) fn agree_later(self, table: &TableModel) {
        let Some(action) = table.agree_offer().map(|offer| offer.action) else { return };
        let pace = self.settings.with_untracked(|settings| settings.pace);
        let is_result = matches!(action, Action::AgreeScoreHand { .. });
        let pause = if is_result && table.skips_result() { Some(0) } else { agreement_pause(action, table.home, pace) };
        let Some(wait) = pause else { return };
        let version = table.version;
        let is_still_offered = move |table: &TableModel| {
            table.version == version && table.agree_offer().is_some_and(|offer| offer.action == action)
        };
        let agree = move || {
            if self.table.now().is_some_and(|table| is_still_offered(&table)) {
                self.send(action);
            }
        };
        set_timeout(agree, Duration::from_millis(wait.into()));
    }
}

const fn is_move(action: Action) -> bool {
    matches!(action, Action::Bid { .. } | Action::Pass { .. } | Action::SelectTrump { .. } | Action::Play { .. })
}

/// How long a trick or a result stays before the page agrees to continue, in milliseconds; `None` if the person does
/// it.
fn agreement_pause(action: Action, home: HostKind, pace: PaceSetting) -> Option<u32> {
    match (action, home) {
        (Action::AgreeCompleteTrick { .. }, _) => pace.trick_pause(),
        (_, HostKind::Server) if pace != PaceSetting::Tap => Some(RESULT_PAUSE),
        _ => None,
    }
}
