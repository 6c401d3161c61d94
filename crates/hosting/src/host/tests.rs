//! Tests of a host with an adapter that stores everything, or nothing.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Value, json};
use texas42_ai::Strategy;
use texas42_client::{Pace, close};
use texas42_protocol::{FollowOutcome, Follower, GameView, SecretKey};

use super::*;
use crate::{NewHost, Setup, SetupStep, connection_ids::FIRST_CONNECTION, import, routes::TableEndpoint};

const ANN: ConnectionId = FIRST_CONNECTION;
const BOB: ConnectionId = FIRST_CONNECTION + 1;

fn settings() -> BotSettings {
    BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Random, worlds: None }
}

fn create(players: [&str; 4], table: &Value) -> ClientMessage {
    let config = json!({ "target": 1, "players": players, "seed": "a-seed" });
    serde_json::from_value(json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table })).unwrap()
}

fn set_up(founder: Creator, message: ClientMessage, bots: BotSettings, seed: [u8; 32]) -> TableHost {
    let id = GameId::try_from("table").unwrap();
    let mut setup = Setup::new(NewHost { now: 1_000, id, founder, bots, randomness: [5; 32], seed }, message);
    match setup.poll() {
        SetupStep::Ready(host) => *host,
        other => panic!("{other:?}"),
    }
}

/// A host, its storage, and the messages to each connection.
struct Adapter {
    now: u64,
    host: TableHost,
    disk: Vec<StoredEvent>,
    stores: usize,
    heard: BTreeMap<ConnectionId, Vec<Value>>,
    answers: BTreeMap<CallId, Answer>,
    closed: Vec<(ConnectionId, u16)>,
    bindings: BTreeMap<ConnectionId, Binding>,
}

impl Adapter {
    fn of(host: TableHost) -> Self {
        let mut adapter = Self {
            now: 1_000,
            host,
            disk: Vec::new(),
            stores: 0,
            heard: BTreeMap::new(),
            answers: BTreeMap::new(),
            closed: Vec::new(),
            bindings: BTreeMap::new(),
        };
        adapter.carry_out();
        adapter
    }

    fn new(players: [&str; 4], table: &Value) -> Self {
        Self::of(set_up(Creator::Connection(ANN), create(players, table), settings(), [7; 32]))
    }

    fn carry_out(&mut self) {
        self.host.think(self.now, DecisionTiming::Early);
        self.take_outputs();
    }

    fn take_outputs(&mut self) {
        let mut has_spoken = false;
        while let Some(output) = self.host.poll_output() {
            match output {
                Output::Store { first, events, .. } => {
                    assert!(!has_spoken, "events are stored before anything is sent");
                    assert_eq!(first, self.disk.len() as u64, "the log has no gap");
                    self.disk.extend(events);
                    self.stores += 1;
                }
                Output::Send { to, text, .. } => {
                    has_spoken = true;
                    self.heard.entry(to).or_default().push(serde_json::from_str(&text).unwrap());
                }
                Output::Answer { call, answer } => drop(self.answers.insert(call, answer)),
                Output::Bind(binding) => drop(self.bindings.insert(binding.connection, binding)),
                Output::Close { to, code } => self.closed.push((to, code)),
            }
        }
    }

    fn say(&mut self, from: ConnectionId, message: &Value) {
        self.now += 1;
        self.host.handle_text(self.now, from, &message.to_string());
        self.carry_out();
    }

    fn connect(&mut self, connection: ConnectionId) {
        self.host.handle_connected(self.now, connection);
    }

    fn call(&mut self, endpoint: TableEndpoint, key: Option<&str>, body: &Value) -> Answer {
        let (key, body) = (key.map(|key| alloc::format!("Bearer {key}")), body.to_string());
        let request = Request { endpoint, query: "", key: key.as_deref(), body: body.as_bytes() };
        let call = match Call::read(self.host.id(), &request) {
            Ok(call) => call,
            Err(answer) => return answer,
        };
        let call = self.host.handle_call(self.now, call);
        self.carry_out();
        self.answers.remove(&call).expect("every call is answered")
    }

