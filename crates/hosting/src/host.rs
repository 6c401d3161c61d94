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
use texas42_protocol::{ClientMessage, GameId, LobbyCode, PlayerId, RequestId, ServerMessage, WireError};
use texas42_room::{
    Clock, CodeClaim, ConnectionId, ConnectionOwner, OpenCode, Room, StoredEvent, SurvivingConnection, WaitingGuest,
};
use texas42_vocab::Seat;

mod bots;
mod calls;
mod delivery;
mod hints;
#[cfg(test)]
mod tests;
mod turn;

pub use bots::{BotSettings, DecisionId, DecisionRequest, DecisionTiming, bot_name};
pub use calls::{CallId, HttpRequest, TableCall};
pub use hints::HintRequest;

use bots::Bots;
use calls::OpenCall;
use hints::HintState;

use crate::{Creator, HttpResponse, read_frame};

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
        answer: HttpResponse,
    },
    /// The table needs this code for its lobby. Unless it leads to another table, let it lead to this one until it
    /// expires. Answer with [`TableHost::handle_claim`], now or later. An adapter that restores the table before the code
    /// expires passes the code to [`TableHost::with_code`].
    ClaimCode(OpenCode),
    /// The code no longer leads to the table.
    ReleaseCode(LobbyCode),
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
    /// The guest who waits on this connection in the lobby.
    pub guest: Option<WaitingGuest>,
}

impl Binding {
    /// A connection that has not joined yet.
    pub const fn new(connection: ConnectionId) -> Self {
        Self { connection, player: None, is_subscribed: false, guest: None }
    }

