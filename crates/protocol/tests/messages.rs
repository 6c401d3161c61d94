//! The JSON of every message, and which input is rejected.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;

use serde_json::{Value, json};
use texas42_protocol::{
    Call, ChallengeView, ClientMessage, ContractView, FollowOutcome, Follower, GameView, ServerMessage, StoryHand,
    ViewPatch,
};

const KEY: &str = "AAECAwQFBgcICQoLDA0ODw";

/// Each client message once with all its fields, and once without optional ones.
fn client_messages() -> Vec<Value> {
    vec![
        json!({ "type": "CREATE_GAME", "name": "Ann" }),
        json!({
            "type": "CREATE_GAME", "name": "Ann", "requestId": "r1", "entropy": "noise",
            "config": {
                "layers": [{ "type": "nello", "minimum": 2, "lead": "left", "doubles": "low" }, { "type": "one-hand",
                    "seed": "s", "script": { "player": 0, "bid": "marks", "value": 1, "trump": "follow-me" } }],
                "scoring": "marks", "target": 5, "seed": "a-seed", "shaker": 2, "playOn": true,
                "players": ["human", "ai", "human", "ai"],
            },
            "table": {
                "deal": "seeded", "turnSeconds": 30, "pause": 0, "rated": true, "openToSpectators": true,
                "hints": true, "openHands": true, "ready": true,
            }, "sessionKey": KEY,
        }),
        json!({ "type": "JOIN_GAME", "gameId": "abc123", "name": "Bob" }),
        json!({
            "type": "JOIN_GAME", "gameId": "abc123", "requestId": "r2", "key": KEY, "name": "Bob", "role": "coach",
            "seat": 3, "capabilities": [{ "type": "observe-hand", "playerIndex": 3 }, { "type": "see-hints" }],
            "entropy": "noise", "version": 7, "sessionKey": KEY,
        }),
        json!({ "type": "LEAVE_GAME", "gameId": "abc123" }),
        json!({ "type": "LEAVE_GAME", "gameId": "abc123", "requestId": "r8" }),
        json!({ "type": "GIVE_UP_SEAT", "gameId": "abc123" }),
        json!({ "type": "GIVE_UP_SEAT", "gameId": "abc123", "requestId": "r9" }),
        json!({ "type": "SUBSCRIBE", "gameId": "abc123" }),
        json!({ "type": "UNSUBSCRIBE", "gameId": "abc123" }),
        execute(&json!({ "type": "bid", "player": 1, "bid": "plunge", "value": 4 })),
        execute(&json!({ "type": "pass", "player": 1 })),
        execute(&json!({ "type": "select-trump", "player": 1, "trump": "doubles" })),
        execute(&json!({ "type": "play", "player": 1, "domino": "6-4" })),
        execute(&json!({ "type": "agree-complete-trick", "player": 1 })),
        execute(&json!({ "type": "agree-score-hand", "player": 1 })),
        execute(&json!({ "type": "claim", "player": 1 })),
        execute(&json!({ "type": "undo", "to": 12 })),
        json!({
            "type": "SET_PLAYER_CONTROL", "gameId": "abc123", "requestId": "r4", "player": 0, "controlType": "ai",
            "version": 7,
        }),
        json!({
            "type": "INVITE", "gameId": "abc123", "requestId": "r5",
            "grant": { "role": "spectator", "openHands": true, "delayHands": 1, "uses": 3 }, "key": KEY,
        }),
        json!({ "type": "INVITE", "gameId": "abc123", "requestId": "r6", "revoke": 3 }),
        json!({ "type": "INVITE", "gameId": "abc123", "requestId": "r10", "grant": { "role": "player" }, "guest": "g1" }),
        json!({ "type": "OPEN_LOBBY", "gameId": "abc123", "requestId": "r11" }),
        json!({ "type": "OPEN_LOBBY", "gameId": "abc123", "requestId": "r11", "renew": true }),
        json!({ "type": "CLOSE_LOBBY", "gameId": "abc123", "requestId": "r12" }),
        json!({ "type": "KNOCK", "gameId": "abc123", "code": "BCDFGH", "name": "Cid" }),
        json!({ "type": "KNOCK", "gameId": "abc123", "requestId": "r13", "code": "BCDFGH", "name": "Cid", "key": KEY }),
        json!({ "type": "TURN_AWAY", "gameId": "abc123", "requestId": "r14", "guest": "g1" }),
        json!({ "type": "REMATCH", "gameId": "abc123", "requestId": "r7", "entropy": "noise" }),
        json!({ "type": "READY", "gameId": "abc123", "requestId": "r9" }),
        json!({ "type": "DECLINE_UNDO", "gameId": "abc123", "requestId": "r10" }),
        json!({ "type": "SAY", "gameId": "abc123", "requestId": "r10", "phrase": "nice-play" }),
        json!({ "type": "SAY", "gameId": "abc123", "requestId": "r11", "phrase": "lead-this", "domino": "6-4" }),
        json!({ "type": "ALLOW_COACH", "gameId": "abc123", "requestId": "r12", "allowed": false }),
        json!({ "type": "PING", "nonce": 42 }),
    ]
}

