//! The commands about players: arena, calibrate, review, seeds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use serde_json::{Value, json};
use support::{Conversation, Run, assert_golden, json_of, texas42};

/// A report without times, which depend on the machine.
fn report_without_times(run: &Run) -> Value {
    let mut report = json_of(run);
    for pair in report.as_array_mut().unwrap() {
        pair.as_object_mut().unwrap().remove("millisecondsPerDecision");
    }
    report
}

#[test]
fn the_arena_is_deterministic_and_finds_the_better_player() {
    let args = ["arena", "beginner", "random", "--deals", "120", "--seed", "a-test", "--json"];
    let first = report_without_times(&texas42(&args, b""));
    assert_eq!(report_without_times(&texas42(&args, b"")), first);
    assert!(first[0]["marks"]["low"].as_f64().unwrap() > 0.5, "{first}");
    assert!(first[0]["z"].as_f64().unwrap() > 3.0);
}

#[test]
fn a_journal_is_continued_and_one_of_another_run_is_refused() {
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
    let whole = report_without_times(&texas42(
        &args("6", "j")[..9].iter().chain(&["--json"]).copied().collect::<Vec<_>>(),
        b"",
    ));
    report_without_times(&texas42(&args("3", "j"), b""));
    // The run was stopped in the middle of a line.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 20]).unwrap();
    assert_eq!(report_without_times(&texas42(&args("6", "j"), b"")), whole);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 7, "a heading and six deals; the broken line is cut off");
    let other = texas42(&args("6", "another"), b"");
    assert!(other.code == Some(1) && other.stderr.contains("another run"), "{other:?}");
    let rules = path.with_extension("rules.json");
    std::fs::write(&rules, r#"{"target":3}"#).unwrap();
    let other = texas42(&[&args("6", "j")[..], &["--config", rules.to_str().unwrap()]].concat(), b"");
    assert!(other.code == Some(1) && other.stderr.contains("another run"), "{other:?}");
    std::fs::remove_file(&rules).unwrap();
    // Change the first, the middle or the last deal, as if another version of a player had written it. Line 0 is the heading.
    for (line, deal) in [(1, 0), (3, 2), (6, 5)] {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (before, after) = lines[line].split_once("\"courses\":[").unwrap();
        lines[line] = format!("{before}\"courses\":[7,{}", after.split_once(',').unwrap().1);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let other = texas42(&args("6", "j"), b"");
        let said = format!("another version of random or beginner: deal {} now plays differently", deal + 1);
        assert!(other.code == Some(1) && other.stderr.contains(&said), "{other:?}");
    }
    // Two runs at once would mix their lines.
    std::fs::write(&path, &text).unwrap();
    let held = std::fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let other = texas42(&args("6", "j"), b"");
    assert!(other.code == Some(1) && other.stderr.contains("another run writes to it"), "{other:?}");
    held.unlock().unwrap();
    // An unreadable journal is refused and left unchanged.
    let wrong = [
        (text.replacen("\"deal\":2", "\"deal\":", 1).into_bytes(), "line 4, is not a deal"),
        ([text.as_bytes(), b"\xff"].concat(), "cannot be read"),
        (b"Dear diary".to_vec(), "another run: Dear diary"),
    ];
    for (bytes, said) in wrong {
        std::fs::write(&path, &bytes).unwrap();
        let other = texas42(&args("6", "j"), b"");
        assert!(other.code == Some(1) && other.stderr.contains(said) && other.stderr.contains(journal), "{other:?}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "and it is left alone");
    }
    std::fs::remove_file(&path).unwrap();
}

/// A file with rules, for one test.
fn rules(name: &str, rules: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, rules).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn rules_that_fix_the_deal_are_refused() {
    let play = |path: &str| {
        texas42(&["arena", "random", "beginner", "--deals", "2", "--league", "games", "--config", path], b"")
    };
    let seeded = rules("arena-seeded.json", r#"{"layers":[{"type":"one-hand","seed":"always"}]}"#);
    let pip = |high: u8| (0..=high).map(move |low| format!("{high}-{low}"));
    let dominoes: Vec<String> = (0..=6).flat_map(pip).collect();
    let deal: Vec<&[String]> = dominoes.chunks(7).collect();
    let dealt = rules("arena-dealt.json", &json!({ "deals": [deal] }).to_string());
    let daily = rules("arena-daily.json", r#"{"layers":[{"type":"daily-challenge","date":"2026-01-15"}]}"#);
    for path in [seeded, dealt, daily] {
        let refused = play(&path);
        assert!(refused.code == Some(1) && refused.stderr.contains("name the deal"), "{refused:?}");
    }
    let open = rules("arena-one-hand.json", r#"{"layers":[{"type":"one-hand"}]}"#);
    assert_eq!(play(&open).code, Some(0));
}

#[test]
fn one_deal_has_a_wide_interval() {
    let config = rules("arena-one-mark.json", r#"{"target":1}"#);
    let args = ["arena", "beginner", "beginner", "--deals", "1", "--league", "games", "--config", &config];
    let table = texas42(&args, b"").stdout;
    assert!(table.starts_with("beginner against beginner, 1 deal, played twice"), "{table}");
    assert!(table.contains(" 50.0 %  [5.5, 94.5]"), "{table}");
}

/// As the help says, an expert with fewer than 29 worlds plays nothing out. It then plays as the sampler does, so both games of a
/// deal are the same.
#[test]
fn an_expert_with_few_worlds_plays_nothing_out() {
    let played_alike = |worlds: u32| {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arena-{worlds}.jsonl"));
        let _ = std::fs::remove_file(&path);
        let [one, other] = ["expert", "sampler"].map(|name| format!("{name}:{worlds}"));
        let args = ["arena", &one, &other, "--deals", "6", "--journal", path.to_str().unwrap()];
        assert_eq!(texas42(&args, b"").code, Some(0));
        let text = std::fs::read_to_string(&path).unwrap();
        let mut deals = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
        deals.all(|deal| deal["pair"]["courses"][0] == deal["pair"]["courses"][1])
    };
    assert!(played_alike(28) && !played_alike(29));
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
    for (player, said) in [("expert:0", "1 to"), ("expert:many", "1 to"), ("random:9", "samples no worlds")] {
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

/// The record of a short game in which `pick` chooses every action until it returns `None`.
fn record_of(mut pick: impl FnMut(&[Value]) -> Option<Value>) -> String {
    let mut conversation = Conversation::open();
    let mut status = conversation.ask(&json!({ "cmd": "new", "config": { "seed": "review", "target": 1 } }));
    while let Some(action) = pick(status["legal"].as_array().unwrap()) {
        status = conversation.ask(&json!({ "cmd": "apply", "action": action }));
        assert_eq!(status["ok"], true, "{status}");
    }
    conversation.ask(&json!({ "cmd": "record" }))["record"].to_string()
}

/// The first legal action other than a pass.
fn first(legal: &[Value]) -> Option<Value> {
    legal.iter().find(|action| action["type"] != "pass").cloned()
}

fn record() -> String {
    record_of(first)
}

/// The decisions of a quick review.
fn decisions(record: &str) -> Vec<Value> {
    let report = json_of(&texas42(&["review", "-", "--worlds", "6", "--json"], record.as_bytes()));
    report["decisions"].as_array().unwrap().clone()
}

fn choice<'a>(decision: &'a Value, action: &Value) -> &'a Value {
    let choices = decision["choices"].as_array().unwrap();
    choices.iter().find(|choice| choice["action"] == *action).unwrap_or_else(|| panic!("{action} in {decision}"))
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
    let beyond = texas42(&["review", "-", "--only-hand", "99"], record.as_bytes());
    assert!(beyond.code == Some(1) && beyond.stderr.contains("its hands are 1 to"), "{beyond:?}");
    assert_eq!(texas42(&["review", "-", "--only-hand", "0"], record.as_bytes()).code, Some(2));
    let text = texas42(&["review", "-", "--worlds", "6", "--hand", "0"], record.as_bytes());
    assert_eq!(texas42(&["review", "-", "--worlds", "6", "--only-hand", "1"], record.as_bytes()).stdout, text.stdout);
    assert!(text.stdout.starts_with("seat  decisions"), "the summary comes first: {text:?}");
    assert!(text.stdout.contains("\nhand 1, event 0: seat "), "{text:?}");
    assert!(text.stdout.contains("marks given away") && text.stdout.contains("open:"), "{text:?}");
}

#[test]
fn the_choice_that_was_made_is_weighed_with_hands_closed_and_open() {
    let absurd = |legal: &[Value]| legal.iter().find(|action| action["trump"] == "fours").cloned();
    let all = decisions(&record_of(|legal| absurd(legal).or_else(|| first(legal))));
    for decision in &all {
        let (done, best) = (choice(decision, &decision["done"]), choice(decision, &decision["best"]));
        let given_away = best["marks"].as_f64().unwrap() - done["marks"].as_f64().unwrap();
        assert!((decision["regret"].as_f64().unwrap() - given_away.max(0.0)).abs() < 1e-9, "{decision}");
        assert!(done["open"]["made"].is_boolean() && done["open"]["points"].is_u64(), "{decision}");
    }
    // An expert would not consider fours.
    let named = all.iter().find(|decision| decision["done"]["type"] == "select-trump").unwrap();
    assert_eq!(named["choices"].as_array().unwrap().len(), 9, "{named}");
    assert!(named["regret"].as_f64().unwrap() > 0.5, "{named}");
    let bid = all.iter().find(|decision| decision["done"]["type"] == "bid").unwrap();
    let made = |choice: &Value| choice["open"]["points"].as_u64() >= choice["action"]["value"].as_u64();
    let points = |choice: &&Value| choice["action"]["bid"] == "points";
    let bids: Vec<&Value> = bid["choices"].as_array().unwrap().iter().filter(points).collect();
    assert!(bids.len() == 12 && bids.iter().all(|choice| choice["open"]["made"] == made(choice)), "{bid}");
}

#[test]
fn the_choice_that_was_made_is_shown_however_bad_it_was() {
    let mut calls = 0;
    let record = record_of(|legal| {
        calls += 1;
        // The highest bid, the last trump, and no more.
        legal.last().filter(|_| calls <= 5).cloned()
    });
    let text = texas42(&["review", "-", "--worlds", "6"], record.as_bytes()).stdout;
    let blocks = text.lines().filter(|line| line.starts_with("hand ")).count();
    assert!(blocks > 1 && text.lines().filter(|line| line.starts_with("  > ")).count() == blocks, "{text}");
}

#[test]
fn a_claim_that_fails_is_a_decision_and_can_turn_a_hand() {
    let report = review_of_a_claim(|plays| plays > 0);
    let claim = claim_in(&report);
    let done = choice(claim, &claim["done"]);
    assert!(done["chance"] == 0.0 && done["open"]["made"] == false && claim["turned"] == true, "{claim}");
    assert!(claim["class"] == "mistake" && claim["punished"] == true, "{claim}");
    assert_eq!(report["turningPoints"], json!([claim["event"]]));
}

#[test]
fn a_claim_is_weighed_against_the_only_legal_play() {
    let report = review_of_a_claim(|plays| plays == 1);
    let claim = claim_in(&report);
    assert_eq!(claim["choices"].as_array().unwrap().len(), 2, "{claim}");
    let [done, best] = ["done", "best"].map(|which| choice(claim, &claim[which]));
    assert!(best["action"]["type"] == "play" && best["open"]["points"].is_u64(), "{claim}");
    assert!(done["chance"] == 0.0 && best["chance"].as_f64().unwrap() > 0.0, "{claim}");
}

/// Reviews a game with a claim, which is made as soon as `is_time` accepts the number of legal plays.
fn review_of_a_claim(is_time: impl Fn(usize) -> bool) -> Value {
    let is = |kind: &'static str| move |action: &&Value| action["type"] == kind;
    let record = record_of(|legal| {
        let claim = legal.iter().find(is("claim"));
        claim.filter(|_| is_time(legal.iter().filter(is("play")).count())).cloned().or_else(|| first(legal))
    });
    json_of(&texas42(&["review", "-", "--worlds", "50", "--json"], record.as_bytes()))
}

fn claim_in(report: &Value) -> &Value {
    let mut decisions = report["decisions"].as_array().unwrap().iter();
    decisions.find(|decision| decision["done"]["type"] == "claim").unwrap()
}

#[test]
fn undone_events_are_not_reviewed() {
    let mut events = 0;
    let record = record_of(|legal| {
        events += 1;
        // Eight events, the last three taken back, and one more.
        match events {
            9 => Some(json!({ "type": "undo", "to": 5 })),
            11.. => None,
            _ => first(legal),
        }
    });
    let seen: Vec<u64> = decisions(&record).iter().map(|decision| decision["event"].as_u64().unwrap()).collect();
    assert_eq!(seen, [0, 1, 2, 3, 4, 9], "{record}");
}

#[test]
fn a_review_looks_at_a_hundred_worlds_by_default() {
    let mut events = 0;
    let record = record_of(|legal| {
        events += 1;
        first(legal).filter(|_| events <= 6)
    });
    let with = |args: &[&str]| json_of(&texas42(&[&["review", "-", "--json"], args].concat(), record.as_bytes()));
    assert_eq!(with(&[]), with(&["--worlds", "100", "--seed", "0"]));
    assert_ne!(with(&[])["decisions"], with(&["--seed", "1"])["decisions"]);
    assert_ne!(with(&[])["decisions"], with(&["--worlds", "50"])["decisions"]);
}

/// Classes, errors, reasons, the punished line and the chart of a hand, as text.
#[test]
fn a_reviewed_hand_reads_like_this() {
    let code = "aSenyngE-40rg8N-erZke88Wzr4fAFcQ";
    let review = texas42(&["review", "--worlds", "20", "--code", code], b"");
    assert_golden("clients/cli/tests/golden/review-hand.txt", &review.stdout);
    let worst = ["mistake", "blunder"].iter().any(|class| review.stdout.contains(class));
    assert!(worst && review.stdout.contains("too close to call"), "{review:?}");
}

#[test]
fn a_review_takes_a_code() {
    let code = "aSenyngE-40rg8N-erZke88Wzr4fAFcQ";
    let review = texas42(&["review", "--worlds", "6", "--code", code], b"");
    assert!(review.code == Some(0) && review.stdout.contains("seat 2: call fives"), "{review:?}");
}

#[test]
fn seeds_count_seats_from_one() {
    let find = |seat: &[&str]| texas42(&[&["seeds", "words", "--difficulty", "medium"], seat].concat(), b"").stdout;
    assert_eq!(find(&["--bidder", "3"]), find(&["--seat", "2"]));
    assert_eq!(find(&["--bidder", "1"]), find(&[]));
}

#[test]
fn seeds_have_the_wanted_difficulty_and_are_deterministic() {
    let find = || texas42(&["seeds", "words", "--difficulty", "easy", "--count", "2", "--json"], b"");
    let found = json_of(&find());
    assert_eq!(json_of(&find()), found);
    assert!(found.as_array().unwrap().iter().all(|line| line["chance"].as_f64().unwrap() >= 0.75), "{found}");
    assert!(texas42(&["seeds", "words"], b"").stdout.starts_with("words-0-"));
    let wrong = texas42(&["seeds", "words", "--difficulty", "brutal"], b"");
    assert!(wrong.stderr.contains("easy, medium or hard"), "{wrong:?}");
}
