//! Changing the rules and options of a table before its first game and between games.

use std::sync::Arc;

use serde_json::{Value, json};
use texas42_phrases::Problem;
use texas42_protocol::{Capability, ErrorCode, ServerMessage};
use texas42_room::RandomPlayer;
use texas42_vocab::{Control, Phase};

use crate::{known_deals::chosen_deal, support::*};

/// Ann and Bob at a table with a free seat and a bot.
fn gathering(table: &Value) -> Host {
    let mut host = Host::new(&json!({ "players": people(3), "target": 2 }), table);
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    host.seat_bots();
    host
}

fn configure(host: &mut Host, by: u64, config: &Value, table: &Value) -> Vec<ServerMessage> {
    let request = host.fresh_request_id();
    let message = json!({ "type": "CONFIGURE", "requestId": request, "config": config, "table": table });
    host.say(by, message)
}

fn rematch(host: &mut Host, by: u64, config: &Value, table: &Value) -> Vec<ServerMessage> {
    let request = host.fresh_request_id();
    host.say(by, json!({ "type": "REMATCH", "requestId": request, "config": config, "table": table }))
}

fn assert_accepted(replies: &[ServerMessage]) {
    assert!(ack(replies).is_some(), "{replies:?}");
}

fn capabilities_of(host: &Host, name: &str) -> Vec<Capability> {
    let players = host.view(ANN).players.iter();
    let named = players.clone().find(|player| player.name.as_str() == name);
    named.unwrap_or_else(|| panic!("{name} is not listed")).capabilities.clone()
}

/// The views of a restored table equal those of the original.
fn assert_restorable(host: &Host) {
    let mut restored = host.restored(host.now);
    let key = host.keys[&ANN].clone();
    restored.join(ANN, &key, json!({}));
    assert_eq!(restored.view(ANN).metadata.table, host.view(ANN).metadata.table);
    assert_eq!(restored.view(ANN).state, host.view(ANN).state);
    let capabilities = |host: &Host| -> Vec<Vec<Capability>> {
        host.view(ANN).players.iter().map(|player| player.capabilities.clone()).collect()
    };
    assert_eq!(capabilities(&restored), capabilities(host));
}

/// Each change makes everybody wait again.
#[test]
fn a_host_changes_the_rules_a_hundred_times() {
    let mut host = gathering(&json!({ "ready": true }));
    for number in 0..100 {
        assert_accepted(&configure(
            &mut host,
            ANN,
            &json!({ "target": 1 + number % 7, "players": people(3) }),
            &json!({ "ready": true }),
        ));
    }
    let version = host.version();
    let refused = configure(&mut host, ANN, &json!({ "players": people(3) }), &json!({ "ready": true }));
    assert_eq!((code(&refused), host.version()), (ErrorCode::Full, version));
    let mut restored = host.restored(host.now);
    let key = host.keys[&ANN].clone();
    restored.join(ANN, &key, json!({}));
    let again = json!({ "type": "CONFIGURE", "requestId": "restored", "table": { "ready": true } });
    assert_eq!(code(&restored.say(ANN, again)), ErrorCode::Full);
}

#[test]
fn a_repeated_request_changes_the_rules_once() {
    let mut host = gathering(&json!({}));
    let message = json!({ "type": "CONFIGURE", "requestId": "c", "table": { "turnSeconds": 30 } });
    let first = ack(&host.say(ANN, message.clone()));
    let version = host.version();
    assert_eq!((ack(&host.say(ANN, message)), host.version()), (first, version));
    assert_eq!(host.view(BOB).metadata.table.turn_seconds, Some(30));
    assert_eq!(host.view(BOB).state.target, 2, "what is omitted stays");
    assert_restorable(&host);
}

/// Bots come and go with the seats that the new rules give them.
#[test]
fn seats_without_a_person_follow_the_new_rules() {
    let mut host = gathering(&json!({}));
    assert_accepted(&configure(&mut host, ANN, &json!({ "players": ["human", "human", "ai", "human"] }), &json!(null)));
    assert!(!host.view(ANN).players.iter().any(|player| player.control_type == Control::Ai), "its bot left");
    assert_eq!(host.requested_bots.keys().map(|seat| seat.index()).collect::<Vec<_>>(), [2]);
    assert_eq!(host.phase(), Phase::Setup, "seat 3 is free now");
    assert_restorable(&host);
    assert_accepted(&configure(&mut host, ANN, &json!({ "players": people(2) }), &json!(null)));
    host.seat_bots();
    assert_eq!(host.phase(), Phase::Bidding, "nobody is missing");
    host.play_to_the_end(&mut RandomPlayer::new(3));
}

