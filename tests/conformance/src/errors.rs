//! Each error has its code and changes nothing.

use serde_json::{Value, json};
use texas42_protocol::Role;
use texas42_vocab::{Action, Control, Seat};

use crate::{
    Connection, Host,
    player::{Player, grant, play_until, seat_grant},
};

fn error_code(connection: &mut dyn Connection, text: &str) -> String {
    connection.send(text);
    let answer = connection.receive().unwrap_or_else(|| panic!("no reply to {text}"));
    assert_eq!(answer["type"], "ERROR", "{answer}");
    answer["error"]["code"].as_str().unwrap().to_owned()
}

/// `bad-message`: invalid input of every kind gets an error, and the connection stays open.
pub fn bad_message(host: &mut dyn Host) {
    let mut connection = host.connect();
    let invalid = [
        "",
        "{",
        "null",
        "[]",
        "42",
        "\"PING\"",
        "{\"type\":\"NO_SUCH\"}",
        "{\"type\":\"JOIN_GAME\"}",
        "{\"type\":\"CREATE_GAME\",\"name\":\"\"}",
        "{\"type\":\"CREATE_GAME\",\"name\":\"Ann\",\"no\":1}",
        "{\"type\":\"EXECUTE_ACTION\",\"gameId\":\"x\",\"requestId\":\"\",\"version\":0,\"action\":{\"type\":\"pass\",\"player\":0}}",
        "{\"type\":\"EXECUTE_ACTION\",\"gameId\":\"x\",\"requestId\":\"a\",\"version\":-1,\"action\":{\"type\":\"pass\",\"player\":0}}",
        "{\"type\":\"EXECUTE_ACTION\",\"gameId\":\"x\",\"requestId\":\"a\",\"version\":1,\"action\":{\"type\":\"pass\",\"player\":4}}",
    ];
    for text in invalid {
        assert_eq!(error_code(connection.as_mut(), text), "bad-message", "{text}");
    }
    let unknown = r#"{"type":"EXECUTE_ACTION","gameId":"x","requestId":"a","version":1,"action":{"type":"juggle"}}"#;
    connection.send(unknown);
    assert_eq!(connection.receive().unwrap()["requestType"], "EXECUTE_ACTION");
    connection.send(r#"{"type":"PING","nonce":3}"#);
    assert_eq!(connection.receive().unwrap()["nonce"], 3);
}

/// `bad-config`.
pub fn bad_config(host: &mut dyn Host) {
    let mut connection = host.connect();
    for (config, table) in [
        (json!({ "target": 0 }), json!({})),
        (json!({ "players": ["ai", "ai", "ai", "ai"] }), json!({})),
        (json!({ "layers": [{ "type": "tournament" }, { "type": "nello" }] }), json!({})),
        (json!({}), json!({ "deal": "seeded" })),
        (json!({}), json!({ "turnSeconds": 1 })),
    ] {
        let create = json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table });
        assert_eq!(error_code(connection.as_mut(), &create.to_string()), "bad-config", "{create}");
    }
    // Two people who gave no seed are not told to leave it out.
    let players = ["human", "human", "ai", "ai"];
    let easy = json!([{ "type": "one-hand", "difficulty": "easy" }]);
    for (config, reason) in [
        (json!({ "players": players }), "seeded-is-for-one"),
        (json!({ "players": players, "layers": easy }), "search-is-for-one"),
        (json!({ "players": players, "seed": "known" }), "people-need-secret-deals"),
    ] {
        let create = json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": { "deal": "seeded" } });
        connection.send(&create.to_string());
        assert_eq!(connection.receive().unwrap()["error"]["reason"]["code"], reason, "{create}");
    }
    bad_config_of_a_table(host);
}

