//! A table continues without the people who are absent or silent.

use serde_json::json;
use texas42_protocol::{Capability, Role, TableOptions};
use texas42_vocab::{Config, Control, Phase, Seat};

use crate::{
    Host,
    player::{Player, grant, play_until, seat_grant, seats},
};

const SECONDS: u64 = 1000;
const MINUTES: u64 = 60 * SECONDS;

/// Ann with a table for two people, and Bob on the third seat.
fn two_people(host: &mut dyn Host, mut table: TableOptions) -> (Player, Player) {
    let config = Config { players: seats("haha"), target: Some(7), ..Config::default() };
    table.pause = 0;
    let mut ann = Player::create_with(host, config, table);
    let (key, _) = ann.invite(seat_grant(2));
    let bob = Player::join(host, &ann.game(), Some(key), "Bob");
    (ann, bob)
}

/// Lets Ann notice that Bob has vanished, and the table that he is absent.
fn vanish(host: &mut dyn Host, ann: &mut Player, bob: Player) -> bool {
    drop(bob);
    let is_gone =
        |ann: &Player| ann.view().players.iter().any(|player| player.name.as_str() == "Bob" && !player.is_connected);
    ann.wait("Bob to vanish", is_gone);
    pass_time(host, ann, 6 * SECONDS)
}

/// Advances the clock of the host. Returns whether it can.
fn pass_time(host: &mut dyn Host, player: &mut Player, milliseconds: u64) -> bool {
    if !host.advance(milliseconds) {
        return false;
    }
    let game = player.game();
    player.say(&json!({ "type": "SUBSCRIBE", "gameId": game }));
    player.next("STATE_UPDATE");
    true
}

fn control(player: &Player, seat: Seat) -> Control {
    let seated = player.view().players.iter().find(|other| other.player_index == Some(seat));
    seated.unwrap().control_type
}

/// A player who vanishes before being ready does not stop a rated table with a time limit.
pub fn a_player_who_vanished_before_being_ready_is_replaced(host: &mut dyn Host) {
    let table = TableOptions { ready: true, rated: true, turn_seconds: Some(60), ..TableOptions::default() };
    let (mut ann, bob) = two_people(host, table);
    ann.declare_ready();
    if !vanish(host, &mut ann, bob) {
        return;
    }
    assert_eq!(ann.view().state.phase, Phase::Setup);
    pass_time(host, &mut ann, 2 * MINUTES);
    ann.wait("the game to start", |ann| ann.view().state.phase != Phase::Setup);
    assert_eq!(control(&ann, Seat::ALL[2]), Control::Ai);
}

/// A player who vanishes from a table without a time limit is replaced, and gets the seat back by returning.
pub fn a_player_who_vanished_is_replaced_until_returning(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, TableOptions::default());
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    let ticket = bob.client.ticket().unwrap().clone();
    if !vanish(host, &mut ann, bob) {
        return;
    }
    ann.wait("the time when a bot takes over", |ann| ann.view().metadata.deadline.is_some());
    pass_time(host, &mut ann, 2 * MINUTES);
    ann.wait("a bot to take over", |ann| control(ann, Seat::ALL[2]) == Control::Ai);
    let bob = Player::resume(host, ticket);
    assert_eq!(control(&bob, Seat::ALL[2]), Control::Human);
}

/// A connected player at a rated table without a time limit is replaced only if the others ask, after a long time.
pub fn a_silent_player_is_replaced_on_request(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, TableOptions { rated: true, ..TableOptions::default() });
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    let ask = |request: &str| {
        json!({
            "type": "SET_PLAYER_CONTROL", "gameId": bob.game(), "requestId": request, "player": 2, "controlType": "ai",
        })
    };
    assert_eq!(ann.refused(&ask("too-early")), "not-allowed");
    if !pass_time(host, &mut ann, 5 * MINUTES) {
        return;
    }
    assert_eq!(control(&ann, Seat::ALL[2]), Control::Human, "nothing happens by itself");
    ann.say(&ask("late"));
    ann.wait("a bot to take over", |ann| control(ann, Seat::ALL[2]) == Control::Ai);
}

/// An invited bot that is connected but does not act is replaced.
pub fn a_silent_invited_bot_is_replaced(host: &mut dyn Host) {
    let config = Config { players: seats("haaa"), ..Config::default() };
    let table = TableOptions { ready: true, pause: 0, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, table);
    let (key, _) = ann.invite(grant(Role::Ai, Some(1)));
    let _eve = Player::join(host, &ann.game(), Some(key), "Eve");
    ann.declare_ready();
    let waits_for_eve = |player: &Player| player.view().derived.to_act == Some(Seat::ALL[1]);
    play_until(&mut [&mut ann], |players| waits_for_eve(players[0]));
    if !pass_time(host, &mut ann, 2 * MINUTES) {
        return;
    }
    ann.wait("a bot of the host to move", |ann| !waits_for_eve(ann));
}

