//! Tests of a host with an adapter that keeps everything in memory.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Value, json};
use texas42_ai::Strategy;
use texas42_client::{BotDecision, Pace, close};
use texas42_protocol::{FollowOutcome, Follower, GameView, SecretKey};

use super::*;
use crate::{NewHost, Setup, SetupStep, connection_ids::FIRST_CONNECTION, import, routes::TableEndpoint};

const ANN: ConnectionId = FIRST_CONNECTION;
const BOB: ConnectionId = FIRST_CONNECTION + 1;

fn settings() -> BotSettings {
    BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Random, adviser: Strategy::Expert, worlds: None }
}

fn create(players: [&str; 4], table: &Value) -> ClientMessage {
    let config = json!({ "target": 1, "players": players, "seed": "a-seed" });
    serde_json::from_value(json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table })).unwrap()
}

fn set_up(creator: Creator, message: ClientMessage, bots: BotSettings, seed: [u8; 32]) -> TableHost {
    let id = GameId::try_from("table").unwrap();
    let mut setup = Setup::new(NewHost { now: 1_000, id, creator, bots, randomness: [5; 32], seed }, message);
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
    answers: BTreeMap<CallId, HttpResponse>,
    closed: Vec<(ConnectionId, u16)>,
    bindings: BTreeMap<ConnectionId, Binding>,
}

impl Adapter {
    fn of(host: TableHost) -> Self {
        let mut adapter = Self::of_idle(host);
        adapter.carry_out();
        adapter
    }

    /// An adapter that has not let the host do anything yet.
    fn of_idle(host: TableHost) -> Self {
        Self {
            now: 1_000,
            host,
            disk: Vec::new(),
            stores: 0,
            heard: BTreeMap::new(),
            answers: BTreeMap::new(),
            closed: Vec::new(),
            bindings: BTreeMap::new(),
        }
    }

    fn new(players: [&str; 4], table: &Value) -> Self {
        Self::of(set_up(Creator::Connection(ANN), create(players, table), settings(), [7; 32]))
    }

    fn carry_out(&mut self) {
        self.host.think(self.now, DecisionTiming::Early);
        self.take_outputs();
    }

