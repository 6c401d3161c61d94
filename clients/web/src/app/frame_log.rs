//! The recent messages to and from the table, for the developer dialog.

use leptos::prelude::*;

use crate::frames::without_keys;

/// Maximum number of messages.
const MAX_FRAMES: usize = 60;

/// The recent messages, newest last.
#[derive(Clone, Copy)]
pub(crate) struct FrameLog(RwSignal<Vec<String>>);

impl FrameLog {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    /// Adds a message.
    pub(crate) fn note(self, direction: char, text: &str) {
        self.0.update(|frames| {
            frames.push(format!("{direction} {text}"));
            let over = frames.len().saturating_sub(MAX_FRAMES);
            frames.drain(..over);
        });
    }

    /// All messages, one per line, with keys redacted.
    pub(crate) fn text(self) -> String {
        self.0.with(|frames| without_keys(&frames.join("\n")))
    }
}