/// The same for a table where two people sit.
fn bad_config_of_a_table(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhha", 1);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    bob.set_control(bob.seat(), Control::Ai);
    let assert_refused = |ann: &mut Player, kind: &str, config: Value, reason: &str| {
        let table = json!({ "deal": "seeded" });
        let request = json!({ "type": kind, "gameId": ann.game(), "requestId": "x", "config": config, "table": table });
        assert_eq!(ann.refused(&request), "bad-config", "{request}");
        let error = ann.heard.iter().rfind(|message| message["type"] == "ERROR").unwrap();
        assert_eq!(error["error"]["reason"]["code"], reason, "{request}");
    };
    let alone = json!({ "players": ["human", "ai", "ai", "ai"] });
    let seeded = json!({ "players": ["human", "ai", "ai", "ai"], "seed": "known" });
    assert_refused(&mut ann, "CONFIGURE", alone.clone(), "seeded-is-for-one");
    assert_refused(&mut ann, "CONFIGURE", seeded.clone(), "people-need-secret-deals");
    bob.set_control(bob.seat(), Control::Human);
    let players = json!({ "target": 1, "players": ["human", "human", "ai", "ai"] });
    let configure = json!({ "type": "CONFIGURE", "gameId": ann.game(), "requestId": "c", "config": players });
    ann.say(&configure);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    assert_refused(&mut ann, "REMATCH", alone, "seeded-is-for-one");
    assert_refused(&mut ann, "REMATCH", seeded, "people-need-secret-deals");
}

/// `no-such-game`.
pub fn no_such_game(host: &mut dyn Host) {
    let mut connection = host.connect();
    let join = json!({ "type": "JOIN_GAME", "gameId": "nowhere", "name": "Ann" });
    assert_eq!(error_code(connection.as_mut(), &join.to_string()), "no-such-game");
}

/// `not-joined`: every request needs a session.
pub fn not_joined(host: &mut dyn Host) {
    let ann = Player::create(host, "hhaa", 7);
    let mut connection = host.connect();
    for message in requests(&ann) {
        assert_eq!(error_code(connection.as_mut(), &message.to_string()), "not-joined", "{message}");
    }
}

/// Every request that a session can send to a table.
fn requests(of: &Player) -> Vec<Value> {
    let mut messages = vec![
        json!({ "type": "SUBSCRIBE" }),
        json!({ "type": "UNSUBSCRIBE" }),
        json!({ "type": "LEAVE_GAME" }),
        json!({ "type": "EXECUTE_ACTION", "requestId": "x1", "version": of.version(), "action": { "type": "pass", "player": 0 } }),
        json!({ "type": "SET_PLAYER_CONTROL", "requestId": "x2", "player": 0, "controlType": "ai" }),
        json!({ "type": "INVITE", "requestId": "x3", "grant": { "role": "player", "seat": 1 } }),
        json!({ "type": "REMATCH", "requestId": "x4" }),
        json!({ "type": "READY", "requestId": "x5" }),
        json!({ "type": "CONFIGURE", "requestId": "x6", "config": { "target": 1 } }),
        json!({ "type": "OPEN_LOBBY", "requestId": "x7" }),
        json!({ "type": "CLOSE_LOBBY", "requestId": "x8" }),
        json!({ "type": "TURN_AWAY", "requestId": "x9", "guest": "g1" }),
    ];
    messages.iter_mut().for_each(|message| message["gameId"] = json!(of.game()));
    messages
}

/// `bad-key`.
pub fn bad_key(host: &mut dyn Host) {
    let ann = Player::create(host, "hhaa", 7);
    let mut connection = host.connect();
    for key in [None, Some("AAAAAAAAAAAAAAAAAAAAAA")] {
        let join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "name": "Eve", "key": key });
        assert_eq!(error_code(connection.as_mut(), &join.to_string()), "bad-key");
    }
}

/// `not-allowed`: another player's seat, the table's own actions, inviting without permission.
pub fn not_allowed(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    let version = bob.version();
    for action in
        [json!({ "type": "pass", "player": 0 }), json!({ "type": "complete-trick" }), json!({ "type": "score-hand" })]
    {
        let message = json!({
            "type": "EXECUTE_ACTION", "gameId": bob.game(), "requestId": "n", "version": version, "action": action,
        });
        assert_eq!(bob.refused(&message), "not-allowed", "{action}");
    }
    let invite = json!({ "type": "INVITE", "gameId": bob.game(), "requestId": "i", "grant": { "role": "spectator" } });
    assert_eq!(bob.refused(&invite), "not-allowed");
    let swap = json!({
        "type": "SET_PLAYER_CONTROL", "gameId": bob.game(), "requestId": "s", "player": 0, "controlType": "ai",
    });
    assert_eq!(bob.refused(&swap), "not-allowed");
}

/// `seat-taken`.
pub fn seat_taken(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(0));
    let eve = Player::join(host, &ann.game(), Some(key), "Eve");
    assert_eq!(eve.heard[0]["error"]["code"], "seat-taken");
}

