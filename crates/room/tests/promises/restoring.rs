//! A restored room equals the room that wrote the log.

use serde_json::{Value, json};
use texas42_protocol::ErrorCode;
use texas42_room::{RandomPlayer, RestoreError, Room};
use texas42_vocab::Action;

use crate::support::*;

fn config(random: &mut RandomPlayer) -> Value {
    let layers = ["nello", "plunge", "splash", "sevens", "forced-bid", "speed", "hints", "consensus"];
    let chosen: Vec<Value> =
        layers.into_iter().filter(|_| random.below(2) == 0).map(|name| json!({ "type": name })).collect();
    json!({ "layers": chosen, "target": 2 })
}

/// A random event apart from an action.
fn disturb(host: &mut Host, random: &mut RandomPlayer) {
    let connections: Vec<u64> = host.followers.keys().copied().collect();
    let Some(who) = connections.get(random.below(connections.len().max(1) as u64) as usize).copied() else { return };
    match random.below(7) {
        0 => drop(host.undo(who, random.below(12) as u16)),
        1 => reconnect(host, who),
        2 => hand_over(host, random.below(2) as usize),
        3 => drop(host.say(who, json!({ "type": "SUBSCRIBE" }))),
        4 => drop(host.say(ANN, json!({ "type": "REMATCH", "requestId": "again" }))),
        5 => drop(host.invite(&json!({ "role": "spectator", "delayHands": 1 }))),
        _ => host.wait(random.below(2_000)),
    }
}

fn reconnect(host: &mut Host, who: u64) {
    let key = host.keys[&who].clone();
    host.disconnect(who);
    host.join(who, &key, json!({}));
}

/// Lets a bot play a person's seat, and takes the seat back.
fn hand_over(host: &mut Host, number: usize) {
    let person = number as u64;
    host.set_control(person, number, "ai");
    host.seat_bots();
    host.followers.remove(&bot(number));
    host.set_control(person, number, "human");
}

/// Everybody reconnects and has the same view as before.
fn assert_same(live: &Host, restored: &mut Host) {
    assert_eq!(restored.room.state(), live.room.state());
    for connection in live.followers.keys() {
        restored.join(*connection, &live.keys[connection], json!({}));
    }
    for connection in live.followers.keys() {
        assert_eq!(restored.view(*connection), live.view(*connection), "connection {connection}");
    }
}

#[test]
fn a_restored_room_is_the_live_one_after_any_history() {
    for seed in 0..40 {
        let mut random = RandomPlayer::new(seed);
        let config = config(&mut random);
        let mut host = Host::seated(2, config, &json!({ "pause": 500, "turnSeconds": 60 }));
        for _ in 0..random.below(200) {
            if host.phase().is_over() || random.below(6) == 0 {
                disturb(&mut host, &mut random);
            } else {
                host.step(&mut random);
            }
        }
        let mut restored = host.restored(host.now);
        assert_same(&host, &mut restored);
    }
}

#[test]
fn a_restart_in_mid_trick_loses_nothing() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let mut random = RandomPlayer::new(3);
    host.play_until(&mut random, |host| host.room.state().is_some_and(|state| state.trick.len() == 2));
    let mut restored = host.restored(host.now);
    assert_same(&host, &mut restored);
    restored.play_to_the_end(&mut random);
}

#[test]
fn bots_are_requested_again_after_a_restart() {
    let host = Host::seated(2, json!({}), &json!({}));
    let restored = host.restored(0);
    assert_eq!(restored.requested_bots.keys().copied().collect::<Vec<_>>(), [seat(2), seat(3)]);
}

#[test]
fn revoked_and_expired_keys_stay_invalid_after_a_restart() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let invite_key = host.invite(&json!({ "role": "spectator" }));
    let number = host.log.iter().filter(|stored| matches!(stored.event, texas42_room::Event::Invited { .. })).count();
    host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": number }));
    let bob = host.keys[&BOB].clone();
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    let mut restored = host.restored(0);
    for key in [invite_key, bob] {
        assert_eq!(code(&restored.join(EVE, &key, json!({}))), ErrorCode::BadKey);
    }
}

#[test]
fn rejects_invalid_logs() {
    let host = Host::seated(1, json!({ "shaker": 3 }), &json!({}));
    let restore = |log: &[texas42_room::StoredEvent]| Room::restore(0, host.room.id().clone(), &[1; 32], log);
    assert_eq!(restore(&[]).unwrap_err(), RestoreError::NoBeginning);
    assert_eq!(restore(&host.log[1..]).unwrap_err(), RestoreError::NoBeginning);
    let mut log = host.log.clone();
    let action = Action::Pass { player: seat(1) };
    let event = texas42_room::Event::Acted { by: None, request_id: None, action, intent: None };
    log.push(texas42_room::StoredEvent { at: 0, event });
    let error = restore(&log).unwrap_err();
    assert!(matches!(error, RestoreError::Refused { at, .. } if at == log.len() - 1), "{error}");
}

#[test]
fn the_log_round_trips_through_json() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    host.play_to_the_end(&mut RandomPlayer::new(3));
    let text = serde_json::to_string(&host.log).unwrap();
    assert_eq!(serde_json::from_str::<Vec<texas42_room::StoredEvent>>(&text).unwrap(), host.log);
}