    fn take_outputs(&mut self) {
        let mut has_sent = false;
        while let Some(output) = self.host.poll_output() {
            match output {
                Output::Store { first, events, .. } => {
                    assert!(!has_sent, "events are stored before anything is sent");
                    assert_eq!(first, self.disk.len() as u64, "the log has no gap");
                    self.disk.extend(events);
                    self.stores += 1;
                }
                Output::Send { to, text, .. } => {
                    has_sent = true;
                    self.heard.entry(to).or_default().push(serde_json::from_str(&text).unwrap());
                }
                Output::Answer { call, answer } => drop(self.answers.insert(call, answer)),
                Output::ClaimCode(_) => self.host.handle_claim(CodeClaim::Granted),
                Output::ReleaseCode(_) => {}
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

    fn call(&mut self, endpoint: TableEndpoint, key: Option<&str>, body: &Value) -> HttpResponse {
        let (key, body) = (key.map(|key| alloc::format!("Bearer {key}")), body.to_string());
        let request = HttpRequest { endpoint, query: "", key: key.as_deref(), body: body.as_bytes() };
        let call = match TableCall::read(self.host.id(), &request) {
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

    /// The version and view that a connection derives from the messages it received.
    fn seen(&self, by: ConnectionId) -> (u64, GameView) {
        let mut follower = Follower::default();
        for message in &self.heard[&by] {
            let message: ServerMessage = serde_json::from_value(message.clone()).unwrap();
            assert_ne!(follower.handle_message(&message), FollowOutcome::Gap, "{message:?}");
        }
        let (version, view) = follower.table().unwrap();
        (version, view.clone())
    }

    /// The message with which a player takes the first action that is offered, if there is one.
    fn first_action(&self, by: ConnectionId) -> Option<Value> {
        let (version, view) = self.seen(by);
        let valid = view.valid_actions.iter().find(|valid| valid.action.player().is_some())?;
        Some(json!({
            "type": "EXECUTE_ACTION", "gameId": "table", "requestId": alloc::format!("r{version}"), "version": version,
            "action": valid.action,
        }))
    }

    /// Ann takes the first action that is offered to her. Returns whether there was one.
    fn act(&mut self) -> bool {
        let Some(message) = self.first_action(ANN) else { return false };
        self.say(ANN, &message);
        true
    }

    /// A player takes the first action that is offered, and no bot decides anything meanwhile.
    fn act_without_thinking(&mut self, by: ConnectionId) {
        if let Some(message) = self.first_action(by) {
            self.host.handle_text(self.now, by, &message.to_string());
            self.take_outputs();
        }
    }

    /// The table goes on: a player acts if possible, and what is due happens. No bot decides anything meanwhile.
    fn play_on(&mut self, by: ConnectionId) {
        self.take_outputs();
        self.act_without_thinking(by);
        self.now = self.host.wake_at().unwrap_or(0).max(self.now);
        self.host.handle_time(self.now);
        self.take_outputs();
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
    invite_as(adapter, &json!({ "role": role }))
}

fn invite_as(adapter: &mut Adapter, grant: &Value) -> String {
    invite_with(adapter, key(99), grant)
}

fn invite_with(adapter: &mut Adapter, key: String, grant: &Value) -> String {
    let request = &key[..8];
    let message = json!({ "type": "INVITE", "gameId": "table", "requestId": request, "key": key, "grant": grant });
    adapter.say(ANN, &message);
    assert_eq!(adapter.last(ANN, "INVITED")["requestId"], request, "{:?}", adapter.heard[&ANN].last());
    key
}

const AGAINST_BOTS: [&str; 4] = ["human", "ai", "ai", "ai"];

#[test]
fn a_person_plays_against_three_bots_with_one_store_per_input() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    assert_eq!(adapter.stores, 1, "the table, its creator and its bots are stored in one write");
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

/// The seeds of all decisions of three bots, until one of them has decided 8 times.
fn seeds_of_decisions(deal: &str, secret: u8) -> Vec<u64> {
    let message = create(AGAINST_BOTS, &json!({ "pause": 0, "deal": deal }));
    let mut adapter = Adapter::of_idle(set_up(Creator::Connection(ANN), message, settings(), [secret; 32]));
    adapter.take_outputs();
    let mut seeds = Vec::new();
    while seeds.len() < 24 {
        while let Some(request) = adapter.host.poll_decision_request() {
            seeds.push(request.seed);
            adapter.host.handle_decision(adapter.now, request.id, None);
        }
        adapter.play_on(ANN);
    }
    seeds
}

#[test]
fn each_decision_has_its_own_seed() {
    for deal in ["seeded", "secret"] {
        let seeds = seeds_of_decisions(deal, 1);
        let different: alloc::collections::BTreeSet<&u64> = seeds.iter().collect();
        assert_eq!(different.len(), seeds.len(), "{deal}: {seeds:?}");
    }
}

#[test]
fn only_the_seeds_of_a_seeded_table_can_be_predicted() {
    assert_eq!(seeds_of_decisions("seeded", 1), seeds_of_decisions("seeded", 2));
    let (one, two) = (seeds_of_decisions("secret", 1), seeds_of_decisions("secret", 2));
    assert!(one.iter().all(|seed| !two.contains(seed)), "{one:?} {two:?}");
}

/// All bots pass without a decision, hand after hand, and none blocks the table.
#[test]
fn a_failed_or_missing_decision_does_not_block_the_table() {
    for is_lost in [false, true] {
        let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
        let (before, mut failed) = (adapter.disk.len(), 0);
        // To the end of the game, unless it takes long.
        while failed < 12 && !adapter.seen(ANN).1.state.phase.is_over() {
            while let Some(request) = adapter.host.poll_decision_request() {
                failed += 1;
                if !is_lost {
                    adapter.host.handle_decision(adapter.now, request.id, None);
                }
            }
            adapter.play_on(ANN);
        }
        let is_over = adapter.seen(ANN).1.state.phase.is_over();
        assert!(is_over || adapter.disk.len() > before + 8, "is lost: {is_lost}");
    }
}

/// Bots are suspended while nobody is connected, and rebuilt with the next input.
#[test]
fn bots_are_suspended_while_nobody_is_connected() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let key = adapter.last(ANN, "GAME_CREATED")["key"].as_str().unwrap().to_string();
    adapter.wait_until_ann_may_act();
    assert_eq!(adapter.host.bots.suspended(), 0);
    adapter.host.handle_closed(adapter.now, ANN);
    adapter.carry_out();
    assert_eq!((adapter.host.bots.suspended(), adapter.host.bots()), (3, 3));
    assert_eq!(adapter.host.wake_at(), None, "nothing is due");

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
    let left = ServerMessage::Left { request_id: None, game_id: adapter.host.id().clone(), is_seat_kept: false };
    for seat in [Seat::ALL[1], Seat::ALL[2], Seat::ALL[3]] {
        adapter.host.bots.handle_message(adapter.now, seat, &left);
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
    assert_eq!((adapter.disk.len(), adapter.heard[&ANN].len()), (before, heard), "its messages are ignored");

    // Both in one turn.
    let both = [FIRST_CONNECTION + 2, FIRST_CONNECTION + 3];
    both.iter().for_each(|connection| adapter.connect(*connection));
    both.iter().for_each(|connection| adapter.host.handle_text(adapter.now, *connection, &join.to_string()));
    adapter.carry_out();
    assert_eq!(adapter.closed[1..], [(BOB, close::DISPLACED), (both[0], close::DISPLACED)]);
}

/// A displaced connection may send messages before it learns that it is closed.
#[test]
fn a_displaced_connection_that_joins_again_in_the_same_turn_leaves_nobody_behind() {
    let again = |message: &dyn Fn(&Value) -> Value| {
        let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0, "openToSpectators": true }));
        let key = adapter.last(ANN, "GAME_CREATED")["key"].clone();
        let join = json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Ann" });
        adapter.connect(BOB);
        adapter.host.handle_text(adapter.now, BOB, &join.to_string());
        adapter.host.handle_text(adapter.now, ANN, &message(&join).to_string());
        adapter.carry_out();
        adapter
    };
    let as_spectator = again(&|_| json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Zoe" }));
    assert_eq!(as_spectator.closed, [(ANN, close::DISPLACED)]);
    assert_eq!(as_spectator.host.room().bound(ANN), None, "no spectator remains");
    assert!(as_spectator.host.room().bound(BOB).is_some());
    let as_ann = again(&Value::clone);
    assert_eq!(as_ann.closed, [(BOB, close::DISPLACED)], "the one that joined last stays");
    assert!(as_ann.host.room().bound(ANN).is_some() && as_ann.host.room().bound(BOB).is_none());
}

#[test]
fn connections_with_the_same_view_share_one_text() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0, "openToSpectators": true }));
    for connection in [BOB, BOB + 1] {
        adapter.connect(connection);
        adapter.say(connection, &json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Bob" }));
    }
    adapter.wait_until_ann_may_act();
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
    fn wait_until_ann_may_act(&mut self) {
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
    let keys: Vec<String> =
        (0..6).map(|number| invite_with(&mut adapter, key(number), &json!({ "role": "spectator" }))).collect();
    let before = adapter.heard[&ANN].len();
    adapter.host.handle_backlog(ANN);
    for visitor in 0..300 {
        let (key, body) = (&keys[visitor % keys.len()], json!({ "name": alloc::format!("V{visitor}") }));
        let answer = adapter.call(TableEndpoint::Join, Some(key), &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(adapter.heard[&ANN].len(), before, "nothing but replies");
    adapter.say(ANN, &json!({ "type": "PING", "nonce": 3 }));
    assert_eq!(adapter.last(ANN, "PONG")["nonce"], 3);
    adapter.host.handle_caught_up(adapter.now, ANN);
    adapter.carry_out();
    let (version, view) = adapter.seen(ANN);
    assert_eq!(version, adapter.disk.len() as u64);
    assert_eq!(view.players.len(), 4 + 32, "four seats and the maximum number of visitors");
    assert!(adapter.play().derived.winner.is_some(), "and every bot keeps acting");
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
    let request = HttpRequest { endpoint: TableEndpoint::GiveUp, query: "", key: Some(&header), body };
    let call = TableCall::read(adapter.host.id(), &request).unwrap();
    let call = adapter.host.handle_call(adapter.now, call);
    let state_call = adapter.host.handle_call(adapter.now, TableCall::State(None));
    assert!(matches!(adapter.host.poll_output(), Some(Output::Store { .. })));
    adapter.host.handle_store_failure("the disk is full");
    adapter.take_outputs();
    let received = adapter.last(ANN, "ERROR");
    assert_eq!((&received["requestId"], &received["error"]["code"]), (&json!("i"), &json!("not-stored")));
    assert_eq!([call, state_call].map(|call| adapter.answers[&call].status), [503, 503]);
    assert_eq!(adapter.closed, [(ANN, close::RESTORED), (BOB, close::RESTORED)]);
    assert_eq!(adapter.host.wake_at(), None);
    adapter.say(ANN, &message);
    assert_eq!(adapter.heard[&ANN].last(), Some(&received), "an ended host ignores messages");
}

#[test]
fn calls_are_answered_after_their_events_are_stored() {
    let host = set_up(Creator::Call, create(AGAINST_BOTS, &json!({})), settings(), [7; 32]);
    let mut adapter = Adapter::of(host);
    let created = adapter.answers.remove(&CallId::CREATION).expect("the creator is answered");
    assert_eq!(created.status, 201);
    let created: Value = serde_json::from_str(&created.body).unwrap();
    let key = created["key"].as_str().unwrap();
    assert!(adapter.host.is_deserted(), "the creator has no connection");
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
    assert_eq!(adapter.call(TableEndpoint::Leave, Some(key), &body).status, 200, "the seat is kept");
    assert_eq!(adapter.call(TableEndpoint::GiveUp, Some(key), &body).status, 200);
    assert_eq!(adapter.call(TableEndpoint::GiveUp, Some(key), &body).status, 401);
}

#[test]
fn the_actions_of_a_named_player_need_the_key_of_that_player() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let created = adapter.last(ANN, "GAME_CREATED");
    let (key, player) = (created["key"].as_str().unwrap(), created["playerId"].as_str().unwrap());
    let header = alloc::format!("Bearer {key}");
    let mut status = |query: &str| {
        let request = HttpRequest { endpoint: TableEndpoint::Actions, query, key: Some(&header), body: b"" };
        let call = TableCall::read(adapter.host.id(), &request).unwrap();
        let call = adapter.host.handle_call(adapter.now, call);
        adapter.carry_out();
        adapter.answers[&call].status
    };
    assert_eq!([status(""), status(&alloc::format!("playerId={player}"))], [200, 200]);
    assert_eq!([status("playerId="), status("playerId=p999"), status(&alloc::format!("playerId={player}9"))], [403; 3]);
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
    adapter.wait_until_ann_may_act();
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

/// A setup with a search reports its progress. The creator gets a reply once the table is stored, or an error.
#[test]
fn a_setup_reports_progress_and_rejects_invalid_tables() {
    let new = || NewHost {
        now: 1_000,
        id: GameId::try_from("table").unwrap(),
        creator: Creator::Connection(ANN),
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
    assert!(steps >= 2, "at least the first and the last progress are reported");
    let adapter = Adapter::of(*host);
    assert_eq!(adapter.last(ANN, "GAME_CREATED")["requestId"], "c");

    let SetupStep::Refused(answer) = Setup::new(new(), message(json!({ "target": 0 }))).poll() else {
        panic!("it is not rejected")
    };
    assert!(matches!(&*answer, ServerMessage::Error { request_id: Some(request), .. } if request.as_str() == "c"));
}

#[test]
fn a_table_is_imported_with_its_creators_key_and_continues() {
    let own = key(3);
    let mut message = create(AGAINST_BOTS, &json!({ "pause": 0, "deal": "seeded" }));
    let ClientMessage::CreateGame { session_key, .. } = &mut message else { panic!("not a CREATE_GAME") };
    *session_key = Some(SecretKey::try_from(own.clone()).unwrap());
    let mut device = Adapter::of(set_up(Creator::Connection(ANN), message, settings(), [7; 32]));
    device.wait_until_ann_may_act();

    let imported = |key: &str| {
        let new = NewHost {
            now: 9_000,
            id: GameId::try_from("here").unwrap(),
            creator: Creator::Call,
            bots: settings(),
            randomness: [6; 32],
            seed: [8; 32],
        };
        let body = json!({ "log": device.disk }).to_string();
        import(&new, &SecretKey::try_from(String::from(key)).unwrap(), body.as_bytes())
    };
    assert!(imported(&key(4)).is_err(), "importing needs the key of the creator");
    let mut adapter = Adapter::of(imported(&own).unwrap());
    assert_eq!(adapter.answers.remove(&CallId::CREATION).unwrap().status, 201);
    let state: Value =
        serde_json::from_str(&adapter.call(TableEndpoint::State, Some(&own), &json!(null)).body).unwrap();
    assert!(!state["view"]["validActions"].as_array().unwrap().is_empty(), "Ann is still to act");
}

/// Within one turn, changes in presence are combined, and a session that ends as it began causes no message.
#[test]
fn presence_is_sent_once_per_turn_and_session() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let invite_key = invite(&mut adapter, "spectator");
    let own = key(5);
    let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": invite_key, "sessionKey": own, "name": "Bob" });
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
    assert_eq!(statuses(&adapter).len(), 2, "Bob is connected, as before");

    adapter.host.handle_closed(adapter.now, BOB + 2);
    adapter.connect(BOB + 3);
    adapter.host.handle_text(adapter.now, BOB + 3, &join.to_string());
    adapter.host.handle_closed(adapter.now, BOB + 3);
    adapter.carry_out();
    assert_eq!(statuses(&adapter)[2..], ["disconnected"], "three changes, one message");
    let (_, view) = adapter.seen(ANN);
    assert!(view.players.iter().any(|player| player.name.as_str() == "Bob" && !player.is_connected));
}

/// When many visitors join at once, a connection gets messages about no more players than its view shows.
#[test]
fn a_burst_of_visitors_is_bounded_for_each_connection() {
    let mut adapter = Adapter::new(AGAINST_BOTS, &json!({ "pause": 0 }));
    let invite_key = invite(&mut adapter, "spectator");
    let before = adapter.heard[&ANN].len();
    for number in 0..200 {
        let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": invite_key, "name": alloc::format!("Crowd {number}") });
        adapter.connect(BOB + number);
        adapter.host.handle_text(adapter.now, BOB + number, &join.to_string());
    }
    adapter.carry_out();
    let received = adapter.heard[&ANN][before..].iter().filter(|message| message["status"] == "connected").count();
    let shown = adapter.seen(ANN).1.players.len();
    assert!(received <= shown, "{received} messages about {shown} players");
}

/// A table with or without the hints layer, at which Ann may see hints or not.
fn table_with_hints(layers: &Value, hints: bool) -> Adapter {
    let config = json!({ "players": AGAINST_BOTS, "seed": "a-seed", "shaker": 3, "layers": layers });
    let table = json!({ "pause": 0, "hints": hints, "deal": "seeded" });
    let message = json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table });
    let host = set_up(Creator::Connection(ANN), serde_json::from_value(message).unwrap(), settings(), [7; 32]);
    let mut adapter = Adapter::of_idle(host);
    adapter.take_outputs();
    adapter
}

/// Each decision costs one computation, for everybody who sees it, and none where nobody may see hints.
#[test]
fn hints_are_computed_once_per_decision() {
    for (layers, hints) in [(json!([]), true), (json!([{ "type": "hints" }]), false)] {
        let mut adapter = table_with_hints(&layers, hints);
        assert!(adapter.host.poll_hint_request().is_none(), "{layers} {hints}");
        assert_eq!(adapter.host.wake_at(), None, "the table waits for Ann alone");
    }
    let mut adapter = table_with_hints(&json!([{ "type": "hints" }]), true);
    assert_eq!(adapter.host.wake_at(), Some(1_000), "hints are due");
    let request = adapter.host.poll_hint_request().expect("Ann is to bid");
    assert!(adapter.host.poll_hint_request().is_none());
    let others = &request.view.state.players[1..];
    assert!(others.iter().all(|player| player.hand.is_empty()), "hints come from what the seat sees");
    let key = invite_as(&mut adapter, &json!({ "role": "coach", "seat": 0 }));
    adapter.connect(BOB);
    adapter.say(BOB, &json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Bob", "key": key }));
    assert!(adapter.host.poll_hint_request().is_none(), "the hints are being computed already");
    let hints = request.compute();
    assert_eq!(request.compute(), hints, "a seeded table gives the same hints every time");
    adapter.host.handle_hints(adapter.now, request.point, hints);
    adapter.take_outputs();
    let to_ann = adapter.last(ANN, "HINTS");
    assert_eq!(to_ann["hints"].as_array().unwrap().len(), adapter.seen(ANN).1.valid_actions.len());
    assert_eq!(adapter.last(BOB, "HINTS"), to_ann);
}

/// Nobody is connected: the first request makes the host compute them, and a later one gets them.
#[test]
fn hints_are_read_without_a_connection() {
    let own = key(3);
    let config = json!({ "players": AGAINST_BOTS, "seed": "a-seed", "shaker": 3, "layers": [{ "type": "hints" }] });
    for hints in [false, true] {
        let table = json!({ "pause": 0, "hints": hints, "deal": "seeded" });
        let message =
            json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table, "sessionKey": own });
        let message = serde_json::from_value(message).unwrap();
        let mut adapter = Adapter::of(set_up(Creator::Call, message, settings(), [7; 32]));
        assert!(adapter.host.poll_hint_request().is_none(), "nobody has asked");
        let mut actions = || -> Value {
            let answer = adapter.call(TableEndpoint::Actions, Some(&own), &json!(null));
            // The host answers first, and then computes.
            adapter.carry_out();
            serde_json::from_str(&answer.body).unwrap()
        };
        let [first, second] = [actions(), actions()];
        assert_eq!(first["hints"], json!(null), "they are not computed yet");
        let choices =
            |list: &Value| list.as_array().map(|list| list.iter().map(|each| each["action"].clone()).collect());
        let expected: Option<Vec<Value>> = choices(&second["validActions"]).filter(|_| hints);
        assert_eq!(choices(&second["hints"]), expected, "{second}");
    }
}

/// Hints that arrive after the decision are dropped.
#[test]
fn late_hints_are_dropped() {
    let mut adapter = table_with_hints(&json!([{ "type": "hints" }]), true);
    let request = adapter.host.poll_hint_request().expect("Ann is to bid");
    assert!(adapter.act());
    adapter.host.handle_hints(adapter.now, request.point, request.compute());
    adapter.take_outputs();
    let bids = |message: &&Value| message["type"] == "HINTS" && message["hints"][0]["action"]["type"] == "pass";
    assert_eq!(adapter.heard[&ANN].iter().find(bids), None);
}

/// Two people and two bots that wait before they move.
fn shared_table(pace: Pace) -> Adapter {
    let message = create(["human", "human", "ai", "ai"], &json!({ "pause": 0 }));
    let bots = BotSettings { pace, ..settings() };
    let mut message = serde_json::to_value(message).unwrap();
    message["config"].as_object_mut().unwrap().remove("seed");
    message["config"]["target"] = json!(7);
    let message = serde_json::from_value(message).unwrap();
    let mut adapter = Adapter::of_idle(set_up(Creator::Connection(ANN), message, bots, [7; 32]));
    adapter.take_outputs();
    let invite = key(99);
    let grant = json!({ "role": "player", "seat": 1 });
    let message = json!({ "type": "INVITE", "gameId": "table", "requestId": "i", "key": invite, "grant": grant });
    adapter.host.handle_text(adapter.now, ANN, &message.to_string());
    adapter.connect(BOB);
    let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": invite, "name": "Bob" });
    adapter.host.handle_text(adapter.now, BOB, &join.to_string());
    adapter.take_outputs();
    adapter
}

impl Adapter {
    /// The people take the first action that is offered to them.
    fn act_as_people(&mut self) {
        [ANN, BOB].into_iter().for_each(|person| self.act_without_thinking(person));
    }

