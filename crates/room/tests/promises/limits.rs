//! What a table does not take.

use serde_json::json;
use texas42_engine::MOST_EVENTS;
use texas42_protocol::{ErrorCode, SecretKey};
use texas42_vocab::Action;

use crate::support::*;

/// Who is invited to watch has a session, and sessions are bounded; no crowd keeps a player from the own seat.
#[test]
fn a_table_has_512_sessions_at_most_and_a_seat_beyond_them() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({}));
    let key = host.invite(&json!({ "role": "player" }));
    let watch = host.invite(&json!({ "role": "spectator" }));
    for number in 0..511 {
        host.room.handle_message(0, 100 + number, read(&visit(Some(&watch))));
        host.room.handle_disconnect(0, 100 + number);
        while let Some(effect) = host.room.poll_effect() {
            if let texas42_room::Effect::Store(events) = effect {
                host.log.extend(events);
            }
        }
    }
    host.followers.clear();
    assert_eq!(code(&host.say(EVE, visit(Some(&watch)))), ErrorCode::Full);
    host.join(BOB, &key, json!({}));
    assert!(host.room.state().is_some());
}

/// Who only watches, without a key, leaves nothing behind: no event, no session, no line in anybody's view.
#[test]
fn a_crowd_writes_nothing_down() {
    let mut host = Host::seated(1, json!({}), &json!({ "openToSpectators": true }));
    let (version, players) = (host.version(), host.view(ANN).players.len());
    for number in 100..4600 {
        host.room.handle_message(0, number, read(&visit(None)));
    }
    let mut refused = 0;
    while let Some(effect) = host.room.poll_effect() {
        match effect {
            texas42_room::Effect::Send { message, .. } => {
                refused += usize::from(matches!(*message, texas42_protocol::ServerMessage::Error { .. }));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, 4500 - (4096 - 4), "so many connections has a table at most");
    assert_eq!((host.version(), host.view(ANN).players.len()), (version, players));
    for number in 100..4600 {
        host.room.handle_disconnect(0, number);
    }
    assert_eq!(code(&host.say(EVE, json!({ "type": "REMATCH", "requestId": "r" }))), ErrorCode::NotJoined);
    host.say(EVE, visit(None));
    assert_eq!(code(&host.say(EVE, json!({ "type": "REMATCH", "requestId": "r" }))), ErrorCode::NotAllowed);
}

fn visit(key: Option<&SecretKey>) -> serde_json::Value {
    let mut message = json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Visitor" });
    if let Some(key) = key {
        message["key"] = json!(key);
    }
    message
}

#[test]
fn a_table_has_64_open_invitations_at_most() {
    let mut host = Host::new(&json!({ "players": people(4) }), &json!({}));
    let keys: Vec<SecretKey> = (0..64).map(|_| host.invite(&json!({ "role": "spectator" }))).collect();
    let invite = json!({ "type": "INVITE", "requestId": "more", "grant": { "role": "spectator" } });
    assert_eq!(code(&host.say(ANN, invite)), ErrorCode::Full);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": 1 }));
    assert_eq!(code(&host.join(EVE, &keys[0], json!({}))), ErrorCode::BadKey);
    host.invite(&json!({ "role": "spectator" }));
}

/// A log that is full ends a game, not the host.
#[test]
fn a_full_log_is_refused_and_nothing_breaks() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({ "turnSeconds": 5 }));
    for number in 0..MOST_EVENTS / 2 + 4 {
        for control in ["ai", "human"] {
            let request = format!("{control}{number}");
            let message = json!({
                "type": "SET_PLAYER_CONTROL", "gameId": "table", "requestId": request, "player": 0,
                "controlType": control,
            });
            host.room.handle_message(0, ANN, read(&message));
            while host.room.poll_effect().is_some() {}
        }
    }
    host.room.handle_message(0, ANN, read(&json!({ "type": "SUBSCRIBE", "gameId": "table" })));
    while host.room.poll_effect().is_some() {}
    for action in [json!(Action::Pass { player: seat(0) }), json!(Action::Undo { to: 0 })] {
        let mut message = execute("last", host.room.version(), &action);
        message["gameId"] = json!("table");
        host.room.handle_message(0, ANN, read(&message));
        while host.room.poll_effect().is_some() {}
    }
    host.room.handle_time(60_000);
    host.room.handle_message(60_000, ANN, read(&json!({ "type": "LEAVE_GAME", "gameId": "table" })));
    while host.room.poll_effect().is_some() {}
}
