//! Phrases at the table: the tray, who said what last, and the domino that a coach points at.

use std::time::Duration;

use leptos::prelude::*;
use texas42_protocol::PlayerId;
use texas42_vocab::{Domino, Seat};

use crate::{
    app::App,
    browser, connection,
    table_model::TableModel,
    words::{Phrase, fill},
};

/// How long a bubble stays, in milliseconds. The style sheet lets it fade for as long.
const BUBBLE: u64 = 4_000;

/// What somebody said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bubble {
    pub(crate) number: u64,
    /// The seat of the speaker; none for a visitor.
    pub(crate) seat: Option<Seat>,
    pub(crate) text: String,
}

/// The domino that a coach points at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pointed {
    domino: Domino,
    by: String,
}

/// The phrases at the shown table.
#[derive(Clone, Copy)]
pub(crate) struct Speech {
    is_tray_open: RwSignal<bool>,
    /// At most one for each seat, and one for all visitors.
    bubbles: RwSignal<Vec<Bubble>>,
    pointed: RwSignal<Option<Pointed>>,
    number: StoredValue<u64>,
}

impl Speech {
    pub(super) fn new() -> Self {
        Self {
            is_tray_open: RwSignal::new(false),
            bubbles: RwSignal::new(Vec::new()),
            pointed: RwSignal::new(None),
            number: StoredValue::new(0),
        }
    }

    /// Whether the tray is open. Subscribes to it.
    pub(crate) fn is_tray_open(self) -> bool {
        self.is_tray_open.get()
    }

    /// Opens the tray and moves the focus there, or closes it and moves the focus back.
    pub(crate) fn toggle_tray(self) {
        let is_open = !self.is_tray_open.get_untracked();
        self.is_tray_open.set(is_open);
        if is_open {
            return browser::focus_later(".tray button");
        }
        // The menu keeps the focus where it has the button.
        browser::focus_later(".bar > .icon");
        browser::focus_later("[data-do=\"say\"]");
    }

    /// Closes the tray.
    pub(crate) fn close_tray(self) {
        if self.is_tray_open.get_untracked() {
            self.toggle_tray();
        }
    }

    /// What was said last at a seat, or by a visitor. Subscribes to it.
    pub(crate) fn bubble(self, seat: Option<Seat>) -> Option<Bubble> {
        self.bubbles.with(|bubbles| bubbles.iter().find(|bubble| bubble.seat == seat).cloned())
    }

    /// Who points at a domino. Subscribes to it.
    pub(crate) fn pointing_at(self, domino: Domino) -> Option<String> {
        self.pointed.with(|pointed| {
            pointed.as_ref().filter(|pointed| pointed.domino == domino).map(|pointed| pointed.by.clone())
        })
    }

    /// The domino that a coach points at. Subscribes to it.
    pub(crate) fn pointed(self) -> Option<Domino> {
        self.pointed.with(|pointed| pointed.as_ref().map(|pointed| pointed.domino))
    }

    fn show_bubble(self, seat: Option<Seat>, text: String) {
        let number = self.number.get_value() + 1;
        self.number.set_value(number);
        self.bubbles.update(|bubbles| {
            bubbles.retain(|bubble| bubble.seat != seat);
            bubbles.push(Bubble { number, seat, text });
        });
        let clear = move || {
            if self.bubbles.with_untracked(|bubbles| bubbles.iter().any(|bubble| bubble.number == number)) {
                self.bubbles.update(|bubbles| bubbles.retain(|bubble| bubble.number != number));
            }
        };
        set_timeout(clear, Duration::from_millis(BUBBLE));
    }

    /// Ends pointing when the game has moved on, or the coach is turned off.
    pub(super) fn follow(self, before: &TableModel, after: &TableModel) {
        let is_same = before.is_same_hand(after) && before.view.state.events == after.view.state.events;
        let is_off = after.seat.or(after.coached()).is_some_and(|seat| after.is_coach_off(seat));
        if (!is_same || is_off) && self.pointed.with_untracked(Option::is_some) {
            self.pointed.set(None);
        }
    }

    /// Removes everything about the shown table.
    pub(super) fn forget(self) {
        self.is_tray_open.set(false);
        self.bubbles.set(Vec::new());
        self.pointed.set(None);
    }
}

impl App {
    /// Says a phrase.
    pub(crate) fn say(self, phrase: Phrase, domino: Option<Domino>) {
        connection::with_client(self, |client, now| client.say(now, phrase, domino));
    }

    /// Points at a domino of the student's hand.
    pub(crate) fn point_at(self, domino: Domino) {
        self.say(Phrase::Look, Some(domino));
    }

    /// Shows and announces what somebody said, unless the person does not want to hear it.
    pub(crate) fn hear(self, player: &PlayerId, phrase: Phrase, domino: Option<Domino>) {
        let Some(table) = self.table.now() else { return };
        let is_own = table.player_id.as_ref() == Some(player);
        let Some(speaker) = table.view.players.iter().find(|known| known.player_id == *player) else { return };
        if !is_own && !self.settings.with_untracked(|settings| settings.hears(&table, speaker)) {
            return;
        }
        let words = self.words();
        let name = if is_own { words.you } else { speaker.name.as_str() };
        let said = words.said(name, phrase, domino);
        let label = words.phrase_label(phrase);
        let text = match (speaker.player_index, domino) {
            (Some(_), _) => label,
            (None, None) => fill(words.says_phrase, &[name, &label]),
            (None, Some(_)) => said.clone(),
        };
        self.announcements.log(vec![said]);
        self.speech.show_bubble(speaker.player_index, text);
        if let Some(domino) = domino {
            self.speech.pointed.set(Some(Pointed { domino, by: name.to_owned() }));
        }
    }
}
