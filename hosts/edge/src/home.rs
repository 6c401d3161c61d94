//! One object without Cloudflare: the home of one table, which may not be set up yet. Frames, requests, the time and the log
//! go in; outputs come out, to be carried out in order. The table itself is a [`TableHost`].
//!
//! Invariants: what happened comes out to be stored before anything that follows from it, and all of it at once, so one
//! request costs one write. Nothing that matters is in here only: a home that is built again from the log and from what
//! the sockets carry goes on as if it had never been away.

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

/// What a socket carries through the sleep of its object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its number.
    pub connection: ConnectionId,
    /// Whose it is.
    pub player: Option<PlayerId>,
    /// Whether it hears of every event.
    pub is_subscribed: bool,
    /// Whether it came to set this very table up.
    pub may_create: bool,
}

impl Attachment {
    fn binding(&self) -> Binding {
        let Self { connection, player, is_subscribed, .. } = self.clone();
        Binding { connection, player, is_subscribed }
    }
}

/// What a socket carries at a table that is set up: nothing is left to create.
impl From<Binding> for Attachment {
    fn from(Binding { connection, player, is_subscribed }: Binding) -> Self {
        Self { connection, player, is_subscribed, may_create: false }
    }
}

/// What the front asks an object for. The front has compared the path with the route table; the object gets the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectRequest {
    /// A WebSocket, which may set this very table up, or may not.
    Socket {
        /// Whether it may.
        may_create: bool,
    },
    /// A new table.
    Create,
    /// A table that is brought along.
    Import,
    /// Something that a table answers.
    Call(TableEndpoint),
}

impl ObjectRequest {
    /// How long the body may be: as long as the route of its endpoint declares.
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

/// A single request, as it comes over HTTP to a table.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What is asked for.
    pub errand: ObjectRequest,
    /// What the address says behind the question mark.
    pub query: &'a str,
    /// The `Authorization` header.
    pub key: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// A socket that is there. One that outlives its object may say as much as a new one.
struct Line {
    attachment: Attachment,
    throttle: Throttle,
}

/// The home of one table, which may not be set up yet.
pub struct Home {
    id: GameId,
    table: Option<TableHost>,
    lines: BTreeMap<ConnectionId, Line>,
    outputs: VecDeque<Output>,
    ids: ConnectionIds,
    answer: Option<Answer>,
    settings: Settings,
    random: Box<dyn FnMut() -> [u8; 32]>,
}

// Being built.
impl Home {
    /// A home from what is stored about its table, which is nothing when there is none, and from what the sockets carry.
    ///
    /// # Errors
    /// When the log is not one of a table.
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
            lines: BTreeMap::new(),
            outputs: VecDeque::new(),
            ids: ConnectionIds::after_restart([a, b, c, d]),
            answer: None,
            settings,
            random: Box::new(random),
        };
        sockets.into_iter().for_each(|attachment| home.add(now, attachment));
        if !log.is_empty() {
            let bound: Vec<Binding> = home.lines.values().map(|line| line.attachment.binding()).collect();
            let seed = (home.random)();
            home.table = Some(TableHost::restore(now, home.id.clone(), log, bound, settings.bots, seed)?);
            home.go_on(now);
        }
        Ok(home)
    }

    /// The id of the table.
    pub const fn id(&self) -> &GameId {
        &self.id
    }

    /// Whether the table is set up.
    pub const fn is_set_up(&self) -> bool {
        self.table.is_some()
    }

    /// When [`Home::handle_time`] is due.
    pub fn wake_at(&self) -> Option<u64> {
        self.table.as_ref()?.wake_at()
    }

    /// The next thing to carry out. The answer to a request is kept for [`Home::take_answer`].
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            let own = self.outputs.pop_front();
            match own.or_else(|| self.table.as_mut()?.poll_output())? {
                Output::Answer { answer, .. } => self.answer = Some(answer),
                output => return Some(output),
            }
        }
    }

    /// The answer to the last request, once its outputs are carried out.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }
}

// What goes in.
impl Home {
    /// A socket is there now. It carries what comes back, so that a home that is built again knows it.
    pub fn handle_connected(&mut self, now: u64, may_create: bool) -> Attachment {
        let connection = self.ids.next(|id| self.lines.contains_key(&id));
        let attachment = Attachment { may_create, ..Binding::new(connection).into() };
        self.add(now, attachment.clone());
        attachment
    }

    fn add(&mut self, now: u64, attachment: Attachment) {
        if let Some(table) = &mut self.table {
            table.handle_connected(now, attachment.connection);
        }
        let throttle = Throttle::new(self.settings.messages, Duration::from_millis(now));
        self.lines.insert(attachment.connection, Line { attachment, throttle });
    }

