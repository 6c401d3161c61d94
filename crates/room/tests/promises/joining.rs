//! Joining, reconnecting, and leaving.

use serde_json::{Value, json};
use texas42_protocol::{Capability, ErrorCode, SecretKey, ServerMessage};
use texas42_room::Effect;
use texas42_vocab::Control;

use crate::support::*;

/// A table for two people that waits for the second.
fn waiting() -> Host {
    Host::new(&json!({ "players": people(2) }), &json!({}))
}

/// The reply to a join, as JSON.
fn joined(replies: &[ServerMessage]) -> Value {
    let joined = replies.iter().find(|message| matches!(message, ServerMessage::Joined { .. }));
    serde_json::to_value(joined.unwrap_or_else(|| panic!("{replies:?}"))).unwrap()
}

fn assert_refused(host: &mut Host, from: u64, key: &SecretKey, more: Value, expected: ErrorCode) {
    let before = host.version();
    let replies = host.join(from, key, more);
    assert_eq!(code(&replies), expected, "{replies:?}");
    assert_eq!(host.version(), before, "a rejected request changes nothing");
    assert!(host.room.view_for(from).is_none(), "and shows nothing");
}

#[test]
fn a_new_table_replies_with_a_key_and_a_view_and_requests_bots() {
    let host = waiting();
    assert!(matches!(&host.sent[0].1, ServerMessage::GameCreated { version: 2, .. }), "{:?}", host.sent[0]);
    assert!(matches!(host.effects[0], Effect::Store(_)), "everything is stored first");
    assert_eq!(host.requested_bots.keys().copied().collect::<Vec<_>>(), [seat(2), seat(3)]);
    assert_eq!(host.phase().to_string(), "setup", "nothing is dealt before everybody has joined");
}

#[test]
fn rejects_an_invalid_table_with_the_field() {
    let players = |list: Value| json!({ "players": list });
    let cases = [
        (players(json!(["ai", "ai", "ai", "ai"])), json!({}), "config.players"),
        (players(people(2)), json!({ "deal": "seeded" }), "table.deal"),
        (
            json!({ "players": people(1), "layers": [{ "type": "one-hand", "difficulty": "hard" }] }),
            json!({}),
            "table.deal",
        ),
        (players(people(1)), json!({ "turnSeconds": 4 }), "table.turnSeconds"),
        (players(people(1)), json!({ "turnSeconds": 3601 }), "table.turnSeconds"),
        (players(people(1)), json!({ "pause": 10_001 }), "table.pause"),
        (json!({ "players": people(1), "target": 0 }), json!({}), "config.target"),
        (json!({ "players": people(1), "layers": vec![json!({ "type": "nello" }); 2] }), json!({}), "config.layers"),
        (json!({ "players": people(1), "layers": vec![json!({ "type": "nello" }); 17] }), json!({}), "config.layers"),
        (
            json!({ "players": people(1), "layers": [{ "type": "tournament" }, { "type": "nello" }] }),
            json!({}),
            "config.layers",
        ),
    ];
    for (config, table, field) in cases {
        let answer = refused_creation(&create_game(&config, &table));
        assert_eq!(error(&[answer]).field.as_deref(), Some(field), "{config} {table}");
    }
}

fn refused_creation(message: &Value) -> ServerMessage {
    let id = texas42_protocol::GameId::try_from("table").unwrap();
    let new = texas42_room::NewTable { id, randomness: [5; 32], connection: ANN };
    match texas42_room::Room::create(0, new, read(message)) {
        Ok(_) => panic!("{message} is accepted"),
        Err(answer) => *answer,
    }
}

/// A sorted deal.
const DEAL: [[&str; 7]; 4] = [
    ["0-0", "1-0", "1-1", "2-0", "2-1", "2-2", "3-0"],
    ["3-1", "3-2", "3-3", "4-0", "4-1", "4-2", "4-3"],
    ["4-4", "5-0", "5-1", "5-2", "5-3", "5-4", "5-5"],
    ["6-0", "6-1", "6-2", "6-3", "6-4", "6-5", "6-6"],
];

/// The player who chose the dominoes would know every hand.
#[test]
fn rejects_given_deals_with_several_people() {
    let alone = Host::new(&json!({ "players": people(1), "deals": [DEAL] }), &json!({}));
    assert_eq!(alone.view(ANN).state.players[0].hand.len(), 7);
    let answer = refused_creation(&create_game(&json!({ "players": people(2), "deals": [DEAL] }), &json!({})));
    assert_eq!(error(&[answer]).field.as_deref(), Some("config.deals"));
}

