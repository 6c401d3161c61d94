//! One object without Cloudflare: the home of one table. Frames, requests, the time and the log go in; chores come out, to
//! be done in order.
//!
//! Invariants: what happened comes out to be stored before anything that follows from it, and all of it at once, so one
//! request costs one write. Nothing that matters is in here only: a home that is built again from the log and from what
//! the sockets carry goes on as if it had never been away.

use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use texas42_client::close;
use texas42_hosting::{
    Answer, Bucket, Program, bearer, id_of, let_speak, look_for, read_as, read_call, text_of, unreadable,
};
use texas42_protocol::{
    ClientMessage, ErrorCode, GameId, MOST_MESSAGE_BYTES, PlayerId, RequestId, SecretKey, ServerMessage, WireError,
};
use texas42_room::{Brought, ConnectionId, Creation, Effect, NewTable, Room, Step, Stored, Survived, Survivor};
use texas42_vocab::Seat;

use crate::Settings;

/// The connection of a request that has none. Programs have the numbers of their seats below it, sockets those above.
const CALL: ConnectionId = 4;
/// The first number that a socket can have.
const FIRST_SOCKET: ConnectionId = 16;
/// What programs do in a row before the platform gets a turn; the rest comes with the next alarm.
const MOST_TURNS: usize = 64;
/// A client that is told so often in a row to slow down, and does not, is cut off.
const MOST_WARNINGS: u32 = 200;

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
        let connection = FIRST_SOCKET + ConnectionId::from(u32::from_le_bytes(random));
        Self { connection, player: None, is_subscribed: false, may_create }
    }
}

/// Something that the platform has to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chore {
    /// Write this down, before anything behind it is done.
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
        text: Rc<str>,
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

/// A single request, as it comes over HTTP to a table.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The method.
    pub method: &'a str,
    /// What the address says behind the id: `state`, `action`.
    pub what: &'a str,
    /// What it says behind the question mark.
    pub query: &'a str,
    /// The `Authorization` header.
    pub key: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

struct Table {
    room: Room,
    stored: u64,
    programs: Vec<Program>,
}

/// A socket that is there. One that outlives its object begins with a full bucket.
struct Line {
    attachment: Attachment,
    bucket: Bucket,
    warnings: u32,
}

/// The home of one table, which may not be set up yet.
pub struct Home {
    id: GameId,
    table: Option<Table>,
    lines: BTreeMap<ConnectionId, Line>,
    chores: VecDeque<Chore>,
    answer: Option<Arc<ServerMessage>>,
    last: Option<(Arc<ServerMessage>, Rc<str>)>,
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
            last: None,
            settings,
            random: Box::new(random),
        };
        sockets.into_iter().for_each(|attachment| home.handle_connected(now, attachment));
        if !log.is_empty() {
            home.restore(now, log)?;
        }
        Ok(home)
    }

    fn restore(&mut self, now: u64, log: &[Stored]) -> Result<(), WireError> {
        let survivors: Vec<Survivor> = self.survivors().collect();
        let randomness = (self.random)();
        let room = Room::restore_under(now, self.id.clone(), &randomness, log, &survivors).map_err(|error| {
            WireError::new(ErrorCode::NotStored, format!("the log of this table cannot be read any more: {error}"))
        })?;
        self.table = Some(Table { room, stored: log.len() as u64, programs: Vec::new() });
        self.run(now);
        Ok(())
    }

    fn survivors(&self) -> impl Iterator<Item = Survivor> {
        let programs = Seat::ALL.into_iter().map(|seat| Survivor {
            connection: program_at(seat),
            who: Survived::Program(seat),
            is_subscribed: false,
        });
        let people = self.lines.values().filter_map(|line| {
            let Attachment { connection, player, is_subscribed, .. } = line.attachment.clone();
            player.map(|player| Survivor { connection, who: Survived::Player(player), is_subscribed })
        });
        programs.chain(people)
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
        let table = self.table.as_ref()?;
        table.room.wake_at().into_iter().chain(table.programs.iter().filter_map(Program::acts_at)).min()
    }

    /// The next thing to do.
    pub fn poll_chore(&mut self) -> Option<Chore> {
        self.chores.pop_front()
    }
}