/// `not-started`.
pub fn not_started(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let message = json!({
        "type": "EXECUTE_ACTION", "gameId": ann.game(), "requestId": "n", "version": ann.version(),
        "action": { "type": "pass", "player": 0 },
    });
    assert_eq!(ann.refused(&message), "not-started");
}

/// `refused`: illegal by the rules; the error has a reason and a fresh view.
pub fn refused(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    play_until(&mut [&mut ann], |players| players[0].choice().is_some());
    let message = json!({
        "type": "EXECUTE_ACTION", "gameId": ann.game(), "requestId": "n", "version": ann.version(),
        "action": { "type": "play", "player": 0, "domino": "6-6" },
    });
    assert_eq!(ann.refused(&message), "refused");
    let error = ann.heard.iter().rfind(|message| message["type"] == "ERROR").unwrap();
    assert!(error["view"].is_object() && error["error"]["reason"].is_object(), "{error}");
    let rematch = json!({ "type": "REMATCH", "gameId": ann.game(), "requestId": "r" });
    assert_eq!(ann.refused(&rematch), "refused");
}

/// `stale`: based on an outdated version; the error has a fresh view.
pub fn stale(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    play_until(&mut [&mut ann], |players| players[0].choice().is_some());
    let (choice, version) = (ann.choice().unwrap(), ann.version());
    ann.act(choice);
    let message = json!({
        "type": "EXECUTE_ACTION", "gameId": ann.game(), "requestId": "late", "version": version, "action": choice,
    });
    assert_eq!(ann.refused(&message), "stale");
    let error = ann.heard.iter().rfind(|message| message["type"] == "ERROR").unwrap();
    assert!(error["view"].is_object() && error["version"].as_u64() > Some(version), "{error}");
}

/// `full`: the number of invites is limited.
pub fn full(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    for number in 0..200 {
        let invite = json!({
            "type": "INVITE", "gameId": ann.game(), "requestId": format!("i{number}"), "grant": { "role": "spectator" },
        });
        ann.say(&invite);
        let from = ann.heard.len();
        ann.wait("a reply", |ann| ann.heard[from..].iter().any(|m| m["type"] == "INVITED" || m["type"] == "ERROR"));
        if let Some(error) = ann.heard[from..].iter().find(|m| m["type"] == "ERROR") {
            assert_eq!(error["error"]["code"], "full");
            return;
        }
    }
    panic!("the number of invites has no limit");
}

