//! Each message does what the protocol says.

use serde_json::{Value, json};
use texas42_protocol::{PlayerView, Role, SecretKey};
use texas42_vocab::{Action, Control, Phase, Seat};

use crate::{
    Host,
    player::{Player, catch_up, grant, play_until, seat_grant},
    wait::{wait_for, wait_until},
};

/// `CREATE_GAME`, `GAME_CREATED`.
pub fn creates_a_table(host: &mut dyn Host) {
    let ann = Player::create(host, "hhaa", 7);
    let created = &ann.heard[0];
    assert_eq!(created["type"], "GAME_CREATED");
    assert_eq!(created["view"]["state"]["phase"], "setup");
    assert!(ann.client.ticket().is_some());
    assert_eq!(ann.seat().index(), 0);
}

/// `CREATE_GAME` repeated with the same key, because the reply was lost.
pub fn a_repeated_create_request_returns_the_same_table(host: &mut dyn Host) {
    let key = String::from(SecretKey::new(texas42_server::serve::random()));
    let create = json!({ "type": "CREATE_GAME", "requestId": "c", "name": "Ann", "sessionKey": key });
    let mut games = Vec::new();
    for _ in 0..3 {
        let mut connection = host.connect();
        connection.send(&create.to_string());
        let answer = connection.receive().unwrap();
        assert!(["GAME_CREATED", "JOINED"].contains(&answer["type"].as_str().unwrap()), "{answer}");
        games.push((answer["gameId"].clone(), answer["playerId"].clone()));
        if games.len() == 2 {
            host.restart();
        }
    }
    assert!(games.windows(2).all(|pair| pair[0] == pair[1]), "{games:?}");
}

/// `JOIN_GAME`, `JOINED`, `INVITE`, `INVITED`, `PLAYER_STATUS`.
pub fn joins_with_an_invite_key(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert_eq!(bob.seat().index(), 1);
    assert!(!bob.client.capabilities().is_empty());
    ann.wait("Bob to join", |ann| {
        ann.heard
            .iter()
            .any(|m| m["type"] == "PLAYER_STATUS" && m["status"] == "joined" && m["player"]["name"] == "Bob")
    });
    drop(bob);
    ann.wait("Bob to be disconnected", |ann| ann.heard.iter().any(|m| m["status"] == "disconnected"));
}

/// `JOIN_GAME` with a session key.
pub fn a_session_rejoins_with_its_key(host: &mut dyn Host) {
    let ann = Player::create(host, "hhaa", 7);
    let ticket = ann.client.ticket().unwrap().clone();
    let (seat, id) = (ann.seat(), ann.client.player_id().cloned());
    drop(ann);
    let again = Player::resume(host, ticket);
    assert_eq!((again.seat(), again.client.player_id().cloned()), (seat, id));
}

/// `STATE_UPDATE`.
pub fn update_versions_have_no_gaps(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    play_until(&mut [&mut ann], |players| players[0].view().state.hand_number > 0 || players[0].is_over());
    let versions: Vec<u64> = ann.heard.iter().filter_map(|message| message["version"].as_u64()).collect();
    assert!(versions.len() > 10);
    assert!(versions.windows(2).all(|pair| pair[1] == pair[0] + 1), "{versions:?}");
}

/// `SUBSCRIBE`.
pub fn subscribing_sends_a_full_view(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let before = ann.view().clone();
    ann.say(&json!({ "type": "SUBSCRIBE", "gameId": ann.game() }));
    ann.wait("a full view", |ann| ann.heard.iter().any(|m| m["type"] == "STATE_UPDATE" && m["view"].is_object()));
    assert_eq!(ann.view().state, before.state);
}

/// `UNSUBSCRIBE`.
pub fn unsubscribing_stops_updates(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    catch_up(&mut [&mut ann, &mut bob]);
    bob.say(&json!({ "type": "UNSUBSCRIBE", "gameId": bob.game() }));
    // The table refuses this after it has handled the first message; a PING is answered on the way to the table.
    bob.say(&json!({ "type": "READY", "gameId": bob.game(), "requestId": "late" }));
    bob.next("ERROR");
    let heard = bob.heard.len();
    ann.invite(grant(Role::Spectator, None));
    bob.say(&json!({ "type": "PING", "nonce": 2 }));
    bob.next("PONG");
    assert!(bob.heard[heard..].iter().all(|message| message["type"] != "STATE_UPDATE"), "{:?}", &bob.heard[heard..]);
}

