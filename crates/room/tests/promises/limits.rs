//! Limits of a table.

use serde_json::json;
use texas42_engine::MAX_EVENTS;
use texas42_protocol::{ErrorCode, SecretKey, ServerMessage};
use texas42_room::ConnectionId;
use texas42_vocab::Action;

use crate::support::*;

/// Every view lists the visitors, so their number is limited; an absent one makes room for the next.
#[test]
fn a_table_has_at_most_32_visitors_besides_the_players() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({}));
    let key = host.invite(&json!({ "role": "player" }));
    let links = [(); 4].map(|()| host.invite(&json!({ "role": "spectator" })));
    for number in 100..200 {
        let mut visit = visit(Some(&links[number as usize % 4]));
        visit["name"] = json!(format!("Visitor {number}"));
        host.room.handle_message(0, number, read(&visit));
        if number < 169 {
            host.room.handle_disconnect(0, number);
        }
        store_all(&mut host);
    }
    assert_eq!(host.room.view_for(ANN).unwrap().players.len(), 33);
    host.followers.clear();
    host.room.handle_message(0, 300, read(&visit(Some(&links[0]))));
    store_all(&mut host);
    assert_eq!(code(&host.say(EVE, visit(Some(&links[0])))), ErrorCode::Full, "everybody is there");
    host.join(BOB, &key, json!({}));
    assert!(host.room.state().is_some(), "no crowd keeps a player from an invited seat");
}

fn joins(host: &mut Host, from: ConnectionId, link: &SecretKey) -> bool {
    host.join(from, link, json!({})).iter().any(|reply| matches!(reply, ServerMessage::Joined { .. }))
}

/// A crowd with one link leaves room for the visitors of others.
#[test]
fn the_visitors_of_an_invite_leave_room_for_others() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    let (link, other) = (host.invite(&json!({ "role": "spectator" })), host.invite(&json!({ "role": "spectator" })));
    assert_eq!((100..140).filter(|visitor| joins(&mut host, *visitor, &link)).count(), 24);
    assert_eq!(code(&host.join(150, &link, json!({}))), ErrorCode::Full);
    assert!((200..208).all(|visitor| joins(&mut host, visitor, &other)));
    host.disconnect(200);
    assert_eq!(code(&host.join(151, &link, json!({}))), ErrorCode::Full, "an absent visitor of another invite stays");
    host.disconnect(100);
    assert!(joins(&mut host, 152, &link), "an absent visitor of the same invite makes room");
    assert!(host.view(ANN).players.iter().all(|player| player.name.as_str() != "Somebody 100"));
}

/// A visitor who is refused removes nobody.
#[test]
fn a_refused_visitor_replaces_nobody() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    let link = host.invite(&json!({ "role": "spectator" }));
    (100..124).for_each(|visitor| assert!(joins(&mut host, visitor, &link)));
    host.disconnect(100);
    let (version, players) = (host.version(), host.view(ANN).players.len());
    assert_eq!(code(&host.join(150, &link, json!({ "name": "Ann" }))), ErrorCode::Refused);
    assert_eq!((host.version(), host.view(ANN).players.len()), (version, players));
}

/// Who joins and leaves all the time does not fill the log.
#[test]
fn visitors_come_with_an_invite_at_a_limited_rate() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    let (link, other) = (host.invite(&json!({ "role": "spectator" })), host.invite(&json!({ "role": "spectator" })));
    let visits = |host: &mut Host, count: usize| {
        let visit = |_: &usize| {
            let has_joined = joins(host, EVE, &link);
            host.say(EVE, json!({ "type": "LEAVE_GAME" }));
            has_joined
        };
        (0..count).filter(visit).count()
    };
    assert_eq!(visits(&mut host, 100), 60);
    let version = host.version();
    let replies = host.join(EVE, &link, json!({}));
    assert_eq!((code(&replies), host.version()), (ErrorCode::RateLimited, version));
    assert!(joins(&mut host, 200, &other), "the visitors of others come");
    host.now += 60_000;
    assert_eq!(visits(&mut host, 5), 1, "one a minute");
    let mut restored = host.restored(host.now);
    assert_eq!(code(&restored.join(EVE, &link, json!({}))), ErrorCode::RateLimited, "the log remembers it");
}

/// A tenth of the visitors of a table.
#[test]
fn a_thousand_visitors_come_with_an_invite() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    let (link, other) = (host.invite(&json!({ "role": "spectator" })), host.invite(&json!({ "role": "spectator" })));
    for number in 0..1000 {
        host.now += 60_000;
        assert!(joins(&mut host, EVE, &link), "{number}");
        host.say(EVE, json!({ "type": "LEAVE_GAME" }));
    }
    host.now += 3_600_000;
    assert_eq!(code(&host.join(EVE, &link, json!({}))), ErrorCode::Full);
    assert!(joins(&mut host, EVE, &other));
    assert!(host.version() < 3_000);
}

