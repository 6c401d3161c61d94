//! The platform-independent part of a Durable Object. A [`Home`] holds one table, which may not be created yet. It takes
//! frames, requests, the time and the log, and returns outputs to perform in order. The table itself is a [`TableHost`].
//!
//! Invariants: events are output for storage before anything that depends on them, and all at once, so one request costs
//! one write. A home keeps no state of its own: one rebuilt from the log and the socket attachments continues as if it had
//! never been evicted.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use texas42_client::close;
use texas42_hosting::{
    Admission, Answer, Binding, Call, ConnectionIds, Creator, DecisionTiming, IMPORT, NewHost, Output, Setup,
    SetupStep, TableHost, Throttle, id_of, import, import_key, parse_message, rate_limited_reply, rejoin_import_call,
    rejoin_message,
    routes::{Endpoint, TableEndpoint},
    unreadable_reply,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, MAX_MESSAGE_BYTES, PlayerId, ServerMessage, WireError};
use texas42_room::{ConnectionId, StoredEvent};

use crate::Settings;

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
}

impl Attachment {
    fn binding(&self) -> Binding {
        let Self { connection, player, is_subscribed, .. } = self.clone();
        Binding { connection, player, is_subscribed }
    }
}

/// The attachment of a socket at an existing table, where `may_create` no longer applies.
impl From<Binding> for Attachment {
    fn from(Binding { connection, player, is_subscribed }: Binding) -> Self {
        Self { connection, player, is_subscribed, may_create: false }
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
        }
    }
}

/// An HTTP request to a table.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The kind of request.
    pub kind: ObjectRequest,
    /// The query string, without the question mark.
    pub query: &'a str,
    /// The `Authorization` header.
    pub key: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// An open socket. Its rate limit starts afresh when the home is rebuilt.
struct Connection {
    attachment: Attachment,
    throttle: Throttle,
}

/// The state of one Durable Object: one table, which may not be created yet, and its connections.
///
/// Feed it with the `handle_*` methods. After each call, perform the outputs of [`Home::poll_output`] until it returns
/// `None`, then take the answer with [`Home::take_answer`] and set the alarm to [`Home::wake_at`]. If storing fails, call
/// [`Home::handle_store_failure`], perform the remaining outputs and drop the home.
pub struct Home {
    id: GameId,
    table: Option<TableHost>,
    connections: BTreeMap<ConnectionId, Connection>,
    outputs: VecDeque<Output>,
    ids: ConnectionIds,
    answer: Option<Answer>,
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
            connections: BTreeMap::new(),
            outputs: VecDeque::new(),
            ids: ConnectionIds::after_restart([a, b, c, d]),
            answer: None,
            settings,
            random: Box::new(random),
        };
        sockets.into_iter().for_each(|attachment| home.add(now, attachment));
        if !log.is_empty() {
            let bound: Vec<Binding> =
                home.connections.values().map(|connection| connection.attachment.binding()).collect();
            let seed = (home.random)();
            home.table = Some(TableHost::restore(now, home.id.clone(), log, bound, settings.bots, seed)?);
            home.run_bots(now);
        }
        Ok(home)
    }

    /// The id of the table.
    pub const fn id(&self) -> &GameId {
        &self.id
    }

    /// Whether the table exists.
    pub const fn is_set_up(&self) -> bool {
        self.table.is_some()
    }

    /// When [`Home::handle_time`] is due.
    pub fn wake_at(&self) -> Option<u64> {
        self.table.as_ref()?.wake_at()
    }

    /// Returns the next output to perform. The answer to a request is kept for [`Home::take_answer`].
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            let own = self.outputs.pop_front();
            match own.or_else(|| self.table.as_mut()?.poll_output())? {
                Output::Answer { answer, .. } => self.answer = Some(answer),
                output => return Some(output),
            }
        }
    }

    /// Returns the answer to the last request. Call this after performing all outputs.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }
}

// Inputs.
impl Home {
    /// Handles a new socket. Attach the result to the socket, so that a rebuilt home recognizes it.
    pub fn handle_connected(&mut self, now: u64, may_create: bool) -> Attachment {
        let connection = self.ids.next(|id| self.connections.contains_key(&id));
        let attachment = Attachment { may_create, ..Binding::new(connection).into() };
        self.add(now, attachment.clone());
        attachment
    }

    fn add(&mut self, now: u64, attachment: Attachment) {
        if let Some(table) = &mut self.table {
            table.handle_connected(now, attachment.connection);
        }
        let throttle = Throttle::new(self.settings.messages, Duration::from_millis(now));
        self.connections.insert(attachment.connection, Connection { attachment, throttle });
    }

    /// Handles a closed socket.
    pub fn handle_closed(&mut self, now: u64, from: ConnectionId) {
        self.connections.remove(&from);
        if let Some(table) = &mut self.table {
            table.handle_closed(now, from);
        }
        self.run_bots(now);
    }

    /// Handles an alarm. Calling this early or twice is harmless.
    pub fn handle_time(&mut self, now: u64) {
        if let Some(table) = &mut self.table {
            table.handle_time(now);
        }
        self.run_bots(now);
    }

    /// Handles a failed write: answers pending requests with an error and closes every socket. Drop the home afterwards.
    pub fn handle_store_failure(&mut self, reason: &str) {
        self.outputs.clear();
        if let Some(table) = &mut self.table {
            table.handle_store_failure(reason);
        }
    }

