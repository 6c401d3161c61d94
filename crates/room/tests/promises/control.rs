//! Who controls a seat, and time limits.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, ServerMessage};
use texas42_room::{Effect, RandomPlayer};
use texas42_vocab::{Action, Bid, Control, Phase, Trump};

use crate::support::*;

fn control_of(host: &Host, number: u8) -> Control {
    let human = host.room.state().unwrap().humans.contains(seat(number));
    if human { Control::Human } else { Control::Ai }
}

/// A table in the middle of a trick, on Bob's turn.
fn mid_trick(table: &Value) -> Host {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), table);
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    host.act(BOB, Action::Pass { player: seat(1) });
    host.act(bot(2), Action::Pass { player: seat(2) });
    host.act(bot(3), Action::Pass { player: seat(3) });
    host.act(ANN, Action::SelectTrump { player: seat(0), trump: Trump::Fives });
    let first = host.view(ANN).valid_actions[0].action;
    host.act(ANN, first);
    assert_eq!(host.room.state().unwrap().to_act(), Some(seat(1)));
    host
}

fn own_play(host: &Host, connection: u64) -> Action {
    host.view(connection).valid_actions[0].action
}

#[test]
fn a_seat_is_handed_to_a_bot_and_back_in_mid_trick() {
    let mut host = mid_trick(&json!({}));
    let play = own_play(&host, BOB);
    let since = host.effects.len();
    let replies = host.set_control(BOB, 1, "ai");
    assert_eq!(ack(&replies), Some(host.version()), "exactly one event");
    assert!(tags(&replies).contains(&"PLAYER_STATUS".to_owned()));
    let called = host.effects[since..].iter().filter(|effect| matches!(effect, Effect::RequestBot { .. })).count();
    assert_eq!(called, 1);
    assert!(host.view(BOB).valid_actions.is_empty(), "Bob only watches after handing over his seat");
    assert_eq!(host.view(BOB).state.players[1].hand.len(), 7, "and still sees his hand");
    assert_eq!(code(&host.act(BOB, play)), ErrorCode::NotAllowed);
    host.seat_bots();
    assert!(!host.view(bot(1)).valid_actions.is_empty());

    let (key, since) = (host.keys[&bot(1)].clone(), host.effects.len());
    host.followers.remove(&bot(1));
    host.set_control(BOB, 1, "human");
    assert!(host.effects[since..].contains(&Effect::ReleaseBot { seat: seat(1) }));
    assert_eq!(code(&host.act(bot(1), play)), ErrorCode::NotJoined, "the bot is disconnected");
    assert_eq!(code(&host.join(EVE, &key, json!({}))), ErrorCode::BadKey, "and its key is invalid");
    assert_eq!(ack(&host.act(BOB, play)), Some(host.version()));
}

#[test]
fn the_key_of_a_released_bot_expires() {
    let mut host = mid_trick(&json!({}));
    host.set_control(BOB, 1, "ai");
    let unused = host.requested_bots[&seat(1)].clone();
    host.set_control(BOB, 1, "human");
    assert_eq!(code(&host.join(EVE, &unused, json!({}))), ErrorCode::BadKey);
}

#[test]
fn only_authorized_sessions_change_control() {
    let mut host = mid_trick(&json!({}));
    assert_eq!(code(&host.set_control(BOB, 0, "ai")), ErrorCode::NotAllowed, "not the seat of another player");
    assert_eq!(code(&host.set_control(BOB, 2, "human")), ErrorCode::NotAllowed, "not a bot's seat");
    assert_eq!(code(&host.set_control(bot(2), 2, "human")), ErrorCode::NotAllowed, "not by a bot");
    assert_eq!(code(&host.set_control(BOB, 1, "human")), ErrorCode::Refused, "no change");
    assert_eq!(code(&host.set_control(EVE, 1, "ai")), ErrorCode::NotJoined);
    assert_eq!(code(&host.set_control(ANN, 1, "ai")), ErrorCode::NotAllowed, "not while its person is connected");
    host.disconnect(BOB);
    host.set_control(ANN, 1, "ai");
    assert_eq!(control_of(&host, 1), Control::Ai, "the host can hand an absent player's seat to a bot");
    assert_eq!(code(&host.set_control(ANN, 1, "human")), ErrorCode::NotAllowed, "but not take it");
    let key = host.keys[&BOB].clone();
    host.join(BOB, &key, json!({}));
    host.set_control(BOB, 1, "human");
    assert_eq!(control_of(&host, 1), Control::Human, "its person takes it back");
}

