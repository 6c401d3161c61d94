//! The server is killed, or told to end, again and again while people play: everything that was acknowledged is there once, and clients
//! come back by themselves.
//!
//! `TEXAS42_KILLS=300 cargo test -p texas42-cli --test killed` kills more often.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]
#![cfg(unix)]

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use texas42_client::{Bot, Credentials, GameClient, Pace};
use texas42_conformance::{Line, native::SocketLine, player::seats, scratch::Scratch};
use texas42_protocol::{ServerMessage, TableOptions};
use texas42_server::{
    serve::{file_in, now, random},
    strategies,
};
use texas42_vocab::Config;

const TABLES: usize = 6;

fn kills() -> u64 {
    std::env::var("TEXAS42_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(25)
}

const TEXAS42: &str = env!("CARGO_BIN_EXE_texas42");

/// A server in a process of its own.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(data: &Scratch, address: &str) -> Self {
        let mut child = Command::new(TEXAS42)
            .args(["serve", "--listen", address, "--pace", "0", "--log", "error", "--data"])
            .arg(data.path())
            .args(["--address-tables", "100000", "--address-requests", "100000", "--messages", "100000"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.split("http://").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_else(|| panic!("{line:?}"));
        Self { address: address.parse().unwrap(), child }
    }

    fn kill(&mut self) {
        // SIGKILL: no signal handler, no destructor, nothing is flushed.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, in the middle of everything: it ends by itself and in order.
    fn end(&mut self) {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What the players have been told.
#[derive(Default)]
struct Told {
    /// Table, player and request to the version that it was acknowledged with.
    acknowledged: BTreeMap<(String, String, String), u64>,
    games: u64,
}

struct Load {
    address: Mutex<SocketAddr>,
    stops: AtomicBool,
    told: Mutex<Told>,
    comebacks: AtomicU64,
}

/// Somebody who plays, whatever happens to the line, and starts again when a game is over.
fn play(load: &Load) {
    let random_choice = strategies::by_name("random").unwrap();
    while !load.stops.load(Ordering::Relaxed) {
        let config = Config { players: seats("haaa"), target: Some(3), ..Config::default() };
        let table = TableOptions { pause: 0, ..TableOptions::default() };
        let entrance = Credentials::Create { config, table, name: "Ann".try_into().unwrap(), entropy: None };
        let mut bot = Bot::new(GameClient::new(entrance, random()), Pace::IMMEDIATE, 7);
        let mut line: Option<SocketLine> = None;
        loop {
            if let Some(at) = bot.client().connect_at() {
                if load.stops.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(at.saturating_sub(now()).min(30)));
                let address = *load.address.lock().unwrap();
                line =
                    SocketLine::open(address, "/api/ws").ok().map(|line| line.patient_for(Duration::from_millis(20)));
                match line {
                    Some(_) => bot.client_mut().handle_connected(now()),
                    None => bot.client_mut().handle_disconnected(now(), None),
                }
            }
            let Some(open) = line.as_mut() else { continue };
            while let Some(question) = bot.poll_question() {
                let action = random_choice(&question.view, question.seat, question.version);
                bot.handle_decision(now(), question.version, &action);
            }
            while let Some(frame) = bot.poll_frame() {
                open.send(&serde_json::to_string(&frame).unwrap());
            }
            match open.receive() {
                Some(value) => {
                    note(load, bot.client(), &value);
                    let message: ServerMessage = serde_json::from_value(value).unwrap();
                    bot.handle_message(now(), &message);
                }
                None if open.closed.is_some() => {
                    load.comebacks.fetch_add(1, Ordering::Relaxed);
                    line = None;
                    bot.client_mut().handle_disconnected(now(), None);
                }
                None => bot.handle_time(now()),
            }
            assert!(!bot.client().is_over(), "a client was refused: {:?}", bot.client().over());
            let is_over = bot.client().table().is_some_and(|(_, view)| view.state.phase.is_over());
            if is_over && !bot.client().is_waiting() {
                load.told.lock().unwrap().games += 1;
                break;
            }
            let may_stop = load.stops.load(Ordering::Relaxed) && !bot.client().is_waiting();
            if may_stop && bot.client().is_joined() {
                return;
            }
        }
    }
}

/// Remembers what was acknowledged, and that the same request was never acknowledged as something else.
fn note(load: &Load, client: &GameClient, message: &Value) {
    let (Some(request), Some(version)) = (message["ack"]["requestId"].as_str(), message["ack"]["version"].as_u64())
    else {
        return;
    };
    let (game, player) = (client.game_id().unwrap().to_string(), client.player_id().unwrap().to_string());
    let mut told = load.told.lock().unwrap();
    let before = told.acknowledged.insert((game, player, request.to_owned()), version);
    assert!(before.is_none_or(|before| before == version), "{request} was first {before:?} and then {version}");
}

#[test]
fn what_was_acknowledged_is_there_once_after_every_kill() {
    let data = Scratch::new();
    let mut process = Process::start(&data, "127.0.0.1:0");
    let load = Arc::new(Load {
        address: Mutex::new(process.address),
        stops: AtomicBool::new(false),
        told: Mutex::default(),
        comebacks: AtomicU64::new(0),
    });
    let players: Vec<_> = (0..TABLES)
        .map(|_| {
            let load = Arc::clone(&load);
            std::thread::spawn(move || play(&load))
        })
        .collect();
    for kill in 0..kills() {
        // Killed at any moment: at the start, in the middle of a commit, long after.
        let acknowledged = || load.told.lock().unwrap().acknowledged.len();
        let (before, wanted) = (acknowledged(), (kill % 4) as usize * 15);
        while acknowledged() < before + wanted {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(kill * 7919 % 20_000));
        if kill % 5 == 4 {
            process.end();
        } else {
            process.kill();
        }
        process = Process::start(&data, &process.address.to_string());
    }
    load.stops.store(true, Ordering::Relaxed);
    for player in players {
        player.join().expect("a player came through");
    }
    process.kill();
    check(&data, &load);
}

/// Reads the journal with nothing of the server's own, and compares.
fn check(data: &Scratch, load: &Load) {
    let file = rusqlite::Connection::open(file_in(data.path())).unwrap();
    let intact: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(intact, "ok");
    let mut rows = file
        .prepare("SELECT games.id, log.events FROM log JOIN games ON games.number = log.game ORDER BY log.number")
        .unwrap();
    let rows = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let mut versions: BTreeMap<String, u64> = BTreeMap::new();
    let mut stored: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for (game, events) in rows.map(Result::unwrap) {
        for event in serde_json::from_str::<Vec<Value>>(&events).unwrap() {
            let version = versions.entry(game.clone()).or_default();
            *version += 1;
            let event = &event["event"];
            if let (Some(by), Some(request)) = (event["by"].as_str(), event["requestId"].as_str()) {
                let key = (game.clone(), by.to_owned(), request.to_owned());
                assert!(stored.insert(key, *version).is_none(), "{request} was done twice");
            }
        }
    }
    let told = load.told.lock().unwrap();
    for (request, version) in &told.acknowledged {
        assert_eq!(stored.get(request), Some(version), "{request:?} was acknowledged and is lost");
    }
    let tables: BTreeSet<&String> = told.acknowledged.keys().map(|(game, ..)| game).collect();
    println!(
        "{} kills, {} acknowledged requests at {} tables, {} stored, {} games, {} comebacks",
        kills(),
        told.acknowledged.len(),
        tables.len(),
        stored.len(),
        told.games,
        load.comebacks.load(Ordering::Relaxed)
    );
    assert!(told.acknowledged.len() > 100 && load.comebacks.load(Ordering::Relaxed) > 10);
}
