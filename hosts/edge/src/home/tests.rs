//! Tests of [`Home`] on a simulated platform that stores everything and can evict the home after every event.

use serde_json::{Value, json};
use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{BotSettings, Retention, routes::ROUTES};
use texas42_protocol::{Follower, SecretKey};
use texas42_vocab::{Control, Phase, Seat};

use super::*;

/// A simulated object with its storage and its sockets.
struct Platform {
    now: u64,
    home: Option<Home>,
    disk: Vec<StoredEvent>,
    writes: usize,
    sockets: BTreeMap<ConnectionId, Attachment>,
    /// When the platform last answered a ping of each connection.
    pings: BTreeMap<ConnectionId, u64>,
    heard: BTreeMap<ConnectionId, Vec<Value>>,
    closed: Vec<(ConnectionId, u16)>,
    answer: Option<HttpResponse>,
    homes_built: u8,
    requests: u32,
    /// Whether the home is evicted after every event.
    evicts: bool,
    pace: Pace,
    keep: Retention,
    wake: Option<u64>,
    /// The stored code of the lobby.
    code: Option<OpenCode>,
}

impl Platform {
    fn new(evicts: bool) -> Self {
        Self {
            now: 1_000_000,
            home: None,
            disk: Vec::new(),
            writes: 0,
            sockets: BTreeMap::new(),
            pings: BTreeMap::new(),
            heard: BTreeMap::new(),
            closed: Vec::new(),
            answer: None,
            homes_built: 0,
            requests: 0,
            evicts,
            pace: Pace::IMMEDIATE,
            keep: Retention::FOREVER,
            wake: None,
            code: None,
        }
    }

    fn build_home(&mut self) -> Home {
        self.homes_built += 1;
        let mut number = self.homes_built;
        let random = move || {
            number = number.wrapping_add(97);
            core::array::from_fn(|at| number.wrapping_mul(37).wrapping_add(at as u8))
        };
        let bots = BotSettings { pace: self.pace, strategy: Strategy::Random, adviser: Strategy::Expert, worlds: None };
        let settings = Settings {
            bots,
            keep: self.keep,
            ..Settings::read(|name| (name == "MESSAGES").then(|| "100000".to_owned()))
        };
        let id = GameId::try_from("table").unwrap();
        let home = Home::new(self.now, id, &self.disk, self.sockets.values().cloned(), settings, random).unwrap();
        home.with_code(self.code)
    }

    /// Passes an input to the home, performs its outputs, and evicts it if required.
    fn with<T>(&mut self, act: impl FnOnce(&mut Home, u64) -> T) -> T {
        self.now += 1;
        let mut home = self.home.take().unwrap_or_else(|| self.build_home());
        let result = act(&mut home, self.now);
        let mut may_store = true;
        while let Some(output) = home.poll_output() {
            match output {
                Output::Store { first, events, .. } => {
                    // A rebuilt home first catches up on overdue work.
                    assert!(may_store || self.evicts, "each event causes one write");
                    assert_eq!(first, self.disk.len() as u64, "the log has no gap");
                    self.disk.extend(events);
                    self.writes += 1;
                    may_store = false;
                }
                Output::Send { to, text, .. } => {
                    self.heard.entry(to).or_default().push(serde_json::from_str(&text).unwrap());
                }
                Output::Bind(binding) => {
                    if let Some(socket) = self.sockets.get_mut(&binding.connection) {
                        *socket = socket.bound(binding);
                    }
                }
                Output::ClaimCode(code) => {
                    self.code = Some(code);
                    home.handle_claim(self.now, CodeClaim::Granted);
                }
                Output::ReleaseCode(_) => self.code = None,
                Output::Answer { .. } => panic!("the home keeps answers"),
                Output::Close { to, code } => {
                    self.sockets.remove(&to);
                    self.closed.push((to, code));
                }
            }
        }
        while let Some(attachment) = home.poll_attachment() {
            self.sockets.insert(attachment.connection, attachment);
        }
        (self.answer, self.wake) = (home.take_answer(), home.wake_at(self.now));
        if home.is_deleted() {
            self.disk.clear();
        }
        self.home = (!self.evicts && !home.is_deleted()).then_some(home);
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
        let pings = self.pings.clone();
        self.with(|home, now| home.handle_time(now, |connection| pings.get(&connection).copied()));
    }

