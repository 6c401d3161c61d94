//! Nobody sees a second hand of a deal by taking another seat.

use serde_json::{Value, json};
use texas42_phrases::{Problem, Reason, Refusal};
use texas42_protocol::{Capability, ErrorCode, PlayerView, SecretKey, ServerMessage};
use texas42_room::{Event, NewTable, RandomPlayer, Room};
use texas42_vocab::{Action, Control, Hand, Phase, Seat};

use crate::support::*;

const CALL: u64 = 1000;

fn player(number: u8) -> Value {
    json!({ "role": "player", "seat": number })
}

/// Ann and Bob against two bots, in the middle of a hand, and the keys of invites from before the deal.
fn mid_hand(table: &Value, grants: &[Value]) -> (Host, Vec<SecretKey>) {
    let mut table = table.clone();
    table["ready"] = json!(true);
    table["pause"] = json!(0);
    let mut host = Host::new(&json!({ "players": people(2), "shaker": 3 }), &table);
    let bob = host.invite(&player(1));
    host.join(BOB, &bob, json!({ "name": "Bob" }));
    let keys = grants.iter().map(|grant| host.invite(grant)).collect();
    for person in [ANN, BOB] {
        host.say(person, json!({ "type": "READY", "requestId": "ready" }));
    }
    host.seat_bots();
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Playing);
    (host, keys)
}

fn hand_number(host: &Host) -> u32 {
    host.room.state().unwrap().hand_number
}

fn play_to_the_next_deal(host: &mut Host) {
    let hand = hand_number(host);
    host.play_until(&mut RandomPlayer::new(5), |host| hand_number(host) > hand);
}

fn shown(host: &Host, name: &str) -> PlayerView {
    host.view(ANN).players.iter().find(|player| player.name.as_str() == name).cloned().unwrap()
}

/// The seats whose hands a connection sees.
fn hands_of(host: &Host, connection: u64) -> Vec<usize> {
    let hands = &host.view(connection).state.players;
    (0..4).filter(|seat| hands[*seat].hand != Hand::EMPTY).collect()
}

fn assert_waits(host: &Host, connection: u64, name: &str) {
    let player = shown(host, name);
    assert!(player.waits_for_deal, "everybody sees that {name} waits");
    assert_eq!(player.control_type, Control::Ai, "a bot plays for {name}");
    assert!(hands_of(host, connection).is_empty(), "{name} sees no hand");
    assert!(host.view(connection).valid_actions.is_empty());
}

fn assert_plays(host: &Host, connection: u64, name: &str) {
    let player = shown(host, name);
    assert!(!player.waits_for_deal && player.control_type == Control::Human, "{player:?}");
    assert_eq!(hands_of(host, connection), [player.player_index.unwrap().index()]);
}

fn give_up(host: &mut Host, connection: u64) {
    host.say(connection, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&connection);
    host.seat_bots();
}

/// Lets everybody pass until the next hand is dealt.
fn throw_in(host: &mut Host) {
    let hand = hand_number(host);
    while hand_number(host) == hand {
        match host.choices().into_iter().find(|(_, action)| matches!(action, Action::Pass { .. })) {
            Some((connection, action)) => drop(host.act(connection, action)),
            None => host.wait(100),
        }
    }
}

/// Ann and Bob in the auction of the second deal, after the first was thrown in, and the keys of invites from before both.
fn second_auction(grants: &[Value]) -> (Host, Vec<SecretKey>) {
    let mut host = Host::new(&json!({ "players": people(2), "shaker": 3 }), &json!({ "ready": true, "pause": 0 }));
    let bob = host.invite(&player(1));
    let keys = grants.iter().map(|grant| host.invite(grant)).collect();
    host.join(BOB, &bob, json!({ "name": "Bob" }));
    for person in [ANN, BOB] {
        host.say(person, json!({ "type": "READY", "requestId": "ready" }));
    }
    host.seat_bots();
    throw_in(&mut host);
    (host, keys)
}

/// The capabilities of a session that acts for a seat and sees no hand.
fn only_act(number: u8) -> Value {
    json!([{ "type": "act-as-player", "playerIndex": number }])
}

#[test]
fn a_new_person_with_an_invite_from_before_the_deal_plays_at_once() {
    let (mut host, keys) = mid_hand(&json!({}), &[player(2)]);
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    assert_plays(&host, CID, "Cid");
}

