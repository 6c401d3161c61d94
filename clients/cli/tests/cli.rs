//! The commands as a person runs them: their output and their errors.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use serde_json::{Value, json};
use support::{Conversation, assert_golden, json_of, texas42};

/// A file that lasts as long as the test.
struct TemporaryFile(std::path::PathBuf);

impl TemporaryFile {
    fn new(name: &str, text: &[u8]) -> Self {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The record and the code of a short game.
fn played() -> (Value, String) {
    let mut conversation = Conversation::open();
    let mut status = conversation.ask(&json!({ "cmd": "new", "config": { "seed": "game-1", "target": 1 } }));
    while let Some(first) = status["legal"].as_array().unwrap().iter().find(|action| action["type"] != "pass") {
        status = conversation.ask(&json!({ "cmd": "apply", "action": first }));
    }
    let record = conversation.ask(&json!({ "cmd": "record" }))["record"].clone();
    (record, conversation.ask(&json!({ "cmd": "code" }))["code"].as_str().unwrap().to_owned())
}

const TABLES: [(&str, &str); 2] = [
    ("straight", "{}"),
    (
        "house",
        r#"{"layers":[{"type":"nello","doubles":"low","lead":"left"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"},
            {"type":"forced-bid"},{"type":"speed"},{"type":"hints"},{"type":"consensus"},{"type":"one-hand","seed":"lesson-1"}]}"#,
    ),
];

#[test]
fn explain_prints_a_table() {
    for (name, config) in TABLES {
        let run = texas42(&["explain", "--config", "-"], config.as_bytes());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert_golden(&format!("clients/cli/tests/golden/explain-{name}.txt"), &run.stdout);
    }
}

#[test]
fn explain_without_a_configuration_explains_straight_42() {
    assert_eq!(texas42(&["explain"], b"").stdout, texas42(&["explain", "--config", "-"], b"{}").stdout);
}

#[test]
fn explain_fits_a_narrow_terminal() {
    let output = support::command(&["explain"]).env("COLUMNS", "60").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
}

#[test]
fn explain_as_json_agrees_with_the_table() {
    for (_, config) in TABLES {
        let table = texas42(&["explain", "--config", "-"], config.as_bytes()).stdout;
        let explanation = json_of(&texas42(&["explain", "--json", "--config", "-"], config.as_bytes()));
        let rulings = explanation["rulings"].as_array().unwrap();
        assert!(rulings.len() >= 16);
        for ruling in rulings {
            let [answer, layer] = ["answer", "decidedBy"].map(|key| ruling[key].as_str().unwrap());
            assert!(table.lines().any(|line| line.contains(answer) && line.ends_with(layer)), "{ruling}");
        }
    }
}

#[test]
fn simulate_is_deterministic() {
    let table = texas42(&["simulate", "--games", "200", "--seed", "same"], b"");
    assert_eq!(table.code, Some(0));
    assert!(table.stdout.starts_with("200 games, "), "{}", table.stdout);
    assert_eq!(texas42(&["simulate", "--games", "200", "--seed", "same"], b"").stdout, table.stdout);
    assert_ne!(texas42(&["simulate", "--games", "200", "--seed", "other"], b"").stdout, table.stdout);
    let args = ["simulate", "--games", "200", "--seed", "same", "--json"];
    let sum = json_of(&texas42(&args, b""));
    assert_eq!(json_of(&texas42(&args, b"")), sum);
    assert_eq!(sum["games"], 200);
    assert_eq!(sum["wins"][0].as_u64().unwrap() + sum["wins"][1].as_u64().unwrap(), 200);
    assert!(table.stdout.contains(&format!("{} actions", sum["actions"])));
}

