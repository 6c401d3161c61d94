//! A table continues as long as one person is there: bots take over from people who are absent or silent, and another
//! person acts as host.

use serde_json::{Value, json};
use texas42_protocol::{Capability, ErrorCode};
use texas42_room::{Effect, Event, RandomPlayer};
use texas42_vocab::{Action, Control, Phase};

use crate::support::*;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;

fn controlled_by(host: &Host, viewer: u64, number: u8) -> Control {
    let players = &host.view(viewer).players;
    players.iter().find(|player| player.player_index == Some(seat(number))).unwrap().control_type
}

fn is_host(host: &Host, viewer: u64, number: u8) -> bool {
    let players = &host.view(viewer).players;
    let player =
        players.iter().find(|player| player.player_index == Some(seat(number)) && player.name.as_str() != "Program");
    player.unwrap().capabilities.contains(&Capability::ConfigureVariant)
}

fn count(host: &Host, is_it: impl Fn(&Event) -> bool) -> usize {
    host.log.iter().filter(|stored| is_it(&stored.event)).count()
}

fn rejoin(host: &mut Host, connection: u64) {
    let key = host.keys[&connection].clone();
    host.join(connection, &key, json!({}));
}

fn ready(host: &mut Host, connection: u64) {
    let request = host.fresh_request_id();
    host.say(connection, json!({ "type": "READY", "requestId": request }));
}

/// Lets everybody but Ann and Bob play until Bob is to act.
fn until_bobs_turn(host: &mut Host) {
    let is_bobs = |host: &Host| host.room.state().is_some_and(|state| state.to_act() == Some(seat(1)));
    host.play_until(&mut RandomPlayer::new(3), is_bobs);
}

/// A table on Bob's turn, without a time limit.
fn bobs_turn(people: usize, table: &Value) -> Host {
    let mut host = Host::seated(people, json!({ "shaker": 0 }), table);
    until_bobs_turn(&mut host);
    host
}

// Absent people.

#[test]
fn a_bot_takes_over_from_an_absent_player_at_a_table_without_a_time_limit() {
    for table in [json!({}), json!({ "rated": true })] {
        let mut host = bobs_turn(2, &table);
        host.disconnect(BOB);
        host.wait(5 * SECOND);
        let deadline = host.view(ANN).metadata.deadline.unwrap();
        assert_eq!(deadline, host.now + 2 * MINUTE, "the view shows when");
        host.wait(2 * MINUTE - 1);
        assert_eq!(controlled_by(&host, ANN, 1), Control::Human);
        host.wait(1);
        assert_eq!(controlled_by(&host, ANN, 1), Control::Ai);
        assert!(host.requested_bots.contains_key(&seat(1)));
        rejoin(&mut host, BOB);
        assert_eq!(controlled_by(&host, ANN, 1), Control::Human, "whose person gets the seat back by returning");
    }
}

#[test]
fn a_short_loss_of_the_connection_is_no_absence() {
    let mut host = bobs_turn(2, &json!({}));
    let version = host.version();
    host.disconnect(BOB);
    host.wait(5 * SECOND - 1);
    rejoin(&mut host, BOB);
    host.wait(60 * MINUTE);
    assert_eq!(host.version(), version, "nothing is logged, and a connected player may think for an hour");
    assert_eq!(host.view(ANN).metadata.deadline, None);
}

#[test]
fn the_time_of_an_absence_is_not_counted_while_nobody_waits() {
    let mut host = bobs_turn(2, &json!({}));
    host.disconnect(BOB);
    host.wait(MINUTE);
    host.disconnect(ANN);
    host.wait(24 * 60 * MINUTE);
    assert_eq!(host.room.wake_at(), None, "nobody waits");
    rejoin(&mut host, ANN);
    assert_eq!(host.view(ANN).metadata.deadline, Some(host.now + 2 * MINUTE));
    rejoin(&mut host, BOB);
    assert_eq!(host.view(ANN).metadata.deadline, None);
}

#[test]
fn somebody_who_is_alone_at_a_table_is_never_absent() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({}));
    let version = host.version();
    host.disconnect(ANN);
    assert_eq!(host.room.wake_at(), None);
    host.wait(24 * 60 * MINUTE);
    assert_eq!(host.version(), version);
}