#[test]
fn a_player_joins_with_an_invite_and_the_game_starts() {
    let mut host = waiting();
    let key = host.invite(&json!({ "role": "player" }));
    let since = host.sent.len();
    let answer = joined(&host.join(BOB, &key, json!({ "name": "Bob", "requestId": "b1" })));
    assert_eq!((&answer["seat"], &answer["requestId"]), (&json!(1), &json!("b1")));
    assert!(answer["key"].is_string(), "a new session gets a key to reconnect with");
    assert_eq!(host.phase().to_string(), "bidding");
    assert_eq!(host.view(BOB).state.players[1].hand.len(), 7);
    assert_eq!(host.view(BOB).state.players[0].hand.len(), 0);
    let statuses = host.messages_since(since, ANN);
    let text = serde_json::to_string(&statuses).unwrap();
    assert!(text.contains(r#""status":"joined""#), "the others are notified: {text}");
}

/// Friends usually play together, so the first friend without a wish is the host's partner.
#[test]
fn a_person_without_a_wish_becomes_the_partner_of_the_host() {
    let mut host = Host::new(&json!({ "players": people(4) }), &json!({}));
    let key = host.invite(&json!({ "role": "player", "uses": 3 }));
    let seats = [BOB, CID, DAN].map(|guest| joined(&host.join(guest, &key, json!({})))["seat"].clone());
    assert_eq!(seats, [json!(2), json!(1), json!(3)]);
}

#[test]
fn each_role_gets_its_capabilities() {
    let act = |seat: usize| json!({ "type": "act-as-player", "playerIndex": seat });
    let kind = |kind: &str| json!({ "type": kind });
    let own = kind("observe-own-hand");
    let cases = [
        (json!({ "role": "player" }), json!([act(1), own, kind("undo-actions")])),
        (json!({ "role": "student" }), json!([act(1), own, kind("undo-actions"), kind("see-hints")])),
        (json!({ "role": "spectator" }), json!([])),
        (json!({ "role": "spectator", "openHands": true }), json!([kind("observe-all-hands")])),
        (
            json!({ "role": "coach", "seat": 0 }),
            json!([{ "type": "observe-hand", "playerIndex": 0 }, kind("see-hints")]),
        ),
        (
            json!({ "role": "admin" }),
            json!(
                ["configure-variant", "observe-all-hands", "observe-full-state", "see-hints", "see-ai-intent"]
                    .map(kind)
            ),
        ),
    ];
    for (grant, capabilities) in cases {
        let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "openHands": true }));
        let key = host.invite(&grant);
        let answer = joined(&host.join(EVE, &key, json!({})));
        assert_eq!(answer["capabilities"], capabilities, "{grant}");
    }
    let mut host = waiting();
    let key = host.requested_bots[&seat(2)].clone();
    let answer = joined(&host.join(bot(2), &key, json!({})));
    assert_eq!(answer["capabilities"], json!([act(2), own, kind("replace-ai")]), "a requested bot");
    assert!(answer.get("key").is_none(), "it has its key already");
}

#[test]
fn a_taken_seat_cannot_be_joined() {
    let mut host = waiting();
    let [first, second, any] =
        [json!({ "role": "player", "seat": 1 }), json!({ "role": "player", "seat": 1 }), json!({ "role": "player" })]
            .map(|grant| host.invite(&grant));
    host.join(BOB, &first, json!({}));
    assert_refused(&mut host, EVE, &second, json!({}), ErrorCode::SeatTaken);
    assert_refused(&mut host, EVE, &first, json!({}), ErrorCode::SeatTaken);
    assert_refused(&mut host, EVE, &any, json!({ "seat": 0 }), ErrorCode::SeatTaken);
}

#[test]
fn an_invite_grants_only_its_role_and_seat() {
    let mut host = waiting();
    let seat = host.invite(&json!({ "role": "player", "seat": 1 }));
    let watch = host.invite(&json!({ "role": "spectator" }));
    assert_refused(&mut host, EVE, &seat, json!({ "seat": 2 }), ErrorCode::NotAllowed);
    for role in ["student", "ai", "spectator", "coach", "admin"] {
        assert_refused(&mut host, EVE, &seat, json!({ "role": role }), ErrorCode::NotAllowed);
    }
    for role in ["player", "coach", "admin"] {
        assert_refused(&mut host, EVE, &watch, json!({ "role": role }), ErrorCode::NotAllowed);
    }
}

#[test]
fn rejects_revoked_forged_and_missing_keys() {
    let mut host = waiting();
    let key = host.invite(&json!({ "role": "player" }));
    let number = host.log.iter().filter(|stored| matches!(stored.event, texas42_room::Event::Invited { .. })).count();
    let replies = host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": number }));
    assert!(matches!(replies[..], [.., ServerMessage::Invited { key: None, .. }]), "{replies:?}");
    assert_refused(&mut host, EVE, &key, json!({}), ErrorCode::BadKey);
    assert_refused(&mut host, EVE, &SecretKey::new([0; 16]), json!({}), ErrorCode::BadKey);
    let replies = host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }));
    assert_eq!(code(&replies), ErrorCode::BadKey);
    let replies = host.say(ANN, json!({ "type": "INVITE", "requestId": "y", "revoke": number }));
    assert_eq!(code(&replies), ErrorCode::BadKey, "it can be revoked only once");
}

#[test]
fn a_key_never_grants_more_than_its_invite() {
    let everything = json!([
        { "type": "act-as-player", "playerIndex": 0 }, { "type": "act-as-player", "playerIndex": 1 },
        { "type": "replace-ai" }, { "type": "configure-variant" }, { "type": "undo-actions" },
        { "type": "observe-own-hand" }, { "type": "observe-hand", "playerIndex": 0 },
        { "type": "observe-all-hands" }, { "type": "observe-full-state" }, { "type": "see-hints" },
        { "type": "see-ai-intent" },
    ]);
    for grant in [
        json!({ "role": "player" }),
        json!({ "role": "student" }),
        json!({ "role": "spectator" }),
        json!({ "role": "coach", "seat": 0 }),
    ] {
        let mut host = waiting();
        let key = host.invite(&grant);
        let all = joined(&host.join(EVE, &key, json!({})))["capabilities"].clone();
        let mut host = waiting();
        let key = host.invite(&grant);
        let asked = joined(&host.join(EVE, &key, json!({ "capabilities": everything })))["capabilities"].clone();
        let is_granted = |capability: &Value| all.as_array().unwrap().contains(capability);
        assert!(asked.as_array().unwrap().iter().all(is_granted), "{grant}: {asked}");
        let text = all.to_string();
        for never in ["configure-variant", "observe-all-hands", "observe-full-state", "see-ai-intent"] {
            assert!(!text.contains(never), "{grant}: {text}");
        }
    }
}

