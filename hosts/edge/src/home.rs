//! One object without Cloudflare: the home of one table, which may not be set up yet. Frames, requests, the time and the log
//! go in; chores come out, to be done in order. The table itself is a [`TableHost`].
//!
//! Invariants: what happened comes out to be stored before anything that follows from it, and all of it at once, so one
//! request costs one write. Nothing that matters is in here only: a home that is built again from the log and from what
//! the sockets carry goes on as if it had never been away.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use texas42_client::close;
use texas42_hosting::{
    Admitted, Answer, Binding, Call, CallId, FIRST_CONNECTION, Output, TableHost, Thinking, Throttle, back_to_own,
    bearer, come_back_instead, id_of, look_for, read_as, routes::TableEndpoint, text_of, too_fast, unreadable,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, MOST_MESSAGE_BYTES, PlayerId, SecretKey, ServerMessage, WireError};
use texas42_room::{Brought, ConnectionId, Creation, NewTable, Room, Step, Stored};

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
    /// What a socket carries that has just come. The bytes are random.
    pub fn new(random: [u8; 4], may_create: bool) -> Self {
        let connection = FIRST_CONNECTION + ConnectionId::from(u32::from_le_bytes(random));
        Self { connection, player: None, is_subscribed: false, may_create }
    }

    fn binding(&self) -> Binding {
        let Self { connection, player, is_subscribed, .. } = self.clone();
        Binding { connection, player, is_subscribed }
    }
}

/// Something that the platform has to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chore {
    /// Write this down, before anything behind it is done. When it fails, call [`Home::handle_not_stored`].
    Store {
        /// The number of the first event.
        first: u64,
        /// The events as a JSON list.
        events: String,
    },
    /// Send to a socket.
    Send {
        /// Which.
        to: ConnectionId,
        /// What.
        text: Arc<str>,
    },
    /// Let a socket carry this from now on.
    Attach(Attachment),
    /// End a socket.
    Close {
        /// Which.
        to: ConnectionId,
        /// The code that says why.
        code: u16,
    },
}

/// What the front asks an object for. The front has compared the path with the route table; the object gets the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Errand {
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

/// A single request, as it comes over HTTP to a table.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What is asked for.
    pub errand: Errand,
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
    chores: VecDeque<Chore>,
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
        log: &[Stored],
        sockets: impl IntoIterator<Item = Attachment>,
        settings: Settings,
        random: impl FnMut() -> [u8; 32] + 'static,
    ) -> Result<Self, WireError> {
        let mut home = Self {
            id,
            table: None,
            lines: BTreeMap::new(),
            chores: VecDeque::new(),
            answer: None,
            settings,
            random: Box::new(random),
        };
        sockets.into_iter().for_each(|attachment| home.handle_connected(now, attachment));
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

    /// The next thing to do.
    pub fn poll_chore(&mut self) -> Option<Chore> {
        loop {
            if let Some(chore) = self.chores.pop_front() {
                return Some(chore);
            }
            match self.table.as_mut()?.poll_output()? {
                Output::Store { first, events } => return Some(Chore::Store { first, events: json(&events) }),
                Output::Send { to, text, .. } => return Some(Chore::Send { to, text }),
                Output::Close { to, code } => return Some(Chore::Close { to, code }),
                Output::Answer { answer, .. } => self.answer = Some(answer),
                Output::Bind(binding) => self.attach(binding),
            }
        }
    }

    /// The answer to the last request, once its chores are done.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }

    fn attach(&mut self, Binding { connection, player, is_subscribed }: Binding) {
        if let Some(line) = self.lines.get_mut(&connection) {
            line.attachment = Attachment { player, is_subscribed, ..line.attachment };
            self.chores.push_back(Chore::Attach(line.attachment.clone()));
        }
    }
}