    fn last(&self, of: ConnectionId, kind: &str) -> Value {
        self.heard[&of].iter().rev().find(|message| message["type"] == kind).unwrap_or(&Value::Null).clone()
    }

    fn seen(&self, by: ConnectionId) -> (u64, GameView) {
        let mut follower = Follower::default();
        for message in &self.heard[&by] {
            let message: ServerMessage = serde_json::from_value(message.clone()).unwrap();
            assert_ne!(follower.hear(&message), FollowOutcome::Gap, "{message:?}");
        }
        let (version, view) = follower.table().unwrap();
        (version, view.clone())
    }

    /// Ann takes the first action that is offered to her. Returns whether there was one.
    fn act(&mut self) -> bool {
        let (version, view) = self.seen(ANN);
        let Some(valid) = view.valid_actions.iter().find(|valid| valid.action.player().is_some()) else { return false };
        let request = alloc::format!("r{version}");
        let message = json!({
            "type": "EXECUTE_ACTION", "gameId": "table", "requestId": request, "version": version, "action": valid.action,
        });
        self.say(ANN, &message);
        true
    }

    /// Plays to the end of the game.
    fn play(&mut self) -> GameView {
        for _ in 0..4_000 {
            let (_, view) = self.seen(ANN);
            if view.state.phase.is_over() {
                return view;
            }
            if !self.act() {
                self.now = self.host.wake_at().expect("somebody is to act").max(self.now);
                self.host.handle_time(self.now);
                self.carry_out();
            }
        }
        panic!("the game does not end");
    }
}

fn key(first: u8) -> String {
    String::from(SecretKey::new(core::array::from_fn(|at| first.wrapping_mul(31).wrapping_add((at * 11) as u8))))
}

fn invite(adapter: &mut Adapter, role: &str) -> String {
    let key = key(99);
    let grant = json!({ "role": role });
    let message = json!({ "type": "INVITE", "gameId": "table", "requestId": "i", "key": key, "grant": grant });
    adapter.say(ANN, &message);
    assert_eq!(adapter.last(ANN, "INVITED")["requestId"], "i", "{:?}", adapter.heard[&ANN].last());
    key
}

const AGAINST_BOTS: [&str; 4] = ["human", "ai", "ai", "ai"];

#[test]
fn a_person_plays_against_three_bots_with_one_store_per_input() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    assert_eq!(adapter.stores, 1, "the table, its maker and its bots are one write");
    assert_eq!(adapter.host.bots(), 3);
    assert!(adapter.play().derived.winner.is_some());
    assert_eq!(adapter.host.room().version(), adapter.disk.len() as u64);
}

#[test]
fn bots_of_a_seeded_table_play_the_same_on_every_host() {
    let moves = |seed: u8, strategy: Strategy| {
        let message = create(AGAINST_BOTS, &json!({ "pause": 0, "deal": "seeded" }));
        let bots = BotSettings { strategy, worlds: Some(u32::from(seed)), ..settings() };
        let mut adapter = Adapter::of(set_up(Creator::Connection(ANN), message, bots, [seed; 32]));
        adapter.play();
        let log = adapter.disk.iter().map(|stored| serde_json::to_value(stored).unwrap()["event"]["action"].clone());
        log.collect::<Vec<_>>()
    };
    for strategy in [Strategy::Random, Strategy::Beginner] {
        assert_eq!(moves(1, strategy), moves(2, strategy));
    }
}

/// All bots pass without a decision, hand after hand, and none blocks the table.
#[test]
fn a_failed_or_missing_decision_does_not_block_the_table() {
    for is_lost in [false, true] {
        let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
        let (before, mut failed) = (adapter.disk.len(), 0);
        while failed < 12 {
            while let Some(thought) = adapter.host.poll_decision_request() {
                failed += 1;
                if !is_lost {
                    adapter.host.handle_decision(adapter.now, thought.ticket, None);
                }
            }
            adapter.take_outputs();
            adapter.act_without_thinking();
            adapter.now = adapter.host.wake_at().unwrap_or(0).max(adapter.now);
            adapter.host.handle_time(adapter.now);
            adapter.take_outputs();
        }
        assert!(adapter.disk.len() > before + 8, "is lost: {is_lost}");
    }
}

