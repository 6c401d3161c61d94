//! A code leads to the lobby of a table, and nowhere else: what a guest may see and do there, who decides, and how long
//! everything lasts.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, KnockStatus, LobbyCode, LobbyGuest, SecretKey, ServerMessage};
use texas42_room::{
    CodeClaim, ConnectionId, ConnectionOwner, Effect, OpenCode, Room, StoredEvent, SurvivingConnection,
};

use crate::support::*;

const MINUTE: u64 = 60_000;

/// A different key for each number.
fn key(number: u8) -> SecretKey {
    SecretKey::new(core::array::from_fn(|at| number.wrapping_mul(31).wrapping_add(at as u8 * 7)))
}

fn gathering() -> Host {
    Host::new(&json!({ "players": people(4) }), &json!({}))
}

fn open(host: &mut Host, from: ConnectionId, renew: bool) -> Vec<ServerMessage> {
    let request = host.fresh_request_id();
    host.say(from, json!({ "type": "OPEN_LOBBY", "requestId": request, "renew": renew }))
}

/// Ann opens the lobby.
fn code(host: &mut Host) -> LobbyCode {
    let replies = open(host, ANN, false);
    let (code, _) = shown(&replies).expect("the lobby was shown");
    code.expect("the lobby has a code")
}

/// The code and the guests that a client was shown last.
fn shown(messages: &[ServerMessage]) -> Option<(Option<LobbyCode>, Vec<LobbyGuest>)> {
    messages.iter().rev().find_map(|message| match message {
        ServerMessage::Lobby { code, guests, .. } => Some((*code, guests.clone())),
        _ => None,
    })
}

/// The names of the guests that Ann was shown last.
fn guests(host: &Host) -> Vec<String> {
    let (_, guests) = shown(&host.messages_since(0, ANN)).unwrap_or_default();
    guests.into_iter().map(|guest| guest.name.to_string()).collect()
}

/// The last guest that Ann was shown.
fn last_guest(host: &Host) -> Value {
    let (_, guests) = shown(&host.messages_since(0, ANN)).unwrap();
    json!(guests.last().unwrap().guest)
}

fn knock_with(host: &mut Host, from: ConnectionId, code: LobbyCode, name: &str, key: &SecretKey) -> Vec<ServerMessage> {
    host.say(from, json!({ "type": "KNOCK", "code": code, "name": name, "key": key }))
}

fn knock(host: &mut Host, from: ConnectionId, code: LobbyCode, name: &str) -> Vec<ServerMessage> {
    knock_with(host, from, code, name, &key(from as u8))
}

fn status(messages: &[ServerMessage]) -> Option<KnockStatus> {
    messages.iter().rev().find_map(|message| match message {
        ServerMessage::Knocked { status, .. } => Some(*status),
        _ => None,
    })
}

fn admit(host: &mut Host, from: ConnectionId, guest: &Value, seat: usize) -> Vec<ServerMessage> {
    let request = host.fresh_request_id();
    let grant = json!({ "role": "player", "seat": seat });
    host.say(from, json!({ "type": "INVITE", "requestId": request, "grant": grant, "guest": guest }))
}

#[test]
fn the_host_lets_a_guest_in_who_then_joins_with_their_own_key() {
    let mut host = gathering();
    let code = code(&mut host);
    assert_eq!(status(&knock(&mut host, CID, code, "Cid")), Some(KnockStatus::Waiting));
    assert_eq!(guests(&host), ["Cid"]);
    let guest = last_guest(&host);
    let since = host.sent.len();
    assert_eq!(tags(&admit(&mut host, ANN, &guest, 2)), ["STATE_UPDATE", "INVITED", "LOBBY"]);
    assert_eq!(status(&host.messages_since(since, CID)), Some(KnockStatus::Admitted));
    assert!(guests(&host).is_empty());
    let joined = host.join(CID, &key(CID as u8), json!({ "name": "Cid" }));
    assert!(matches!(joined.first(), Some(ServerMessage::Joined { seat: Some(taken), .. }) if *taken == seat(2)));
    // The invite is for one person.
    let used = host.join(DAN, &key(CID as u8), json!({ "name": "Dan", "sessionKey": key(99) }));
    assert_eq!(error(&used).code, ErrorCode::SeatTaken);
}

