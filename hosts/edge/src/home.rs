//! The platform-independent part of a Durable Object. A [`Home`] holds one table, which may not be created yet. It takes
//! frames, requests, the time and the log, and returns outputs to perform in order. The table itself is a [`TableHost`].
//!
//! Invariants: events are output for storage before anything that depends on them, and all at once, so one request costs
//! one write. A home keeps no state of its own: one rebuilt from the log and the socket attachments continues as if it had
//! never been evicted.

mod silence;

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use texas42_client::close;
use texas42_hosting::{
    Admission, Binding, ConnectionIds, Creator, DecisionTiming, HttpResponse, IMPORT, NewHost, Output, RequestRef,
    Setup, SetupStep, TableCall, TableHost, Throttle, id_of, import, import_key, parse_message, rate_limited_reply,
    read_frame, rejoin_import_call, rejoin_message, reply_without_table,
    routes::{Endpoint, TableEndpoint},
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, LobbyCode, MAX_MESSAGE_BYTES, PlayerId, ServerMessage, WireError};
use texas42_room::{CodeClaim, ConnectionId, OpenCode, StoredEvent, WaitingGuest};

use crate::{Settings, home::silence::HeartbeatWatch};

/// The state that a socket keeps while its object hibernates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The id of the connection.
    pub connection: ConnectionId,
    /// The session that the connection has joined as.
    pub player: Option<PlayerId>,
    /// Whether the connection receives every event.
    pub is_subscribed: bool,
    /// Whether the connection may create this table.
    pub may_create: bool,
    /// Whether the client has pinged so often that silence means a lost network. Attachments of earlier versions lack it.
    #[serde(default)]
    pub has_quick_heartbeat: bool,
    /// The guest who waits on this connection in the lobby.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<WaitingGuest>,
}

impl Attachment {
    /// The attachment after its connection has joined or left. At an existing table, `may_create` no longer applies.
    #[must_use]
    pub fn bound(&self, Binding { connection, player, is_subscribed, guest }: Binding) -> Self {
        Self { connection, player, is_subscribed, guest, may_create: false, ..self.clone() }
    }

    fn binding(&self) -> Binding {
        let Self { connection, player, is_subscribed, guest, .. } = self.clone();
        Binding { connection, player, is_subscribed, guest }
    }
}

/// A request from the Worker to an object. The Worker has already matched the path against the route table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectRequest {
    /// Open a WebSocket.
    Socket {
        /// Whether the connection may create this table.
        may_create: bool,
    },
    /// Create a table.
    Create,
    /// Import a table from its log.
    Import,
    /// Call an endpoint of the table.
    Call(TableEndpoint),
    /// Tell a stranger with this code about the table.
    Lobby(LobbyCode),
}

impl ObjectRequest {
    /// The maximum length of the body, as declared by the endpoint's route.
    pub fn max_bytes(self) -> usize {
        self.endpoint().route().body.max_bytes()
    }

    const fn endpoint(self) -> Endpoint {
        match self {
            Self::Socket { .. } => Endpoint::TableSocket,
            Self::Create => Endpoint::Create,
            Self::Import => Endpoint::Import,
            Self::Call(endpoint) => Endpoint::Table(endpoint),
            Self::Lobby(_) => Endpoint::Code,
        }
    }
}

/// An HTTP request to a table.
#[derive(Clone, Copy, Debug)]
pub struct HomeRequest<'a> {
    /// The kind of request.
    pub kind: ObjectRequest,
    /// The query string, without the question mark.
    pub query: &'a str,
    /// The `Authorization` header.
    pub key: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// An open socket. Its rate limit restarts when the home is rebuilt.
struct Connection {
    attachment: Attachment,
    throttle: Throttle,
    heartbeat: HeartbeatWatch,
}

/// The state of one Durable Object: one table, which may not be created yet, and its connections.
///
/// Feed it with the `handle_*` methods. After each call, perform the outputs of [`Home::poll_output`] until it returns
/// `None`, then take the answer with [`Home::take_answer`] and set the alarm to [`Home::wake_at`]. If storing fails, call
/// [`Home::handle_store_failure`], perform the remaining outputs and drop the home. If [`Home::is_deleted`], delete
/// everything that is stored and drop the home.
pub struct Home {
    id: GameId,
    table: Option<TableHost>,
    /// The time of the last input.
    now: u64,
    /// When the last event of the table was stored.
    last_stored: u64,
    is_deleted: bool,
    connections: BTreeMap<ConnectionId, Connection>,
    outputs: VecDeque<Output>,
    ids: ConnectionIds,
    answer: Option<HttpResponse>,
    /// The attachments that changed without a [`Binding`].
    changed_attachments: VecDeque<Attachment>,
    /// When to check for connections that are silent.
    silence_check: Option<u64>,
    settings: Settings,
    random: Box<dyn FnMut() -> [u8; 32]>,
}