/// An edge host hibernates between two timers, so an absence must not start over when the table is restored.
#[test]
fn a_restored_table_continues_to_wait_for_an_absent_player() {
    let mut host = bobs_turn(3, &json!({}));
    host.disconnect(BOB);
    host.wait(5 * SECOND);
    let deadline = host.view(ANN).metadata.deadline.unwrap();
    let mut restored = host.restored(host.now + MINUTE);
    restored.keys = host.keys.clone();
    rejoin(&mut restored, ANN);
    assert_eq!(restored.view(ANN).metadata.deadline, Some(deadline));
    restored.wait(deadline - restored.now);
    assert_eq!(controlled_by(&restored, ANN, 1), Control::Ai);
}

#[test]
fn a_player_without_a_connection_who_acts_keeps_the_seat() {
    let mut host = bobs_turn(2, &json!({}));
    host.disconnect(BOB);
    host.wait(MINUTE);
    let key = host.keys[&BOB].clone();
    let action = host.room.view_with_key(Some(&key)).unwrap().1.valid_actions[0].action;
    let mut message = execute("call", host.version(), &json!(action));
    message["gameId"] = json!("table");
    host.room.handle_call(host.now, 50, Some(&key), read(&message));
    host.deliver();
    until_bobs_turn(&mut host);
    assert!(host.view(ANN).metadata.deadline.unwrap() >= host.now + 2 * MINUTE - SECOND);
}

// Before the first game.

#[test]
fn a_player_who_vanished_before_being_ready_does_not_stop_the_start() {
    let mut host = Host::seated(2, json!({}), &json!({ "ready": true, "rated": true, "turnSeconds": 30 }));
    ready(&mut host, ANN);
    host.disconnect(BOB);
    host.wait(5 * SECOND + 2 * MINUTE - 1);
    assert_eq!(host.phase(), Phase::Setup);
    host.wait(1);
    assert_eq!(host.phase(), Phase::Bidding);
    assert_eq!(controlled_by(&host, ANN, 1), Control::Ai);
    rejoin(&mut host, BOB);
    assert_eq!(controlled_by(&host, ANN, 1), Control::Human);
}

#[test]
fn nobody_is_replaced_before_somebody_is_ready() {
    let mut host = Host::seated(2, json!({}), &json!({ "ready": true }));
    host.disconnect(BOB);
    host.wait(60 * MINUTE);
    assert_eq!((host.phase(), controlled_by(&host, ANN, 1)), (Phase::Setup, Control::Human));
}

#[test]
fn the_others_ask_for_a_bot_if_a_connected_player_is_never_ready() {
    let mut host = Host::seated(2, json!({}), &json!({ "ready": true, "rated": true, "turnSeconds": 30 }));
    ready(&mut host, BOB);
    host.wait(5 * MINUTE - 1);
    assert_eq!(code(&host.set_control(BOB, 0, "ai")), ErrorCode::NotAllowed);
    host.wait(1);
    host.set_control(BOB, 0, "ai");
    assert_eq!(host.phase(), Phase::Bidding);
}

#[test]
fn a_friend_starts_with_bots_if_nobody_comes_and_the_host_is_silent() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({}));
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({}));
    host.wait(5 * MINUTE);
    assert_eq!(code(&host.set_control(BOB, 0, "ai")), ErrorCode::NotAllowed, "the table does not wait for Ann");
    host.set_control(BOB, 2, "ai");
    assert_eq!(host.phase(), Phase::Bidding);
}

/// The attack: with new invites, take a free seat and give it up just before the others may ask for a bot on it.
#[test]
fn nobody_keeps_a_seat_waiting_by_taking_it_and_giving_it_up() {
    let mut host = Host::new(&json!({ "players": people(4) }), &json!({ "ready": true }));
    let bob = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &bob, json!({ "name": "Bob" }));
    ready(&mut host, ANN);
    ready(&mut host, BOB);
    let round = |host: &mut Host| {
        let key = host.invite(&json!({ "role": "player", "seat": 2 }));
        host.join(EVE, &key, json!({ "name": "Eve" }));
        host.wait(5 * MINUTE - SECOND);
        host.say(EVE, json!({ "type": "GIVE_UP_SEAT" }));
        host.followers.remove(&EVE);
    };
    round(&mut host);
    host.wait(SECOND);
    assert!(ack(&host.set_control(BOB, 3, "ai")).is_some(), "another seat is not affected");
    let rounds = (1..10).find(|_| {
        round(&mut host);
        ack(&host.set_control(BOB, 2, "ai")).is_some()
    });
    assert_eq!(rounds, Some(3), "after half an hour at most");
    assert_eq!(host.phase(), Phase::Bidding);
}