    fn wake_at(&mut self) -> Option<u64> {
        self.with(|_, _| {});
        self.wake
    }

    /// Lets time pass, with every alarm that is due.
    fn wait(&mut self, milliseconds: u64) {
        let end = self.now + milliseconds;
        while let Some(at) = self.wake_at().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.alarm();
        }
        self.now = end;
    }

    /// The last message of this type to a connection.
    fn last(&self, of: ConnectionId, kind: &str) -> Value {
        self.heard[&of].iter().rev().find(|message| message["type"] == kind).unwrap_or(&Value::Null).clone()
    }

    fn request(&mut self, kind: ObjectRequest, key: Option<&str>, body: &Value) -> (u16, Value) {
        let key = key.map(|key| format!("Bearer {key}"));
        let body = body.to_string();
        let request = HomeRequest { kind, query: "", key: key.as_deref(), body: body.as_bytes() };
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
                !matches!(follower.handle_message(&message), texas42_protocol::FollowOutcome::Gap),
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

/// The platform evicts an idle object between two alarms, so what an object waits for is stored.
#[test]
fn an_absence_outlasts_the_eviction_of_the_object() {
    let mut platform = Platform::new(false);
    let everybody = four_people(&mut platform);
    platform.disconnect(everybody[1]);
    platform.wait(10_000);
    platform.evicts = true;
    let others = [everybody[0], everybody[2], everybody[3]];
    play(&mut platform, &others, 20);
    let is_replaced = |platform: &Platform| {
        let view = platform.seen(everybody[0]).1;
        view.players.iter().any(|player| player.player_index == Seat::new(1) && player.control_type == Control::Ai)
    };
    platform.wait(121_000);
    assert!(is_replaced(&platform));
}

/// A program that plays a seat dies. A bot of the host plays until the program returns, even if the object is evicted
/// before it notices the absence, and after every event from then on.
#[test]
fn an_invited_bot_that_died_is_replaced_and_returns() {
    let mut platform = Platform::new(false);
    let ann = platform.connect();
    let mut message = create(["human", "ai", "ai", "ai"]);
    message["table"]["ready"] = json!(true);
    platform.say(ann, &message);
    let [key, own] =
        [7, 9].map(|number| String::from(SecretKey::new(core::array::from_fn(|at| number * 16 + at as u8))));
    platform.say(
        ann,
        &json!({
            "type": "INVITE", "gameId": "table", "requestId": "i", "key": key, "grant": { "role": "ai", "seat": 1 },
        }),
    );
    let join = |platform: &mut Platform, key: &str| {
        let connection = platform.connect();
        platform.say(
            connection,
            &json!({ "type": "JOIN_GAME", "gameId": "table", "key": key, "sessionKey": own, "name": "Eve" }),
        );
        connection
    };
    let eve = join(&mut platform, &key);
    platform.say(ann, &json!({ "type": "READY", "gameId": "table", "requestId": "r" }));
    let waits_for_eve = |platform: &Platform| platform.seen(ann).1.derived.to_act == Seat::new(1);
    let on_seat = |platform: &Platform| -> Vec<(bool, bool)> {
        let players = platform.seen(ann).1.players.to_vec();
        let listed = players.iter().filter(|player| player.player_index == Seat::new(1));
        listed.map(|player| (player.name.as_str() == "Eve", player.is_connected)).collect()
    };
    /// Fires alarms, and lets people act, until a condition holds.
    fn play_until(platform: &mut Platform, people: &[ConnectionId], condition: impl Fn(&Platform) -> bool) {
        for _ in 0..200 {
            if condition(platform) {
                return;
            }
            play(platform, people, 1);
            if !condition(platform)
                && let Some(at) = platform.wake_at()
            {
                platform.now = at.max(platform.now);
                platform.alarm();
            }
        }
        panic!("the condition never holds");
    }
    play_until(&mut platform, &[ann], waits_for_eve);
    platform.disconnect(eve);
    platform.home = None;
    assert_eq!(on_seat(&platform), [(true, true)], "it has time to reconnect");
    platform.now = platform.wake_at().expect("the absence is due");
    platform.alarm();
    platform.evicts = true;
    play_until(&mut platform, &[], |platform| !waits_for_eve(platform));
    assert_eq!(on_seat(&platform), [(true, false), (false, true)]);

    let again = join(&mut platform, &key);
    assert_eq!(platform.last(again, "JOINED")["seat"], 1);
    assert_eq!(on_seat(&platform), [(true, true)]);
    play_until(&mut platform, &[ann], |platform| {
        let (_, view) = platform.seen(again);
        view.derived.to_act == Seat::new(1) && !view.valid_actions.is_empty()
    });
    play(&mut platform, &[again], 1);
    let acked = |message: &Value| !message["ack"].is_null();
    assert!(platform.heard[&again].iter().any(acked), "the table accepts its move");
}

/// An object rebuilt from its log deals the same hand.
#[test]
fn the_hand_of_a_daily_challenge_is_searched_once_and_stored() {
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
        platform.pace = Pace { min: 500, max: 500 };
        let ann = platform.connect();
        platform.say(ann, &create(["human", "ai", "ai", "ai"]));
        let mut alarms = 0;
        while alarms < 5 {
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
            alarms += 1;
        }
        assert!(alarms > 0);
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
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("not-started")), "no hand has been finished yet");
    assert_eq!(platform.request(ObjectRequest::Call(TableEndpoint::Record), None, &json!(null)).0, 401);
    for (endpoint, status) in [
        (TableEndpoint::Leave, 200),
        (TableEndpoint::Leave, 200),
        (TableEndpoint::GiveUp, 200),
        (TableEndpoint::GiveUp, 401),
    ] {
        assert_eq!(platform.request(ObjectRequest::Call(endpoint), Some(&key), &json!({})).0, status, "{endpoint:?}");
    }
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