#[test]
fn a_guest_receives_nothing_of_the_table_before_the_host_decides() {
    let mut host = Host::seated(2, json!({}), &json!({ "pause": 0, "openToSpectators": true }));
    let code = code(&mut host);
    let since = host.sent.len();
    knock(&mut host, CID, code, "Cid");
    let mut random = texas42_room::RandomPlayer::new(3);
    for _ in 0..20 {
        host.step(&mut random);
    }
    let guest = last_guest(&host);
    for message in [
        json!({ "type": "SUBSCRIBE" }),
        json!({ "type": "LEAVE_GAME" }),
        json!({ "type": "READY", "requestId": "g1" }),
        json!({ "type": "REMATCH", "requestId": "g2" }),
        json!({ "type": "OPEN_LOBBY", "requestId": "g3" }),
        json!({ "type": "CLOSE_LOBBY", "requestId": "g4" }),
        json!({ "type": "TURN_AWAY", "requestId": "g5", "guest": guest }),
        json!({ "type": "INVITE", "requestId": "g6", "guest": guest, "grant": { "role": "player" } }),
    ] {
        assert_eq!(error(&host.say(CID, message.clone())).code, ErrorCode::NotJoined, "{message}");
    }
    assert_eq!(error(&host.join(CID, &key(CID as u8), json!({}))).code, ErrorCode::BadKey, "not admitted yet");
    let received = tags(&host.messages_since(since, CID));
    assert!(received.iter().all(|tag| ["KNOCKED", "ERROR"].contains(&tag.as_str())), "{received:?}");
    assert!(host.room.view_for(CID).is_none());
    assert!(host.room.view_with_key(Some(&key(CID as u8))).is_none());
}

#[test]
fn a_lobby_is_no_event_and_nobody_but_the_host_hears_of_it() {
    let mut host = Host::seated(2, json!({}), &json!({ "pause": 0 }));
    let (version, since) = (host.version(), host.sent.len());
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    let guest = last_guest(&host);
    host.say(ANN, json!({ "type": "TURN_AWAY", "requestId": "t", "guest": guest }));
    host.say(ANN, json!({ "type": "CLOSE_LOBBY", "requestId": "c" }));
    assert_eq!((host.version(), host.messages_since(since, BOB)), (version, Vec::new()));
    for message in [
        json!({ "type": "OPEN_LOBBY", "requestId": "b1" }),
        json!({ "type": "CLOSE_LOBBY", "requestId": "b2" }),
        json!({ "type": "TURN_AWAY", "requestId": "b3", "guest": guest }),
        json!({ "type": "INVITE", "requestId": "b4", "guest": guest, "grant": { "role": "player" } }),
    ] {
        assert_eq!(error(&host.say(BOB, message.clone())).code, ErrorCode::NotAllowed, "{message}");
    }
}

#[test]
fn a_table_has_one_code_until_it_expires() {
    let mut host = gathering();
    let first = code(&mut host);
    assert_eq!(code(&mut host), first, "asking again returns the same code");
    host.wait(15 * MINUTE - 1);
    assert_eq!(status(&knock(&mut host, BOB, first, "Bob")), Some(KnockStatus::Waiting));
    let since = host.sent.len();
    host.wait(1);
    let (gone, waiting) = shown(&host.messages_since(since, ANN)).expect("the host is told");
    assert_eq!((gone, waiting.len()), (None, 1), "a guest who waits keeps waiting");
    assert_eq!(error(&knock(&mut host, CID, first, "Cid")).code, ErrorCode::NoSuchGame);
    assert_ne!(code(&mut host), first);
}