#[test]
fn a_repeated_change_of_control_is_executed_once() {
    let mut host = mid_trick(&json!({}));
    let message = json!({ "type": "SET_PLAYER_CONTROL", "requestId": "c", "player": 1, "controlType": "ai" });
    let first = ack(&host.say(BOB, message.clone()));
    let version = host.version();
    assert_eq!(ack(&host.say(BOB, message)), first);
    assert_eq!(host.version(), version);
}

#[test]
fn a_bot_takes_over_exactly_at_the_deadline() {
    let mut host = mid_trick(&json!({ "turnSeconds": 10 }));
    let deadline = host.view(BOB).metadata.deadline.unwrap();
    assert_eq!(deadline, 10_000);
    host.wait(9_999);
    assert_eq!(control_of(&host, 1), Control::Human);
    host.wait(1);
    assert_eq!(control_of(&host, 1), Control::Ai);
    assert!(host.requested_bots.contains_key(&seat(1)));
    assert_eq!(host.view(ANN).metadata.deadline, None, "bots have no time limit");
}

#[test]
fn a_late_timer_acts_and_a_second_one_does_nothing() {
    let mut host = mid_trick(&json!({ "turnSeconds": 10 }));
    host.now = 60_000;
    host.wake();
    let version = host.version();
    assert_eq!(control_of(&host, 1), Control::Ai);
    host.wake();
    host.wake();
    assert_eq!(host.version(), version);
}

#[test]
fn a_backward_clock_reverts_nothing() {
    let mut host = mid_trick(&json!({ "turnSeconds": 10 }));
    host.wait(6_000);
    host.now = 0;
    host.wake();
    host.now = 10_000;
    host.wake();
    assert_eq!(control_of(&host, 1), Control::Ai);
}

#[test]
fn a_late_player_gets_the_seat_back_by_reconnecting() {
    let mut host = mid_trick(&json!({ "turnSeconds": 10 }));
    host.disconnect(BOB);
    host.wait(10_000);
    host.seat_bots();
    host.followers.remove(&bot(1));
    let key = host.keys[&BOB].clone();
    host.join(BOB, &key, json!({}));
    assert_eq!(control_of(&host, 1), Control::Human);
    assert!(!host.view(BOB).valid_actions.is_empty());
}

#[test]
fn a_late_connected_player_gets_the_seat_back_on_request() {
    let mut host = mid_trick(&json!({ "turnSeconds": 10 }));
    host.wait(10_000);
    host.set_control(BOB, 1, "human");
    assert_eq!(control_of(&host, 1), Control::Human);
    assert_eq!(host.view(BOB).metadata.deadline, Some(20_000), "with a new time limit");
}

#[test]
fn reconnecting_does_not_undo_a_deliberate_control_change() {
    let mut host = mid_trick(&json!({}));
    host.set_control(BOB, 1, "ai");
    host.disconnect(BOB);
    let key = host.keys[&BOB].clone();
    host.join(BOB, &key, json!({}));
    assert_eq!(control_of(&host, 1), Control::Ai);
}

/// Otherwise players could gain time with invites or visitors.
#[test]
fn events_around_the_game_do_not_extend_the_time_limit() {
    let mut host = mid_trick(&json!({ "turnSeconds": 10, "openToSpectators": true }));
    host.wait(6_000);
    host.invite(&json!({ "role": "spectator" }));
    host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }));
    host.say(EVE, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&EVE);
    assert_eq!(host.view(BOB).metadata.deadline, Some(10_000));
    host.wait(4_000);
    assert_eq!(control_of(&host, 1), Control::Ai);
}