    fn owner(&self) -> Option<ConnectionOwner> {
        let guest = || self.guest.clone().map(ConnectionOwner::Guest);
        self.player.clone().map(ConnectionOwner::Player).or_else(guest)
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
/// 3. Let an expert give hints: answer every [`poll_hint_request`](Self::poll_hint_request) with
///    [`handle_hints`](Self::handle_hints), now or later. [`think`](Self::think) does this, too.
/// 4. Call [`poll_output`](Self::poll_output) until it returns `None`, and carry out each [`Output`] before the next.
///    All events since the last time come in **one** [`Output::Store`], before everything that depends on them.
/// 5. Call [`handle_time`](Self::handle_time) at [`wake_at`](Self::wake_at). Calling it early or repeatedly is
///    harmless.
///
/// If storing fails, call [`handle_store_failure`](Self::handle_store_failure), carry out the remaining outputs and drop the
/// host. Events that were not stored have not happened, and the table is restored from its log. The same holds after a
/// crash between any two outputs: apart from the connections, a host has no state that is not in the log.
#[derive(Debug)]
pub struct TableHost {
    room: Room,
    bots: Bots,
    /// The hints for the current decision, at a table with hints.
    hints: Option<HintState>,
    connections: BTreeMap<ConnectionId, Connection>,
    /// The calls that are not answered yet, in the order in which they came.
    calls: Vec<(ConnectionId, OpenCall)>,
    next_call: u64,
    /// The number of events passed to the adapter for storing.
    stored: u64,
    unstored: Vec<StoredEvent>,
    queue: VecDeque<Queued>,
    /// The last message that was serialized, and its text.
    last_serialized: Option<(Arc<ServerMessage>, Arc<str>)>,
    pending_requests: Vec<PendingRequest>,
    /// Connections whose binding may have changed.
    touched: Vec<ConnectionId>,
    /// Waits of bots are measured on this clock, so that the adapter's clock may be set back at any time.
    clock: Clock,
    has_work: bool,
    is_over: bool,
}

// Constructors.
impl TableHost {
    /// Hosts a new table that is not stored yet. `seed` is 32 unpredictable bytes.
    ///
    /// The room must have been created for the connection of the creator. Prefer [`Setup`](crate::Setup) and
    /// [`import`](crate::import), which take care of that.
    pub fn new(now: u64, room: Room, creator: Creator, bots: BotSettings, seed: [u8; 32]) -> Self {
        let mut host = Self::with_room(now, room, bots, seed);
        match creator {
            Creator::Connection(connection) => host.handle_connected(now, connection),
            Creator::Call => host.await_creation(),
        }
        host
    }

    fn with_room(now: u64, room: Room, bots: BotSettings, seed: [u8; 32]) -> Self {
        Self {
            room,
            bots: Bots::new(bots, seed),
            hints: None,
            connections: BTreeMap::new(),
            calls: Vec::new(),
            next_call: 1,
            stored: 0,
            unstored: Vec::new(),
            queue: VecDeque::new(),
            last_serialized: None,
            pending_requests: Vec::new(),
            touched: Vec::new(),
            clock: Clock::new(now, now),
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
        let bot_connections = Seat::ALL.into_iter().map(|seat| SurvivingConnection {
            connection: bots::connection_at(seat),
            who: ConnectionOwner::Bot(seat),
            is_subscribed: false,
        });
        let people = bound.iter().filter_map(|binding| {
            let (connection, is_subscribed) = (binding.connection, binding.is_subscribed);
            Some(SurvivingConnection { connection, who: binding.owner()?, is_subscribed })
        });
        let survivors: Vec<SurvivingConnection> = bot_connections.chain(people).collect();
        let room = Room::restore_with_connections(now, id, &seed, log, &survivors)
            .map_err(|_| WireError::new(Problem::LogLost))?;
        let mut host = Self { stored: log.len() as u64, ..Self::with_room(now, room, bots, seed) };
        for binding in bound {
            host.connections.insert(binding.connection, Connection::new(binding));
        }
        Ok(host)
    }

    /// The host of a restored table whose lobby has this code.
    #[must_use]
    pub fn with_code(mut self, code: Option<OpenCode>) -> Self {
        code.into_iter().for_each(|code| self.room.reopen_lobby(code));
        self
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
    /// An adapter should wait in monotonic time: if its clock is set back meanwhile, the host waits no longer.
    pub fn wake_at(&self) -> Option<u64> {
        if self.is_over {
            return None;
        }
        let unfinished = (self.has_work || self.is_hint_due()).then_some(self.now());
        let next = unfinished.into_iter().chain(self.room.wake_at()).chain(self.bots.wake_at()).min();
        next.map(|at| self.clock.to_host_time(at))
    }
}

// Input.
impl TableHost {
    /// Handles a new connection. Messages from unknown connections are ignored.
    pub fn handle_connected(&mut self, now: u64, connection: ConnectionId) {
        self.note_input(now);
        self.connections.entry(connection).or_insert_with(|| Connection::new(Binding::new(connection)));
    }

    /// Handles a closed connection. Its session keeps its seat.
    pub fn handle_closed(&mut self, now: u64, connection: ConnectionId) {
        let now = self.note_input(now);
        if self.connections.remove(&connection).is_some() {
            self.room.handle_disconnect(now, connection);
        }
    }

    /// Handles a text message from a connection. Text that cannot be read gets an error reply.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        match read_frame(text) {
            Ok(message) => self.handle_message(now, from, message),
            Err(reply) => self.send(from, *reply),
        }
    }

    /// Handles a message that the adapter has already deserialized.
    pub fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let now = self.note_input(now);
        if self.is_over || !self.connections.contains_key(&from) {
            return;
        }
        self.note_request(from, message.name(), message.request_id().cloned());
        self.touched.push(from);
        self.room.handle_message(now, from, message);
    }

    /// Handles the passing of time.
    pub fn handle_time(&mut self, now: u64) {
        let now = self.note_input(now);
        self.room.handle_time(now);
    }

    /// Handles the answer to [`Output::ClaimCode`].
    pub fn handle_claim(&mut self, answer: CodeClaim) {
        self.has_work = !self.is_over;
        self.room.handle_claim(answer);
    }

    /// Withholds updates to a connection whose send queue is too long. It still gets replies to its requests.
    pub fn handle_backlog(&mut self, connection: ConnectionId) {
        if let Some(connected) = self.connections.get_mut(&connection) {
            connected.is_behind = true;
        }
    }

    /// Resumes updates to a connection whose send queue is empty, with a full view if it missed anything.
    pub fn handle_caught_up(&mut self, now: u64, connection: ConnectionId) {
        let now = self.note_input(now);
        let Some(connected) = self.connections.get_mut(&connection).filter(|connected| connected.is_behind) else {
            return;
        };
        connected.is_behind = false;
        self.forget_hinted(connection);
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

    /// Records that an input has to be processed, and its time. Returns the time of the table.
    fn note_input(&mut self, now: u64) -> u64 {
        self.has_work = !self.is_over;
        self.advance(now)
    }

    /// Advances the clock and returns the time of the table.
    const fn advance(&mut self, now: u64) -> u64 {
        self.clock.advance(now);
        self.clock.now()
    }

    /// The time of the table at the last input.
    const fn now(&self) -> u64 {
        self.clock.now()
    }
}

/// Serializes a value as JSON.
fn json(value: &impl serde::Serialize) -> String {
    texas42_protocol::to_json(value)
}