#[test]
fn somebody_who_takes_a_seat_late_has_time_to_be_ready() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "ready": true }));
    ready(&mut host, ANN);
    host.wait(60 * MINUTE);
    let bob = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &bob, json!({ "name": "Bob" }));
    assert_eq!(code(&host.set_control(ANN, 1, "ai")), ErrorCode::NotAllowed);
    host.wait(5 * MINUTE - 1);
    assert_eq!(code(&host.set_control(ANN, 1, "ai")), ErrorCode::NotAllowed);
    host.wait(1);
    host.set_control(ANN, 1, "ai");
    assert_eq!(host.phase(), Phase::Bidding);
}

// Silent people.

#[test]
fn the_others_ask_for_a_bot_after_a_long_wait_for_a_connected_player() {
    for table in [json!({}), json!({ "rated": true })] {
        let mut host = bobs_turn(3, &table);
        host.wait(4 * MINUTE);
        let replies = host.set_control(CID, 1, "ai");
        assert_eq!(code(&replies), ErrorCode::NotAllowed);
        assert!(error(&replies).message.contains("60 seconds"), "{replies:?}");
        host.wait(MINUTE);
        assert_eq!(code(&host.set_control(CID, 0, "ai")), ErrorCode::NotAllowed, "the table does not wait for Ann");
        host.set_control(CID, 1, "ai");
        assert_eq!(controlled_by(&host, ANN, 1), Control::Ai);
        host.set_control(BOB, 1, "human");
        assert_eq!(controlled_by(&host, ANN, 1), Control::Human, "Bob takes the seat back at once");
    }
}

#[test]
fn nobody_asks_for_a_bot_at_a_table_with_a_time_limit() {
    let mut host = bobs_turn(3, &json!({ "turnSeconds": 3600 }));
    host.wait(10 * MINUTE);
    assert_eq!(code(&host.set_control(CID, 1, "ai")), ErrorCode::NotAllowed);
}

#[test]
fn visitors_do_not_ask_for_bots() {
    let mut host = bobs_turn(2, &json!({}));
    let key = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &key, json!({}));
    host.wait(10 * MINUTE);
    assert_eq!(code(&host.set_control(EVE, 1, "ai")), ErrorCode::NotAllowed);
}

// The host.

#[test]
fn another_player_acts_as_host_while_the_host_is_absent() {
    let mut host = Host::seated(3, json!({ "shaker": 3 }), &json!({}));
    host.disconnect(BOB);
    host.wait(10 * SECOND);
    rejoin(&mut host, BOB);
    host.disconnect(ANN);
    host.wait(5 * SECOND + 5 * MINUTE - 1);
    assert!(!is_host(&host, BOB, 1) && !is_host(&host, BOB, 2));
    host.wait(1);
    assert!(is_host(&host, BOB, 2), "Cid has been present longest");
    assert!(!is_host(&host, BOB, 1));
    let invite = |request: &str| json!({ "type": "INVITE", "requestId": request, "grant": { "role": "player" } });
    assert_eq!(tags(&host.say(CID, invite("by-cid"))).last().unwrap(), "INVITED");
    rejoin(&mut host, ANN);
    assert!(is_host(&host, BOB, 0) && !is_host(&host, BOB, 2), "the host returns");
    assert_eq!(code(&host.say(CID, invite("again"))), ErrorCode::NotAllowed);
    host.invite(&json!({ "role": "player" }));
}