#[test]
fn a_client_may_ask_for_fewer_capabilities() {
    let mut host = waiting();
    let key = host.invite(&json!({ "role": "player" }));
    let replies = host.join(BOB, &key, json!({ "capabilities": [{ "type": "observe-own-hand" }] }));
    assert_eq!(joined(&replies)["capabilities"], json!([{ "type": "observe-own-hand" }]));
    assert_eq!(host.view(BOB).state.players[1].hand.len(), 7);
    let turn = host.room.state().unwrap().turn;
    assert!(host.view(BOB).valid_actions.is_empty());
    let replies = host.act(BOB, texas42_vocab::Action::Pass { player: turn });
    assert_eq!(code(&replies), ErrorCode::NotAllowed);
}

#[test]
fn only_authorized_sessions_invite_and_only_to_valid_roles() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let invite = |grant: Value| json!({ "type": "INVITE", "requestId": "i", "grant": grant });
    assert_eq!(code(&host.say(BOB, invite(json!({ "role": "spectator" })))), ErrorCode::NotAllowed);
    assert_eq!(code(&host.say(bot(2), invite(json!({ "role": "spectator" })))), ErrorCode::NotAllowed);
    assert_eq!(code(&host.say(EVE, invite(json!({ "role": "spectator" })))), ErrorCode::NotJoined);
    for never in [
        json!({ "role": "admin" }),
        json!({ "role": "coach", "seat": 1 }),
        json!({ "role": "spectator", "openHands": true }),
    ] {
        assert_eq!(code(&host.say(ANN, invite(never.clone()))), ErrorCode::NotAllowed, "{never}");
    }
    assert_eq!(code(&host.say(ANN, invite(json!({ "role": "coach" })))), ErrorCode::BadMessage);
    for uses in [0, 101] {
        assert_eq!(code(&host.say(ANN, invite(json!({ "role": "player", "uses": uses })))), ErrorCode::BadMessage);
    }
    assert_eq!(code(&host.say(ANN, json!({ "type": "INVITE", "requestId": "i" }))), ErrorCode::BadMessage);
    for odd in [json!({ "role": "player", "delayHands": 1 }), json!({ "role": "student", "openHands": true })] {
        assert_eq!(code(&host.say(ANN, invite(odd))), ErrorCode::BadMessage, "only for spectators");
    }
}

#[test]
fn giving_up_the_seat_makes_room_for_a_bot_and_the_key_expires() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.keys[&BOB].clone();
    let since = host.sent.len();
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&BOB);
    let text = serde_json::to_string(&host.messages_since(since, ANN)).unwrap();
    assert!(text.contains(r#""status":"left""#), "{text}");
    assert!(host.requested_bots.contains_key(&seat(1)), "a bot is requested");
    assert!(host.room.view_for(BOB).is_none());
    assert_refused(&mut host, BOB, &key, json!({}), ErrorCode::BadKey);
    host.seat_bots();
    host.play_to_the_end(&mut texas42_room::RandomPlayer::new(1));
}

fn bob_of(host: &Host) -> texas42_protocol::PlayerView {
    host.view(ANN).players.iter().find(|player| player.name.as_str() == "Bob").cloned().unwrap()
}

#[test]
fn a_leaving_player_keeps_the_seat_and_a_bot_plays_until_the_return() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.keys[&BOB].clone();
    let replies = host.say(BOB, json!({ "type": "LEAVE_GAME", "requestId": "bye" }));
    assert!(
        matches!(&replies[..], [.., ServerMessage::Left { request_id: Some(_), is_seat_kept: true, .. }]),
        "{replies:?}"
    );
    host.followers.remove(&BOB);
    assert!(host.room.view_for(BOB).is_none());
    assert!(!bob_of(&host).is_connected && bob_of(&host).player_index == Some(seat(1)));
    assert_eq!(bob_of(&host).control_type, Control::Ai, "the others can continue");
    host.seat_bots();
    host.play_until(&mut texas42_room::RandomPlayer::new(4), |host| host.phase() == texas42_vocab::Phase::Playing);
    let mut restored = host.restored(host.now);
    restored.seat_bots();
    for host in [&mut host, &mut restored] {
        host.followers.remove(&bot(1));
        assert_eq!(joined(&host.join(BOB, &key, json!({})))["seat"], json!(1));
        assert!(host.room.state().unwrap().humans.contains(seat(1)), "Bob plays again");
    }
    let text = serde_json::to_string(&host.log).unwrap();
    assert!(!text.contains(r#""type":"left""#) && !text.contains("gave-up"), "{text}");
}

#[test]
fn a_person_who_plays_alone_finds_the_game_as_it_was() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    let key = host.keys[&ANN].clone();
    host.say(ANN, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&ANN);
    assert!(host.room.state().unwrap().humans.contains(seat(0)), "no bot plays the seat");
    joined(&host.join(ANN, &key, json!({})));
}

/// Before the game, the seat stays taken: nobody else gets it, and the game may start.
#[test]
fn a_seat_is_kept_before_the_game_too() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({}));
    let key = host.invite(&json!({ "role": "player", "uses": 3 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    host.say(BOB, json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&BOB);
    assert_eq!(joined(&host.join(CID, &key, json!({ "name": "Cid" })))["seat"], json!(1));
    assert_eq!(host.phase(), texas42_vocab::Phase::Bidding);
}

/// Leaving and returning is bounded, so that it cannot fill the log of the game.
#[test]
fn leaving_again_and_again_does_not_fill_the_log() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.keys[&BOB].clone();
    for _ in 0..600 {
        host.say(BOB, json!({ "type": "LEAVE_GAME" }));
        host.followers.remove(&BOB);
        host.join(BOB, &key, json!({}));
    }
    assert!(host.version() < 900, "{}", host.version());
    host.seat_bots();
    host.play_to_the_end(&mut texas42_room::RandomPlayer::new(1));
}

#[test]
fn giving_up_is_logged_and_a_visitor_who_gives_up_leaves() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &key, json!({ "name": "Eve" }));
    assert_eq!(tags(&host.say(EVE, json!({ "type": "GIVE_UP_SEAT" }))).last().map(String::as_str), Some("LEFT"));
    host.followers.remove(&EVE);
    assert!(matches!(host.log.last().unwrap().event, texas42_room::Event::Left { .. }));
    let before = host.log.len();
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&BOB);
    let text = serde_json::to_value(&host.log[before].event).unwrap();
    assert_eq!(text["type"], "gave-up");
}