    /// Handles a text frame from a socket.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        if text.len() > MAX_MESSAGE_BYTES {
            return self.outputs.push_back(Output::Close { to: from, code: close::TOO_LONG });
        }
        let message = serde_json::from_str::<ClientMessage>(text);
        match self.admit(now, from) {
            Admission::Cut => return self.outputs.push_back(Output::Close { to: from, code: close::FLOODED }),
            Admission::Warned => return self.send(from, &rate_limited_reply(message.ok().as_ref())),
            Admission::Yes => {}
        }
        match message {
            Ok(message) => self.hear(now, from, message),
            Err(error) => self.send(from, &unreadable_reply(text, &error)),
        }
    }

    /// Handles an HTTP request. After performing the outputs, get the answer from [`Home::take_answer`].
    pub fn handle_request(&mut self, now: u64, request: &Request<'_>) {
        let answer = match request.kind {
            ObjectRequest::Call(endpoint) => self.call(now, endpoint, request),
            ObjectRequest::Create => self.create_by_request(now, request),
            ObjectRequest::Import => self.import_by_request(now, request),
            ObjectRequest::Socket { .. } => Some(Answer::refused_as(400)),
        };
        self.answer = answer;
    }

    fn admit(&mut self, now: u64, from: ConnectionId) -> Admission {
        let rate = self.settings.messages;
        let connection = self.connections.get_mut(&from);
        connection.map_or(Admission::Yes, |connection| connection.throttle.admit(rate, Duration::from_millis(now)))
    }

    fn hear(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let problem = match (&message, &mut self.table) {
            (_, Some(table)) => {
                table.handle_message(now, from, message);
                return self.run_bots(now);
            }
            (ClientMessage::CreateGame { .. }, None) => return self.create(now, from, message),
            (ClientMessage::Ping { nonce }, None) => {
                return self.send(from, &ServerMessage::Pong { nonce: *nonce, time: Some(now) });
            }
            (ClientMessage::JoinGame { .. }, None) => no_such_game(),
            (_, None) => WireError::new(Problem::JoinFirst),
        };
        self.refuse(from, &message, problem);
    }

    fn run_bots(&mut self, now: u64) {
        if let Some(table) = &mut self.table {
            table.think(now, DecisionTiming::WhenDue);
        }
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        self.outputs.push_back(Output::say(to, message));
    }

    fn refuse(&mut self, to: ConnectionId, message: &ClientMessage, error: WireError) {
        self.send(to, &ServerMessage::refusal(Some(message.name()), message.request_id().cloned(), error));
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
            return self.refuse(from, &message, error);
        }
        match self.run_setup(now, Creator::Connection(from), message) {
            Err(refused) => self.send(from, &refused),
            Ok(table) => self.begin(now, table),
        }
    }

    /// Runs the setup to completion. The search for a deal is bounded and an object has only one table, so blocking is fine.
    fn run_setup(
        &mut self,
        now: u64,
        founder: Creator,
        message: ClientMessage,
    ) -> Result<Box<TableHost>, Box<ServerMessage>> {
        let mut setup = Setup::new(self.new_host(now, founder), message);
        loop {
            match (setup.poll(), founder) {
                (SetupStep::Progress(message), Creator::Connection(to)) => self.send(to, &message),
                (SetupStep::Progress(_), Creator::Call) => {}
                (SetupStep::Refused(message), _) => return Err(message),
                (SetupStep::Ready(table), _) => return Ok(table),
            }
        }
    }

    fn new_host(&mut self, now: u64, founder: Creator) -> NewHost {
        let (randomness, seed) = ((self.random)(), (self.random)());
        NewHost { now, id: self.id.clone(), founder, bots: self.settings.bots, randomness, seed }
    }

    fn create_by_request(&mut self, now: u64, request: &Request<'_>) -> Option<Answer> {
        let message = match parse_message("CREATE_GAME", None, request.body) {
            Ok(message) => message,
            Err(error) => return Some(Answer::refusal(Some("CREATE_GAME"), error)),
        };
        if self.is_set_up() {
            return match rejoin_message(&message) {
                Some(message) => self.handle_call(now, Call::Message { key: None, message }),
                None => Some(Answer::refused_as(503)),
            };
        }
        match self.run_setup(now, Creator::Call, message) {
            Err(refused) => return Some(Answer::message(&refused)),
            Ok(table) => self.begin(now, table),
        }
        None
    }

    /// Imports a game that was started elsewhere. If it was imported before, its creator rejoins instead.
    fn import_by_request(&mut self, now: u64, request: &Request<'_>) -> Option<Answer> {
        let key = match import_key(request.key) {
            Ok(key) => key,
            Err(error) => return Some(Answer::refusal(Some(IMPORT), error)),
        };
        if self.is_set_up() {
            return self.handle_call(now, rejoin_import_call(key));
        }
        match import(&self.new_host(now, Creator::Call), &key, request.body) {
            Err(refused) => return Some(Answer::message(&refused)),
            Ok(table) => self.begin(now, Box::new(table)),
        }
        None
    }

    /// Installs a new table and connects all open sockets to it.
    fn begin(&mut self, now: u64, mut table: Box<TableHost>) {
        self.connections.keys().for_each(|connection| table.handle_connected(now, *connection));
        self.table = Some(*table);
        self.run_bots(now);
    }

    /// Parses a request to a table endpoint and passes it to the table.
    fn call(&mut self, now: u64, endpoint: TableEndpoint, request: &Request<'_>) -> Option<Answer> {
        let Request { query, key, body, .. } = *request;
        match Call::read(&self.id, &texas42_hosting::Request { endpoint, query, key, body }) {
            Ok(call) => self.handle_call(now, call),
            Err(answer) => Some(answer),
        }
    }

    fn handle_call(&mut self, now: u64, call: Call) -> Option<Answer> {
        let Some(table) = &mut self.table else {
            return Some(Answer::refusal(call.kind(), no_such_game()));
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
