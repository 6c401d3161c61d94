//! Notices that appear for a few seconds, and the event log that screen readers announce.

use std::time::Duration;

use leptos::prelude::*;

use crate::{
    app::{app, dialog_state::DialogState},
    erased_view::{drawn, listed, live, part},
};

/// Maximum number of sentences in the log.
const MAX_SENTENCES: usize = 60;
/// How long a notice stays, in milliseconds.
const NOTICE: u64 = 5_000;

/// Where something is announced. While a dialog is open the rest of the page is inert, and screen readers ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The page itself.
    Page,
    /// The open dialog.
    Dialog,
}

/// Numbered sentences, newest last.
type Sentences = Vec<(u32, String)>;

/// The current notice and the log.
#[derive(Clone, Copy)]
pub(crate) struct Announcements {
    dialogs: DialogState,
    notice: RwSignal<Option<(Place, String)>>,
    notice_number: StoredValue<u32>,
    sentences: RwSignal<Sentences>,
    /// The sentences since a dialog was opened.
    sentences_in_dialog: RwSignal<Sentences>,
}

impl Announcements {
    pub(super) fn new(dialogs: DialogState) -> Self {
        Self {
            dialogs,
            notice: RwSignal::new(None),
            notice_number: StoredValue::new(0),
            sentences: RwSignal::new(Vec::new()),
            sentences_in_dialog: RwSignal::new(Vec::new()),
        }
    }

    /// Where something is announced now.
    fn place(self) -> Place {
        if self.dialogs.is_open() { Place::Dialog } else { Place::Page }
    }

    /// Shows a notice for a few seconds.
    pub(crate) fn show_notice(self, text: String) {
        let number = self.notice_number.get_value() + 1;
        self.notice_number.set_value(number);
        self.notice.set(Some((self.place(), text)));
        let clear = move || {
            if self.notice_number.get_value() == number {
                self.notice.set(None);
            }
        };
        set_timeout(clear, Duration::from_millis(NOTICE));
    }

    /// Removes the notice.
    pub(crate) fn clear_notice(self) {
        self.notice.set(None);
    }

    /// Adds sentences to the log.
    pub(crate) fn log(self, sentences: Vec<String>) {
        if sentences.is_empty() {
            return;
        }
        if self.place() == Place::Dialog {
            self.sentences_in_dialog.update(|log| append(log, sentences.clone()));
        }
        self.sentences.update(|log| append(log, sentences));
    }

    /// Empties the log.
    pub(super) fn forget(self) {
        self.sentences.set(Vec::new());
    }

    /// Empties the log of a dialog that was closed.
    pub(crate) fn forget_dialog(self) {
        self.sentences_in_dialog.set(Vec::new());
        self.notice.update(|notice| *notice = notice.take().filter(|(place, _)| *place == Place::Page));
    }

    /// The log of a place. Subscribes to it. That of the page is complete.
    fn log_at(self, place: Place) -> Sentences {
        match place {
            Place::Page => self.sentences.get(),
            Place::Dialog => self.sentences_in_dialog.get(),
        }
    }
}

fn append(log: &mut Sentences, sentences: Vec<String>) {
    let last = log.last().map_or(0, |(number, _)| *number);
    log.extend((last + 1..).zip(sentences));
    let over = log.len().saturating_sub(MAX_SENTENCES);
    log.drain(..over);
}

/// The live regions of a place: the log, announced politely, and the notice, announced at once.
#[component]
pub(crate) fn LiveRegions(place: Place) -> impl IntoView {
    let announcements = app().announcements;
    let sentence = |(number, text): (u32, String)| part(number.into(), move || view! { <p>{text}</p> });
    // A notice about the address of the page is older than the region; it waits until screen readers know the region.
    let is_there = RwSignal::new(false);
    set_timeout(move || is_there.set(true), Duration::ZERO);
    let notice = move || announcements.notice.get().filter(|(at, _)| *at == place && is_there.get());
    let shown = move || notice().map(|(_, text)| text);
    view! {
        <div class="unseen" role="log" aria-live="polite" aria-relevant="additions" data-said=(place == Place::Page).then_some("")>
            {listed(move || announcements.log_at(place).into_iter().map(sentence).collect())}
        </div>
        <div class="notice" role="alert" class:on=live(move || shown().is_some())>
            {drawn(shown)}
        </div>
    }
}