#[test]
fn the_rights_pass_on_from_an_acting_host_who_vanishes_too() {
    let mut host = Host::seated(3, json!({ "shaker": 3 }), &json!({}));
    host.disconnect(ANN);
    host.wait(6 * MINUTE);
    assert!(is_host(&host, CID, 1), "Bob sits next of those who came first");
    host.disconnect(BOB);
    host.wait(6 * MINUTE);
    assert!(is_host(&host, CID, 2) && !is_host(&host, CID, 1) && is_host(&host, CID, 0));
    let restored = host.restored(host.now);
    let players = restored.room.view_with_key(Some(&host.keys[&CID])).unwrap().1.players;
    let hosts = players.iter().filter(|player| player.capabilities.contains(&Capability::ConfigureVariant));
    assert_eq!(hosts.count(), 2, "the log says who acts as host");
}

#[test]
fn an_acting_host_stays_host_if_the_host_gives_up_the_seat() {
    let mut host = Host::seated(3, json!({ "shaker": 3 }), &json!({}));
    host.disconnect(ANN);
    host.wait(6 * MINUTE);
    let key = host.keys[&ANN].clone();
    let give_up = json!({ "type": "GIVE_UP_SEAT", "gameId": "table" });
    host.room.handle_call(host.now, 50, Some(&key), read(&give_up));
    host.deliver();
    host.wait(60 * MINUTE);
    assert!(is_host(&host, BOB, 1));
    assert_eq!(count(&host, |event| matches!(event, Event::HostPassed { .. })), 1);
}

#[test]
fn a_silent_host_who_is_connected_stays_the_only_host() {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &json!({}));
    host.wait(60 * MINUTE);
    assert!(is_host(&host, BOB, 0) && !is_host(&host, BOB, 1));
}

/// Each time, the bot that replaced Bob would start to think from the beginning.
#[test]
fn nobody_stops_a_table_by_returning_repeatedly() {
    const THINKING: u64 = 700;
    for table in [json!({ "rated": true, "turnSeconds": 5 }), json!({ "turnSeconds": 5 })] {
        let mut host = bobs_turn(2, &table);
        let (key, start) = (host.keys[&BOB].clone(), host.version());
        let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": key, "name": "Bob" });
        let mut asked_at = host.now;
        host.wait(5 * SECOND);
        for number in 0..400 {
            match number % 2 {
                0 => drop(host.join(BOB, &key, json!({}))),
                _ => host.room.handle_call(host.now, 50, Some(&key), read(&join)),
            }
            host.deliver();
            if !host.requested_bots.is_empty() {
                asked_at = host.now;
                host.seat_bots();
            }
            host.wait(THINKING - 100);
            if let Some((at, action)) = host.acting_bot().filter(|_| host.now >= asked_at + THINKING) {
                host.act(bot(at.index()), action);
                break;
            }
        }
        assert_ne!(host.room.state().unwrap().to_act(), Some(seat(1)), "the bot has moved for Bob");
        assert!(host.version() < start + 350, "and the log is not filled: {}", host.version());
    }
}

/// Ann asks for a bot, Bob takes the seat back and does nothing.
#[test]
fn nobody_stops_a_table_by_taking_the_seat_back_repeatedly() {
    let mut host = bobs_turn(2, &json!({}));
    for _ in 0..120 {
        host.wait(5 * MINUTE);
        host.set_control(ANN, 1, "ai");
        host.set_control(BOB, 1, "human");
        host.requested_bots.clear();
    }
    assert_eq!(controlled_by(&host, ANN, 1), Control::Ai, "Bob has used up what he may do in this hand");
    assert_eq!(code(&host.set_control(BOB, 1, "human")), ErrorCode::Full);
    assert!(ack(&host.set_control(ANN, 0, "ai")).is_some(), "and Ann has not");
}

/// Otherwise two people who take their seats back in turns would delay the start of the game.
#[test]
fn taking_a_seat_back_before_the_first_game_gains_no_time() {
    let mut host = Host::seated(4, json!({}), &json!({ "ready": true }));
    ready(&mut host, ANN);
    host.wait(5 * MINUTE);
    host.set_control(ANN, 1, "ai");
    host.set_control(BOB, 1, "human");
    for seat in [1, 2, 3] {
        assert!(ack(&host.set_control(ANN, seat, "ai")).is_some());
    }
    assert_eq!(host.phase(), Phase::Bidding);
}

// Limits.

