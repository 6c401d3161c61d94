//! Records of older versions stay readable: a game in version 1 and its upgrade.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use support::*;
use texas42_engine::record::{Record, RecordError};
use texas42_vocab::Phase;

const OLD: &str = include_str!("fixtures/record-v1.json");
const NEW: &str = include_str!("fixtures/record-v1-upgraded.json");

/// A short complete game of version 1 replays to its end and equals its golden upgrade.
#[test]
fn version_1_is_upgraded() {
    let record = Record::from_json(OLD).unwrap();
    let game = record.replay(compose(&record.config)).unwrap();
    assert_eq!((game.state().phase, game.state().score), (Phase::GameEnd, [0, 2]));
    let written: serde_json::Value = serde_json::from_str(&Record::of(&game).to_json()).unwrap();
    let golden: serde_json::Value = serde_json::from_str(NEW).unwrap();
    assert_eq!(written, golden, "{written}");
}

#[test]
fn the_upgrade_is_a_record_of_the_current_version() {
    let record = Record::from_json(NEW).unwrap();
    let game = record.replay(compose(&record.config)).unwrap();
    assert_eq!(record, Record::of(&game));
    assert_eq!(record.actions, Record::from_json(OLD).unwrap().actions);
}

#[test]
fn rejects_invalid_records_with_a_reason() {
    let sentence = |text: &str| Record::from_json(text).unwrap_err().to_string();
    let cases = [
        (r#"{}"#, "the record cannot be read: version: a number is missing"),
        (r#"{"version":"2"}"#, "the record cannot be read: version: a number is missing"),
        (r#"{"version":3}"#, "the record has version 3, and versions 1 to 2 can be read"),
        (r#"{"version":1}"#, "the record cannot be read: version 1: variants is a list"),
        (r#"{"version":1,"variants":[]}"#, "the record cannot be read: version 1: history is a list"),
        (
            r#"{"version":1,"variants":[],"history":["0 sings"]}"#,
            r#"the record cannot be read: version 1: history: "0 sings" is not an event"#,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(sentence(text), expected);
    }
    for text in ["", "[", r#"{"version":2}"#, r#"{"version":1,"variants":["poker"],"history":[]}"#] {
        assert!(sentence(text).starts_with("the record cannot be read: "), "{text}");
    }
}

#[test]
fn rejects_too_many_events() {
    let events = vec![r#"{"type":"redeal"}"#; 16_385].join(",");
    let text = format!(r#"{{"version":2,"config":{{}},"actions":[{events}]}}"#);
    assert_eq!(Record::from_json(&text), Err(RecordError::TooLong(16_385)));
}

/// The error of a record with an illegal event or a failed checkpoint has its position.
#[test]
fn a_broken_record_reports_the_position() {
    let mut game = game(r#"{"seed":"broken"}"#);
    play_out(&mut game, &mut Rng::new(2));
    let good = Record::of(&game);
    let replay = |record: &Record| record.replay(compose(&record.config)).map(|_| ()).unwrap_err();

    let mut record = good.clone();
    record.checkpoints[0].hash ^= 1;
    assert_eq!(replay(&record), RecordError::Diverged { at: record.checkpoints[0].at });

    let mut record = good.clone();
    record.checkpoints[0].at = record.actions.len() + 1;
    assert_eq!(replay(&record), RecordError::Diverged { at: record.actions.len() + 1 });

    let mut record = good.clone();
    record.actions.insert(2, record.actions[0]);
    assert!(replay(&record).to_string().starts_with("event 2 cannot happen: it's seat "));

    let mut record = good;
    record.actions.truncate(50);
    assert!(matches!(replay(&record), RecordError::Diverged { .. }));
}
