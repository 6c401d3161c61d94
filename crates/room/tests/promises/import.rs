//! Importing a game: a server adopts the log of a table that a player's device has hosted. What is not imported with it, and
//! which deals the device could know.

use serde_json::{Value, json};
use texas42_phrases::{Problem, Reason};
use texas42_protocol::{ErrorCode, GameId, SecretKey, ServerMessage, WireError};
use texas42_room::{Event, ImportedTable, NewTable, RandomPlayer, Room, StoredEvent};
use texas42_vocab::{Control, Phase};

use crate::{second_verifier::assert_fair, support::*};

fn own_key() -> SecretKey {
    SecretKey::new([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
}

/// A table of Ann and three bots on her device.
fn device(table: &Value) -> Host {
    let mut create = create_game(&json!({ "players": people(1), "target": 7 }), table);
    create["sessionKey"] = json!(own_key());
    let mut host = Host::created(&create, [5; 32]);
    host.seat_bots();
    host
}

/// The same in the middle of a trick, on Ann's turn.
fn mid_trick() -> Host {
    let mut host = device(&json!({ "pause": 0 }));
    let is_anns_turn = |host: &Host| {
        let state = host.room.state().unwrap();
        !state.trick.is_empty() && state.to_act() == Some(seat(0))
    };
    host.play_until(&mut RandomPlayer::new(4), is_anns_turn);
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
                    let request = before.fresh_request_id();
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

/// An imported game in which Bob has joined in the middle of the hand that Ann's device dealt.
fn with_bob() -> Host {
    let mut host = adopted(&mid_trick().log);
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    host
}

fn is_known(host: &Host) -> bool {
    let later = host.view(ANN).metadata.deal.as_ref().unwrap().later.as_ref().map(|later| later.from_hand);
    let state = host.room.state().unwrap();
    later.is_some_and(|from_hand| state.hand_number < from_hand)
        && state.phase != Phase::Scoring
        && !state.phase.is_over()
}

/// Whether Bob waits for the next deal.
fn bob_waits(host: &Host) -> bool {
    host.view(BOB).players.iter().any(|shown| shown.name.as_str() == "Bob" && shown.waits_for_deal)
}

/// The people who play a hand.
fn players(host: &Host) -> usize {
    let played = |shown: &&texas42_protocol::PlayerView| shown.control_type == Control::Human;
    host.view(ANN).players.iter().filter(|shown| shown.player_index.is_some()).filter(played).count()
}

#[test]
fn an_imported_table_stays_marked() {
    let mut host = with_bob();
    for game in 0..3 {
        for connection in [ANN, BOB] {
            let metadata = &host.view(connection).metadata;
            assert!(metadata.table.brought && metadata.known_deals && !metadata.table.rated, "game {game}");
        }
        host.play_to_the_end(&mut RandomPlayer::new(game));
        // A client sends back the options that it was shown, or leaves the mark out.
        let table = if game == 0 { json!({ "brought": true, "pause": 0 }) } else { json!({ "pause": 0 }) };
        let request = host.fresh_request_id();
        host.say(ANN, json!({ "type": "REMATCH", "requestId": request, "table": table }));
        assert_eq!(u64::from(host.view(BOB).metadata.game_number), game + 1);
    }
    let mut restored = host.restored(host.now);
    let key = host.keys[&BOB].clone();
    restored.join(BOB, &key, json!({}));
    assert!(restored.view(BOB).metadata.table.brought);
}

#[test]
fn friends_play_from_the_next_hand_on() {
    let mut host = with_bob();
    assert!(is_known(&host) && players(&host) == 1);
    assert!(bob_waits(&host));
    assert!(host.view(BOB).state.players[1].hand.is_empty(), "Bob must not see a hand that Ann may know");
    assert_eq!(
        error(&host.set_control(BOB, 1, "human")).reason.as_deref(),
        Some(&Reason::Request(Problem::PlaysFromNextDeal))
    );
    host.disconnect(BOB);
    let key = host.keys[&BOB].clone();
    host.join(BOB, &key, json!({}));
    assert!(host.view(BOB).state.players[1].hand.is_empty(), "a rejoin does not help");
    host.play_until(&mut RandomPlayer::new(6), |host| {
        assert!(!is_known(host) || players(host) == 1);
        host.room.state().unwrap().hand_number > 0 && host.phase() == Phase::Bidding && !is_known(host)
    });
    assert_eq!(players(&host), 2);
    assert!(!bob_waits(&host) && host.view(BOB).state.players[1].hand.len() == 7);
    host.play_to_the_end(&mut RandomPlayer::new(6));
}

/// The device dealt a hand, and an undo led back before it. It still knows that hand.
#[test]
fn friends_wait_for_the_first_hand_that_the_device_did_not_deal() {
    let mut before = device(&json!({ "pause": 0 }));
    let is_anns_turn = |host: &Host| host.room.state().unwrap().to_act() == Some(seat(0));
    before.play_until(&mut RandomPlayer::new(4), |host| {
        host.room.state().unwrap().hand_number == 1 && is_anns_turn(host)
    });
    before.undo(ANN, 0);
    assert_eq!(before.room.state().unwrap().hand_number, 0);
    let mut host = adopted(&before.log);
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    host.play_until(&mut RandomPlayer::new(6), |host| {
        let hand = host.room.state().unwrap().hand_number;
        assert!(hand >= 2 || host.view(BOB).state.players[1].hand.is_empty());
        assert!(!is_known(host) || (players(host) == 1 && bob_waits(host)));
        hand == 2 && host.phase() == Phase::Bidding
    });
    assert!(!bob_waits(&host) && host.view(BOB).state.players[1].hand.len() == 7);
}

/// A friend who is away at the end of the hand gets the seat on return.
#[test]
fn an_absent_friend_gets_the_seat_on_return() {
    let mut host = with_bob();
    host.disconnect(BOB);
    let number = host.room.state().unwrap().hand_number;
    host.play_until(&mut RandomPlayer::new(6), |host| host.room.state().unwrap().hand_number > number);
    assert_eq!(players(&host), 1, "a bot plays on");
    let mut host = host.restored(host.now);
    host.join(BOB, &with_bob().keys[&BOB], json!({}));
    assert!(!host.view(BOB).state.players[1].hand.is_empty());
}

/// The device knows its own secret. The host's secret deals all hands after the one that was played at the import.
#[test]
fn the_device_does_not_know_the_later_hands() {
    let before = mid_trick();
    let number = before.room.state().unwrap().hand_number;
    let mut deals = Vec::new();
    for (randomness, seed) in [([77; 32], 6), ([78; 32], 6)] {
        let new = NewTable { id: GameId::try_from("here").unwrap(), randomness, connection: ANN };
        let room = Room::adopt(0, new, &own_key(), &ImportedTable { request_id: None, log: before.log.clone() });
        let mut host = Host::of(room.unwrap(), 0, Vec::new());
        host.keys.insert(ANN, own_key());
        host.seat_bots();
        assert_eq!(host.room.state(), before.room.state());
        host.play_until(&mut RandomPlayer::new(seed), |host| host.room.state().unwrap().hand_number > number);
        deals.push(host.room.state().unwrap().hands);
    }
    let mut device = before.restored(before.now);
    device.join(ANN, &own_key(), json!({}));
    device.seat_bots();
    device.play_until(&mut RandomPlayer::new(6), |host| host.room.state().unwrap().hand_number > number);
    deals.push(device.room.state().unwrap().hands);
    assert!(deals[0] != deals[1] && deals[0] != deals[2] && deals[1] != deals[2]);
}

#[test]
fn the_record_of_an_imported_game_proves_its_later_hands() {
    let mut host = with_bob();
    let shown = host.view(ANN).metadata.deal.clone().unwrap();
    host.play_to_the_end(&mut RandomPlayer::new(8));
    let record = host.room.fair_record().unwrap();
    let from_hand = record.later.as_ref().unwrap().from_hand as usize;
    assert_eq!(record.verify(), Ok(record.deals.len()));
    assert_eq!(record.hands_from_device(), from_hand);
    assert_fair(&record, &format!("a player's device dealt the first {from_hand} and could know them"));
    assert!(record.deals.len() > from_hand, "the host dealt a hand");
    let committed = &shown.later.as_ref().unwrap().secret_commitment;
    assert_eq!(record.later.as_ref().unwrap().secret_commitment, *committed, "it was shown from the import on");
    assert_eq!(shown.later.as_ref().unwrap().secret, None);
    let by_device_alone = texas42_room::FairRecord { later: None, ..record.clone() };
    assert!(by_device_alone.verify().is_err());
    assert!(host.room.record().is_some_and(|json| texas42_room::HeadlessRoom::from_record(&json).is_ok()));
}

/// Once others play, nobody returns to a hand that Ann may know.
#[test]
fn no_undo_leads_into_a_hand_of_the_device_once_others_play() {
    let mut host = with_bob();
    let number = host.room.state().unwrap().hand_number;
    let end = host.view(ANN).state.events - 1;
    host.play_until(&mut RandomPlayer::new(6), |host| {
        host.room.state().unwrap().hand_number > number && host.phase() == Phase::Bidding
    });
    // Bob hands his seat over; otherwise he could take it back in the hand that Ann may know.
    host.set_control(BOB, 1, "ai");
    let refused = host.undo(ANN, end);
    assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Request(Problem::KnownHandIsOver)));
}

/// While only the person who imported the game has a seat, everything is as on the device.
#[test]
fn one_person_plays_an_imported_game_as_on_the_device() {
    let mut host = adopted(&mid_trick().log);
    assert!(!host.view(ANN).state.players[0].hand.is_empty());
    host.set_control(ANN, 0, "ai");
    host.set_control(ANN, 0, "human");
    assert!(!host.view(ANN).state.players[0].hand.is_empty());
    let end = host.view(ANN).state.events - 1;
    let replies = host.undo(ANN, end);
    assert!(ack(&replies).is_some(), "{replies:?}");
}

#[test]
fn the_device_does_not_know_the_secret_of_the_next_game() {
    let before = mid_trick();
    let mut host = adopted(&before.log);
    let next = |host: &Host| host.view(ANN).metadata.deal.clone().unwrap().next_commitment.clone();
    assert_ne!(next(&host), next(&before));
    let committed = next(&host).unwrap();
    host.play_to_the_end(&mut RandomPlayer::new(6));
    host.say(ANN, json!({ "type": "REMATCH", "requestId": "again" }));
    let proof = host.view(ANN).metadata.deal.clone().unwrap();
    assert_eq!((&proof.secret_commitment, &proof.later), (&committed, &None));
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
    for capability in ["observe-all-hands", "observe-full-state", "see-ai-intent", "see-hints"] {
        let log = forged(&log, |stored| {
            if stored["event"]["session"]["seat"] == 0 {
                stored["event"]["session"]["capabilities"].as_array_mut().unwrap().push(json!({ "type": capability }));
            }
        });
        let error = adopt_with(0, &own_key(), log).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotAllowed);
        assert!(error.message.contains(capability), "{}", error.message);
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
fn visitors_and_invites_are_not_imported() {
    let mut before = mid_trick();
    let invite_key = before.invite(&json!({ "role": "spectator", "delayHands": 1 }));
    before.join(EVE, &invite_key, json!({}));
    let log = forged(&before.log, |stored| {
        if stored["event"]["type"] == "joined" && stored["event"]["session"]["seat"].is_null() {
            stored["event"]["session"]["capabilities"] = json!([{ "type": "observe-all-hands" }]);
            stored["event"]["session"]["delayHands"] = json!(0);
        }
    });
    let mut host = adopted(&log);
    let eve = before.keys[&EVE].clone();
    for key in [invite_key, eve] {
        assert_eq!(code(&host.join(EVE, &key, json!({}))), ErrorCode::BadKey);
    }
    let bots = host.view(ANN).players.iter().filter(|player| player.player_index != Some(seat(0)));
    assert_eq!(bots.count(), 3);
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
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids of sessions are unique");
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
    let error_with = |key: &SecretKey| adopt_with(0, key, before.log.clone()).unwrap_err().code;
    assert_eq!(error_with(&other), ErrorCode::BadKey);
    assert_eq!(error_with(&before.keys[&bot(1)]), ErrorCode::BadKey, "a bot cannot import a table");
    assert_eq!(error_with(&SecretKey::new([1; 16])), ErrorCode::BadKey, "a key that is easy to guess");
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
fn rejects_players_at_an_imported_table_with_known_deals() {
    let daily = json!([{ "type": "daily-challenge", "date": "2026-01-15", "deal": 7 }]);
    for config in [json!({ "seed": "known" }), json!({ "layers": daily })] {
        let mut config = config;
        config["players"] = people(1);
        let mut create = create_game(&config, &json!({ "deal": "seeded" }));
        create["sessionKey"] = json!(own_key());
        let mut before = Host::created(&create, [5; 32]);
        before.seat_bots();
        let mut host = adopted(&before.log);
        let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player", "seat": 1 } });
        assert_eq!(code(&host.say(ANN, invite)), ErrorCode::NotAllowed);
        assert!(host.view(ANN).metadata.known_deals && host.view(ANN).metadata.table.brought);
    }
}

#[test]
fn rejects_a_new_table_marked_as_imported() {
    let new = NewTable { id: GameId::try_from("here").unwrap(), randomness: [7; 32], connection: ANN };
    let message = read(&create_game(&json!({}), &json!({ "brought": true })));
    let Err(answer) = Room::create(0, new, message) else { panic!("a new table is not an imported one") };
    assert_eq!(code(&[*answer]), ErrorCode::BadConfig);
}