#[test]
fn nobody_uses_up_the_control_changes_of_others() {
    let mut host = bobs_turn(3, &json!({}));
    let mut accepted = 0;
    for _ in 0..500 {
        accepted += usize::from(ack(&host.set_control(CID, 2, "ai")).is_some());
        accepted += usize::from(ack(&host.set_control(CID, 2, "human")).is_some());
        host.requested_bots.clear();
    }
    assert_eq!(accepted, 100);
    assert!(ack(&host.set_control(BOB, 1, "ai")).is_some(), "Bob has his own");
    host.set_control(BOB, 1, "human");
    host.disconnect(BOB);
    host.wait(3 * MINUTE);
    assert_eq!(controlled_by(&host, ANN, 1), Control::Ai, "and the table needs none");
}

#[test]
fn control_changes_are_allowed_again_in_the_next_hand() {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &json!({ "pause": 0 }));
    for _ in 0..60 {
        host.set_control(BOB, 1, "ai");
        host.set_control(BOB, 1, "human");
    }
    assert_eq!(code(&host.set_control(BOB, 1, "ai")), ErrorCode::Full);
    host.play_until(&mut RandomPlayer::new(5), |host| host.room.state().unwrap().hand_number > 0);
    assert!(ack(&host.set_control(BOB, 1, "ai")).is_some());
}

#[test]
fn a_connection_that_drops_repeatedly_does_not_fill_the_log() {
    let mut host = bobs_turn(2, &json!({}));
    for _ in 0..450 {
        host.disconnect(BOB);
        host.wait(5 * SECOND);
        rejoin(&mut host, BOB);
    }
    assert_eq!(count(&host, |event| matches!(event, Event::PersonReturned { .. })), 400);
    assert_eq!(count(&host, |event| matches!(event, Event::PersonAbsent { .. })), 401);
    host.wait(3 * MINUTE);
    assert_eq!(controlled_by(&host, ANN, 1), Control::Ai, "such a person counts as absent");
}

#[test]
fn the_invites_of_a_student_are_limited() {
    let mut host = bobs_turn(2, &json!({}));
    let mut refused = 0;
    for number in 0..50 {
        let grant = json!({ "role": "coach", "seat": 1 });
        let replies = host.say(BOB, json!({ "type": "INVITE", "requestId": format!("i{number}"), "grant": grant }));
        refused += usize::from(tags(&replies) == ["ERROR"]);
        let revoke = json!({ "type": "INVITE", "requestId": format!("r{number}"), "revoke": number + 2 });
        host.say(BOB, revoke);
    }
    assert_eq!(refused, 10);
}

/// A rated game cannot be ended by filling its log with undos.
#[test]
fn undos_do_not_fill_the_log_of_a_rated_game() {
    let mut host = Host::seated(1, json!({}), &json!({ "rated": true }));
    host.play_until(&mut RandomPlayer::new(3), |host| host.room.state().unwrap().to_act() == Some(seat(0)));
    let start = host.view(ANN).state.events;
    host.followers.clear();
    for number in 0..9000 {
        for action in [json!(Action::Pass { player: seat(0) }), json!(Action::Undo { to: start })] {
            let kind = action["type"].as_str().unwrap().to_owned();
            let mut message = execute(&format!("{number}-{kind}"), host.room.version(), &action);
            message["gameId"] = json!("table");
            host.room.handle_message(0, ANN, read(&message));
            while let Some(effect) = host.room.poll_effect() {
                drop(effect);
            }
        }
    }
    assert!(host.room.view_for(ANN).unwrap().state.events < 9000);
    let rematch = json!({ "type": "REMATCH", "gameId": "table", "requestId": "again" });
    host.room.handle_message(0, ANN, read(&rematch));
    let is_refused = |effect: Effect| matches!(effect, Effect::Send { message, .. } if message.version().is_none());
    assert!(std::iter::from_fn(|| host.room.poll_effect()).any(is_refused), "the game goes on");
}

