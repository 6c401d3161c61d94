//! A code leads to the lobby of a table, whose host lets the guest in or not.

use serde_json::{Value, json};
use texas42_client::Credentials;
use texas42_protocol::{Grant, LobbyCode, PlayerId, Role, SecretKey};

use crate::{
    Host,
    player::{Player, seat_grant},
};

/// A new key.
fn new_key() -> SecretKey {
    SecretKey::new(texas42_server::serve::random())
}

/// Ann opens the lobby of her table. `None` if the host has no lobbies: then it says so.
fn open(ann: &mut Player) -> Option<LobbyCode> {
    let from = ann.heard.len();
    ann.client.open_lobby(0, false).unwrap();
    ann.wait("the answer", |ann| {
        ann.heard[from..].iter().any(|message| message["type"] == "LOBBY" || message["type"] == "ERROR")
    });
    if let Some(error) = ann.heard[from..].iter().find(|message| message["type"] == "ERROR") {
        assert_eq!(error["error"]["reason"]["code"], "no-lobby-here", "{error}");
        return None;
    }
    Some(ann.client.lobby().code.expect("an open lobby has a code").0)
}

/// A guest who waits in the lobby of Ann's table.
fn knock(host: &mut dyn Host, ann: &mut Player, code: LobbyCode, name: &str) -> (Player, PlayerId) {
    let (game_id, key) = (ann.game(), new_key());
    let knock = Credentials::Knock { game_id, code, key, name: name.try_into().unwrap(), entropy: None };
    let guest = Player::enter(host, knock);
    assert!(guest.client.is_in_lobby(), "{:?}", guest.heard);
    let find_guest = |ann: &Player| ann.client.lobby().guests.iter().find(|other| other.name.as_str() == name).cloned();
    ann.wait("the guest", |ann| find_guest(ann).is_some());
    (guest, find_guest(ann).unwrap().guest)
}

/// `OPEN_LOBBY`, `LOBBY`, `KNOCK`, `KNOCKED`, `INVITE` with a `guest`.
pub fn the_host_lets_in_a_guest_with_a_code(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let Some(code) = open(&mut ann) else { return };
    let (mut cid, guest) = knock(host, &mut ann, code, "Cid");
    assert!(cid.heard.iter().all(|message| message["type"] == "KNOCKED"), "a guest sees nothing: {:?}", cid.heard);
    ann.client.admit(0, guest, seat_grant(1)).unwrap();
    ann.send();
    cid.wait("to be let in", |cid| cid.client.is_joined());
    assert_eq!(cid.seat().index(), 1);
    ann.wait("the lobby to be empty", |ann| ann.client.lobby().guests.is_empty());
}

/// `TURN_AWAY`, and `CLOSE_LOBBY`.
pub fn a_guest_who_is_not_let_in_is_told(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let Some(code) = open(&mut ann) else { return };
    let (mut cid, guest) = knock(host, &mut ann, code, "Cid");
    ann.client.turn_away(0, guest).unwrap();
    ann.send();
    cid.wait("the answer", |cid| cid.client.is_over());
    let reason = |player: &Player| serde_json::to_value(player.client.over()).unwrap()["reason"]["code"].clone();
    assert_eq!(reason(&cid), "turned-away");
    let (mut dan, _) = knock(host, &mut ann, code, "Dan");
    ann.client.close_lobby(0).unwrap();
    ann.send();
    dan.wait("the answer", |dan| dan.client.is_over());
    assert_eq!(reason(&dan), "lobby-closed");
    ann.wait("no code", |ann| ann.client.lobby().code.is_none());
    let late = Credentials::Knock {
        game_id: ann.game(),
        code,
        key: new_key(),
        name: "Eve".try_into().unwrap(),
        entropy: None,
    };
    assert_eq!(reason(&Player::enter(host, late)), "unknown-code");
}

