//! Each side reads what the other side writes, and rejects everything else.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use texas42_phrases::Remark;
use texas42_protocol::{
    ClientMessage, DrawWitness, GameId, HandWitness,
    review::{
        BidGrid, ChartPoint, GridCell, GridRow, LinePlay, MoveClass, OpenResult, PunishedLine, ReviewedChoice,
        ReviewedDecision, ReviewedHand, SeatAccuracy,
    },
};
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, Bid, Config, Hand, Scoring, Seat, Trump};
use texas42_worker_protocol::{
    ActionAdvice, DealVerification, FromStudyWorker, FromWorker, OfflineBotSettings, ReplayFault, ReviewPart,
    ToStudyWorker, ToWorker,
};

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

fn draw() -> DrawWitness {
    DrawWitness { commitment: "c".to_owned(), secret: "s".to_owned(), entropy: "e".to_owned(), shaker: Seat::ALL[1] }
}

/// The message after `message`. The match makes sure that no variant is forgotten.
fn next_to_worker(message: Option<&ToWorker>) -> Option<ToWorker> {
    Some(match message {
        None => ToWorker::Frame { channel: 1, text: ping() },
        Some(ToWorker::Frame { .. }) => ToWorker::ConfigureBots(OfflineBotSettings {
            min_delay: 1,
            max_delay: 2,
            level: "expert player".to_owned(),
        }),
        Some(ToWorker::ConfigureBots(_)) => ToWorker::Export { game_id: game_id() },
        Some(ToWorker::Export { .. }) => ToWorker::Release,
        Some(ToWorker::Release) => ToWorker::Record { game_id: game_id() },
        Some(ToWorker::Record { .. }) => ToWorker::Verify { witnesses: vec![witness()], draw: Some(draw()) },
        Some(ToWorker::Verify { .. }) => {
            let room = HeadlessRoom::new(&Config::default()).unwrap();
            ToWorker::Advise { version: 9, seat: Seat::ALL[2], view: Box::new(room.view(Seat::ALL[2])) }
        }
        Some(ToWorker::Advise { .. }) => return None,
    })
}

