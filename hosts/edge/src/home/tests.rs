//! Tests of [`Home`] on a simulated platform that stores everything and can evict the home after every event.

use serde_json::{Value, json};
use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{BotSettings, routes::ROUTES};
use texas42_protocol::{Follower, SecretKey};
use texas42_vocab::Phase;

use super::*;

/// A simulated object with its storage and its sockets.
struct Platform {
    now: u64,
    home: Option<Home>,
    disk: Vec<StoredEvent>,
    writes: usize,
    sockets: BTreeMap<ConnectionId, Attachment>,
    heard: BTreeMap<ConnectionId, Vec<Value>>,
    closed: Vec<(ConnectionId, u16)>,
    answer: Option<Answer>,
    dice: u8,
    requests: u32,
    /// Whether the home is evicted after every event.
    evicts: bool,
    pace: Pace,
}

impl Platform {
    fn new(evicts: bool) -> Self {
        Self {
            now: 1_000_000,
            home: None,
            disk: Vec::new(),
            writes: 0,
            sockets: BTreeMap::new(),
            heard: BTreeMap::new(),
            closed: Vec::new(),
            answer: None,
            dice: 0,
            requests: 0,
            evicts,
            pace: Pace::IMMEDIATE,
        }
    }

    fn home(&mut self) -> Home {
        self.dice += 1;
        let mut number = self.dice;
        let random = move || {
            number = number.wrapping_add(97);
            core::array::from_fn(|at| number.wrapping_mul(37).wrapping_add(at as u8))
        };
        let bots = BotSettings { pace: self.pace, strategy: Strategy::Random, worlds: None };
        let settings = Settings { bots, ..Settings::read(|name| (name == "MESSAGES").then(|| "100000".to_owned())) };
        let id = GameId::try_from("table").unwrap();
        Home::new(self.now, id, &self.disk, self.sockets.values().cloned(), settings, random).unwrap()
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Home, u64) -> T) -> T {
        self.now += 1;
        let mut home = self.home.take().unwrap_or_else(|| self.home());
        let result = act(&mut home, self.now);
        let mut may_speak = true;
        while let Some(output) = home.poll_output() {
            match output {
                Output::Store { first, events, .. } => {
                    // A rebuilt home first catches up on overdue work.
                    assert!(may_speak || self.evicts, "each event causes one write");
                    assert_eq!(first, self.disk.len() as u64, "the log has no gap");
                    self.disk.extend(events);
                    self.writes += 1;
                    may_speak = false;
                }
                Output::Send { to, text, .. } => {
                    self.heard.entry(to).or_default().push(serde_json::from_str(&text).unwrap());
                }
                Output::Bind(binding) => drop(self.sockets.insert(binding.connection, binding.into())),
                Output::Answer { .. } => panic!("the home keeps answers"),
                Output::Close { to, code } => {
                    self.sockets.remove(&to);
                    self.closed.push((to, code));
                }
            }
        }
        self.answer = home.take_answer();
        self.home = (!self.evicts).then_some(home);
        result
    }

    fn connect(&mut self) -> ConnectionId {
        self.connect_as(true)
    }

    fn connect_as(&mut self, may_create: bool) -> ConnectionId {
        let attachment = self.with(|home, now| home.handle_connected(now, may_create));
        let connection = attachment.connection;
        assert!(self.sockets.insert(connection, attachment).is_none(), "an id belongs to one socket");
        connection
    }

    fn say(&mut self, from: ConnectionId, message: &Value) {
        self.with(|home, now| home.handle_text(now, from, &message.to_string()));
    }

    fn disconnect(&mut self, from: ConnectionId) {
        // A home is rebuilt with the closing socket, so that the other connections are notified.
        self.with(|home, now| home.handle_closed(now, from));
        self.sockets.remove(&from);
    }

    fn alarm(&mut self) {
        self.with(Home::handle_time);
    }

    fn wake_at(&mut self) -> Option<u64> {
        self.with(|home, _| home.wake_at())
    }

    fn last(&self, of: ConnectionId, kind: &str) -> Value {
        self.heard[&of].iter().rev().find(|message| message["type"] == kind).unwrap_or(&Value::Null).clone()
    }

    fn request(&mut self, kind: ObjectRequest, key: Option<&str>, body: &Value) -> (u16, Value) {
        let key = key.map(|key| format!("Bearer {key}"));
        let body = body.to_string();
        let request = Request { kind, query: "", key: key.as_deref(), body: body.as_bytes() };
        self.with(|home, now| home.handle_request(now, &request));
        let answer = self.answer.take().expect("every request is answered");
        (answer.status, serde_json::from_str(&answer.body).unwrap())
    }

    /// Returns a request id that is unused here and in the stored game.
    fn request_id(&mut self) -> String {
        self.requests += 1;
        format!("request-{}", self.requests)
    }

    /// Returns the version and view that a client derives from all messages it received.
    fn seen(&self, by: ConnectionId) -> (u64, texas42_protocol::GameView) {
        let mut follower = Follower::default();
        for message in &self.heard[&by] {
            let message: ServerMessage = serde_json::from_value(message.clone()).unwrap();
            assert!(
                !matches!(follower.hear(&message), texas42_protocol::FollowOutcome::Gap),
                "{message:?} leaves a gap"
            );
        }
        let (version, view) = follower.table().unwrap();
        (version, view.clone())
    }
}