// What goes in.
impl Home {
    /// A socket is there now.
    pub fn handle_connected(&mut self, now: u64, attachment: Attachment) {
        let bucket = Bucket::full(self.settings.messages, Duration::from_millis(now));
        self.lines.insert(attachment.connection, Line { attachment, bucket, warnings: 0 });
    }

    /// A socket is there no more.
    pub fn handle_closed(&mut self, now: u64, from: ConnectionId) {
        self.lines.remove(&from);
        if let Some(table) = &mut self.table {
            table.room.handle_disconnect(now, from);
        }
        self.run(now);
    }

    /// Some time has passed. Coming too early or twice does no harm.
    pub fn handle_time(&mut self, now: u64) {
        if let Some(table) = &mut self.table {
            table.room.handle_time(now);
        }
        self.run(now);
    }

    /// A socket says something.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        if text.len() > MOST_MESSAGE_BYTES {
            return self.chores.push_back(Chore::Close { to: from, code: close::TOO_LONG });
        }
        let message = serde_json::from_str::<ClientMessage>(text);
        if !self.may_speak(now, from) {
            return self.warn(from, message.ok().as_ref());
        }
        match message {
            Ok(message) => self.hear(now, from, message),
            Err(error) => self.send(from, &Arc::new(unreadable(text, &error))),
        }
        self.note_line(from);
    }

    /// A request without a connection, and its answer. It is given when everything that is to be done before is done.
    pub fn handle_request(&mut self, now: u64, request: &Request<'_>) -> Answer {
        match (request.method, request.what) {
            ("POST", "action") => self.call(now, "EXECUTE_ACTION", request),
            ("POST", "join") => self.call(now, "JOIN_GAME", request),
            ("POST", "leave") => self.call(now, "LEAVE_GAME", request),
            ("POST", "new") => self.create_by_request(now, request),
            ("POST", "import") => self.adopt(now, request),
            ("GET" | "HEAD", "state") => self.look(request, |_, answer| Ok(answer)),
            ("GET" | "HEAD", "actions") => self.look(request, only_actions),
            ("GET" | "HEAD", "record") => self.tell_record(request),
            ("GET" | "HEAD", "ws") => Answer::refused_as(400),
            (_, "action" | "join" | "leave" | "new" | "import" | "state" | "actions" | "record" | "ws") => {
                Answer::refused_as(405)
            }
            _ => Answer::refused_as(404),
        }
    }

    fn may_speak(&mut self, now: u64, from: ConnectionId) -> bool {
        let rate = self.settings.messages;
        self.lines.get_mut(&from).is_none_or(|line| line.bucket.take(rate, Duration::from_millis(now)))
    }

    /// A limit answers; it does not silently cut. Who does not listen to the answers is cut off in the end.
    fn warn(&mut self, from: ConnectionId, message: Option<&ClientMessage>) {
        let warnings = self.lines.get_mut(&from).map_or(0, |line| {
            line.warnings += 1;
            line.warnings
        });
        if warnings > MOST_WARNINGS {
            return self.chores.push_back(Chore::Close { to: from, code: close::FLOODED });
        }
        let error = WireError::new(ErrorCode::RateLimited, "too many messages; wait a second and send it again");
        let request = message.and_then(|message| message.request_id().cloned());
        self.refuse(from, message.map(ClientMessage::name), request, error);
    }

    fn hear(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        if let Some(line) = self.lines.get_mut(&from) {
            line.warnings = 0;
        }
        let problem = match (&message, &self.table) {
            (ClientMessage::CreateGame { .. }, None) => return self.create(now, from, message),
            (ClientMessage::Ping { nonce }, None) => return self.send_pong(now, from, *nonce),
            (_, Some(_)) if self.is_elsewhere(&message) => no_such_game(),
            (_, Some(_)) => return self.tell(now, from, message),
            (ClientMessage::JoinGame { .. }, None) => no_such_game(),
            (_, None) => WireError::new(ErrorCode::NotJoined, "join the table first"),
        };
        self.refuse(from, Some(message.name()), message.request_id().cloned(), problem);
    }

    fn is_elsewhere(&self, message: &ClientMessage) -> bool {
        message.game_id().is_some_and(|game| *game != self.id)
    }

    fn tell(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        if let Some(table) = &mut self.table {
            table.room.handle_message(now, from, message);
        }
        self.run(now);
    }

    fn send_pong(&mut self, now: u64, to: ConnectionId, nonce: u64) {
        self.send(to, &Arc::new(ServerMessage::Pong { nonce, time: Some(now) }));
    }

    fn refuse(&mut self, to: ConnectionId, kind: Option<&str>, request: Option<RequestId>, error: WireError) {
        self.send(to, &Arc::new(ServerMessage::refusal(kind, request, error)));
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
            let error = WireError::new(ErrorCode::NoSuchGame, "a table is set up at /api/ws or with POST /api/games");
            return self.refuse(from, Some(message.name()), message.request_id().cloned(), error);
        }
        self.set_up(now, from, message);
    }

    /// Nothing else is heard while a deal is looked for, and nothing has to be given up: an object is one table, and the
    /// search has an end.
    fn set_up(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let new = NewTable { id: self.id.clone(), randomness: (self.random)(), connection: from };
        let mut creation = Creation::new(now, new, message, look_for);
        loop {
            match creation.poll() {
                Step::Progress(message) => self.send(from, &Arc::new(*message)),
                Step::Refused(message) => return self.send(from, &Arc::new(*message)),
                Step::Ready(room) => {
                    self.table = Some(Table { room: *room, stored: 0, programs: Vec::new() });
                    return self.run(now);
                }
            }
        }
    }

    fn create_by_request(&mut self, now: u64, request: &Request<'_>) -> Answer {
        let message = match read_as("CREATE_GAME", None, request.body) {
            Ok(message) => message,
            Err(error) => return Answer::refusal(Some("CREATE_GAME"), error),
        };
        if self.is_set_up() {
            return match texas42_hosting::come_back_instead(&message) {
                Some(back) => self.called(now, None, back),
                None => not_there(),
            };
        }
        self.set_up(now, CALL, message);
        self.answer_creation(now)
    }

    fn answer_creation(&mut self, now: u64) -> Answer {
        let answer = self.answered();
        // The creator was answered and has no connection.
        self.handle_closed(now, CALL);
        Answer { status: if answer.status == 200 { 201 } else { answer.status }, ..answer }
    }

    /// A game that was begun elsewhere goes on here. One that was brought before is not brought again: its maker comes back.
    fn adopt(&mut self, now: u64, request: &Request<'_>) -> Answer {
        let (key, brought) = match read_brought(request) {
            Ok(read) => read,
            Err(error) => return Answer::refusal(Some(IMPORT), error),
        };
        if self.is_set_up() {
            return self.called(now, Some(&key), back_with(&key, self.id.clone(), brought.request_id.clone()));
        }
        let new = NewTable { id: self.id.clone(), randomness: (self.random)(), connection: CALL };
        match Room::adopt(now, new, &key, &brought) {
            Err(refused) => Answer::message(&refused),
            Ok(room) => {
                self.table = Some(Table { room, stored: 0, programs: Vec::new() });
                self.run(now);
                self.answer_creation(now)
            }
        }
    }
}