/// `GET /api/codes/{code}`, `LOBBY_FOUND`, if the host has it.
pub fn a_code_shows_a_stranger_who_plays_what(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let Some(code) = open(&mut ann) else { return };
    let typed = code.to_string().to_lowercase();
    let path = format!("/api/codes/{}-{}", &typed[..3], &typed[3..]);
    let Some((status, found)) = host.request("GET", &path, None, &json!(null)) else { return };
    assert_eq!((status, found["type"].as_str()), (200, Some("LOBBY_FOUND")), "{found}");
    assert_eq!((&found["gameId"], &found["host"], &found["code"]), (&json!(ann.game()), &json!("Ann"), &json!(code)));
    assert!(found["players"].as_array().unwrap().iter().all(|player| player["playerId"].is_null()), "{found}");
    assert!(found["config"]["seed"].is_null() && found["view"].is_null(), "{found}");
    for unknown in ["BBBBBB", "short", "x"] {
        let (status, answer) = host.request("GET", &format!("/api/codes/{unknown}"), None, &json!(null)).unwrap();
        assert_eq!((status, answer["error"]["reason"]["code"].as_str()), (404, Some("unknown-code")), "{answer}");
    }
    ann.client.close_lobby(0).unwrap();
    ann.send();
    ann.next("LOBBY");
    assert_eq!(host.request("GET", &path, None, &json!(null)).unwrap().0, 404);
}

/// Host and guest without a connection, if the host has HTTP.
pub fn http_requests_lead_through_the_lobby(host: &mut dyn Host) {
    let create = json!({ "name": "Ann", "config": { "players": ["human", "human", "ai", "ai"] } });
    let Some((_, created)) = host.request("POST", "/api/games", None, &create) else { return };
    let (game, ann) = (created["gameId"].as_str().unwrap(), created["key"].as_str().unwrap());
    let mut post = |key: &str, what: &str, body: Value| {
        let (status, answer) = host.request("POST", &format!("/api/games/{game}/{what}"), Some(key), &body).unwrap();
        assert_eq!(status, 200, "{what}: {answer}");
        answer
    };
    let opened = post(ann, "lobby", json!({ "requestId": "o" }));
    let (code, cid) = (opened["code"].clone(), String::from(new_key()));
    let knock = json!({ "code": code, "name": "Cid" });
    assert_eq!(post(&cid, "knock", knock.clone())["status"], "waiting");
    let lobby = post(ann, "lobby", json!({ "requestId": "p" }));
    assert_eq!((&lobby["code"], &lobby["guests"][0]["name"]), (&code, &json!("Cid")));
    let guest = lobby["guests"][0]["guest"].clone();
    let admit = json!({ "requestId": "a", "grant": { "role": "player" }, "guest": guest });
    assert_eq!(post(ann, "invite", admit)["type"], "INVITED");
    assert_eq!(post(&cid, "knock", knock)["status"], "admitted");
    assert_eq!(post(&cid, "join", json!({ "name": "Cid" }))["type"], "JOINED");
    let dan = String::from(new_key());
    let knock = json!({ "code": code, "name": "Dan" });
    post(&dan, "knock", knock.clone());
    let guest = post(ann, "lobby", json!({ "requestId": "q" }))["guests"][0]["guest"].clone();
    assert_eq!(post(ann, "turn-away", json!({ "requestId": "t", "guest": guest }))["guests"], json!([]));
    assert_eq!(post(&dan, "knock", knock)["status"], "turned-away");
    assert!(post(ann, "close-lobby", json!({ "requestId": "c" }))["code"].is_null());
}

/// A host asks for a code again after a crash of the server, and gets one that works.
pub fn a_lobby_can_be_opened_again_after_a_crash(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    if open(&mut ann).is_none() {
        return;
    }
    let ticket = ann.client.ticket().unwrap().clone();
    host.restart();
    let mut ann = Player::resume(host, ticket);
    let code = open(&mut ann).unwrap();
    let (mut cid, guest) = knock(host, &mut ann, code, "Cid");
    ann.client.admit(0, guest, Grant::of(Role::Player)).unwrap();
    ann.send();
    cid.wait("to be let in", |cid| cid.client.is_joined());
}

/// Codes and guests have a time, if the test controls the clock of the host.
pub fn a_code_and_a_guest_expire(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let Some(code) = open(&mut ann) else { return };
    let (mut cid, _) = knock(host, &mut ann, code, "Cid");
    if !host.advance(5 * 60_000) {
        return;
    }
    ann.say(&json!({ "type": "SUBSCRIBE", "gameId": ann.game() }));
    cid.wait("the answer", |cid| cid.client.is_over());
    assert!(host.advance(10 * 60_000));
    let credentials = Credentials::Knock {
        game_id: ann.game(),
        code,
        key: new_key(),
        name: "Dan".try_into().unwrap(),
        entropy: None,
    };
    assert!(Player::enter(host, credentials).client.is_over());
    ann.wait("no code", |ann| ann.client.lobby().code.is_none());
}