/// `EXECUTE_ACTION`, sent repeatedly.
pub fn a_repeated_request_executes_once(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    play_until(&mut [&mut ann], |players| players[0].choice().is_some());
    let (choice, version) = (ann.choice().unwrap(), ann.version());
    let request = json!({
        "type": "EXECUTE_ACTION", "gameId": ann.game(), "requestId": "once", "version": version, "action": choice,
    });
    let mut acks = Vec::new();
    for _ in 0..3 {
        ann.say(&request);
        let from = ann.heard.len();
        ann.wait("a reply", |ann| ann.heard[from..].iter().any(|m| m["ack"]["requestId"] == "once"));
        let answer = ann.heard[from..].iter().find(|m| m["ack"]["requestId"] == "once").unwrap();
        acks.push(answer["ack"]["version"].as_u64().unwrap());
    }
    assert!(acks.windows(2).all(|pair| pair[0] == pair[1]) && acks[0] > version, "{acks:?}");
}

/// `INVITE` with `revoke`.
pub fn a_revoked_invite_is_rejected(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, number) = ann.invite(seat_grant(1));
    ann.client.revoke(0, number).unwrap();
    let answer = ann.next("INVITED");
    assert!(answer["key"].is_null());
    let bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert!(bob.client.is_over());
    assert_eq!(bob.heard[0]["error"]["code"], "bad-key");
}

/// `DECLINE_UNDO`.
pub fn an_undo_request_is_declined(host: &mut dyn Host) {
    let (mut ann, mut bob) = ann_and_bob(host);
    // Ann's bid is followed by Bob's, so that no bot ends the request by acting.
    play_until(&mut [&mut ann, &mut bob], |players| {
        let state = &players[0].view().state;
        let has_called = |seat| state.auction.iter().any(|call| call.player == seat);
        state.phase == Phase::Bidding && players[0].choice().is_some() && !has_called(players[1].seat())
    });
    let to = ann.view().state.events;
    ann.act(ann.choice().unwrap());
    ann.act(Action::Undo { to });
    bob.wait("the question", |bob| bob.client.is_asked_to_undo());
    bob.client.decline_undo(0).unwrap();
    let by = Some(bob.seat());
    for player in [&mut bob, &mut ann] {
        player.wait("the refusal", |player| player.view().metadata.undo_declined == by);
        assert_eq!(player.view().metadata.undo, None);
        assert_eq!(player.view().state.events, to + 1, "nothing may be undone");
    }
}

/// An invite's key shows who sits where, but no hands, if the host has HTTP.
pub fn an_invite_shows_the_seated_players(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haha", 7);
    let path = format!("/api/games/{}/state", ann.game());
    for invited in [grant(Role::Player, None), grant(Role::Spectator, None), grant(Role::Coach, Some(0))] {
        let (key, _) = ann.invite(invited);
        let key = String::from(key);
        let Some((status, answer)) = host.request("GET", &path, Some(&key), &json!(null)) else { return };
        assert_eq!((status, answer["type"].as_str()), (200, Some("STATE_UPDATE")), "{answer}");
        let players = answer["view"]["players"].as_array().unwrap();
        assert!(players.iter().any(|player| player["name"] == "Ann" && player["playerIndex"] == 0), "{answer}");
        assert_eq!(answer["view"]["validActions"], json!([]));
    }
}

/// Ann, and Bob on the second seat.
fn ann_and_bob(host: &mut dyn Host) -> (Player, Player) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    catch_up(&mut [&mut ann, &mut bob]);
    (ann, bob)
}

/// Waits until the players on the second seat are shown with this control.
fn wait_for_control(ann: &mut Player, control: Control) {
    ann.wait("the control of the seat", |ann| {
        let seated = ann.view().players.iter().find(|player| player.player_index.is_some_and(|seat| seat.index() == 1));
        seated.is_some_and(|player| player.control_type == control)
    });
}

/// `LEAVE_GAME`: a bot plays until the person returns.
pub fn leaving_keeps_the_seat(host: &mut dyn Host) {
    let (mut ann, mut bob) = ann_and_bob(host);
    let ticket = bob.client.ticket().unwrap().clone();
    bob.client.leave(0).unwrap();
    assert_eq!(bob.next("LEFT")["isSeatKept"], true);
    wait_for_control(&mut ann, Control::Ai);
    let is_bob = |player: &PlayerView| player.name.as_str() == "Bob" && player.player_index == Seat::new(1);
    let away = ann.view().players.iter().find(|player| is_bob(player)).unwrap();
    assert!(!away.is_connected, "{away:?}");
    let mut again = Player::resume(host, ticket.clone());
    assert_eq!(again.seat().index(), 1);
    wait_for_control(&mut ann, Control::Human);
    play_until(&mut [&mut ann, &mut again], |players| players[1].choice().is_some());
    // Over HTTP, where there is one, as well.
    let (path, key) = (format!("/api/games/{}", ann.game()), String::from(ticket.key));
    if let Some((status, left)) = host.request("POST", &format!("{path}/leave"), Some(&key), &json!({})) {
        assert_eq!((status, &left["isSeatKept"]), (200, &json!(true)), "{left}");
        again.next("LEFT");
        wait_for_control(&mut ann, Control::Ai);
        let body = json!({ "name": "Bob" });
        let (status, joined) = host.request("POST", &format!("{path}/join"), Some(&key), &body).unwrap();
        assert_eq!((status, &joined["seat"]), (200, &json!(1)), "{joined}");
        wait_for_control(&mut ann, Control::Human);
    }
}

