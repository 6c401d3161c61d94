//! The last messages to and from the table, for the developer drawer.

use leptos::prelude::*;

use crate::frames::without_keys;

/// How many messages are kept.
const MOST_FRAMES: usize = 60;

/// The last messages, the latest last.
#[derive(Clone, Copy)]
pub(crate) struct FrameLog(RwSignal<Vec<String>>);

impl FrameLog {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    /// Keeps a message.
    pub(crate) fn note(self, direction: char, text: &str) {
        self.0.update(|frames| {
            frames.push(format!("{direction} {text}"));
            let over = frames.len().saturating_sub(MOST_FRAMES);
            frames.drain(..over);
        });
    }

    /// All of them, one to a line, without the keys in them.
    pub(crate) fn text(self) -> String {
        self.0.with(|frames| without_keys(&frames.join("\n")))
    }
}