impl Adapter {
    fn act_without_thinking(&mut self) {
        let (version, view) = self.seen(ANN);
        let Some(valid) = view.valid_actions.iter().find(|valid| valid.action.player().is_some()) else { return };
        let message = json!({
            "type": "EXECUTE_ACTION", "gameId": "table", "requestId": alloc::format!("r{version}"), "version": version,
            "action": valid.action,
        });
        self.host.handle_text(self.now, ANN, &message.to_string());
        self.take_outputs();
    }
}

/// Bots are suspended while nobody is connected, and rebuilt with the next input.
#[test]
fn bots_are_suspended_while_nobody_is_connected() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let key = adapter.last(ANN, "GAME_CREATED")["key"].as_str().unwrap().to_string();
    while !adapter.seen(ANN).1.valid_actions.iter().any(|valid| valid.action.player().is_some()) {
        adapter.now = adapter.host.wake_at().expect("a bot is to act").max(adapter.now);
        adapter.host.handle_time(adapter.now);
        adapter.carry_out();
    }
    assert_eq!(adapter.host.bots.suspended(), 0);
    adapter.host.handle_closed(adapter.now, ANN);
    adapter.carry_out();
    assert_eq!((adapter.host.bots.suspended(), adapter.host.bots()), (3, 3));
    assert_eq!(adapter.host.wake_at(), None, "nothing is to be done");

    let statuses = |adapter: &Adapter| adapter.heard[&BOB].iter().filter(|m| m["type"] == "PLAYER_STATUS").count();
    adapter.connect(BOB);
    adapter.say(BOB, &json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Ann" }));
    assert_eq!(adapter.host.bots.suspended(), 0);
    assert_eq!(statuses(&adapter), 0, "rebuilt bots are not announced");
    let players = adapter.seen(BOB).1.players;
    assert!(players.iter().all(|player| player.is_connected), "{players:?}");
}

#[test]
fn a_rejected_bot_is_rebuilt() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let left = ServerMessage::Left { request_id: None, game_id: adapter.host.id().clone() };
    for seat in [Seat::ALL[1], Seat::ALL[2], Seat::ALL[3]] {
        adapter.host.bots.hear(adapter.now, seat, &left);
    }
    assert!(adapter.play().derived.winner.is_some());
}

#[test]
fn a_newer_connection_replaces_the_older_one() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let key = adapter.last(ANN, "GAME_CREATED")["key"].clone();
    let join = json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Ann" });
    adapter.connect(BOB);
    adapter.say(BOB, &join);
    assert_eq!(adapter.closed, [(ANN, close::DISPLACED)]);
    assert_eq!(adapter.bindings[&ANN].player, None);
    assert!(adapter.bindings[&BOB].player.is_some() && adapter.bindings[&BOB].is_subscribed);
    let (before, heard) = (adapter.disk.len(), adapter.heard[&ANN].len());
    adapter.say(ANN, &json!({ "type": "LEAVE_GAME", "gameId": "table" }));
    assert_eq!((adapter.disk.len(), adapter.heard[&ANN].len()), (before, heard), "it is not heard any more");

    // Both in one turn.
    let both = [FIRST_CONNECTION + 2, FIRST_CONNECTION + 3];
    both.iter().for_each(|connection| adapter.connect(*connection));
    both.iter().for_each(|connection| adapter.host.handle_text(adapter.now, *connection, &join.to_string()));
    adapter.carry_out();
    assert_eq!(adapter.closed[1..], [(BOB, close::DISPLACED), (both[0], close::DISPLACED)]);
}

#[test]
fn connections_with_the_same_view_share_one_text() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0, "openToSpectators": true }));
    for connection in [BOB, BOB + 1] {
        adapter.connect(connection);
        adapter.say(connection, &json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Bob" }));
    }
    adapter.play_silently_until_ann_may_act();
    let (version, view) = adapter.seen(ANN);
    let message = json!({
        "type": "EXECUTE_ACTION", "gameId": "table", "requestId": "x", "version": version,
        "action": view.valid_actions[0].action,
    });
    adapter.host.handle_text(adapter.now, ANN, &message.to_string());
    let mut texts: BTreeMap<ConnectionId, Arc<str>> = BTreeMap::new();
    while let Some(output) = adapter.host.poll_output() {
        if let Output::Send { to, text, .. } = output {
            texts.entry(to).or_insert(text);
        }
    }
    assert!(Arc::ptr_eq(&texts[&BOB], &texts[&(BOB + 1)]), "{texts:?}");
    assert!(!Arc::ptr_eq(&texts[&BOB], &texts[&ANN]));
}

