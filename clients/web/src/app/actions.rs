//! The person's actions at the table, and those that the page does for the person after a delay.

use std::time::Duration;

use leptos::prelude::*;
use texas42_vocab::Action;

use crate::{
    app::{App, navigation::keep_focus},
    browser, connection,
    settings::Pace,
    table_model::{Home, TableModel},
};

/// How long a result stays at a table with other people before the page continues automatically, in milliseconds.
const RESULT_PAUSE: u32 = 20_000;

impl App {
    /// Sends a valid action.
    pub(crate) fn act(self, action: Action) {
        // The hand manages the focus of its dominoes.
        if !matches!(action, Action::Play { .. }) {
            keep_focus();
        }
        if is_move(action) {
            self.table.note_move();
        }
        connection::with_client(self, |client, now| client.execute(now, action));
    }

    /// Requests a rematch.
    pub(crate) fn play_again(self) {
        self.table.want_next_game();
        connection::with_client(self, |client, now| client.rematch(now, browser::entropy()));
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
        let Some(wait) = agreement_pause(action, table.home, pace) else { return };
        let version = table.version;
        let is_still_offered = move |table: &TableModel| {
            table.version == version && table.agree_offer().is_some_and(|offer| offer.action == action)
        };
        let agree = move || {
            if self.table.now().is_some_and(|table| is_still_offered(&table)) {
                self.act(action);
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
fn agreement_pause(action: Action, home: Home, pace: Pace) -> Option<u32> {
    match (action, home) {
        (Action::AgreeCompleteTrick { .. }, _) => pace.trick_pause(),
        (_, Home::Server) if pace != Pace::Tap => Some(RESULT_PAUSE),
        _ => None,
    }
}
