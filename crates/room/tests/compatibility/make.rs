//! Generates the fixtures. They are generated once per format and then kept, so this test runs only on request and
//! writes to another folder:
//!
//! ```text
//! FIXTURES=/tmp/fixtures cargo test -p texas42-room --test compatibility -- --ignored make_fixtures
//! ```

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::{Value, json};
use texas42_engine::state_hash;
use texas42_protocol::{GameId, SecretKey};
use texas42_room::{ConnectionId, Effect, HeadlessRoom, ImportedTable, NewTable, RandomPlayer, Room};
use texas42_vocab::{Config, Layer, Phase};

use crate::support::*;

struct Folder {
    path: PathBuf,
    expected: BTreeMap<&'static str, Value>,
}

impl Folder {
    fn write(&self, name: &str, text: &str) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes the log of a table, and notes its expected state.
    fn keep(&mut self, name: &'static str, host: &Host, invites: &[(ConnectionId, SecretKey)]) {
        let lines: Vec<String> = host.log.iter().map(|stored| serde_json::to_string(stored).unwrap()).collect();
        self.write(&format!("tables/{name}.jsonl"), &(lines.join("\n") + "\n"));
        let state = host.room.state();
        let people = host.keys.iter().filter(|(connection, _)| **connection < 10);
        let mut expected = json!({
            "gameId": host.room.id(), "version": host.version(), "phase": host.phase(),
            "hash": state.map(|state| format!("{:016x}", state_hash(state))),
            "score": state.map(|state| state.score),
            "keys": people.collect::<BTreeMap<_, _>>(),
        });
        if !invites.is_empty() {
            expected["invites"] = json!(invites.iter().cloned().collect::<BTreeMap<_, _>>());
        }
        self.expected.insert(name, expected);
    }
}

#[test]
#[ignore = "fixtures are made once and kept"]
fn make_fixtures() {
    let path = PathBuf::from(std::env::var_os("FIXTURES").expect("FIXTURES names the folder to write to"));
    let mut folder = Folder { path, expected: BTreeMap::new() };
    gathering(&mut folder);
    mid_auction(&mut folder);
    mid_trick(&mut folder);
    between_hands(&mut folder);
    rematch_finished(&mut folder);
    seeded_finished(&mut folder);
    daily(&mut folder);
    device_and_imported(&mut folder);
    codes(&mut folder);
    let expected = serde_json::to_string_pretty(&folder.expected).unwrap();
    folder.write("expected.json", &(expected + "\n"));
}

/// People join with invites of every role; one invite is revoked, one is open, and Ann is ready.
fn gathering(folder: &mut Folder) {
    let config = json!({ "players": ["human", "human", "ai", "ai"], "target": 2 });
    let mut host = Host::new(&config, &json!({ "ready": true, "openHands": true, "hints": true, "pause": 500 }));
    let bob = host.invite(&json!({ "role": "player", "seat": 1 }));
    for grant in [json!({ "role": "coach", "seat": 0 }), json!({ "role": "admin" }), json!({ "role": "student" })] {
        host.invite(&grant);
    }
    let watch = host.invite(&json!({ "role": "spectator", "delayHands": 1 }));
    host.say(ANN, json!({ "type": "INVITE", "requestId": "revoke", "revoke": 2 }));
    host.join(EVE, &watch, json!({ "name": "Eve" }));
    host.seat_bots();
    host.say(ANN, json!({ "type": "READY", "requestId": "ready-1" }));
    folder.keep("gathering", &host, &[(BOB, bob)]);
}

/// Four people in the middle of the auction, with secret deals, a time limit and a spectator.
fn mid_auction(folder: &mut Folder) {
    let table = json!({ "openToSpectators": true, "turnSeconds": 60, "rated": true });
    let mut host = Host::seated(4, json!({ "target": 1 }), &table);
    let watch = host.invite(&json!({ "role": "spectator" }));
    host.join(EVE, &watch, json!({ "name": "Eve" }));
    host.wait(1_500);
    host.step(&mut RandomPlayer::new(2));
    host.step(&mut RandomPlayer::new(2));
    assert_eq!(host.phase(), Phase::Bidding);
    folder.keep("mid-auction", &host, &[]);
}

/// A person and three bots in the middle of a trick, with public deals; an admin sees the bots' reasons.
fn mid_trick(folder: &mut Folder) {
    let table = json!({ "deal": "seeded", "openHands": true, "hints": true, "pause": 10 });
    let mut host = Host::seated(1, json!({ "seed": "fixture", "target": 1 }), &table);
    let admin = host.invite(&json!({ "role": "admin" }));
    host.join(EVE, &admin, json!({ "name": "Eve" }));
    let mut random = RandomPlayer::new(4);
    while !(host.phase() == Phase::Playing && host.room.state().is_some_and(|state| state.trick.len() == 2)) {
        match host.acting_bot() {
            Some((seat, action)) => {
                let intent = match host.phase() {
                    Phase::Bidding => "At best about 24 points: not enough.",
                    Phase::TrumpSelection => "Fives look best, about 31 points.",
                    _ => "Throws the 6-4, worth 10 count, on partner's trick; 71 % to make it.",
                };
                host.act_with_intent(bot(seat.index()), action, intent);
            }
            None => host.step(&mut random),
        }
    }
    folder.keep("mid-trick", &host, &[]);
}

