//! The host loop of one table, without I/O: frames, requests, decisions and the time go in; outputs come out, to be carried
//! out in order.
//!
//! An adapter (a server task, a browser worker, a Durable Object) owns the sockets, the storage and the clock. The contract:
//!
//! 1. Report what happened with any number of `handle_*` calls. They take in, and compute nothing that has to be stored.
//! 2. Let bots think: take every [`TableHost::poll_thought`] and answer it with [`TableHost::handle_decision`], now or later;
//!    or call [`TableHost::think`], which does both.
//! 3. Take every [`TableHost::poll_output`] until there is none, and carry each out before the next. Everything that was
//!    taken in since the last time is stored by **one** [`Output::Store`], which comes before anything that follows from it.
//! 4. Call [`TableHost::handle_time`] at [`TableHost::wake_at`]. Coming early or twice does no harm.
//!
//! When a store fails, call [`TableHost::handle_not_stored`], carry out the outputs that are left and drop the host: what was
//! not stored has not happened, and the table is restored from its log. The same is true after a crash between any two
//! outputs: a host keeps nothing that matters and is not in the log, except for who is connected.
//!
//! The host owns its [`Room`] and its bots. A bot is an ordinary client that lives inside and is fed directly: it has no
//! connection to lose and no queue to overflow, and it is built again from the table's state whenever it is gone.

use alloc::{
    collections::{BTreeMap, VecDeque},
    string::String,
    sync::Arc,
    vec::Vec,
};

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, PlayerId, RequestId, ServerMessage, WireError};
use texas42_room::{ConnectionId, Room, Stored, Survived, Survivor};
use texas42_vocab::Seat;

mod bots;
mod calls;
mod delivery;
#[cfg(test)]
mod tests;
mod turn;

pub use bots::{BotSettings, Thinking, Thought, Ticket, bot_name};
pub use calls::{Call, CallId, Request};

use bots::Bots;
use calls::OpenCall;

use crate::{Answer, Founder, unreadable};

/// Something for the adapter to carry out, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Write these events down, durably and all or none, before carrying out anything behind it.
    Store {
        /// Of which table.
        game: GameId,
        /// How many events of the table are stored before them: the position of the first.
        first: u64,
        /// The events.
        events: Vec<Stored>,
    },
    /// Send a frame to a connection. Connections that see the same get the same text, which was written once.
    Send {
        /// To whom.
        to: ConnectionId,
        /// JSON.
        text: Arc<str>,
        /// Whether it refuses a request.
        is_refusal: bool,
    },
    /// Answer a call.
    Answer {
        /// Which, as [`TableHost::handle_call`] numbered it.
        call: CallId,
        /// The answer.
        answer: Answer,
    },
    /// The session behind a connection has changed. An adapter whose connections outlive its hosts keeps this with the
    /// connection and gives it to [`TableHost::restore`]; others have nothing to do.
    Bind(Binding),
    /// Close a connection. Nothing that it still says is heard.
    Close {
        /// Which.
        to: ConnectionId,
        /// The code, one of `texas42_client::close`.
        code: u16,
    },
}

impl Output {
    /// A message of the adapter itself, which is about no table or about one that does not stand.
    pub fn say(to: ConnectionId, message: &ServerMessage) -> Self {
        let is_refusal = matches!(message, ServerMessage::Error { .. });
        Self::Send { to, text: json(message).into(), is_refusal }
    }
}

/// Who is behind a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Which connection.
    pub connection: ConnectionId,
    /// Whose it is; nobody's before it joins.
    pub player: Option<PlayerId>,
    /// Whether it hears of every event.
    pub is_subscribed: bool,
}

impl Binding {
    /// A connection that has not said anything yet.
    pub const fn new(connection: ConnectionId) -> Self {
        Self { connection, player: None, is_subscribed: false }
    }
}

/// A connection of the adapter.
#[derive(Debug)]
struct Line {
    /// What the adapter knows.
    binding: Binding,
    /// The session that it joined last.
    player: Option<PlayerId>,
    /// It reads slower than the table speaks: updates are held back until it has caught up.
    is_behind: bool,
}