/// The error for an invalid JSON message has the message's request id, if there is a valid one.
pub fn an_error_has_the_request_id(host: &mut dyn Host) {
    let mut connection = host.connect();
    for (text, request_id) in [
        (r#"{"type":"NO_SUCH","requestId":"a1"}"#, json!("a1")),
        (r#"{"type":"JOIN_GAME","requestId":"a2","gameId":7}"#, json!("a2")),
        (r#"{"requestId":"a3"}"#, json!("a3")),
        (r#"{"type":"NO_SUCH","requestId":""}"#, json!(null)),
        (r#"{"type":"NO_SUCH","requestId":4}"#, json!(null)),
        (r#"{"type":"NO_SUCH","requestId":"a5""#, json!(null)),
    ] {
        connection.send(text);
        let answer = connection.receive().unwrap();
        assert_eq!(
            (answer["error"]["code"].as_str(), &answer["requestId"]),
            (Some("bad-message"), &request_id),
            "{text}"
        );
    }
    drop(connection);
    http_errors_have_the_request_id(host);
}

/// The same over HTTP, if the host has it. A body cannot name another type than the path does.
fn http_errors_have_the_request_id(host: &mut dyn Host) {
    let create = json!({ "name": "Ann", "config": { "players": ["human", "human", "ai", "ai"] } });
    let Some((_, created)) = host.request("POST", "/api/games", None, &create) else { return };
    let (game, key) = (created["gameId"].as_str().unwrap().to_owned(), created["key"].as_str().unwrap().to_owned());
    let path = |name: &str| format!("/api/games/{game}/{name}");
    for (path, body, code) in [
        (path("join"), json!({ "type": "LEAVE_GAME", "name": "Bob" }), "bad-message"),
        (path("join"), json!({ "name": 7 }), "bad-message"),
        (path("action"), json!({}), "bad-message"),
        (path("ready"), json!({}), "refused"),
        ("/api/games".to_owned(), json!({ "name": 7 }), "bad-message"),
        ("/api/games/nobody/ready".to_owned(), json!({}), "no-such-game"),
    ] {
        let mut body = body;
        body["requestId"] = json!("h1");
        let (_, answer) = host.request("POST", &path, Some(&key), &body).unwrap();
        assert_eq!((&answer["error"]["code"], &answer["requestId"]), (&json!(code), &json!("h1")), "{path}: {answer}");
    }
}

/// Every refused HTTP request gets an `ERROR` with a code and a sentence, if the host has HTTP.
pub fn every_refused_http_request_gets_an_error_body(host: &mut dyn Host) {
    let long = json!({ "name": "x".repeat(70_000) });
    for (method, path, body, status, code) in [
        ("POST", "/api/games", json!("no object"), 400, "bad-message"),
        ("GET", "/api/ws", json!(null), 400, "bad-message"),
        ("GET", "/api/games/nobody/ws", json!(null), 400, "bad-message"),
        ("GET", "/api/nothing", json!(null), 404, "no-such-game"),
        ("GET", "/api/games/nobody", json!(null), 404, "no-such-game"),
        ("GET", "/api/games/nobody/state", json!(null), 404, "no-such-game"),
        ("POST", "/api/games/nobody/nothing", json!({}), 404, "no-such-game"),
        ("GET", "/nothing.js", json!(null), 404, "no-such-game"),
        ("GET", "/api/games", json!(null), 405, "bad-message"),
        ("DELETE", "/api/games/import", json!({}), 405, "bad-message"),
        ("POST", "/api/games/nobody/state", json!({}), 405, "bad-message"),
        ("PUT", "/api/games/nobody/action", json!({}), 405, "bad-message"),
        ("POST", "/api/ws", json!({}), 405, "bad-message"),
        ("POST", "/", json!({}), 405, "bad-message"),
        ("POST", "/api/games", long.clone(), 413, "bad-message"),
        ("POST", "/api/games/nobody/join", long, 413, "bad-message"),
    ] {
        let Some((found, answer)) = host.request(method, path, None, &body) else { return };
        let what = format!("{method} {path}: {found} {answer}");
        assert_eq!((found, answer["type"].as_str()), (status, Some("ERROR")), "{what}");
        assert_eq!(answer["error"]["code"], code, "{what}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(' ')), "{what}");
    }
}

/// An attacker who knows all public ids, versions and request ids, and is even a spectator, can neither act nor see
/// hands.
pub fn public_ids_grant_nothing(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    let (key, _) = ann.invite(grant(Role::Spectator, None));
    let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
    play_until(&mut [&mut ann], |players| players[0].choice().is_some());
    let version = ann.version();
    let before = ann.view().clone();
    let public: Vec<String> = ann.view().players.iter().map(|player| player.player_id.to_string()).collect();
    attack_from_outside(host, &ann, &public);
    attack_as_spectator(&mut eve, version, &ann);
    eve.say(&json!({ "type": "PING", "nonce": 9 }));
    eve.next("PONG");
    for message in &eve.heard {
        let hands = message["view"]["state"]["players"].as_array().into_iter().flatten();
        assert!(hands.into_iter().all(|hand| hand["hand"].as_array().is_none_or(Vec::is_empty)), "{message}");
    }
    // Nothing has changed at the table, except that a spectator may have joined.
    let choice = ann.choice().unwrap();
    assert_eq!(ann.view().state, before.state);
    ann.act(choice);
}

fn attack_from_outside(host: &mut dyn Host, ann: &Player, public: &[String]) {
    let mut connection = host.connect();
    for key in public.iter().map(String::as_str).chain([ann.game().as_str(), ""]) {
        let join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "name": "Ann", "key": key, "seat": 0, "role": "player" });
        assert!(["bad-key", "bad-message"].contains(&error_code(connection.as_mut(), &join.to_string()).as_str()));
        if let Some((status, _)) =
            host.request("GET", &format!("/api/games/{}/state", ann.game()), Some(key), &json!(null))
        {
            assert_eq!(status, 401);
        }
    }
    for role in ["player", "student", "ai", "admin", "coach", "spectator"] {
        let join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "name": "Ann", "role": role });
        assert_eq!(error_code(connection.as_mut(), &join.to_string()), "bad-key", "{role}");
    }
    for message in requests(ann) {
        assert_eq!(error_code(connection.as_mut(), &message.to_string()), "not-joined");
    }
}

fn attack_as_spectator(eve: &mut Player, version: u64, ann: &Player) {
    for action in ann.client.valid_actions().iter().map(|valid| valid.action).chain([Action::Undo { to: 0 }]) {
        let mut forged = json!({
            "type": "EXECUTE_ACTION", "gameId": eve.game(), "requestId": "f", "version": version, "action": action,
        });
        forged["action"]["authority"] = json!("system");
        forged["action"]["meta"] = json!({ "authority": "system", "autoExecute": true });
        let code = eve.refused(&forged);
        assert!(["not-allowed", "bad-message"].contains(&code.as_str()), "{code}");
        forged["action"] = json!(action);
        assert_eq!(eve.refused(&forged), "not-allowed");
    }
    for seat in Seat::ALL {
        let swap = json!({
            "type": "SET_PLAYER_CONTROL", "gameId": eve.game(), "requestId": "s", "player": seat, "controlType": "human",
        });
        assert_eq!(eve.refused(&swap), "not-allowed");
    }
    let invite = json!({
        "type": "INVITE", "gameId": eve.game(), "requestId": "i", "grant": { "role": "spectator", "openHands": true },
    });
    assert_eq!(eve.refused(&invite), "not-allowed");
}

/// A name that cannot be read, or that looks like another name at the table, is refused with its reason.
pub fn names_are_readable_and_unique(host: &mut dyn Host) {
    let reason = |connection: &mut dyn Connection, message: &Value| {
        connection.send(&message.to_string());
        let answer = connection.receive().unwrap();
        assert_eq!(
            (answer["type"].as_str(), answer["error"]["field"].as_str()),
            (Some("ERROR"), Some("name")),
            "{answer}"
        );
        answer["error"]["reason"]["code"].as_str().unwrap().to_owned()
    };
    let unreadable = ["\u{301}\u{302}", "Ann\u{fdd0}", "A\u{301}\u{301}\u{301}\u{301}\u{301}", "\u{e000}"];
    let mut connection = host.connect();
    for name in unreadable {
        assert_eq!(
            reason(connection.as_mut(), &json!({ "type": "CREATE_GAME", "name": name })),
            "name-unreadable",
            "{name:?}"
        );
    }
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "key": key, "name": "Ann" });
    let bots = ann.view().players.iter().map(|player| player.name.to_string()).filter(|name| name != "Ann");
    let taken: Vec<String> =
        ["Ann", "ANN", "A n n", "\u{410}nn", "Ann\u{301}"].map(str::to_owned).into_iter().chain(bots).collect();
    assert!(taken.len() > 5, "the names of bots count: {taken:?}");
    for name in taken {
        join["name"] = json!(name);
        assert_eq!(reason(connection.as_mut(), &join), "name-taken", "{name:?}");
    }
    join["name"] = json!(unreadable[0]);
    assert_eq!(reason(connection.as_mut(), &join), "name-unreadable");
    join["name"] = json!("Jose\u{301}");
    connection.send(&join.to_string());
    assert_eq!(connection.receive().unwrap()["type"], "JOINED");
}

/// `rate-limited`: one invite does not use up the visitors of the table.
pub fn the_visitors_of_a_link_come_at_a_limited_rate(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    let [(link, _), (other, _)] = [(); 2].map(|()| ann.invite(grant(Role::Spectator, None)));
    let game = ann.game();
    // One a minute is added to the sixty.
    for number in 0..100 {
        let mut connection = host.connect();
        let join = json!({ "type": "JOIN_GAME", "gameId": game, "key": link, "name": format!("Visitor {number}") });
        connection.send(&join.to_string());
        let reply = connection.receive().unwrap();
        if reply["type"] == "ERROR" {
            assert!(number >= 60, "{number}: {reply}");
            assert_eq!(reply["error"]["code"], "rate-limited");
            assert_eq!(reply["error"]["reason"]["code"], "too-many-with-invite");
            Player::join(host, &game, Some(other), "Friend");
            return;
        }
        assert_eq!(reply["type"], "JOINED", "{number}");
        connection.send(&json!({ "type": "LEAVE_GAME", "gameId": game }).to_string());
        while connection.receive().unwrap()["type"] != "LEFT" {}
    }
    panic!("an invite admits visitors without a limit");
}
