//! Invited bots: clients that join with an invite for a bot and play a seat.

use std::sync::Arc;

use serde_json::json;
use texas42_engine::State;
use texas42_phrases::Problem;
use texas42_protocol::{
    ClientMessage, DealKind, ErrorCode, PlayerId, PlayerView, SecretKey, ServerMessage, TableOptions,
};
use texas42_room::{ConnectionOwner, Effect, Event, RandomPlayer, Room, SurvivingConnection};
use texas42_vocab::{Action, Control, Phase};

use crate::support::{ANN, BOB, CID, EVE, Host, ack, bot, code, error, people, seat, tags};

const CALL: u64 = 1000;

/// Ann against three bots of the host, and the keys of invites for a bot and for a person on seat 1.
fn ann_and_invites() -> (Host, SecretKey, SecretKey) {
    let grants = ["ai", "player"].map(|role| json!({ "role": role, "seat": 1 }));
    let (host, keys) = Host::with_invites(json!({ "shaker": 3 }), &json!({ "pause": 0 }), &grants);
    (host, keys[0].clone(), keys[1].clone())
}

/// The same with Eve's invited bot on the seat, and the key of the invite for a person. The host's bot is gone.
fn with_a_bot_and_an_invite() -> (Host, SecretKey) {
    let (mut host, invite, player) = ann_and_invites();
    host.join(EVE, &invite, json!({ "name": "Eve's" }));
    (host, player)
}

fn with_a_bot() -> Host {
    with_a_bot_and_an_invite().0
}

fn players_on(host: &Host, number: u8) -> Vec<PlayerView> {
    let view = host.view(ANN);
    view.players.iter().filter(|player| player.player_index == Some(seat(number))).cloned().collect()
}

fn call(host: &mut Host, key: &SecretKey, message: serde_json::Value) -> Vec<ServerMessage> {
    let since = host.sent.len();
    let message: ClientMessage = serde_json::from_value(message).unwrap();
    host.room.handle_call(host.now, CALL, Some(key), message);
    host.deliver();
    host.messages_since(since, CALL)
}

fn poll(host: &mut Host, key: &SecretKey) {
    assert!(host.room.handle_poll(host.now, Some(key)));
    host.deliver();
}

fn absences(host: &Host) -> usize {
    host.log.iter().filter(|stored| matches!(stored.event, Event::BotAbsent { .. })).count()
}

/// A person runs an invited bot, and could measure how long the bots of the host think.
#[test]
fn a_table_with_an_invited_bot_hides_how_long_bots_think() {
    let (mut host, invite, _) = ann_and_invites();
    assert!(!host.room.hides_thinking(), "Ann is alone");
    host.join(EVE, &invite, json!({ "name": "Eve's" }));
    assert!(host.room.hides_thinking());
    host.say(EVE, json!({ "type": "GIVE_UP_SEAT" }));
    assert!(!host.room.hides_thinking());
}

#[test]
fn an_invited_bot_takes_the_seat_of_a_bot_of_the_host() {
    let (mut host, invite, _) = ann_and_invites();
    let replies = host.join(EVE, &invite, json!({ "name": "Eve's" }));
    assert!(
        matches!(&replies[..], [ServerMessage::Joined { seat: Some(at), .. }, ..] if *at == seat(1)),
        "{replies:?}"
    );
    assert!(host.effects.contains(&Effect::ReleaseBot { seat: seat(1) }));
    let [shown] = &players_on(&host, 1)[..] else { panic!("one bot is listed") };
    assert_eq!((shown.name.as_str(), shown.control_type, shown.is_connected), ("Eve's", Control::Ai, true));
    assert!(host.room.view_for(bot(1)).is_none(), "the session of the other bot has ended");
    assert!(!host.view(EVE).state.players[1].hand.is_empty() && host.view(EVE).state.players[0].hand.is_empty());
    let version = host.version();
    assert_eq!(code(&host.join(CID, &invite, json!({}))), ErrorCode::SeatTaken, "the invite is used up");
    assert_eq!(host.version(), version);
    host.play_to_the_end(&mut RandomPlayer::new(1));
    let acted = |stored: &texas42_room::StoredEvent| matches!(&stored.event, Event::Acted { by: Some(by), .. } if *by == shown.player_id);
    assert!(host.log.iter().any(acted), "it played");
}

