//! What earlier versions stored still opens: tables in the form of each host, and records of games.
//!
//! The files beside this one were written once by the version that their README names, and they never change.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
#![expect(clippy::disallowed_methods, reason = "fixtures are files")]

#[path = "../support/mod.rs"]
mod support;

mod make;

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde::Deserialize;
use serde_json::json;
use support::*;
use texas42_engine::state_hash;
use texas42_protocol::{GameId, SecretKey};
use texas42_room::{
    ConnectionId, Event, FairRecord, HeadlessRoom, ImportedTable, NewTable, RandomPlayer, Room, StoredEvent,
};
use texas42_vocab::Phase;

/// The expected state of a stored table, and its keys.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    game_id: GameId,
    version: u64,
    phase: Phase,
    /// The hash of the engine's state, 16 hexadecimal digits. Absent before the first deal.
    hash: Option<String>,
    score: Option<[u32; 2]>,
    /// The keys of the sessions, by connection.
    keys: BTreeMap<ConnectionId, SecretKey>,
    /// The keys of open invites to a seat, by the connection that uses them.
    #[serde(default)]
    invites: BTreeMap<ConnectionId, SecretKey>,
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/compatibility").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn expected() -> BTreeMap<String, Expected> {
    serde_json::from_str(&text("expected.json")).unwrap()
}

/// A log as JSON lines, one event per line.
fn log(name: &str) -> Vec<StoredEvent> {
    text(&format!("tables/{name}.jsonl")).lines().map(|line| texas42_protocol::read(line).unwrap()).collect()
}

/// Restores a table from its log and checks its state.
fn opened(name: &str, expected: &Expected, log: Vec<StoredEvent>) -> Host {
    let now = log.last().unwrap().at;
    let room = Room::restore(now, expected.game_id.clone(), &[8; 32], &log).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!((room.version(), room.phase()), (expected.version, expected.phase), "{name}");
    let state = room.state();
    assert_eq!(state.map(|state| format!("{:016x}", state_hash(state))), expected.hash, "{name}");
    assert_eq!(state.map(|state| state.score.map(u32::from)), expected.score, "{name}");
    Host::of(room, now, log)
}

/// Everybody reconnects, the game is played to its end, and a rematch starts.
fn play_on(host: &mut Host, expected: &Expected) {
    for (connection, key) in expected.keys.iter().chain(&expected.invites) {
        let replies = host.join(*connection, key, json!({ "name": "Again" }));
        assert_eq!(tags(&replies).first().map(String::as_str), Some("JOINED"), "{replies:?}");
    }
    host.seat_bots();
    if host.phase() == Phase::Setup {
        for connection in expected.keys.keys().chain(expected.invites.keys()) {
            host.say(*connection, json!({ "type": "READY", "requestId": "ready" }));
        }
    }
    let mut random = RandomPlayer::new(1);
    host.play_to_the_end(&mut random);
    let replies = host.say(ANN, json!({ "type": "REMATCH", "requestId": "once-more" }));
    assert!(ack(&replies).is_some(), "{replies:?}");
    host.play_until(&mut random, |host| host.phase() == Phase::Playing || host.phase().is_over());
}

#[test]
fn every_stored_table_opens_and_can_be_continued() {
    let expected = expected();
    assert_eq!(expected.len(), fs::read_dir(path("tables")).unwrap().count(), "each table is listed");
    for (name, expected) in &expected {
        play_on(&mut opened(name, expected, log(name)), expected);
    }
}

