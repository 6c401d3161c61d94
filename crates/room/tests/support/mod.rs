//! A small host for tests: it does every effect at once, and every client follows the table.
//!
//! What holds for every table is checked on the way, after every message: the version is the number of stored events,
//! nothing newer than what is stored is sent, a follower meets no gap, and what it holds is what the room would show.

#![allow(dead_code, reason = "every test file uses another part of this")]
#![allow(unreachable_pub, reason = "a module of tests has no outside")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use texas42_protocol::{
    ClientMessage, ErrorCode, Follower, GameId, GameView, Heard, SecretKey, ServerMessage, WireError,
};
use texas42_room::{ConnectionId, Effect, NewTable, RandomPlayer, Room, Stored};
use texas42_vocab::{Action, Domino, Phase, Seat};

/// Connections by the names of those behind them.
pub const ANN: ConnectionId = 0;
pub const BOB: ConnectionId = 1;
pub const CID: ConnectionId = 2;
pub const DAN: ConnectionId = 3;
pub const EVE: ConnectionId = 7;

/// The connection of the program on a seat.
pub fn program(seat: usize) -> ConnectionId {
    10 + seat as u64
}

pub fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat is 0 to 3")
}

pub fn d(text: &str) -> Domino {
    text.parse().unwrap()
}

/// The seats of a table of so many people, the first seats, and programs.
pub fn people(count: usize) -> Value {
    (0..4).map(|seat| if seat < count { "human" } else { "ai" }).collect()
}

/// What a `CREATE_GAME` of Ann says.
pub fn create_game(config: &Value, table: &Value) -> Value {
    json!({ "type": "CREATE_GAME", "name": "Ann", "entropy": "ann", "config": config, "table": table })
}

#[derive(Debug)]
pub struct Host {
    pub room: Room,
    pub now: u64,
    /// Everything that was stored.
    pub log: Vec<Stored>,
    /// Everything that was sent, in order.
    pub sent: Vec<(ConnectionId, ServerMessage)>,
    /// Everything that was to be done, in order.
    pub effects: Vec<Effect>,
    /// The clients that are subscribed.
    pub followers: BTreeMap<ConnectionId, Follower>,
    /// The key of each client's session.
    pub keys: BTreeMap<ConnectionId, SecretKey>,
    /// The connections that sit.
    seated: BTreeSet<ConnectionId>,
    /// The seats that want a program.
    pub wanted: BTreeMap<Seat, SecretKey>,
    requests: usize,
}

impl Host {
    /// A table that Ann has set up.
    pub fn new(config: &Value, table: &Value) -> Self {
        Self::created(&create_game(config, table), [5; 32])
    }

    pub fn created(message: &Value, randomness: [u8; 32]) -> Self {
        let new = NewTable { id: GameId::try_from("table").unwrap(), randomness, connection: ANN };
        let message = read(message);
        Self::of(Room::create(0, new, message).unwrap_or_else(|answer| panic!("{answer:?}")), 0, Vec::new())
    }

    /// The table as it comes back from its log, with nobody connected.
    pub fn restored(&self, now: u64) -> Self {
        let room = Room::restore(now, self.room.id().clone(), &[8; 32], &self.log).unwrap();
        Self::of(room, now, self.log.clone())
    }

    pub fn of(room: Room, now: u64, log: Vec<Stored>) -> Self {
        let mut host = Self {
            room,
            now,
            log,
            sent: Vec::new(),
            effects: Vec::new(),
            followers: BTreeMap::new(),
            keys: BTreeMap::new(),
            seated: BTreeSet::new(),
            wanted: BTreeMap::new(),
            requests: 0,
        };
        host.deliver();
        host
    }

    /// A table of so many people who have all joined, and of programs.
    pub fn seated(count: usize, mut config: Value, table: &Value) -> Self {
        config["players"] = people(count);
        let mut host = Self::new(&config, table);
        for (connection, name) in [(BOB, "Bob"), (CID, "Cid"), (DAN, "Dan")].into_iter().take(count - 1) {
            let key = host.invite(&json!({ "role": "player", "seat": connection }));
            host.join(connection, &key, json!({ "name": name, "entropy": name.to_lowercase() }));
        }
        host.seat_programs();
        host
    }

    /// Lets a program join on every seat that wants one.
    pub fn seat_programs(&mut self) {
        for (seat, key) in std::mem::take(&mut self.wanted) {
            self.keys.insert(program(seat.index()), key.clone());
            self.join(program(seat.index()), &key, json!({ "name": "Program" }));
        }
    }
}

// What clients say.
impl Host {
    /// Says something and returns what the speaker hears. The id of the table is filled in.
    pub fn say(&mut self, from: ConnectionId, mut message: Value) -> Vec<ServerMessage> {
        if message.get("gameId").is_none() && message["type"] != "PING" {
            message["gameId"] = json!(self.room.id());
        }
        let heard = self.sent.len();
        self.room.handle_message(self.now, from, read(&message));
        if message["type"] == "UNSUBSCRIBE" {
            self.followers.remove(&from);
        }
        self.deliver();
        self.heard_since(heard, from)
    }

