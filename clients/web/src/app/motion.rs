//! Animations between two views: the trick that is carried away, and the hands that are turned over.

use std::time::Duration;

use leptos::prelude::*;
use texas42_protocol::TrickView;
use texas42_vocab::Phase;

use crate::table_model::TableModel;

/// How long a trick takes to be carried away, in milliseconds.
const CARRY: u64 = 520;
/// Delay before the other hands are turned over, in milliseconds.
const TURN_OVER: u64 = 120;

/// A trick that is being carried to its winner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaving {
    pub(crate) trick: TrickView,
    number: (u32, usize),
}

/// The running animations.
#[derive(Clone, Copy)]
pub(crate) struct Motion {
    leaving: RwSignal<Option<Leaving>>,
    is_face_down: RwSignal<bool>,
}

impl Motion {
    pub(super) fn new() -> Self {
        Self { leaving: RwSignal::new(None), is_face_down: RwSignal::new(false) }
    }

    /// The trick that is being carried away.
    pub(crate) fn leaving(self) -> Option<Leaving> {
        self.leaving.get()
    }

    /// Whether the other hands are still shown face down, although they are visible.
    pub(crate) fn is_face_down(self) -> Signal<bool> {
        self.is_face_down.into()
    }

    /// Starts the animations from one view to the next.
    pub(super) fn follow(self, before: &TableModel, after: &TableModel) {
        self.carry_trick(before, after);
        self.turn_hands_over(before, after);
    }

    fn carry_trick(self, before: &TableModel, after: &TableModel) {
        let (old, new) = (&before.view.state, &after.view.state);
        let is_next = new.tricks.len() == old.tricks.len() + 1 && new.hand_number == old.hand_number;
        let Some(trick) = new.tricks.last().filter(|_| is_next).cloned() else { return };
        let leaving = Leaving { trick, number: (new.hand_number, new.tricks.len()) };
        self.leaving.set(Some(leaving.clone()));
        let clear = move || {
            if self.leaving.get_untracked().as_ref() == Some(&leaving) {
                self.leaving.set(None);
            }
        };
        set_timeout(clear, Duration::from_millis(CARRY));
    }

    /// At the end of a hand, turns over the other hands a moment after the result appears, so that not everything is
    /// drawn in one frame.
    fn turn_hands_over(self, before: &TableModel, after: &TableModel) {
        if before.phase() == Phase::Playing && after.phase() != Phase::Playing {
            self.is_face_down.set(true);
            set_timeout(move || self.is_face_down.set(false), Duration::from_millis(TURN_OVER));
        }
    }

    /// Stops carrying a trick.
    pub(super) fn forget(self) {
        self.leaving.set(None);
    }
}