impl Adapter {
    fn play_silently_until_ann_may_act(&mut self) {
        while !self.seen(ANN).1.valid_actions.iter().any(|valid| valid.action.player().is_some()) {
            self.now = self.host.wake_at().expect("a bot is to act").max(self.now);
            self.host.handle_time(self.now);
            self.carry_out();
        }
    }
}

/// A slow connection is not flooded: it gets replies to its requests, and a full view once it has caught up.
#[test]
fn a_slow_connection_gets_replies_and_later_a_full_view() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let invitation = invite(&mut adapter, "spectator");
    let before = adapter.heard[&ANN].len();
    adapter.host.handle_backlog(ANN);
    for guest in 0..300 {
        let answer =
            adapter.call(TableEndpoint::Join, Some(&invitation), &json!({ "name": alloc::format!("G{guest}") }));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(adapter.heard[&ANN].len(), before, "nothing but replies");
    adapter.say(ANN, &json!({ "type": "PING", "nonce": 3 }));
    assert_eq!(adapter.last(ANN, "PONG")["nonce"], 3);
    adapter.host.handle_caught_up(adapter.now, ANN);
    adapter.carry_out();
    let (version, view) = adapter.seen(ANN);
    assert_eq!(version, adapter.disk.len() as u64);
    assert_eq!(view.players.len(), 4 + 32, "the limit of guests");
    assert!(adapter.play().derived.winner.is_some(), "and every bot keeps moving");
}

#[test]
fn a_failed_store_rejects_the_pending_requests() {
    let mut adapter = Adapter::new(["human", "human", "ai", "ai"], &json!({ "pause": 0 }));
    let key = adapter.last(ANN, "GAME_CREATED")["key"].as_str().unwrap().to_string();
    adapter.connect(BOB);
    adapter.carry_out();
    let grant = json!({ "role": "spectator" });
    let message = json!({ "type": "INVITE", "gameId": "table", "requestId": "i", "grant": grant });
    adapter.host.handle_text(adapter.now, ANN, &message.to_string());
    let (header, body) = (alloc::format!("Bearer {key}"), br#"{"requestId":"c"}"#);
    let request = Request { endpoint: TableEndpoint::Leave, query: "", key: Some(&header), body };
    let call = Call::read(adapter.host.id(), &request).unwrap();
    let call = adapter.host.handle_call(adapter.now, call);
    let look = adapter.host.handle_call(adapter.now, Call::State(None));
    assert!(matches!(adapter.host.poll_output(), Some(Output::Store { .. })));
    adapter.host.handle_store_failure("the disk is full");
    adapter.take_outputs();
    let received = adapter.last(ANN, "ERROR");
    assert_eq!((&received["requestId"], &received["error"]["code"]), (&json!("i"), &json!("not-stored")));
    assert_eq!([call, look].map(|call| adapter.answers[&call].status), [503, 503]);
    assert_eq!(adapter.closed, [(ANN, close::RESTORED), (BOB, close::RESTORED)]);
    assert_eq!(adapter.host.wake_at(), None);
    adapter.say(ANN, &message);
    assert_eq!(adapter.heard[&ANN].last(), Some(&received), "it is over");
}

#[test]
fn calls_are_answered_after_their_events_are_stored() {
    let host = set_up(Creator::Call, create(AGAINST_BOTS, &json!({})), settings(), [7; 32]);
    let mut adapter = Adapter::of(host);
    let created = adapter.answers.remove(&CallId::CREATION).expect("the maker is answered");
    assert_eq!(created.status, 201);
    let created: Value = serde_json::from_str(&created.body).unwrap();
    let key = created["key"].as_str().unwrap();
    assert!(adapter.host.is_deserted(), "the maker has no connection");
    for (endpoint, status) in [(TableEndpoint::State, 200), (TableEndpoint::Actions, 200), (TableEndpoint::Record, 409)]
    {
        assert_eq!(adapter.call(endpoint, Some(key), &json!(null)).status, status, "{endpoint:?}");
    }
    assert_eq!(adapter.call(TableEndpoint::State, None, &json!(null)).status, 401);
    assert_eq!(
        adapter.call(TableEndpoint::Join, None, &json!({ "name": "X", "key": key })).status,
        400,
        "keys come in the header"
    );
    let body = json!({ "requestId": "l" });
    assert_eq!(adapter.call(TableEndpoint::Leave, Some(key), &body).status, 200);
    assert_eq!(adapter.call(TableEndpoint::Leave, Some(key), &body).status, 401);
}

#[test]
fn a_restored_host_sends_its_connections_only_what_is_new() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    for _ in 0..5 {
        adapter.act();
    }
    let heard = adapter.heard[&ANN].len();
    let bound: Vec<Binding> = adapter.bindings.values().cloned().collect();
    let id = adapter.host.id().clone();
    adapter.host = TableHost::restore(adapter.now, id, &adapter.disk, bound, settings(), [8; 32]).unwrap();
    adapter.carry_out();
    assert!(adapter.heard[&ANN][heard..].iter().all(|message| message["type"] == "STATE_UPDATE"));
    assert!(adapter.play().derived.winner.is_some());
    let id = adapter.host.id().clone();
    assert!(TableHost::restore(0, id, &[], [], settings(), [8; 32]).is_err());
}

