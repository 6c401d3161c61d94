//! The replay on the screen: which step of which game is shown, and to which step the person wants to go.

use std::{sync::Arc, time::Duration};

use leptos::prelude::*;
use texas42_display::{ShownTable, announce, browser, shown, words::fill};
use texas42_protocol::GameView;
use texas42_vocab::Seat;
use texas42_worker_protocol::{FromStudyWorker, ReplayFault, ToStudyWorker};

use crate::{
    page::{Page, page},
    replay::{self, Jump},
    review_state::ReviewState,
    study_worker::StudyWorkerLink,
};

/// A request to the worker for one step of the replay.
#[derive(Clone, Debug, PartialEq)]
struct ReplayRequest {
    code: String,
    step: u32,
    /// The seat at the bottom.
    seat: Seat,
    /// Whether all hands are open.
    is_open: bool,
}

impl ReplayRequest {
    /// The first deal with all hands open.
    fn start(code: String) -> Self {
        Self { code, step: 0, seat: Seat::ALL[0], is_open: true }
    }

    fn viewer(&self) -> Option<Seat> {
        (!self.is_open).then_some(self.seat)
    }
}

/// The replay.
#[derive(Clone, Copy)]
pub(crate) struct ReplayState {
    page: Page,
    shown: ShownTable,
    request: RwSignal<ReplayRequest>,
    /// The shown step and the last one.
    place: RwSignal<Option<(u32, u32)>>,
    fault: RwSignal<Option<ReplayFault>>,
    /// The review of the game.
    review: ReviewState,
    /// The worker that decodes the game. It ends with the screen.
    worker: StoredValue<Option<StudyWorkerLink>, LocalStorage>,
}

impl ReplayState {
    /// Opens the game of a code at its first deal.
    pub(crate) fn open(code: String) -> Self {
        let replay = Self {
            page: page(),
            shown: shown(),
            request: RwSignal::new(ReplayRequest::start(code)),
            place: RwSignal::new(None),
            fault: RwSignal::new(None),
            review: ReviewState::new(),
            worker: StoredValue::new_local(None),
        };
        let (page, words) = (replay.page, replay.shown.words());
        let fail = move || page.show_notice(words.calculation_failed);
        replay.worker.set_value(Some(StudyWorkerLink::spawn(move |message| replay.handle(message), fail)));
        replay.change(|_| {});
        replay
    }

    /// The shown step and the last one. Subscribes to them.
    pub(crate) fn place(self) -> Option<(u32, u32)> {
        self.place.get()
    }

    /// Why the link leads to no game. Subscribes to it.
    pub(crate) fn fault(self) -> Option<ReplayFault> {
        self.fault.get()
    }

    /// The seat at the bottom. Subscribes to it.
    pub(crate) fn seat(self) -> Seat {
        self.request.with(|request| request.seat)
    }

    /// Whether all hands are open. Subscribes to it.
    pub(crate) fn is_open(self) -> bool {
        self.request.with(|request| request.is_open)
    }

    /// The review of the game.
    pub(crate) const fn review(self) -> ReviewState {
        self.review
    }

    /// Asks the worker something about the game of this replay.
    pub(crate) fn ask(self, message: impl FnOnce(String) -> ToStudyWorker) {
        let message = message(self.request.with_untracked(|request| request.code.clone()));
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(&message);
            }
        });
    }

    /// Goes to a step.
    pub(crate) fn go_to(self, step: u32) {
        self.change(|request| request.step = step);
    }

    /// Goes to a step as a seat sees it, with its hand at the bottom and the others hidden.
    pub(crate) fn go_to_as(self, step: u32, seat: Seat) {
        self.change(|request| (request.step, request.seat, request.is_open) = (step, seat, false));
    }

    /// Goes to another step.
    pub(crate) fn jump(self, jump: Jump) {
        let Some((_, steps)) = self.place.get_untracked() else { return };
        let step = self.request.with_untracked(|request| request.step);
        if let Some(step) = jump.from(step, steps) {
            self.change(|request| request.step = step);
        }
    }

    /// Puts a seat at the bottom.
    pub(crate) fn look_from(self, seat: Seat) {
        self.change(|request| request.seat = seat);
    }

    /// Opens all hands, or only the one at the bottom.
    pub(crate) fn open_hands(self, is_open: bool) {
        self.change(|request| request.is_open = is_open);
    }

    fn change(self, change: impl FnOnce(&mut ReplayRequest)) {
        self.request.update(change);
        let (step, viewer) = self.request.with_untracked(|request| (request.step, request.viewer()));
        self.ask(|code| ToStudyWorker::Replay { code, step, viewer });
    }

    fn handle(self, message: FromStudyWorker) {
        match message {
            FromStudyWorker::Replayed { step, steps, viewer, view } => {
                let request = self.request.get_untracked();
                // Only the last of several quick steps is drawn.
                if (step, viewer) == (request.step.min(steps), request.viewer()) {
                    self.show_step(step, steps, *view, request.seat);
                }
            }
            FromStudyWorker::NotReplayed(fault) => self.fault.set(Some(fault)),
            FromStudyWorker::Reviewed(part) => {
                if self.review.add(*part) {
                    self.ask(|code| ToStudyWorker::Review { code, from_start: false });
                }
            }
            FromStudyWorker::Grid { grid, total } => {
                if let Some(event) = self.review.show_grid(grid, total) {
                    self.ask(|code| ToStudyWorker::Grid { code, event });
                }
            }
            FromStudyWorker::Line { event, action, line } => self.review.show_line(event, action, line),
            // The link to the worker logs it.
            FromStudyWorker::Unreadable { .. } => {}
        }
    }

    fn show_step(self, step: u32, steps: u32, view: GameView, seat: Seat) {
        let words = self.shown.words();
        let Some(table) = replay::table(view, step, seat, words) else { return };
        let before = self.shown.now();
        let news = announce::news(before.as_deref(), &table, words);
        let follows = before.as_ref().is_some_and(|before| before.version + 1 == table.version);
        let position = || vec![fill(words.replay_at, &[&step.to_string(), &steps.to_string()])];
        self.page.log(&if follows && !news.is_empty() { news } else { position() });
        self.place.set(Some((step, steps)));
        self.shown.set(Some(Arc::new(table)));
        if before.is_none() {
            set_timeout(take_focus, Duration::ZERO);
        }
    }
}

/// Moves the focus to the table if the focused element has disappeared with the screen before.
fn take_focus() {
    if browser::has_lost_focus() && !browser::is_dialog_open() {
        browser::focus("#table");
    }
}