const DAY: u64 = 86_400_000;

/// Ann's game of one person and three bots that is kept for a week. Returns the id of her socket and her key.
fn game_kept_for_a_week(evicts: bool) -> (Platform, ConnectionId, String) {
    let mut platform = Platform { keep: Retention::days(7), now: 1_000 * DAY, ..Platform::new(evicts) };
    let ann = platform.connect();
    platform.say(ann, &create(["human", "ai", "ai", "ai"]));
    let key = platform.last(ann, "GAME_CREATED")["key"].as_str().unwrap().to_owned();
    (platform, ann, key)
}

/// Fires alarms when they are due until the time, exclusively.
fn fire_alarms_until(platform: &mut Platform, until: u64) {
    while let Some(at) = platform.wake_at().filter(|at| *at < until) {
        assert!(at > platform.now, "an alarm is due again at once");
        platform.now = at;
        platform.alarm();
    }
    platform.now = until;
}

#[test]
fn an_inactive_table_is_deleted_by_its_alarm_and_can_be_created_again() {
    for evicts in [false, true] {
        let (mut platform, ann, key) = game_kept_for_a_week(evicts);
        let state = ObjectRequest::Call(TableEndpoint::State);
        play(&mut platform, &[ann], 3);
        platform.disconnect(ann);
        let last_stored = platform.disk.last().unwrap().at;
        fire_alarms_until(&mut platform, last_stored + 7 * DAY - 10);
        assert_eq!(platform.request(state, Some(&key), &json!(null)).0, 200, "the week is not over");
        platform.now = platform.wake_at().expect("the deletion is due");
        assert!(platform.now <= last_stored + 7 * DAY + 1, "looking at a table does not keep it");
        platform.alarm();
        assert!(platform.disk.is_empty());
        assert_eq!(platform.wake_at(), None);
        platform.alarm();

        let (status, unknown) = platform.request(state, Some(&key), &json!(null));
        assert_eq!((status, &unknown["error"]["code"]), (404, &json!("no-such-game")));
        let bob = platform.connect();
        platform.say(bob, &json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Ann" }));
        assert_eq!(platform.last(bob, "ERROR")["error"]["code"], "no-such-game");
        platform.say(bob, &create(["human", "ai", "ai", "ai"]));
        assert_eq!(platform.last(bob, "GAME_CREATED")["gameId"], "table");
        assert_eq!(platform.seen(bob).0, platform.disk.len() as u64, "the new table is stored from its beginning");
    }
}

#[test]
fn a_table_is_kept_while_a_socket_is_open() {
    for evicts in [false, true] {
        let (mut platform, ann, _) = game_kept_for_a_week(evicts);
        let stored = platform.disk.clone();
        let end = platform.now + 30 * DAY;
        fire_alarms_until(&mut platform, end);
        assert_eq!(platform.disk, stored, "nothing happens at the table");
        platform.disconnect(ann);
        platform.now = platform.wake_at().expect("the deletion is due").max(platform.now);
        platform.alarm();
        assert!(platform.disk.is_empty(), "the last event is a month old");
    }
}

/// The platform may lose sockets without a notice, as in a deploy.
#[test]
fn a_table_whose_sockets_were_lost_is_deleted() {
    let (mut platform, _, _) = game_kept_for_a_week(false);
    platform.wake_at().expect("an alarm is set before the sockets are lost");
    platform.home = None;
    platform.sockets.clear();
    platform.now += 8 * DAY;
    platform.alarm();
    assert!(platform.disk.is_empty());
}

#[test]
fn no_table_is_deleted_if_all_are_kept() {
    let (mut platform, ann, _) = game_kept_for_a_week(true);
    platform.keep = Retention::days(0);
    platform.disconnect(ann);
    platform.now += 10_000 * DAY;
    platform.alarm();
    assert!(!platform.disk.is_empty());
    assert_eq!(platform.wake_at(), None);
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
    let rejoin = |key: &Value| {
        let connection = platform.connect_as(false);
        let join = json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": key, "name": "Again" });
        platform.say(connection, &join);
        connection
    };
    let everybody = tables["between-hands"]["keys"].as_object().unwrap().values().map(rejoin).collect();
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

/// However far the clock of the platform is set back, bots wait no longer than they would have, once the object is woken.
#[test]
fn a_clock_that_is_set_back_delays_no_bot() {
    for back in [20_000, 2 * DAY] {
        let mut platform = Platform { pace: Pace { min: 700, max: 1900 }, now: 10 * DAY, ..Platform::new(false) };
        let ann = platform.connect();
        let config = json!({ "players": ["human", "ai", "ai", "ai"], "shaker": 0 });
        platform.say(ann, &json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": { "pause": 0 } }));
        for _ in 0..3 {
            let (stored, wake) = (platform.disk.len(), platform.wake_at().unwrap());
            assert!(wake <= platform.now + 1900);
            platform.now = wake - back;
            platform.alarm();
            let again = platform.wake_at().unwrap();
            assert!(again <= platform.now + 1900, "waits {} ms", again - platform.now);
            platform.now = again;
            platform.alarm();
            assert!(platform.disk.len() > stored, "a bot has bid");
        }
    }
}

// Connections that vanish without a notice.

/// A page pings after two seconds of silence, a program after twenty.
const QUICK: u64 = 2_000;
const CALM: u64 = 20_000;

/// Four people of whom the second, Bob, may lose the network.
struct Vanishing {
    platform: Platform,
    people: Vec<ConnectionId>,
    ping_every: u64,
    has_failed: bool,
    alarms: u32,
}

impl Vanishing {
    fn new(evicts: bool, ping_every: u64) -> Self {
        let mut platform = Platform::new(evicts);
        let people = four_people(&mut platform);
        Self { platform, people, ping_every, has_failed: false, alarms: 0 }
    }

    fn bob(&self) -> ConnectionId {
        self.people[1]
    }

    /// Lets time pass: clients ping, and alarms ring when they are due. Returns after how long Bob was disconnected.
    fn pass(&mut self, milliseconds: u64) -> Option<u64> {
        let start = self.platform.now;
        while self.platform.now < start + milliseconds {
            self.platform.now += 100;
            let now = self.platform.now;
            let lost = self.has_failed.then(|| self.bob());
            for client in self.people.iter().filter(|client| Some(**client) != lost) {
                let last = self.platform.pings.get(client).copied().unwrap_or(start);
                if now - last >= self.ping_every && self.platform.sockets.contains_key(client) {
                    self.platform.pings.insert(*client, now);
                }
            }
            if self.platform.wake.is_some_and(|at| at <= now) {
                self.alarms += 1;
                self.platform.alarm();
            }
            if self.platform.closed.contains(&(self.bob(), close::IDLE)) {
                return Some(now - start);
            }
        }
        None
    }

    fn sees_bob(&self) -> bool {
        let status = self.platform.last(self.people[0], "PLAYER_STATUS");
        !(status["player"]["playerIndex"] == 1 && status["status"] == "disconnected")
    }
}

#[test]
fn a_client_that_vanishes_is_away_within_five_seconds() {
    let mut table = Vanishing::new(false, QUICK);
    assert_eq!(table.pass(60_000), None, "everybody is there");
    table.has_failed = true;
    let after = table.pass(60_000);
    assert!(after.is_some_and(|after| after <= 5_000), "{after:?}");
    assert!(!table.sees_bob(), "the others see that Bob is away");
    assert_eq!(table.platform.closed.len(), 1, "and nobody else is");
}

#[test]
fn a_client_that_pings_rarely_is_not_disconnected() {
    let mut table = Vanishing::new(false, CALM);
    table.alarms = 0;
    assert_eq!(table.pass(600_000), None);
    assert!(table.alarms <= 30, "a table of programs hibernates between their pings: {} alarms", table.alarms);
}

#[test]
fn an_idle_table_is_checked_ever_more_rarely() {
    let mut table = Vanishing::new(false, QUICK);
    assert_eq!(table.pass(3_600_000), None, "everybody is there");
    table.platform.home = None;
    table.alarms = 0;
    assert_eq!(table.pass(3_600_000), None, "everybody is there");
    assert!(table.alarms < 30, "{} alarms in the second hour", table.alarms);
    table.has_failed = true;
    table.platform.home = None;
    let after = table.pass(3_600_000);
    assert!(after.is_some(), "a lost client is noticed all the same, by a home that was rebuilt");
}

#[test]
fn a_person_alone_at_a_table_is_not_checked() {
    let mut platform = Platform::new(false);
    let ann = platform.connect();
    platform.say(ann, &create(["human", "ai", "ai", "ai"]));
    platform.pings.insert(ann, platform.now);
    assert!(platform.home.as_ref().unwrap().next_silence_check().is_none(), "nobody would see that Ann is away");
}

#[test]
fn a_lobby_outlasts_the_eviction_of_the_object() {
    for evicts in [false, true] {
        let mut platform = Platform::new(evicts);
        let ann = platform.connect();
        platform.say(ann, &create(["human", "human", "ai", "ai"]));
        let key = platform.last(ann, "GAME_CREATED")["key"].as_str().unwrap().to_owned();
        platform.say(ann, &json!({ "type": "OPEN_LOBBY", "gameId": "table", "requestId": "open" }));
        let code: LobbyCode = serde_json::from_value(platform.last(ann, "LOBBY")["code"].clone()).unwrap();
        let (cid, own) = (platform.connect(), "AAECAwQFBgcICQoLDA0ODw");
        let knock = json!({ "type": "KNOCK", "gameId": "table", "code": code, "name": "Cid", "key": own });
        platform.say(cid, &knock);
        assert_eq!(platform.last(cid, "KNOCKED")["status"], "waiting");
        let lobbies =
            |platform: &Platform| platform.heard[&ann].iter().filter(|message| message["type"] == "LOBBY").count();
        let before = lobbies(&platform);
        platform.alarm();
        assert_eq!(lobbies(&platform), before, "nothing has changed for the host");
        let (status, found) = platform.request(ObjectRequest::Lobby(code), None, &json!(null));
        assert_eq!((status, &found["host"]), (200, &json!("Ann")), "{found}");
        let open = ObjectRequest::Call(TableEndpoint::OpenLobby);
        let (_, lobby) = platform.request(open, Some(&key), &json!({ "requestId": "poll" }));
        assert_eq!((&lobby["code"], &lobby["guests"][0]["name"]), (&json!(code), &json!("Cid")), "{lobby}");
        let (_, lobby) = platform.request(open, Some(&key), &json!({ "requestId": "new", "renew": true }));
        assert!(lobby["code"].is_string() && lobby["code"] != json!(code), "{lobby}");
        let (guest, grant) = (&lobby["guests"][0]["guest"], json!({ "role": "player" }));
        let admit = json!({ "type": "INVITE", "gameId": "table", "requestId": "in", "grant": grant, "guest": guest });
        platform.say(ann, &admit);
        assert_eq!(platform.last(cid, "KNOCKED")["status"], "admitted");
        platform.say(cid, &json!({ "type": "JOIN_GAME", "gameId": "table", "key": own, "name": "Cid" }));
        assert_eq!(platform.last(cid, "JOINED")["seat"], 1, "the seat that no bot plays");
    }
}
