//! The host loop of one table, without I/O: messages, requests, decisions and the time go in; outputs come out.
//!
//! The host owns its [`Room`] and its bots. A bot is an ordinary client inside the host. It has no connection that can
//! fail and no queue that can overflow, and it can be rebuilt from the table's state at any time.

use alloc::{
    collections::{BTreeMap, VecDeque},
    string::String,
    sync::Arc,
    vec::Vec,
};

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, PlayerId, RequestId, ServerMessage, WireError};
use texas42_room::{ConnectionId, ConnectionOwner, Room, StoredEvent, SurvivingConnection};
use texas42_vocab::Seat;

mod bots;
mod calls;
mod delivery;
#[cfg(test)]
mod tests;
mod turn;

pub use bots::{BotSettings, DecisionId, DecisionRequest, DecisionTiming, bot_name};
pub use calls::{Call, CallId, Request};

use bots::Bots;
use calls::OpenCall;

use crate::{Answer, Creator, unreadable_reply};

/// An instruction to the adapter. Outputs must be carried out in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Store these events durably, all or none, before carrying out any later output.
    Store {
        /// The table.
        game: GameId,
        /// The number of events stored before these, which is the index of the first one.
        first: u64,
        /// The events.
        events: Vec<StoredEvent>,
    },
    /// Send a message to a connection. Connections with the same view share the text, which is serialized once.
    Send {
        /// The recipient.
        to: ConnectionId,
        /// The message as JSON.
        text: Arc<str>,
        /// Whether it rejects a request.
        is_refusal: bool,
    },
    /// Answer a call.
    Answer {
        /// The id that [`TableHost::handle_call`] returned.
        call: CallId,
        /// The answer.
        answer: Answer,
    },
    /// The session of a connection has changed. An adapter whose connections outlive its hosts stores this with the
    /// connection and passes it to [`TableHost::restore`]. Others can ignore it.
    Bind(Binding),
    /// Close a connection, and ignore any further messages from it.
    Close {
        /// The connection.
        to: ConnectionId,
        /// The close code; see `texas42_client::close`.
        code: u16,
    },
}

impl Output {
    /// A message from the adapter itself, about no table or one that does not exist.
    pub fn say(to: ConnectionId, message: &ServerMessage) -> Self {
        let is_refusal = matches!(message, ServerMessage::Error { .. });
        Self::Send { to, text: json(message).into(), is_refusal }
    }
}

/// The session of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The connection.
    pub connection: ConnectionId,
    /// The player. `None` before the connection has joined.
    pub player: Option<PlayerId>,
    /// Whether it is subscribed to updates.
    pub is_subscribed: bool,
}

impl Binding {
    /// A connection that has not joined yet.
    pub const fn new(connection: ConnectionId) -> Self {
        Self { connection, player: None, is_subscribed: false }
    }
}

/// A connection of the adapter.
#[derive(Debug)]
struct Connection {
    /// The binding that the adapter knows.
    binding: Binding,
    /// The session that it joined last.
    player: Option<PlayerId>,
    /// Whether its send queue is too long. If so, updates are withheld until it has caught up.
    is_behind: bool,
}

impl Connection {
    fn new(binding: Binding) -> Self {
        Self { player: binding.player.clone(), binding, is_behind: false }
    }
}

/// A request whose reply may not have been sent yet.
#[derive(Debug)]
struct PendingRequest {
    from: ConnectionId,
    kind: Option<&'static str>,
    request: Option<RequestId>,
}

/// An output that follows the events to be stored.
#[derive(Debug)]
enum Queued {
    Message { to: ConnectionId, message: Arc<ServerMessage> },
    Output(Output),
}