#[test]
fn a_friend_invited_after_the_deal_plays_from_the_next_one_on() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let key = host.invite(&player(2));
    let since = host.sent.len();
    let replies = host.join(CID, &key, json!({ "name": "Cid" }));
    assert!(matches!(&replies[..], [ServerMessage::Joined { seat: Some(_), .. }, ..]), "{replies:?}");
    assert_waits(&host, CID, "Cid");
    let text = serde_json::to_string(&host.messages_since(since, BOB)).unwrap();
    assert!(text.contains(r#""status":"joined""#), "the others are told: {text}");
    let is_logged = |stored: &texas42_room::StoredEvent| matches!(&stored.event, Event::Joined { waits: true, .. });
    assert_eq!(host.log.iter().filter(|stored| is_logged(stored)).count(), 1);

    let refused = host.set_control(CID, 2, "human");
    assert_eq!(code(&refused), ErrorCode::NotAllowed);
    assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Request(Problem::PlaysFromNextDeal)));
    let refused = host.act(CID, Action::Pass { player: seat(2) });
    assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Request(Problem::PlaysFromNextDeal)));

    let cid = host.keys[&CID].clone();
    host.disconnect(CID);
    host.join(CID, &cid, json!({}));
    assert_waits(&host, CID, "Cid");
    let mut restored = host.restored(host.now);
    for connection in [ANN, BOB, CID] {
        let key = host.keys[&connection].clone();
        restored.join(connection, &key, json!({}));
    }
    restored.seat_bots();
    assert_waits(&restored, CID, "Cid");
    for host in [&mut host, &mut restored] {
        play_to_the_next_deal(host);
        assert_plays(host, CID, "Cid");
    }
}

/// The attack: take a seat, read its hand, give it up, take the next.
#[test]
fn sitting_down_and_leaving_shows_one_hand() {
    let every_seat = json!({ "role": "player", "uses": 9 });
    for rated in [false, true] {
        let (mut host, keys) = mid_hand(&json!({ "rated": rated }), &[every_seat.clone(), player(2), player(3)]);
        assert_eq!(hands_of(&host, BOB), [1]);
        give_up(&mut host, BOB);
        for (key, seat) in [(&keys[0], 1), (&keys[0], 2), (&keys[0], 3), (&keys[1], 2), (&keys[2], 3)] {
            host.join(EVE, key, json!({ "name": "Eve", "seat": seat }));
            assert_waits(&host, EVE, "Eve");
            give_up(&mut host, EVE);
        }
        for number in 1..4 {
            let key = host.invite(&player(number));
            host.join(EVE, &key, json!({ "name": "Eve" }));
            assert_waits(&host, EVE, "Eve");
            give_up(&mut host, EVE);
        }
        play_to_the_next_deal(&mut host);
        host.join(EVE, &keys[0], json!({ "name": "Eve", "seat": 1 }));
        match rated {
            true => assert_waits(&host, EVE, "Eve"),
            false => assert_plays(&host, EVE, "Eve"),
        }
    }
}

#[test]
fn a_host_who_gives_up_cannot_return_to_the_hand() {
    let (mut host, keys) = mid_hand(&json!({}), &[player(2), player(3)]);
    give_up(&mut host, ANN);
    for key in &keys {
        host.join(EVE, key, json!({ "name": "Eve" }));
        assert!(hands_of(&host, EVE).is_empty());
        give_up(&mut host, EVE);
    }
    let request = json!({ "type": "INVITE", "requestId": "i", "grant": player(0) });
    let replies = host.say(BOB, request);
    let Some(ServerMessage::Invited { key: Some(key), .. }) = replies.last() else { panic!("{replies:?}") };
    let key = key.clone();
    host.join(EVE, &key, json!({ "name": "Eve" }));
    assert!(hands_of(&host, EVE).is_empty(), "an invite by the new host is one from after the deal");
}

#[test]
fn an_invite_shows_one_hand_of_a_deal() {
    let (mut host, keys) = mid_hand(&json!({}), &[json!({ "role": "player", "uses": 2 })]);
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    assert_plays(&host, CID, "Cid");
    host.join(DAN, &keys[0], json!({ "name": "Dan" }));
    assert_waits(&host, DAN, "Dan");
}

#[test]
fn a_connection_shows_one_hand_of_a_deal() {
    let (mut host, keys) = mid_hand(&json!({}), &[player(2)]);
    host.followers.remove(&BOB);
    host.join(BOB, &keys[0], json!({ "name": "Bob again" }));
    assert_waits(&host, BOB, "Bob again");
}

