//! A game that was started on a player's device is imported, without anything that nobody granted.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, GameId, SecretKey, ServerMessage, WireError};
use texas42_room::{Event, ImportedTable, NewTable, RandomPlayer, Room, StoredEvent};

use crate::support::*;

fn own_key() -> SecretKey {
    SecretKey::new([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
}

/// A table of Ann and three bots on her device.
fn device(table: &Value) -> Host {
    let mut create = create_game(&json!({ "players": people(1), "target": 2 }), table);
    create["sessionKey"] = json!(own_key());
    let mut host = Host::created(&create, [5; 32]);
    host.seat_bots();
    host
}

/// The same in the middle of a trick, on Ann's turn.
fn mid_trick() -> Host {
    let mut host = device(&json!({ "pause": 0 }));
    let is_so = |host: &Host| {
        let state = host.room.state().unwrap();
        !state.trick.is_empty() && state.to_act() == Some(seat(0))
    };
    host.play_until(&mut RandomPlayer::new(4), is_so);
    host
}

fn adopt_with(now: u64, key: &SecretKey, log: Vec<StoredEvent>) -> Result<Room, WireError> {
    let new = NewTable { id: GameId::try_from("here").unwrap(), randomness: [77; 32], connection: ANN };
    Room::adopt(now, new, key, &ImportedTable { request_id: None, log }).map_err(|answer| match *answer {
        ServerMessage::Error { error, request_type, .. } => {
            assert_eq!(request_type.as_deref(), Some("IMPORT_GAME"));
            error
        }
        other => panic!("{other:?}"),
    })
}

fn adopted(log: &[StoredEvent]) -> Host {
    let mut host = Host::of(adopt_with(9_000, &own_key(), log.to_vec()).unwrap(), 9_000, Vec::new());
    host.keys.insert(ANN, own_key());
    host.seat_bots();
    host
}

/// A log with modified JSON.
fn forged(log: &[StoredEvent], change: impl Fn(&mut Value)) -> Vec<StoredEvent> {
    let mut log = serde_json::to_value(log).unwrap();
    log.as_array_mut().unwrap().iter_mut().for_each(change);
    serde_json::from_value(log).unwrap()
}

fn refusal(log: Vec<StoredEvent>) -> (ErrorCode, Option<String>) {
    let error = adopt_with(9_000, &own_key(), log).expect_err("a forged log must not make a table");
    (error.code, error.field)
}

#[test]
fn an_imported_game_continues_where_it_stopped() {
    let before = mid_trick();
    let mut after = adopted(&before.log);
    assert_eq!(after.room.state(), before.room.state());
    assert_eq!(after.view(ANN).state, before.view(ANN).state);
    assert_eq!(after.view(ANN).valid_actions, before.view(ANN).valid_actions);
    let restored = after.restored(10_000);
    assert_eq!(restored.room.state(), after.room.state(), "the stored log leads to the same table");
    after.play_to_the_end(&mut RandomPlayer::new(5));
}

#[test]
fn an_imported_game_continues_after_any_history() {
    for seed in 0..30 {
        let mut random = RandomPlayer::new(seed);
        let mut before = device(&json!({ "pause": 200, "turnSeconds": 60 }));
        for _ in 0..random.below(250) {
            match random.below(12) {
                _ if before.phase().is_over() => {
                    let request = before.fresh();
                    before.say(ANN, json!({ "type": "REMATCH", "requestId": request, "entropy": "again" }));
                }
                0 => drop(before.undo(ANN, random.below(12) as u16)),
                1 => drop(before.set_control(ANN, 0, "ai")),
                2 => {
                    before.set_control(ANN, 0, "human");
                    before.followers.remove(&bot(0));
                }
                _ => before.step(&mut random),
            }
            before.seat_bots();
        }
        let after = adopted(&before.log);
        assert_eq!(after.room.state(), before.room.state(), "seed {seed}");
        assert_eq!(after.view(ANN).metadata.game_number, before.view(ANN).metadata.game_number);
        let proof = |host: &Host| host.view(ANN).metadata.deal.clone().unwrap().hand_commitment.clone();
        assert_eq!(proof(&after), proof(&before), "the deals come from the committed secret");
    }
}

#[test]
fn the_import_is_disclosed_until_the_next_game() {
    let before = mid_trick();
    let mut host = adopted(&before.log);
    assert!(host.view(ANN).metadata.table.brought && !host.view(ANN).metadata.table.rated);
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    assert!(host.view(BOB).metadata.table.brought);
    assert!(
        !host.view(BOB).state.players[1].hand.is_empty(),
        "a friend takes over a bot's seat in the middle of a hand"
    );
    let next = |host: &Host| host.view(ANN).metadata.deal.clone().unwrap().next_commitment.clone();
    assert_ne!(next(&host), next(&before), "the device does not know the secret of the next game");
    let promised = next(&host).unwrap();
    host.play_to_the_end(&mut RandomPlayer::new(6));
    host.say(ANN, json!({ "type": "REMATCH", "requestId": "again" }));
    for connection in [ANN, BOB] {
        assert!(!host.view(connection).metadata.table.brought);
        assert_eq!(host.view(connection).metadata.deal.clone().unwrap().secret_commitment, promised);
    }
}

#[test]
fn the_importing_player_is_the_host() {
    let before = mid_trick();
    let mut host = adopted(&before.log);
    let own = host.view(ANN).players.iter().find(|player| player.player_index == Some(seat(0))).unwrap().clone();
    let there = before.view(ANN).players.iter().find(|player| player.player_index == Some(seat(0))).unwrap();
    assert_eq!((own.capabilities, own.name), (there.capabilities.clone(), there.name.clone()));
    host.disconnect(ANN);
    host.join(ANN, &own_key(), json!({}));
    assert!(!host.view(ANN).state.players[0].hand.is_empty(), "the client's key reconnects it");
}

#[test]
fn rejects_importing_rated_or_open_tables() {
    let log = mid_trick().log;
    for (field, name) in [("rated", "table.rated"), ("openHands", "table.openHands")] {
        let log = forged(&log, |stored| {
            if stored["event"]["type"] == "created" {
                stored["event"]["table"][field] = json!(true);
            }
        });
        assert_eq!(refusal(log), (ErrorCode::BadConfig, Some(name.to_owned())));
    }
}

#[test]
fn rejects_importing_extra_capabilities() {
    let log = mid_trick().log;
    for right in ["observe-all-hands", "observe-full-state", "see-ai-intent", "see-hints"] {
        let log = forged(&log, |stored| {
            if stored["event"]["session"]["seat"] == 0 {
                stored["event"]["session"]["capabilities"].as_array_mut().unwrap().push(json!({ "type": right }));
            }
        });
        let error = adopt_with(0, &own_key(), log).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotAllowed);
        assert!(error.message.contains(right), "{}", error.message);
    }
    let two_seats = forged(&log, |stored| {
        if stored["event"]["session"]["seat"] == 0 {
            let more = json!({ "type": "act-as-player", "playerIndex": 1 });
            stored["event"]["session"]["capabilities"].as_array_mut().unwrap().push(more);
        }
    });
    assert_eq!(refusal(two_seats).0, ErrorCode::NotAllowed);
}

#[test]
fn only_the_importing_players_seat_is_imported() {
    let log = mid_trick().log;
    let person = forged(&log, |stored| {
        if stored["event"]["session"]["seat"] == 1 {
            stored["event"]["session"]["control"] = json!("human");
        }
    });
    assert_eq!(refusal(person), (ErrorCode::NotAllowed, Some("log".to_owned())));
    let mut nobody = log.clone();
    let action = texas42_vocab::Action::SetControl { player: seat(2), control_type: texas42_vocab::Control::Human };
    nobody.push(StoredEvent { at: 0, event: Event::Acted { by: None, request_id: None, action, intent: None } });
    assert_eq!(refusal(nobody).0, ErrorCode::NotAllowed, "a seat that nobody controls would block the table");
    // Before the first action, so that no action is illegal with other deals.
    let started = log.iter().position(|stored| matches!(stored.event, Event::Started { .. })).unwrap();
    let mut given = log[..=started].to_vec();
    let chosen = forged(&given[1..2], |stored| {
        stored["event"]["session"]["seat"] = json!(3);
        stored["event"]["session"]["playerId"] = json!("p77");
        stored["event"]["entropy"] = json!("chosen");
    });
    let left = Event::Left { player_id: "p77".try_into().unwrap() };
    given.splice(1..1, chosen.into_iter().chain([StoredEvent { at: 0, event: left }]));
    assert_eq!(refusal(given).0, ErrorCode::NotAllowed);
}

#[test]
fn guests_and_invites_are_not_imported() {
    let mut before = mid_trick();
    let invitation = before.invite(&json!({ "role": "spectator", "delayHands": 1 }));
    before.join(EVE, &invitation, json!({}));
    let log = forged(&before.log, |stored| {
        if stored["event"]["type"] == "joined" && stored["event"]["session"]["seat"].is_null() {
            stored["event"]["session"]["capabilities"] = json!([{ "type": "observe-all-hands" }]);
            stored["event"]["session"]["delayHands"] = json!(0);
        }
    });
    let mut host = adopted(&log);
    let eve = before.keys[&EVE].clone();
    for key in [invitation, eve] {
        assert_eq!(code(&host.join(EVE, &key, json!({}))), ErrorCode::BadKey);
    }
    let programs = host.view(ANN).players.iter().filter(|player| player.player_index != Some(seat(0)));
    assert_eq!(programs.count(), 3);
}

#[test]
fn keys_of_the_devices_bots_are_invalid() {
    let before = mid_trick();
    let mut host = adopted(&before.log);
    for number in 1..4 {
        let key = before.keys[&bot(number)].clone();
        assert_eq!(code(&host.join(EVE, &key, json!({}))), ErrorCode::BadKey);
    }
}

#[test]
fn session_ids_are_assigned_by_the_host() {
    let log = forged(&mid_trick().log, |stored| {
        for path in ["/event/session/playerId", "/event/by"] {
            if let Some(id) = stored.pointer_mut(path).filter(|id| **id == "p1") {
                *id = json!("p40");
            }
        }
    });
    let mut host = adopted(&log);
    for _ in 0..40 {
        let key = host.invite(&json!({ "role": "spectator" }));
        host.join(EVE, &key, json!({}));
    }
    let mut ids: Vec<String> = host.view(ANN).players.iter().map(|player| player.player_id.to_string()).collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "ids of sessions are unique");
}