fn create(players: [&str; 4]) -> Value {
    json!({
        "type": "CREATE_GAME", "name": "Ann", "requestId": "1",
        "config": { "target": 1, "players": players }, "table": { "pause": 0 },
    })
}

/// Seats four people who use keys of their own.
fn four_people(platform: &mut Platform) -> Vec<ConnectionId> {
    let ann = platform.connect();
    platform.say(ann, &create(["human"; 4]));
    let mut everybody = vec![ann];
    for seat in 1..4_u8 {
        let key = String::from(SecretKey::new(core::array::from_fn(|at| seat * 16 + at as u8)));
        let own = String::from(SecretKey::new(core::array::from_fn(|at| seat * 16 + 64 + at as u8)));
        platform.say(
            ann,
            &json!({
                "type": "INVITE", "gameId": "table", "requestId": format!("i{seat}"), "key": key,
                "grant": { "role": "player", "seat": seat },
            }),
        );
        let guest = platform.connect();
        platform.say(
            guest,
            &json!({
                "type": "JOIN_GAME", "gameId": "table", "key": key, "sessionKey": own, "name": format!("G{seat}"),
            }),
        );
        everybody.push(guest);
    }
    everybody
}

/// Plays up to `turns` actions, each the first one offered that is not a claim.
fn play(platform: &mut Platform, everybody: &[ConnectionId], turns: usize) {
    for _ in 0..turns {
        let choice = everybody.iter().find_map(|from| {
            let (version, view) = platform.seen(*from);
            let is_plain = |action: &texas42_vocab::Action| {
                action.player().is_some() && !matches!(action, texas42_vocab::Action::Claim { .. })
            };
            let action = view.valid_actions.iter().map(|valid| valid.action).find(is_plain)?;
            Some((*from, version, action))
        });
        let Some((from, version, action)) = choice else { return };
        let request_id = platform.request_id();
        platform.say(
            from,
            &json!({
                "type": "EXECUTE_ACTION", "gameId": "table", "requestId": request_id, "version": version,
                "action": action,
            }),
        );
    }
}

#[test]
fn an_object_evicted_after_every_message_sends_the_same_messages() {
    let [stays, evicts] = [false, true].map(|evicts| {
        let mut platform = Platform::new(evicts);
        let everybody = four_people(&mut platform);
        play(&mut platform, &everybody, 40);
        platform.disconnect(everybody[2]);
        play(&mut platform, &everybody[..2], 2);
        (platform, everybody)
    });
    assert!(stays.0.disk.len() > 40);
    // Keys and deals are random; the order and kinds of messages are not.
    let kinds = |(platform, everybody): &(Platform, Vec<ConnectionId>)| {
        let kind = |m: &Value| format!("{} {} {}", m["type"], m["version"], m["status"]);
        let heard = everybody.iter().map(|who| platform.heard[who].iter().map(kind).take(30).collect());
        heard.collect::<Vec<Vec<String>>>()
    };
    for (seat, (stayed, evicted)) in kinds(&stays).iter().zip(&kinds(&evicts)).enumerate() {
        let length = stayed.len().min(evicted.len());
        assert_eq!(stayed[..length], evicted[..length], "{seat}");
    }
    for (platform, everybody) in [&stays, &evicts] {
        let (version, seen) = platform.seen(everybody[0]);
        assert_eq!(version, platform.disk.len() as u64);
        assert!(
            seen.players.iter().any(|player| !player.is_connected),
            "a disconnected player is shown as disconnected"
        );
    }
}

