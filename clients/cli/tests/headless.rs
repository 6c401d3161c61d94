//! `texas42 headless` over a real pipe: the transcript of the document, every kind of invalid line, a whole game.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use serde_json::{Value, json};
use support::{Conversation, assert_golden, texas42, text_of};

const DOCUMENT: &str = "docs/headless.md";

/// Sends the requests of the document to the binary and compares the answers; with `UPDATE_GOLDEN=1`, writes them instead.
#[test]
fn the_transcript_of_the_document_is_true() {
    let mut conversation = Conversation::open();
    let mut asked = 0;
    let mut transcript = String::new();
    for line in text_of(DOCUMENT).lines().filter(|line| !line.starts_with("< ")) {
        transcript += &format!("{line}\n");
        if let Some(request) = line.strip_prefix("> ") {
            asked += 1;
            transcript += &format!("< {}\n", conversation.say(request.as_bytes()));
        }
    }
    assert!(asked > 10, "the transcript is gone");
    assert_golden(DOCUMENT, &transcript);
}

#[test]
fn the_document_names_every_request_and_every_error() {
    let document = text_of(DOCUMENT);
    let requests = ["new", "replay", "legal", "apply", "state", "view", "record", "code", "explain", "quit"];
    let errors = ["bad-request", "bad-config", "bad-record", "bad-code", "no-game", "refused"];
    for name in requests.into_iter().chain(errors) {
        assert!(document.contains(&format!("`{name}`")), "{DOCUMENT} lacks {name}");
    }
}

/// The end of a daily challenge has everything to share and to replay it.
#[test]
fn a_finished_daily_challenge_can_be_shared_and_replayed() {
    let mut conversation = Conversation::open();
    let mut say =
        |request: Value| serde_json::from_str::<Value>(&conversation.say(request.to_string().as_bytes())).unwrap();
    let daily = json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "hard" });
    let config = json!({ "layers": [{ "type": "forced-bid" }, daily], "playOn": true });
    let mut status = say(json!({ "cmd": "new", "config": config }));
    while let Some(action) = status["legal"].get(0).cloned() {
        status = say(json!({ "cmd": "apply", "action": action }));
    }
    let stars = status["stars"].as_u64().unwrap();
    assert_eq!(status["points"].as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>(), 42);
    assert_eq!(status["shareText"], format!("Texas 42, 2026-01-15 (hard): {stars} of 3 stars"));
    assert_eq!(status["seed"], "daily-2026-01-15-hard");
    assert_eq!(say(json!({ "cmd": "replay", "code": status["replayLink"] })), status);
    let link = status["replayLink"].as_str().unwrap();
    let refused = say(json!({ "cmd": "replay", "code": link[..link.len() - 1] }));
    assert_eq!(refused["error"]["code"], "bad-code");
}

/// Plays the first legal action until the game is over.
fn play_out(conversation: &mut Conversation, config: &Value) -> Value {
    let mut say =
        |request: Value| serde_json::from_str::<Value>(&conversation.say(request.to_string().as_bytes())).unwrap();
    let mut status = say(json!({ "cmd": "new", "config": config }));
    while let Some(action) = status["legal"].get(0).cloned() {
        status = say(json!({ "cmd": "apply", "action": action }));
    }
    status
}

/// Stars compare people who played the same hand.
#[test]
fn a_hand_that_somebody_chose_earns_no_stars() {
    let mut conversation = Conversation::open();
    let daily = json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy" });
    let forced = json!({ "type": "forced-bid" });
    let one_hand = json!({ "type": "one-hand", "seed": "mine" });
    let mut dominoes = (0..7).flat_map(|high| (0..=high).map(move |low| format!("{high}-{low}")));
    let deal: Vec<Vec<String>> = (0..4).map(|_| dominoes.by_ref().take(7).collect()).collect();
    for (config, earns) in [
        (json!({ "layers": [forced, daily] }), true),
        (json!({ "layers": [forced, daily], "seed": "mine" }), true),
        (json!({ "layers": [forced, one_hand, daily] }), true),
        (json!({ "layers": [forced, daily, one_hand] }), false),
        (json!({ "layers": [forced, daily], "deals": [deal] }), false),
    ] {
        let status = play_out(&mut conversation, &config);
        assert!(status["winner"].is_u64(), "{status}");
        assert_eq!((status["stars"].is_u64(), status["shareText"].is_string()), (earns, earns), "{config}: {status}");
    }
}