#[test]
fn times_of_the_device_are_not_imported() {
    let log = forged(&mid_trick().log, |stored| stored["at"] = json!(u64::MAX));
    let host = adopted(&log);
    assert!(host.log.iter().all(|stored| stored.at < 100_000));
}

#[test]
fn importing_needs_the_key_of_the_seated_person() {
    let before = mid_trick();
    let other = SecretKey::new(core::array::from_fn(|at| at as u8 * 3 + 1));
    let with = |key: &SecretKey| adopt_with(0, key, before.log.clone()).unwrap_err().code;
    assert_eq!(with(&other), ErrorCode::BadKey);
    assert_eq!(with(&before.keys[&bot(1)]), ErrorCode::BadKey, "a bot cannot import a table");
    assert_eq!(with(&SecretKey::new([1; 16])), ErrorCode::BadKey, "a key that is easy to guess");
}

#[test]
fn rejects_logs_without_a_valid_game() {
    let log = mid_trick().log;
    assert_eq!(refusal(Vec::new()).0, ErrorCode::NotStarted);
    assert_eq!(refusal(log[..1].to_vec()).0, ErrorCode::NotStarted);
    assert_eq!(refusal(log[1..].to_vec()).0, ErrorCode::BadMessage);
    let mut cheated = log.clone();
    let last = cheated.iter().rposition(|stored| matches!(stored.event, Event::Acted { .. })).unwrap();
    cheated.push(cheated[last].clone());
    assert_eq!(refusal(cheated), (ErrorCode::BadMessage, Some("log".to_owned())));
    let twice = [log.clone(), log.clone()].concat();
    assert_eq!(refusal(twice).0, ErrorCode::BadMessage);
    let unplayable = forged(&log, |stored| {
        if stored["event"]["type"] == "created" {
            stored["event"]["config"]["target"] = json!(0);
        }
    });
    assert_eq!(refusal(unplayable).0, ErrorCode::BadConfig);
}

#[test]
fn rejects_players_at_an_imported_seeded_table() {
    let mut create = create_game(&json!({ "players": people(1), "seed": "known" }), &json!({ "deal": "seeded" }));
    create["sessionKey"] = json!(own_key());
    let mut before = Host::created(&create, [5; 32]);
    before.seat_bots();
    let mut host = adopted(&before.log);
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player", "seat": 1 } });
    assert_eq!(code(&host.say(ANN, invite)), ErrorCode::NotAllowed);
}

#[test]
fn rejects_a_new_table_marked_as_imported() {
    let new = NewTable { id: GameId::try_from("here").unwrap(), randomness: [7; 32], connection: ANN };
    let message = read(&create_game(&json!({}), &json!({ "brought": true })));
    let Err(answer) = Room::create(0, new, message) else { panic!("it is a lie") };
    assert_eq!(code(&[*answer]), ErrorCode::BadConfig);
}
