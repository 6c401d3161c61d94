//! One turn: the table and its bots go on until all is quiet.

use texas42_client::Answer;
use texas42_protocol::ClientMessage;
use texas42_room::Effect;

use super::{Output, Queued, TableHost, Thinking, Thought, Ticket, bots};

/// What bots do in a row before the adapter gets a turn; the rest comes with the next [`TableHost::handle_time`].
const MOST_TURNS: usize = 64;

// Thinking.
impl TableHost {
    /// The next decision that a bot wants, handed out once. An adapter that thinks elsewhere takes them before the outputs.
    pub fn poll_thought(&mut self) -> Option<Thought> {
        self.run();
        self.bots.poll_thought(self.now, Thinking::Early)
    }

    /// The decision about a thought; without one, because it failed, the bot does what is offered first.
    pub fn handle_decision(&mut self, now: u64, ticket: Ticket, answer: Option<&Answer>) {
        self.note(now);
        self.bots.decide(now, ticket, answer);
    }

    /// Lets bots think here and now, for adapters with one thread.
    pub fn think(&mut self, now: u64, thinking: Thinking) {
        self.now = now;
        for _ in 0..MOST_TURNS {
            self.run();
            let Some(thought) = self.bots.poll_thought(now, thinking) else { return };
            self.handle_decision(now, thought.ticket, thought.decide().as_ref());
        }
    }
}

impl TableHost {
    /// Takes what the table wants done, and passes on what bots say, until nobody has anything to say.
    pub(super) fn run(&mut self) {
        if !core::mem::take(&mut self.has_work) || self.is_over {
            return;
        }
        self.bots.forgive();
        for _ in 0..MOST_TURNS {
            self.take_effects();
            self.bots.seat_missing(self.now, self.room.id());
            let said = self.bots.poll_frames(self.now);
            if said.is_empty() {
                return self.come_to_rest();
            }
            said.into_iter().for_each(|(from, message)| self.room.handle_message(self.now, from, message));
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
                    None => self.tell(to, message),
                },
                Effect::WantAi { seat, key } => self.bots.want(seat, key),
                Effect::ReleaseAi { seat } => self.bots.release(seat),
            }
        }
    }

    /// All is quiet: calls are over, and bots that nobody plays with are put away.
    fn come_to_rest(&mut self) {
        for (id, call) in core::mem::take(&mut self.calls) {
            self.answer_nothing(id, call);
        }
        self.note_bindings();
        if self.lines.is_empty() {
            self.put_bots_away();
        }
    }

    /// Bots that nobody plays with cost nothing: the table keeps their seats, and they come back with the next input. They
    /// stay connected for everybody else, and are told nothing meanwhile.
    fn put_bots_away(&mut self) {
        let version = self.room.version();
        for seat in self.bots.rest() {
            let message = ClientMessage::Unsubscribe { game_id: self.room.id().clone() };
            self.room.handle_message(self.now, bots::connection_at(seat), message);
        }
        self.take_effects();
        // The table went on by itself meanwhile, and they missed it.
        self.has_work = self.room.version() != version;
    }

    /// What the table knows about a connection now, its adapter is told.
    fn note_bindings(&mut self) {
        for connection in core::mem::take(&mut self.touched) {
            let Some(line) = self.lines.get_mut(&connection) else { continue };
            let bound = self.room.bound(connection);
            let (player, is_subscribed) = bound.map_or((None, false), |(player, heard)| (Some(player), heard));
            if line.binding.player.as_ref() != player || line.binding.is_subscribed != is_subscribed {
                line.binding.player = player.cloned();
                line.binding.is_subscribed = is_subscribed;
                self.queue.push_back(Queued::Output(Output::Bind(line.binding.clone())));
            }
        }
    }
}