    /// The times at which bots have acted.
    fn bot_times(&self, seat: Seat) -> Vec<u64> {
        let is_of = |stored: &&StoredEvent| {
            let value = serde_json::to_value(stored).unwrap();
            value["event"]["action"]["player"] == json!(seat) && value["event"]["by"].is_string()
        };
        self.disk.iter().filter(is_of).map(|stored| stored.at).collect()
    }
}

/// How a strategy answers.
#[derive(Clone, Copy, Debug)]
enum Thinking {
    AtOnce,
    /// After this many milliseconds.
    Takes(u64),
    Never,
}

/// How long each bot took for its first moves, given how long its strategy takes.
fn delays_of_bots(thinking: Thinking) -> [Vec<u64>; 2] {
    let mut adapter = shared_table(Pace { min: 700, max: 1900 });
    let seats = [Seat::ALL[2], Seat::ALL[3]];
    let (mut asked, mut answers) = ([const { Vec::new() }; 2], Vec::new());
    while asked.iter().any(|times: &Vec<u64>| times.len() < 5) {
        adapter.act_as_people();
        while let Some(request) = adapter.host.poll_decision_request() {
            asked[request.question.seat.index() - 2].push(adapter.now);
            match thinking {
                Thinking::AtOnce => {
                    adapter.host.handle_decision(adapter.now, request.id, request.decide().as_ref());
                }
                Thinking::Takes(time) => answers.push((adapter.now + time, request)),
                Thinking::Never => {}
            }
        }
        adapter.take_outputs();
        let times = answers.iter().map(|(at, _)| *at).chain(adapter.host.wake_at());
        adapter.now = times.min().unwrap_or(0).max(adapter.now);
        let (due, later) = answers.into_iter().partition(|(at, _)| *at <= adapter.now);
        answers = later;
        for (_, request) in due {
            let decided: Option<BotDecision> = request.decide();
            adapter.host.handle_decision(adapter.now, request.id, decided.as_ref());
        }
        adapter.host.handle_time(adapter.now);
        adapter.take_outputs();
    }
    [0, 1].map(|bot| {
        let acted = adapter.bot_times(seats[bot]);
        asked[bot].iter().zip(acted).map(|(asked, acted)| acted - asked).collect()
    })
}

/// A forced move needs no search. If a bot acted as soon as it has decided, its delays would reveal its hand.
#[test]
fn at_a_shared_table_the_time_of_a_bot_does_not_depend_on_its_decision() {
    let expected = delays_of_bots(Thinking::AtOnce);
    assert!(expected.iter().flatten().all(|delay| (700..=1900).contains(delay)), "{expected:?}");
    for thinking in [Thinking::Takes(300), Thinking::Takes(1_000), Thinking::Takes(5_000), Thinking::Never] {
        let delays = delays_of_bots(thinking);
        for (bot, expected) in delays.iter().zip(&expected) {
            let count = bot.len().min(expected.len());
            assert!(count >= 4, "{delays:?}");
            assert_eq!(bot[..count], expected[..count], "{thinking:?}");
        }
    }
}

/// A host that sleeps decides in a turn of its own, before it is time to act.
#[test]
fn at_a_shared_table_a_sleeping_host_decides_before_it_is_time_to_act() {
    let mut adapter = shared_table(Pace { min: 700, max: 1900 });
    let mut moves = 0;
    while moves < 6 {
        adapter.act_as_people();
        adapter.host.think(adapter.now, DecisionTiming::WhenDue);
        adapter.take_outputs();
        let Some(asked) = adapter.host.bots.asked_since() else {
            adapter.now = adapter.host.wake_at().unwrap().max(adapter.now);
            adapter.host.handle_time(adapter.now);
            adapter.take_outputs();
            continue;
        };
        let stored = adapter.disk.len();
        assert_eq!((asked, adapter.host.wake_at()), (adapter.now, Some(adapter.now + 1)), "the turn ends undecided");
        adapter.now += 1;
        adapter.host.handle_time(adapter.now);
        adapter.host.think(adapter.now, DecisionTiming::WhenDue);
        adapter.take_outputs();
        let due = adapter.host.wake_at().unwrap();
        assert!((asked + 700..=asked + 1900).contains(&due) && adapter.disk.len() == stored, "decided, and waiting");
        adapter.now = due;
        adapter.host.handle_time(adapter.now);
        adapter.take_outputs();
        assert!(adapter.disk.len() > stored, "acts without a search");
        moves += 1;
    }
}

/// However far the adapter's clock is set back, bots wait no longer than they would have.
#[test]
fn a_clock_that_is_set_back_delays_no_bot() {
    const DAY: u64 = 86_400_000;
    for back in [20_000, 2 * DAY] {
        let message = create(AGAINST_BOTS, &json!({ "pause": 0 }));
        let bots = BotSettings { pace: Pace { min: 700, max: 1900 }, ..settings() };
        let mut adapter = Adapter::of_idle(set_up(Creator::Connection(ANN), message, bots, [7; 32]));
        adapter.now = 10 * DAY;
        adapter.host.handle_time(adapter.now);
        adapter.carry_out();
        for _ in 0..20 {
            adapter.act();
            let Some(wake) = adapter.host.wake_at() else { continue };
            let wait = wake.saturating_sub(adapter.now);
            // The adapter waits in monotonic time, and its clock is set back meanwhile.
            adapter.now = wake - back;
            adapter.host.handle_time(adapter.now);
            adapter.carry_out();
            let left = adapter.host.wake_at().map_or(0, |wake| wake.saturating_sub(adapter.now));
            assert!(wait <= 1900 && left <= 1900, "{wait} and {left} ms");
            adapter.now += left;
            adapter.host.handle_time(adapter.now);
            adapter.carry_out();
            adapter.now += back;
            adapter.host.handle_time(adapter.now);
            adapter.carry_out();
        }
        assert!(adapter.disk.len() > 12, "{}", adapter.disk.len());
    }
}

// The lobby.

const LOBBY: [&str; 4] = ["human", "human", "ai", "ai"];

impl Adapter {
    /// Ann opens the lobby, and Bob waits in it. Returns the code and the id of the guest.
    fn with_guest(&mut self) -> (Value, Value) {
        self.say(ANN, &json!({ "type": "OPEN_LOBBY", "gameId": "table", "requestId": "open" }));
        let code = self.last(ANN, "LOBBY")["code"].clone();
        self.connect(BOB);
        self.say(BOB, &json!({ "type": "KNOCK", "gameId": "table", "code": code, "name": "Bob", "key": key(7) }));
        assert_eq!(self.last(BOB, "KNOCKED")["status"], "waiting");
        (code, self.last(ANN, "LOBBY")["guests"][0]["guest"].clone())
    }