#[test]
fn simulate_plays_a_configuration() {
    let config = TemporaryFile::new("simulate.json", br#"{"layers":[{"type":"nello"},{"type":"sevens"}],"target":2}"#);
    let sum = json_of(&texas42(&["simulate", "--games", "300", "--json", "--config", config.path()], b""));
    assert!(sum["contracts"]["nello"].is_object() && sum["contracts"]["sevens"].is_object(), "{sum}");
}

#[test]
fn simulate_takes_players() {
    let play = |players: &str| texas42(&["simulate", "--games", "20", "--players", players], b"");
    assert_eq!(play("random").stdout, texas42(&["simulate", "--games", "20"], b"").stdout);
    let table = play("beginner,random").stdout;
    assert!(table.starts_with("seat 1: beginner, seat 2: random, seat 3: beginner, seat 4: random\n"), "{table}");
    assert_eq!(play("beginner,random,beginner,random").stdout, table);
    let sum = json_of(&texas42(&["simulate", "--games", "20", "--players", "random,beginner", "--json"], b""));
    assert!(sum["wins"][1].as_u64().unwrap() > 15, "{sum}");
}

#[test]
fn replay_shows_a_record_and_a_code() {
    let (record, code) = played();
    let file = TemporaryFile::new("replay.json", record.to_string().as_bytes());
    let end = json_of(&texas42(&["replay", "--json", file.path()], b""));
    assert_eq!(end["hash"], record["checkpoints"].as_array().unwrap().last().unwrap()["hash"]);
    assert_eq!(end["view"]["state"]["phase"], "game-end");
    assert_eq!(json_of(&texas42(&["replay", "--json", "--code", &code], b"")), end);
    assert_eq!(json_of(&texas42(&["replay", "--json", "-"], record.to_string().as_bytes())), end);
    let run = texas42(&["replay", file.path()], b"");
    assert!(run.stderr.contains(&format!("the code of this game: {code}")), "{}", run.stderr);
}

#[test]
fn replay_shows_any_point_from_any_seat() {
    let (_, code) = played();
    let start = json_of(&texas42(&["replay", "--json", "--at", "0", "--code", &code], b""));
    assert_eq!((&start["at"], &start["view"]["state"]["phase"]), (&json!(0), &json!("bidding")));
    let hands = |view: &Value| -> Vec<usize> {
        let players = view["view"]["state"]["players"].as_array().unwrap();
        players.iter().map(|player| player["hand"].as_array().unwrap().len()).collect()
    };
    assert_eq!(hands(&start), [7; 4]);
    let later = json_of(&texas42(&["replay", "--json", "--at", "3", "--code", &code], b""));
    assert_eq!(later["view"]["state"]["events"], 3);
    // The older flag counts seats from 0.
    for seat in [["--viewer", "3"], ["--seat", "2"]] {
        let args = [&["replay", "--json", "--at", "0", "--code", &code][..], &seat].concat();
        assert_eq!(hands(&json_of(&texas42(&args, b""))), [0, 0, 7, 0]);
    }
    let log = texas42(&["replay", "--log", "--at", "3", "--code", &code], b"").stdout;
    assert_eq!(log, "    0  seat 4: bid 30\n    1  seat 1: bid 31\n    2  seat 2: bid 32\n");
}

#[test]
fn replay_draws_the_table() {
    let (_, code) = played();
    let draw = |args: &[&str]| texas42(&[&["replay", "--code", &code], args].concat(), b"").stdout;
    let drawings =
        [("bidding", draw(&["--at", "2"])), ("trick", draw(&["--at", "8", "--viewer", "2"])), ("end", draw(&[]))];
    for (name, drawing) in drawings {
        assert_golden(&format!("clients/cli/tests/golden/replay-{name}.txt"), &drawing);
    }
}

/// Asserts that the error is one line that contains these parts, without a backtrace, and that standard output is empty.
fn assert_refused(args: &[&str], input: &[u8], parts: &[&str]) {
    let run = texas42(args, input);
    assert_eq!(run.stdout, "", "{args:?}");
    assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("backtrace"), "{args:?}: {}", run.stderr);
    assert_eq!(run.code, Some(if run.stderr.contains("--help") { 2 } else { 1 }), "{args:?}: {}", run.stderr);
    for part in parts {
        assert!(run.stderr.contains(part), "{args:?}: {part:?} is not in {}", run.stderr);
    }
}