#[test]
fn a_person_keeps_the_seat() {
    let mut host = gathering(&json!({}));
    let replies = configure(&mut host, ANN, &json!({ "players": ["human", "ai", "human", "ai"] }), &json!(null));
    assert_eq!(error(&replies).field.as_deref(), Some("config.players"));
    host.set_control(BOB, 1, "ai");
    assert_accepted(&configure(&mut host, ANN, &json!({ "players": people(4) }), &json!(null)));
    let bob = host.view(ANN).players.iter().find(|player| player.name.as_str() == "Bob").cloned().unwrap();
    assert_eq!(bob.control_type, Control::Ai, "Bob's own decision stays");
}

#[test]
fn everybody_has_to_be_ready_again() {
    let mut host = gathering(&json!({ "ready": true }));
    host.say(BOB, json!({ "type": "READY", "requestId": "r" }));
    assert_eq!(host.view(ANN).metadata.ready, [seat(1)]);
    assert_accepted(&configure(&mut host, ANN, &json!(null), &json!({ "ready": true, "turnSeconds": 9 })));
    assert!(host.view(ANN).metadata.ready.is_empty());
    assert_accepted(&host.say(BOB, json!({ "type": "READY", "requestId": "r2" })));
}

#[test]
fn rejects_what_a_new_table_would_reject() {
    let mut host = gathering(&json!({}));
    let cases = [
        (json!({ "target": 0 }), json!(null), "config.target"),
        (json!({ "layers": [{ "type": "tournament" }, { "type": "nello" }] }), json!(null), "config.layers"),
        (json!(null), json!({ "deal": "seeded" }), "table.deal"),
        (json!(null), json!({ "rated": true, "openHands": true }), "table.openHands"),
        (json!(null), json!({ "brought": true }), "table.brought"),
        (json!(null), json!({ "pause": 10_001 }), "table.pause"),
        (json!({ "layers": [{ "type": "daily-challenge" }] }), json!({ "deal": "seeded" }), "config.layers"),
    ];
    for (config, table, field) in cases {
        let version = host.version();
        let replies = configure(&mut host, ANN, &config, &table);
        assert_eq!(error(&replies).field.as_deref(), Some(field), "{config} {table}");
        assert_eq!(host.version(), version);
    }
}