#[test]
fn a_newcomer_waits_if_a_player_left_the_seat_to_a_bot() {
    let (mut host, keys) = mid_hand(&json!({}), &[player(2)]);
    host.say(BOB, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&BOB);
    host.seat_bots();
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    assert_waits(&host, CID, "Cid");
}

#[test]
fn a_visitor_who_sees_a_hand_could_be_the_newcomer() {
    let coach = |host: &mut Host| {
        let grant = json!({ "role": "coach", "seat": 0 });
        host.invite(&grant)
    };
    let (mut host, keys) = mid_hand(&json!({}), &[player(2), player(3)]);
    let key = coach(&mut host);
    host.join(EVE, &key, json!({ "name": "Eve" }));
    assert_eq!(hands_of(&host, EVE), [0]);
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    assert_waits(&host, CID, "Cid");
    give_up(&mut host, EVE);
    host.join(DAN, &keys[1], json!({ "name": "Dan" }));
    assert_waits(&host, DAN, "Dan");

    let (mut host, keys) = mid_hand(&json!({ "openHands": true }), &[player(2)]);
    let key = host.invite(&json!({ "role": "spectator", "openHands": true }));
    host.join(EVE, &key, json!({ "name": "Eve" }));
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    assert_waits(&host, CID, "Cid");
}

/// A coach sees what the student sees.
#[test]
fn the_coach_of_a_newcomer_waits_too() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let key = host.invite(&player(2));
    host.join(CID, &key, json!({ "name": "Cid" }));
    let invite = json!({ "type": "INVITE", "requestId": "c", "grant": { "role": "coach", "seat": 2 } });
    let replies = host.say(CID, invite);
    let Some(ServerMessage::Invited { key: Some(key), .. }) = replies.last() else { panic!("{replies:?}") };
    let key = key.clone();
    host.join(EVE, &key, json!({ "name": "Eve" }));
    assert!(hands_of(&host, EVE).is_empty());
    play_to_the_next_deal(&mut host);
    assert_eq!(hands_of(&host, EVE), [2]);
}

#[test]
fn people_take_seats_at_a_rated_table_only_between_hands() {
    let (mut host, keys) = mid_hand(&json!({ "rated": true }), &[player(2), player(3)]);
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    assert_waits(&host, CID, "Cid");
    play_to_the_next_deal(&mut host);
    assert_plays(&host, CID, "Cid");
}

/// Bots at a rated table must not help: a player could let one play the hard parts of a hand.
#[test]
fn nobody_hands_a_rated_hand_to_a_bot() {
    let (mut host, _) = mid_hand(&json!({ "rated": true }), &[]);
    let version = host.version();
    let replies = host.set_control(BOB, 1, "ai");
    assert_eq!(error(&replies).reason.as_deref(), Some(&Reason::Request(Problem::ControlChangeBetweenHands)));
    assert_eq!(host.version(), version);
}

/// A bot plays a rated hand to its end for somebody who leaves.
#[test]
fn somebody_who_leaves_a_rated_hand_plays_from_the_next_deal() {
    let (mut host, _) = mid_hand(&json!({ "rated": true }), &[]);
    let bob = host.keys[&BOB].clone();
    host.say(BOB, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&BOB);
    host.seat_bots();
    assert_eq!(shown(&host, "Bob").control_type, Control::Ai);
    let mut restored = host.restored(host.now);
    restored.join(ANN, &host.keys[&ANN].clone(), json!({}));
    for host in [&mut host, &mut restored] {
        host.join(BOB, &bob, json!({}));
        assert_waits(host, BOB, "Bob");
        let refused = host.set_control(BOB, 1, "human");
        assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Request(Problem::PlaysFromNextDeal)));
        host.seat_bots();
        play_to_the_next_deal(host);
        assert_plays(host, BOB, "Bob");
    }
}

/// Between rated hands, a seat can be handed to a bot for the next hand.
#[test]
fn a_bot_plays_whole_rated_hands_only() {
    let config = json!({ "players": people(2), "layers": [{ "type": "consensus" }] });
    let mut host = Host::seated(2, config, &json!({ "rated": true, "pause": 0 }));
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Scoring);
    assert!(ack(&host.set_control(BOB, 1, "ai")).is_some());
    host.seat_bots();
    let refused = host.set_control(BOB, 1, "human");
    assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Request(Problem::PlaysFromNextDeal)));
    play_to_the_next_deal(&mut host);
    assert_waits(&host, BOB, "Bob");
    play_to_the_next_deal(&mut host);
    assert_plays(&host, BOB, "Bob");
}