#[test]
fn unreadable_text_gets_an_error_reply() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({}));
    adapter.say(ANN, &json!({ "type": "NOTHING", "requestId": "n" }));
    let received = adapter.last(ANN, "ERROR");
    assert_eq!((&received["requestId"], &received["error"]["code"]), (&json!("n"), &json!("bad-message")));
}

/// All spectators get the same text, and a player who reads nothing meanwhile is not flooded.
#[test]
fn a_thousand_spectators_join_beside_a_slow_connection() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0, "openToSpectators": true }));
    adapter.play_silently_until_ann_may_act();
    adapter.host.handle_backlog(ANN);
    let before = adapter.heard[&ANN].len();
    let join = json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Crowd" }).to_string();
    for number in 0..1_000 {
        adapter.connect(BOB + number);
        adapter.host.handle_text(adapter.now, BOB + number, &join);
    }
    adapter.carry_out();
    assert_eq!(adapter.heard[&ANN].len(), before);
    assert!((0..1_000).all(|number| adapter.last(BOB + number, "JOINED")["type"] == "JOINED"));
    (0..1_000).for_each(|number| adapter.host.handle_closed(adapter.now, BOB + number));
    adapter.host.handle_caught_up(adapter.now, ANN);
    adapter.carry_out();
    assert!(adapter.play().derived.winner.is_some());
}