/// An invited bot whose connection is lost is replaced by one of the host, and gets its seat back when it returns.
pub fn an_invited_bot_that_died_is_replaced_and_returns(host: &mut dyn Host) {
    let config = Config { players: seats("haaa"), ..Config::default() };
    let table = TableOptions { ready: true, pause: 0, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, table);
    let (key, _) = ann.invite(grant(Role::Ai, Some(1)));
    let eve = Player::join(host, &ann.game(), Some(key), "Eve");
    ann.declare_ready();
    let waits_for_eve = |player: &Player| player.view().derived.to_act == Some(Seat::ALL[1]);
    play_until(&mut [&mut ann], |players| waits_for_eve(players[0]));
    let ticket = eve.client.ticket().unwrap().clone();
    drop(eve);
    // A host that notices the loss of the connection only after the advance replaces the bot some seconds later.
    if !pass_time(host, &mut ann, 0) {
        return;
    }
    pass_time(host, &mut ann, 6 * SECONDS);
    ann.wait("a bot of the host to move", |ann| !waits_for_eve(ann));
    let listed = |ann: &Player| -> Vec<(bool, bool)> {
        let on_seat = ann.view().players.iter().filter(|player| player.player_index == Some(Seat::ALL[1]));
        on_seat.map(|player| (player.name.as_str() == "Eve", player.is_connected)).collect()
    };
    assert_eq!(listed(&ann), [(true, false), (false, true)], "Eve is away, and a bot of the host plays");
    let mut eve = Player::resume(host, ticket);
    ann.wait("Eve to return", |ann| listed(ann) == [(true, true)]);
    play_until(&mut [&mut ann, &mut eve], |players| players[1].choice().is_some());
    let choice = eve.choice().unwrap();
    eve.act(choice);
}

/// Another player manages the table while the host is absent.
pub fn another_player_acts_as_host_while_the_host_is_absent(host: &mut dyn Host) {
    let (ann, mut bob) = two_people(host, TableOptions::default());
    let ticket = ann.client.ticket().unwrap().clone();
    drop(ann);
    let is_gone =
        |bob: &Player| bob.view().players.iter().any(|player| player.name.as_str() == "Ann" && !player.is_connected);
    bob.wait("Ann to vanish", is_gone);
    if !pass_time(host, &mut bob, 6 * SECONDS) {
        return;
    }
    pass_time(host, &mut bob, 5 * MINUTES);
    let is_host = |bob: &Player| bob.client.capabilities().contains(&Capability::ConfigureVariant);
    bob.wait("to act as host", is_host);
    bob.invite(seat_grant(1));
    let ann = Player::resume(host, ticket);
    assert!(ann.client.capabilities().contains(&Capability::ConfigureVariant));
    bob.wait("the host to return", |bob| !is_host(bob));
}

/// The limit of changes of control applies to each player separately.
pub fn the_limit_of_control_changes_is_per_player(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, TableOptions::default());
    for number in 0..=100 {
        let control = if number % 2 == 0 { "ai" } else { "human" };
        bob.say(&json!({
            "type": "SET_PLAYER_CONTROL", "gameId": bob.game(), "requestId": format!("n{number}"), "player": 2,
            "controlType": control,
        }));
    }
    assert_eq!(bob.next("ERROR")["error"]["code"], "full");
    ann.set_control(Seat::ALL[0], Control::Ai);
    ann.wait("a bot on the seat", |ann| control(ann, Seat::ALL[0]) == Control::Ai);
}

/// Somebody who left does not hold up the next game: a bot plays the seat at once.
pub fn nobody_waits_for_a_player_who_left_before_the_game(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 1);
    let ticket = ann.client.ticket().unwrap().clone();
    let (key, _) = ann.invite(seat_grant(1));
    let game = ann.game();
    ann.client.leave(0).unwrap();
    assert_eq!(ann.next("LEFT")["isSeatKept"], true);
    host.restart();
    let mut bob = Player::join(host, &game, Some(key), "Bob");
    play_until(&mut [&mut bob], |players| players[0].is_over());
    let mut ann = Player::resume(host, ticket);
    ann.client.leave(0).unwrap();
    ann.next("LEFT");
    let rematch = json!({ "type": "REMATCH", "gameId": game, "requestId": "again" });
    bob.say(&rematch);
    bob.wait("another game", |bob| bob.view().metadata.game_number == 1);
    play_until(&mut [&mut bob], |players| players[0].is_over());
}