/// At other tables, the person decides.
#[test]
fn somebody_who_leaves_an_unrated_hand_returns_to_it() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let bob = host.keys[&BOB].clone();
    host.say(BOB, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&BOB);
    assert_eq!(shown(&host, "Bob").control_type, Control::Ai);
    host.join(BOB, &bob, json!({}));
    assert_plays(&host, BOB, "Bob");
    assert!(ack(&host.set_control(BOB, 1, "ai")).is_some() && ack(&host.set_control(BOB, 1, "human")).is_some());
}

#[test]
fn somebody_who_comes_when_the_hand_is_over_plays_the_next() {
    let config = json!({ "players": people(2), "shaker": 3, "layers": [{ "type": "consensus" }] });
    let mut host = Host::seated(2, config, &json!({ "rated": true, "pause": 0 }));
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Scoring);
    let key = host.invite(&player(2));
    host.join(CID, &key, json!({ "name": "Cid" }));
    assert_eq!((shown(&host, "Cid").control_type, shown(&host, "Cid").waits_for_deal), (Control::Human, false));
    play_to_the_next_deal(&mut host);
    assert_plays(&host, CID, "Cid");
}

/// An undo can lead back to a hand from before a newcomer came. Its hands were open by then.
#[test]
fn a_newcomer_does_not_return_to_an_earlier_hand() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let key = host.invite(&player(2));
    host.join(CID, &key, json!({ "name": "Cid" }));
    let to = host.view(ANN).state.events;
    play_to_the_next_deal(&mut host);
    assert_plays(&host, CID, "Cid");
    for person in [ANN, BOB, CID] {
        host.undo(person, to);
    }
    assert_eq!(hand_number(&host), 0);
    assert_waits(&host, CID, "Cid");
    host.seat_bots();
    let restored = host.restored(host.now);
    assert_eq!(restored.room.state(), host.room.state());
    play_to_the_next_deal(&mut host);
    assert_plays(&host, CID, "Cid");
}

/// The attack: give up a seat in a hand that is thrown in, take another in the next hand, and undo.
#[test]
fn an_undo_of_a_redeal_shows_no_second_hand() {
    let config = json!({ "players": people(2), "shaker": 3 });
    let mut host = Host::new(&config, &json!({ "ready": true, "pause": 0 }));
    let [bob, eve] = [1, 2].map(|number| host.invite(&player(number)));
    host.join(BOB, &bob, json!({ "name": "Bob" }));
    for person in [ANN, BOB] {
        host.say(person, json!({ "type": "READY", "requestId": "ready" }));
    }
    host.seat_bots();
    assert_eq!(hands_of(&host, BOB), [1]);
    give_up(&mut host, BOB);
    throw_in(&mut host);
    host.join(EVE, &eve, json!({ "name": "Eve" }));
    assert_plays(&host, EVE, "Eve");
    for person in [ANN, EVE] {
        host.undo(person, 2);
    }
    assert_eq!(hand_number(&host), 0);
    assert_waits(&host, EVE, "Eve");
    host.seat_bots();
    play_to_the_next_deal(&mut host);
    assert_plays(&host, EVE, "Eve");
}

/// The attack: see a hand, let an undo lead back into the hand that was thrown in before, and give the seat up there.
#[test]
fn giving_up_after_an_undo_of_a_redeal_shows_no_second_hand() {
    let (mut host, keys) = second_auction(&[player(2), player(3)]);
    host.join(EVE, &keys[0], json!({ "name": "Eve" }));
    assert_plays(&host, EVE, "Eve");
    for person in [ANN, BOB, EVE] {
        host.undo(person, 2);
    }
    assert_eq!(hand_number(&host), 0);
    assert_waits(&host, EVE, "Eve");
    host.seat_bots();
    give_up(&mut host, EVE);
    throw_in(&mut host);
    host.join(EVE, &keys[1], json!({ "name": "Eve" }));
    assert_waits(&host, EVE, "Eve");
}