fn execute(action: &Value) -> Value {
    json!({ "type": "EXECUTE_ACTION", "gameId": "abc123", "requestId": "r3", "version": 7, "action": action })
}

/// A small view in the middle of a trick.
fn view() -> Value {
    let hidden = json!({ "hand": [], "handCount": 6 });
    let contract = json!({
        "bidder": 0, "bid": "points", "value": 31, "stake": 1, "declarer": 0, "trump": "fives", "sitsOut": null,
    });
    let outcome = json!({ "made": true, "reason": "bid-reached", "trick": 5 });
    json!({
        "state": {
            "phase": "playing", "handNumber": 3, "events": 40, "shaker": 3,
            "players": [{ "hand": ["5-5", "6-4"], "handCount": 2 }, hidden, hidden, hidden],
            "auction": [{ "player": 0, "bid": "points", "value": 31 }, { "player": 1 }],
            "contract": contract,
            "trick": { "plays": [{ "player": 0, "domino": "5-0" }], "winner": 0, "points": 6 },
            "tricks": { "1": { "plays": [{ "player": 0, "domino": "6-6" }], "winner": 0, "points": 1 } }, "points": [0, 0], "tricksTaken": [0, 0], "outcome": null,
            "claim": { "player": 2, "stands": false },
            "lastHand": { "contract": contract, "outcome": outcome, "points": [31, 11], "gained": [1, 0] },
            "score": [1, 0], "target": 7, "scoring": "marks", "agreed": [2],
        },
        "validActions": [{
            "action": { "type": "play", "player": 0, "domino": "6-4" }, "label": "Play 6-4", "shortcut": "64",
            "group": "play", "hint": { "code": "only-choice" }, "autoExecute": true, "delay": 300,
            "reason": "only-legal-action",
        }],
        "players": [{
            "playerId": "p1", "playerIndex": 0, "name": "Ann", "controlType": "human", "isConnected": true,
            "capabilities": [{ "type": "act-as-player", "playerIndex": 0 }, { "type": "observe-own-hand" }],
        }],
        "derived": {
            "toAct": 1, "ledSuit": "fives", "trickWinner": 0,
            "blocked": [{ "domino": "5-5", "reason": { "rule": "must-follow", "suit": "fives" } }],
            "winner": null,
        },
        "metadata": {
            "deal": {
                "secretCommitment": "00", "handCommitment": "11", "nextCommitment": "55",
                "revealed": { "handNumber": 2, "share": "22", "entropy": "33" }, "secret": "44",
            },
            "undo": { "to": 4, "agreed": [0] }, "undoDeclined": 1, "invitedBy": "p1", "ready": [0, 2], "coachOff": [1], "deadline": 1000,
            "result": { "winner": 1, "score": [3, 7], "seed": "s", "code": "c", "stars": 2, "challenge": { "date": "2026-11-17", "difficulty": "hard", "starThresholds": [30, 35, 40], "team": 1 } },
            "gameNumber": 1,
            "table": {
                "deal": "secret", "turnSeconds": 30, "pause": 1200, "openToSpectators": true,
            },
        },
    })
}