#[test]
fn a_new_code_replaces_the_old_one_and_the_host_can_end_it() {
    let mut host = gathering();
    let first = code(&mut host);
    knock(&mut host, BOB, first, "Bob");
    let since = host.effects.len();
    let (second, waiting) = shown(&open(&mut host, ANN, true)).unwrap();
    let second = second.unwrap();
    assert!(second != first && waiting.len() == 1);
    assert!(host.effects[since..].contains(&Effect::ReleaseCode(first)));
    assert_eq!(error(&knock(&mut host, CID, first, "Cid")).code, ErrorCode::NoSuchGame);
    let since = (host.sent.len(), host.effects.len());
    host.say(ANN, json!({ "type": "CLOSE_LOBBY", "requestId": "end" }));
    assert_eq!(status(&host.messages_since(since.0, BOB)), Some(KnockStatus::Closed));
    assert!(host.effects[since.1..].contains(&Effect::ReleaseCode(second)));
    assert_eq!(error(&knock(&mut host, CID, second, "Cid")).code, ErrorCode::NoSuchGame);
    assert_eq!(shown(&host.messages_since(0, ANN)), Some((None, Vec::new())));
}

#[test]
fn a_code_that_leads_to_another_table_is_not_given_out_twice() {
    let mut host = gathering();
    let first = code(&mut host);
    let mut other = gathering();
    other.taken_codes.insert(first);
    let second = code(&mut other);
    assert_ne!(first, second, "both tables draw the same codes from the same randomness");
}

/// A table whose host answers requests for codes late.
#[test]
fn requests_for_a_code_wait_for_the_host_of_the_table() {
    let mut host = gathering();
    let request =
        |id: &str| read(&json!({ "type": "OPEN_LOBBY", "gameId": host.room.id(), "requestId": id, "renew": true }));
    let (one, two) = (request("one"), request("two"));
    host.room.handle_message(0, ANN, one);
    host.room.handle_message(0, ANN, two);
    let claims = std::iter::from_fn(|| host.room.poll_effect()).filter(|effect| matches!(effect, Effect::ClaimCode(_)));
    assert_eq!(claims.count(), 1, "both requests get the same code");
    assert!(host.room.awaits_code(ANN));
    host.room.handle_claim(CodeClaim::Refused(texas42_phrases::Problem::NoLobbyHere));
    let since = host.sent.len();
    host.deliver();
    let refusals = host.messages_since(since, ANN);
    assert_eq!(tags(&refusals)[..2], ["ERROR", "ERROR"]);
    assert_eq!(error(&refusals).code, ErrorCode::NotAllowed);
    assert!(!host.room.awaits_code(ANN));
    // An answer that nobody waits for changes nothing.
    host.room.handle_claim(CodeClaim::Granted);
    assert!(host.room.poll_effect().is_none());
}

#[test]
fn a_refused_guest_gets_the_same_answer_every_time() {
    let mut host = gathering();
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    let (guest, since) = (last_guest(&host), host.sent.len());
    assert_eq!(tags(&host.say(ANN, json!({ "type": "TURN_AWAY", "requestId": "t", "guest": guest }))), ["LOBBY"]);
    assert_eq!(status(&host.messages_since(since, CID)), Some(KnockStatus::TurnedAway));
    assert_eq!(status(&knock(&mut host, CID, code, "Cid")), Some(KnockStatus::TurnedAway));
    assert_eq!(error(&admit(&mut host, ANN, &guest, 2)).code, ErrorCode::Refused, "the guest is gone");
    assert_eq!(error(&host.join(CID, &key(CID as u8), json!({}))).code, ErrorCode::BadKey);
    // With another key, the guest asks again.
    assert_eq!(status(&knock_with(&mut host, CID, code, "Cid", &key(77))), Some(KnockStatus::Waiting));
}