// Construction and outputs.
impl Home {
    /// Builds a home from the table's log, which is empty if there is no table yet, and the attachments of its sockets.
    ///
    /// # Errors
    /// If the log cannot be replayed.
    pub fn new(
        now: u64,
        id: GameId,
        log: &[StoredEvent],
        sockets: impl IntoIterator<Item = Attachment>,
        settings: Settings,
        mut random: impl FnMut() -> [u8; 32] + 'static,
    ) -> Result<Self, WireError> {
        let [a, b, c, d, ..] = random();
        let mut home = Self {
            id,
            table: None,
            now,
            last_stored: log.last().map_or(0, |event| event.at),
            is_deleted: false,
            connections: BTreeMap::new(),
            outputs: VecDeque::new(),
            ids: ConnectionIds::after_restart([a, b, c, d]),
            answer: None,
            changed_attachments: VecDeque::new(),
            silence_check: None,
            settings,
            random: Box::new(random),
        };
        sockets.into_iter().for_each(|attachment| home.add(now, attachment));
        if !log.is_empty() {
            let bound: Vec<Binding> =
                home.connections.values().map(|connection| connection.attachment.binding()).collect();
            let seed = (home.random)();
            home.table = Some(TableHost::restore(now, home.id.clone(), log, bound, settings.bots, seed)?);
            home.watch_after_restart(now);
            home.run_bots(now);
        }
        Ok(home)
    }

    /// The home of a table whose lobby has this code.
    #[must_use]
    pub fn with_code(self, code: Option<OpenCode>) -> Self {
        Self { table: self.table.map(|table| table.with_code(code)), ..self }
    }

    /// The id of the table.
    pub const fn id(&self) -> &GameId {
        &self.id
    }

    /// Whether the table exists.
    pub const fn is_set_up(&self) -> bool {
        self.table.is_some()
    }

    /// Whether the table was deleted because it was inactive for [`Settings::keep`].
    pub const fn is_deleted(&self) -> bool {
        self.is_deleted
    }

    /// When [`Home::handle_time`] is due; `None` if there is no table or nothing will ever be due. While a table is kept for a
    /// limited time, an alarm is always pending, because a socket may be lost without a notice.
    pub fn wake_at(&self, now: u64) -> Option<u64> {
        let table = self.table.as_ref()?;
        table.wake_at().into_iter().chain(self.inactive_from(now)).chain(self.next_silence_check()).min()
    }

    /// When the table will be inactive if nothing happens. It is active as long as a socket is open.
    fn inactive_from(&self, now: u64) -> Option<u64> {
        let is_deserted = self.connections.is_empty();
        self.settings.keep.inactive_from(if is_deserted { self.last_stored } else { self.last_stored.max(now) })
    }

    /// Returns the next output to perform. The answer to a request is kept for [`Home::take_answer`].
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            let own = self.outputs.pop_front();
            match own.or_else(|| self.table.as_mut()?.poll_output())? {
                Output::Answer { answer, .. } => self.answer = Some(answer),
                output => {
                    self.note_output(&output);
                    return Some(output);
                }
            }
        }
    }

    fn note_output(&mut self, output: &Output) {
        match output {
            Output::Store { events, .. } => self.last_stored = events.last().map_or(self.last_stored, |last| last.at),
            Output::Send { to, .. } => self.note_message(*to),
            Output::Bind(_)
            | Output::Close { .. }
            | Output::Answer { .. }
            | Output::ClaimCode(_)
            | Output::ReleaseCode(_) => {}
        }
    }

    /// Returns the next attachment to write to its socket, after all outputs.
    pub fn poll_attachment(&mut self) -> Option<Attachment> {
        self.changed_attachments.pop_front()
    }

    /// Returns the answer to the last request. Call this after performing all outputs.
    pub fn take_answer(&mut self) -> Option<HttpResponse> {
        self.answer.take()
    }
}