/// The host loop of one table.
///
/// An adapter (a server task, a browser worker, a Durable Object) owns the sockets, the storage and the clock, and
/// drives the host:
///
/// 1. Report input with any number of `handle_*` calls.
/// 2. Let bots decide: answer every [`poll_decision_request`](Self::poll_decision_request) with
///    [`handle_decision`](Self::handle_decision), now or later. Alternatively, call [`think`](Self::think), which does
///    both.
/// 3. Call [`poll_output`](Self::poll_output) until it returns `None`, and carry out each [`Output`] before the next.
///    All events since the last time come in **one** [`Output::Store`], before everything that depends on them.
/// 4. Call [`handle_time`](Self::handle_time) at [`wake_at`](Self::wake_at). Calling it early or repeatedly is
///    harmless.
///
/// If storing fails, call [`handle_store_failure`](Self::handle_store_failure), carry out the remaining outputs and drop the
/// host. Events that were not stored have not happened, and the table is restored from its log. The same holds after a
/// crash between any two outputs: apart from the connections, a host has no state that is not in the log.
#[derive(Debug)]
pub struct TableHost {
    room: Room,
    bots: Bots,
    connections: BTreeMap<ConnectionId, Connection>,
    calls: BTreeMap<ConnectionId, OpenCall>,
    next_call: u64,
    /// The number of events passed to the adapter for storing.
    stored: u64,
    unstored: Vec<StoredEvent>,
    queue: VecDeque<Queued>,
    /// The last serialized message, and its text.
    written: Option<(Arc<ServerMessage>, Arc<str>)>,
    pending_requests: Vec<PendingRequest>,
    /// Connections whose binding may have changed.
    touched: Vec<ConnectionId>,
    now: u64,
    has_work: bool,
    is_over: bool,
}

// Constructors.
impl TableHost {
    /// Hosts a new table that is not stored yet. `seed` is 32 unpredictable bytes.
    ///
    /// The room must have been created for the connection of the founder. Prefer [`Setup`](crate::Setup) and
    /// [`import`](crate::import), which take care of that.
    pub fn new(now: u64, room: Room, founder: Creator, bots: BotSettings, seed: [u8; 32]) -> Self {
        let mut host = Self::with_room(now, room, bots, seed);
        match founder {
            Creator::Connection(connection) => host.handle_connected(now, connection),
            Creator::Call => host.await_creation(),
        }
        host
    }

    fn with_room(now: u64, room: Room, bots: BotSettings, seed: [u8; 32]) -> Self {
        Self {
            room,
            bots: Bots::new(bots, seed),
            connections: BTreeMap::new(),
            calls: BTreeMap::new(),
            next_call: 1,
            stored: 0,
            unstored: Vec::new(),
            queue: VecDeque::new(),
            written: None,
            pending_requests: Vec::new(),
            touched: Vec::new(),
            now,
            has_work: true,
            is_over: false,
        }
    }

    /// Hosts a stored table again. `bound` lists the connections that outlived the previous host, if any. They stay
    /// connected and receive only what is new.
    ///
    /// # Errors
    /// If the log was not written by a table.
    pub fn restore(
        now: u64,
        id: GameId,
        log: &[StoredEvent],
        bound: impl IntoIterator<Item = Binding>,
        bots: BotSettings,
        seed: [u8; 32],
    ) -> Result<Self, WireError> {
        let bound: Vec<Binding> = bound.into_iter().collect();
        let bots_before = Seat::ALL.into_iter().map(|seat| SurvivingConnection {
            connection: bots::connection_at(seat),
            who: ConnectionOwner::Program(seat),
            is_subscribed: false,
        });
        let people = bound.iter().filter_map(|Binding { connection, player, is_subscribed }| {
            let who = ConnectionOwner::Player(player.clone()?);
            Some(SurvivingConnection { connection: *connection, who, is_subscribed: *is_subscribed })
        });
        let survivors: Vec<SurvivingConnection> = bots_before.chain(people).collect();
        let room = Room::restore_with_connections(now, id, &seed, log, &survivors)
            .map_err(|_| WireError::new(Problem::LogLost))?;
        let mut host = Self { stored: log.len() as u64, ..Self::with_room(now, room, bots, seed) };
        for binding in bound {
            host.connections.insert(binding.connection, Connection::new(binding));
        }
        Ok(host)
    }

    /// Notes the request that created the table, so that it is answered even if the table cannot be stored.
    pub(crate) fn note_request(&mut self, from: ConnectionId, kind: &'static str, request: Option<RequestId>) {
        self.pending_requests.push(PendingRequest { from, kind: Some(kind), request });
    }
}

// Getters.
impl TableHost {
    /// The table.
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// The id of the table.
    pub fn id(&self) -> &GameId {
        self.room.id()
    }