#[test]
fn a_guest_waits_five_minutes() {
    let mut host = gathering();
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    host.wait(5 * MINUTE - 1);
    assert_eq!(guests(&host), ["Cid"]);
    let since = host.sent.len();
    host.wait(1);
    assert!(guests(&host).is_empty());
    assert_eq!(status(&host.messages_since(since, CID)), Some(KnockStatus::Expired));
    assert_eq!(status(&knock(&mut host, CID, code, "Cid")), Some(KnockStatus::Expired));
}

#[test]
fn a_guest_whose_connection_is_gone_is_gone_unless_it_comes_back_soon() {
    let mut host = gathering();
    let code = code(&mut host);
    for connection in [CID, DAN] {
        knock(&mut host, connection, code, if connection == CID { "Cid" } else { "Dan" });
        host.disconnect(connection);
    }
    host.wait(4_000);
    knock(&mut host, CID, code, "Cid");
    host.wait(2_000);
    assert_eq!(guests(&host), ["Cid"], "Cid has come back, and Dan has not");
}

#[test]
fn a_guest_without_a_connection_stays_while_it_asks() {
    let mut host = gathering();
    let code = code(&mut host);
    let message =
        read(&json!({ "type": "KNOCK", "gameId": host.room.id(), "code": code, "name": "Cid", "key": key(3) }));
    for _ in 0..3 {
        let since = host.sent.len();
        host.room.handle_call(host.now, 1 << 40, Some(&key(3)), message.clone());
        host.deliver();
        assert_eq!(status(&host.messages_since(since, 1 << 40)), Some(KnockStatus::Waiting));
        host.wait(19_000);
    }
    assert_eq!(guests(&host), ["Cid"]);
    host.wait(1_000);
    assert!(guests(&host).is_empty());
}

#[test]
fn the_number_of_guests_and_of_requests_with_one_code_is_limited() {
    let mut host = gathering();
    let first = code(&mut host);
    for number in 0..8_u64 {
        let waits = knock(&mut host, 100 + number, first, &format!("Guest {number}"));
        assert_eq!(status(&waits), Some(KnockStatus::Waiting));
    }
    assert_eq!(error(&knock(&mut host, 200, first, "Late")).code, ErrorCode::Full);
    assert_eq!(guests(&host).len(), 8);
    let mut turned_away = 0;
    while let Some((_, guests)) = shown(&host.messages_since(0, ANN)).filter(|(_, guests)| !guests.is_empty()) {
        turned_away += 1;
        host.say(ANN, json!({ "type": "TURN_AWAY", "requestId": format!("t{turned_away}"), "guest": guests[0].guest }));
        let again = 200 + turned_away;
        knock(&mut host, again, first, &format!("Guest {again}"));
    }
    assert_eq!(turned_away, 40, "nobody pesters the host with one code forever");
    let (second, _) = shown(&open(&mut host, ANN, true)).unwrap();
    assert_eq!(status(&knock(&mut host, 99, second.unwrap(), "Patient")), Some(KnockStatus::Waiting));
}

#[test]
fn wrong_codes_are_limited_and_forgotten_slowly() {
    let mut host = gathering();
    let right = code(&mut host);
    let wrong = |number: u64| LobbyCode::new(number);
    for number in 0..10 {
        assert_eq!(error(&knock(&mut host, EVE, wrong(number), "Eve")).code, ErrorCode::NoSuchGame);
    }
    assert_eq!(error(&knock(&mut host, EVE, right, "Eve")).code, ErrorCode::RateLimited, "a guess learns nothing");
    host.wait(29_999);
    assert_eq!(error(&knock(&mut host, EVE, right, "Eve")).code, ErrorCode::RateLimited);
    host.wait(1);
    assert_eq!(status(&knock(&mut host, EVE, right, "Eve")), Some(KnockStatus::Waiting));
}

#[test]
fn a_table_without_a_lobby_answers_like_one_with_another_code() {
    let mut host = gathering();
    let without = knock(&mut host, EVE, LobbyCode::new(1), "Eve");
    code(&mut host);
    assert_eq!(without, knock(&mut host, EVE, LobbyCode::new(1), "Eve"));
}