#[test]
fn a_complete_trick_stays_for_the_tables_pause() {
    let mut host = mid_trick(&json!({ "pause": 700 }));
    for connection in [BOB, bot(2), bot(3)] {
        let play = own_play(&host, connection);
        host.act(connection, play);
    }
    assert!(host.room.state().unwrap().is_trick_complete());
    assert_eq!(host.room.wake_at(), Some(700));
    host.wait(699);
    assert!(host.room.state().unwrap().is_trick_complete(), "not a moment earlier");
    host.wait(1);
    assert_eq!(host.room.state().unwrap().tally.tricks_played(), 1);
}

#[test]
fn a_visitor_does_not_extend_the_pause() {
    let mut host = mid_trick(&json!({ "pause": 700, "openToSpectators": true }));
    for connection in [BOB, bot(2), bot(3)] {
        let play = own_play(&host, connection);
        host.act(connection, play);
    }
    host.wait(600);
    host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }));
    host.wait(100);
    assert_eq!(host.room.state().unwrap().tally.tricks_played(), 1);
}

/// The last domino of a hand is forced: it is played after the delay of the layer.
#[test]
fn a_forced_action_is_executed_after_the_delay_of_the_speed_layer() {
    let config = json!({ "layers": [{ "type": "speed", "delay": 400 }], "playOn": true });
    let mut host = Host::seated(1, config, &json!({ "pause": 0 }));
    let mut random = RandomPlayer::new(5);
    let is_last = |host: &Host| {
        host.room.state().is_some_and(|state| state.tally.tricks_played() == 6) && host.phase() == Phase::Playing
    };
    host.play_until(&mut random, is_last);
    let (hands, since) = (host.room.state().unwrap().hands, host.now);
    let view = host.followers.keys().find(|id| !host.view(**id).valid_actions.is_empty()).copied().unwrap();
    let forced = &host.view(view).valid_actions[0];
    assert_eq!((forced.auto_execute, forced.delay), (true, Some(400)));
    host.wait(399);
    assert_eq!(host.room.state().unwrap().hands, hands);
    host.wait(1);
    assert_ne!(host.room.state().unwrap().hands, hands);
    host.wait(1_200);
    assert_eq!(host.now, since + 1_600);
    assert_eq!(host.room.state().unwrap().hand_number, 1, "and so on, to the next deal");
}

#[test]
fn people_agree_and_bots_are_not_asked() {
    let config = json!({ "layers": [{ "type": "consensus" }], "shaker": 3 });
    let mut host = Host::seated(2, config, &json!({ "pause": 0 }));
    let complete = |host: &Host| host.room.state().is_some_and(texas42_engine::State::is_trick_complete);
    host.play_until(&mut RandomPlayer::new(9), complete);
    assert_eq!(host.room.wake_at(), None, "the table waits for people");
    assert!(host.view(bot(2)).valid_actions.is_empty());
    let agree = |number: u8| Action::AgreeCompleteTrick { player: seat(number) };
    assert_eq!(code(&host.act(bot(2), agree(2))), ErrorCode::Refused);
    host.act(ANN, agree(0));
    assert!(complete(&host));
    assert_eq!(code(&host.act(ANN, agree(0))), ErrorCode::Refused, "once is enough");
    host.act(BOB, agree(1));
    assert!(!complete(&host));
}

#[test]
fn the_table_does_not_wait_for_a_handed_over_seat() {
    let config = json!({ "layers": [{ "type": "consensus" }], "shaker": 3 });
    let mut host = Host::seated(2, config, &json!({ "pause": 0 }));
    let complete = |host: &Host| host.room.state().is_some_and(texas42_engine::State::is_trick_complete);
    host.play_until(&mut RandomPlayer::new(9), complete);
    host.act(ANN, Action::AgreeCompleteTrick { player: seat(0) });
    host.set_control(BOB, 1, "ai");
    assert!(!complete(&host));
}