    /// A socket is there no more.
    pub fn handle_closed(&mut self, now: u64, from: ConnectionId) {
        self.lines.remove(&from);
        if let Some(table) = &mut self.table {
            table.handle_closed(now, from);
        }
        self.go_on(now);
    }

    /// Some time has passed. Coming too early or twice does no harm.
    pub fn handle_time(&mut self, now: u64) {
        if let Some(table) = &mut self.table {
            table.handle_time(now);
        }
        self.go_on(now);
    }

    /// What was to be stored could not be. Those who asked are told and every socket is closed; drop the home then.
    pub fn handle_store_failure(&mut self, reason: &str) {
        self.outputs.clear();
        if let Some(table) = &mut self.table {
            table.handle_store_failure(reason);
        }
    }

    /// A socket says something.
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

    /// A request without a connection. [`Home::take_answer`] has the answer when the outputs are carried out.
    pub fn handle_request(&mut self, now: u64, request: &Request<'_>) {
        let answer = match request.errand {
            ObjectRequest::Call(endpoint) => self.call(now, endpoint, request),
            ObjectRequest::Create => self.create_by_request(now, request),
            ObjectRequest::Import => self.adopt(now, request),
            ObjectRequest::Socket { .. } => Some(Answer::refused_as(400)),
        };
        self.answer = answer;
    }

    fn admit(&mut self, now: u64, from: ConnectionId) -> Admission {
        let rate = self.settings.messages;
        let line = self.lines.get_mut(&from);
        line.map_or(Admission::Yes, |line| line.throttle.admit(rate, Duration::from_millis(now)))
    }

    fn hear(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let problem = match (&message, &mut self.table) {
            (_, Some(table)) => {
                table.handle_message(now, from, message);
                return self.go_on(now);
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

    fn go_on(&mut self, now: u64) {
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

// Setting a table up.
impl Home {
    /// The id of a table follows from the key of its maker, or was drawn for this very socket; nobody picks one.
    fn create(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let may_create = self.lines.get(&from).is_some_and(|line| line.attachment.may_create);
        let is_own =
            matches!(&message, ClientMessage::CreateGame { session_key: Some(key), .. } if id_of(key) == self.id);
        if !may_create && !is_own {
            let error = WireError::new(Problem::SetUpElsewhere);
            return self.refuse(from, &message, error);
        }
        match self.made(now, Creator::Connection(from), message) {
            Err(refused) => self.send(from, &refused),
            Ok(table) => self.begin(now, table),
        }
    }

    /// Nothing else is heard while a deal is looked for, and nothing has to be given up: an object is one table, and the
    /// search has an end.
    fn made(
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
                Some(message) => self.called(now, Call::Message { key: None, message }),
                None => Some(Answer::refused_as(503)),
            };
        }
        match self.made(now, Creator::Call, message) {
            Err(refused) => return Some(Answer::message(&refused)),
            Ok(table) => self.begin(now, table),
        }
        None
    }

    /// A game that was begun elsewhere goes on here. One that was brought before is not brought again: its maker comes back.
    fn adopt(&mut self, now: u64, request: &Request<'_>) -> Option<Answer> {
        let key = match import_key(request.key) {
            Ok(key) => key,
            Err(error) => return Some(Answer::refusal(Some(IMPORT), error)),
        };
        if self.is_set_up() {
            return self.called(now, rejoin_import_call(key));
        }
        match import(&self.new_host(now, Creator::Call), &key, request.body) {
            Err(refused) => return Some(Answer::message(&refused)),
            Ok(table) => self.begin(now, Box::new(table)),
        }
        None
    }

    /// The table goes on, with everybody who is here.
    fn begin(&mut self, now: u64, mut table: Box<TableHost>) {
        self.lines.keys().for_each(|connection| table.handle_connected(now, *connection));
        self.table = Some(*table);
        self.go_on(now);
    }

    /// Lets the table answer one request.
    fn call(&mut self, now: u64, endpoint: TableEndpoint, request: &Request<'_>) -> Option<Answer> {
        let Request { query, key, body, .. } = *request;
        match Call::read(&self.id, &texas42_hosting::Request { endpoint, query, key, body }) {
            Ok(call) => self.called(now, call),
            Err(answer) => Some(answer),
        }
    }

    fn called(&mut self, now: u64, call: Call) -> Option<Answer> {
        let Some(table) = &mut self.table else {
            return Some(Answer::refusal(call.kind(), no_such_game()));
        };
        table.handle_call(now, call);
        self.go_on(now);
        None
    }
}

fn no_such_game() -> WireError {
    WireError::new(Problem::NoSuchGame)
}

#[cfg(test)]
mod tests;