#[test]
fn a_guest_needs_a_name_that_nobody_has_and_a_free_seat() {
    let mut host = gathering();
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    for name in ["Ann", "ANN", "C i d"] {
        let refused = knock(&mut host, EVE, code, name);
        assert_eq!(error(&refused).field.as_deref(), Some("name"), "{name}");
    }
    assert_eq!(error(&knock(&mut host, ANN, code, "Anna")).code, ErrorCode::Refused, "Ann is at the table");
    let mut full = Host::seated(4, json!({}), &json!({}));
    let code = self::code(&mut full);
    assert_eq!(error(&knock(&mut full, EVE, code, "Eve")).code, ErrorCode::SeatTaken);
}

#[test]
fn a_taken_seat_is_refused_before_the_guest_is_let_in() {
    let mut host = gathering();
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    let guest = last_guest(&host);
    assert_eq!(error(&admit(&mut host, ANN, &guest, 0)).code, ErrorCode::SeatTaken);
    assert_eq!(guests(&host), ["Cid"], "the guest still waits");
    let version = host.version();
    admit(&mut host, ANN, &guest, 1);
    assert_eq!(host.version(), version + 1, "admission is the event of an invite");
}

#[test]
fn a_guest_without_a_key_gets_one() {
    let mut host = gathering();
    let code = code(&mut host);
    let knocked = host.say(CID, json!({ "type": "KNOCK", "code": code, "name": "Cid" }));
    let Some(ServerMessage::Knocked { key: Some(key), .. }) = knocked.first() else { panic!("{knocked:?}") };
    let again = host.say(CID, json!({ "type": "KNOCK", "code": code, "name": "Cid" }));
    assert!(matches!(again[..], [ServerMessage::Knocked { key: None, status: KnockStatus::Waiting, .. }]));
    let guest = last_guest(&host);
    admit(&mut host, ANN, &guest, 1);
    assert!(matches!(host.join(CID, key, json!({ "name": "Cid" }))[0], ServerMessage::Joined { .. }));
}

#[test]
fn a_lost_answer_to_an_admission_costs_nothing() {
    let mut host = gathering();
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    let guest = last_guest(&host);
    let invite = json!({ "type": "INVITE", "requestId": "in", "grant": { "role": "player" }, "guest": guest });
    let first = host.say(ANN, invite.clone());
    host.disconnect(CID);
    assert_eq!(tags(&host.say(ANN, invite)), ["INVITED"], "a repeated request is executed once: {first:?}");
    assert_eq!(status(&knock_with(&mut host, CID, code, "Cid", &key(CID as u8))), Some(KnockStatus::Admitted));
    assert!(matches!(host.join(CID, &key(CID as u8), json!({ "name": "Cid" }))[0], ServerMessage::Joined { .. }));
}

#[test]
fn a_host_who_returns_sees_the_lobby_again() {
    let mut host = gathering();
    let code = code(&mut host);
    host.disconnect(ANN);
    let since = host.sent.len();
    knock(&mut host, CID, code, "Cid");
    assert!(host.messages_since(since, ANN).is_empty());
    let key = host.keys[&ANN].clone();
    let replies = host.join(EVE, &key, json!({ "name": "Ann" }));
    assert_eq!(tags(&replies)[..2], ["JOINED", "LOBBY"]);
    let (again, waiting) = shown(&replies).unwrap();
    assert_eq!((again, waiting.len()), (Some(code), 1));
}

fn restored(host: &Host, survivors: &[SurvivingConnection], code: Option<OpenCode>) -> Host {
    let log: Vec<StoredEvent> = host.log.clone();
    let id = host.room.id().clone();
    let mut room = Room::restore_with_connections(host.now, id, &[8; 32], &log, survivors).unwrap();
    code.into_iter().for_each(|code| room.reopen_lobby(code));
    Host::of(room, host.now, log)
}