#[test]
fn a_bot_that_leaves_is_requested_again() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    assert!(host.requested_bots.is_empty());
    host.say(bot(2), json!({ "type": "LEAVE_GAME" }));
    host.followers.remove(&bot(2));
    assert!(host.requested_bots.contains_key(&seat(2)));
}

#[test]
fn reconnecting_returns_a_full_view_and_replaces_the_connection() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    host.play_until(&mut texas42_room::RandomPlayer::new(2), |host| host.phase() == texas42_vocab::Phase::Playing);
    let (key, before) = (host.keys[&BOB].clone(), host.view(BOB).clone());
    host.followers.remove(&BOB);
    let answer = joined(&host.join(EVE, &key, json!({ "version": 3 })));
    assert_eq!(answer["seat"], json!(1));
    assert!(answer.get("key").is_none(), "the key is shown once");
    assert_eq!(*host.view(EVE), before);
    let since = host.sent.len();
    assert_eq!(code(&host.act(BOB, texas42_vocab::Action::Pass { player: seat(1) })), ErrorCode::NotJoined);
    host.play_to_the_end(&mut texas42_room::RandomPlayer::new(2));
    let replies = host.messages_since(since, BOB);
    assert_eq!(replies.len(), 1, "the older connection gets an error and nothing else");
}

#[test]
fn a_disconnected_player_keeps_the_seat() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    host.disconnect(BOB);
    let bob =
        |host: &Host| host.view(ANN).players.iter().find(|player| player.name.as_str() == "Bob").cloned().unwrap();
    assert!(!bob(&host).is_connected);
    assert_eq!(bob(&host).player_index, Some(seat(1)));
    let key = host.keys[&BOB].clone();
    host.join(BOB, &key, json!({}));
    assert!(bob(&host).is_connected);
}

#[test]
fn a_connection_that_changes_its_session_leaves_the_old_one() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let watch = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &watch, json!({ "name": "Eve" }));
    let eve =
        |host: &Host| host.view(ANN).players.iter().find(|player| player.name.as_str() == "Eve").cloned().unwrap();
    assert!(eve(&host).is_connected);
    let key = host.keys[&BOB].clone();
    host.disconnect(BOB);
    host.join(EVE, &key, json!({}));
    assert!(!eve(&host).is_connected);
    assert_eq!(host.view(EVE).state.players[1].hand.len(), 7);
}

#[test]
fn a_client_can_unsubscribe_and_subscribe_again() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    host.say(BOB, json!({ "type": "UNSUBSCRIBE" }));
    let since = host.sent.len();
    let mut random = texas42_room::RandomPlayer::new(1);
    while !host.choices().is_empty() && host.phase() == texas42_vocab::Phase::Bidding {
        host.step(&mut random);
    }
    assert!(host.messages_since(since, BOB).is_empty());
    let replies = host.say(BOB, json!({ "type": "SUBSCRIBE" }));
    assert!(matches!(&replies[..], [ServerMessage::StateUpdate { view: Some(_), patch: None, .. }]), "{replies:?}");
    assert_eq!(code(&host.say(EVE, json!({ "type": "SUBSCRIBE" }))), ErrorCode::NotJoined);
    assert_eq!(code(&host.say(EVE, json!({ "type": "UNSUBSCRIBE" }))), ErrorCode::NotJoined);
}

#[test]
fn rejects_a_message_for_another_table() {
    let mut host = waiting();
    let replies = host.say(ANN, json!({ "type": "SUBSCRIBE", "gameId": "another" }));
    assert_eq!(code(&replies), ErrorCode::NoSuchGame);
    let replies = host.say(EVE, json!({ "type": "PING", "nonce": 7 }));
    assert_eq!(tags(&replies), ["PONG"]);
}

#[test]
fn an_invited_person_replaces_a_bot() {
    let (mut host, keys) = Host::with_invites(json!({}), &json!({}), &[json!({ "role": "player", "seat": 3 })]);
    let old = host.keys[&bot(3)].clone();
    let since = host.effects.len();
    host.join(DAN, &keys[0], json!({}));
    assert!(host.effects[since..].contains(&Effect::ReleaseBot { seat: seat(3) }));
    assert_refused(&mut host, EVE, &old, json!({}), ErrorCode::BadKey);
    let dan = host.view(ANN).players.iter().find(|player| player.player_index == Some(seat(3))).unwrap();
    assert_eq!(dan.control_type, Control::Human);
    assert!(dan.capabilities.contains(&Capability::ActAsPlayer { player_index: seat(3) }));
}