#[test]
fn a_person_and_three_bots_finish_a_game_on_an_evicted_object() {
    let mut platform = Platform::new(true);
    let ann = platform.connect();
    platform.say(ann, &create(["human", "ai", "ai", "ai"]));
    for _ in 0..200 {
        play(&mut platform, &[ann], 5);
        if platform.seen(ann).1.state.phase.is_over() {
            let statuses = platform.heard[&ann].iter().filter(|message| message["type"] == "PLAYER_STATUS").count();
            assert!(statuses <= 6, "bots restored with their object are not announced: {statuses}");
            return;
        }
        if platform.wake_at().is_some() {
            platform.alarm();
        }
    }
    panic!("the game does not end");
}

/// An object rebuilt from its log deals the same hand of the day.
#[test]
fn the_hand_of_the_day_is_searched_once_and_stored() {
    let hand = |evicts| {
        let mut platform = Platform::new(evicts);
        let ann = platform.connect();
        let mut message = create(["human", "ai", "ai", "ai"]);
        message["config"]["layers"] =
            json!([{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "hard" }]);
        message["table"]["deal"] = json!("seeded");
        platform.say(ann, &message);
        assert_eq!(platform.heard[&ann][0]["progress"], 0, "{:?}", platform.heard[&ann][0]);
        let found = serde_json::to_value(&platform.disk[0]).unwrap()["event"]["config"]["layers"][0]["deal"].clone();
        assert!(found.is_u64(), "{found}");
        (found, platform.seen(ann).1.state.players[0])
    };
    assert_eq!(hand(false), hand(true));
}

#[test]
fn a_repeated_alarm_makes_one_move() {
    for evicts in [false, true] {
        let mut platform = Platform::new(evicts);
        platform.pace = Pace { least: 500, most: 500 };
        let ann = platform.connect();
        platform.say(ann, &create(["human", "ai", "ai", "ai"]));
        let mut rang = 0;
        while rang < 5 {
            play(&mut platform, &[ann], 1);
            let Some(at) = platform.wake_at() else { break };
            assert!(at > platform.now, "a bot waits before it moves");
            let before = platform.disk.len();
            platform.now = at;
            // A rebuilt object restarts its bots' delays.
            platform.evicts = false;
            platform.alarm();
            if let Some(again) = platform.wake_at().filter(|_| platform.disk.len() == before) {
                platform.now = again;
                platform.alarm();
            }
            let after = platform.disk.len();
            platform.alarm();
            assert_eq!(platform.disk.len(), after, "the second alarm does nothing");
            platform.evicts = evicts;
            platform.home = platform.home.take().filter(|_| !evicts);
            rang += 1;
        }
        assert!(rang > 0);
    }
}

#[test]
fn one_request_causes_one_write() {
    let mut platform = Platform::new(false);
    let everybody = four_people(&mut platform);
    let (before, events) = (platform.writes, platform.disk.len());
    play(&mut platform, &everybody, 30);
    assert_eq!(platform.writes - before, 30);
    assert!(platform.disk.len() - events > 30, "automatic trick completions share the write");
}

