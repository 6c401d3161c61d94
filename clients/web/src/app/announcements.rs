//! Notices that appear for a few seconds, and the event log that screen readers announce.

use std::time::Duration;

use leptos::prelude::*;

use crate::{
    app::app,
    erased_view::{drawn, listed, live, part},
};

/// Maximum number of sentences in the log.
const MAX_SENTENCES: usize = 60;
/// How long a notice stays, in milliseconds.
const NOTICE: u64 = 5_000;

/// The current notice and the log.
#[derive(Clone, Copy)]
pub(crate) struct Announcements {
    notice: RwSignal<Option<String>>,
    notice_number: StoredValue<u32>,
    /// Numbered sentences, newest last.
    said: RwSignal<Vec<(u32, String)>>,
}

impl Announcements {
    pub(super) fn new() -> Self {
        Self { notice: RwSignal::new(None), notice_number: StoredValue::new(0), said: RwSignal::new(Vec::new()) }
    }

    /// Shows a notice for a few seconds.
    pub(crate) fn tell(self, text: String) {
        let number = self.notice_number.get_value() + 1;
        self.notice_number.set_value(number);
        self.notice.set(Some(text));
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
    pub(crate) fn say(self, sentences: Vec<String>) {
        if sentences.is_empty() {
            return;
        }
        self.said.update(|said| {
            let last = said.last().map_or(0, |(number, _)| *number);
            said.extend((last + 1..).zip(sentences));
            let over = said.len().saturating_sub(MAX_SENTENCES);
            said.drain(..over);
        });
    }

    /// Empties the log.
    pub(super) fn forget(self) {
        self.said.set(Vec::new());
    }
}

/// The live regions: the log, announced politely, and the notice, announced at once.
#[component]
pub(crate) fn LiveRegions() -> impl IntoView {
    let Announcements { notice, said, .. } = app().announcements;
    let sentence = |(number, text): (u32, String)| part(number.into(), move || view! { <p>{text}</p> });
    view! {
        <div class="unseen" role="log" aria-live="polite" aria-relevant="additions" data-said="">
            {listed(move || said.get().into_iter().map(sentence).collect())}
        </div>
        <div class="notice" role="alert" class:on=live(move || notice.with(Option::is_some))>
            {drawn(move || notice.get())}
        </div>
    }
}