    pub fn heard_since(&self, since: usize, by: ConnectionId) -> Vec<ServerMessage> {
        self.sent[since..].iter().filter(|(to, _)| *to == by).map(|(_, message)| message.clone()).collect()
    }

    /// A number that was not used before.
    pub fn fresh(&mut self) -> String {
        self.requests += 1;
        format!("r{}", self.requests)
    }

    /// Joins with a key; `more` has the other fields.
    pub fn join(&mut self, from: ConnectionId, key: &SecretKey, more: Value) -> Vec<ServerMessage> {
        let mut message = json!({ "type": "JOIN_GAME", "key": key, "name": "Somebody" });
        let Value::Object(more) = more else { panic!("fields are wanted, not {more}") };
        message.as_object_mut().unwrap().extend(more);
        self.say(from, message)
    }

    /// Ann makes an invitation.
    pub fn invite(&mut self, grant: &Value) -> SecretKey {
        let request = self.fresh();
        let heard = self.say(ANN, json!({ "type": "INVITE", "requestId": request, "grant": grant }));
        let key = heard.iter().find_map(|message| match message {
            ServerMessage::Invited { key: Some(key), .. } => Some(key.clone()),
            _ => None,
        });
        key.unwrap_or_else(|| panic!("{heard:?}"))
    }

    /// Does something on the version that the client has.
    pub fn act(&mut self, from: ConnectionId, action: Action) -> Vec<ServerMessage> {
        let version = self.followers.get(&from).and_then(Follower::table).map_or(0, |(version, _)| version);
        let request = self.fresh();
        self.say(from, execute(&request, version, &json!(action)))
    }

    /// A move, with what is in mind with it.
    pub fn act_meaning(&mut self, from: ConnectionId, action: Action, intent: &str) -> Vec<ServerMessage> {
        let version = self.followers.get(&from).and_then(Follower::table).map_or(0, |(version, _)| version);
        let request = self.fresh();
        let mut message = execute(&request, version, &json!(action));
        message["intent"] = intent.into();
        self.say(from, message)
    }

    /// The program that has to move, and something that it may do.
    pub fn acting_program(&self) -> Option<(Seat, Action)> {
        let seat = self.room.state()?.to_act()?;
        let view = self.followers.get(&program(seat.index()))?.table()?.1;
        Some((seat, view.valid_actions.first()?.action))
    }

    pub fn set_control(&mut self, from: ConnectionId, seat: usize, control: &str) -> Vec<ServerMessage> {
        let request = self.fresh();
        let message =
            json!({ "type": "SET_PLAYER_CONTROL", "requestId": request, "player": seat, "controlType": control });
        self.say(from, message)
    }

    /// Asks to take back to so many events, or agrees to it.
    pub fn undo(&mut self, from: ConnectionId, to: u16) -> Vec<ServerMessage> {
        self.act(from, Action::Undo { to })
    }

    pub fn disconnect(&mut self, connection: ConnectionId) {
        self.followers.remove(&connection);
        self.room.handle_disconnect(self.now, connection);
        self.deliver();
    }

    /// The clock goes on, and the room is woken up whenever it asked for it.
    pub fn wait(&mut self, milliseconds: u64) {
        let end = self.now + milliseconds;
        for _ in 0..1000 {
            let next = self.room.wake_at().filter(|at| *at <= end);
            self.now = next.unwrap_or(end).max(self.now);
            self.wake();
            if next.is_none() {
                return;
            }
        }
        panic!("the room never sleeps");
    }

    /// The room is woken up, whether it asked for it or not.
    pub fn wake(&mut self) {
        self.room.handle_time(self.now);
        self.deliver();
    }
}

// What is done and checked.
impl Host {
    pub fn deliver(&mut self) {
        while let Some(effect) = self.room.poll_effect() {
            self.effects.push(effect.clone());
            match effect {
                Effect::Store(events) => self.log.extend(events),
                Effect::Send { to, message } => self.send(to, &message),
                Effect::WantAi { seat, key } => drop(self.wanted.insert(seat, key)),
                Effect::ReleaseAi { seat } => drop(self.wanted.remove(&seat)),
            }
        }
        assert_eq!(self.room.version(), self.log.len() as u64, "every event is stored, and numbered by one");
        for (connection, follower) in &self.followers {
            let Some(view) = self.room.view_for(*connection) else { continue };
            let (version, held) = follower.table().unwrap();
            assert_eq!(version, self.room.version(), "connection {connection} is up to date");
            assert_eq!(*held, view, "connection {connection} holds what the room would show it");
        }
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        let text = serde_json::to_string(message).unwrap();
        let message: ServerMessage = serde_json::from_str(&text).unwrap();
        let version = message.version().unwrap_or(0);
        assert!(version <= self.log.len() as u64, "sent before it was stored: {text}");
        if starts_following(&message) {
            self.followers.entry(to).or_default();
        }
        if matches!(message, ServerMessage::GameCreated { .. } | ServerMessage::Joined { seat: Some(_), .. }) {
            self.seated.insert(to);
        }
        if let Some(key) = key_of(&message) {
            self.keys.insert(to, key);
        }
        if let Some(follower) = self.followers.get_mut(&to) {
            assert_ne!(follower.hear(&message), Heard::Gap, "to {to}: {text}");
        }
        self.sent.push((to, message));
    }