/// Otherwise the host of the table could choose the hand and the points for its stars.
#[test]
fn a_daily_challenge_is_not_chosen_after_the_table_is_created() {
    let mut host = Host::seated(1, json!({ "target": 1 }), &json!({ "deal": "seeded", "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(1));
    let layer = json!({ "type": "daily-challenge", "date": "2026-01-15", "deal": 3, "starThresholds": [1, 2, 3] });
    let replies =
        rematch(&mut host, ANN, &json!({ "players": people(1), "layers": [layer] }), &json!({ "deal": "seeded" }));
    assert_eq!(error(&replies).field.as_deref(), Some("config.layers"));
}

/// A public seed would let one of them compute the hands, even if only one seat is for a person by now.
#[test]
fn deals_stay_secret_while_two_people_sit() {
    let mut host = gathering(&json!({}));
    host.set_control(BOB, 1, "ai");
    let refusal = |replies: &[ServerMessage]| (error(replies).field.clone().unwrap(), error(replies).reason.clone());
    let expected = |field: &str, problem: Problem| (field.to_owned(), Some(Arc::new(problem.into())));
    let seeded = json!({ "deal": "seeded" });
    for (more, table, reason) in [
        (json!({}), &seeded, expected("table.deal", Problem::SeededIsForOne)),
        (json!({ "seed": "known" }), &seeded, expected("table.deal", Problem::PeopleNeedSecretDeals)),
        (json!({ "deals": chosen_deal() }), &json!({}), expected("config.deals", Problem::PeopleNeedSecretDeals)),
    ] {
        let mut config = more;
        config["players"] = people(1);
        assert_eq!(refusal(&configure(&mut host, ANN, &config, table)), reason, "{config}");
    }
    host.set_control(BOB, 1, "human");
    host.seat_bots();
    assert_accepted(&configure(&mut host, ANN, &json!({ "players": people(2), "target": 1 }), &json!({ "pause": 0 })));
    host.seat_bots();
    host.play_to_the_end(&mut RandomPlayer::new(4));
    let replies = rematch(&mut host, ANN, &json!(null), &seeded);
    assert_eq!(refusal(&replies), expected("table.deal", Problem::SeededIsForOne), "nobody gave a seed");
    let replies = rematch(&mut host, ANN, &json!({ "seed": "known" }), &seeded);
    assert_eq!(refusal(&replies), expected("table.deal", Problem::PeopleNeedSecretDeals));
}

#[test]
fn rules_change_only_between_games_and_only_by_the_host() {
    let mut host = Host::seated(2, json!({ "target": 1 }), &json!({ "pause": 0 }));
    assert_eq!(code(&configure(&mut host, ANN, &json!(null), &json!({}))), ErrorCode::Refused, "the game runs");
    assert_eq!(code(&configure(&mut host, bot(2), &json!(null), &json!({}))), ErrorCode::NotAllowed);
    host.play_to_the_end(&mut RandomPlayer::new(1));
    assert_eq!(code(&configure(&mut host, ANN, &json!(null), &json!({}))), ErrorCode::Refused, "a rematch does it");
    assert_eq!(code(&rematch(&mut host, BOB, &json!({ "target": 2 }), &json!(null))), ErrorCode::NotAllowed);
    let config = json!({ "target": 3, "scoring": "marks", "layers": [{ "type": "plunge" }], "players": people(4) });
    assert_accepted(&rematch(&mut host, ANN, &config, &json!({ "pause": 0, "turnSeconds": 50 })));
    let view = host.view(BOB);
    assert_eq!((view.state.target, view.state.layers.len()), (3, 1));
    assert!(view.metadata.deadline.is_some() || view.derived.to_act.is_some_and(|seat| seat.index() > 1));
    assert_eq!(host.phase(), Phase::Bidding, "bots keep their seats, regardless of `players`");
    assert_restorable(&host);
    host.play_to_the_end(&mut RandomPlayer::new(2));
    assert_accepted(&rematch(&mut host, BOB, &json!(null), &json!(null)));
    assert_eq!(host.view(BOB).state.target, 3, "the rules stay");
}

#[test]
fn the_option_hints_can_be_switched() {
    let mut host = gathering(&json!({}));
    let key = host.invite(&json!({ "role": "student", "seat": 2 }));
    let sees = |host: &Host| ["Ann", "Bob"].map(|name| capabilities_of(host, name).contains(&Capability::SeeHints));
    let hints = |on: bool| json!({ "hints": on, "ready": true });
    assert_accepted(&configure(&mut host, ANN, &json!(null), &hints(true)));
    host.join(CID, &key, json!({ "name": "Cid" }));
    assert_eq!(sees(&host), [true, true]);
    assert_restorable(&host);
    assert_accepted(&configure(&mut host, ANN, &json!(null), &hints(false)));
    assert_eq!(sees(&host), [false, false]);
    assert!(capabilities_of(&host, "Cid").contains(&Capability::SeeHints), "a student always sees hints");
    assert_restorable(&host);
}

/// A table cannot become rated while anybody sees more than the players, or has an invite to it.
#[test]
fn a_rated_table_has_nobody_who_sees_more() {
    let grants = [
        json!({ "role": "coach", "seat": 0 }),
        json!({ "role": "student", "seat": 2 }),
        json!({ "role": "admin" }),
        json!({ "role": "spectator", "openHands": true }),
        json!({ "role": "spectator", "openHands": true, "delayHands": 1 }),
    ];
    for grant in grants {
        for joins in [false, true] {
            let mut host = gathering(&json!({ "openHands": true, "ready": true }));
            let key = host.invite(&grant);
            if joins {
                host.join(EVE, &key, json!({ "name": "Eve" }));
            }
            let rated = json!({ "rated": true, "ready": true });
            let replies = configure(&mut host, ANN, &json!(null), &rated);
            assert_eq!(code(&replies), ErrorCode::Refused, "{grant}");
            host.say(ANN, json!({ "type": "INVITE", "requestId": "revoke", "revoke": 2 }));
            assert_accepted(&configure(&mut host, ANN, &json!(null), &rated));
            let invite = json!({ "type": "INVITE", "requestId": "again", "grant": grant });
            assert!(["not-allowed", "bad-config"].contains(&json!(code(&host.say(ANN, invite))).as_str().unwrap()));
        }
    }
}

#[test]
fn open_hands_end_only_when_nobody_sees_them() {
    let mut host = gathering(&json!({ "openHands": true }));
    let key = host.invite(&json!({ "role": "spectator", "openHands": true }));
    host.join(EVE, &key, json!({ "name": "Eve" }));
    assert_eq!(code(&configure(&mut host, ANN, &json!(null), &json!({}))), ErrorCode::Refused);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "revoke", "revoke": 2 }));
    assert_accepted(&configure(&mut host, ANN, &json!(null), &json!({})));
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "coach", "seat": 1 } });
    assert_accepted_invite(&host.say(BOB, invite));
    assert_accepted(&configure(&mut host, ANN, &json!(null), &json!({ "pause": 7 })));
}

