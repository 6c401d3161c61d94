//! Whole scenarios at a table.

use serde_json::json;
use texas42_client::Ticket;
use texas42_hosting::id_of;
use texas42_protocol::{Role, TableOptions};
use texas42_room::{FairRecord, HeadlessRoom};
use texas42_vocab::{Config, Control, Phase, Seat};

use crate::{
    Host,
    in_process::InProcess,
    player::{Player, catch_up, grant, play_until, seat_grant, seats},
};

/// Ann with a table for two people and two bots, and Bob on the third seat.
fn two_people(host: &mut dyn Host, target: u16) -> (Player, Player) {
    let mut ann = Player::create(host, "haha", target);
    let (key, _) = ann.invite(seat_grant(2));
    let bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert_eq!(bob.seat(), Seat::ALL[2]);
    ann.wait("the game to start", |ann| ann.view().state.phase != Phase::Setup);
    (ann, bob)
}

fn is_mid_trick(player: &Player) -> bool {
    let on_table = player.view().state.trick.as_ref().map_or(0, |trick| trick.plays.len());
    player.view().state.phase == Phase::Playing && (1..4).contains(&on_table)
}

/// Flow 1 of the specification.
pub fn two_people_and_two_bots_play_a_game(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 2);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!(ann.view().state.score, bob.view().state.score);
    assert!(ann.view().derived.winner.is_some() && ann.view().metadata.result.is_some());
    assert!(ann.view().state.score.iter().any(|score| *score >= 2));
}

/// Flow 3, the person's own seat.
pub fn a_person_hands_over_and_takes_back_a_seat_mid_trick(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    play_until(&mut [&mut ann, &mut bob], |players| is_mid_trick(players[0]) && players[0].choice().is_some());
    let seat = ann.seat();
    let version = ann.version();
    ann.set_control(seat, Control::Ai);
    assert!(ann.choice().is_none(), "a bot must decide now");
    let plays = |ann: &Player| {
        ann.heard.iter().any(|m| m["lastAction"]["player"] == 0 && m["version"].as_u64() > Some(version))
    };
    ann.wait("the bot to play", plays);
    ann.set_control(seat, Control::Human);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some());
    let choice = ann.choice().unwrap();
    ann.act(choice);
}

/// Flow 3, a bot's seat.
pub fn a_person_takes_the_seat_of_a_bot(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    play_until(&mut [&mut ann], |players| is_mid_trick(players[0]));
    let (key, _) = ann.invite(seat_grant(1));
    let mut cid = Player::join(host, &ann.game(), Some(key), "Cid");
    assert_eq!(cid.seat(), Seat::ALL[1]);
    assert!(!cid.view().state.players[1].hand.is_empty(), "the newcomer must hold the bot's dominoes");
    play_until(&mut [&mut ann, &mut cid], |players| players[1].choice().is_some());
    let choice = cid.choice().unwrap();
    cid.act(choice);
    cid.set_control(Seat::ALL[1], Control::Ai);
    let hand = cid.view().state.hand_number;
    play_until(&mut [&mut ann], |players| players[0].view().state.hand_number > hand || players[0].is_over());
}

/// Flow 6.
pub fn a_spectator_and_a_coach_watch(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    let (key, _) = ann.invite(grant(Role::Spectator, None));
    let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
    let (key, _) = ann.invite(grant(Role::Coach, Some(0)));
    let mut coach = Player::join(host, &ann.game(), Some(key), "Coach");
    play_until(&mut [&mut ann, &mut bob], |players| is_mid_trick(players[0]));
    catch_up(&mut [&mut ann, &mut bob, &mut eve, &mut coach]);
    assert!(eve.view().state.players.iter().all(|hand| hand.hand.is_empty()), "a spectator must see no hand");
    assert_eq!(eve.view().state.trick, ann.view().state.trick);
    let seen = &coach.view().state.players;
    assert_eq!(seen[0], ann.view().state.players[0], "a coach must see the student's hand");
    assert!(seen[1..].iter().all(|hand| hand.hand.is_empty()));
    assert!(eve.choice().is_none(), "a coach sees the student's valid actions; a spectator must not");
    for watcher in [&mut eve, &mut coach] {
        assert!(watcher.client.seat().is_none());
        let action = serde_json::json!({
            "type": "EXECUTE_ACTION", "gameId": watcher.game(), "requestId": "cheat", "version": watcher.version(),
            "action": { "type": "pass", "player": 0 },
        });
        assert_eq!(watcher.refused(&action), "not-allowed");
    }
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > 0 || players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob, &mut eve, &mut coach]);
}