/// Invalid lines, each with the code and the field of the error, and a part of its message.
fn invalid_lines() -> Vec<(Vec<u8>, &'static str, Option<&'static str>, &'static str)> {
    let deep = format!(r#"{{"cmd":"new","config":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let five_megabytes = format!(r#"{{"cmd":"new","id":"{}"}}"#, "x".repeat(5_000_000));
    let too_many_layers =
        format!(r#"{{"cmd":"new","config":{{"layers":[{}]}}}}"#, [r#"{"type":"hints"}"#; 17].join(","));
    let too_many_deals =
        format!(r#"{{"cmd":"new","config":{{"deals":[{}]}}}}"#, vec![r#"[[],[],[],[]]"#; 101].join(","));
    let mut lines: Vec<(Vec<u8>, &'static str, Option<&'static str>, &'static str)> = vec![
        (b"\xff\xfe{\"cmd\":\"state\"}".to_vec(), "bad-request", None, "UTF-8"),
        (deep.into(), "bad-request", None, "recursion limit"),
        (five_megabytes.into(), "bad-request", None, "at most 4194304 bytes"),
        (too_many_layers.into(), "bad-config", Some("config.layers"), "at most 16"),
        (too_many_deals.into(), "bad-config", Some("config.deals"), "at most 100"),
    ];
    lines.extend(
        INVALID_LINES.iter().map(|(line, code, field, message)| (line.as_bytes().to_vec(), *code, *field, *message)),
    );
    lines
}

type InvalidLine = (&'static str, &'static str, Option<&'static str>, &'static str);

const INVALID_LINES: &[InvalidLine] = &[
    // No JSON, or not an object.
    ("hello", "bad-request", None, "one JSON object"),
    ("{", "bad-request", None, "EOF"),
    (r#"{"cmd":"state"} {"cmd":"state"}"#, "bad-request", None, "trailing characters"),
    (r#"{"cmd":"state"}}"#, "bad-request", None, "trailing characters"),
    ("[]", "bad-request", None, "one JSON object"),
    ("null", "bad-request", None, "one JSON object"),
    ("\"state\"", "bad-request", None, "one JSON object"),
    ("\u{feff}{\"cmd\":\"state\"}", "bad-request", None, "one JSON object"),
    (r#"{"cmd":"new","id":1e999}"#, "bad-request", None, "number out of range"),
    (r#"{"cmd":"new","id":"\ud800"}"#, "bad-request", None, "hex escape"),
    // No command.
    ("{}", "bad-request", Some("cmd"), "missing"),
    (r#"{"cmd":7}"#, "bad-request", Some("cmd"), "one of new, legal"),
    (r#"{"cmd":"deal"}"#, "bad-request", Some("cmd"), "\"deal\" is no command; there are new, legal"),
    (r#"{"cmd":"New"}"#, "bad-request", Some("cmd"), "no command"),
    // Unknown fields and invalid values.
    (r#"{"cmd":"state","hash":1}"#, "bad-request", Some("hash"), "takes no fields"),
    (r#"{"cmd":"view","seat":0,"seed":1}"#, "bad-request", Some("seed"), "takes seat, hints"),
    (r#"{"cmd":"view"}"#, "bad-request", Some("seat"), "missing"),
    (r#"{"cmd":"view","seat":4}"#, "bad-request", Some("seat"), "0 to 3"),
    (r#"{"cmd":"view","seat":-1}"#, "bad-request", Some("seat"), "u8"),
    (r#"{"cmd":"view","seat":"0"}"#, "bad-request", Some("seat"), "invalid type"),
    (r#"{"cmd":"view","seat":18446744073709551616}"#, "bad-request", Some("seat"), "invalid"),
    (r#"{"cmd":"view","seat":0,"hints":1}"#, "bad-request", Some("hints"), "boolean"),
    // Configurations.
    (r#"{"cmd":"new","config":[]}"#, "bad-config", Some("config"), "is an object"),
    (r#"{"cmd":"new","config":null}"#, "bad-config", Some("config"), "null"),
    (r#"{"cmd":"new","config":{"layer":[]}}"#, "bad-config", Some("config.layer"), "unknown field `layer`"),
    (
        r#"{"cmd":"new","config":{"layers":[{"type":"ninello"}]}}"#,
        "bad-config",
        Some("config.layers[0].type"),
        "ninello",
    ),
    (r#"{"cmd":"new","config":{"layers":["nello"]}}"#, "bad-config", Some("config.layers[0]"), "nello"),
    (r#"{"cmd":"new","config":{"layers":[{}]}}"#, "bad-config", Some("config.layers[0]"), "missing field `type`"),
    (
        r#"{"cmd":"new","config":{"layers":[{"type":"speed","delay":-1}]}}"#,
        "bad-config",
        Some("config.layers[0].delay"),
        "u16",
    ),
    (
        r#"{"cmd":"new","config":{"layers":[{"type":"speed","delay":20000}]}}"#,
        "bad-config",
        Some("config.layers"),
        "10000",
    ),
    (r#"{"cmd":"new","config":{"layers":[{"type":"hints","x":1}]}}"#, "bad-config", Some("config.layers[0].x"), "`x`"),
    (
        r#"{"cmd":"new","config":{"layers":[{"type":"hints"},{"type":"hints"}]}}"#,
        "bad-config",
        Some("config.layers"),
        "twice",
    ),
    (
        r#"{"cmd":"new","config":{"layers":[{"type":"tournament"},{"type":"nello"}]}}"#,
        "bad-config",
        Some("config.layers"),
        "excludes nello",
    ),
    (r#"{"cmd":"new","config":{"target":0}}"#, "bad-config", Some("config.target"), "1 to 100"),
    (r#"{"cmd":"new","config":{"target":65536}}"#, "bad-config", Some("config.target"), "u16"),
    (r#"{"cmd":"new","config":{"target":99999999999999999999999}}"#, "bad-config", Some("config.target"), "invalid"),
    (r#"{"cmd":"new","config":{"scoring":"pounds"}}"#, "bad-config", Some("config.scoring"), "pounds"),
    (r#"{"cmd":"new","config":{"seed":"two words"}}"#, "bad-config", Some("config.seed"), "1 to 48"),
    (r#"{"cmd":"new","config":{"shaker":4}}"#, "bad-config", Some("config.shaker"), "0 to 3"),
    (r#"{"cmd":"new","config":{"players":["human"]}}"#, "bad-config", Some("config.players"), "length"),
    (r#"{"cmd":"new","config":{"players":["human","ai","ai","dog"]}}"#, "bad-config", Some("config.players[3]"), "dog"),
    // Deals.
    (
        r#"{"cmd":"new","config":{"deals":[[[],[],[],[]]]}}"#,
        "bad-config",
        Some("config.deals"),
        "deal 1: seat 1 has 0 dominoes",
    ),
    (r#"{"cmd":"new","config":{"deals":[[[],[],[]]]}}"#, "bad-config", Some("config.deals[0]"), "length"),
    (r#"{"cmd":"new","config":{"deals":[[["6-7"],[],[],[]]]}}"#, "bad-config", Some("config.deals[0][0][0]"), "6-7"),
    (r#"{"cmd":"new","config":{"deals":[[["6-6","6-6"],[],[],[]]]}}"#, "bad-config", Some("config.deals[0][0]"), "6-6"),
    (TWICE, "bad-config", Some("config.deals"), "dealt twice"),
    // Actions.
    (r#"{"cmd":"apply"}"#, "bad-request", Some("action"), "missing"),
    (r#"{"cmd":"apply","action":"pass"}"#, "bad-request", Some("action"), "invalid"),
    (r#"{"cmd":"apply","action":{"type":"fold"}}"#, "bad-request", Some("action.type"), "fold"),
    (
        r#"{"cmd":"apply","action":{"type":"play","player":3,"domino":"9-9"}}"#,
        "bad-request",
        Some("action.domino"),
        "9-9",
    ),
    (
        r#"{"cmd":"apply","action":{"type":"bid","player":3,"bid":"points","value":300}}"#,
        "bad-request",
        Some("action.value"),
        "300",
    ),
    (r#"{"cmd":"apply","action":{"type":"undo","to":70000}}"#, "bad-request", Some("action.to"), "70000"),
    (r#"{"cmd":"apply","action":{"type":"pass","player":1}}"#, "refused", Some("action"), "seat 4's turn"),
    (
        r#"{"cmd":"apply","action":{"type":"bid","player":3,"bid":"points","value":255}}"#,
        "refused",
        Some("action"),
        "255",
    ),
    (r#"{"cmd":"apply","action":{"type":"undo","to":0}}"#, "refused", Some("action"), "only 0 events"),
    (r#"{"cmd":"apply","action":{"type":"score-hand"}}"#, "refused", Some("action"), "while the bidding is on"),
    (
        r#"{"cmd":"apply","action":{"type":"set-control","player":0,"controlType":"human"}}"#,
        "refused",
        Some("action"),
        "already",
    ),
    // Replays.
    (r#"{"cmd":"replay"}"#, "bad-request", Some("actions"), "missing"),
    (r#"{"cmd":"replay","actions":{}}"#, "bad-request", Some("actions"), "sequence"),
    (r#"{"cmd":"replay","actions":[{"type":"pass"}]}"#, "bad-request", Some("actions[0]"), "player"),
    (r#"{"cmd":"replay","actions":[{"type":"redeal"}]}"#, "refused", Some("actions[0]"), "cannot happen"),
    (r#"{"cmd":"replay","actions":[],"config":{"target":0}}"#, "bad-config", Some("config.target"), "1 to 100"),
    (r#"{"cmd":"replay","code":7}"#, "bad-request", Some("code"), "string"),
    (r#"{"cmd":"replay","code":""}"#, "bad-code", Some("code"), "not the code"),
    (r#"{"cmd":"replay","code":"aAAAAAAAA"}"#, "bad-code", Some("code"), "damaged"),
    (r#"{"cmd":"replay","code":"a","actions":[]}"#, "bad-request", Some("code"), "is enough"),
    (r#"{"cmd":"replay","code":"a","config":{}}"#, "bad-request", Some("config"), "its own configuration"),
    (r#"{"cmd":"replay","record":{}}"#, "bad-record", Some("record"), "version"),
    (r#"{"cmd":"replay","record":{"version":99}}"#, "bad-record", Some("record"), "version 99"),
    (r#"{"cmd":"replay","record":{"version":2,"config":{}}}"#, "bad-record", Some("record"), "actions"),
    (
        r#"{"cmd":"replay","record":{"version":2,"config":{"target":0},"actions":[]}}"#,
        "bad-config",
        Some("record"),
        "target",
    ),
    (
        r#"{"cmd":"replay","record":{"version":2,"config":{},"actions":[{"type":"redeal"}]}}"#,
        "bad-record",
        Some("record"),
        "event 0",
    ),
];

const TWICE: &str = r#"{"cmd":"new","config":{"deals":[[["0-0","1-0","1-1","2-0","2-1","2-2","3-0"],["0-0","3-1","3-2","3-3","4-0","4-1","4-2"],["4-3","4-4","5-0","5-1","5-2","5-3","5-4"],["5-5","6-0","6-1","6-2","6-3","6-4","6-5"]]]}}"#;

#[test]
fn an_invalid_line_gets_one_error_and_changes_nothing() {
    let mut conversation = Conversation::open();
    conversation.ask(&json!({ "cmd": "new", "config": { "seed": "game-1" } }));
    let hash = conversation.hash();
    let mut mismatches = Vec::new();
    for (line, code, field, message) in invalid_lines() {
        let answer: Value = serde_json::from_str(&conversation.say(&line)).unwrap();
        let error = &answer["error"];
        let as_expected = answer["ok"] == false
            && error["code"] == code
            && error.get("field").and_then(Value::as_str) == field
            && error["message"].as_str().is_some_and(|text| text.contains(message))
            && error.get("rule").is_some() == (code == "refused")
            && conversation.hash() == hash;
        if !as_expected {
            mismatches.push(format!("{}\n{answer}", String::from_utf8_lossy(&line[..line.len().min(200)])));
        }
    }
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
    assert_eq!(conversation.ask(&json!({ "cmd": "quit" })), json!({ "ok": true }));
    assert_eq!(conversation.close(), (String::new(), Some(0)));
}

#[test]
fn requests_before_a_game_are_refused() {
    let mut conversation = Conversation::open();
    let requests = [
        json!({ "cmd": "apply", "action": { "type": "pass", "player": 0 } }),
        json!({ "cmd": "legal" }),
        json!({ "cmd": "state" }),
        json!({ "cmd": "view", "seat": 0 }),
        json!({ "cmd": "record" }),
        json!({ "cmd": "code" }),
        json!({ "cmd": "explain" }),
    ];
    for request in requests {
        assert_eq!(conversation.ask(&request)["error"]["code"], "no-game", "{request}");
    }
    assert_eq!(conversation.ask(&json!({ "cmd": "new" }))["ok"], true);
}

#[test]
fn blank_lines_are_skipped_and_ids_are_returned() {
    let input = b"\n  \n\r\n{\"cmd\":\"new\",\"id\":[1,null]}\n\n{\"cmd\":\"nothing\",\"id\":\"a\"}\n{\"cmd\":\"quit\",\"id\":3}\n{\"cmd\":\"new\"}\n";
    let run = texas42(&["headless"], input);
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!([1, null]), &json!("a"), &json!(3)], "nothing is answered after quit");
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_last_line_without_a_newline_is_answered() {
    let run = texas42(&["headless"], b"{\"cmd\":\"new\"}");
    assert_eq!((run.stdout.lines().count(), run.code), (1, Some(0)));
}

#[test]
fn strict_mode_stops_at_the_first_invalid_line() {
    let run = texas42(&["headless", "--strict"], b"{\"cmd\":\"new\"}\n{\"cmd\":\"fold\"}\n{\"cmd\":\"quit\"}\n");
    assert_eq!((run.stdout.lines().count(), run.code), (2, Some(1)));
    assert_eq!(run.stderr, "error: the last line was invalid\n");
}

#[test]
fn metadata_in_an_action_is_dropped() {
    let mut conversation = Conversation::open();
    conversation.ask(&json!({ "cmd": "new", "config": { "seed": "game-1" } }));
    let forged = json!({ "type": "pass", "player": 3, "authority": "system", "autoExecute": true });
    assert_eq!(conversation.ask(&json!({ "cmd": "apply", "action": forged }))["ok"], true);
    let record = conversation.ask(&json!({ "cmd": "record" }));
    assert_eq!(record["record"]["actions"], json!([{ "type": "pass", "player": 3 }]));
}

/// A random choice, but only rarely a claim, which would end nearly every hand.
fn choose<'a>(legal: &'a [Value], random: &mut u64) -> &'a Value {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let number = (*random >> 33) as usize;
    let choice = &legal[number % legal.len()];
    if choice["type"] == "claim" && !number.is_multiple_of(40) { &legal[0] } else { choice }
}

#[test]
fn a_whole_game_over_the_pipe() {
    let mut conversation = Conversation::open();
    let config =
        json!({ "seed": "a-pipe", "layers": [{ "type": "nello" }, { "type": "splash" }, { "type": "hints" }] });
    let mut status = conversation.ask(&json!({ "cmd": "new", "config": config }));
    let mut random = 42;
    while !status["legal"].as_array().unwrap().is_empty() {
        let action = choose(status["legal"].as_array().unwrap(), &mut random).clone();
        let takes_trick = action["type"] == "complete-trick";
        status = conversation.ask(&json!({ "cmd": "apply", "action": action }));
        assert_eq!(status["ok"], true, "{action}: {status}");
        assert!(!takes_trick || status["trickWinner"].is_u64(), "{status}");
    }
    assert_eq!(status["phase"], "game-end");
    let winner = status["winner"].as_u64().unwrap() as usize;
    assert!(status["marks"][winner].as_u64().unwrap() >= 7, "{status}");
    let hash = conversation.hash();
    for source in ["record", "code"] {
        let game = conversation.ask(&json!({ "cmd": source }))[source].clone();
        conversation.ask(&json!({ "cmd": "new" }));
        let opened = conversation.ask(&json!({ "cmd": "replay", source: game }));
        assert_eq!((&opened["events"], conversation.hash()), (&status["events"], hash.clone()), "{source}");
    }
    assert_eq!(conversation.close(), (String::new(), Some(0)));
}