fn patch() -> Value {
    json!({ "state": { "phase": "scoring", "trick": null }, "metadata": { "undo": null } })
}

fn server_messages() -> Vec<Value> {
    let player = view()["players"][0].clone();
    let status = |status: &str| {
        json!({
            "type": "PLAYER_STATUS", "gameId": "abc123", "player": player, "status": status,
        })
    };
    let mut messages = vec![
        json!({
            "type": "GAME_CREATED", "requestId": "r1", "gameId": "abc123", "playerId": "p1", "key": KEY, "version": 3,
            "view": view(),
        }),
        json!({
            "type": "JOINED", "requestId": "r2", "gameId": "abc123", "playerId": "p4", "seat": 1,
            "capabilities": [{ "type": "observe-own-hand" }], "key": KEY, "version": 5, "view": view(),
        }),
        json!({ "type": "INVITED", "requestId": "r5", "invitation": 3, "key": KEY }),
        json!({ "type": "SAID", "gameId": "abc123", "requestId": "r10", "player": "p1", "phrase": "nice-play" }),
        json!({ "type": "SAID", "gameId": "abc123", "player": "p4", "phrase": "lead-this", "domino": "6-4" }),
        json!({ "type": "INVITED", "requestId": "r6", "invitation": 3, "isRevoked": true }),
        json!({ "type": "LOBBY", "gameId": "abc123", "guests": [] }),
        json!({
            "type": "LOBBY", "requestId": "r11", "gameId": "abc123", "code": "BCDFGH", "until": 900_000,
            "guests": [{ "guest": "g1", "name": "Cid", "until": 300_000 }],
        }),
        json!({ "type": "KNOCKED", "gameId": "abc123", "status": "turned-away" }),
        json!({ "type": "KNOCKED", "requestId": "r13", "gameId": "abc123", "status": "waiting", "key": KEY }),
        json!({
            "type": "LOBBY_FOUND", "gameId": "abc123", "code": "BCDFGH", "host": "Ann",
            "config": { "layers": [], "scoring": "marks", "players": ["human", "human", "ai", "ai"] },
            "players": [{ "playerIndex": 0, "name": "Ann", "controlType": "human" }],
        }),
        json!({ "type": "LEFT", "requestId": "r8", "gameId": "abc123" }),
        json!({ "type": "LEFT", "gameId": "abc123", "isSeatKept": true }),
        json!({ "type": "STATE_UPDATE", "gameId": "abc123", "version": 8, "view": view() }),
        json!({
            "type": "STATE_UPDATE", "gameId": "abc123", "version": 8, "ack": { "requestId": "r3", "version": 8 },
            "lastAction": { "type": "pass", "player": 1 }, "patch": patch(),
        }),
        json!({
            "type": "HINTS", "gameId": "abc123", "version": 8,
            "hints": [
                {
                    "action": { "type": "pass", "player": 1 }, "recommended": true, "chance": 610,
                    "expectedMarks": -125, "reasons": [{ "code": "nothing-pays" }],
                },
                { "action": { "type": "claim", "player": 1 }, "reasons": [{ "code": "claim-would-fail" }] },
            ],
        }),
        json!({ "type": "PROGRESS", "operation": "seed_finding", "progress": 25 }),
        json!({
            "type": "ERROR", "requestType": "EXECUTE_ACTION", "requestId": "r3", "version": 8, "view": view(),
            "error": {
                "code": "refused", "message": "it's seat 3's turn", "field": "action",
                "reason": { "rule": "not-your-turn", "turn": 2 },
            },
        }),
        json!({ "type": "PONG", "nonce": 42, "time": 1000 }),
    ];
    messages.extend(["joined", "left", "connected", "disconnected", "control_changed", "undo_asked"].map(status));
    messages.extend(
        [
            "bad-message",
            "bad-config",
            "no-such-game",
            "not-joined",
            "bad-key",
            "not-allowed",
            "seat-taken",
            "not-started",
            "refused",
            "stale",
            "rate-limited",
            "full",
            "not-stored",
        ]
        .map(|code| json!({ "type": "ERROR", "error": { "code": code, "message": "no" } })),
    );
    messages
}

