//! The table host itself, called directly, in virtual time. Everything is stored in memory.

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use serde_json::Value;
use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{
    BotSettings, ConnectionIds, Creator, DecisionTiming, HttpResponse, NewHost, Output, RequestRef, Setup, SetupStep,
    TableCall, TableHost, id_for, read_frame, rejoin_message, reply_without_table,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, LobbyCode, ServerMessage, WireError};
use texas42_room::{CodeClaim, ConnectionId, OpenCode, StoredEvent};

use crate::{Connection, Host};

/// Bots that move at once, at random.
const BOTS: BotSettings =
    BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Random, adviser: Strategy::Expert, worlds: None };

struct HostedTable {
    host: TableHost,
    log: Vec<StoredEvent>,
    code: Option<OpenCode>,
}

/// All tables, and the queued messages of each connection.
#[derive(Default)]
struct World {
    now: u64,
    ids: ConnectionIds,
    tables: BTreeMap<GameId, HostedTable>,
    waiting: BTreeMap<ConnectionId, VecDeque<Value>>,
    closed: BTreeMap<ConnectionId, u16>,
    /// The table that each code leads to.
    codes: BTreeMap<LobbyCode, GameId>,
    /// The answer to the last call.
    answer: Option<HttpResponse>,
}

/// A host without any transport.
#[derive(Default)]
pub struct InProcess(Rc<RefCell<World>>);

impl InProcess {
    /// A host without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The stored log of a table.
    pub fn log(&self, id: &GameId) -> Vec<StoredEvent> {
        self.0.borrow().tables[id].log.clone()
    }
}

struct InProcessConnection {
    world: Rc<RefCell<World>>,
    id: ConnectionId,
}

impl Host for InProcess {
    fn connect(&mut self) -> Box<dyn Connection> {
        let mut world = self.0.borrow_mut();
        let id = world.ids.next(|_| false);
        world.waiting.insert(id, VecDeque::new());
        Box::new(InProcessConnection { world: Rc::clone(&self.0), id })
    }

    fn restart(&mut self) {
        let mut world = self.0.borrow_mut();
        world.waiting.clear();
        for (id, HostedTable { log, code, .. }) in std::mem::take(&mut world.tables) {
            let host = TableHost::restore(world.now, id.clone(), &log, [], BOTS, [9; 32]).unwrap().with_code(code);
            world.tables.insert(id.clone(), HostedTable { host, log, code });
            world.carry_out_outputs(&id);
        }
    }

    fn advance(&mut self, milliseconds: u64) -> bool {
        self.0.borrow_mut().now += milliseconds;
        true
    }

    /// Only codes are looked up without a connection.
    fn request(&mut self, _: &str, path: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        let code = path.strip_prefix("/api/codes/")?;
        let answer = self.0.borrow_mut().look_up(code);
        Some((answer.status, serde_json::from_str(&answer.body).unwrap()))
    }
}

impl Connection for InProcessConnection {
    fn send(&mut self, text: &str) {
        self.world.borrow_mut().receive(self.id, text);
    }

    fn receive(&mut self) -> Option<Value> {
        let mut world = self.world.borrow_mut();
        for _ in 0..2000 {
            let message = world.waiting.get_mut(&self.id)?.pop_front();
            if message.is_some() {
                return message;
            }
            if !world.advance_time() {
                return None;
            }
        }
        None
    }

    fn closed(&self) -> Option<u16> {
        self.world.borrow().closed.get(&self.id).copied()
    }
}

impl Drop for InProcessConnection {
    fn drop(&mut self) {
        let mut world = self.world.borrow_mut();
        world.waiting.remove(&self.id);
        world.with_each(|host, now| host.handle_closed(now, self.id));
    }
}

impl World {
    fn receive(&mut self, from: ConnectionId, text: &str) {
        match read_frame(text) {
            Ok(message) => self.handle(from, message),
            Err(reply) => self.send(from, &reply),
        }
    }