// What goes in.
impl Home {
    /// A socket is there now.
    pub fn handle_connected(&mut self, now: u64, attachment: Attachment) {
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
    pub fn handle_not_stored(&mut self, reason: &str) {
        self.chores.clear();
        if let Some(table) = &mut self.table {
            table.handle_not_stored(reason);
        }
    }

    /// A socket says something.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        if text.len() > MOST_MESSAGE_BYTES {
            return self.chores.push_back(Chore::Close { to: from, code: close::TOO_LONG });
        }
        let message = serde_json::from_str::<ClientMessage>(text);
        match self.admit(now, from) {
            Admitted::Cut => return self.chores.push_back(Chore::Close { to: from, code: close::FLOODED }),
            Admitted::Warned => return self.send(from, &too_fast(message.ok().as_ref())),
            Admitted::Yes => {}
        }
        match message {
            Ok(message) => self.hear(now, from, message),
            Err(error) => self.send(from, &unreadable(text, &error)),
        }
    }

    /// A request without a connection. [`Home::take_answer`] has the answer when the chores are done.
    pub fn handle_request(&mut self, now: u64, request: &Request<'_>) {
        let answer = match request.errand {
            Errand::Call(endpoint) => self.call(now, endpoint, request),
            Errand::Create => self.create_by_request(now, request),
            Errand::Import => self.adopt(now, request),
            Errand::Socket { .. } => Some(Answer::refused_as(400)),
        };
        self.answer = answer;
    }

    fn admit(&mut self, now: u64, from: ConnectionId) -> Admitted {
        let rate = self.settings.messages;
        let line = self.lines.get_mut(&from);
        line.map_or(Admitted::Yes, |line| line.throttle.admit(rate, Duration::from_millis(now)))
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
            table.think(now, Thinking::WhenDue);
        }
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        self.chores.push_back(Chore::Send { to, text: json(message).into() });
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
        let (kind, request) = (message.name(), message.request_id().cloned());
        match self.made(now, from, message) {
            Err(refused) => self.send(from, &refused),
            Ok(room) => {
                let mut table = self.host(now, room);
                table.note_asked(from, kind, request);
                self.table = Some(table);
                self.go_on(now);
            }
        }
    }

    /// Nothing else is heard while a deal is looked for, and nothing has to be given up: an object is one table, and the
    /// search has an end.
    fn made(&mut self, now: u64, from: ConnectionId, message: ClientMessage) -> Result<Room, Box<ServerMessage>> {
        let new = NewTable { id: self.id.clone(), randomness: (self.random)(), connection: from };
        let mut creation = Creation::new(now, new, message, look_for);
        loop {
            match creation.poll() {
                Step::Progress(message) if self.lines.contains_key(&from) => self.send(from, &message),
                Step::Progress(_) => {}
                Step::Refused(message) => return Err(message),
                Step::Ready(room) => return Ok(*room),
            }
        }
    }

    /// The table, with everybody who is here.
    fn host(&mut self, now: u64, room: Room) -> TableHost {
        let mut table = TableHost::new(now, room, self.settings.bots, (self.random)());
        self.lines.keys().for_each(|connection| table.handle_connected(now, *connection));
        table
    }

    fn create_by_request(&mut self, now: u64, request: &Request<'_>) -> Option<Answer> {
        let message = match read_as("CREATE_GAME", None, request.body) {
            Ok(message) => message,
            Err(error) => return Some(Answer::refusal(Some("CREATE_GAME"), error)),
        };
        if self.is_set_up() {
            return match come_back_instead(&message) {
                Some(message) => self.called(now, Call::Message { key: None, message }),
                None => Some(Answer::refused_as(503)),
            };
        }
        let (kind, asked) = (message.name(), message.request_id().cloned());
        match self.made(now, CallId::CREATION.connection(), message) {
            Err(refused) => Some(Answer::message(&refused)),
            Ok(room) => {
                let mut table = self.host(now, room).by_call();
                table.note_asked(CallId::CREATION.connection(), kind, asked);
                self.begin(now, table)
            }
        }
    }

    /// A game that was begun elsewhere goes on here. One that was brought before is not brought again: its maker comes back.
    fn adopt(&mut self, now: u64, request: &Request<'_>) -> Option<Answer> {
        let (key, brought) = match read_brought(request) {
            Ok(read) => read,
            Err(error) => return Some(Answer::refusal(Some(IMPORT), error)),
        };
        if self.is_set_up() {
            let nameless = "Guest".try_into().expect("it is short");
            let message = back_to_own(&key, brought.request_id.clone(), nameless);
            return self.called(now, Call::Message { key: Some(key), message });
        }
        let connection = CallId::CREATION.connection();
        let new = NewTable { id: self.id.clone(), randomness: (self.random)(), connection };
        match Room::adopt(now, new, &key, &brought) {
            Err(refused) => Some(Answer::message(&refused)),
            Ok(room) => {
                let mut table = self.host(now, room).by_call();
                table.note_asked(connection, IMPORT, brought.request_id);
                self.begin(now, table)
            }
        }
    }

    fn begin(&mut self, now: u64, table: TableHost) -> Option<Answer> {
        self.table = Some(table);
        self.go_on(now);
        None
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

fn read_brought(request: &Request<'_>) -> Result<(SecretKey, Brought), WireError> {
    let key = bearer(request.key)?;
    let key = key.ok_or_else(|| WireError::new(Problem::KeyMissing))?;
    let bad = |error: serde_json::Error| WireError::new(Problem::Unreadable { detail: error.to_string() });
    Ok((key, serde_json::from_str(text_of(request.body)?).map_err(bad)?))
}

/// What bringing a game is called in answers.
const IMPORT: &str = "IMPORT_GAME";

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("messages and events have only text keys")
}

fn no_such_game() -> WireError {
    WireError::new(Problem::NoSuchGame)
}

#[cfg(test)]
mod tests;
