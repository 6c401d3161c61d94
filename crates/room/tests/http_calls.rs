//! Single requests without a connection: answered, executed once, and invisible to others except for their effects.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::sync::Arc;

use serde_json::json;
use support::{ANN, BOB, EVE, Host};
use texas42_protocol::{ClientMessage, ErrorCode, GameView, PlayerId, SecretKey, ServerMessage};
use texas42_room::RandomPlayer;
use texas42_vocab::Phase;

const CALL: u64 = 1000;

fn call(host: &mut Host, key: Option<&SecretKey>, message: serde_json::Value) -> Vec<ServerMessage> {
    let since = host.sent.len();
    let message: ClientMessage = serde_json::from_value(message).unwrap();
    host.room.handle_call(host.now, CALL, key, message);
    host.deliver();
    host.messages_since(since, CALL)
}

#[test]
fn a_call_acts_for_its_session_beside_an_open_connection() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.keys[&ANN].clone();
    let swap = json!({"type":"SET_PLAYER_CONTROL","gameId":"table","requestId":"call-1","player":0,"controlType":"ai"});
    for _ in 0..2 {
        let answer = call(&mut host, Some(&key), swap.clone());
        assert!(
            matches!(&answer[..], [ServerMessage::StateUpdate { ack: Some(ack), .. }] if ack.request_id.as_str() == "call-1"),
            "{answer:?}"
        );
    }
    assert!(host.room.view_for(ANN).is_some(), "the connection of the session is still there");
    assert!(host.room.view_for(CALL).is_none());
    let done = host.log.iter().filter_map(|stored| stored.event.request());
    let done = done.filter(|(_, request)| request.as_str() == "call-1").count();
    assert_eq!(done, 1);
}

#[test]
fn a_call_does_not_affect_presence() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.keys[&BOB].clone();
    host.room.handle_disconnect(host.now, BOB);
    host.followers.remove(&BOB);
    host.deliver();
    call(&mut host, Some(&key), json!({"type":"PING","nonce":1}));
    let view = host.room.view_for(ANN).unwrap();
    assert!(!view.players.iter().find(|player| player.name.as_str() == "Bob").unwrap().is_connected);
}

#[test]
fn rejects_a_call_with_an_unknown_key() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let version = host.room.version();
    let key = SecretKey::new([0; 16]);
    for key in [None, Some(&key)] {
        let answer = call(&mut host, key, json!({"type":"LEAVE_GAME","gameId":"table"}));
        assert!(matches!(&answer[..], [ServerMessage::Error { error, .. }] if error.code == ErrorCode::BadKey));
        assert!(host.room.view_with_key(key).is_none());
    }
    assert_eq!(host.room.version(), version);
}

#[test]
fn a_view_with_a_key_is_the_view_of_its_session() {
    let host = Host::seated(2, json!({}), &json!({}));
    let (player, view) = host.room.view_with_key(Some(&host.keys[&ANN])).unwrap();
    assert!(player.is_some());
    assert_eq!(Some(view), host.room.view_for(ANN));
}

#[test]
fn an_invited_player_sees_the_seats_but_no_hand() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let invite_key = host.invite(&json!({ "role": "player" }));
    let (player, view) = host.room.view_with_key(Some(&invite_key)).unwrap();
    assert!(player.is_none(), "nobody has joined yet");
    assert!(view.players.iter().any(|player| player.name.as_str() == "Bob" && player.player_index.is_some()));
    assert!(view.state.players.iter().all(|player| player.hand.is_empty()), "{:?}", view.state.players);
    assert!(view.valid_actions.is_empty());
    host.join(EVE, &invite_key, json!({ "name": "Eve" }));
    assert!(host.room.view_with_key(Some(&invite_key)).is_none(), "it is used up");
}

fn name_of<'a>(view: &'a GameView, id: Option<&PlayerId>) -> Option<&'a str> {
    view.players.iter().find(|player| Some(&player.player_id) == id).map(|player| player.name.as_str())
}

/// The view of a person who has joined: it no longer says who invited.
fn joined(mut preview: GameView) -> GameView {
    Arc::make_mut(&mut preview.metadata).invited_by = None;
    preview
}

/// A coach sees the student's hand and an admin every hand, but only after joining.
#[test]
fn everybody_with_an_invite_sees_what_a_spectator_sees() {
    let mut host = Host::seated(2, json!({}), &json!({ "openHands": true }));
    let grants = [
        json!({ "role": "spectator" }),
        json!({ "role": "spectator", "openHands": true }),
        json!({ "role": "coach", "seat": 0 }),
        json!({ "role": "admin" }),
    ];
    let watch = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &watch, json!({ "name": "Eve" }));
    for grant in grants {
        let invite = host.invite(&grant);
        let (player, view) = host.room.view_with_key(Some(&invite)).unwrap();
        assert!(player.is_none(), "nobody has joined yet");
        assert_eq!(name_of(&view, view.metadata.invited_by.as_ref()), Some("Ann"), "{grant}");
        assert_eq!(joined(view.clone()), host.room.view_for(EVE).unwrap(), "{grant}");
        assert!(view.state.players.iter().all(|player| player.hand.is_empty()) && view.valid_actions.is_empty());
    }
}

#[test]
fn an_invite_with_a_delay_shows_nothing_earlier() {
    let mut host = Host::seated(1, json!({}), &json!({ "openHands": true, "pause": 10 }));
    let delayed = json!({ "role": "spectator", "delayHands": 1 });
    let [taken, unused] = [(); 2].map(|()| host.invite(&delayed));
    host.join(EVE, &taken, json!({ "name": "Eve" }));
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Playing);
    let (_, view) = host.room.view_with_key(Some(&unused)).unwrap();
    assert_eq!(view.state.phase, Phase::Setup, "no hand is over yet");
    assert_eq!(joined(view.clone()), host.room.view_for(EVE).unwrap());
    assert!(!view.players.is_empty(), "but everybody may know who plays");
}

#[test]
fn only_sessions_get_the_record_and_delayed_ones_get_it_later() {
    let mut host = Host::seated(1, json!({ "target": 2 }), &json!({ "openHands": true, "pause": 10 }));
    let ann = host.keys[&ANN].clone();
    let invite_key = host.invite(&json!({ "role": "spectator", "delayHands": 1 }));
    host.join(EVE, &invite_key, json!({ "name": "Eve" }));
    let eve = host.keys[&EVE].clone();
    let code = |host: &Host, key: Option<&SecretKey>| host.room.record_with_key(key).map_err(|error| error.code);
    assert_eq!(code(&host, Some(&ann)), Err(ErrorCode::NotStarted));
    let mut random = RandomPlayer::new(3);
    host.play_until(&mut random, |host| host.phase() == Phase::Scoring);
    assert_eq!(code(&host, Some(&ann)), Ok(host.room.record().unwrap()));
    assert_eq!(code(&host, Some(&eve)), Err(ErrorCode::NotAllowed));
    assert_eq!(code(&host, Some(&SecretKey::new([0; 16]))), Err(ErrorCode::BadKey));
    assert_eq!(code(&host, None), Err(ErrorCode::BadKey));
    host.play_to_the_end(&mut random);
    assert_eq!(code(&host, Some(&eve)), Ok(host.room.record().unwrap()));
}