/// `GIVE_UP_SEAT`.
pub fn giving_up_frees_the_seat(host: &mut dyn Host) {
    let (mut ann, mut bob) = ann_and_bob(host);
    let ticket = bob.client.ticket().unwrap().clone();
    bob.client.give_up_seat(0).unwrap();
    assert_eq!(bob.next("LEFT")["isSeatKept"], json!(null));
    ann.wait("Bob to leave", |ann| ann.heard.iter().any(|m| m["status"] == "left"));
    let again = Player::resume(host, ticket);
    assert!(again.client.is_over(), "a key must be invalid after its seat was given up");
    wait_for_control(&mut ann, Control::Ai);
}

/// `PING`, `PONG`.
pub fn a_ping_is_answered(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    ann.say(&json!({ "type": "PING", "nonce": 77 }));
    assert_eq!(ann.next("PONG")["nonce"], 77);
}

/// `PROGRESS`.
pub fn a_deal_search_reports_progress(host: &mut dyn Host) {
    let mut connection = host.connect();
    let create = json!({
        "type": "CREATE_GAME", "name": "Ann", "table": { "deal": "seeded" },
        "config": { "layers": [{ "type": "one-hand" }], "players": ["human", "ai", "ai", "ai"] },
    });
    connection.send(&create.to_string());
    let mut steps = Vec::new();
    loop {
        let message = connection.receive().unwrap();
        match message["type"].as_str() {
            Some("PROGRESS") => steps.push(message["progress"].as_u64().unwrap()),
            Some("GAME_CREATED") => break,
            _ => panic!("{message}"),
        }
    }
    assert!(!steps.is_empty() && steps.is_sorted());
}

/// The daily challenge has the requested difficulty and is the same for everyone.
pub fn the_daily_challenge_is_the_same_for_everyone(host: &mut dyn Host) {
    let mut hand = |difficulty: &str| {
        let mut connection = host.connect();
        let daily = json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": difficulty });
        let create = json!({
            "type": "CREATE_GAME", "name": "Ann", "table": { "deal": "seeded" },
            "config": { "layers": [daily], "players": ["human", "ai", "ai", "ai"] },
        });
        connection.send(&create.to_string());
        loop {
            let message = connection.receive().unwrap();
            if message["type"] == "GAME_CREATED" {
                return message["view"]["state"]["players"][0]["hand"].clone();
            }
            assert_eq!(message["type"], "PROGRESS", "{message}");
        }
    };
    let easy = hand("easy");
    assert_eq!(hand("easy"), easy);
    // Every host must find this hand. It changes only if the bots' evaluation of hands changes, and then in mid-day.
    assert_eq!(easy, json!(["5-3", "5-4", "5-5", "6-0", "6-1", "6-4", "6-6"]));
    assert_ne!(hand("hard"), easy);
}

