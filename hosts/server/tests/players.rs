//! The commands about players: arena, calibrate, review, seeds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use serde_json::{Value, json};
use support::{Conversation, Run, texas42};

fn json_of(run: &Run) -> Value {
    assert_eq!(run.code, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// A report without what depends on the machine.
fn timeless(run: &Run) -> Value {
    let mut report = json_of(run);
    for pair in report.as_array_mut().unwrap() {
        pair.as_object_mut().unwrap().remove("millisecondsPerDecision");
    }
    report
}

#[test]
fn the_arena_plays_the_same_every_time_and_knows_who_is_better() {
    let args = ["arena", "beginner", "random", "--deals", "120", "--seed", "a-test", "--json"];
    let first = timeless(&texas42(&args, b""));
    assert_eq!(timeless(&texas42(&args, b"")), first);
    assert!(first[0]["marks"]["low"].as_f64().unwrap() > 0.5, "{first}");
    assert!(first[0]["z"].as_f64().unwrap() > 3.0);
}

#[test]
fn a_journal_is_gone_on_from_and_one_of_another_run_is_refused() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("arena-journal.jsonl");
    let _ = std::fs::remove_file(&path);
    let journal = path.to_str().unwrap();
    let args = |deals, seed| {
        [
            "arena",
            "random",
            "beginner",
            "--league",
            "games",
            "--deals",
            deals,
            "--seed",
            seed,
            "--journal",
            journal,
            "--json",
        ]
    };
    let whole = timeless(&texas42(&args("6", "j")[..9].iter().chain(&["--json"]).copied().collect::<Vec<_>>(), b""));
    timeless(&texas42(&args("3", "j"), b""));
    // The run was stopped in the middle of a line.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 20]).unwrap();
    assert_eq!(timeless(&texas42(&args("6", "j"), b"")), whole);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 8, "a heading, a broken line, six deals");
    let other = texas42(&args("6", "another"), b"");
    assert!(other.code == Some(1) && other.stderr.contains("another run"), "{other:?}");
    let rules = path.with_extension("rules.json");
    std::fs::write(&rules, r#"{"target":3}"#).unwrap();
    let other = texas42(&[&args("6", "j")[..], &["--config", rules.to_str().unwrap()]].concat(), b"");
    assert!(other.code == Some(1) && other.stderr.contains("another run"), "{other:?}");
    std::fs::remove_file(&rules).unwrap();
    // The first deal of other players went another way.
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once("\"courses\":[").unwrap();
    let (_, after) = after.split_once(',').unwrap();
    std::fs::write(&path, format!("{before}\"courses\":[7,{after}")).unwrap();
    let other = texas42(&args("6", "j"), b"");
    assert!(other.code == Some(1) && other.stderr.contains("another version of random or beginner"), "{other:?}");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_round_robin_has_every_pair_and_unknown_players_are_named() {
    let run = texas42(&["arena", "random", "beginner", "intermediate:2", "--deals", "2", "--json"], b"");
    let report = json_of(&run);
    let pairs: Vec<&Value> = report.as_array().unwrap().iter().map(|pair| &pair["players"]).collect();
    assert_eq!(
        pairs,
        [&json!(["random", "beginner"]), &json!(["random", "intermediate:2"]), &json!(["beginner", "intermediate:2"])]
    );
    let table = texas42(&["arena", "random", "beginner", "--deals", "2"], b"");
    assert!(table.stdout.contains("share of marks") && table.stdout.contains("a decision"), "{table:?}");
    let wrong = texas42(&["arena", "random", "grandmaster"], b"");
    assert!(wrong.code != Some(0) && wrong.stderr.contains("expert"), "{wrong:?}");
    for (player, said) in [("expert:0", "1 to"), ("expert:many", "1 to"), ("random:9", "does not look at worlds")] {
        let wrong = texas42(&["arena", "beginner", player], b"");
        assert!(wrong.code == Some(2) && wrong.stderr.contains(said), "{wrong:?}");
    }
}

#[test]
fn calibrate_counts_every_hand() {
    let report = json_of(&texas42(&["calibrate", "--deals", "16", "--player", "intermediate:3", "--json"], b""));
    let sum =
        |what: &str| report[what]["hands"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("points") + sum("everything"), 16);
    assert!((1..=16).contains(&sum("nothing")), "{report}");
    let passes = report["passes"].as_array().unwrap();
    assert!(!passes.is_empty() && passes.iter().all(|pass| pass["toSpeak"].is_u64()), "{report}");
}

/// The record of a short game in which everybody does the first thing that is offered.
fn record() -> String {
    let mut conversation = Conversation::open();
    let mut status = conversation.ask(&json!({ "cmd": "new", "config": { "seed": "review", "target": 1 } }));
    while let Some(first) = status["legal"].as_array().unwrap().iter().find(|action| action["type"] != "pass") {
        status = conversation.ask(&json!({ "cmd": "apply", "action": first }));
    }
    conversation.ask(&json!({ "cmd": "record" }))["record"].to_string()
}

#[test]
fn a_review_weighs_every_decision() {
    let record = record();
    let report = json_of(&texas42(&["review", "-", "--worlds", "6", "--json"], record.as_bytes()));
    let decisions = report["decisions"].as_array().unwrap();
    assert!(decisions.len() > 10);
    let plays = decisions.iter().filter(|decision| decision["done"]["type"] == "play");
    for play in plays {
        assert!(play["choices"].as_array().unwrap().iter().all(|choice| choice["open"]["made"].is_boolean()), "{play}");
    }
    let counted: u64 = report["seats"].as_array().unwrap().iter().map(|seat| seat["decisions"].as_u64().unwrap()).sum();
    assert_eq!(counted, decisions.len() as u64);
    assert_eq!(texas42(&["review", "-", "--worlds", "0"], record.as_bytes()).code, Some(2));
    let beyond = texas42(&["review", "-", "--hand", "99"], record.as_bytes());
    assert!(beyond.code == Some(1) && beyond.stderr.contains("its hands are 0 to"), "{beyond:?}");
    let text = texas42(&["review", "-", "--worlds", "6", "--hand", "0"], record.as_bytes());
    assert!(text.stdout.contains("marks given away") && text.stdout.contains("open:"), "{text:?}");
}

#[test]
fn seeds_are_as_hard_as_wanted_and_always_the_same() {
    let find = || texas42(&["seeds", "words", "--difficulty", "easy", "--count", "2", "--json"], b"");
    let found = json_of(&find());
    assert_eq!(json_of(&find()), found);
    assert!(found.as_array().unwrap().iter().all(|line| line["chance"].as_f64().unwrap() >= 0.75), "{found}");
    assert!(texas42(&["seeds", "words"], b"").stdout.starts_with("words-0-"));
    let wrong = texas42(&["seeds", "words", "--difficulty", "brutal"], b"");
    assert!(wrong.stderr.contains("easy, medium or hard"), "{wrong:?}");
}