#[test]
fn an_invited_bot_takes_a_free_seat_but_never_a_persons() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({}));
    let player = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &player, json!({ "name": "Bob" }));
    let refused = host.invite(&json!({ "role": "ai", "seat": 1 }));
    assert_eq!(code(&host.join(EVE, &refused, json!({}))), ErrorCode::SeatTaken);
    host.set_control(BOB, 1, "ai");
    assert_eq!(code(&host.join(EVE, &refused, json!({}))), ErrorCode::SeatTaken, "nor one that a person handed over");
    host.set_control(BOB, 1, "human");
    let free = host.invite(&json!({ "role": "ai", "seat": 2 }));
    host.join(EVE, &free, json!({}));
    assert_eq!(host.phase(), Phase::Bidding, "nobody else is missing");
    assert!(!host.room.state().unwrap().humans.contains(seat(2)));
    assert_eq!(host.requested_bots.keys().copied().collect::<Vec<_>>(), [seat(3)], "the host provides the other bot");
    let second = host.invite(&json!({ "role": "ai", "seat": 2 }));
    assert_eq!(code(&host.join(CID, &second, json!({}))), ErrorCode::SeatTaken, "nor another invited bot's");
    let any = host.invite(&json!({ "role": "ai" }));
    host.join(CID, &any, json!({}));
    assert_eq!(players_on(&host, 3).len(), 1);
}

#[test]
fn a_rated_table_allows_only_bots_of_the_host() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "rated": true }));
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "ai", "seat": 2 } });
    assert_eq!(code(&host.say(ANN, invite)), ErrorCode::NotAllowed);
}

/// The person who runs a bot sees its hand.
#[test]
fn a_table_with_invited_bots_does_not_become_rated() {
    let configure = |host: &mut Host| {
        let table = json!({ "ready": true, "rated": true });
        let request = host.fresh_request_id();
        host.say(ANN, json!({ "type": "CONFIGURE", "requestId": request, "table": table }))
    };
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "ready": true }));
    let key = host.invite(&json!({ "role": "ai", "seat": 2 }));
    assert_eq!(code(&configure(&mut host)), ErrorCode::Refused, "with an invite that a bot could use");
    host.join(EVE, &key, json!({}));
    assert_eq!(code(&configure(&mut host)), ErrorCode::Refused, "with a bot at the table");
    host.followers.remove(&EVE);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": 1 }));
    assert!(ack(&configure(&mut host)).is_some());

    let mut host = with_a_bot();
    host.play_to_the_end(&mut RandomPlayer::new(1));
    let rematch = json!({ "type": "REMATCH", "requestId": "again", "config": {}, "table": { "rated": true } });
    assert_eq!(code(&host.say(ANN, rematch)), ErrorCode::Refused);
}

/// Earlier versions kept the invites of a table that became rated, and accepted them at tables with known deals.
#[test]
fn a_stored_invite_seats_no_bot_where_none_is_allowed() {
    let (host, invite, _) = ann_and_invites();
    let changes: [fn(&mut TableOptions); 2] =
        [|options| options.rated = true, |options| options.deal = DealKind::Seeded];
    for change in changes {
        let mut stored = host.restored(host.now);
        let Event::Created { table, .. } = &mut stored.log[0].event else { panic!("a log begins with its table") };
        change(table);
        let mut host = stored.restored(stored.now);
        assert_eq!(code(&host.join(EVE, &invite, json!({}))), ErrorCode::NotAllowed);
    }
}

#[test]
fn only_the_host_of_the_table_invites_a_bot() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "ai", "seat": 2 } });
    assert_eq!(code(&host.say(BOB, invite)), ErrorCode::NotAllowed);
}

#[test]
fn a_person_replaces_an_invited_bot_at_any_time() {
    let (mut host, invite) = with_a_bot_and_an_invite();
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Playing);
    let key = host.keys[&EVE].clone();
    let since = host.sent.len();
    host.followers.remove(&EVE);
    host.join(BOB, &invite, json!({ "name": "Bob" }));
    assert!(tags(&host.messages_since(since, EVE)).contains(&"LEFT".to_owned()));
    assert!(host.room.state().unwrap().humans.contains(seat(1)));
    assert_eq!(players_on(&host, 1).len(), 1);
    assert_eq!(code(&host.join(EVE, &key, json!({}))), ErrorCode::BadKey, "a person took the seat");
    host.wait(60_000);
    host.play_to_the_end(&mut RandomPlayer::new(3));
}