/// The HTTP endpoints, if the host has them.
pub fn http_requests_play_a_game(host: &mut dyn Host) {
    let create =
        json!({ "name": "Ann", "config": { "players": ["human", "ai", "ai", "ai"] }, "table": { "pause": 0 } });
    let Some((status, created)) = host.request("POST", "/api/games", None, &create) else { return };
    assert_eq!((status, created["type"].as_str()), (201, Some("GAME_CREATED")), "{created}");
    let (id, key) = (created["gameId"].as_str().unwrap(), created["key"].as_str().unwrap());
    let path = |rest: &str| format!("/api/games/{id}/{rest}");
    for turn in 0..12 {
        let next = wait_for("a choice or the end of the game", || {
            let (status, state) = host.request("GET", &path("state"), Some(key), &json!(null)).unwrap();
            assert_eq!(status, 200, "{state}");
            if state["view"]["state"]["phase"] == "game-end" {
                return Some(None);
            }
            let valid = state["view"]["validActions"].as_array().unwrap();
            let choice = valid.iter().rev().find(|valid| valid["action"]["type"] != "claim")?;
            Some(Some((state["version"].clone(), choice["action"].clone())))
        });
        // The highest bid, which is chosen here, can decide the game in one hand.
        let Some((version, choice)) = next else { break };
        let action = json!({ "requestId": format!("r{turn}"), "version": version, "action": choice });
        // A repeated request is answered like the first.
        for _ in 0..2 {
            let (status, answer) = host.request("POST", &path("action"), Some(key), &action).unwrap();
            assert_eq!((status, answer["ack"]["requestId"].as_str()), (200, action["requestId"].as_str()), "{answer}");
        }
    }
    let (status, actions) = host.request("GET", &path("actions?playerId=p1"), Some(key), &json!(null)).unwrap();
    assert!(status == 200 && actions["validActions"].is_array(), "{actions}");
    let (status, _) = host.request("GET", &path("actions?playerId=p99"), Some(key), &json!(null)).unwrap();
    assert_eq!(status, 403);
    let (status, _) = host.request("GET", &path("state"), None, &json!(null)).unwrap();
    assert_eq!(status, 401);
    // Joining over HTTP next to an open connection.
    let mut bea = Player::create(host, "hhaa", 7);
    let (key, _) = bea.invite(seat_grant(1));
    let (status, joined) = host
        .request(
            "POST",
            &format!("/api/games/{}/join", bea.game()),
            Some(&String::from(key)),
            &json!({ "name": "Bob" }),
        )
        .unwrap();
    assert_eq!((status, joined["type"].as_str()), (200, Some("JOINED")), "{joined}");
    bea.wait("the game to start", |bea| bea.view().state.phase != Phase::Setup);
    let key = joined["key"].as_str().unwrap();
    let give_up = format!("/api/games/{}/give-up", bea.game());
    assert_eq!(host.request("POST", &give_up, Some(key), &json!({})).unwrap().0, 200);
    assert_eq!(host.request("POST", &give_up, Some(key), &json!({})).unwrap().0, 401);
}

/// A table over HTTP alone. Every request is sent twice, as after a lost answer.
struct HttpTable<'a> {
    host: &'a mut dyn Host,
    game: String,
    requests: u32,
}

impl HttpTable<'_> {
    fn get(&mut self, key: &str, what: &str) -> Value {
        let path = format!("/api/games/{}/{what}", self.game);
        let (status, answer) = self.host.request("GET", &path, Some(key), &json!(null)).unwrap();
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// Sends a request twice and returns the first answer, which the second must equal in `same`.
    fn post(&mut self, key: &str, what: &str, mut body: Value, same: &str) -> Value {
        self.requests += 1;
        body["requestId"] = format!("h{}", self.requests).into();
        let path = format!("/api/games/{}/{what}", self.game);
        let [first, second] = [(); 2].map(|()| {
            let (status, answer) = self.host.request("POST", &path, Some(key), &body).unwrap();
            assert_eq!(status, 200, "{what} {body}: {answer}");
            answer
        });
        assert!(!first[same].is_null() && first[same] == second[same], "{first} {second}");
        first
    }

    /// Sends a request once, regardless of the response status.
    fn request(&mut self, method: &str, key: &str, what: &str, body: &Value) -> (u16, Value) {
        let path = format!("/api/games/{}/{what}", self.game);
        self.host.request(method, &path, Some(key), body).unwrap()
    }

    fn act(&mut self, key: &str, action: &Value) {
        let version = self.get(key, "state")["version"].clone();
        self.post(key, "action", json!({ "version": version, "action": action }), "ack");
    }
}

