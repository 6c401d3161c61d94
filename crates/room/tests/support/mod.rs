//! A small host for tests: it carries out every effect immediately, and every client follows the table.
//!
//! After every message it checks invariants of all tables: the version is the number of stored events, nothing newer
//! than the stored events is sent, a follower never meets a gap, and its view equals the view of the room.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(unreachable_pub, reason = "a test module has no public interface")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use texas42_protocol::{
    ClientMessage, ErrorCode, FollowOutcome, Follower, GameId, GameView, LobbyCode, SecretKey, ServerMessage, WireError,
};
use texas42_room::{CodeClaim, ConnectionId, Effect, NewTable, OpenCode, RandomPlayer, Room, StoredEvent};
use texas42_vocab::{Action, Phase, Seat};

/// Connections, named after their players.
pub const ANN: ConnectionId = 0;
pub const BOB: ConnectionId = 1;
pub const CID: ConnectionId = 2;
pub const DAN: ConnectionId = 3;
pub const EVE: ConnectionId = 7;

/// The connection of the bot at a seat.
pub fn bot(seat: usize) -> ConnectionId {
    10 + seat as u64
}

pub fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat is 0 to 3")
}

/// The seats of a table: `count` people at the first seats, then bots.
pub fn people(count: usize) -> Value {
    (0..4).map(|seat| if seat < count { "human" } else { "ai" }).collect()
}

/// Ann's `CREATE_GAME`.
pub fn create_game(config: &Value, table: &Value) -> Value {
    json!({ "type": "CREATE_GAME", "name": "Ann", "entropy": "ann", "config": config, "table": table })
}

#[derive(Debug)]
pub struct Host {
    pub room: Room,
    pub now: u64,
    /// All stored events.
    pub log: Vec<StoredEvent>,
    /// All sent messages, in order.
    pub sent: Vec<(ConnectionId, ServerMessage)>,
    /// All effects, in order.
    pub effects: Vec<Effect>,
    /// The subscribed clients.
    pub followers: BTreeMap<ConnectionId, Follower>,
    /// The key of each client's session.
    pub keys: BTreeMap<ConnectionId, SecretKey>,
    /// The connections with a seat.
    seated: BTreeSet<ConnectionId>,
    /// The codes of other tables.
    pub taken_codes: BTreeSet<LobbyCode>,
    /// The keys of requested bots that have not joined yet, by seat.
    pub requested_bots: BTreeMap<Seat, SecretKey>,
    requests: usize,
}

impl Host {
    /// A table that Ann has created. A rated table draws its first shaker.
    pub fn new(config: &Value, table: &Value) -> Self {
        let mut config = config.clone();
        if let Some(config) = config.as_object_mut().filter(|_| table["rated"] == true) {
            config.remove("shaker");
        }
        Self::created(&create_game(&config, table), [5; 32])
    }

    pub fn created(message: &Value, randomness: [u8; 32]) -> Self {
        let new = NewTable { id: GameId::try_from("table").unwrap(), randomness, connection: ANN };
        let message = read(message);
        Self::of(Room::create(0, new, message).unwrap_or_else(|answer| panic!("{answer:?}")), 0, Vec::new())
    }

    /// The table restored from its log, with nobody connected.
    pub fn restored(&self, now: u64) -> Self {
        let room = Room::restore(now, self.room.id().clone(), &[8; 32], &self.log).unwrap();
        // Request ids continue, because the table remembers the earlier ones.
        Self { requests: self.requests, ..Self::of(room, now, self.log.clone()) }
    }

    pub fn of(room: Room, now: u64, log: Vec<StoredEvent>) -> Self {
        let mut host = Self {
            room,
            now,
            log,
            sent: Vec::new(),
            effects: Vec::new(),
            followers: BTreeMap::new(),
            keys: BTreeMap::new(),
            seated: BTreeSet::new(),
            taken_codes: BTreeSet::new(),
            requested_bots: BTreeMap::new(),
            requests: 0,
        };
        host.deliver();
        host
    }

    /// A table with `count` people who have all joined, and bots.
    pub fn seated(count: usize, mut config: Value, table: &Value) -> Self {
        config["players"] = people(count);
        let mut host = Self::new(&config, table);
        for (connection, name) in [(BOB, "Bob"), (CID, "Cid"), (DAN, "Dan")].into_iter().take(count - 1) {
            let key = host.invite(&json!({ "role": "player", "seat": connection }));
            host.join(connection, &key, json!({ "name": name, "entropy": name.to_lowercase() }));
        }
        host.seat_bots();
        host
    }