fn read_brought(request: &Request<'_>) -> Result<(SecretKey, Brought), WireError> {
    let key = bearer(request.key)?;
    let key = key.ok_or_else(|| WireError::new(ErrorCode::BadKey, "the key of the own seat is missing"))?;
    let bad = |error: serde_json::Error| WireError::new(ErrorCode::BadMessage, error.to_string());
    Ok((key, serde_json::from_str(text_of(request.body)?).map_err(bad)?))
}

fn back_with(key: &SecretKey, game_id: GameId, request_id: Option<RequestId>) -> ClientMessage {
    ClientMessage::JoinGame {
        game_id,
        request_id,
        key: None,
        session_key: Some(key.clone()),
        name: "Guest".try_into().expect("it is short"),
        role: None,
        seat: None,
        capabilities: None,
        entropy: None,
        version: None,
    }
}

// Single requests.
impl Home {
    fn call(&mut self, now: u64, kind: &str, request: &Request<'_>) -> Answer {
        let read = bearer(request.key).and_then(|key| {
            let message = read_call(kind, self.id.as_str(), key.as_ref(), request.body)?;
            Ok((key, message))
        });
        match read {
            Err(error) => Answer::refusal(Some(kind), error),
            Ok(_) if !self.is_set_up() => Answer::refusal(Some(kind), no_such_game()),
            Ok((key, message)) => self.called(now, key.as_ref(), message),
        }
    }