fn store_all(host: &mut Host) {
    while let Some(effect) = host.room.poll_effect() {
        if let texas42_room::Effect::Store(events) = effect {
            host.log.extend(events);
        }
    }
}

/// Spectators without a key leave no trace: no event, no session, no entry in any view.
#[test]
fn spectators_without_a_key_are_not_stored() {
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
    assert_eq!(refused, 4500 - (4096 - 4), "the limit of connections");
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
fn a_table_has_at_most_64_open_invites() {
    let mut host = Host::new(&json!({ "players": people(4) }), &json!({}));
    let keys: Vec<SecretKey> = (0..64).map(|_| host.invite(&json!({ "role": "spectator" }))).collect();
    let invite = json!({ "type": "INVITE", "requestId": "more", "grant": { "role": "spectator" } });
    assert_eq!(code(&host.say(ANN, invite)), ErrorCode::Full);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": 1 }));
    assert_eq!(code(&host.join(EVE, &keys[0], json!({}))), ErrorCode::BadKey);
    host.invite(&json!({ "role": "spectator" }));
}

/// A full log ends the game but not the table, which can play again.
#[test]
fn rejects_actions_when_the_log_is_full() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({}));
    for number in 0..MAX_EVENTS / 2 + 4 {
        for action in [json!(Action::Pass { player: seat(0) }), json!(Action::Undo { to: 0 })] {
            let request = format!("{number}-{}", action["type"]);
            let mut message = execute(&request.replace('"', ""), host.room.version(), &action);
            message["gameId"] = json!("table");
            host.room.handle_message(0, ANN, read(&message));
            while host.room.poll_effect().is_some() {}
        }
    }
    let rematch = json!({ "type": "REMATCH", "gameId": "table", "requestId": "again" });
    host.room.handle_message(0, ANN, read(&rematch));
    while host.room.poll_effect().is_some() {}
    assert_eq!(host.room.view_for(ANN).unwrap().metadata.game_number, 1);
}

/// Handing over a seat repeatedly does not fill the log.
#[test]
fn control_changes_are_limited() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let mut refused = 0;
    for number in 0..500 {
        for control in ["ai", "human"] {
            let message = json!({
                "type": "SET_PLAYER_CONTROL", "gameId": "table", "requestId": format!("{control}{number}"), "player": 1,
                "controlType": control,
            });
            host.room.handle_message(0, BOB, read(&message));
            while let Some(effect) = host.room.poll_effect() {
                if let texas42_room::Effect::Send { to: BOB, message } = effect {
                    refused += usize::from(matches!(*message, texas42_protocol::ServerMessage::Error { .. }));
                }
            }
        }
    }
    assert_eq!(refused, 900, "a hundred in a hand");
    assert!(host.room.state().is_some_and(|state| !state.phase.is_over()));
}

/// Sixty-four claims can be undone in a hand; the next one is rejected like any illegal action.
#[test]
fn undone_claims_are_limited() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({ "pause": 10_000 }));
    host.act(ANN, Action::Bid { player: seat(0), bid: texas42_vocab::Bid::points(30) });
    for number in 1..4 {
        host.act(bot(usize::from(number)), Action::Pass { player: seat(number) });
    }
    let trump = host.view(ANN).valid_actions[0].action;
    host.act(ANN, trump);
    for _ in 0..64 {
        let to = host.view(ANN).state.events;
        host.act(ANN, Action::Claim { player: seat(0) });
        host.undo(ANN, to);
    }
    let replies = host.act(ANN, Action::Claim { player: seat(0) });
    assert_eq!(code(&replies), ErrorCode::Refused);
}

#[test]
fn a_repeated_undo_request_is_not_stored() {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: texas42_vocab::Bid::points(30) });
    host.undo(BOB, 0);
    let version = host.version();
    for _ in 0..5 {
        assert_eq!(code(&host.undo(BOB, 0)), ErrorCode::Refused);
    }
    assert_eq!(host.version(), version);
}

#[test]
fn coach_invites_do_not_block_other_invites() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let coach = |number: usize| {
        let grant = json!({ "role": "coach", "seat": 1 });
        json!({ "type": "INVITE", "requestId": format!("c{number}"), "grant": grant })
    };
    for number in 0..4 {
        host.say(BOB, coach(number));
    }
    assert_eq!(code(&host.say(BOB, coach(4))), ErrorCode::Full);
    host.invite(&json!({ "role": "spectator" }));
    let replies = host.say(ANN, json!({ "type": "INVITE", "requestId": "r", "revoke": 2 }));
    assert_eq!(tags(&replies).last().map(String::as_str), Some("INVITED"), "the host can revoke any invite");
}