/// Reads a value, writes it, reads it again, and returns what was written.
fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + core::fmt::Debug>(json: &Value) -> Value {
    let read: T = serde_json::from_str(&json.to_string()).unwrap_or_else(|error| panic!("{json}: {error}"));
    let text = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), read, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn client_messages_round_trip() {
    let messages: Vec<Value> = client_messages().iter().map(round_trip::<ClientMessage>).collect();
    for (message, again) in client_messages().iter().zip(&messages) {
        let parsed: ClientMessage = serde_json::from_value(message.clone()).unwrap();
        assert_eq!(parsed.name(), message["type"]);
        assert_eq!(parsed.request_id().map(|id| json!(id)), message.get("requestId").cloned());
        assert!(contains(again, message), "{message} became {again}");
    }
    assert_snapshot("client", &messages);
}

#[test]
fn a_challenge_of_version_0_1_0_has_no_thresholds() {
    let challenge: ChallengeView =
        serde_json::from_value(json!({ "date": "2026-11-17", "difficulty": "hard" })).unwrap();
    assert_eq!(challenge.star_thresholds, [0; 3]);
}

#[test]
fn server_messages_round_trip() {
    for message in server_messages() {
        assert_eq!(round_trip::<ServerMessage>(&message), message);
    }
    assert_snapshot("server", &server_messages());
}

/// Whether `serde_json` preserves field order depends on the other crates in the build, so fields are sorted here.
fn assert_snapshot(name: &str, messages: &[Value]) {
    insta::with_settings!({ sort_maps => true }, { insta::assert_json_snapshot!(name, messages) });
}

/// Whether `whole` contains everything in `part`.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|whole| contains(whole, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        _ => whole == part,
    }
}