/// The capability decides: nobody takes the seat of a bot without it, until the bot is away or its invite is revoked.
#[test]
fn a_bot_without_replace_ai_keeps_its_seat() {
    let (mut host, invite, player) = ann_and_invites();
    let asked = json!([{ "type": "act-as-player", "playerIndex": 1 }, { "type": "observe-own-hand" }]);
    host.join(EVE, &invite, json!({ "name": "Eve's", "capabilities": asked }));
    assert_eq!(json!(players_on(&host, 1)[0].capabilities), asked);
    let refusal = |heard: &[ServerMessage]| (code(heard), error(heard).reason.clone());
    let stays = (ErrorCode::SeatTaken, Some(Arc::new(Problem::BotKeepsSeat.into())));
    assert_eq!(refusal(&host.join(BOB, &player, json!({}))), stays);
    let any = host.invite(&json!({ "role": "player" }));
    host.join(BOB, &any, json!({}));
    assert_eq!(host.view(BOB).players.iter().filter(|shown| shown.waits_for_deal).count(), 1, "another seat is free");
    assert!(!players_on(&host, 1)[0].waits_for_deal);

    let mut restored = host.restored(host.now);
    assert_eq!(refusal(&restored.join(CID, &player, json!({}))), stays, "a restored table decides the same");
    restored.wait(5_000);
    restored.join(CID, &player, json!({}));
    assert_eq!(restored.view(CID).players.iter().filter(|shown| is_person_on(shown, 1)).count(), 1, "the bot is away");

    host.followers.remove(&EVE);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "revoke", "revoke": 1 }));
    host.join(CID, &player, json!({}));
    assert_eq!(host.view(CID).players.iter().filter(|shown| is_person_on(shown, 1)).count(), 1, "the bot has left");
}

/// It has the seat although a bot of the host plays until the next deal.
#[test]
fn a_bot_without_replace_ai_keeps_its_seat_while_it_waits_for_the_deal() {
    let (mut host, _, _) = ann_and_invites();
    let [invite, player] = ["ai", "player"].map(|role| host.invite(&json!({ "role": role, "seat": 2 })));
    let asked = json!([{ "type": "act-as-player", "playerIndex": 2 }, { "type": "observe-own-hand" }]);
    host.join(EVE, &invite, json!({ "name": "Eve's", "capabilities": asked }));
    assert!(players_on(&host, 2).iter().any(|shown| shown.waits_for_deal));
    assert_eq!(code(&host.join(BOB, &player, json!({}))), ErrorCode::SeatTaken);
    let mut left = host.restored(host.now);
    left.join(BOB, &player, json!({}));
    assert!(left.view(BOB).players.iter().any(|shown| shown.name.as_str() == "Somebody 1"), "the bot is away");
    let mut vanished = host;
    vanished.disconnect(EVE);
    vanished.wait(4_999);
    assert_eq!(code(&vanished.join(BOB, &player, json!({}))), ErrorCode::SeatTaken, "it has time to reconnect");
    vanished.wait(1);
    vanished.join(BOB, &player, json!({}));
    assert!(vanished.view(BOB).players.iter().any(|shown| shown.name.as_str() == "Somebody 1"));
}

fn is_person_on(shown: &PlayerView, number: u8) -> bool {
    shown.player_index == Some(seat(number)) && shown.name.as_str() == format!("Somebody {CID}")
}

/// Neither for an undo, nor to complete a trick, nor before the game.
#[test]
fn an_invited_bot_is_never_asked() {
    let config = json!({ "layers": [{ "type": "consensus" }], "shaker": 3, "players": people(1) });
    let mut host = Host::new(&config, &json!({ "pause": 0, "ready": true }));
    let invite = host.invite(&json!({ "role": "ai", "seat": 1 }));
    host.join(EVE, &invite, json!({}));
    host.seat_bots();
    let ready = json!({ "type": "READY", "requestId": "r" });
    assert_eq!(code(&host.say(EVE, ready.clone())), ErrorCode::NotAllowed);
    host.say(ANN, ready);
    assert_eq!(host.phase(), Phase::Bidding);
    let is_complete = |host: &Host| host.room.state().is_some_and(State::is_trick_complete);
    host.play_until(&mut RandomPlayer::new(9), is_complete);
    assert!(host.view(EVE).valid_actions.is_empty());
    let events = host.view(ANN).state.events;
    assert_eq!(code(&host.undo(EVE, events - 1)), ErrorCode::NotAllowed);
    host.undo(ANN, events - 1);
    assert!(!is_complete(&host), "Ann's consent is enough");
    host.play_until(&mut RandomPlayer::new(9), is_complete);
    host.act(ANN, Action::AgreeCompleteTrick { player: seat(0) });
    assert!(!is_complete(&host), "here too");
}