#[test]
fn a_newer_connection_displaces_the_older_one() {
    let mut platform = Platform::new(true);
    let ann = platform.connect();
    platform.say(ann, &create(["human", "human", "ai", "ai"]));
    let key = platform.last(ann, "GAME_CREATED")["key"].clone();
    let again = platform.connect();
    platform.say(again, &json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Ann" }));
    assert_eq!(platform.closed, [(ann, close::DISPLACED)]);
    assert_eq!(platform.last(again, "JOINED")["seat"], 0);
    platform.disconnect(ann);
    assert!(platform.seen(again).1.players.iter().all(|player| player.name.as_str() != "Ann" || player.is_connected));
}

#[test]
fn serves_a_game_over_http() {
    let mut platform = Platform::new(true);
    assert_eq!(platform.request(ObjectRequest::Call(TableEndpoint::State), None, &json!(null)).0, 404);
    assert!(platform.disk.is_empty(), "a lookup creates no table");
    let body = json!({ "name": "Ann", "config": { "players": ["human", "ai", "ai", "ai"] }, "table": { "pause": 0 } });
    let (status, created) = platform.request(ObjectRequest::Create, None, &body);
    assert_eq!((status, &created["type"]), (201, &json!("GAME_CREATED")), "{created}");
    let key = created["key"].as_str().unwrap().to_owned();
    let (status, state) = platform.request(ObjectRequest::Call(TableEndpoint::State), Some(&key), &json!(null));
    assert_eq!(status, 200);
    let action = &state["view"]["validActions"][0]["action"];
    let act = json!({ "requestId": "a", "version": state["version"], "action": action });
    for _ in 0..2 {
        let (status, answer) = platform.request(ObjectRequest::Call(TableEndpoint::Act), Some(&key), &act);
        assert_eq!((status, &answer["ack"]["requestId"]), (200, &json!("a")), "{answer}");
    }
    let (status, refused) = platform.request(ObjectRequest::Call(TableEndpoint::Record), Some(&key), &json!(null));
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("not-started")), "no hand is over yet");
    assert_eq!(platform.request(ObjectRequest::Call(TableEndpoint::Record), None, &json!(null)).0, 401);
    assert_eq!(platform.request(ObjectRequest::Call(TableEndpoint::Leave), Some(&key), &json!({})).0, 200);
    assert_eq!(platform.request(ObjectRequest::Call(TableEndpoint::Leave), Some(&key), &json!({})).0, 401);
}

/// The Worker and the object accept the same body sizes as the native server.
#[test]
fn body_limits_match_the_declared_routes() {
    let kinds = [
        ObjectRequest::Create,
        ObjectRequest::Import,
        ObjectRequest::Call(TableEndpoint::Act),
        ObjectRequest::Call(TableEndpoint::Join),
    ];
    let paths = ["/api/games", "/api/games/import", "/api/games/{id}/action", "/api/games/{id}/join"];
    for (kind, path) in kinds.into_iter().zip(paths) {
        let declared = ROUTES.iter().find(|route| route.path == path).unwrap();
        assert_eq!(kind.max_bytes(), declared.body.max_bytes(), "{path}");
    }
    assert!(ObjectRequest::Import.max_bytes() > ObjectRequest::Create.max_bytes(), "logs are long");
}

#[test]
fn rejects_chosen_table_ids_and_floods() {
    let mut platform = Platform::new(false);
    let ann = platform.connect_as(false);
    platform.say(ann, &create(["human"; 4]));
    assert_eq!(platform.last(ann, "ERROR")["error"]["code"], "no-such-game");
    platform.say(ann, &json!({ "type": "SUBSCRIBE", "gameId": "table" }));
    assert_eq!(platform.last(ann, "ERROR")["error"]["code"], "not-joined");
    platform.say(ann, &json!({ "type": "PING", "nonce": 7 }));
    assert_eq!(platform.last(ann, "PONG")["nonce"], 7);
    platform.say(ann, &json!("nonsense"));
    assert_eq!(platform.last(ann, "ERROR")["error"]["code"], "bad-message");
    platform.with(|home, _| home.settings = Settings::default());
    for _ in 0..400 {
        platform.now -= 1;
        platform.say(ann, &json!({ "type": "PING" }));
    }
    assert_eq!(platform.last(ann, "ERROR")["error"]["code"], "rate-limited");
    assert_eq!(platform.closed.first(), Some(&(ann, close::FLOODED)));
    let long = "x".repeat(MAX_MESSAGE_BYTES + 1);
    platform.with(|home, now| home.handle_text(now, ann, &long));
    assert_eq!(platform.closed.last(), Some(&(ann, close::TOO_LONG)));
}