    /// What a client sees.
    pub fn view(&self, connection: ConnectionId) -> &GameView {
        self.followers[&connection].table().unwrap().1
    }

    pub fn version(&self) -> u64 {
        self.room.version()
    }

    pub fn phase(&self) -> Phase {
        self.room.phase()
    }

    /// Who can do what, by what the clients are shown.
    pub fn choices(&self) -> Vec<(ConnectionId, Action)> {
        let offered = self.followers.iter().filter_map(|(id, follower)| Some((*id, follower.table()?.1)));
        // A coach is shown what the student is offered, and cannot do it.
        let offered = offered.filter(|(id, _)| self.seated.contains(id));
        let of = |(id, view): (ConnectionId, &GameView)| {
            view.valid_actions.iter().map(move |valid| (id, valid.action)).collect::<Vec<_>>()
        };
        offered.flat_map(of).filter(|(_, action)| !matches!(action, Action::Claim { .. })).collect()
    }

    /// Somebody does something, or the clock goes on to what the table does by itself.
    pub fn step(&mut self, random: &mut RandomPlayer) {
        let choices = self.choices();
        if choices.is_empty() {
            let at = self.room.wake_at().expect("a table that waits for nobody waits for the clock");
            self.wait(at.saturating_sub(self.now));
            return;
        }
        let (connection, action) = choices[random.below(choices.len() as u64) as usize];
        self.act(connection, action);
    }

    /// Plays at random until it is so.
    pub fn play_until(&mut self, random: &mut RandomPlayer, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..20_000 {
            if is_so(self) {
                return;
            }
            self.step(random);
        }
        panic!("it never becomes so");
    }

    pub fn play_to_the_end(&mut self, random: &mut RandomPlayer) {
        self.play_until(random, |host| host.phase().is_over());
    }

    /// The connections that hear something, since so many messages.
    pub fn hearers(&self, since: usize) -> BTreeSet<ConnectionId> {
        self.sent[since..].iter().map(|(to, _)| *to).collect()
    }
}

/// A value as text with its fields in one order, `type` first: whether `serde_json` keeps the order of fields depends
/// on what else is built.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_by_key(|name| (*name != "type", *name));
            let field = |name: &String| format!("{}:{}", json!(name), canonical(&fields[name]));
            format!("{{{}}}", names.into_iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

pub fn read(message: &Value) -> ClientMessage {
    serde_json::from_value(message.clone()).unwrap_or_else(|error| panic!("{message}: {error}"))
}

pub fn execute(request: &str, version: u64, action: &Value) -> Value {
    json!({ "type": "EXECUTE_ACTION", "requestId": request, "version": version, "action": action })
}

fn starts_following(message: &ServerMessage) -> bool {
    matches!(
        message,
        ServerMessage::GameCreated { .. }
            | ServerMessage::Joined { .. }
            | ServerMessage::StateUpdate { view: Some(_), .. }
    )
}

fn key_of(message: &ServerMessage) -> Option<SecretKey> {
    match message {
        ServerMessage::GameCreated { key, .. } | ServerMessage::Joined { key, .. } => key.clone(),
        _ => None,
    }
}

/// The error among what was heard.
pub fn error(heard: &[ServerMessage]) -> &WireError {
    let error = heard.iter().find_map(|message| match message {
        ServerMessage::Error { error, .. } => Some(error),
        _ => None,
    });
    error.unwrap_or_else(|| panic!("nothing is refused: {heard:?}"))
}

pub fn code(heard: &[ServerMessage]) -> ErrorCode {
    error(heard).code
}

/// What was heard, by the tags of the messages.
pub fn tags(heard: &[ServerMessage]) -> Vec<String> {
    let tag = |message| serde_json::to_value(message).unwrap()["type"].as_str().unwrap().to_owned();
    heard.iter().map(tag).collect()
}

/// The version to which a request led, by the answer to it.
pub fn ack(heard: &[ServerMessage]) -> Option<u64> {
    heard.iter().find_map(|message| match message {
        ServerMessage::StateUpdate { ack, .. } => ack.as_ref().map(|ack| ack.version),
        _ => None,
    })
}
