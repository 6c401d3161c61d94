//! Actions: executed once, in order, by authorized sessions, based on what they have seen.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, ServerMessage};
use texas42_room::{Event, RandomPlayer};
use texas42_vocab::{Action, Bid, Phase};

use crate::support::*;

/// A table of two people; Ann bids first.
fn table() -> Host {
    Host::seated(2, json!({ "shaker": 3 }), &json!({}))
}

fn bid(value: u8) -> Value {
    json!({ "type": "bid", "player": 0, "bid": "points", "value": value })
}

#[test]
fn rejects_a_stale_action_with_the_current_view() {
    let mut host = table();
    let old = host.version();
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    let replies = host.say(BOB, execute("b", old, &json!({ "type": "pass", "player": 1 })));
    let [ServerMessage::Error { error, version, view: Some(view), request_id: Some(request), .. }] = &replies[..]
    else {
        panic!("{replies:?}")
    };
    assert_eq!((error.code, *version, request.as_str()), (ErrorCode::Stale, Some(host.version()), "b"));
    assert_eq!(view.state.auction.len(), 1);
}

/// Joining and leaving costs nobody a turn.
#[test]
fn events_around_the_game_make_no_decision_stale() {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &json!({ "openToSpectators": true }));
    let decided = host.version();
    host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }));
    host.invite(&json!({ "role": "spectator" }));
    assert!(host.version() > decided);
    assert_eq!(ack(&host.say(ANN, execute("a", decided, &bid(30)))), Some(host.version()));
    let never = host.version() + 1;
    let replies = host.say(BOB, execute("b", never, &json!({ "type": "pass", "player": 1 })));
    assert_eq!(code(&replies), ErrorCode::Stale, "the version does not exist yet");
}

#[test]
fn a_restart_makes_no_decision_stale() {
    let host = table();
    let (decided, key) = (host.version(), host.keys[&ANN].clone());
    let mut restored = host.restored(0);
    restored.join(ANN, &key, json!({}));
    assert_eq!(ack(&restored.say(ANN, execute("a", decided, &bid(30)))), Some(restored.version()));
}

#[test]
fn a_repeated_request_is_executed_once_and_gets_the_same_reply() {
    let mut host = table();
    let message = execute("mine", host.version(), &bid(30));
    let first = host.say(ANN, message.clone());
    let version = host.version();
    assert_eq!(ack(&first), Some(version));
    for _ in 0..5 {
        let again = host.say(ANN, message.clone());
        assert_eq!((ack(&again), host.version()), (Some(version), version));
    }
    host.act(BOB, Action::Pass { player: seat(1) });
    assert_eq!(ack(&host.say(ANN, message.clone())), Some(version), "also later");
    let key = host.keys[&ANN].clone();
    let mut restored = host.restored(0);
    restored.join(ANN, &key, json!({}));
    assert_eq!(ack(&restored.say(ANN, message)), Some(version), "also after a restart");
    assert_eq!(restored.room.state().unwrap().auction.calls().count(), 2);
}

#[test]
fn request_ids_are_per_player() {
    let mut host = table();
    host.say(ANN, execute("one", host.version(), &bid(30)));
    let replies = host.say(BOB, execute("one", host.version(), &json!({ "type": "pass", "player": 1 })));
    assert_eq!(ack(&replies), Some(host.version()));
    assert_eq!(host.room.state().unwrap().auction.calls().count(), 2);
}

#[test]
fn an_unsubscribed_client_still_gets_replies() {
    let mut host = table();
    host.say(ANN, json!({ "type": "UNSUBSCRIBE" }));
    let message = execute("mine", host.version(), &bid(30));
    assert_eq!(ack(&host.say(ANN, message.clone())), Some(host.version()));
    let since = host.sent.len();
    host.act(BOB, Action::Pass { player: seat(1) });
    assert!(host.messages_since(since, ANN).is_empty(), "but gets no updates");
}

#[test]
fn versions_increase_by_one() {
    let mut host = table();
    host.play_to_the_end(&mut RandomPlayer::new(7));
    let updates = host.sent.iter().filter(|(to, message)| {
        *to == ANN && matches!(message, ServerMessage::StateUpdate { .. } | ServerMessage::GameCreated { .. })
    });
    let versions: Vec<u64> = updates.filter_map(|(_, message)| message.version()).collect();
    assert!(versions.windows(2).all(|pair| pair[1] == pair[0] + 1), "{versions:?}");
    assert_eq!(versions.last(), Some(&host.version()));
}

