//! The open dialog.

use leptos::prelude::*;

/// The content of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    Settings,
    Rules,
    History,
    LastTrick,
    Invite,
    TableRules,
    Claim,
    Leave,
    Developer,
}

/// The open dialog, if any.
#[derive(Clone, Copy)]
pub(crate) struct DialogState(RwSignal<Option<Dialog>>);

impl DialogState {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// The open dialog. Subscribes to it.
    pub(crate) fn get(self) -> Option<Dialog> {
        self.0.get()
    }

    /// Whether a dialog is open.
    pub(super) fn is_open(self) -> bool {
        self.0.with_untracked(Option::is_some)
    }

    /// Opens a dialog in place of the current one.
    pub(crate) fn open(self, dialog: Dialog) {
        self.0.set(Some(dialog));
    }

    /// Closes the dialog.
    pub(crate) fn close(self) {
        self.0.set(None);
    }
}