/// The coach of a newcomer sees the same deal, and nothing after the undo.
#[test]
fn a_coach_who_leaves_after_an_undo_of_a_redeal_could_be_the_newcomer() {
    let (mut host, keys) = second_auction(&[player(2), player(3)]);
    host.join(CID, &keys[0], json!({ "name": "Cid" }));
    let invite = json!({ "type": "INVITE", "requestId": "c", "grant": { "role": "coach", "seat": 2 } });
    let replies = host.say(CID, invite);
    let Some(ServerMessage::Invited { key: Some(key), .. }) = replies.last() else { panic!("{replies:?}") };
    let key = key.clone();
    host.join(EVE, &key, json!({ "name": "Eve" }));
    assert_eq!(hands_of(&host, EVE), [2]);
    for person in [ANN, BOB, CID] {
        host.undo(person, 2);
    }
    host.seat_bots();
    assert!(hands_of(&host, EVE).is_empty());
    host.say(EVE, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&EVE);
    throw_in(&mut host);
    host.join(EVE, &keys[1], json!({ "name": "Eve" }));
    assert_waits(&host, EVE, "Eve");
}

/// The attack: a session that may act and sees nothing learns its hand from the refusals of its plays.
#[test]
fn refusals_count_as_a_hand_that_was_seen() {
    let (mut host, keys) = mid_hand(&json!({}), &[player(2), player(3), player(3)]);
    host.join(EVE, &keys[0], json!({ "name": "Eve", "capabilities": only_act(2) }));
    assert!(hands_of(&host, EVE).is_empty() && !shown(&host, "Eve").waits_for_deal);
    host.play_until(&mut RandomPlayer::new(3), |host| host.room.state().unwrap().to_act() == Some(seat(2)));
    let held = host.room.state().unwrap().hands[2];
    let missing = Hand::FULL.into_iter().find(|domino| !held.contains(*domino)).unwrap();
    let player = seat(2);
    let refused = host.act(EVE, Action::Play { player, domino: missing });
    assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Rule(Refusal::NotInHand { player, domino: missing })));

    host.join(DAN, &keys[1], json!({ "name": "Dan" }));
    assert_plays(&host, DAN, "Dan");
    give_up(&mut host, DAN);
    give_up(&mut host, EVE);
    host.join(EVE, &keys[2], json!({ "name": "Eve" }));
    assert_waits(&host, EVE, "Eve");
}

#[test]
fn an_invited_bot_waits_too() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let key = host.invite(&json!({ "role": "ai", "seat": 2 }));
    host.join(EVE, &key, json!({ "name": "Eve's" }));
    assert_waits(&host, EVE, "Eve's");
    assert!(host.room.view_for(bot(2)).is_some(), "the bot of the host plays on");
    play_to_the_next_deal(&mut host);
    assert_eq!(hands_of(&host, EVE), [2]);
    assert!(host.room.view_for(bot(2)).is_none());
}

/// Without a connection, a newcomer gets the seat with the first call after the deal.
#[test]
fn a_newcomer_over_http_gets_the_seat_with_the_next_call() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let key = host.invite(&player(2));
    let join = json!({ "type": "JOIN_GAME", "gameId": "table", "key": key, "name": "Cid" });
    let since = host.sent.len();
    host.room.handle_call(host.now, CALL, None, read(&join));
    host.deliver();
    let replies = host.messages_since(since, CALL);
    let [ServerMessage::Joined { key: Some(cid), .. }, ..] = &replies[..] else { panic!("{replies:?}") };
    assert!(!host.room.handle_poll(host.now, Some(cid)));
    play_to_the_next_deal(&mut host);
    assert_eq!(shown(&host, "Cid").control_type, Control::Ai, "nobody waits for somebody who is not there");
    assert!(host.room.handle_poll(host.now, Some(cid)));
    host.deliver();
    assert_eq!(shown(&host, "Cid").control_type, Control::Human);
}

#[test]
fn a_friend_joins_an_imported_hand_from_the_next_deal_on() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({ "pause": 0 }));
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Playing);
    let new = NewTable { id: "table".try_into().unwrap(), randomness: [6; 32], connection: ANN };
    let imported = texas42_room::ImportedTable { request_id: None, log: host.log.clone() };
    let room = Room::adopt(host.now, new, &host.keys[&ANN], &imported).unwrap();
    let mut online = Host::of(room, host.now, Vec::new());
    online.seat_bots();
    let key = online.invite(&player(1));
    online.join(BOB, &key, json!({ "name": "Bob" }));
    assert_waits(&online, BOB, "Bob");
    play_to_the_next_deal(&mut online);
    assert_plays(&online, BOB, "Bob");
}