/// Leaving says "do not wait for me". The table remembers it, so a bot plays from the first deal on.
#[test]
fn a_bot_plays_at_once_for_somebody_who_left_before_the_game() {
    for table in [json!({}), json!({ "ready": true }), json!({ "rated": true })] {
        let mut host = Host::new(&json!({ "players": people(2) }), &table);
        let (key, ann) = (host.invite(&json!({ "role": "player", "seat": 1 })), host.keys[&ANN].clone());
        host.say(ANN, json!({ "type": "LEAVE_GAME" }));
        host.followers.remove(&ANN);
        let mut restored = host.restored(host.now);
        for host in [&mut host, &mut restored] {
            host.join(BOB, &key, json!({ "name": "Bob" }));
            if table["ready"] == true {
                assert_eq!(host.phase(), Phase::Setup, "Bob is not ready");
                ready(host, BOB);
            }
            assert_eq!(host.phase(), Phase::Bidding, "{table}");
            assert_eq!(controlled_by(host, BOB, 0), Control::Ai, "{table}");
            assert!(host.requested_bots.contains_key(&seat(0)));
            host.join(ANN, &ann, json!({}));
            let is_back = host.room.state().unwrap().humans.contains(seat(0));
            assert_eq!(is_back, table["rated"] != true, "at a rated table she returns with the next deal");
        }
    }
}

#[test]
fn a_bot_plays_at_once_for_somebody_who_left_after_a_game() {
    let mut host = Host::seated(2, json!({ "target": 1 }), &json!({}));
    host.play_to_the_end(&mut RandomPlayer::new(4));
    let key = host.keys[&BOB].clone();
    host.say(BOB, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&BOB);
    let mut restored = host.restored(host.now);
    restored.join(ANN, &host.keys[&ANN], json!({}));
    for host in [&mut host, &mut restored] {
        host.say(ANN, json!({ "type": "REMATCH", "requestId": "again" }));
        assert_eq!(controlled_by(host, ANN, 1), Control::Ai);
        host.seat_bots();
        host.followers.remove(&bot(1));
        host.join(BOB, &key, json!({}));
        assert!(host.room.state().unwrap().humans.contains(seat(1)), "Bob plays again");
    }
}

/// Somebody who comes back before the game plays it, also over HTTP.
#[test]
fn somebody_who_left_and_came_back_plays() {
    for is_call in [false, true] {
        let mut host = Host::new(&json!({ "players": people(2) }), &json!({}));
        let (invite, key) = (host.invite(&json!({ "role": "player", "seat": 1 })), host.keys[&ANN].clone());
        for _ in 0..3 {
            host.say(ANN, json!({ "type": "LEAVE_GAME" }));
            host.followers.remove(&ANN);
            if is_call {
                let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": key, "name": "Ann" });
                host.room.handle_call(host.now, 1000, Some(&key), read(&join));
                host.deliver();
            } else {
                host.join(ANN, &key, json!({}));
            }
        }
        host.join(BOB, &invite, json!({ "name": "Bob" }));
        assert!(host.room.state().unwrap().humans.contains(seat(0)));
    }
}

/// A game does not begin with bots alone, and leaving cannot fill the log.
#[test]
fn a_table_that_everybody_left_does_not_start() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "ready": true }));
    let invite = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &invite, json!({ "name": "Bob" }));
    for connection in [ANN, BOB] {
        host.say(connection, json!({ "type": "LEAVE_GAME" }));
        host.followers.remove(&connection);
    }
    assert_eq!(host.phase(), Phase::Setup);
    let key = host.keys[&BOB].clone();
    for _ in 0..600 {
        host.join(BOB, &key, json!({}));
        host.say(BOB, json!({ "type": "LEAVE_GAME" }));
        host.followers.remove(&BOB);
    }
    assert!(host.version() < 900, "{}", host.version());
    host.join(BOB, &key, json!({}));
    ready(&mut host, BOB);
    assert!(host.room.state().unwrap().humans.contains(seat(1)), "Bob is here");
}

/// A game that is played alone waits for its person, but not once somebody else has joined it.
#[test]
fn a_bot_plays_for_somebody_who_left_a_game_that_others_join() {
    let grant = json!({ "role": "player", "seat": 1 });
    let (mut host, keys) = Host::with_invites(json!({}), &json!({}), &[grant]);
    host.say(ANN, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&ANN);
    assert!(host.room.state().unwrap().humans.contains(seat(0)));
    host.followers.remove(&bot(1));
    host.join(BOB, &keys[0], json!({ "name": "Bob" }));
    assert_eq!(controlled_by(&host, BOB, 0), Control::Ai);
}