    fn handle(&mut self, from: ConnectionId, message: ClientMessage) {
        let message = match message {
            ClientMessage::CreateGame { .. } => match rejoin_message(&message).filter(|back| self.has_table(back)) {
                Some(back) => back,
                None => return self.create(from, message),
            },
            message => message,
        };
        let Some(id) = message.game_id().filter(|_| self.has_table(&message)).cloned() else {
            let answer = match &message {
                message if message.enters_table() => {
                    RequestRef::of(message).refuse(WireError::new(Problem::NoSuchGame))
                }
                message => reply_without_table(self.now, message),
            };
            return self.send(from, &answer);
        };
        let (now, host) = (self.now, &mut self.tables.get_mut(&id).unwrap().host);
        host.handle_connected(now, from);
        host.handle_message(now, from, message);
        self.carry_out_outputs(&id);
    }

    fn has_table(&self, message: &ClientMessage) -> bool {
        message.game_id().is_some_and(|id| self.tables.contains_key(id))
    }

    fn create(&mut self, from: ConnectionId, message: ClientMessage) {
        let number = self.tables.len() as u8;
        let id = id_for(&message, [number; 12]);
        let (creator, randomness, seed) = (Creator::Connection(from), [number; 32], [number.wrapping_add(100); 32]);
        let new = NewHost { now: self.now, id: id.clone(), creator, bots: BOTS, randomness, seed };
        let mut setup = Setup::new(new, message);
        loop {
            match setup.poll() {
                SetupStep::Progress(progress) => self.send(from, &progress),
                SetupStep::Refused(answer) => return self.send(from, &answer),
                SetupStep::Ready(host) => {
                    self.tables.insert(id.clone(), HostedTable { host: *host, log: Vec::new(), code: None });
                    return self.carry_out_outputs(&id);
                }
            }
        }
    }

    /// Lets bots decide and carries out the host's outputs.
    fn carry_out_outputs(&mut self, id: &GameId) {
        let Some(HostedTable { host, log, code: code_of }) = self.tables.get_mut(id) else { return };
        host.think(self.now, DecisionTiming::Early);
        while let Some(output) = host.poll_output() {
            match output {
                Output::Store { first, events, .. } => {
                    assert_eq!(first, log.len() as u64, "the log must have no gap");
                    log.extend(events);
                }
                Output::Send { to, text, .. } => {
                    let message = serde_json::from_str(&text).unwrap();
                    self.waiting.entry(to).and_modify(|waiting| waiting.push_back(message));
                }
                Output::Close { to, code } => drop(self.closed.insert(to, code)),
                Output::ClaimCode(code) => {
                    self.codes.insert(code.code, id.clone());
                    *code_of = Some(code);
                    host.handle_claim(CodeClaim::Granted);
                }
                Output::ReleaseCode(code) => {
                    self.codes.remove(&code);
                    *code_of = None;
                }
                Output::Answer { answer, .. } => self.answer = Some(answer),
                Output::Bind(_) => {}
            }
        }
    }

    fn look_up(&mut self, code: &str) -> HttpResponse {
        let unknown = || HttpResponse::refusal(None, WireError::new(Problem::UnknownCode));
        let found = LobbyCode::typed(code).and_then(|code| Some((code, self.codes.get(&code)?.clone())));
        let Some((code, id)) = found else { return unknown() };
        let now = self.now;
        let Some(HostedTable { host, .. }) = self.tables.get_mut(&id) else { return unknown() };
        host.handle_call(now, TableCall::Lobby(code));
        self.carry_out_outputs(&id);
        self.answer.take().unwrap_or_else(unknown)
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        let message = serde_json::to_value(message).unwrap();
        self.waiting.entry(to).and_modify(|waiting| waiting.push_back(message));
    }

    fn with_each(&mut self, act: impl Fn(&mut TableHost, u64)) {
        for id in self.tables.keys().cloned().collect::<Vec<_>>() {
            let now = self.now;
            self.tables.entry(id.clone()).and_modify(|table| act(&mut table.host, now));
            self.carry_out_outputs(&id);
        }
    }

    /// Advances the time to the next scheduled event; returns `false` if there is none.
    fn advance_time(&mut self) -> bool {
        let Some(at) = self.tables.values().filter_map(|table| table.host.wake_at()).min() else { return false };
        self.now = self.now.max(at);
        self.with_each(TableHost::handle_time);
        true
    }
}