#[test]
fn play_continues_after_a_seat_is_handed_to_a_bot_and_back() {
    for evicts in [false, true] {
        for turns in 1..24 {
            let mut platform = Platform::new(evicts);
            let ann = platform.connect();
            platform.say(ann, &create(["human", "ai", "ai", "ai"]));
            play(&mut platform, &[ann], turns);
            for control in ["ai", "human"] {
                platform.say(
                    ann,
                    &json!({
                        "type": "SET_PLAYER_CONTROL", "gameId": "table", "requestId": format!("{control}{turns}"),
                        "player": 0, "controlType": control,
                    }),
                );
            }
            let (_, view) = platform.seen(ann);
            let is_waiting = platform.wake_at().is_some();
            assert!(
                !view.valid_actions.is_empty() || is_waiting || view.state.phase.is_over(),
                "{evicts} {turns}: {view:?}"
            );
        }
    }
}

#[test]
fn a_store_failure_is_reported_to_the_requester() {
    let mut platform = Platform::new(false);
    let ann = platform.connect();
    platform.say(ann, &create(["human", "human", "ai", "ai"]));
    let mut home = platform.home.take().unwrap();
    let invite = json!({ "type": "INVITE", "gameId": "table", "requestId": "i", "grant": { "role": "spectator" } });
    home.handle_text(platform.now, ann, &invite.to_string());
    assert!(matches!(home.poll_output(), Some(Output::Store { .. })));
    home.handle_store_failure("the disk is full");
    assert!(
        matches!(home.poll_output(), Some(Output::Send { to, text, .. }) if to == ann && text.contains("not-stored"))
    );
    assert_eq!(home.poll_output(), Some(Output::Close { to: ann, code: close::RESTORED }));
    assert_eq!(home.poll_output(), None);
}

/// Reads a file written by version 0.1.0.
macro_rules! stored_by_0_1_0 {
    ($name:literal) => {
        serde_json::from_str(include_str!(concat!("../../../../crates/room/tests/compatibility/", $name))).unwrap()
    };
}

/// Restores a table from rows stored by version 0.1.0 and reconnects its players.
fn stored_table(evicts: bool) -> (Platform, Vec<ConnectionId>) {
    let mut platform = Platform::new(evicts);
    let rows: Vec<(u64, String)> = stored_by_0_1_0!("edge-rows.json");
    for (_, events) in rows {
        platform.disk.extend(serde_json::from_str::<Vec<StoredEvent>>(&events).unwrap());
    }
    platform.now = platform.disk.last().unwrap().at;
    let tables: Value = stored_by_0_1_0!("expected.json");
    let come_back = |key: &Value| {
        let connection = platform.connect_as(false);
        let join = json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Again" });
        platform.say(connection, &join);
        connection
    };
    let everybody = tables["between-hands"]["keys"].as_object().unwrap().values().map(come_back).collect();
    (platform, everybody)
}

/// Plays until the given hand, advancing the time when nobody can act.
fn play_to_hand(platform: &mut Platform, everybody: &[ConnectionId], hand: u32) {
    for _ in 0..500 {
        play(platform, everybody, 50);
        if platform.seen(everybody[0]).1.state.hand_number == hand {
            return;
        }
        platform.now = platform.wake_at().expect("an alarm is set").max(platform.now);
        platform.alarm();
    }
    panic!("the table does not reach hand {hand}");
}

#[test]
fn play_continues_at_a_table_stored_by_version_0_1_0() {
    for evicts in [false, true] {
        let (mut platform, everybody) = stored_table(evicts);
        for (seat, connection) in everybody.iter().enumerate() {
            let (version, view) = platform.seen(*connection);
            assert_eq!((version, view.state.phase, view.state.hand_number), (41, Phase::Scoring, 0));
            assert_eq!((view.state.score, view.state.target, view.state.layers.len()), ([0, 0], 7, 4));
            assert_eq!(platform.last(*connection, "JOINED")["seat"], seat);
            let names: Vec<&str> = view.players.iter().map(|player| player.name.as_str()).collect();
            assert_eq!(names, ["Ann", "Bob", "Program", "Program"]);
        }
        play_to_hand(&mut platform, &everybody, 2);
        let (version, view) = platform.seen(everybody[0]);
        assert_eq!(version, platform.disk.len() as u64, "everything is stored");
        assert!(view.state.score.iter().sum::<u16>() >= 2, "two hands are scored");
    }
}