// A client that generates its own key recovers from the loss of any reply.

/// Sixteen bytes that look random.
fn own_key(first: u8) -> SecretKey {
    SecretKey::new(std::array::from_fn(|index| first.wrapping_add(37_u8.wrapping_mul(index as u8))))
}

#[test]
fn joining_again_with_the_same_session_key_reconnects() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({}));
    let key = host.invite(&json!({ "role": "player", "uses": 2 }));
    let mine = json!({ "name": "Bob", "sessionKey": own_key(1) });
    let first = joined(&host.join(BOB, &key, mine.clone()));
    assert!(first.get("key").is_none(), "a client-generated key is not sent back");
    let version = host.version();
    let again = joined(&host.join(BOB, &key, mine.clone()));
    assert_eq!((&again["seat"], &again["playerId"]), (&first["seat"], &first["playerId"]));
    host.disconnect(BOB);
    let elsewhere = joined(&host.join(EVE, &key, mine));
    assert_eq!(elsewhere["seat"], first["seat"]);
    assert_eq!(host.version(), version, "nobody was seated twice");
    let another = joined(&host.join(CID, &key, json!({ "sessionKey": own_key(2) })));
    assert_ne!(another["seat"], first["seat"], "the invite has two uses");
    assert_refused(&mut host, DAN, &key, json!({ "sessionKey": own_key(3) }), ErrorCode::SeatTaken);
}

#[test]
fn a_repeated_creation_gets_the_same_reply() {
    let message = json!({ "type": "CREATE_GAME", "name": "Ann", "sessionKey": own_key(1), "requestId": "n" });
    let mut host = Host::created(&message, [5; 32]);
    let version = host.version();
    let mut again = message.clone();
    again["gameId"] = json!(null);
    again.as_object_mut().unwrap().remove("gameId");
    host.room.handle_message(0, BOB, read(&again));
    let Some(Effect::Send { to: BOB, message }) = host.room.poll_effect() else { panic!("no reply") };
    assert!(matches!(&*message, ServerMessage::GameCreated { key: None, version: sent, .. } if *sent == version));
    let stranger = json!({ "type": "CREATE_GAME", "name": "Eve", "sessionKey": own_key(9) });
    host.room.handle_message(0, EVE, read(&stranger));
    let Some(Effect::Send { message, .. }) = host.room.poll_effect() else { panic!("no reply") };
    assert!(matches!(&*message, ServerMessage::Error { .. }), "{message:?}");
}

#[test]
fn rejects_keys_that_are_not_random() {
    let mut host = waiting();
    let key = host.invite(&json!({ "role": "player" }));
    let weak = SecretKey::new([0; 16]);
    let replies = host.join(BOB, &key, json!({ "sessionKey": weak }));
    assert_eq!((code(&replies), error(&replies).field.as_deref()), (ErrorCode::BadKey, Some("sessionKey")));
    let message = json!({ "type": "CREATE_GAME", "name": "Ann", "sessionKey": weak });
    assert_eq!(code(&[refused_creation(&message)]), ErrorCode::BadKey);
    let invite = json!({ "type": "INVITE", "requestId": "w", "grant": { "role": "spectator" }, "key": weak });
    assert_eq!(code(&host.say(ANN, invite)), ErrorCode::BadKey);
}

#[test]
fn a_single_use_invite_is_used_once() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({}));
    let key = host.invite(&json!({ "role": "player" }));
    host.join(BOB, &key, json!({}));
    assert_refused(&mut host, CID, &key, json!({}), ErrorCode::SeatTaken);
}

#[test]
fn a_repeated_invite_request_creates_one_invite() {
    let mut host = waiting();
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player" }, "key": own_key(7) });
    let number = |replies: &[ServerMessage]| match replies.last() {
        Some(ServerMessage::Invited { invite, key: None, is_revoked: false, .. }) => *invite,
        other => panic!("{other:?}"),
    };
    let first = number(&host.say(ANN, invite.clone()));
    let version = host.version();
    assert_eq!(number(&host.say(ANN, invite)), first);
    assert_eq!(host.version(), version);
    joined(&host.join(BOB, &own_key(7), json!({})));
}

#[test]
fn revoking_an_invite_ends_its_sessions() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let watch = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &watch, json!({ "name": "Eve" }));
    host.followers.remove(&EVE);
    let since = host.sent.len();
    host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": 2 }));
    assert_eq!(tags(&host.messages_since(since, EVE)).last().map(String::as_str), Some("LEFT"));
    assert!(host.room.view_for(EVE).is_none());
    let eve = host.keys[&EVE].clone();
    assert_refused(&mut host, EVE, &eve, json!({}), ErrorCode::BadKey);
    // A bot takes over the seat of a removed player.
    host.followers.remove(&BOB);
    host.say(ANN, json!({ "type": "INVITE", "requestId": "y", "revoke": 1 }));
    assert!(host.requested_bots.contains_key(&seat(1)));
}

