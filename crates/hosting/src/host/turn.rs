//! One turn: runs the table and its bots until both are idle.

use texas42_client::Answer;
use texas42_protocol::ClientMessage;
use texas42_room::Effect;

use super::{DecisionId, DecisionRequest, DecisionTiming, Output, Queued, TableHost, bots};

/// The maximum number of consecutive bot actions before control returns to the adapter. The rest follows with the next
/// [`TableHost::handle_time`].
const MAX_ROUNDS: usize = 64;

// Decisions of bots.
impl TableHost {
    /// The next decision that a bot needs, returned once. An adapter that decides on another thread polls this before
    /// the outputs.
    pub fn poll_decision_request(&mut self) -> Option<DecisionRequest> {
        self.run();
        self.bots.poll_decision_request(self.now, DecisionTiming::Early)
    }

    /// Handles a decision. `None` means that deciding failed; then the bot takes the first offered action.
    pub fn handle_decision(&mut self, now: u64, ticket: DecisionId, answer: Option<&Answer>) {
        self.note(now);
        self.bots.decide(now, ticket, answer);
    }

    /// Makes the bots' decisions on the current thread, for single-threaded adapters.
    pub fn think(&mut self, now: u64, thinking: DecisionTiming) {
        self.now = now;
        for _ in 0..MAX_ROUNDS {
            self.run();
            let Some(thought) = self.bots.poll_decision_request(now, thinking) else { return };
            self.handle_decision(now, thought.ticket, thought.decide().as_ref());
        }
    }
}

impl TableHost {
    /// Processes the effects of the table and the messages of bots until both are idle.
    pub(super) fn run(&mut self) {
        if !core::mem::take(&mut self.has_work) || self.is_over {
            return;
        }
        self.bots.allow_retries();
        for _ in 0..MAX_ROUNDS {
            self.take_effects();
            self.bots.seat_missing(self.now, self.room.id());
            let frames = self.bots.poll_frames(self.now);
            if frames.is_empty() {
                return self.finish_turn();
            }
            frames.into_iter().for_each(|(from, message)| self.room.handle_message(self.now, from, message));
        }
        self.take_effects();
        self.has_work = true;
    }

    fn take_effects(&mut self) {
        while let Some(effect) = self.room.poll_effect() {
            match effect {
                Effect::Store(events) if self.unstored.is_empty() => self.unstored = events,
                Effect::Store(events) => self.unstored.extend(events),
                Effect::Send { to, message } => match bots::seat_of(to) {
                    Some(seat) => self.bots.hear(self.now, seat, &message),
                    None => self.deliver(to, message),
                },
                Effect::RequestBot { seat, key } => self.bots.want(seat, key),
                Effect::ReleaseBot { seat } => self.bots.release(seat),
            }
        }
    }

    /// Ends a turn: answers the remaining calls and, if nobody is connected, suspends the bots.
    fn finish_turn(&mut self) {
        for (id, call) in core::mem::take(&mut self.calls) {
            self.answer_unanswered(id, call);
        }
        self.note_bindings();
        if self.connections.is_empty() {
            self.suspend_bots();
        }
    }

    /// Suspends the bots to save memory while nobody is connected. They keep their seats, appear connected, and are
    /// rebuilt with the next input.
    fn suspend_bots(&mut self) {
        let version = self.room.version();
        for seat in self.bots.suspend() {
            let message = ClientMessage::Unsubscribe { game_id: self.room.id().clone() };
            self.room.handle_message(self.now, bots::connection_at(seat), message);
        }
        self.take_effects();
        // The table has advanced meanwhile, and the bots missed it.
        self.has_work = self.room.version() != version;
    }

    /// Reports changed bindings to the adapter.
    fn note_bindings(&mut self) {
        for connection in core::mem::take(&mut self.touched) {
            let Some(connected) = self.connections.get_mut(&connection) else { continue };
            let bound = self.room.bound(connection);
            let (player, is_subscribed) = bound.map_or((None, false), |(player, heard)| (Some(player), heard));
            if connected.binding.player.as_ref() != player || connected.binding.is_subscribed != is_subscribed {
                connected.binding.player = player.cloned();
                connected.binding.is_subscribed = is_subscribed;
                self.queue.push_back(Queued::Output(Output::Bind(connected.binding.clone())));
            }
        }
    }
}
