//! What stands in the form for joining a table. It is kept while the page tries, so that a person who is refused finds the
//! form as it was.

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

    /// Empties the form for another link.
    pub(super) fn clear(self) {
        self.seat.set(None);
        self.refusal.set(None);
    }
}