#[test]
fn an_invalid_input_is_reported_in_one_line() {
    let (mut record, code) = played();
    let missing = "no-such-file.json";
    for args in [&["explain", "--config", missing][..], &["simulate", "--config", missing], &["replay", missing]] {
        assert_refused(args, b"", &[missing, "cannot be opened"]);
    }
    assert_refused(&["explain", "--config", "-"], b"{", &["is not a configuration", "EOF"]);
    assert_refused(&["explain", "--config", "-"], b"[]", &["is not a configuration", "object"]);
    assert_refused(
        &["explain", "--config", "-"],
        br#"{"layers":[{"type":"hints"},{"type":"nell"}]}"#,
        &["layers[1]", "nell"],
    );
    assert_refused(&["explain", "--config", "-"], br#"{"target":"seven"}"#, &["target", "seven"]);
    assert_refused(
        &["explain", "--config", "-"],
        br#"{"layers":[{"type":"tournament"},{"type":"nello"}]}"#,
        &["layers: ", "nello"],
    );
    assert_refused(&["explain", "--config", "-"], b"\xff\xff", &["cannot be read", "UTF-8"]);
    assert_refused(&["replay", "--at", "99999", "--code", &code], b"", &["the game has only"]);
    assert_refused(&["replay", "--code", "nonsense"], b"", &["not the code of a game"]);
    assert_refused(&["replay", "--code", &code[..code.len() - 3]], b"", &["code"]);
    assert_refused(&["replay", "-"], b"{", &["the record cannot be read"]);
    assert_refused(&["replay", "-"], br#"{"version":2,"config":{}}"#, &["missing field `actions`"]);
    assert_refused(&["replay", "-"], br#"{"version":9}"#, &["version 9"]);
    record["actions"][4] = json!({ "type": "redeal" });
    assert_refused(&["replay", "-"], record.to_string().as_bytes(), &["event 4 cannot happen"]);
}

#[test]
fn usage_errors_name_the_argument() {
    assert_refused(&["replay", "--seat", "4", "--code", "a"], b"", &["--seat", "0 to 3", "--help"]);
    assert_refused(&["replay", "--seat", "north", "--code", "a"], b"", &["north", "0 to 3"]);
    assert_refused(&["replay", "--at", "soon", "--code", "a"], b"", &["--at", "soon"]);
    assert_refused(&["replay"], b"", &["RECORD"]);
    assert_refused(&["replay", "a.json", "--code", "a"], b"", &["cannot be used with"]);
    assert_refused(&["simulate", "--games", "0"], b"", &["--games"]);
    assert_refused(&["simulate", "--games", "99999999999999999999"], b"", &["--games"]);
    assert_refused(&["simulate", "--seed", "two words"], b"", &["--seed", "1 to 48"]);
    assert_refused(&["replay", "--viewer", "0", "--code", "a"], b"", &["--viewer", "1 to 4", "--help"]);
    assert_refused(&["replay", "--viewer", "1", "--seat", "0", "--code", "a"], b"", &["cannot be used with"]);
    assert_refused(&["seeds", "words", "--bidder", "5"], b"", &["--bidder", "1 to 4"]);
    assert_refused(&["seeds", "words", "--seat", "4"], b"", &["--seat", "0 to 3"]);
    assert_refused(&["simulate", "--players", "oracle"], b"", &["--players", "oracle"]);
    assert_refused(&["simulate", "--players", "random,random,random"], b"", &["one, two or four"]);
    assert_refused(&["review"], b"", &["RECORD"]);
    assert_refused(&["completions", "cmd"], b"", &["cmd", "bash"]);
    assert_refused(&["replay", "--color", "purple", "--code", "a"], b"", &["purple", "never"]);
    assert_refused(&["shuffle"], b"", &["shuffle"]);
}

#[test]
fn the_schema_is_json_and_names_the_messages() {
    let schema = json_of(&texas42(&["schema"], b""));
    for name in ["ClientMessage", "ServerMessage", "GameView", "Config"] {
        assert!(schema["properties"][name].is_object(), "{name}");
    }
}

/// Other people write clients from the schema: a change of it is a change of the protocol.
#[test]
fn the_published_schema_is_current() {
    assert_golden("docs/schema.json", &texas42(&["schema"], b"").stdout);
}

/// `head` closes the pipe before the output ends.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let (_, code) = played();
    let binary = support::TEXAS42;
    let explain = format!("echo '{{}}' | {binary} explain --config -");
    for command in [explain, format!("{binary} replay --log --code {code}"), format!("{binary} simulate --games 1")] {
        let output = std::process::Command::new("sh").args(["-c", &format!("{command} | head -n 0")]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{command}: {stderr}");
    }
}

#[test]
fn every_command_has_a_description() {
    let overview = texas42(&["--help"], b"").stdout;
    let commands = [
        ("headless", "JSON lines on standard input and output"),
        ("explain", "which layer of a configuration decides each rule"),
        ("simulate", "Play many games and print statistics"),
        ("replay", "Replay a recorded game or the code of a link"),
        ("verify-deal", "Check the proof that the deals"),
        ("schema", "JSON Schema of every message"),
    ];
    for (command, purpose) in commands {
        let help = texas42(&[command, "--help"], b"");
        assert!(help.stdout.contains(purpose) && help.code == Some(0), "{}", help.stdout);
        assert!(overview.contains(command), "{overview}");
    }
}