fn assert_accepted_invite(replies: &[ServerMessage]) {
    assert!(tags(replies).iter().any(|tag| tag == "INVITED"), "{replies:?}");
}

/// Whether a creator who only watches sees the hands follows from the options.
#[test]
fn a_spectating_creator_sees_open_hands() {
    let mut message = create_game(&json!({ "players": people(1) }), &json!({}));
    message["role"] = json!("spectator");
    let mut host = Host::created(&message, [5; 32]);
    let sees = |host: &Host| capabilities_of(host, "Ann").contains(&Capability::ObserveAllHands);
    assert!(!sees(&host));
    for is_open in [true, false, true] {
        assert_accepted(&configure(&mut host, ANN, &json!(null), &json!({ "openHands": is_open })));
        assert_eq!(sees(&host), is_open);
        assert_restorable(&host);
    }
    assert_accepted(&configure(&mut host, ANN, &json!(null), &json!({ "rated": true })));
    assert!(!sees(&host));
}

/// What an admin is granted works without a seat.
#[test]
fn an_admin_manages_the_table() {
    let mut host = gathering(&json!({ "openHands": true, "pause": 0 }));
    let key = host.invite(&json!({ "role": "admin" }));
    host.join(EVE, &key, json!({ "name": "Eve" }));
    let config = json!({ "players": people(2), "target": 1, "layers": [{ "type": "nello" }] });
    assert_accepted(&configure(&mut host, EVE, &config, &json!(null)));
    host.seat_bots();
    let layers = &host.view(EVE).derived.composition.as_ref().unwrap().layers;
    assert_eq!(*layers, ["base", "nello"], "the explanation follows the rules");
    host.play_to_the_end(&mut RandomPlayer::new(5));
    assert_accepted(&rematch(&mut host, EVE, &json!({ "target": 2 }), &json!(null)));
    assert_eq!(host.view(EVE).derived.composition.as_ref().unwrap().layers, ["base"]);
    host.disconnect(BOB);
    assert_accepted(&host.set_control(EVE, 1, "ai"));
    host.seat_bots();
    host.play_to_the_end(&mut RandomPlayer::new(6));
}

/// A log from a client cannot contain rules that do not compose.
#[test]
fn a_log_with_impossible_rules_is_rejected() {
    let mut host = gathering(&json!({}));
    assert_accepted(&configure(&mut host, ANN, &json!({ "players": people(2) }), &json!(null)));
    let mut log = json!(host.log);
    let configured = log.as_array_mut().unwrap().iter_mut().find(|stored| stored["event"]["type"] == "configured");
    configured.unwrap()["event"]["config"]["target"] = json!(0);
    let log: Vec<texas42_room::StoredEvent> = serde_json::from_value(log).unwrap();
    let restored = texas42_room::Room::restore(0, host.room.id().clone(), &[8; 32], &log);
    assert!(matches!(restored, Err(texas42_room::RestoreError::Config(_))), "{restored:?}");
}

/// A client gets the intersection of what it asks for and what the table grants, also when the options change.
#[test]
fn options_grant_no_hints_to_a_player_who_left_them_out() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({ "hints": true }));
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    let asked = json!([{ "type": "act-as-player", "playerIndex": 1 }, { "type": "observe-own-hand" }]);
    host.join(BOB, &key, json!({ "name": "Bob", "capabilities": asked }));
    let of_bob = |host: &Host| {
        let bob = host.view(ANN).players.iter().find(|player| player.name.as_str() == "Bob").unwrap().clone();
        json!(bob.capabilities)
    };
    assert_eq!(of_bob(&host), asked);
    for (request, hints) in [("off", false), ("on", true)] {
        let table = json!({ "hints": hints });
        host.say(ANN, json!({ "type": "CONFIGURE", "requestId": request, "table": table }));
        assert_eq!(of_bob(&host), asked);
    }
    let mut restored = host.restored(host.now);
    restored.join(ANN, &host.keys[&ANN], json!({}));
    assert_eq!(of_bob(&restored), asked);
}