/// Flow 8.
pub fn a_dropped_connection_resumes(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 2);
    let mut rounds = 0;
    play_until(&mut [&mut ann, &mut bob], |players| {
        rounds += 1;
        players[0].view().state.phase == Phase::Playing
    });
    let seat = bob.seat();
    bob.reconnect(host);
    assert_eq!(bob.seat(), seat);
    assert!(!bob.view().state.players[2].hand.is_empty());
    // An action in flight when the connection drops is executed once.
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    let choice = bob.choice().unwrap();
    let version = bob.version();
    bob.client.execute(0, choice).unwrap();
    bob.send();
    bob.reconnect(host);
    bob.wait("the reply", |bob| !bob.client.is_waiting());
    assert!(bob.version() > version);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
}

/// Flow 8, with a crash of the host.
pub fn a_crash_of_the_host_loses_nothing(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    for _ in 0..3 {
        let version = ann.version();
        play_until(&mut [&mut ann, &mut bob], |players| players[0].version() > version + 6);
        let (held, hand) = (ann.version(), ann.view().state.players[0]);
        let auction = ann.view().state.auction.clone();
        host.restart();
        ann.reconnect(host);
        bob.reconnect(host);
        assert!(ann.version() >= held, "version {} after {held}", ann.version());
        if ann.view().state.hand_number == 0 && !auction.is_empty() {
            assert!(ann.view().state.players[0].hand_count <= hand.hand_count);
        }
    }
}

/// A rematch at the same table.
pub fn a_rematch_keeps_the_seats(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 1);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    let seats = (ann.seat(), bob.seat());
    catch_up(&mut [&mut ann, &mut bob]);
    ann.client.rematch(0, None).unwrap();
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!((ann.seat(), bob.seat()), seats);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
}

/// At a table with the `ready` option, the deal waits until everyone is ready, even across a restart of the host.
pub fn a_game_starts_when_everyone_is_ready(host: &mut dyn Host) {
    let config = Config { players: seats("haha"), ..Config::default() };
    let options = TableOptions { pause: 0, ready: true, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, options);
    ann.declare_ready();
    let (key, _) = ann.invite(seat_grant(2));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert_eq!(bob.view().state.phase, Phase::Setup, "Bob is not ready yet");
    assert_eq!(bob.view().metadata.ready, [ann.seat()]);
    assert_eq!(ann.refused(&json!({ "type": "READY", "gameId": ann.game(), "requestId": "again" })), "refused");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert_eq!(bob.view().metadata.ready, [ann.seat()], "a restart must keep who is ready");
    bob.declare_ready();
    ann.wait("the game to start", |ann| ann.view().state.phase == Phase::Bidding);
    assert!(ann.view().metadata.ready.is_empty());
    assert_eq!(ann.refused(&json!({ "type": "READY", "gameId": ann.game(), "requestId": "late" })), "refused");
}