/// A setup with a search reports its progress. The founder gets a reply once the table is stored, or an error.
#[test]
fn a_setup_reports_progress_and_rejects_invalid_tables() {
    let new = || NewHost {
        now: 1_000,
        id: GameId::try_from("table").unwrap(),
        founder: Creator::Connection(ANN),
        bots: settings(),
        randomness: [5; 32],
        seed: [7; 32],
    };
    let message = |config: Value| {
        let message = json!({ "type": "CREATE_GAME", "requestId": "c", "name": "Ann", "config": config,
            "table": { "deal": "seeded" } });
        serde_json::from_value::<ClientMessage>(message).unwrap()
    };
    let daily = json!({ "layers": [{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy" }],
        "players": AGAINST_BOTS });
    let mut setup = Setup::new(new(), message(daily));
    let mut steps = 0;
    let host = loop {
        match setup.poll() {
            SetupStep::Progress(_) => steps += 1,
            SetupStep::Ready(host) => break host,
            SetupStep::Refused(answer) => panic!("{answer:?}"),
        }
    };
    assert!(steps >= 2, "it begins, and it ends");
    let adapter = Adapter::of(*host);
    assert_eq!(adapter.last(ANN, "GAME_CREATED")["requestId"], "c");

    let SetupStep::Refused(answer) = Setup::new(new(), message(json!({ "target": 0 }))).poll() else {
        panic!("it stands")
    };
    assert!(matches!(&*answer, ServerMessage::Error { request_id: Some(request), .. } if request.as_str() == "c"));
}

#[test]
fn a_table_is_imported_with_its_founders_key_and_continues() {
    let own = key(3);
    let mut message = create(AGAINST_BOTS, &json!({ "pause": 0, "deal": "seeded" }));
    let ClientMessage::CreateGame { session_key, .. } = &mut message else { panic!("it creates") };
    *session_key = Some(SecretKey::try_from(own.clone()).unwrap());
    let mut begun = Adapter::of(set_up(Creator::Connection(ANN), message, settings(), [7; 32]));
    begun.play_silently_until_ann_may_act();

    let brought = |key: &str| {
        let new = NewHost {
            now: 9_000,
            id: GameId::try_from("here").unwrap(),
            founder: Creator::Call,
            bots: settings(),
            randomness: [6; 32],
            seed: [8; 32],
        };
        let body = json!({ "log": begun.disk }).to_string();
        import(&new, &SecretKey::try_from(String::from(key)).unwrap(), body.as_bytes())
    };
    assert!(brought(&key(4)).is_err(), "it takes the key of the founder");
    let mut adapter = Adapter::of(brought(&own).unwrap());
    assert_eq!(adapter.answers.remove(&CallId::CREATION).unwrap().status, 201);
    let state: Value =
        serde_json::from_str(&adapter.call(TableEndpoint::State, Some(&own), &json!(null)).body).unwrap();
    assert!(!state["view"]["validActions"].as_array().unwrap().is_empty(), "Ann is still to act");
}

/// Within one turn, changes in presence are combined, and a session that ends as it began causes no message.
#[test]
fn presence_is_sent_once_per_turn_and_session() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let invitation = invite(&mut adapter, "spectator");
    let own = key(5);
    let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": invitation, "sessionKey": own, "name": "Bob" });
    let statuses = |adapter: &Adapter| {
        let received = adapter.heard[&ANN].iter().filter(|message| message["player"]["name"] == "Bob");
        received.map(|message| message["status"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    adapter.connect(BOB);
    adapter.say(BOB, &join);
    assert_eq!(statuses(&adapter), ["joined", "connected"]);

    // Disconnected and reconnected twice in one turn.
    for number in 0..2 {
        adapter.host.handle_closed(adapter.now, BOB + number);
        adapter.connect(BOB + number + 1);
        adapter.host.handle_text(adapter.now, BOB + number + 1, &join.to_string());
    }
    adapter.carry_out();
    assert_eq!(statuses(&adapter).len(), 2, "he is there, as before");

    adapter.host.handle_closed(adapter.now, BOB + 2);
    adapter.connect(BOB + 3);
    adapter.host.handle_text(adapter.now, BOB + 3, &join.to_string());
    adapter.host.handle_closed(adapter.now, BOB + 3);
    adapter.carry_out();
    assert_eq!(statuses(&adapter)[2..], ["disconnected"], "three changes, one message");
    let (_, view) = adapter.seen(ANN);
    assert!(view.players.iter().any(|player| player.name.as_str() == "Bob" && !player.is_connected));
}

/// A burst of guests with sessions: a connection is told of no more players than its view shows.
#[test]
fn a_burst_of_guests_is_bounded_for_each_connection() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let invitation = invite(&mut adapter, "spectator");
    let before = adapter.heard[&ANN].len();
    for number in 0..200 {
        let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": invitation, "name": "Crowd" });
        adapter.connect(BOB + number);
        adapter.host.handle_text(adapter.now, BOB + number, &join.to_string());
    }
    adapter.carry_out();
    let received = adapter.heard[&ANN][before..].iter().filter(|message| message["status"] == "connected").count();
    let shown = adapter.seen(ANN).1.players.len();
    assert!(received <= shown, "{received} messages about {shown} players");
}