    fn called(&mut self, now: u64, key: Option<&SecretKey>, message: ClientMessage) -> Answer {
        let is_leaving = matches!(message, ClientMessage::LeaveGame { .. });
        if let Some(table) = &mut self.table {
            table.room.handle_call(now, CALL, key, message);
        }
        self.run(now);
        match &self.answer {
            // The table had nothing to say, which is how it takes leave.
            None if is_leaving => Answer::json(200, &serde_json::json!({ "type": "LEFT" })),
            _ => self.answered(),
        }
    }

    fn answered(&mut self) -> Answer {
        self.answer.take().map_or_else(not_there, |message| Answer::message(&message))
    }

    fn tell_record(&self, request: &Request<'_>) -> Answer {
        let told = bearer(request.key).and_then(|key| {
            let table = self.table.as_ref().ok_or_else(no_such_game)?;
            table.room.record_with_key(key.as_ref())
        });
        told.map_or_else(|error| Answer::refusal(None, error), |body| Answer { status: 200, body })
    }

    fn look(
        &self,
        request: &Request<'_>,
        shape: impl FnOnce(&Looked<'_>, Answer) -> Result<Answer, WireError>,
    ) -> Answer {
        let looked = bearer(request.key).and_then(|key| {
            let table = self.table.as_ref().ok_or_else(no_such_game)?;
            let view = table.room.view_with_key(key.as_ref());
            let (player, view) =
                view.ok_or_else(|| WireError::new(ErrorCode::BadKey, "the key opens nothing at this table"))?;
            let (game_id, version) = (self.id.clone(), table.room.version());
            let actions = serde_json::json!({
                "gameId": game_id, "version": version, "validActions": view.valid_actions,
            });
            let whole = ServerMessage::StateUpdate {
                game_id,
                version,
                ack: None,
                last_action: None,
                view: Some(view),
                patch: None,
            };
            shape(&Looked { player, actions, query: request.query }, Answer::message(&whole))
        });
        looked.unwrap_or_else(|error| Answer::refusal(None, error))
    }
}

/// What a session sees, for the answers that want only a part of it.
struct Looked<'a> {
    player: Option<PlayerId>,
    actions: serde_json::Value,
    query: &'a str,
}

fn only_actions(looked: &Looked<'_>, _: Answer) -> Result<Answer, WireError> {
    let wanted = looked.query.split('&').find_map(|pair| pair.strip_prefix("playerId="));
    if wanted.is_some() && wanted != looked.player.as_ref().map(PlayerId::as_str) {
        let text = "the key is of another player; leave playerId out to see what your own session may do";
        return Err(WireError::new(ErrorCode::NotAllowed, text).at("playerId"));
    }
    Ok(Answer::json(200, &looked.actions))
}

// What comes of it.
impl Home {
    /// Lets the table and its programs go on until all is quiet: first everything that is to be stored, in one piece, then
    /// what is to be said.
    fn run(&mut self, now: u64) {
        let Some(mut table) = self.table.take() else { return };
        let (mut events, mut said) = (Vec::new(), Vec::new());
        for _ in 0..MOST_TURNS {
            while let Some(effect) = table.room.poll_effect() {
                match effect {
                    Effect::Store(more) => events.extend(more),
                    Effect::Send { to, message } if to < CALL => hear_program(now, &mut table, to, &message),
                    Effect::Send { to, message } => said.push((to, message)),
                    Effect::WantAi { seat, key } => self.call_program(now, &mut table, seat, key),
                    Effect::ReleaseAi { seat } => table.programs.retain(|program| program.seat != seat),
                }
            }
            if !let_speak(now, &mut table.programs, &mut table.room) && !let_act(now, &mut table) {
                break;
            }
        }
        self.store(&mut table, &events);
        self.table = Some(table);
        said.into_iter().for_each(|(to, message)| self.deliver(to, &message));
        self.last = None;
    }