/// Each table represents a case; without it, the test would prove less.
#[test]
fn the_stored_tables_cover_their_cases() {
    let has = |name: &str, is_it: fn(&Event) -> bool| log(name).iter().any(|stored| is_it(&stored.event));
    let acted = |name: &str, word: &str| text(&format!("tables/{name}.jsonl")).contains(word);
    assert!(has("gathering", |event| matches!(event, Event::Revoked { .. })));
    assert!(has("gathering", |event| matches!(event, Event::Ready { .. })));
    assert!(has("mid-auction", |event| matches!(event, Event::Joined { entropy: Some(_), .. })));
    assert!(has("mid-trick", |event| matches!(event, Event::Acted { intent: Some(_), .. })));
    assert!(acted("mid-trick", r#""deal":"seeded""#) && acted("mid-auction", r#""deal":"secret""#));
    assert!(has("between-hands", |event| matches!(event, Event::UndoAsked { .. })));
    assert!(acted("between-hands", r#"{"type":"undo""#) && acted("between-hands", r#"{"type":"set-control""#));
    assert!(has("rematch-finished", |event| matches!(event, Event::Rematch { .. })));
    assert!(has("rematch-finished", |event| matches!(event, Event::Left { .. })));
    assert!(acted("brought", r#""brought":true"#) && acted("daily", r#""deal":"#));
}

/// A stored daily challenge keeps its rule: the hand ends when it is decided, and its stars are those of its own thresholds.
#[test]
fn a_stored_daily_challenge_ends_early_and_counts_its_own_stars() {
    let expected = &expected()["daily"];
    // Random games with no star, with one and with two.
    for (seed, expected_stars) in [(1, 0), (84, 1), (458, 2)] {
        let mut host = opened("daily", expected, log("daily"));
        host.join(ANN, &expected.keys[&ANN], json!({ "name": "Again" }));
        host.seat_bots();
        assert_eq!(host.view(ANN).state.challenge.unwrap().star_thresholds, [25, 35, 42]);
        host.play_to_the_end(&mut RandomPlayer::without_claims(seed));
        let view = host.view(ANN);
        let [ours, theirs] = view.state.points;
        let stars = [25, 35, 42].into_iter().filter(|least| ours >= *least).count();
        assert_eq!(stars, expected_stars, "{ours} points");
        assert_eq!(view.metadata.result.as_ref().unwrap().stars.map(usize::from), Some(stars));
        // Ann has bid 41, so two points of the others decide the hand.
        assert!(theirs > 1 && ours + theirs < 42, "{ours} and {theirs} points");
    }
}

/// IndexedDB stores one row per event, keyed by the id of the table and the index of the event.
#[test]
fn the_rows_of_a_browser_open() {
    let expected = &expected()["device"];
    let rows: Vec<(serde_json::Value, String)> = serde_json::from_str(&text("browser-rows.json")).unwrap();
    let in_order = |(number, (key, _)): (usize, &(serde_json::Value, String))| {
        assert_eq!(*key, json!([expected.game_id, number]));
    };
    rows.iter().enumerate().for_each(in_order);
    let log = rows.iter().map(|(_, row)| texas42_protocol::read(row).unwrap()).collect();
    play_on(&mut opened("browser-rows.json", expected, log), expected);
}

/// A Durable Object stores one row per write: the index of the first event, and the events as a JSON list.
#[test]
fn the_rows_of_a_durable_object_open() {
    let expected = &expected()["between-hands"];
    let rows: Vec<(u64, String)> = serde_json::from_str(&text("edge-rows.json")).unwrap();
    let mut log: Vec<StoredEvent> = Vec::new();
    for (first, events) in &rows {
        assert_eq!(*first, log.len() as u64);
        log.extend(serde_json::from_str::<Vec<StoredEvent>>(events).unwrap());
    }
    play_on(&mut opened("edge-rows.json", expected, log), expected);
}

#[test]
fn a_game_on_a_device_can_be_imported() {
    let expected = &expected()["device"];
    let new = NewTable { id: GameId::try_from("here").unwrap(), randomness: [77; 32], connection: ANN };
    let import =
        format!(r#"{{"requestId":"1","log":[{}]}}"#, text("tables/device.jsonl").trim_end().replace('\n', ","));
    let imported: ImportedTable = serde_json::from_str(&import).unwrap();
    let room = Room::adopt(9_000, new, &expected.keys[&ANN], &imported).unwrap_or_else(|answer| panic!("{answer:?}"));
    assert_eq!(room.state().map(|state| format!("{:016x}", state_hash(state))), expected.hash);
    let mut host = Host::of(room, 9_000, Vec::new());
    host.seat_bots();
    host.play_to_the_end(&mut RandomPlayer::new(1));
}

#[test]
fn records_are_readable_and_still_valid() {
    let fair = FairRecord::from_json(&text("records/secret.json")).unwrap();
    assert_eq!(fair.verify(), Ok(fair.deals.len()));
    assert_eq!((fair.game_number, fair.before.is_some()), (1, true), "the second game of its table");
    for name in ["secret", "seeded"] {
        let room = HeadlessRoom::from_record(&text(&format!("records/{name}.json"))).unwrap();
        assert!(room.game().state().phase.is_over(), "{name}");
    }
}

/// A code of the first format leads to its game, and the game to a code of today that leads to the same game.
#[test]
fn codes_in_links_still_lead_to_their_games() {
    let codes: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&text("codes.json")).unwrap();
    assert!(codes.len() > 10);
    for (name, kept) in &codes {
        let game = HeadlessRoom::from_code(&kept["code"]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(format!("{:016x}", state_hash(game.state())), kept["hash"], "{name}");
        let again = HeadlessRoom::from_code(&game.code()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.record(), game.record(), "{name}");
    }
}

/// Links of the first version that had them, with the hash of the resulting state. Never change these texts.
#[test]
fn replay_links_still_lead_to_their_games() {
    let code = "aSC6av6HBlWTGZYJU0QtunGJmk_zmOHgncOJkBKcbYQKw5hfv8QZ-TxUTUVQNQ0I";
    for link in [format!("#replay/{code}"), format!("https://example.org/#replay/{code}")] {
        let game = HeadlessRoom::from_link(&link).unwrap_or_else(|error| panic!("{link}: {error}"));
        assert_eq!(format!("{:016x}", state_hash(game.state())), "c2bc50c8e21ef8e4", "{link}");
        let again = game.result().unwrap().replay_link.unwrap();
        assert_eq!(HeadlessRoom::from_link(&again).unwrap().state(), game.state(), "{again}");
    }
}
