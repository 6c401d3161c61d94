//! `examples/verify_deal.py`, which shares no code with the project, verifies finished games as the room does.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use texas42_room::{FairRecord, RandomPlayer};

use crate::support::*;

/// The verdict about a record; `None` if Python 3.10 or later is not installed.
fn verdict(record: &str) -> Option<(bool, String)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut python = Command::new("python3");
    python.current_dir(top).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let new_enough = Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status();
    if !new_enough.is_ok_and(|status| status.success()) {
        println!("skipped: Python 3.10 or later is not installed");
        return None;
    }
    let mut running = python.args(["examples/verify_deal.py", "-"]).spawn().unwrap();
    running.stdin.take().unwrap().write_all(record.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8(text).unwrap()))
}

pub(crate) fn assert_fair(record: &FairRecord, remark: &str) {
    record.verify().unwrap();
    let Some((is_fair, text)) = verdict(&json!(record).to_string()) else { return };
    assert!(is_fair && text.contains(remark), "{text}");
}

/// A finished second game of two people, with an undo in it.
fn record() -> FairRecord {
    let mut host = Host::seated(2, json!({ "target": 1 }), &json!({ "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(6));
    host.say(BOB, json!({ "type": "REMATCH", "requestId": "again", "entropy": "fresh" }));
    host.play_until(&mut RandomPlayer::new(6), |host| host.view(ANN).state.events > 9);
    for connection in [ANN, BOB] {
        host.undo(connection, 5);
    }
    host.play_to_the_end(&mut RandomPlayer::new(7));
    host.room.fair_record().unwrap()
}

#[test]
fn the_second_verifier_checks_every_deal_and_the_first_shaker() {
    let record = record();
    assert!(record.proves_shaker() && record.before.is_some() && record.game_number == 1);
    assert_fair(&record, &format!("seat {} shook first, drawn from the same", record.shaker.unwrap().index() + 1));
}

#[test]
fn the_second_verifier_reads_records_of_earlier_versions() {
    let old = FairRecord::from_json(include_str!("../compatibility/records/secret.json")).unwrap();
    assert_fair(&old, "as earlier versions did");
}

#[test]
fn the_second_verifier_detects_a_shaker_named_by_the_rules() {
    let mut host = Host::seated(2, json!({ "target": 1, "shaker": 2 }), &json!({ "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(6));
    assert_fair(&host.room.fair_record().unwrap(), "the rules named seat 3 as the first shaker");
}

#[test]
fn the_second_verifier_rejects_what_the_room_rejects() {
    let record = json!(record());
    let forgeries: [(&str, Value); 7] = [
        ("/secret", json!("00".repeat(32))),
        ("/secretCommitment", json!("00".repeat(32))),
        ("/handCommitments/0", json!("00".repeat(32))),
        ("/entropy/0", json!("eve")),
        ("/gameNumber", json!(2)),
        ("/shaker", json!((record["shaker"].as_u64().unwrap() + 1) % 4)),
        (
            "/deals/0",
            json!([record["deals"][0][1], record["deals"][0][0], record["deals"][0][2], record["deals"][0][3]]),
        ),
    ];
    for (path, value) in forgeries {
        let mut forged = record.clone();
        *forged.pointer_mut(path).unwrap() = value;
        let text = forged.to_string();
        assert!(FairRecord::from_json(&text).and_then(|record| record.verify()).is_err(), "{path}");
        if let Some((is_fair, text)) = verdict(&text) {
            assert!(!is_fair && text.starts_with("no: "), "{path}: {text}");
        }
    }
}