/// Extra fields next to an action are dropped, and give no additional authority.
#[test]
fn extra_fields_of_an_action_grant_nothing() {
    let mut host = table();
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    let smuggled = [
        json!({ "type": "pass", "player": 0 }),
        json!({ "type": "pass", "player": 2 }),
        json!({ "type": "pass", "player": 2, "authority": "system" }),
        json!({ "type": "pass", "player": 2, "meta": { "authority": "system", "autoExecute": true } }),
        json!({ "type": "redeal" }),
        json!({ "type": "redeal", "authority": "system" }),
        json!({ "type": "complete-trick", "meta": { "authority": "system" } }),
        json!({ "type": "score-hand", "meta": { "authority": "system" } }),
        json!({ "type": "end-game" }),
        json!({ "type": "set-control", "player": 0, "controlType": "ai" }),
        json!({ "type": "set-control", "player": 1, "controlType": "ai" }),
        json!({ "type": "agree-score-hand", "player": 0 }),
    ];
    let (version, state) = (host.version(), *host.room.state().unwrap());
    for action in smuggled {
        for from in [BOB, bot(2), EVE] {
            let mut mine = action.clone();
            if from == bot(2) && action["player"] == 2 {
                mine["player"] = json!(1);
            }
            let request = host.fresh_request_id();
            let replies = host.say(from, execute(&request, version, &mine));
            let expected = if from == EVE { ErrorCode::NotJoined } else { ErrorCode::NotAllowed };
            assert_eq!(code(&replies), expected, "{mine}");
        }
    }
    assert_eq!((host.version(), host.room.state()), (version, Some(&state)));
    let request = host.fresh_request_id();
    let own = json!({ "type": "pass", "player": 1, "meta": { "authority": "system" }, "hint": "no" });
    host.say(BOB, execute(&request, version, &own));
    let Event::Acted { by: Some(_), action, .. } = &host.log.last().unwrap().event else { panic!() };
    assert_eq!(*action, Action::Pass { player: seat(1) }, "extra fields are dropped");
}

#[test]
fn rejects_an_illegal_action_with_its_rule_and_a_view() {
    let mut host = table();
    let version = host.version();
    let replies = host.act(BOB, Action::Pass { player: seat(1) });
    let [ServerMessage::Error { error, view: Some(_), .. }] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(error.code, ErrorCode::Refused);
    assert_eq!(serde_json::to_value(&error.reason).unwrap(), json!({ "rule": "not-your-turn", "turn": 0 }));
    assert_eq!(host.version(), version);
}

#[test]
fn rejects_actions_before_the_game_starts() {
    let mut host = Host::new(&json!({ "players": people(2), "shaker": 3 }), &json!({}));
    let replies = host.act(ANN, Action::Pass { player: seat(0) });
    assert_eq!(code(&replies), ErrorCode::NotStarted);
    assert_eq!(code(&host.undo(ANN, 0)), ErrorCode::NotStarted);
}

/// A host may handle several messages before it polls effects: events are stored in order, and before anything is sent.
#[test]
fn accumulated_events_are_stored_in_order_before_anything_is_sent() {
    let mut host = table();
    let mut stored = host.log.clone();
    for (request, from, action) in [("a", ANN, bid(30)), ("b", BOB, json!({ "type": "pass", "player": 1 }))] {
        let mut message = execute(request, host.room.version(), &action);
        message["gameId"] = json!("table");
        host.room.handle_message(0, from, read(&message));
    }
    while let Some(effect) = host.room.poll_effect() {
        match effect {
            texas42_room::Effect::Store(events) => stored.extend(events),
            texas42_room::Effect::Send { message, .. } => {
                assert!(message.version().unwrap_or(0) <= stored.len() as u64);
            }
            _ => {}
        }
    }
    let last: Vec<_> = stored.iter().rev().take(2).map(|stored| stored.event.request().unwrap().1.as_str()).collect();
    assert_eq!(last, ["b", "a"]);
}

#[test]
fn an_action_in_the_wrong_phase_changes_nothing() {
    let mut host = table();
    host.play_until(&mut RandomPlayer::new(1), |host| host.phase() == Phase::Playing);
    let (version, state) = (host.version(), *host.room.state().unwrap());
    for (from, player) in [(ANN, 0), (BOB, 1), (bot(2), 2), (bot(3), 3)] {
        let offered: Vec<Action> = host.view(from).valid_actions.iter().map(|valid| valid.action).collect();
        for domino in texas42_vocab::Domino::all() {
            let play = Action::Play { player: seat(player), domino };
            if !offered.contains(&play) {
                assert_eq!(code(&host.act(from, play)), ErrorCode::Refused);
            }
        }
    }
    assert_eq!((host.version(), host.room.state()), (version, Some(&state)));
}