// Inputs.
impl Home {
    /// Handles a new socket. Attach the result to the socket, so that a rebuilt home recognizes it.
    pub fn handle_connected(&mut self, now: u64, may_create: bool) -> Attachment {
        self.now = now;
        let connection = self.ids.next(|id| self.connections.contains_key(&id));
        let Binding { player, is_subscribed, guest, .. } = Binding::new(connection);
        let attachment =
            Attachment { connection, player, is_subscribed, may_create, has_quick_heartbeat: false, guest };
        self.add(now, attachment.clone());
        attachment
    }

    fn add(&mut self, now: u64, attachment: Attachment) {
        if let Some(table) = &mut self.table {
            table.handle_connected(now, attachment.connection);
        }
        let throttle = Throttle::new(self.settings.messages, Duration::from_millis(now));
        let heartbeat = HeartbeatWatch::new(now);
        self.connections.insert(attachment.connection, Connection { attachment, throttle, heartbeat });
    }

    /// Handles a closed socket.
    pub fn handle_closed(&mut self, now: u64, from: ConnectionId) {
        self.now = now;
        self.connections.remove(&from);
        if let Some(table) = &mut self.table {
            table.handle_closed(now, from);
        }
        self.run_bots(now);
    }

    /// Handles an alarm: deletes an inactive table, and closes silent connections. Calling this early or twice is
    /// harmless. `last_ping` is when the platform last answered a ping of a connection.
    pub fn handle_time(&mut self, now: u64, last_ping: impl Fn(ConnectionId) -> Option<u64>) {
        self.now = now;
        if self.is_set_up() && self.inactive_from(now).is_some_and(|at| at <= now) {
            return self.delete();
        }
        self.check_silence(now, last_ping);
        if let Some(table) = &mut self.table {
            table.handle_time(now);
        }
        self.run_bots(now);
    }

    /// Drops the table and its pending outputs.
    fn delete(&mut self) {
        self.table = None;
        self.outputs.clear();
        self.is_deleted = true;
    }

    /// Handles a failed write: answers pending requests with an error and closes every socket. Drop the home afterwards.
    pub fn handle_store_failure(&mut self, reason: &str) {
        self.outputs.clear();
        if let Some(table) = &mut self.table {
            table.handle_store_failure(reason);
        }
    }

    /// Handles the answer to [`Output::ClaimCode`].
    pub fn handle_claim(&mut self, now: u64, answer: CodeClaim) {
        if let Some(table) = &mut self.table {
            table.handle_claim(answer);
        }
        self.run_bots(now);
    }

    /// Handles a text frame from a socket.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        self.now = now;
        self.note_message(from);
        self.watch_for_silence();
        if text.len() > MAX_MESSAGE_BYTES {
            return self.outputs.push_back(Output::Close { to: from, code: close::TOO_LONG });
        }
        let message = read_frame(text);
        match self.admit(now, from) {
            Admission::Cut => return self.outputs.push_back(Output::Close { to: from, code: close::FLOODED }),
            Admission::Warned => return self.send(from, &rate_limited_reply(message.ok().as_ref())),
            Admission::Yes => {}
        }
        match message {
            Ok(message) => self.handle_message(now, from, message),
            Err(reply) => self.send(from, &reply),
        }
    }

    /// Handles an HTTP request. After performing the outputs, get the answer from [`Home::take_answer`].
    pub fn handle_request(&mut self, now: u64, request: &HomeRequest<'_>) {
        self.now = now;
        let answer = match request.kind {
            ObjectRequest::Call(endpoint) => self.call(now, endpoint, request),
            ObjectRequest::Create => self.create_by_request(now, request),
            ObjectRequest::Import => self.import_by_request(now, request),
            ObjectRequest::Lobby(code) => self.handle_call(now, TableCall::Lobby(code)),
            ObjectRequest::Socket { .. } => Some(HttpResponse::refused_as(400)),
        };
        self.answer = answer;
    }

    fn admit(&mut self, now: u64, from: ConnectionId) -> Admission {
        let rate = self.settings.messages;
        let connection = self.connections.get_mut(&from);
        connection.map_or(Admission::Yes, |connection| connection.throttle.admit(rate, Duration::from_millis(now)))
    }

    fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        if let Some(table) = &mut self.table {
            table.handle_message(now, from, message);
            return self.run_bots(now);
        }
        match message {
            ClientMessage::CreateGame { .. } => self.create(now, from, message),
            message if message.enters_table() => self.send(from, &RequestRef::of(&message).refuse(no_such_game())),
            message => self.send(from, &reply_without_table(now, &message)),
        }
    }

    fn run_bots(&mut self, now: u64) {
        if let Some(table) = &mut self.table {
            table.think(now, DecisionTiming::WhenDue);
        }
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        self.outputs.push_back(Output::say(to, message));
    }
}

