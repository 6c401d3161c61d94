//! The shortest way to a table: the room itself, called directly, in virtual time. Everything is stored in memory.

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use serde_json::Value;
use texas42_client::{Bot, Entrance, GameClient, Pace};
use texas42_hosting::{look_for, unreadable};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, ServerMessage, WireError};
use texas42_room::{ConnectionId, Creation, Effect, NewTable, Room, Step, Stored};
use texas42_server::strategies;
use texas42_vocab::Seat;

use crate::{Host, Line};

struct Home {
    room: Room,
    log: Vec<Stored>,
}

/// All tables, their programs, and what waits for each connection.
#[derive(Default)]
struct World {
    now: u64,
    links: ConnectionId,
    tables: BTreeMap<GameId, Home>,
    bots: BTreeMap<ConnectionId, (GameId, Seat, Bot)>,
    waiting: BTreeMap<ConnectionId, VecDeque<Value>>,
    /// The tables by the keys of those who set them up.
    creations: BTreeMap<String, GameId>,
}

/// A host without any transport.
#[derive(Default)]
pub struct InProcess(Rc<RefCell<World>>);

impl InProcess {
    /// A host without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that is stored about a table.
    pub fn log(&self, id: &GameId) -> Vec<Stored> {
        self.0.borrow().tables[id].log.clone()
    }
}

struct InProcessLine {
    world: Rc<RefCell<World>>,
    link: ConnectionId,
}

impl Host for InProcess {
    fn connect(&mut self) -> Box<dyn Line> {
        let mut world = self.0.borrow_mut();
        world.links += 1;
        let link = world.links;
        world.waiting.insert(link, VecDeque::new());
        Box::new(InProcessLine { world: Rc::clone(&self.0), link })
    }

    fn restart(&mut self) {
        let mut world = self.0.borrow_mut();
        world.bots.clear();
        world.waiting.clear();
        for (id, home) in std::mem::take(&mut world.tables) {
            let room = Room::restore(world.now, id.clone(), &[9; 32], &home.log).unwrap();
            world.tables.insert(id.clone(), Home { room, log: home.log });
            world.drain(&id);
        }
    }

    fn request(&mut self, _: &str, _: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        None
    }
}

impl Line for InProcessLine {
    fn send(&mut self, text: &str) {
        self.world.borrow_mut().receive(self.link, text);
    }

    fn receive(&mut self) -> Option<Value> {
        let mut world = self.world.borrow_mut();
        for _ in 0..2000 {
            let message = world.waiting.get_mut(&self.link)?.pop_front();
            if message.is_some() {
                return message;
            }
            if !world.go_on() {
                return None;
            }
        }
        None
    }
}

impl Drop for InProcessLine {
    fn drop(&mut self) {
        let mut world = self.world.borrow_mut();
        world.waiting.remove(&self.link);
        let now = world.now;
        for id in world.tables.keys().cloned().collect::<Vec<_>>() {
            if let Some(home) = world.tables.get_mut(&id) {
                home.room.handle_disconnect(now, self.link);
            }
            world.drain(&id);
        }
    }
}

impl World {
    fn receive(&mut self, link: ConnectionId, text: &str) {
        match serde_json::from_str::<ClientMessage>(text) {
            Ok(message) => self.take(link, message),
            Err(error) => self.say(link, &unreadable(text, &error)),
        }
    }

    fn take(&mut self, link: ConnectionId, message: ClientMessage) {
        match &message {
            ClientMessage::Ping { nonce } => return self.say(link, &ServerMessage::Pong { nonce: *nonce, time: None }),
            ClientMessage::CreateGame { .. } => return self.create(link, message),
            _ => {}
        }
        let value = serde_json::to_value(&message).unwrap();
        let id = GameId::try_from(value["gameId"].as_str().unwrap()).unwrap();
        let now = self.now;
        match self.tables.get_mut(&id) {
            Some(home) => {
                home.room.handle_message(now, link, message);
                self.drain(&id);
            }
            None => {
                let is_join = matches!(message, ClientMessage::JoinGame { .. });
                let problem = if is_join { Problem::NoSuchGame } else { Problem::JoinFirst };
                self.say(link, &error_of(&message, WireError::new(problem)));
            }
        }
    }