    /// Whether a connection of the adapter exists.
    pub fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections.contains_key(&connection)
    }

    /// Whether the adapter has no connection to this table.
    pub fn is_deserted(&self) -> bool {
        self.connections.is_empty()
    }

    /// The number of seats controlled by bots.
    pub fn bots(&self) -> usize {
        self.bots.count()
    }

    /// When [`TableHost::handle_time`] is due, once all outputs have been polled. A time in the past means immediately.
    pub fn wake_at(&self) -> Option<u64> {
        if self.is_over {
            return None;
        }
        let unfinished = self.has_work.then_some(self.now);
        unfinished.into_iter().chain(self.room.wake_at()).chain(self.bots.wake_at()).min()
    }
}

// Input.
impl TableHost {
    /// Handles a new connection. Messages from unknown connections are ignored.
    pub fn handle_connected(&mut self, now: u64, connection: ConnectionId) {
        self.note(now);
        self.connections.entry(connection).or_insert_with(|| Connection::new(Binding::new(connection)));
    }

    /// Handles a closed connection. Its session keeps its seat.
    pub fn handle_closed(&mut self, now: u64, connection: ConnectionId) {
        self.note(now);
        if self.connections.remove(&connection).is_some() {
            self.room.handle_disconnect(now, connection);
        }
    }

    /// Handles a text message from a connection. Text that cannot be read gets an error reply.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        match texas42_protocol::read(text) {
            Ok(message) => self.handle_message(now, from, message),
            Err(error) => self.send(from, unreadable_reply(text, &error)),
        }
    }

    /// Handles a message that the adapter has already deserialized.
    pub fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        self.note(now);
        if self.is_over || !self.connections.contains_key(&from) {
            return;
        }
        self.note_request(from, message.name(), message.request_id().cloned());
        self.touched.push(from);
        self.room.handle_message(now, from, message);
    }

    /// Handles the passing of time.
    pub fn handle_time(&mut self, now: u64) {
        self.note(now);
        self.room.handle_time(now);
    }

    /// Withholds updates to a connection whose send queue is too long. It still gets replies to its requests.
    pub fn handle_backlog(&mut self, connection: ConnectionId) {
        if let Some(connected) = self.connections.get_mut(&connection) {
            connected.is_behind = true;
        }
    }

    /// Resumes updates to a connection whose send queue is empty, with a full view if it missed anything.
    pub fn handle_caught_up(&mut self, now: u64, connection: ConnectionId) {
        self.note(now);
        let Some(connected) = self.connections.get_mut(&connection).filter(|connected| connected.is_behind) else {
            return;
        };
        connected.is_behind = false;
        let is_subscribed = self.room.bound(connection).is_some_and(|(_, is_subscribed)| is_subscribed);
        if is_subscribed {
            let game_id = self.id().clone();
            self.room.handle_message(now, connection, ClientMessage::Subscribe { game_id });
        }
    }

    /// Handles a failed [`Output::Store`]. Pending requests get an error reply, and all connections are closed with a
    /// code that asks clients to reconnect. The host has ended after the remaining outputs.
    pub fn handle_store_failure(&mut self, reason: &str) {
        self.unstored.clear();
        self.queue.clear();
        self.calls.clear();
        for PendingRequest { from, kind, request } in core::mem::take(&mut self.pending_requests) {
            let error = WireError::new(Problem::NotWritten { detail: reason.into() });
            let message = ServerMessage::refusal(kind, request, error);
            self.report_not_stored(from, message);
        }
        self.end(texas42_client::close::RESTORED);
    }

    /// Closes all connections with this code, after the remaining outputs. Then the host has ended.
    pub fn end(&mut self, code: u16) {
        self.is_over = true;
        self.has_work = false;
        let calls = core::mem::take(&mut self.calls);
        calls.into_iter().for_each(|(id, call)| self.answer_unanswered(id, call));
        for (to, _) in core::mem::take(&mut self.connections) {
            self.queue.push_back(Queued::Output(Output::Close { to, code }));
        }
    }

    fn note(&mut self, now: u64) {
        self.now = now;
        self.has_work = !self.is_over;
    }
}

/// Serializes a value as JSON.
fn json(value: &impl serde::Serialize) -> String {
    texas42_protocol::to_json(value)
}