#[test]
fn an_invited_bot_manages_nothing() {
    let mut host = with_a_bot();
    host.say(ANN, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&ANN);
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player", "seat": 0 } });
    assert_eq!(code(&host.say(EVE, invite)), ErrorCode::NotAllowed);
    assert_eq!(code(&host.set_control(EVE, 1, "human")), ErrorCode::NotAllowed);
}

#[test]
fn a_bot_of_the_host_plays_while_an_invited_bot_is_away() {
    let mut host = with_a_bot();
    let key = host.keys[&EVE].clone();
    host.disconnect(EVE);
    assert!(players_on(&host, 1)[0].is_connected, "it has time to reconnect");
    host.wait(4_999);
    assert_eq!(absences(&host), 0);
    host.wait(1);
    assert_eq!(absences(&host), 1);
    assert!(host.requested_bots.contains_key(&seat(1)));
    host.seat_bots();
    let [eves, hosts] = &players_on(&host, 1)[..] else { panic!("both are listed") };
    assert!(!eves.is_connected && hosts.is_connected && hosts.control_type == Control::Ai);
    host.play_until(&mut RandomPlayer::new(5), |host| host.phase() == Phase::Playing);
    let mut restored = host.restored(host.now);
    assert!(restored.requested_bots.contains_key(&seat(1)), "a restored table knows who plays");
    assert_eq!(restored.room.wake_at(), host.room.wake_at());
    for host in [&mut host, &mut restored] {
        host.seat_bots();
        let (since, stale) = (host.effects.len(), host.keys.get(&bot(1)).cloned());
        host.followers.remove(&bot(1));
        host.join(EVE, &key, json!({}));
        assert!(host.effects[since..].contains(&Effect::ReleaseBot { seat: seat(1) }));
        let on_seat = host.view(EVE).players.iter().filter(|player| player.player_index == Some(seat(1))).count();
        assert_eq!(on_seat, 1, "it has its seat back");
        if let Some(stale) = stale {
            assert_eq!(code(&host.join(CID, &stale, json!({}))), ErrorCode::BadKey);
        }
    }
    host.play_to_the_end(&mut RandomPlayer::new(5));
    assert_eq!(absences(&host), 1);
}

/// A bot that died may return, so only a person takes its seat meanwhile.
#[test]
fn a_second_bot_does_not_take_the_seat_of_an_absent_one() {
    let mut host = with_a_bot();
    let [same, any] = [json!({ "role": "ai", "seat": 1 }), json!({ "role": "ai" })].map(|grant| host.invite(&grant));
    let key = host.keys[&EVE].clone();
    host.disconnect(EVE);
    host.wait(5_000);
    host.seat_bots();
    assert_eq!(code(&host.join(CID, &same, json!({}))), ErrorCode::SeatTaken);
    host.join(CID, &any, json!({}));
    assert_eq!(players_on(&host, 1)[0].name.as_str(), "Eve's", "the other bot has another seat");
    host.followers.remove(&bot(1));
    host.join(EVE, &key, json!({}));
    assert_eq!(players_on(&host, 1).len(), 1, "it has returned");
}

#[test]
fn a_bot_that_reconnects_in_time_keeps_its_seat() {
    let mut host = with_a_bot();
    let key = host.keys[&EVE].clone();
    for _ in 0..3 {
        host.disconnect(EVE);
        host.wait(4_000);
        host.join(EVE, &key, json!({}));
        host.wait(60_000);
    }
    assert_eq!(absences(&host), 0);
}

/// A service without a WebSocket: it joins, reads and acts with single calls.
#[test]
fn an_invited_bot_is_present_while_it_polls() {
    let (mut host, invite, _) = ann_and_invites();
    let joined =
        call(&mut host, &invite, json!({ "type": "JOIN_GAME", "gameId": "table", "key": invite, "name": "Service" }));
    let [ServerMessage::Joined { key: Some(key), .. }, ..] = &joined[..] else { panic!("{joined:?}") };
    for _ in 0..5 {
        host.wait(19_999);
        assert!(players_on(&host, 1)[0].is_connected);
        poll(&mut host, key);
    }
    assert_eq!(absences(&host), 0);
    host.wait(20_000);
    assert_eq!(absences(&host), 1, "it has stopped");
    assert!(!players_on(&host, 1)[0].is_connected);
    host.seat_bots();
    host.followers.remove(&bot(1));
    poll(&mut host, key);
    let [shown] = &players_on(&host, 1)[..] else { panic!("the bot of the host is gone") };
    assert!(shown.is_connected && shown.name.as_str() == "Service");
    host.wait(10_000);
    call(&mut host, key, json!({ "type": "PING" }));
    host.wait(15_000);
    assert_eq!(absences(&host), 1, "every call counts");
}