#[test]
fn the_time_limit_applies_to_agreements() {
    let config = json!({ "layers": [{ "type": "consensus" }], "shaker": 3 });
    let mut host = Host::seated(2, config, &json!({ "pause": 0, "turnSeconds": 10 }));
    let complete = |host: &Host| host.room.state().is_some_and(texas42_engine::State::is_trick_complete);
    host.play_until(&mut RandomPlayer::new(9), complete);
    host.act(ANN, Action::AgreeCompleteTrick { player: seat(0) });
    host.disconnect(BOB);
    host.wait(10_000);
    assert!(!complete(&host), "an absent person does not stop the table");
    assert_eq!(control_of(&host, 1), Control::Ai);
}

#[test]
fn a_scripted_auction_runs_automatically() {
    let script = json!({ "player": 0, "bid": "points", "value": 30, "trump": "fives" });
    let config = json!({ "layers": [{ "type": "one-hand", "script": script }], "shaker": 3 });
    let host = Host::seated(1, config, &json!({ "deal": "seeded" }));
    assert_eq!(host.phase(), Phase::Playing, "the script runs automatically");
    let messages = host.sent.iter().filter(|(_, message)| matches!(message, ServerMessage::StateUpdate { .. }));
    assert!(messages.count() > 0);
}

/// `replace-ai` is about the seats of bots. The seat's own player needs no more than the seat.
#[test]
fn a_player_without_replace_ai_takes_their_own_seat_back() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({}));
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    let asked = json!([{ "type": "act-as-player", "playerIndex": 1 }, { "type": "observe-own-hand" }]);
    host.join(BOB, &key, json!({ "name": "Bob", "capabilities": asked }));
    host.set_control(BOB, 1, "ai");
    assert!(!host.room.state().unwrap().humans.contains(seat(1)));
    assert!(ack(&host.set_control(BOB, 1, "human")).is_some());
    assert!(host.room.state().unwrap().humans.contains(seat(1)));
}

/// `replace-ai` is listed exactly where a person with an invite gets the seat.
#[test]
fn replace_ai_marks_the_seats_that_a_person_may_take() {
    let marked = |host: &Host, viewer: u64| {
        let bots = host.view(viewer).players.iter();
        let bots = bots.filter(|player| player.capabilities.contains(&texas42_protocol::Capability::ReplaceAi));
        bots.map(|bot| bot.player_index.unwrap().index()).collect::<Vec<_>>()
    };
    let mut host = Host::seated(2, json!({}), &json!({}));
    assert_eq!(marked(&host, ANN), [2, 3]);
    let (taken, free) =
        (host.invite(&json!({ "role": "player", "seat": 1 })), host.invite(&json!({ "role": "player", "seat": 2 })));
    let bob = host.keys[&BOB].clone();
    host.say(BOB, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&BOB);
    host.seat_bots();
    assert_eq!(marked(&host, ANN), [2, 3], "Bob keeps his seat");
    assert_eq!(code(&host.join(CID, &taken, json!({}))), ErrorCode::SeatTaken);
    let mut restored = host.restored(host.now);
    restored.join(ANN, &host.keys[&ANN], json!({}));
    restored.seat_bots();
    assert_eq!(marked(&restored, ANN), [2, 3]);

    host.followers.remove(&bot(1));
    host.join(BOB, &bob, json!({}));
    host.set_control(BOB, 1, "ai");
    host.seat_bots();
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&BOB);
    let mut seats = marked(&host, ANN);
    seats.sort_unstable();
    assert_eq!(seats, [1, 2, 3], "now anybody may take it");
    host.followers.remove(&bot(2));
    host.join(CID, &free, json!({}));
    assert!(!marked(&host, ANN).contains(&2) || host.view(CID).players.iter().any(|shown| shown.waits_for_deal));
}
