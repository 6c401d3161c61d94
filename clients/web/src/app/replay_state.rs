//! The replay on the screen: which step of which game is shown, and to which step the person wants to go.

use std::{cell::RefCell, sync::Arc};

use leptos::prelude::*;
use texas42_protocol::GameView;
use texas42_vocab::Seat;
use texas42_worker_protocol::{FromWorker, ReplayFault, ToWorker};

use crate::{
    announce,
    app::App,
    connection::WorkerLink,
    replay::{self, Jump},
    words::fill,
};

thread_local! {
    /// The worker that decodes the game.
    static WORKER: RefCell<Option<WorkerLink>> = const { RefCell::new(None) };
}

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
    request: RwSignal<ReplayRequest>,
    /// The shown step and the last one.
    place: RwSignal<Option<(u32, u32)>>,
    fault: RwSignal<Option<ReplayFault>>,
}

impl ReplayState {
    pub(super) fn new() -> Self {
        let request = RwSignal::new(ReplayRequest::start(String::new()));
        Self { request, place: RwSignal::new(None), fault: RwSignal::new(None) }
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

    /// Ends the worker.
    pub(crate) fn stop(self) {
        if let Some(worker) = WORKER.take() {
            worker.terminate();
        }
    }

    fn change(self, change: impl FnOnce(&mut ReplayRequest)) {
        self.request.update(change);
        let ReplayRequest { code, step, .. } = self.request.get_untracked();
        let viewer = self.request.with_untracked(ReplayRequest::viewer);
        WORKER.with_borrow(|worker| {
            if let Some(worker) = worker {
                worker.post(&ToWorker::Replay { code, step, viewer });
            }
        });
    }
}

impl App {
    /// Opens the game of a code at its first deal.
    pub(crate) fn start_replay(self, code: &str) {
        let replay = self.replay;
        let worker = WorkerLink::spawn(move |_, message| self.handle_replay_message(message));
        worker.on_error(move || self.show_notice(self.words().calculation_failed));
        WORKER.set(Some(worker));
        replay.place.set(None);
        replay.fault.set(None);
        replay.change(|request| *request = ReplayRequest::start(code.to_owned()));
    }

    /// Goes to another step.
    pub(crate) fn jump(self, jump: Jump) {
        let Some((_, steps)) = self.replay.place.get_untracked() else { return };
        let step = self.replay.request.with_untracked(|request| request.step);
        if let Some(step) = jump.from(step, steps) {
            self.replay.change(|request| request.step = step);
        }
    }

    /// Puts a seat at the bottom.
    pub(crate) fn replay_from(self, seat: Seat) {
        self.replay.change(|request| request.seat = seat);
    }

    /// Opens all hands, or only the one at the bottom.
    pub(crate) fn open_replay_hands(self, is_open: bool) {
        self.replay.change(|request| request.is_open = is_open);
    }

    fn handle_replay_message(self, message: FromWorker) {
        match message {
            FromWorker::Replayed { step, steps, viewer, view } => {
                let request = self.replay.request.get_untracked();
                // Only the last of several quick steps is drawn.
                if (step, viewer) == (request.step.min(steps), request.viewer()) {
                    self.show_step(step, steps, *view, request.seat);
                }
            }
            FromWorker::NotReplayed(fault) => self.replay.fault.set(Some(fault)),
            _ => {}
        }
    }

    fn show_step(self, step: u32, steps: u32, view: GameView, seat: Seat) {
        let words = self.words();
        let Some(table) = replay::table(view, step, seat, words) else { return };
        let before = self.table.now();
        let news = announce::news(before.as_deref(), &table, words);
        let follows = before.is_some_and(|before| before.version + 1 == table.version);
        let position = || vec![fill(words.replay_at, &[&step.to_string(), &steps.to_string()])];
        self.announcements.log(if follows && !news.is_empty() { news } else { position() });
        self.replay.place.set(Some((step, steps)));
        self.table.set(Arc::new(table));
    }
}
