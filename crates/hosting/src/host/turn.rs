//! One turn: runs the table and its bots until both are idle.

use alloc::vec::Vec;

use texas42_client::BotDecision;
use texas42_protocol::ClientMessage;
use texas42_room::Effect;

use super::{Binding, DecisionId, DecisionRequest, DecisionTiming, Output, Queued, TableHost, bots};

/// The maximum number of consecutive bot actions before control returns to the adapter. The rest follows with the next
/// [`TableHost::handle_time`].
const MAX_ROUNDS: usize = 64;

// Decisions of bots.
impl TableHost {
    /// The next decision that a bot needs, returned once. An adapter that decides on another thread polls this before
    /// the outputs.
    pub fn poll_decision_request(&mut self) -> Option<DecisionRequest> {
        self.run();
        self.bots.poll_decision_request(self.now(), DecisionTiming::Early)
    }

    /// Handles a decision. `None` means that deciding failed; then the bot takes the first offered action.
    pub fn handle_decision(&mut self, now: u64, id: DecisionId, answer: Option<&BotDecision>) {
        let now = self.note_input(now);
        self.bots.decide(now, id, answer);
    }

    /// Makes the bots' decisions on the current thread, for single-threaded adapters. Computes hints once there is
    /// nothing else to send, so that nobody waits for them to see the table.
    pub fn think(&mut self, now: u64, timing: DecisionTiming) {
        self.advance(now);
        for _ in 0..MAX_ROUNDS {
            self.run();
            let Some(request) = self.bots.poll_decision_request(self.now(), timing) else { return self.advise(now) };
            self.handle_decision(now, request.id, request.decide().as_ref());
        }
    }

    fn advise(&mut self, now: u64) {
        let has_outputs = !self.queue.is_empty() || !self.unstored.is_empty();
        if !has_outputs && let Some(request) = self.poll_hint_request() {
            self.handle_hints(now, request.point, request.compute());
        }
    }
}

impl TableHost {
    /// Processes the effects of the table and the messages of bots until both are idle.
    pub(super) fn run(&mut self) {
        if !core::mem::take(&mut self.has_work) || self.is_over {
            return;
        }
        let now = self.now();
        self.bots.allow_retries();
        self.bots.hide_thinking(self.room.hides_thinking());
        for _ in 0..MAX_ROUNDS {
            self.take_effects();
            self.bots.seat_missing(now, self.room.id());
            let frames = self.bots.poll_frames(now);
            if frames.is_empty() {
                return self.finish_turn();
            }
            frames.into_iter().for_each(|(from, message)| self.room.handle_message(now, from, message));
        }
        self.take_effects();
        self.has_work = true;
    }

    fn take_effects(&mut self) {
        let now = self.now();
        while let Some(effect) = self.room.poll_effect() {
            match effect {
                Effect::Store(events) if self.unstored.is_empty() => self.unstored = events,
                Effect::Store(events) => self.unstored.extend(events),
                Effect::Send { to, message } => match bots::seat_of(to) {
                    Some(seat) => self.bots.handle_message(now, seat, &message),
                    None => self.deliver(to, message),
                },
                Effect::RequestBot { seat, key } => self.bots.request(seat, key),
                Effect::ReleaseBot { seat } => self.bots.release(seat),
                Effect::ClaimCode(code) => self.queue.push_back(Queued::Output(Output::ClaimCode(code))),
                Effect::ReleaseCode(code) => self.queue.push_back(Queued::Output(Output::ReleaseCode(code))),
            }
        }
    }

    /// Ends a turn: answers the remaining calls and, if nobody is connected, suspends the bots.
    fn finish_turn(&mut self) {
        let (waiting, unanswered): (Vec<_>, Vec<_>) =
            core::mem::take(&mut self.calls).into_iter().partition(|(id, _)| self.room.awaits_code(*id));
        self.calls = waiting;
        for (id, call) in unanswered {
            self.answer_unanswered(id, call);
        }
        self.report_bindings();
        self.update_hints();
        if self.connections.is_empty() {
            self.suspend_bots();
        }
    }

    /// Suspends the bots to save memory while nobody is connected. They keep their seats, appear connected, and are
    /// rebuilt with the next input.
    fn suspend_bots(&mut self) {
        let (now, version) = (self.now(), self.room.version());
        for seat in self.bots.suspend() {
            let message = ClientMessage::Unsubscribe { game_id: self.room.id().clone() };
            self.room.handle_message(now, bots::connection_at(seat), message);
        }
        self.take_effects();
        // If the table advanced meanwhile, the suspended bots missed it and must be rebuilt.
        self.has_work = self.room.version() != version;
    }

    /// Reports changed bindings to the adapter.
    fn report_bindings(&mut self) {
        for connection in core::mem::take(&mut self.touched) {
            let Some(connected) = self.connections.get_mut(&connection) else { continue };
            let bound = self.room.bound(connection);
            let (player, is_subscribed) =
                bound.map_or((None, false), |(player, is_subscribed)| (Some(player), is_subscribed));
            let now =
                Binding { connection, player: player.cloned(), is_subscribed, guest: self.room.guest_on(connection) };
            if connected.binding != now {
                connected.binding = now;
                self.queue.push_back(Queued::Output(Output::Bind(connected.binding.clone())));
            }
        }
    }
}