#[test]
fn calls_with_other_keys_do_not_mark_the_bot_as_present() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let bob = host.keys[&BOB].clone();
    host.disconnect(BOB);
    for key in [None, Some(&bob), Some(&SecretKey::new([9; 16]))] {
        assert!(!host.room.handle_poll(host.now, key));
    }
    assert_eq!(host.room.wake_at(), Some(host.now + 5_000), "Bob is as absent as without them");
}

/// It leaves, a bot of the host takes over at once, and it may return; or it gives up for good.
#[test]
fn an_invited_bot_leaves_and_gives_up() {
    let mut host = with_a_bot();
    let key = host.keys[&EVE].clone();
    let replies = host.say(EVE, json!({ "type": "LEAVE_GAME" }));
    assert!(matches!(replies[..], [.., ServerMessage::Left { is_seat_kept: true, .. }]), "{replies:?}");
    host.followers.remove(&EVE);
    assert!(host.requested_bots.contains_key(&seat(1)));
    host.seat_bots();
    host.followers.remove(&bot(1));
    host.join(EVE, &key, json!({}));
    assert_eq!(players_on(&host, 1).len(), 1);
    host.say(EVE, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&EVE);
    assert!(host.requested_bots.contains_key(&seat(1)));
    assert_eq!(code(&host.join(EVE, &key, json!({}))), ErrorCode::BadKey);
    host.seat_bots();
    host.play_to_the_end(&mut RandomPlayer::new(2));
}

#[test]
fn revoking_the_invite_ends_the_bot_and_the_host_provides_another() {
    let mut host = with_a_bot();
    host.followers.remove(&EVE);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": 1 }));
    assert!(host.room.view_for(EVE).is_none());
    assert!(host.requested_bots.contains_key(&seat(1)));
}

/// After a restart nobody is connected. An invited bot has time to reconnect before it is replaced.
#[test]
fn a_restored_table_waits_for_its_invited_bots() {
    let host = with_a_bot();
    let mut restored = host.restored(9_000);
    assert_eq!(restored.requested_bots.keys().copied().collect::<Vec<_>>(), [seat(2), seat(3)]);
    assert_eq!(restored.room.wake_at(), Some(14_000));
    restored.wait(5_000);
    assert_eq!(absences(&restored), 1);
    assert!(restored.requested_bots.contains_key(&seat(1)));
}

/// No log records that a bot polls. Clients that saw it connected learn that a table without memory does not know it.
#[test]
fn a_table_that_lost_its_memory_shows_a_waiting_bot_as_disconnected() {
    let (mut host, _, _) = ann_and_invites();
    let invite = host.invite(&json!({ "role": "ai", "seat": 2 }));
    call(&mut host, &invite, json!({ "type": "JOIN_GAME", "gameId": "table", "key": invite, "name": "Late" }));
    let waiting = |host: &Host| players_on(host, 2).into_iter().find(|player| player.waits_for_deal).unwrap();
    assert!(waiting(&host).is_connected);

    let survives = |connection, who| SurvivingConnection { connection, who, is_subscribed: true };
    let ann = survives(ANN, ConnectionOwner::Player(PlayerId::try_from("p1").unwrap()));
    let bots = [1, 2, 3].map(|number| survives(bot(usize::from(number)), ConnectionOwner::Bot(seat(number))));
    let survivors: Vec<_> = [ann].into_iter().chain(bots).collect();
    let id = host.room.id().clone();
    host.room = Room::restore_with_connections(host.now, id, &[8; 32], &host.log, &survivors).unwrap();
    host.deliver();
    assert!(!waiting(&host).is_connected);
}