/// Invalid messages, and part of the expected error.
fn refused_messages() -> Vec<(Value, &'static str)> {
    let with = |mut message: Value, field: &str, value: Value| {
        message[field] = value;
        message
    };
    let create = || json!({ "type": "CREATE_GAME", "name": "Ann" });
    let join = || json!({ "type": "JOIN_GAME", "gameId": "g", "name": "Bob" });
    let pass = || execute(&json!({ "type": "pass", "player": 1 }));
    let config = |config: Value| json!({ "type": "CREATE_GAME", "name": "Ann", "config": config });
    let long = |length: usize| json!("x".repeat(length));
    let key = "a key is 22 letters, digits, - or _";
    vec![
        (json!({ "type": "CHEAT" }), "unknown variant `CHEAT`, expected one of `CREATE_GAME`"),
        (json!({ "name": "Ann" }), "missing field `type`"),
        (json!([]), "expected an object"),
        (with(create(), "authority", json!("system")), "unknown field `authority`"),
        (with(join(), "admin", json!(true)), "unknown field `admin`"),
        (with(pass(), "player", json!(1)), "unknown field `player`"),
        (json!({ "type": "PING", "nonce": 1, "gameId": "g" }), "unknown field `gameId`"),
        (json!({ "type": "PING", "nonce": 1.5 }), "u64"),
        (json!(3), "invalid type"),
        (json!(null), "invalid type"),
        (json!("PING"), "invalid type"),
        (with(create(), "table", json!({ "cheat": true })), "unknown field `cheat`"),
        (config(json!({ "layer": [] })), "unknown field `layer`"),
        (config(json!({ "layers": [{ "type": "cheating" }] })), "unknown variant `cheating`"),
        (config(json!({ "layers": [{ "type": "speed", "fast": 1 }] })), "unknown field `fast`"),
        (config(json!({ "layers": [{ "type": "plunge", "delay": 1 }] })), "unknown field `delay`"),
        (config(json!({ "seed": "two words" })), "a seed is 1 to 48 characters"),
        (config(json!({ "players": ["human"] })), "4"),
        (config(json!({ "deals": [[["7-7"]]] })), "a domino is written high-low"),
        (with(create(), "name", json!("")), "a name has 1 to 24 characters"),
        (with(create(), "name", long(25)), "a name has 1 to 24 characters"),
        (with(create(), "name", json!("a\u{7}b")), "a name has 1 to 24 characters that can be seen"),
        (with(create(), "entropy", long(65)), "entropy is 1 to 64 printable ASCII characters"),
        (with(create(), "entropy", json!("")), "entropy is 1 to 64"),
        (with(create(), "requestId", long(65)), "a request id has 1 to 64 printable ASCII characters"),
        (with(pass(), "requestId", json!("")), "a request id has 1 to 64"),
        (with(pass(), "requestId", json!("a b")), "a request id has 1 to 64"),
        (with(pass(), "version", json!(-1)), "u64"),
        (with(join(), "gameId", long(65)), "an id has 1 to 64 letters"),
        (with(join(), "gameId", json!("../x")), "an id has 1 to 64 letters"),
        (with(join(), "key", json!("")), key),
        (with(join(), "key", long(21)), key),
        (with(join(), "key", long(23)), key),
        (with(join(), "key", long(4000)), key),
        (with(join(), "seat", json!(4)), "a seat is a number from 0 to 3"),
        (with(join(), "role", json!("system")), "unknown variant `system`"),
        (with(join(), "capabilities", json!([{ "type": "everything" }])), "unknown variant `everything`"),
        (execute(&json!({ "type": "pass", "player": 4 })), "a seat is a number from 0 to 3"),
        (execute(&json!({ "type": "play", "player": 1, "domino": "64" })), "a domino is written high-low"),
        (execute(&json!({ "type": "play", "player": 1, "domino": "7-0" })), "a domino is written high-low"),
        (execute(&json!({ "type": "play", "player": 1 })), "missing field `domino`"),
        (execute(&json!({ "type": "win" })), "unknown variant `win`"),
        (execute(&json!({ "type": "bid", "player": 1, "bid": "points", "value": 300 })), "u8"),
        (
            json!({ "type": "INVITE", "gameId": "g", "requestId": "r", "grant": { "role": "player", "all": 1 } }),
            "unknown field `all`",
        ),
    ]
}

/// Bids are flattened into the struct that contains them.
#[test]
fn flattened_bids_round_trip() {
    let call = json!({ "player": 1, "bid": "marks", "value": 2 });
    assert_eq!(round_trip::<Call>(&call), call);
    let pass = json!({ "player": 1 });
    assert_eq!(round_trip::<Call>(&pass), pass);
    let contract = json!({
        "bidder": 1, "bid": "marks", "value": 2, "stake": 2, "declarer": 3, "trump": null, "sitsOut": 1,
    });
    assert_eq!(round_trip::<ContractView>(&contract), contract);
    let hand = json!({
        "bidder": 1, "bid": "points", "value": 30, "trump": "follow-me", "points": [1, 2], "gained": [0, 2],
    });
    assert_eq!(round_trip::<StoryHand>(&hand), hand);
    assert!(serde_json::from_value::<ContractView>(json!({ "bidder": 1, "bid": "marks" })).is_err());
}

#[test]
fn rejects_invalid_messages_with_a_specific_error() {
    for (message, words) in refused_messages() {
        let error = serde_json::from_str::<ClientMessage>(&message.to_string()).expect_err(&message.to_string());
        assert!(error.to_string().contains(words), "{message}: {error}");
    }
}