#[test]
fn a_restored_room_continues_with_its_code_and_its_guests() {
    let mut host = gathering();
    let code = code(&mut host);
    let claimed = host.effects.iter().rev().find_map(|effect| match effect {
        Effect::ClaimCode(code) => Some(*code),
        _ => None,
    });
    knock(&mut host, CID, code, "Cid");
    host.wait(MINUTE);
    let guest = host.room.guest_on(CID).unwrap();
    let survivors = [
        SurvivingConnection {
            connection: ANN,
            who: ConnectionOwner::Player("p1".try_into().unwrap()),
            is_subscribed: true,
        },
        SurvivingConnection { connection: CID, who: ConnectionOwner::Guest(guest), is_subscribed: false },
    ];
    let id = last_guest(&host);
    let mut again = restored(&host, &survivors, claimed);
    assert!(shown(&again.messages_since(0, ANN)).is_none(), "nothing has changed for the host");
    assert_eq!(status(&knock(&mut again, DAN, code, "Dan")), Some(KnockStatus::Waiting));
    assert_eq!(guests(&again), ["Cid", "Dan"]);
    let since = again.sent.len();
    admit(&mut again, ANN, &id, 1);
    assert_eq!(status(&again.messages_since(since, CID)), Some(KnockStatus::Admitted));
    // The deadlines are unchanged.
    let mut waiting = restored(&host, &survivors, claimed);
    let since = waiting.sent.len();
    waiting.wait(4 * MINUTE);
    assert_eq!(status(&waiting.messages_since(since, CID)), Some(KnockStatus::Expired));
    let mut without = restored(&host, &survivors[..1], None);
    assert_eq!(error(&knock(&mut without, CID, code, "Cid")).code, ErrorCode::NoSuchGame);
}

#[test]
fn a_stranger_with_the_code_learns_who_plays_what_and_nothing_else() {
    let layers = json!([{ "type": "nello" }]);
    let mut host = Host::seated(2, json!({ "layers": layers }), &json!({}));
    let code = code(&mut host);
    let found = serde_json::to_value(host.room.find_lobby(host.now, code).unwrap()).unwrap();
    assert_eq!((&found["type"], &found["host"], &found["code"]), (&json!("LOBBY_FOUND"), &json!("Ann"), &json!(code)));
    assert_eq!(found["config"]["layers"][0]["type"], "nello");
    let names: Vec<&str> =
        found["players"].as_array().unwrap().iter().filter_map(|player| player["name"].as_str()).collect();
    assert_eq!((names.len(), &names[..2]), (4, &["Ann", "Bob"][..]));
    let mut fields: Vec<&String> = found.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["code", "config", "gameId", "host", "players", "type"]);
    assert_eq!(host.room.find_lobby(host.now, LobbyCode::new(1)).unwrap_err().code, ErrorCode::NoSuchGame);
    host.wait(15 * MINUTE);
    assert_eq!(host.room.find_lobby(host.now, code).unwrap_err().code, ErrorCode::NoSuchGame);
}

#[test]
fn a_table_whose_deals_are_known_has_no_lobby() {
    let config = json!({ "players": people(1), "seed": "known" });
    let mut host = Host::new(&config, &json!({ "deal": "seeded" }));
    assert_eq!(error(&open(&mut host, ANN, false)).code, ErrorCode::NotAllowed);
}

#[test]
fn a_guest_who_is_let_in_during_a_hand_waits_for_the_deal_like_any_newcomer() {
    let mut host = Host::seated(1, json!({}), &json!({ "pause": 0 }));
    let code = code(&mut host);
    knock(&mut host, CID, code, "Cid");
    let guest = last_guest(&host);
    admit(&mut host, ANN, &guest, 2);
    host.join(CID, &key(CID as u8), json!({ "name": "Cid" }));
    let cid = host.view(CID).players.iter().find(|player| player.name.as_str() == "Cid").unwrap();
    assert!(cid.waits_for_deal);
}