/// Going online: a game started on a device continues at the host in the middle of a trick, and friends take the seats
/// of bots.
pub fn an_offline_game_continues_online_with_friends(host: &mut dyn Host) {
    let mut device = InProcess::new();
    let mut there = Player::create(&mut device, "haaa", 2);
    play_until(&mut [&mut there], |players| is_mid_trick(players[0]) && players[0].choice().is_some());
    let ticket = there.client.ticket().unwrap().clone();
    let key = String::from(ticket.key.clone());
    let body = json!({ "requestId": "go", "log": device.log(&there.game()) });
    let Some((status, created)) = host.request("POST", "/api/games/import", Some(&key), &body) else { return };
    assert_eq!((status, created["type"].as_str()), (201, Some("GAME_CREATED")), "{created}");
    assert_eq!((&created["requestId"], &created["key"]), (&json!("go"), &json!(null)));
    assert_eq!(created["gameId"], json!(id_of(&ticket.key)), "the id must derive from the founder's key");
    let game_id = serde_json::from_value(created["gameId"].clone()).unwrap();
    // If the reply was lost, the same import leads to the same table, also after a restart.
    let again = host.request("POST", "/api/games/import", Some(&key), &body).unwrap();
    assert_eq!((again.0, &again.1["gameId"]), (200, &created["gameId"]), "{}", again.1);
    host.restart();
    let again = host.request("POST", "/api/games/import", Some(&key), &body).unwrap();
    assert_eq!((again.0, &again.1["gameId"]), (200, &created["gameId"]), "{}", again.1);
    // A stranger may have the log, but not the key.
    let other = String::from(texas42_protocol::SecretKey::new(texas42_server::serve::random()));
    assert_eq!(host.request("POST", "/api/games/import", Some(&other), &body).unwrap().0, 401);
    assert_eq!(host.request("POST", "/api/games/import", None, &body).unwrap().0, 401);
    assert_eq!(host.request("POST", "/api/games/import", Some(&other), &json!({ "log": 1 })).unwrap().0, 400);

    let mut ann = Player::resume(host, Ticket { game_id, ..ticket });
    assert_eq!(ann.view().state.players[0], there.view().state.players[0], "the hand must be the same");
    assert_eq!(ann.view().state.trick, there.view().state.trick);
    assert_eq!(ann.choice(), there.choice());
    assert!(ann.view().metadata.table.brought);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert!(bob.view().metadata.table.brought, "a friend must see that the game was imported");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob]);
    ann.client.rematch(0, None).unwrap();
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
    assert!(!ann.view().metadata.table.brought, "the host deals the rematch");
}

/// A record contains the completed hands and nothing of the current one.
pub fn a_record_reveals_only_completed_hands(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 2);
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    let path = format!("/api/games/{}/record", ann.game());
    let Some((status, refused)) = host.request("GET", &path, Some(&key), &json!(null)) else { return };
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("not-started")), "no hand is over yet");
    play_until(&mut [&mut ann, &mut bob], |players| {
        players[0].is_over() || (players[0].view().state.hand_number == 1 && is_mid_trick(players[0]))
    });
    if !ann.is_over() {
        let (status, record) = host.request("GET", &path, Some(&key), &json!(null)).unwrap();
        let told = HeadlessRoom::from_record(&record.to_string()).unwrap();
        assert_eq!((status, told.state().phase, told.state().hand_number), (200, Phase::Scoring, 0));
        assert_eq!(record["config"]["deals"].as_array().map(Vec::len), Some(1), "one hand must be revealed: {record}");
    }
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    let (status, proof) = host.request("GET", &path, Some(&key), &json!(null)).unwrap();
    assert_eq!(status, 200, "{proof}");
    FairRecord::from_json(&proof.to_string()).unwrap().verify().unwrap();
    let told = HeadlessRoom::from_record(&proof.to_string()).unwrap();
    assert_eq!(told.state().score, ann.view().state.score);
    // The record is only for sessions of the table.
    let other = String::from(texas42_protocol::SecretKey::new(texas42_server::serve::random()));
    assert_eq!(host.request("GET", &path, Some(&other), &json!(null)).unwrap().0, 401);
    assert_eq!(host.request("GET", &path, None, &json!(null)).unwrap().0, 401);
    assert_eq!(host.request("POST", &path, Some(&key), &json!({})).unwrap().0, 405);
}