#[test]
fn a_newcomer_does_not_wait_if_nobody_has_seen_a_hand() {
    let mut message = create_game(&json!({ "players": people(0) }), &json!({}));
    message["role"] = json!("spectator");
    let mut host = Host::created(&message, [5; 32]);
    host.seat_bots();
    assert!(host.room.state().is_some());
    let key = host.invite(&player(1));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    assert_plays(&host, BOB, "Bob");
    let key = host.invite(&player(2));
    host.join(CID, &key, json!({ "name": "Cid" }));
    assert_waits(&host, CID, "Cid");
}

/// The seat whose hand a connection sees, or finds out by trying plays.
fn learned(host: &Host, connection: u64, name: &str) -> Vec<usize> {
    let player = shown(host, name);
    let acts = |seat: &Seat| player.capabilities.contains(&Capability::ActAsPlayer { player_index: *seat });
    let tried = player.player_index.filter(acts).filter(|_| !player.waits_for_deal);
    hands_of(host, connection).into_iter().chain(tried.map(Seat::index)).collect()
}

/// A person with every invite that the host can make, who takes seats and leaves at random, with all capabilities or some of
/// them, sees one hand of each deal. At some tables every hand is thrown in, and undos lead back into earlier hands.
#[test]
fn no_person_sees_two_hands_of_a_deal() {
    let mut undone = 0;
    for seed in 0..60 {
        let grants = [json!({ "role": "player", "uses": 100 }), player(2), player(3), player(2), player(3)];
        let (rated, passes) = (json!({ "rated": seed % 3 == 0 }), seed % 3 == 1);
        let (mut host, mut keys) = mid_hand(&rated, &grants);
        let mut random = RandomPlayer::new(seed);
        let mut seen: std::collections::BTreeMap<u32, std::collections::BTreeSet<usize>> = Default::default();
        for _ in 0..160 {
            let is_here = |host: &Host, connection| host.room.view_for(connection).is_some();
            match random.below(8) {
                0 if keys.len() < 20 => keys.push(host.invite(&player(1 + random.below(3) as u8))),
                1 if is_here(&host, EVE) => give_up(&mut host, EVE),
                2 | 3 if !is_here(&host, EVE) => {
                    let key = keys[random.below(keys.len() as u64) as usize].clone();
                    let only_act: Value = (0..4).map(|seat| only_act(seat)[0].clone()).collect();
                    match random.below(3) {
                        0 => host.join(EVE, &key, json!({ "name": "Eve", "capabilities": only_act })),
                        _ => host.join(EVE, &key, json!({ "name": "Eve" })),
                    };
                }
                4 if is_here(&host, BOB) && random.below(8) == 0 => give_up(&mut host, BOB),
                5 if passes && hand_number(&host) > 0 => {
                    let (hand, to) = (hand_number(&host), random.below(host.view(ANN).state.events.into()) as u16);
                    for person in
                        [ANN, BOB, EVE].into_iter().filter(|person| is_here(&host, *person)).collect::<Vec<_>>()
                    {
                        host.undo(person, to);
                    }
                    undone += usize::from(hand_number(&host) < hand);
                }
                _ if host.phase().is_over() => {}
                _ if passes && host.phase() == Phase::Bidding && host.room.state().unwrap().to_act().is_some() => {
                    let pass = host.choices().into_iter().find(|(_, action)| matches!(action, Action::Pass { .. }));
                    match pass {
                        Some((connection, action)) => drop(host.act(connection, action)),
                        None => give_up(&mut host, EVE),
                    }
                }
                _ if host.choices().is_empty() && host.room.wake_at().is_none() => give_up(&mut host, EVE),
                _ => host.step(&mut random),
            }
            host.seat_bots();
            let is_hidden = matches!(host.phase(), Phase::Bidding | Phase::TrumpSelection | Phase::Playing);
            if is_here(&host, EVE) && is_hidden {
                let hands = seen.entry(hand_number(&host)).or_default();
                hands.extend(learned(&host, EVE, "Eve"));
                assert!(hands.len() < 2, "seed {seed}: Eve has seen {hands:?} of one deal");
            }
        }
    }
    assert!(undone > 10, "only {undone} undos led back into an earlier hand");
}

/// Waiting hides the hand; it changes no right to the seat.
#[test]
fn a_newcomer_has_the_capabilities_of_a_player() {
    let (mut host, _) = mid_hand(&json!({}), &[]);
    let key = host.invite(&player(2));
    host.join(CID, &key, json!({ "name": "Cid" }));
    let act = Capability::ActAsPlayer { player_index: Seat::ALL[2] };
    assert!(shown(&host, "Cid").capabilities.contains(&act));
}