    fn create(&mut self, link: ConnectionId, message: ClientMessage) {
        let mut join = serde_json::to_value(&message).unwrap();
        if let Some(known) = join["sessionKey"].as_str().and_then(|key| self.creations.get(key)).cloned() {
            join = serde_json::json!({
                "type": "JOIN_GAME", "gameId": known, "sessionKey": join["sessionKey"], "name": join["name"],
            });
            return self.take(link, serde_json::from_value(join).unwrap());
        }
        let key = join["sessionKey"].as_str().map(str::to_owned);
        let id = GameId::try_from(format!("table-{}", self.tables.len()).as_str()).unwrap();
        let new = NewTable { id: id.clone(), randomness: [self.tables.len() as u8; 32], connection: link };
        let mut creation = Creation::new(self.now, new, message, look_for);
        loop {
            match creation.poll() {
                Step::Progress(progress) => self.say(link, &progress),
                Step::Refused(answer) => return self.say(link, &answer),
                Step::Ready(room) => {
                    self.tables.insert(id.clone(), Home { room: *room, log: Vec::new() });
                    self.creations.extend(key.map(|key| (key, id.clone())));
                    return self.drain(&id);
                }
            }
        }
    }

    fn drain(&mut self, id: &GameId) {
        while let Some(effect) = self.tables.get_mut(id).and_then(|home| home.room.poll_effect()) {
            match effect {
                Effect::Store(events) => self.tables.get_mut(id).unwrap().log.extend(events),
                Effect::Send { to, message } => self.say(to, &message),
                Effect::WantAi { seat, key } => {
                    self.bots.retain(|_, (table, taken, _)| table != id || *taken != seat);
                    self.links += 1;
                    let randomness =
                        std::array::from_fn(|at| (self.links as u8).wrapping_add((at as u8).wrapping_mul(37)));
                    let entrance = Entrance::join(id.clone(), Some(key), "Program".try_into().unwrap());
                    let mut bot = Bot::new(GameClient::new(entrance, randomness), Pace::AT_ONCE, self.links);
                    bot.client_mut().handle_connected(self.now);
                    self.bots.insert(self.links, (id.clone(), seat, bot));
                }
                Effect::ReleaseAi { seat } => {
                    self.bots.retain(|_, (table, taken, _)| table != id || *taken != seat);
                }
            }
        }
    }

    fn say(&mut self, to: ConnectionId, message: &ServerMessage) {
        let now = self.now;
        if let Some((_, _, bot)) = self.bots.get_mut(&to) {
            bot.handle_message(now, message);
        } else if let Some(waiting) = self.waiting.get_mut(&to) {
            waiting.push_back(serde_json::to_value(message).unwrap());
        }
    }

    /// Lets programs speak, and when all are silent lets time pass to the next thing that happens by itself.
    fn go_on(&mut self) -> bool {
        let random = strategies::by_name("random").unwrap();
        for link in self.bots.keys().copied().collect::<Vec<_>>() {
            let Some((_, _, bot)) = self.bots.get_mut(&link) else { continue };
            if let Some(question) = bot.poll_question() {
                let action = random(&question.view, question.seat, question.version);
                bot.handle_decision(self.now, question.version, &action);
            }
            if let Some(frame) = bot.poll_frame() {
                self.take(link, frame);
                return true;
            }
        }
        let Some(at) = self.tables.values().filter_map(|home| home.room.wake_at()).min() else { return false };
        self.now = self.now.max(at);
        for id in self.tables.keys().cloned().collect::<Vec<_>>() {
            let now = self.now;
            self.tables.get_mut(&id).unwrap().room.handle_time(now);
            self.drain(&id);
        }
        true
    }
}

fn error_of(message: &ClientMessage, error: WireError) -> ServerMessage {
    ServerMessage::refusal(Some(message.name()), message.request_id().cloned(), error)
}
