//! Each message does what the protocol says.

use serde_json::json;
use texas42_protocol::{Role, SecretKey};
use texas42_vocab::{Control, Phase};

use crate::{
    Host,
    player::{Player, catch_up, grant, play_until, seat_grant},
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
        let mut line = host.connect();
        line.send(&create.to_string());
        let answer = line.receive().unwrap();
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
    bob.say(&json!({ "type": "PING", "nonce": 1 }));
    bob.next("PONG");
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

/// An invite's key shows who sits where, but no hands, if the host has HTTP.
pub fn an_invite_shows_the_seated_players(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haha", 7);
    let (key, _) = ann.invite(grant(Role::Player, None));
    let key = String::from(key);
    let path = format!("/api/games/{}/state", ann.game());
    let Some((status, answer)) = host.request("GET", &path, Some(&key), &json!(null)) else { return };
    assert_eq!((status, answer["type"].as_str()), (200, Some("STATE_UPDATE")), "{answer}");
    let players = answer["view"]["players"].as_array().unwrap();
    assert!(players.iter().any(|player| player["name"] == "Ann" && player["playerIndex"] == 0), "{answer}");
    assert_eq!(answer["view"]["validActions"], json!([]));
}

/// `LEAVE_GAME`, `SET_PLAYER_CONTROL`.
pub fn leaving_frees_the_seat(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    catch_up(&mut [&mut ann, &mut bob]);
    let ticket = bob.client.ticket().unwrap().clone();
    bob.client.leave();
    bob.next("LEFT");
    ann.wait("Bob to leave", |ann| ann.heard.iter().any(|m| m["status"] == "left"));
    let again = Player::resume(host, ticket);
    assert!(again.client.is_over(), "a key must be invalid after leaving");
    // A bot takes over Bob's seat.
    ann.wait("a bot on the seat", |ann| {
        let seated = ann.view().players.iter().find(|player| player.player_index.is_some_and(|seat| seat.index() == 1));
        seated.is_some_and(|player| player.control_type == Control::Ai)
    });
}

/// `PING`, `PONG`.
pub fn a_ping_is_answered(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    ann.say(&json!({ "type": "PING", "nonce": 77 }));
    assert_eq!(ann.next("PONG")["nonce"], 77);
}

/// `PROGRESS`.
pub fn a_deal_search_reports_progress(host: &mut dyn Host) {
    let mut line = host.connect();
    let create = json!({
        "type": "CREATE_GAME", "name": "Ann", "table": { "deal": "seeded" },
        "config": { "layers": [{ "type": "one-hand" }], "players": ["human", "ai", "ai", "ai"] },
    });
    line.send(&create.to_string());
    let mut steps = Vec::new();
    loop {
        let message = line.receive().unwrap();
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
        let mut line = host.connect();
        let daily = json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": difficulty });
        let create = json!({
            "type": "CREATE_GAME", "name": "Ann", "table": { "deal": "seeded" },
            "config": { "layers": [daily], "players": ["human", "ai", "ai", "ai"] },
        });
        line.send(&create.to_string());
        loop {
            let message = line.receive().unwrap();
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
    let mut done = 0;
    for turn in 0..2000 {
        let (status, state) = host.request("GET", &path("state"), Some(key), &json!(null)).unwrap();
        assert_eq!(status, 200, "{state}");
        let version = state["version"].clone();
        let valid = state["view"]["validActions"].as_array().unwrap();
        if state["view"]["state"]["handNumber"].as_u64() > Some(0) || done > 12 {
            break;
        }
        let Some(choice) = valid.iter().rev().find(|valid| valid["action"]["type"] != "claim") else {
            std::thread::sleep(std::time::Duration::from_millis(2));
            continue;
        };
        let action = json!({ "requestId": format!("r{turn}"), "version": version, "action": choice["action"] });
        for _ in 0..2 {
            let (status, answer) = host.request("POST", &path("action"), Some(key), &action).unwrap();
            assert_eq!((status, answer["ack"]["requestId"].as_str()), (200, action["requestId"].as_str()), "{answer}");
        }
        done += 1;
    }
    assert!(done > 0);
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
    let leave = format!("/api/games/{}/leave", bea.game());
    assert_eq!(host.request("POST", &leave, Some(key), &json!({})).unwrap().0, 200);
    assert_eq!(host.request("POST", &leave, Some(key), &json!({})).unwrap().0, 401);
}