    fn admit(&mut self, guest: &Value) {
        let grant = json!({ "role": "player" });
        let admit = json!({ "type": "INVITE", "gameId": "table", "requestId": "in", "grant": grant, "guest": guest });
        self.say(ANN, &admit);
    }
}

#[test]
fn a_restored_host_continues_with_the_guests_of_its_connections() {
    let mut adapter = Adapter::new(LOBBY, &json!({}));
    let (code, guest) = adapter.with_guest();
    let open = OpenCode { code: serde_json::from_value(code).unwrap(), until: adapter.now + 60_000 };
    let (id, bound) = (adapter.host.id().clone(), adapter.bindings.values().cloned().collect::<Vec<_>>());
    let restored = TableHost::restore(adapter.now, id, &adapter.disk, bound, settings(), [8; 32]).unwrap();
    adapter.host = restored.with_code(Some(open));
    adapter.carry_out();
    let before = adapter.heard[&ANN].len();
    adapter.say(ANN, &json!({ "type": "OPEN_LOBBY", "gameId": "table", "requestId": "again" }));
    let lobby = adapter.heard[&ANN][before..].iter().find(|message| message["type"] == "LOBBY").unwrap();
    assert_eq!((&lobby["code"], &lobby["guests"][0]["guest"]), (&json!(open.code), &guest));
    adapter.admit(&guest);
    assert_eq!(adapter.last(BOB, "KNOCKED")["status"], "admitted");
    assert!(adapter.bindings[&BOB].guest.is_none(), "an admitted guest no longer waits");
}

/// The answer of an adapter may come late; until then, the call is open.
#[test]
fn a_call_for_a_code_waits_until_the_adapter_has_one() {
    let mut adapter = Adapter::new(LOBBY, &json!({}));
    let ann = SecretKey::try_from(adapter.last(ANN, "GAME_CREATED")["key"].as_str().unwrap().to_string()).unwrap();
    let message = json!({ "type": "OPEN_LOBBY", "gameId": "table", "requestId": "open" });
    let call = TableCall::Message { key: Some(ann), message: serde_json::from_value(message).unwrap() };
    let call = adapter.host.handle_call(adapter.now, call);
    assert!(matches!(adapter.host.poll_output(), Some(Output::ClaimCode(_))));
    assert_eq!(adapter.host.poll_output(), None, "the call is not answered yet");
    adapter.host.handle_claim(CodeClaim::Granted);
    adapter.take_outputs();
    let answer: Value = serde_json::from_str(&adapter.answers[&call].body).unwrap();
    assert_eq!((adapter.answers[&call].status, &answer["requestId"]), (200, &json!("open")));
    assert!(answer["code"].is_string(), "{answer}");
}