impl Line {
    fn new(binding: Binding) -> Self {
        Self { player: binding.player.clone(), binding, is_behind: false }
    }
}

/// A request of which the answer may not have left yet.
#[derive(Debug)]
struct Asked {
    from: ConnectionId,
    kind: Option<&'static str>,
    request: Option<RequestId>,
}

/// Something to be delivered behind what is to be stored.
#[derive(Debug)]
enum Queued {
    Message { to: ConnectionId, message: Arc<ServerMessage> },
    Output(Output),
}

/// The host loop of one table. See the module's description for the order of calls.
#[derive(Debug)]
pub struct TableHost {
    room: Room,
    bots: Bots,
    lines: BTreeMap<ConnectionId, Line>,
    calls: BTreeMap<ConnectionId, OpenCall>,
    next_call: u64,
    /// How many events were handed out to be stored.
    stored: u64,
    unstored: Vec<Stored>,
    queue: VecDeque<Queued>,
    /// The message that was written last, and its text.
    written: Option<(Arc<ServerMessage>, Arc<str>)>,
    asked: Vec<Asked>,
    /// Connections whose binding may have changed.
    touched: Vec<ConnectionId>,
    now: u64,
    has_work: bool,
    is_over: bool,
}

// Being made.
impl TableHost {
    /// Hosts a table that was set up just now and is not stored yet. `seed` is 32 bytes that nobody can guess.
    ///
    /// The room was made for the id of its founder. [`Setup`](crate::Setup) and [`import`](crate::import) do all of it.
    pub fn new(now: u64, room: Room, founder: Founder, bots: BotSettings, seed: [u8; 32]) -> Self {
        let mut host = Self::around(now, room, bots, seed);
        match founder {
            Founder::Connection(connection) => host.handle_connected(now, connection),
            Founder::Call => host.await_creation(),
        }
        host
    }

    fn around(now: u64, room: Room, bots: BotSettings, seed: [u8; 32]) -> Self {
        Self {
            room,
            bots: Bots::new(bots, seed),
            lines: BTreeMap::new(),
            calls: BTreeMap::new(),
            next_call: 1,
            stored: 0,
            unstored: Vec::new(),
            queue: VecDeque::new(),
            written: None,
            asked: Vec::new(),
            touched: Vec::new(),
            now,
            has_work: true,
            is_over: false,
        }
    }

    /// Hosts a table again, as its log left it. `bound` are the connections that outlived the previous host, if any: they
    /// are connected from the start, and hear only what is new.
    ///
    /// # Errors
    /// When the log is not one of a table.
    pub fn restore(
        now: u64,
        id: GameId,
        log: &[Stored],
        bound: impl IntoIterator<Item = Binding>,
        bots: BotSettings,
        seed: [u8; 32],
    ) -> Result<Self, WireError> {
        let bound: Vec<Binding> = bound.into_iter().collect();
        let bots_before = Seat::ALL.into_iter().map(|seat| Survivor {
            connection: bots::connection_at(seat),
            who: Survived::Program(seat),
            is_subscribed: false,
        });
        let people = bound.iter().filter_map(|Binding { connection, player, is_subscribed }| {
            let who = Survived::Player(player.clone()?);
            Some(Survivor { connection: *connection, who, is_subscribed: *is_subscribed })
        });
        let survivors: Vec<Survivor> = bots_before.chain(people).collect();
        let room =
            Room::restore_under(now, id, &seed, log, &survivors).map_err(|_| WireError::new(Problem::LogLost))?;
        let mut host = Self { stored: log.len() as u64, ..Self::around(now, room, bots, seed) };
        for binding in bound {
            host.lines.insert(binding.connection, Line::new(binding));
        }
        Ok(host)
    }

    /// Notes the request that the table was set up for, so that a creation that cannot be stored is answered.
    pub(crate) fn note_asked(&mut self, from: ConnectionId, kind: &'static str, request: Option<RequestId>) {
        self.asked.push(Asked { from, kind: Some(kind), request });
    }
}

// Getters.
impl TableHost {
    /// The table, to look at.
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// The id of the table.
    pub fn id(&self) -> &GameId {
        self.room.id()
    }

