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
    BotSettings, ConnectionIds, Creator, DecisionTiming, NewHost, Output, Setup, SetupStep, TableHost, id_for,
    rejoin_message, unreadable_reply,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, ServerMessage, WireError};
use texas42_room::{ConnectionId, StoredEvent};

use crate::{Host, Line};

/// Bots that move at once, at random.
const BOTS: BotSettings = BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Random, worlds: None };

struct HostedTable {
    host: TableHost,
    log: Vec<StoredEvent>,
}

/// All tables, and the queued messages of each connection.
#[derive(Default)]
struct World {
    now: u64,
    ids: ConnectionIds,
    tables: BTreeMap<GameId, HostedTable>,
    waiting: BTreeMap<ConnectionId, VecDeque<Value>>,
    closed: BTreeMap<ConnectionId, u16>,
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

struct InProcessLine {
    world: Rc<RefCell<World>>,
    id: ConnectionId,
}

impl Host for InProcess {
    fn connect(&mut self) -> Box<dyn Line> {
        let mut world = self.0.borrow_mut();
        let id = world.ids.next(|_| false);
        world.waiting.insert(id, VecDeque::new());
        Box::new(InProcessLine { world: Rc::clone(&self.0), id })
    }

    fn restart(&mut self) {
        let mut world = self.0.borrow_mut();
        world.waiting.clear();
        for (id, HostedTable { log, .. }) in std::mem::take(&mut world.tables) {
            let host = TableHost::restore(world.now, id.clone(), &log, [], BOTS, [9; 32]).unwrap();
            world.tables.insert(id.clone(), HostedTable { host, log });
            world.carry_out_outputs(&id);
        }
    }

    fn request(&mut self, _: &str, _: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        None
    }
}

impl Line for InProcessLine {
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

impl Drop for InProcessLine {
    fn drop(&mut self) {
        let mut world = self.world.borrow_mut();
        world.waiting.remove(&self.id);
        world.with_each(|host, now| host.handle_closed(now, self.id));
    }
}

impl World {
    fn receive(&mut self, from: ConnectionId, text: &str) {
        match serde_json::from_str::<ClientMessage>(text) {
            Ok(message) => self.handle(from, message),
            Err(error) => self.send(from, &unreadable_reply(text, &error)),
        }
    }

    fn handle(&mut self, from: ConnectionId, message: ClientMessage) {
        let message = match message {
            ClientMessage::Ping { nonce } => return self.send(from, &ServerMessage::Pong { nonce, time: None }),
            ClientMessage::CreateGame { .. } => match rejoin_message(&message).filter(|back| self.has_table(back)) {
                Some(back) => back,
                None => return self.create(from, message),
            },
            message => message,
        };
        let Some(id) = message.game_id().filter(|_| self.has_table(&message)).cloned() else {
            let is_join = matches!(message, ClientMessage::JoinGame { .. });
            let error = WireError::new(if is_join { Problem::NoSuchGame } else { Problem::JoinFirst });
            let answer = ServerMessage::refusal(Some(message.name()), message.request_id().cloned(), error);
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
        let (founder, randomness, seed) = (Creator::Connection(from), [number; 32], [number.wrapping_add(100); 32]);
        let new = NewHost { now: self.now, id: id.clone(), founder, bots: BOTS, randomness, seed };
        let mut setup = Setup::new(new, message);
        loop {
            match setup.poll() {
                SetupStep::Progress(progress) => self.send(from, &progress),
                SetupStep::Refused(answer) => return self.send(from, &answer),
                SetupStep::Ready(host) => {
                    self.tables.insert(id.clone(), HostedTable { host: *host, log: Vec::new() });
                    return self.carry_out_outputs(&id);
                }
            }
        }
    }

    /// Lets bots decide and carries out the host's outputs.
    fn carry_out_outputs(&mut self, id: &GameId) {
        let Some(HostedTable { host, log }) = self.tables.get_mut(id) else { return };
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
                Output::Answer { .. } | Output::Bind(_) => {}
            }
        }
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