/// An action of the host's bot and one of the invited bot are never both accepted.
#[test]
fn only_the_bot_that_plays_the_seat_may_act() {
    let mut host = with_a_bot();
    let is_next = |host: &Host| host.room.state().is_some_and(|state| state.to_act() == Some(seat(1)));
    host.play_until(&mut RandomPlayer::new(7), is_next);
    let action = host.view(EVE).valid_actions[0].action;
    let key = host.keys[&EVE].clone();
    host.disconnect(EVE);
    host.wait(5_000);
    host.seat_bots();
    assert!(!host.view(bot(1)).valid_actions.is_empty(), "the bot of the host is asked");
    host.followers.remove(&bot(1));
    host.join(EVE, &key, json!({}));
    assert_eq!(code(&host.act(bot(1), action)), ErrorCode::NotJoined);
    assert!(ack(&host.act(EVE, action)).is_some());
}

fn until_its_turn(host: &mut Host) {
    host.play_until(&mut RandomPlayer::new(7), |host| host.room.state().is_some_and(|s| s.to_act() == Some(seat(1))));
}

fn late_bots(host: &Host) -> usize {
    host.log.iter().filter(|stored| matches!(stored.event, Event::BotAbsent { is_late: true, .. })).count()
}

/// It is connected, so it counts as present.
#[test]
fn a_silent_bot_does_not_stop_the_table() {
    for (table, time) in [(json!({}), 120_000), (json!({ "turnSeconds": 30 }), 30_000)] {
        let grant = json!({ "role": "ai", "seat": 1 });
        let (mut host, keys) = Host::with_invites(json!({ "shaker": 3 }), &table, &[grant]);
        host.join(EVE, &keys[0], json!({ "name": "Eve's" }));
        until_its_turn(&mut host);
        let is_shown = host.view(ANN).metadata.deadline.is_some();
        assert_eq!(is_shown, table["turnSeconds"] == 30, "without a time limit, nobody sees the time of a bot");
        host.wait(time - 1);
        assert_eq!(late_bots(&host), 0);
        let mut restored = host.restored(host.now);
        restored.wait(1);
        host.wait(1);
        assert_eq!((late_bots(&host), late_bots(&restored)), (1, 1), "a restored table does not start over");
        host.seat_bots();
        assert!(!host.view(bot(1)).valid_actions.is_empty(), "a bot of the host plays");
        let key = host.keys[&EVE].clone();
        host.join(EVE, &key, json!({}));
        assert!(host.view(EVE).valid_actions.is_empty(), "joining alone does not bring it back");
        let hand = host.room.state().unwrap().hand_number;
        host.play_until(&mut RandomPlayer::new(7), |host| host.room.state().unwrap().hand_number > hand);
        assert_eq!(players_on(&host, 1).len(), 1, "it plays the next hand");
        until_its_turn(&mut host);
        assert!(!host.view(EVE).valid_actions.is_empty());
    }
}

#[test]
fn a_bot_returns_with_a_late_move() {
    let mut host = with_a_bot();
    until_its_turn(&mut host);
    let action = host.view(EVE).valid_actions[0].action;
    host.wait(120_000);
    host.seat_bots();
    let illegal = Action::Pass { player: seat(2) };
    let before = host.version();
    host.act(EVE, illegal);
    assert_eq!(host.version(), before, "an action that is not legal changes nothing");
    host.followers.remove(&bot(1));
    assert!(ack(&host.act(EVE, action)).is_some());
    assert_eq!(players_on(&host, 1).len(), 1, "it plays on");
    assert!(host.room.view_for(bot(1)).is_none());
}

/// A bot that always returns at the last moment gains no time.
#[test]
fn a_bot_that_returns_repeatedly_does_not_stop_the_table() {
    let mut host = with_a_bot();
    until_its_turn(&mut host);
    let key = host.keys[&EVE].clone();
    host.followers.remove(&bot(1));
    for _ in 0..1000 {
        host.say(EVE, json!({ "type": "LEAVE_GAME" }));
        host.followers.remove(&EVE);
        host.join(EVE, &key, json!({}));
        host.wait(600);
    }
    assert!(host.requested_bots.contains_key(&seat(1)), "a bot of the host plays");
    assert!(host.version() < 300, "{}", host.version());
}

/// A bot that appears and disappears cannot fill the log.
#[test]
fn an_unstable_bot_is_replaced_for_good_after_a_while() {
    let mut host = with_a_bot();
    let key = host.keys[&EVE].clone();
    for _ in 0..600 {
        host.disconnect(EVE);
        host.wait(5_000);
        host.join(EVE, &key, json!({}));
    }
    assert!(host.version() < 900, "{}", host.version());
    host.followers.remove(&bot(1));
    host.seat_bots();
    host.play_to_the_end(&mut RandomPlayer::new(1));
}
