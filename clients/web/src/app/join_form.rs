//! The contents of the join form. They are kept while the page connects, so that a person who is refused finds the form
//! unchanged.

use leptos::prelude::*;
use texas42_vocab::Seat;

/// The chosen seat, and why joining failed.
#[derive(Clone, Copy)]
pub(crate) struct JoinForm {
    pub(crate) seat: RwSignal<Option<Seat>>,
    pub(crate) refusal: RwSignal<Option<String>>,
}

impl JoinForm {
    pub(super) fn new() -> Self {
        Self { seat: RwSignal::new(None), refusal: RwSignal::new(None) }
    }

    /// Clears the form for another link.
    pub(super) fn clear(self) {
        self.seat.set(None);
        self.refusal.set(None);
    }
}