#[test]
fn a_rated_table_removes_no_player() {
    let mut host = Host::seated(2, json!({}), &json!({ "rated": true }));
    let replies = host.say(ANN, json!({ "type": "INVITE", "requestId": "x", "revoke": 1 }));
    assert_eq!(code(&replies), ErrorCode::Refused);
    let coach = json!({ "type": "INVITE", "requestId": "c", "grant": { "role": "coach", "seat": 0 } });
    assert_eq!(code(&host.say(ANN, coach)), ErrorCode::NotAllowed, "no coaches at a rated table");
}

#[test]
fn only_the_student_invites_a_coach() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let coach = |seat: usize| json!({ "type": "INVITE", "requestId": "c", "grant": { "role": "coach", "seat": seat } });
    assert_eq!(code(&host.say(ANN, coach(1))), ErrorCode::NotAllowed, "not even the host");
    assert_eq!(code(&host.say(ANN, coach(2))), ErrorCode::NotAllowed, "nor for a bot's hand");
    assert_eq!(tags(&host.say(BOB, coach(1))).last().map(String::as_str), Some("INVITED"));
}

#[test]
fn a_host_who_gives_up_is_succeeded_by_another_player() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    host.followers.remove(&ANN);
    let replies = host.say(ANN, json!({ "type": "GIVE_UP_SEAT", "requestId": "bye" }));
    assert!(matches!(&replies[..], [.., ServerMessage::Left { request_id: Some(_), .. }]), "{replies:?}");
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player", "seat": 0 } });
    assert!(tags(&host.say(BOB, invite)).contains(&"INVITED".to_owned()));
}

/// The player who chose the seed could compute every hand.
#[test]
fn rejects_players_at_a_table_with_known_deals() {
    for (config, table) in
        [(json!({ "seed": "mine" }), json!({ "deal": "seeded" })), (json!({ "deals": [DEAL] }), json!({}))]
    {
        let mut host = Host::seated(1, config, &table);
        let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player", "seat": 1 } });
        assert_eq!(code(&host.say(ANN, invite)), ErrorCode::NotAllowed);
    }
}

#[test]
fn without_a_key_a_client_can_only_watch() {
    let mut host = Host::seated(2, json!({}), &json!({ "openToSpectators": true }));
    for role in ["player", "student", "ai", "coach", "admin"] {
        let replies = host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve", "role": role }));
        assert_eq!(code(&replies), ErrorCode::NotAllowed, "{role}");
    }
    let answer = joined(&host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve", "role": "spectator" })));
    assert_eq!((&answer["capabilities"], &answer["seat"]), (&json!([]), &json!(null)));
    assert!(host.view(ANN).players.iter().all(|player| player.name.as_str() != "Eve"));
    let replies = host.say(EVE, json!({ "type": "LEAVE_GAME" }));
    assert_eq!(tags(&replies), ["LEFT"]);
}

#[test]
fn a_coach_is_removed_with_the_student() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let coach = json!({ "type": "INVITE", "requestId": "c", "grant": { "role": "coach", "seat": 1, "uses": 2 }, "key": own_key(5) });
    host.say(BOB, coach);
    host.join(EVE, &own_key(5), json!({ "name": "Eve" }));
    host.followers.remove(&EVE);
    host.followers.remove(&BOB);
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    assert!(host.room.view_for(EVE).is_none(), "the coach is gone");
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(CID, &key, json!({}));
    assert_refused(&mut host, DAN, &own_key(5), json!({}), ErrorCode::BadKey);
}

/// A session that used the key of an invite would be shared by everybody who has the invite.
#[test]
fn rejects_an_invite_key_as_session_key() {
    let mut host = Host::new(&json!({ "players": people(3) }), &json!({}));
    let key = host.invite(&json!({ "role": "player", "uses": 2 }));
    assert_refused(&mut host, EVE, &key, json!({ "sessionKey": key }), ErrorCode::BadKey);
    let mine = json!({ "name": "Bob", "sessionKey": own_key(3) });
    joined(&host.join(BOB, &key, mine));
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "spectator" }, "key": own_key(3) });
    assert_eq!(code(&host.say(ANN, invite)), ErrorCode::BadKey);
}

#[test]
fn a_spectator_of_an_open_table_cannot_invite() {
    let mut host = Host::seated(2, json!({}), &json!({ "openHands": true }));
    let watch = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &watch, json!({}));
    let coach = json!({ "type": "INVITE", "requestId": "c", "grant": { "role": "coach", "seat": 0 } });
    assert_eq!(code(&host.say(EVE, coach)), ErrorCode::NotAllowed);
}

#[test]
fn a_repeated_revocation_gets_the_same_reply() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    host.invite(&json!({ "role": "spectator" }));
    let revoke = json!({ "type": "INVITE", "requestId": "x", "revoke": 1 });
    let last = |replies: Vec<ServerMessage>| replies.last().cloned();
    let first = last(host.say(ANN, revoke.clone()));
    assert_eq!(last(host.say(ANN, revoke)), first);
}

#[test]
fn a_crowd_keeps_out_neither_players_nor_bots() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "openToSpectators": true }));
    let key = host.invite(&json!({ "role": "player" }));
    let visit = json!({ "type": "JOIN_GAME", "gameId": "table", "name": "Visitor" });
    for number in 100..4300 {
        host.room.handle_message(0, number, read(&visit));
    }
    while host.room.poll_effect().is_some() {}
    joined(&host.join(BOB, &key, json!({})));
    host.seat_bots();
    assert!(host.room.state().is_some());
}