/// `INVITE` with a grant and with `revoke`, `READY`, `SAY`, `ALLOW_COACH`, `EXECUTE_ACTION` with an undo, `DECLINE_UNDO`,
/// `SET_PLAYER_CONTROL`, `REMATCH` and `GIVE_UP_SEAT` without a WebSocket.
pub fn http_offers_every_request_of_a_session(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "human", "human", "human"], "target": 1 });
    let create = json!({ "name": "Ann", "config": config, "table": { "pause": 0, "ready": true } });
    let Some((status, created)) = host.request("POST", "/api/games", None, &create) else { return };
    assert_eq!(status, 201, "{created}");
    let mut table = HttpTable { host, game: created["gameId"].as_str().unwrap().to_owned(), requests: 0 };
    let ann = created["key"].as_str().unwrap().to_owned();
    let mut keys = vec![ann.clone()];
    for seat in 1..4 {
        let own = String::from(SecretKey::new(texas42_server::serve::random()));
        let body = json!({ "grant": { "role": "player", "seat": seat }, "key": own });
        table.post(&ann, "invite", body, "invitation");
        let joined =
            table.post(&own, "join", json!({ "name": format!("P{seat}"), "sessionKey": key_of(seat) }), "seat");
        assert_eq!(joined["seat"], seat);
        keys.push(key_of(seat));
    }
    for key in &keys {
        table.post(key, "ready", json!({}), "ack");
    }
    assert_eq!(table.post(&keys[1], "say", json!({ "phrase": "hello" }), "phrase")["phrase"], "hello");
    table.post(&keys[1], "coach", json!({ "allowed": false }), "ack");
    assert_eq!(table.get(&ann, "state")["view"]["metadata"]["coachOff"], json!([1]));
    let is_next = |table: &mut HttpTable<'_>, key: &String| !is_empty(&table.get(key, "actions")["validActions"]);
    let next = keys.iter().position(|key| is_next(&mut table, key)).unwrap();
    let bid = table.get(&keys[next], "actions")["validActions"][0]["action"].clone();
    table.act(&keys[next], &bid);
    table.act(&ann, &json!({ "type": "undo", "to": 0 }));
    table.post(&keys[1], "decline-undo", json!({}), "ack");
    assert_eq!(table.get(&ann, "state")["view"]["metadata"]["undoDeclined"], 1);
    for key in &keys {
        table.act(key, &json!({ "type": "undo", "to": 0 }));
    }
    assert!(is_next(&mut table, &keys[next]), "the bid was taken back");
    for (seat, key) in keys.iter().enumerate() {
        table.post(key, "control", json!({ "player": seat, "controlType": "ai" }), "ack");
    }
    let is_over = |table: &mut HttpTable<'_>| table.get(&ann, "state")["view"]["state"]["phase"] == "game-end";
    wait_until("the end of the game", || is_over(&mut table));
    table.post(&ann, "rematch", json!({}), "ack");
    assert_eq!(table.get(&ann, "state")["view"]["metadata"]["gameNumber"], 1);
    // A revoked invite ends the session that joined with it.
    let own = String::from(SecretKey::new(texas42_server::serve::random()));
    let invited = table.post(&ann, "invite", json!({ "grant": { "role": "spectator" }, "key": own }), "invitation");
    table.post(&own, "join", json!({ "name": "Eve", "sessionKey": key_of(9) }), "playerId");
    table.get(&key_of(9), "state");
    let revoked = table.post(&ann, "invite", json!({ "revoke": invited["invitation"] }), "invitation");
    assert_eq!(revoked["isRevoked"], true, "{revoked}");
    assert_eq!(table.request("GET", &key_of(9), "state", &json!(null)).0, 401);
    assert_eq!(table.request("POST", &own, "join", &json!({ "name": "Eve" })).0, 401);
    // A seat that was given up has no session any more.
    let (status, left) = table.request("POST", &keys[3], "give-up", &json!({}));
    assert_eq!((status, &left["type"], &left["isSeatKept"]), (200, &json!("LEFT"), &json!(null)), "{left}");
    assert_eq!(table.request("POST", &keys[3], "give-up", &json!({})).0, 401);
    assert_eq!(table.request("GET", &keys[3], "state", &json!(null)).0, 401);
}

/// The hints of the host, which a WebSocket gets as `HINTS`.
pub fn http_has_the_hints_of_the_host(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "ai", "ai", "ai"], "layers": [{ "type": "hints" }] });
    let create = json!({ "name": "Ann", "config": config, "table": { "pause": 0, "hints": true } });
    let Some((status, created)) = host.request("POST", "/api/games", None, &create) else { return };
    assert_eq!(status, 201, "{created}");
    let mut table = HttpTable { host, game: created["gameId"].as_str().unwrap().to_owned(), requests: 0 };
    let ann = created["key"].as_str().unwrap();
    let actions = wait_for("hints", || {
        let actions = table.get(ann, "actions");
        (!actions["hints"].is_null()).then_some(actions)
    });
    let choices = |list: &Value| -> Vec<Value> {
        list.as_array().into_iter().flatten().map(|choice| choice["action"].clone()).collect()
    };
    assert_eq!(choices(&actions["hints"]), choices(&actions["validActions"]));
}

/// The session key that the person on a seat generated.
fn key_of(seat: u8) -> String {
    SecretKey::new([0x5a ^ seat, 3, 71, 12, 250, 9, 88, 141, 33, 7, 164, 90, 201, 16, 57, seat]).into()
}

fn is_empty(list: &Value) -> bool {
    list.as_array().unwrap().is_empty()
}