    /// Whether a connection of the adapter is there.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.lines.contains_key(&connection)
    }

    /// Whether no connection of the adapter is there.
    pub fn is_deserted(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many seats are moved by bots.
    pub fn bots(&self) -> usize {
        self.bots.seated()
    }

    /// When [`TableHost::handle_time`] is due, once all outputs were taken. A time that has passed means: at once.
    pub fn wake_at(&self) -> Option<u64> {
        if self.is_over {
            return None;
        }
        let unfinished = self.has_work.then_some(self.now);
        unfinished.into_iter().chain(self.room.wake_at()).chain(self.bots.wake_at()).min()
    }
}

// What goes in.
impl TableHost {
    /// A connection is there. What it says before is not heard.
    pub fn handle_connected(&mut self, now: u64, connection: ConnectionId) {
        self.note(now);
        self.lines.entry(connection).or_insert_with(|| Line::new(Binding::new(connection)));
    }

    /// A connection is gone. Its session keeps its seat.
    pub fn handle_closed(&mut self, now: u64, connection: ConnectionId) {
        self.note(now);
        if self.lines.remove(&connection).is_some() {
            self.room.handle_disconnect(now, connection);
        }
    }

    /// A connection says something. What cannot be read is answered.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        match texas42_protocol::read(text) {
            Ok(message) => self.handle_message(now, from, message),
            Err(error) => self.send(from, unreadable(text, &error)),
        }
    }

    /// The same, for an adapter that has read the message to find its table.
    pub fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        self.note(now);
        if self.is_over || !self.lines.contains_key(&from) {
            return;
        }
        self.note_asked(from, message.name(), message.request_id().cloned());
        self.touched.push(from);
        self.room.handle_message(now, from, message);
    }

    /// Some time has passed.
    pub fn handle_time(&mut self, now: u64) {
        self.note(now);
        self.room.handle_time(now);
    }

    /// Too much waits for a connection: updates to it are held back. Answers to its own requests still come.
    pub fn handle_backlog(&mut self, connection: ConnectionId) {
        if let Some(line) = self.lines.get_mut(&connection) {
            line.is_behind = true;
        }
    }

    /// Nothing waits for a connection any more: it is shown how the table stands now, if it missed anything.
    pub fn handle_caught_up(&mut self, now: u64, connection: ConnectionId) {
        self.note(now);
        let Some(line) = self.lines.get_mut(&connection).filter(|line| line.is_behind) else { return };
        line.is_behind = false;
        let is_subscribed = self.room.bound(connection).is_some_and(|(_, is_subscribed)| is_subscribed);
        if is_subscribed {
            let game_id = self.id().clone();
            self.room.handle_message(now, connection, ClientMessage::Subscribe { game_id });
        }
    }

    /// The last [`Output::Store`] failed. Those who asked for something are told, and every connection is closed with the
    /// code that says "come back". After the outputs that are left the host is over.
    pub fn handle_not_stored(&mut self, reason: &str) {
        self.unstored.clear();
        self.queue.clear();
        self.calls.clear();
        for Asked { from, kind, request } in core::mem::take(&mut self.asked) {
            let error = WireError::new(Problem::NotWritten { detail: reason.into() });
            let message = ServerMessage::refusal(kind, request, error);
            self.tell_not_stored(from, message);
        }
        self.end(texas42_client::close::RESTORED);
    }

    /// Closes every connection with this code, behind what is still to be delivered. The host is over then.
    pub fn end(&mut self, code: u16) {
        self.is_over = true;
        self.has_work = false;
        let calls = core::mem::take(&mut self.calls);
        calls.into_iter().for_each(|(id, call)| self.answer_nothing(id, call));
        for (to, _) in core::mem::take(&mut self.lines) {
            self.queue.push_back(Queued::Output(Output::Close { to, code }));
        }
    }

    fn note(&mut self, now: u64) {
        self.now = now;
        self.has_work = !self.is_over;
    }
}

/// A value as JSON.
fn json(value: &impl serde::Serialize) -> String {
    texas42_protocol::to_json(value)
}