    fn store(&mut self, table: &mut Table, events: &[Stored]) {
        if !events.is_empty() {
            self.chores.push_back(Chore::Store { first: table.stored, events: json(&events) });
            table.stored += events.len() as u64;
        }
    }

    fn call_program(&mut self, now: u64, table: &mut Table, seat: Seat, key: SecretKey) {
        table.programs.retain(|program| program.seat != seat);
        let random = (self.random)();
        let bytes = core::array::from_fn(|at| random[at]);
        let mut program = Program::called(program_at(seat), self.id.clone(), seat, key, self.settings.manner, bytes);
        program.handle_connected(now);
        table.programs.push(program);
    }

    fn deliver(&mut self, to: ConnectionId, message: &Arc<ServerMessage>) {
        if to == CALL {
            self.answer.get_or_insert_with(|| Arc::clone(message));
            return;
        }
        if let ServerMessage::GameCreated { player_id, .. } | ServerMessage::Joined { player_id, .. } = &**message {
            self.displace(player_id, to);
        }
        self.send(to, message);
    }

    /// One connection a session: the older one is told to end, so that it does not come back and fight.
    fn displace(&mut self, player: &PlayerId, by: ConnectionId) {
        let is_older =
            |line: &&mut Line| line.attachment.connection != by && line.attachment.player.as_ref() == Some(player);
        for line in self.lines.values_mut().filter(is_older) {
            line.attachment.player = None;
            line.attachment.is_subscribed = false;
            self.chores.push_back(Chore::Attach(line.attachment.clone()));
            self.chores.push_back(Chore::Close { to: line.attachment.connection, code: close::DISPLACED });
        }
    }

    /// Those who see the same get the same text: it is written once.
    fn send(&mut self, to: ConnectionId, message: &Arc<ServerMessage>) {
        if to == CALL {
            self.answer.get_or_insert_with(|| Arc::clone(message));
            return;
        }
        let text = match &self.last {
            Some((last, text)) if Arc::ptr_eq(last, message) => Rc::clone(text),
            _ => Rc::from(json(&**message)),
        };
        self.last = Some((Arc::clone(message), Rc::clone(&text)));
        self.chores.push_back(Chore::Send { to, text });
    }

    /// What the table knows about a socket now, the socket carries.
    fn note_line(&mut self, from: ConnectionId) {
        let Some(line) = self.lines.get_mut(&from) else { return };
        let bound = self.table.as_ref().and_then(|table| table.room.bound(from));
        let (player, is_subscribed) = bound.map_or((None, false), |(player, heard)| (Some(player.clone()), heard));
        if line.attachment.player != player || line.attachment.is_subscribed != is_subscribed {
            line.attachment = Attachment { player, is_subscribed, ..line.attachment.clone() };
            self.chores.push_back(Chore::Attach(line.attachment.clone()));
        }
    }
}

/// What bringing a game is called in answers.
const IMPORT: &str = "IMPORT_GAME";

const fn program_at(seat: Seat) -> ConnectionId {
    seat.index() as ConnectionId
}

fn hear_program(now: u64, table: &mut Table, to: ConnectionId, message: &ServerMessage) {
    let program = table.programs.iter_mut().find(|program| program.connection == to);
    program.into_iter().for_each(|program| program.handle_message(now, message));
}

/// Lets one program think and act whose time has come; whether there was one.
fn let_act(now: u64, table: &mut Table) -> bool {
    let is_due = |program: &&mut Program| program.acts_at().is_some_and(|at| at <= now);
    let Some(program) = table.programs.iter_mut().find(is_due) else { return false };
    program.think(now)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("messages and events have only text keys")
}

fn no_such_game() -> WireError {
    WireError::new(ErrorCode::NoSuchGame, "there is no such game here")
}

fn not_there() -> Answer {
    Answer::refusal(None, WireError::new(ErrorCode::NotStored, "the table is not there now; try again"))
}

#[cfg(test)]
mod tests;