#[test]
fn the_next_player_hosts_a_table_without_a_host() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({}));
    let key = host.invite(&json!({ "role": "player" }));
    host.followers.remove(&ANN);
    host.say(ANN, json!({ "type": "GIVE_UP_SEAT" }));
    host.join(BOB, &key, json!({}));
    let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": "player", "seat": 0 } });
    assert!(tags(&host.say(BOB, invite)).contains(&"INVITED".to_owned()));
}

#[test]
fn a_player_replaced_while_away_gets_the_seat_back() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let key = host.keys[&BOB].clone();
    host.disconnect(BOB);
    host.set_control(ANN, 1, "ai");
    host.join(BOB, &key, json!({}));
    let bob = host.view(ANN).players.iter().find(|player| player.name.as_str() == "Bob").unwrap();
    assert_eq!(bob.control_type, Control::Human);
    let mut host = Host::seated(2, json!({}), &json!({ "rated": true, "turnSeconds": 60 }));
    host.disconnect(BOB);
    assert_eq!(code(&host.set_control(ANN, 1, "ai")), ErrorCode::NotAllowed, "left to the time limit");
}

#[test]
fn a_rated_table_allows_no_students() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "rated": true }));
    let student = json!({ "type": "INVITE", "requestId": "s", "grant": { "role": "student", "seat": 1 } });
    assert_eq!(code(&host.say(ANN, student)), ErrorCode::NotAllowed);
}