// Table creation and HTTP calls.
impl Home {
    /// Creates the table. Its id must be derived from the creator's key or drawn for this socket; clients cannot choose it.
    fn create(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let may_create = self.connections.get(&from).is_some_and(|connection| connection.attachment.may_create);
        let is_derived =
            matches!(&message, ClientMessage::CreateGame { session_key: Some(key), .. } if id_of(key) == self.id);
        if !may_create && !is_derived {
            let error = WireError::new(Problem::SetUpElsewhere);
            return self.send(from, &RequestRef::of(&message).refuse(error));
        }
        match self.run_setup(now, Creator::Connection(from), message) {
            Err(refused) => self.send(from, &refused),
            Ok(table) => self.install(now, table),
        }
    }

    /// Runs the setup to completion. The search for a deal is bounded and an object has only one table, so blocking is fine.
    fn run_setup(
        &mut self,
        now: u64,
        creator: Creator,
        message: ClientMessage,
    ) -> Result<Box<TableHost>, Box<ServerMessage>> {
        let mut setup = Setup::new(self.new_host(now, creator), message);
        loop {
            match (setup.poll(), creator) {
                (SetupStep::Progress(message), Creator::Connection(to)) => self.send(to, &message),
                (SetupStep::Progress(_), Creator::Call) => {}
                (SetupStep::Refused(message), _) => return Err(message),
                (SetupStep::Ready(table), _) => return Ok(table),
            }
        }
    }

    fn new_host(&mut self, now: u64, creator: Creator) -> NewHost {
        let (randomness, seed) = ((self.random)(), (self.random)());
        NewHost { now, id: self.id.clone(), creator, bots: self.settings.bots, randomness, seed }
    }

    fn create_by_request(&mut self, now: u64, request: &HomeRequest<'_>) -> Option<HttpResponse> {
        let message = match parse_message("CREATE_GAME", None, request.body) {
            Ok(message) => message,
            Err(error) => return Some(HttpResponse::unreadable(Some("CREATE_GAME"), request.body, error)),
        };
        if self.is_set_up() {
            return match rejoin_message(&message) {
                Some(message) => self.handle_call(now, TableCall::Message { key: None, message }),
                None => Some(HttpResponse::refused_as(503)),
            };
        }
        match self.run_setup(now, Creator::Call, message) {
            Err(refused) => return Some(HttpResponse::message(&refused)),
            Ok(table) => self.install(now, table),
        }
        None
    }

    /// Imports a game that was started elsewhere. If it was imported before, its creator rejoins instead.
    fn import_by_request(&mut self, now: u64, request: &HomeRequest<'_>) -> Option<HttpResponse> {
        let key = match import_key(request.key) {
            Ok(key) => key,
            Err(error) => return Some(HttpResponse::refusal(Some(IMPORT), error)),
        };
        if self.is_set_up() {
            return self.handle_call(now, rejoin_import_call(key));
        }
        match import(&self.new_host(now, Creator::Call), &key, request.body) {
            Err(refused) => return Some(HttpResponse::message(&refused)),
            Ok(table) => self.install(now, Box::new(table)),
        }
        None
    }

    /// Installs a new table and connects all open sockets to it.
    fn install(&mut self, now: u64, mut table: Box<TableHost>) {
        self.connections.keys().for_each(|connection| table.handle_connected(now, *connection));
        self.table = Some(*table);
        self.run_bots(now);
    }

    /// Parses a request to a table endpoint and passes it to the table.
    fn call(&mut self, now: u64, endpoint: TableEndpoint, request: &HomeRequest<'_>) -> Option<HttpResponse> {
        let HomeRequest { query, key, body, .. } = *request;
        match TableCall::read(&self.id, &texas42_hosting::HttpRequest { endpoint, query, key, body }) {
            Ok(call) => self.handle_call(now, call),
            Err(answer) => Some(answer),
        }
    }

    fn handle_call(&mut self, now: u64, call: TableCall) -> Option<HttpResponse> {
        let Some(table) = &mut self.table else {
            return Some(call.refusal(no_such_game()));
        };
        table.handle_call(now, call);
        self.run_bots(now);
        None
    }
}

fn no_such_game() -> WireError {
    WireError::new(Problem::NoSuchGame)
}

#[cfg(test)]
mod tests;