/// Nothing that a client writes next to an action is kept: authority cannot be expressed on the wire.
#[test]
fn drops_extra_fields_of_an_action() {
    let plain = execute(&json!({ "type": "pass", "player": 1 }));
    let smuggling = execute(&json!({
        "type": "pass", "player": 1, "authority": "system", "meta": { "authority": "system", "autoExecute": true },
    }));
    let [plain, smuggling] = [plain, smuggling].map(|json| serde_json::from_value::<ClientMessage>(json).unwrap());
    assert_eq!(plain, smuggling);
    assert!(!serde_json::to_string(&smuggling).unwrap().contains("system"));
}

fn update(version: u64, with_view: bool) -> ServerMessage {
    let mut message = json!({ "type": "STATE_UPDATE", "gameId": "g", "version": version });
    if with_view {
        message["view"] = view();
    } else {
        message["patch"] = json!({ "state": { "handNumber": version } });
    }
    serde_json::from_value(message).unwrap()
}

/// A version, whether it comes with a full view, and its expected effect.
type Arrival = (u64, bool, FollowOutcome);

/// Versions in order of arrival, and the version that is rendered in the end.
#[test]
fn a_gap_is_never_rendered() {
    use FollowOutcome::{Changed, Gap, Nothing};
    let cases: [(&[Arrival], u64); 6] = [
        (&[(5, false, Gap)], 0),
        (&[(5, true, Changed), (6, false, Changed), (7, false, Changed)], 7),
        (&[(5, true, Changed), (7, false, Gap), (6, false, Changed)], 6),
        (&[(5, true, Changed), (7, false, Gap), (8, false, Gap), (8, true, Changed), (9, false, Changed)], 9),
        (&[(5, true, Changed), (5, false, Nothing), (4, false, Nothing), (3, true, Nothing)], 5),
        (&[(5, true, Changed), (6, false, Changed), (6, false, Nothing), (6, true, Changed)], 6),
    ];
    for (messages, rendered) in cases {
        let mut follower = Follower::default();
        for (version, with_view, expected) in messages {
            assert_eq!(follower.handle_message(&update(*version, *with_view)), *expected, "{messages:?} at {version}");
        }
        assert_eq!(follower.table().map_or(0, |(version, _)| version), rendered, "{messages:?}");
    }
}

#[test]
fn a_patch_that_does_not_fit_is_a_gap() {
    let mut follower = Follower::default();
    follower.handle_message(&update(5, true));
    let before = follower.clone();
    let mut message = json!({ "type": "STATE_UPDATE", "gameId": "g", "version": 6 });
    message["patch"] = json!({ "state": { "phase": "dreaming" } });
    assert_eq!(follower.handle_message(&serde_json::from_value(message.clone()).unwrap()), FollowOutcome::Gap);
    message.as_object_mut().unwrap().remove("patch");
    assert_eq!(
        follower.handle_message(&serde_json::from_value(message).unwrap()),
        FollowOutcome::Nothing,
        "an update without a view changes nothing"
    );
    assert_eq!(follower, before, "the old view stays until a full one arrives");
}

#[test]
fn a_patch_contains_only_what_changed() {
    let before: Arc<GameView> = serde_json::from_value(view()).unwrap();
    assert_eq!(ViewPatch::between(before.clone(), before.clone()).to_json(), "{}");
    let mut after = GameView::clone(&before);
    after.state.trick = None;
    after.state.score = [1, 1];
    let patch = ViewPatch::between(before.clone(), Arc::new(after.clone()));
    assert_eq!(patch.to_json(), r#"{"state":{"trick":null,"score":[1,1]}}"#);
    let read: ViewPatch = serde_json::from_str(&patch.to_json()).unwrap();
    assert_eq!(read, patch);
    assert_eq!((patch.apply(&before), read.apply(&before)), (Some(after.clone()), Some(after)));
}