/// A table for two people that waits until both are ready, with both of them seated.
fn waiting_for_ready() -> (Host, SecretKey) {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "ready": true }));
    let key = host.invite(&json!({ "role": "player", "uses": 3 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    (host, key)
}

fn declare_ready(host: &mut Host, from: u64, request: &str) -> Vec<ServerMessage> {
    host.say(from, json!({ "type": "READY", "requestId": request }))
}

#[test]
fn nothing_is_dealt_before_everybody_is_ready() {
    let (mut host, _) = waiting_for_ready();
    host.seat_bots();
    assert_eq!(host.phase().to_string(), "setup", "everybody has joined, but nobody is ready");
    assert_eq!(ack(&declare_ready(&mut host, BOB, "r")), Some(host.version()));
    assert_eq!(host.view(ANN).metadata.ready, [seat(1)], "everybody sees who is ready");
    let version = host.version();
    assert_eq!(ack(&declare_ready(&mut host, BOB, "r")), Some(version), "a repeated request is executed once");
    assert_eq!(code(&declare_ready(&mut host, BOB, "s")), ErrorCode::Refused, "once is enough");
    assert_eq!(code(&declare_ready(&mut host, bot(2), "t")), ErrorCode::NotAllowed, "bots need not be ready");
    assert_eq!(code(&declare_ready(&mut host, EVE, "u")), ErrorCode::NotJoined);
    assert_eq!(host.version(), version, "a rejected request changes nothing");
    declare_ready(&mut host, ANN, "v");
    assert_eq!(host.phase().to_string(), "bidding");
    assert!(host.view(ANN).metadata.ready.is_empty());
    assert_eq!(code(&declare_ready(&mut host, ANN, "w")), ErrorCode::Refused, "the game has started");
}

#[test]
fn a_new_player_at_a_ready_seat_must_declare_ready_again() {
    let (mut host, key) = waiting_for_ready();
    declare_ready(&mut host, BOB, "r");
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    host.followers.remove(&BOB);
    assert!(host.view(ANN).metadata.ready.is_empty());
    assert!(!host.requested_bots.contains_key(&seat(1)), "the seat waits for a person, not for a bot");
    host.join(CID, &key, json!({ "name": "Cid" }));
    declare_ready(&mut host, ANN, "a");
    assert_eq!(host.phase().to_string(), "setup", "Cid is not ready");
    let mut restored = host.restored(5);
    assert_eq!(restored.phase().to_string(), "setup");
    let cid = host.keys[&CID].clone();
    restored.join(CID, &cid, json!({}));
    assert_eq!(restored.view(CID).metadata.ready, [seat(0)], "Ann is still ready");
    declare_ready(&mut restored, CID, "c");
    assert_eq!(restored.phase().to_string(), "bidding");
}

#[test]
fn replacing_the_last_unready_player_with_a_bot_starts_the_game() {
    let (mut host, _) = waiting_for_ready();
    declare_ready(&mut host, ANN, "r");
    host.set_control(BOB, 1, "ai");
    assert_eq!(host.phase().to_string(), "bidding");
}

/// The table must not wait for somebody who is away.
#[test]
fn the_host_can_start_without_an_absent_player() {
    let (mut host, _) = waiting_for_ready();
    declare_ready(&mut host, ANN, "r");
    assert_eq!(code(&host.set_control(ANN, 1, "ai")), ErrorCode::NotAllowed, "not while Bob is connected");
    host.disconnect(BOB);
    host.set_control(ANN, 1, "ai");
    assert_eq!(host.phase().to_string(), "bidding");
    let bob = host.keys[&BOB].clone();
    host.join(BOB, &bob, json!({}));
    assert!(host.room.state().unwrap().humans.contains(seat(1)), "Bob gets his seat back when he reconnects");
}

#[test]
fn rejects_ready_at_a_table_that_does_not_wait() {
    let mut host = waiting();
    assert_eq!(code(&declare_ready(&mut host, ANN, "r")), ErrorCode::Refused);
}

fn creation_as(role: &str, seat: Option<u8>, config: &Value, table: &Value) -> Value {
    let mut message = create_game(config, table);
    message["role"] = json!(role);
    message["seat"] = json!(seat);
    message
}

#[test]
fn a_creator_takes_a_role_and_a_seat() {
    let config = json!({ "players": ["ai", "human", "human", "ai"] });
    let created = |role: &str, seat: Option<u8>| {
        let host = Host::created(&creation_as(role, seat, &config, &json!({ "openHands": true })), [5; 32]);
        let ann = host.view(ANN).players[0].clone();
        let capabilities: Vec<Value> =
            ann.capabilities.iter().map(|capability| json!(capability)["type"].clone()).collect();
        (ann.player_index.map(texas42_vocab::Seat::index), json!(capabilities))
    };
    let player = json!(["act-as-player", "observe-own-hand", "undo-actions", "configure-variant"]);
    let student = json!(["act-as-player", "observe-own-hand", "undo-actions", "see-hints", "configure-variant"]);
    assert_eq!(created("player", None), (Some(1), player.clone()));
    assert_eq!(created("player", Some(2)), (Some(2), player));
    assert_eq!(created("student", Some(2)), (Some(2), student));
    assert_eq!(created("coach", Some(1)), (None, json!(["observe-hand", "see-hints", "configure-variant"])));
    assert_eq!(created("spectator", None), (None, json!(["observe-all-hands", "configure-variant"])));
}

#[test]
fn rejects_a_role_that_the_new_table_does_not_allow() {
    let one = json!({ "players": people(1) });
    let bots = json!({ "players": people(0) });
    let cases = [
        ("admin", None, &one, json!({ "openHands": true }), "role"),
        ("ai", Some(1), &one, json!({}), "role"),
        ("player", Some(1), &one, json!({}), "seat"),
        ("student", None, &one, json!({ "rated": true }), "role"),
        ("student", None, &bots, json!({}), "config.players"),
        ("coach", None, &one, json!({ "openHands": true }), "seat"),
        ("coach", Some(0), &one, json!({}), "table.openHands"),
        ("spectator", Some(0), &one, json!({}), "seat"),
    ];
    for (role, seat, config, table, field) in cases {
        let answer = refused_creation(&creation_as(role, seat, config, &table));
        assert_eq!(error(&[answer]).field.as_deref(), Some(field), "{role} {seat:?}");
    }
}

/// A coach who created the table is removed with the student; somebody else manages it then.
#[test]
fn a_table_whose_coach_is_removed_gets_another_host() {
    let config = json!({ "players": people(2) });
    let mut host = Host::created(&creation_as("coach", Some(0), &config, &json!({ "openHands": true })), [5; 32]);
    for (connection, name) in [(BOB, "Bob"), (CID, "Cid")] {
        let key = host.invite(&json!({ "role": "player", "seat": connection - 1 }));
        host.join(connection, &key, json!({ "name": name }));
    }
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    let manages = |host: &Host| host.view(CID).players.iter().find(|player| player.name.as_str() == "Cid").cloned();
    let cid = manages(&host).unwrap();
    assert!(cid.capabilities.contains(&Capability::ConfigureVariant), "{cid:?}");
    assert!(!host.view(CID).players.iter().any(|player| player.name.as_str() == "Ann"));
}

// Names.

fn names(host: &Host) -> Vec<String> {
    host.view(ANN).players.iter().map(|player| player.name.to_string()).collect()
}

#[test]
fn a_person_may_have_the_name_of_somebody_who_is_replaced() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    assert_eq!(names(&host), ["Ann", "Program", "Program 2", "Program 3"], "bots get a number");
    let key = host.invite(&json!({ "role": "player", "seat": 2 }));
    assert_refused(&mut host, CID, &key, json!({ "name": "PROGRAM" }), ErrorCode::Refused);
    joined(&host.join(CID, &key, json!({ "name": "Program 2" })));
    // The person gives up the seat, and a bot follows.
    let request = host.fresh_request_id();
    host.say(CID, json!({ "type": "GIVE_UP_SEAT", "requestId": request }));
    host.seat_bots();
    assert_eq!(names(&host).len(), 4);
    assert!(!names(&host).iter().enumerate().any(|(at, name)| names(&host)[..at].contains(name)), "{:?}", names(&host));
}

/// A bot with a long name gets a number too, so that no name can keep it out.
#[test]
fn no_name_keeps_a_bot_out() {
    let long = "N".repeat(24);
    let mut host = Host::seated(1, json!({}), &json!({}));
    for (number, connection) in [(1, BOB), (2, CID)] {
        let key = host.invite(&json!({ "role": "ai", "seat": number }));
        joined(&host.join(connection, &key, json!({ "name": long })));
    }
    assert!(
        names(&host).contains(&long) && names(&host).contains(&format!("{} 2", "N".repeat(21))),
        "{:?}",
        names(&host)
    );
}

/// Earlier versions accepted names that are refused now. Their tables still open, and their people return.
#[test]
fn a_stored_table_keeps_its_names() {
    let mut host = Host::seated(2, json!({}), &json!({}));
    let log = serde_json::to_string(&host.log).unwrap();
    for name in ["\u{301}", "Ann", "A\u{fdd0}"] {
        let stored = log.replace(r#""name":"Bob""#, &format!(r#""name":"{name}""#));
        assert_ne!(stored, log);
        host.log = serde_json::from_str(&stored).unwrap();
        let mut restored = host.restored(host.now);
        let key = host.keys[&BOB].clone();
        let reply = joined(&restored.join(BOB, &key, json!({})));
        assert!(reply["view"]["players"].as_array().unwrap().iter().any(|player| player["name"] == name), "{reply}");
    }
}