    /// Ann against bots, with the keys of invites that she created before the deal.
    pub fn with_invites(mut config: Value, table: &Value, grants: &[Value]) -> (Self, Vec<SecretKey>) {
        let mut table = table.clone();
        (config["players"], table["ready"]) = (people(1), json!(true));
        let mut host = Self::new(&config, &table);
        let keys = grants.iter().map(|grant| host.invite(grant)).collect();
        host.say(ANN, json!({ "type": "READY", "requestId": "ready" }));
        host.seat_bots();
        (host, keys)
    }

    /// Lets a bot join at every seat that needs one.
    pub fn seat_bots(&mut self) {
        for (seat, key) in std::mem::take(&mut self.requested_bots) {
            self.keys.insert(bot(seat.index()), key.clone());
            self.join(bot(seat.index()), &key, json!({ "name": "Program" }));
        }
    }
}

// Messages of clients.
impl Host {
    /// Sends a message and returns the replies to its sender. Fills in the id of the table.
    pub fn say(&mut self, from: ConnectionId, mut message: Value) -> Vec<ServerMessage> {
        if message.get("gameId").is_none() && message["type"] != "PING" {
            message["gameId"] = json!(self.room.id());
        }
        let since = self.sent.len();
        self.room.handle_message(self.now, from, read(&message));
        if message["type"] == "UNSUBSCRIBE" {
            self.followers.remove(&from);
        }
        self.deliver();
        self.messages_since(since, from)
    }

    /// The messages to a connection after the first `since` messages of the table.
    pub fn messages_since(&self, since: usize, by: ConnectionId) -> Vec<ServerMessage> {
        self.sent[since..].iter().filter(|(to, _)| *to == by).map(|(_, message)| message.clone()).collect()
    }

    /// A new request id.
    pub fn fresh_request_id(&mut self) -> String {
        self.requests += 1;
        format!("r{}", self.requests)
    }

    /// Joins with a key; `more` contains the other fields.
    pub fn join(&mut self, from: ConnectionId, key: &SecretKey, more: Value) -> Vec<ServerMessage> {
        let mut message = json!({ "type": "JOIN_GAME", "key": key, "name": format!("Somebody {from}") });
        let Value::Object(more) = more else { panic!("not an object: {more}") };
        message.as_object_mut().unwrap().extend(more);
        self.say(from, message)
    }

    /// Ann creates an invite.
    pub fn invite(&mut self, grant: &Value) -> SecretKey {
        let request = self.fresh_request_id();
        let replies = self.say(ANN, json!({ "type": "INVITE", "requestId": request, "grant": grant }));
        let key = replies.iter().find_map(|message| match message {
            ServerMessage::Invited { key: Some(key), .. } => Some(key.clone()),
            _ => None,
        });
        key.unwrap_or_else(|| panic!("{replies:?}"))
    }

    /// Executes an action based on the client's version.
    pub fn act(&mut self, from: ConnectionId, action: Action) -> Vec<ServerMessage> {
        let version = self.followers.get(&from).and_then(Follower::table).map_or(0, |(version, _)| version);
        let request = self.fresh_request_id();
        self.say(from, execute(&request, version, &json!(action)))
    }

    /// Executes an action with a bot's reason.
    pub fn act_with_intent(&mut self, from: ConnectionId, action: Action, intent: &str) -> Vec<ServerMessage> {
        let version = self.followers.get(&from).and_then(Follower::table).map_or(0, |(version, _)| version);
        let request = self.fresh_request_id();
        let mut message = execute(&request, version, &json!(action));
        message["intent"] = intent.into();
        self.say(from, message)
    }

    /// The bot to act, and one of its valid actions.
    pub fn acting_bot(&self) -> Option<(Seat, Action)> {
        let seat = self.room.state()?.to_act()?;
        let view = self.followers.get(&bot(seat.index()))?.table()?.1;
        Some((seat, view.valid_actions.first()?.action))
    }

    pub fn set_control(&mut self, from: ConnectionId, seat: usize, control: &str) -> Vec<ServerMessage> {
        let request = self.fresh_request_id();
        let message =
            json!({ "type": "SET_PLAYER_CONTROL", "requestId": request, "player": seat, "controlType": control });
        self.say(from, message)
    }

    /// Requests an undo to the first `to` events of the game, or agrees to one.
    pub fn undo(&mut self, from: ConnectionId, to: u16) -> Vec<ServerMessage> {
        self.act(from, Action::Undo { to })
    }