fn next_from_worker(message: Option<&FromWorker>) -> Option<FromWorker> {
    Some(match message {
        None => FromWorker::Frame { channel: 3, text: r#"{"type":"PONG","nonce":7}"#.to_owned() },
        Some(FromWorker::Frame { .. }) => FromWorker::StorageUnavailable,
        Some(FromWorker::StorageUnavailable) => FromWorker::StorageFailed,
        Some(FromWorker::StorageFailed) => FromWorker::Exported { log: vec!["[1]".to_owned(), "{}".to_owned()] },
        Some(FromWorker::Exported { .. }) => FromWorker::Recorded { record: Some("{\"hands\":[]}".to_owned()) },
        Some(FromWorker::Recorded { record: Some(_) }) => FromWorker::Recorded { record: None },
        Some(FromWorker::Recorded { record: None }) => {
            FromWorker::Verified(DealVerification { checked: 2, wrong: vec![1], shaker: Some(true) })
        }
        Some(FromWorker::Verified(_)) => {
            let advice =
                ActionAdvice { is_best: true, why: vec![Remark::DoubleWalks, Remark::CountToPartner { count: 10 }] };
            FromWorker::Advised { version: 9, advice: vec![advice] }
        }
        Some(FromWorker::Advised { .. }) => FromWorker::Unreadable { error: "expected value".to_owned() },
        Some(FromWorker::Unreadable { .. }) => return None,
    })
}

fn next_to_study_worker(message: Option<&ToStudyWorker>) -> Option<ToStudyWorker> {
    Some(match message {
        None => ToStudyWorker::Replay { code: "bAAA".to_owned(), step: 3, viewer: Some(Seat::ALL[1]) },
        Some(ToStudyWorker::Replay { .. }) => ToStudyWorker::Review { code: "bAAA".to_owned(), from_start: true },
        Some(ToStudyWorker::Review { .. }) => ToStudyWorker::Grid { code: "bAAA".to_owned(), event: 2 },
        Some(ToStudyWorker::Grid { .. }) => {
            ToStudyWorker::Line { code: "bAAA".to_owned(), event: 2, action: Action::Pass { player: Seat::ALL[1] } }
        }
        Some(ToStudyWorker::Line { .. }) => return None,
    })
}

fn next_from_study_worker(message: Option<&FromStudyWorker>) -> Option<FromStudyWorker> {
    Some(match message {
        None => {
            let view = Box::new(HeadlessRoom::new(&Config::default()).unwrap().view(Seat::ALL[3]));
            FromStudyWorker::Replayed { step: 2, steps: 40, viewer: None, view }
        }
        Some(FromStudyWorker::Replayed { .. }) => FromStudyWorker::Reviewed(Box::new(review_part())),
        Some(FromStudyWorker::Reviewed(_)) => FromStudyWorker::Grid { grid: Some(grid()), total: 9 },
        Some(FromStudyWorker::Grid { .. }) => {
            let plays = vec![LinePlay { seat: Seat::ALL[2], domino: "5-0".parse().unwrap() }];
            let line = PunishedLine { plays, result: OpenResult { made: true, points: Some(31) }, punished: false };
            FromStudyWorker::Line { event: 9, action: Action::Pass { player: Seat::ALL[1] }, line: Some(line) }
        }
        Some(FromStudyWorker::Line { .. }) => FromStudyWorker::NotReplayed(ReplayFault::LaterRules),
        Some(FromStudyWorker::NotReplayed(_)) => FromStudyWorker::Unreadable { error: "expected value".to_owned() },
        Some(FromStudyWorker::Unreadable { .. }) => return None,
    })
}

fn grid() -> BidGrid {
    let cell = GridCell { bid: Bid::points(31), chance: 0.25, marks: -0.5, legal: true };
    let rows =
        vec![GridRow { trump: Some(Trump::Fives), cells: vec![cell] }, GridRow { trump: None, cells: vec![cell] }];
    BidGrid { event: 2, rows, worlds: 100 }
}

fn review_part() -> ReviewPart {
    let done = Action::Bid { player: Seat::ALL[0], bid: Bid::points(30) };
    let open = Some(OpenResult { made: false, points: Some(29) });
    let choice = ReviewedChoice {
        action: done,
        chance: 0.5,
        marks: -0.25,
        behind: 0.125,
        error: 0.03125,
        points: Some(30.5),
        class: MoveClass::Mistake,
        open,
    };
    let decision = ReviewedDecision {
        event: 3,
        hand_number: 0,
        seat: Seat::ALL[0],
        done,
        best: Action::Pass { player: Seat::ALL[0] },
        class: MoveClass::Mistake,
        why: vec![Remark::NothingPays],
        choices: vec![choice, ReviewedChoice { points: None, open: None, class: MoveClass::OnlyMove, ..choice }],
        regret: 0.25,
        turned: true,
        punished: Some(true),
        worlds: 100,
        exact: false,
    };
    let point = ChartPoint { event: 3, action: done, tricks: 0, bidder: Seat::ALL[0], chance: 0.75, open: false };
    let hand = ReviewedHand { hand_number: 0, made: Some(false), chart: vec![point], turning_point: Some(3) };
    let seat = SeatAccuracy { decisions: 1, accuracy: Some(62.5), ..SeatAccuracy::default() };
    ReviewPart {
        done: 4,
        total: 40,
        scoring: Scoring::Marks,
        events: vec![0, 1, 2],
        decision: Some(decision),
        hand: Some(hand),
        seats: [seat, SeatAccuracy::default(), seat, seat],
    }
}

#[test]
fn messages_of_the_worker_that_studies_a_game_round_trip() {
    let sent: Vec<ToStudyWorker> =
        std::iter::successors(next_to_study_worker(None), |last| next_to_study_worker(Some(last))).collect();
    assert_eq!(sent.len(), 4);
    for message in sent {
        let read = ToStudyWorker::read(&message.write()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
    }
    let answers: Vec<FromStudyWorker> =
        std::iter::successors(next_from_study_worker(None), |last| next_from_study_worker(Some(last))).collect();
    assert_eq!(answers.len(), 6);
    for message in answers {
        let read = FromStudyWorker::read(&message.write()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
    }
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
    let sent = " { \"type\": \"PING\",\n\"nonce\":\"\\u00e9\" }";
    let message = ToWorker::Frame { channel: 0, text: sent.to_owned() };
    let Ok(ToWorker::Frame { text, .. }) = ToWorker::read(&message.write()) else {
        panic!("not a frame");
    };
    assert_eq!(text, sent);
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
        r#"{"replay":{"code":"bAAA","step":1,"viewer":null}}"#,
        r#""release" "release""#,
    ] {
        let error = ToWorker::read(text).expect_err(text);
        assert!(!error.to_string().is_empty(), "{text}");
    }
    for text in [
        r#"{"replay":{"code":"bAAA","step":-1,"viewer":null}}"#,
        r#"{"replay":{"code":"bAAA","step":1,"viewer":4}}"#,
        r#""release""#,
    ] {
        assert!(ToStudyWorker::read(text).is_err(), "{text}");
    }
    for text in ["", "not-stored", "null", r#"{"verified":{"checked":1}}"#, r#"{"advised":{"version":1}}"#] {
        assert!(FromWorker::read(text).is_err(), "{text}");
    }
}
