//! Undo by consent, and rematches.

use std::sync::Arc;

use serde_json::{Value, json};
use texas42_phrases::Problem;
use texas42_protocol::{ErrorCode, ServerMessage, UndoView};
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

/// A person who joined without `undo-actions` cannot agree. Without this person's consent nothing is undone, and the
/// person who asks is told why.
#[test]
fn nothing_is_undone_past_a_player_without_undo() {
    let mut host = Host::new(&json!({ "shaker": 3, "players": people(2) }), &json!({ "pause": 0 }));
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    let asked = json!([{ "type": "act-as-player", "playerIndex": 1 }, { "type": "observe-own-hand" }, { "type": "replace-ai" }]);
    host.join(BOB, &key, json!({ "name": "Bob", "capabilities": asked }));
    host.seat_bots();
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    let version = host.version();
    let assert_refused = |host: &mut Host, to: u16| {
        let replies = host.undo(ANN, to);
        let reason = Some(Arc::new(Problem::PlaysWithoutUndo { seat: seat(1) }.into()));
        assert_eq!((code(&replies), &error(&replies).reason), (ErrorCode::Refused, &reason));
    };
    assert_refused(&mut host, 0);
    assert_eq!((host.version(), &host.view(ANN).metadata.undo), (version, &None));
    host.set_control(BOB, 1, "ai");
    host.seat_bots();
    host.undo(ANN, 0);
    assert!(host.view(ANN).state.auction.is_empty(), "Bob plays no more, and nothing was shown");
    host.play_until(&mut RandomPlayer::new(3), |host| plays(host) > 1);
    assert_refused(&mut host, 0);
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

fn decline(host: &mut Host, from: u64) -> Vec<ServerMessage> {
    host.say(from, json!({ "type": "DECLINE_UNDO", "requestId": format!("no-{from}-{}", host.version()) }))
}

#[test]
fn a_player_declines_an_undo_request() {
    let mut host = two_people(&json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    host.undo(ANN, 0);
    assert_eq!(ack(&decline(&mut host, BOB)), Some(host.version()));
    let metadata = |host: &Host, of: u64| (host.view(of).metadata.undo.clone(), host.view(of).metadata.undo_declined);
    for person in [ANN, BOB] {
        assert_eq!(metadata(&host, person), (None, Some(seat(1))), "everybody sees who said no");
    }
    let mut restored = host.restored(0);
    for (person, key) in host.keys.clone() {
        restored.join(person, &key, json!({}));
    }
    assert_eq!(metadata(&restored, ANN), (None, Some(seat(1))));
    restored.undo(BOB, 0);
    assert_eq!(restored.view(ANN).state.auction.len(), 1, "the request that Bob declined is over");
    assert_eq!(metadata(&restored, ANN).1, None, "there is a new request");
    restored.undo(ANN, 0);
    assert!(restored.view(ANN).state.auction.is_empty(), "a new request can be agreed to");
    host.act(BOB, Action::Pass { player: seat(1) });
    assert_eq!(metadata(&host, ANN), (None, None), "an action is news");
}

#[test]
fn only_players_who_are_asked_decline_an_undo() {
    let mut host = two_people(&json!({}));
    host.act(ANN, Action::Bid { player: seat(0), bid: Bid::points(30) });
    assert_eq!(code(&decline(&mut host, BOB)), ErrorCode::Refused, "nobody asks for anything");
    host.undo(ANN, 0);
    assert_eq!(code(&decline(&mut host, ANN)), ErrorCode::Refused, "Ann has asked herself");
    assert_eq!(code(&decline(&mut host, bot(2))), ErrorCode::NotAllowed, "bots are not asked");
    assert_eq!(host.view(BOB).metadata.undo, Some(UndoView { to: 0, agreed: vec![seat(0)] }));
    let declined = json!({ "type": "DECLINE_UNDO", "requestId": "no" });
    let version = ack(&host.say(BOB, declined.clone()));
    assert!(version.is_some());
    assert_eq!(ack(&host.say(BOB, declined)), version, "a repeated request is executed once");
}

#[test]
fn rejects_an_undo_of_nothing() {
    let mut host = two_people(&json!({}));
    assert_eq!(code(&host.undo(ANN, 0)), ErrorCode::Refused);
    host.act(ANN, Action::Pass { player: seat(0) });
    assert_eq!(code(&host.undo(ANN, 1)), ErrorCode::Refused);
    assert_eq!(code(&host.undo(ANN, 9)), ErrorCode::Refused);
}

/// The table as soon as the condition holds, and the number of game events before the last step.
fn play_to(table: &Value, config: Value, condition: impl Fn(&Host) -> bool) -> (Host, u16) {
    let mut host = Host::seated(1, config, table);
    let mut random = RandomPlayer::new(11);
    let mut events = 0;
    for _ in 0..20_000 {
        if condition(&host) {
            return (host, events);
        }
        events = game_events(&host) as u16;
        host.step(&mut random);
    }
    panic!("the condition never holds");
}

fn plays(host: &Host) -> usize {
    let state = host.room.state().unwrap();
    state.taken().iter().chain([&state.trick]).map(texas42_engine::Trick::len).sum()
}

/// A rated table allows no undo of what revealed hidden dominoes.
#[test]
fn a_rated_table_rejects_an_undo_across_a_reveal() {
    let table = json!({ "rated": true });
    let (mut host, _) = play_to(&table, json!({}), |host| plays(host) == 2);
    let start = game_events(&host) as u16 - 2;
    assert_eq!(code(&host.undo(ANN, start)), ErrorCode::Refused, "two dominoes were shown");
    let (mut host, before) = play_to(&table, json!({}), |host| host.phase() == Phase::Scoring);
    assert_eq!(code(&host.undo(ANN, before)), ErrorCode::Refused, "the hands were laid open");
    let (mut host, before) = play_to(&table, json!({}), |host| host.room.state().unwrap().hand_number == 1);
    assert_eq!(code(&host.undo(ANN, before)), ErrorCode::Refused, "the next hand was seen");
}

#[test]
fn an_unrated_table_allows_an_undo_with_consent() {
    let rules = [json!({}), json!({ "layers": [{ "type": "tournament" }] })];
    let conditions = [|host: &Host| plays(host) == 2, |host: &Host| host.phase() == Phase::Scoring];
    for (rules, condition) in rules.iter().flat_map(|rules| conditions.map(|condition| (rules.clone(), condition))) {
        let (mut host, before) = play_to(&json!({}), rules, condition);
        let version = host.version();
        host.undo(ANN, before);
        assert_eq!(host.version(), version + 2, "requested, agreed and executed");
    }
}

#[test]
fn a_rated_table_allows_undoing_a_bid() {
    let mut host = two_people(&json!({ "rated": true }));
    host.play_until(&mut RandomPlayer::new(3), |host| host.room.state().unwrap().to_act() == Some(seat(0)));
    let before = host.view(ANN).state.clone();
    let bid = host.view(ANN).valid_actions[0].action;
    assert!(matches!(bid, Action::Bid { .. } | Action::Pass { .. }));
    assert!(ack(&host.act(ANN, bid)).is_some());
    host.undo(ANN, before.events);
    host.undo(BOB, before.events);
    assert_eq!(host.view(ANN).state.auction, before.auction);
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
