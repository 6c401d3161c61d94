//! Undo by consent, and rematches.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, UndoView};
use texas42_room::RandomPlayer;
use texas42_vocab::{Action, Bid, Phase};

use crate::support::*;

fn two_people(table: &Value) -> Host {
    Host::seated(2, json!({ "shaker": 3 }), table)
}

fn game_events(host: &Host) -> usize {
    let acted = |stored: &&texas42_room::StoredEvent| matches!(stored.event, texas42_room::Event::Acted { .. });
    host.log.iter().filter(acted).count()
}

#[test]
fn an_action_is_undone_when_all_people_agree() {
    let mut host = two_people(&json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    assert_eq!(code(&host.undo(bot(2), 0)), ErrorCode::NotAllowed, "bots are not asked");
    host.undo(ANN, 0);
    assert_eq!(host.view(BOB).metadata.undo, Some(UndoView { to: 0, agreed: vec![seat(0)] }));
    assert_eq!(host.view(BOB).state.auction.len(), 1, "Bob has not agreed yet");
    host.undo(BOB, 0);
    assert_eq!(host.view(BOB).state.auction.len(), 0);
    assert_eq!(host.view(BOB).metadata.undo, None);
}

#[test]
fn a_single_person_needs_no_consent() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    host.undo(ANN, 0);
    assert!(host.view(ANN).state.auction.is_empty());
}

#[test]
fn an_action_cancels_an_undo_request() {
    let mut host = two_people(&json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    host.undo(ANN, 0);
    host.act(BOB, Action::Pass { player: seat(1) });
    assert_eq!(host.view(ANN).metadata.undo, None);
    host.undo(BOB, 0);
    assert_eq!(host.view(ANN).state.auction.len(), 2, "the old agreement has expired");
}

#[test]
fn rejects_an_undo_of_nothing() {
    let mut host = two_people(&json!({}));
    assert_eq!(code(&host.undo(ANN, 0)), ErrorCode::Refused);
    host.act(ANN, Action::Pass { player: seat(0) });
    assert_eq!(code(&host.undo(ANN, 1)), ErrorCode::Refused);
    assert_eq!(code(&host.undo(ANN, 9)), ErrorCode::Refused);
}

/// The table right after a reveal, and the number of game events before it.
fn after(table: &Value, config: Value, is_so: impl Fn(&Host) -> bool) -> (Host, u16) {
    let mut host = Host::seated(1, config, table);
    let mut random = RandomPlayer::new(11);
    let mut events = 0;
    for _ in 0..20_000 {
        if is_so(&host) {
            return (host, events);
        }
        events = game_events(&host) as u16;
        host.step(&mut random);
    }
    panic!("it never becomes so");
}

fn plays(host: &Host) -> usize {
    let state = host.room.state().unwrap();
    state.taken().iter().chain([&state.trick]).map(texas42_engine::Trick::len).sum()
}

/// A rated table allows no undo of what revealed hidden dominoes.
#[test]
fn a_rated_table_rejects_an_undo_across_a_reveal() {
    let rated = (json!({ "rated": true }), json!({}));
    let tournament = (json!({}), json!({ "layers": [{ "type": "tournament" }] }));
    for (table, config) in [rated, tournament] {
        let (mut host, _) = after(&table, config.clone(), |host| plays(host) == 2);
        let start = game_events(&host) as u16 - 2;
        assert_eq!(code(&host.undo(ANN, start)), ErrorCode::Refused, "two dominoes were shown");
        let (mut host, before) = after(&table, config.clone(), |host| host.phase() == Phase::Scoring);
        assert_eq!(code(&host.undo(ANN, before)), ErrorCode::Refused, "the hands were laid open");
        let (mut host, before) = after(&table, config, |host| host.room.state().unwrap().hand_number == 1);
        assert_eq!(code(&host.undo(ANN, before)), ErrorCode::Refused, "the next hand was seen");
    }
}

#[test]
fn an_unrated_table_allows_an_undo_with_consent() {
    for is_so in [|host: &Host| plays(host) == 2, |host: &Host| host.phase() == Phase::Scoring] {
        let (mut host, before) = after(&json!({}), json!({}), is_so);
        let version = host.version();
        host.undo(ANN, before);
        assert_eq!(host.version(), version + 2, "requested, agreed and executed");
    }
}

#[test]
fn a_rated_table_allows_undoing_a_bid() {
    let mut host = two_people(&json!({ "rated": true }));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    host.undo(ANN, 0);
    host.undo(BOB, 0);
    assert!(host.view(ANN).state.auction.is_empty());
}

/// Control is not part of the game: an undo does not affect it, and the table and the game agree on it.
#[test]
fn control_is_not_undone() {
    let mut host = Host::seated(2, json!({ "shaker": 3, "layers": [{ "type": "consensus" }] }), &json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    host.set_control(BOB, 1, "ai");
    host.seat_bots();
    host.undo(ANN, 0);
    assert!(host.view(ANN).state.auction.is_empty());
    assert!(!host.room.state().unwrap().humans.contains(seat(1)), "the game knows that a bot controls the seat");
    host.followers.remove(&bot(1));
    host.set_control(BOB, 1, "human");
    assert!(host.room.state().unwrap().humans.contains(seat(1)));
    assert_eq!(host.restored(0).room.state(), host.room.state());
}

#[test]
fn a_rematch_keeps_seats_and_settings_and_deals_anew() {
    let mut host = two_people(&json!({ "pause": 10 }));
    let first = host.view(ANN).clone();
    let rematch = json!({ "type": "REMATCH", "requestId": "again" });
    assert_eq!(code(&host.say(ANN, rematch.clone())), ErrorCode::Refused, "not before the game is over");
    host.play_to_the_end(&mut RandomPlayer::new(1));
    let request = json!({ "type": "REMATCH", "requestId": "p" });
    assert_eq!(code(&host.say(bot(2), request)), ErrorCode::NotAllowed, "bots do not ask");
    let answer = ack(&host.say(BOB, rematch.clone()));
    assert_eq!(answer, Some(host.version()));
    assert_eq!(ack(&host.say(BOB, rematch)), answer, "the same request plays one more game, not two");
    let second = host.view(ANN);
    assert_eq!((second.state.score, second.metadata.game_number, host.phase()), ([0, 0], 1, Phase::Bidding));
    assert_eq!(second.players, first.players);
    assert_ne!(second.state.players[0].hand, first.state.players[0].hand);
    let commitment = |view: &texas42_protocol::GameView| view.metadata.deal.clone().unwrap().secret_commitment.clone();
    assert_ne!(commitment(second), commitment(&first));
    host.play_to_the_end(&mut RandomPlayer::new(2));
}