/// Two people and two bots after a hand, with an undo and a seat that was handed over and taken back.
fn between_hands(folder: &mut Folder) {
    let layers = ["nello", "plunge", "splash", "sevens"].map(|name| json!({ "type": name }));
    let mut host = Host::seated(2, json!({ "layers": layers, "target": 7 }), &json!({ "pause": 5_000 }));
    let mut random = RandomPlayer::new(6);
    host.play_until(&mut random, |host| host.phase() == Phase::Playing);
    host.undo(ANN, 2);
    host.undo(BOB, 2);
    host.set_control(BOB, 1, "ai");
    host.seat_bots();
    host.step(&mut random);
    host.set_control(BOB, 1, "human");
    host.followers.remove(&bot(1));
    host.play_until(&mut random, |host| host.phase() == Phase::Scoring);
    folder.keep("between-hands", &host, &[]);
    let stores = host.effects.iter().filter_map(|effect| match effect {
        Effect::Store(events) => Some(events),
        _ => None,
    });
    let mut first = 0;
    let rows: Vec<Value> = stores
        .map(|events| {
            let row = json!([first, serde_json::to_string(events).unwrap()]);
            first += events.len();
            row
        })
        .collect();
    folder.write("edge-rows.json", &(serde_json::to_string_pretty(&rows).unwrap() + "\n"));
}

/// The second game of a table with secret deals is over; a player left before it.
fn rematch_finished(folder: &mut Folder) {
    let mut host = Host::seated(3, json!({ "target": 1 }), &json!({ "pause": 100, "turnSeconds": 30 }));
    let mut random = RandomPlayer::new(8);
    host.play_to_the_end(&mut random);
    host.say(CID, json!({ "type": "GIVE_UP_SEAT", "requestId": "leave" }));
    host.followers.remove(&CID);
    host.keys.remove(&CID);
    host.seat_bots();
    host.say(ANN, json!({ "type": "REMATCH", "requestId": "again", "entropy": "ann-again" }));
    host.play_until(&mut random, |host| host.phase() == Phase::Playing);
    host.wait(31_000);
    host.seat_bots();
    host.play_to_the_end(&mut random);
    folder.keep("rematch-finished", &host, &[]);
    folder.write("records/secret.json", &(host.room.record().unwrap() + "\n"));
}

/// A game with public deals is over.
fn seeded_finished(folder: &mut Folder) {
    let config = json!({ "seed": "fixture", "target": 1, "layers": [{ "type": "forced-bid" }] });
    let mut host = Host::seated(1, config, &json!({ "deal": "seeded", "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(3));
    folder.keep("seeded-finished", &host, &[]);
    folder.write("records/seeded.json", &(host.room.record().unwrap() + "\n"));
}

/// A daily challenge whose deal was chosen for its difficulty.
fn daily(folder: &mut Folder) {
    let layer = json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy", "deal": 3 });
    let mut host = Host::seated(1, json!({ "layers": [layer] }), &json!({ "deal": "seeded", "pause": 0 }));
    host.play_until(&mut RandomPlayer::new(5), |host| host.phase() == Phase::Playing);
    folder.keep("daily", &host, &[]);
}

/// A game on a person's device, and the same game after it was imported and continued.
fn device_and_imported(folder: &mut Folder) {
    let key = SecretKey::new([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    let mut create = create_game(&json!({ "players": people(1), "target": 7 }), &json!({ "pause": 0 }));
    create["sessionKey"] = json!(key);
    let mut host = Host::created(&create, [5; 32]);
    host.keys.insert(ANN, key.clone());
    host.seat_bots();
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| host.room.state().is_some_and(|state| state.trick.len() == 3));
    folder.keep("device", &host, &[]);
    let row = |(number, stored)| json!([[host.room.id(), number], serde_json::to_string(stored).unwrap()]);
    let rows: Vec<Value> = host.log.iter().enumerate().map(row).collect();
    folder.write("browser-rows.json", &(serde_json::to_string_pretty(&rows).unwrap() + "\n"));

    let new = NewTable { id: GameId::try_from("here").unwrap(), randomness: [77; 32], connection: ANN };
    let imported = ImportedTable { request_id: None, log: host.log.clone() };
    let room = Room::adopt(9_000, new, &key, &imported).unwrap_or_else(|answer| panic!("{answer:?}"));
    let mut host = Host::of(room, 9_000, Vec::new());
    host.keys.insert(ANN, key);
    host.seat_bots();
    host.step(&mut random);
    host.step(&mut random);
    folder.keep("brought", &host, &[]);
}

/// A game under each layer, and one in its first auction, as codes for links.
fn codes(folder: &mut Folder) {
    let code_after = |layers: &[Layer], actions: usize| {
        let mut config: Config = serde_json::from_value(json!({ "seed": "fixture", "target": 2 })).unwrap();
        config.layers = layers.to_vec();
        let mut game = HeadlessRoom::new(&config).unwrap();
        let mut random = RandomPlayer::new(9);
        for _ in 0..actions {
            let legal: Vec<_> = game.legal().iter().collect();
            if legal.is_empty() {
                break;
            }
            game.execute(legal[random.below(legal.len() as u64) as usize]).unwrap();
        }
        json!({ "code": game.code(), "hash": format!("{:016x}", state_hash(game.state())) })
    };
    let mut codes: BTreeMap<String, Value> =
        Layer::every().iter().map(|layer| (layer.name().to_owned(), code_after(&[*layer], 5_000))).collect();
    codes.insert("no layers".to_owned(), code_after(&[], 5_000));
    codes.insert("first bid".to_owned(), code_after(&[], 1));
    folder.write("codes.json", &(serde_json::to_string_pretty(&codes).unwrap() + "\n"));
}
