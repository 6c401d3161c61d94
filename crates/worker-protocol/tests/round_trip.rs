//! Each side reads what the other side writes, and rejects everything else.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use texas42_phrases::Remark;
use texas42_protocol::{ClientMessage, GameId, HandWitness};
use texas42_room::HeadlessRoom;
use texas42_vocab::{Config, Hand, Seat};
use texas42_worker_protocol::{Advice, BotSettings, FromWorker, ToWorker, Verdict};

fn game_id() -> GameId {
    GameId::try_from("abcdefgh").unwrap()
}

fn ping() -> String {
    serde_json::to_string(&ClientMessage::Ping { nonce: 7 }).unwrap()
}

fn witness() -> HandWitness {
    HandWitness {
        hand_number: 3,
        commitment: "c".to_owned(),
        share: "s".to_owned(),
        entropy: "e".to_owned(),
        dealt: [Hand::default(); 4],
    }
}

/// The message after `message`. The match makes sure that no variant is forgotten.
fn next_to_worker(message: Option<&ToWorker>) -> Option<ToWorker> {
    Some(match message {
        None => ToWorker::frame(ping()).unwrap(),
        Some(ToWorker::Frame(_)) => {
            ToWorker::ConfigureBots(BotSettings { least_wait: 1, most_wait: 2, level: "expert player".to_owned() })
        }
        Some(ToWorker::ConfigureBots(_)) => ToWorker::Export { game_id: game_id() },
        Some(ToWorker::Export { .. }) => ToWorker::Release,
        Some(ToWorker::Release) => ToWorker::Record { game_id: game_id() },
        Some(ToWorker::Record { .. }) => ToWorker::Verify { witnesses: vec![witness()] },
        Some(ToWorker::Verify { .. }) => {
            let room = HeadlessRoom::new(&Config::default()).unwrap();
            ToWorker::Advise { version: 9, seat: Seat::ALL[2], view: Box::new(room.view(Seat::ALL[2])) }
        }
        Some(ToWorker::Advise { .. }) => return None,
    })
}

fn next_from_worker(message: Option<&FromWorker>) -> Option<FromWorker> {
    Some(match message {
        None => FromWorker::frame(r#"{"type":"PONG","nonce":7}"#.to_owned()).unwrap(),
        Some(FromWorker::Frame(_)) => FromWorker::StorageUnavailable,
        Some(FromWorker::StorageUnavailable) => FromWorker::StorageFailed,
        Some(FromWorker::StorageFailed) => FromWorker::exported(vec!["[1]".to_owned(), "{}".to_owned()]).unwrap(),
        Some(FromWorker::Exported { .. }) => FromWorker::recorded(Some("{\"hands\":[]}".to_owned())).unwrap(),
        Some(FromWorker::Recorded { record: Some(_) }) => FromWorker::recorded(None).unwrap(),
        Some(FromWorker::Recorded { record: None }) => FromWorker::Verified(Verdict { checked: 2, wrong: vec![1] }),
        Some(FromWorker::Verified(_)) => {
            let advice = Advice { is_best: true, why: vec![Remark::DoubleWalks, Remark::CountToPartner { count: 10 }] };
            FromWorker::Advised { version: 9, advice: vec![advice] }
        }
        Some(FromWorker::Advised { .. }) => FromWorker::Unreadable { error: "expected value".to_owned() },
        Some(FromWorker::Unreadable { .. }) => return None,
    })
}

#[test]
fn messages_to_the_worker_round_trip() {
    let messages: Vec<ToWorker> =
        std::iter::successors(next_to_worker(None), |last| next_to_worker(Some(last))).collect();
    assert_eq!(messages.len(), 7);
    for message in messages {
        let read = ToWorker::read(&message.write()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
    }
}

#[test]
fn messages_from_the_worker_round_trip() {
    let messages: Vec<FromWorker> =
        std::iter::successors(next_from_worker(None), |last| next_from_worker(Some(last))).collect();
    assert_eq!(messages.len(), 9);
    for message in messages {
        let read = FromWorker::read(&message.write()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
    }
}

/// The table reads exactly the bytes that a WebSocket would carry.
#[test]
fn a_frame_is_passed_on_unchanged() {
    let Ok(ToWorker::Frame(frame)) = ToWorker::read(&ToWorker::frame(ping()).unwrap().write()) else {
        panic!("not a frame");
    };
    assert_eq!(frame.get(), ping());
}

#[test]
fn rejects_invalid_messages_with_a_reason() {
    for text in [
        "",
        "release",
        "pace 1 2 expert",
        "null",
        "{}",
        r#"{"dance":{}}"#,
        r#"{"export":{}}"#,
        r#"{"export":{"gameId":"no id!"}}"#,
        r#"{"record":{"gameId":3}}"#,
        r#"{"verify":{"witnesses":[{"handNumber":1}]}}"#,
        r#"{"advise":{"version":1,"seat":9,"view":{}}}"#,
        r#"{"advise":{"version":-1,"seat":0,"view":{}}}"#,
        r#""release" "release""#,
    ] {
        let error = ToWorker::read(text).expect_err(text);
        assert!(!error.to_string().is_empty(), "{text}");
    }
    for text in ["", "not-stored", "null", r#"{"verified":{"checked":1}}"#, r#"{"advised":{"version":1}}"#] {
        assert!(FromWorker::read(text).is_err(), "{text}");
    }
    assert!(ToWorker::frame("not JSON".to_owned()).is_err());
    assert!(FromWorker::frame("not JSON".to_owned()).is_err());
    assert!(FromWorker::exported(vec!["[1".to_owned()]).is_err());
}