    pub fn disconnect(&mut self, connection: ConnectionId) {
        self.followers.remove(&connection);
        self.room.handle_disconnect(self.now, connection);
        self.deliver();
    }

    /// Advances the clock, waking the room whenever it asked for it.
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
        panic!("the room never becomes idle");
    }

    /// Wakes the room, whether it asked for it or not.
    pub fn wake(&mut self) {
        self.room.handle_time(self.now);
        self.deliver();
    }
}

// Effects and checks.
impl Host {
    /// Carries out all effects, and checks the invariants.
    pub fn deliver(&mut self) {
        while let Some(effect) = self.room.poll_effect() {
            self.effects.push(effect.clone());
            match effect {
                Effect::Store(events) => self.log.extend(events),
                Effect::Send { to, message } => self.send(to, &message),
                Effect::RequestBot { seat, key } => drop(self.requested_bots.insert(seat, key)),
                Effect::ClaimCode(OpenCode { code, .. }) => {
                    let is_new = !self.taken_codes.contains(&code);
                    self.room.handle_claim(if is_new { CodeClaim::Granted } else { CodeClaim::Taken });
                }
                Effect::ReleaseCode(_) => {}
                Effect::ReleaseBot { seat } => {
                    self.requested_bots.remove(&seat);
                    if self.room.view_for(bot(seat.index())).is_none() {
                        self.followers.remove(&bot(seat.index()));
                    }
                }
            }
        }
        assert_eq!(self.room.version(), self.log.len() as u64, "every event is stored and increments the version");
        for (connection, follower) in &self.followers {
            let Some(view) = self.room.view_for(*connection) else { continue };
            let (version, held) = follower.table().unwrap();
            assert_eq!(version, self.room.version(), "connection {connection} is up to date");
            assert_eq!(*held, view, "connection {connection} holds the view of the room");
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
            assert_ne!(follower.handle_message(&message), FollowOutcome::Gap, "to {to}: {text}");
        }
        self.sent.push((to, message));
    }

    /// The view of a client.
    pub fn view(&self, connection: ConnectionId) -> &GameView {
        self.followers[&connection].table().unwrap().1
    }

    pub fn version(&self) -> u64 {
        self.room.version()
    }

    pub fn phase(&self) -> Phase {
        self.room.phase()
    }

    /// The actions that clients may take, according to their views.
    pub fn choices(&self) -> Vec<(ConnectionId, Action)> {
        let offered = self.followers.iter().filter_map(|(id, follower)| Some((*id, follower.table()?.1)));
        // A coach sees the student's actions but cannot take them.
        let offered = offered.filter(|(id, _)| self.seated.contains(id));
        let actions = |(id, view): (ConnectionId, &GameView)| {
            view.valid_actions.iter().map(move |valid| (id, valid.action)).collect::<Vec<_>>()
        };
        offered.flat_map(actions).filter(|(_, action)| !matches!(action, Action::Claim { .. })).collect()
    }

    /// Takes a random action, or advances the clock to the next automatic one.
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

    /// Plays at random until the condition holds.
    pub fn play_until(&mut self, random: &mut RandomPlayer, condition: impl Fn(&Self) -> bool) {
        for _ in 0..20_000 {
            if condition(self) {
                return;
            }
            self.step(random);
        }
        panic!("the condition never holds");
    }

    pub fn play_to_the_end(&mut self, random: &mut RandomPlayer) {
        self.play_until(random, |host| host.phase().is_over());
    }
}

/// A value as text with sorted fields, `type` first. Whether `serde_json` preserves field order depends on the other
/// crates in the build.
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

/// The error among the received messages.
pub fn error(replies: &[ServerMessage]) -> &WireError {
    let error = replies.iter().find_map(|message| match message {
        ServerMessage::Error { error, .. } => Some(error),
        _ => None,
    });
    error.unwrap_or_else(|| panic!("no error: {replies:?}"))
}

pub fn code(replies: &[ServerMessage]) -> ErrorCode {
    error(replies).code
}

/// The types of the received messages.
pub fn tags(replies: &[ServerMessage]) -> Vec<String> {
    let tag = |message| serde_json::to_value(message).unwrap()["type"].as_str().unwrap().to_owned();
    replies.iter().map(tag).collect()
}

/// The version in the acknowledgement of a request.
pub fn ack(replies: &[ServerMessage]) -> Option<u64> {
    replies.iter().find_map(|message| match message {
        ServerMessage::StateUpdate { ack, .. } => ack.as_ref().map(|ack| ack.version),
        _ => None,
    })
}
