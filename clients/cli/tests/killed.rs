//! Kills or terminates the server again and again while people play. Every acknowledged request is stored exactly once, and
//! clients reconnect by themselves.
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
use texas42_client::{Bot, ClientCore, Credentials, Pace};
use texas42_conformance::{Connection, native::SocketConnection, player::seats, scratch::Scratch, wait::wait_until};
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

/// A server in a separate process.
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

    /// Sends SIGTERM; the server shuts down by itself.
    fn terminate(&mut self) {
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

/// What the players have observed.
#[derive(Default)]
struct Observed {
    /// The version with which each request was acknowledged, by table, player and request.
    acknowledged: BTreeMap<(String, String, String), u64>,
    games: u64,
}

struct Load {
    address: Mutex<SocketAddr>,
    is_stopping: AtomicBool,
    observed: Mutex<Observed>,
    reconnects: AtomicU64,
}

/// Plays game after game, and reconnects when the connection is lost.
fn play(load: &Load) {
    let random_choice = strategies::by_name("random").unwrap();
    while !load.is_stopping.load(Ordering::Relaxed) {
        let config = Config { players: seats("haaa"), target: Some(3), ..Config::default() };
        let table = TableOptions { pause: 0, ..TableOptions::default() };
        let name = "Ann".try_into().unwrap();
        let credentials = Credentials::Create { config, table, name, role: None, seat: None, entropy: None };
        let mut bot = Bot::new(ClientCore::new(credentials, random()), Pace::IMMEDIATE, 7);
        let mut line: Option<SocketConnection> = None;
        loop {
            if let Some(at) = bot.client().connect_at() {
                if load.is_stopping.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(at.saturating_sub(now()).min(30)));
                let address = *load.address.lock().unwrap();
                line = SocketConnection::open(address, "/api/ws")
                    .ok()
                    .map(|connection| connection.with_receive_timeout(Duration::from_millis(20)));
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
                    load.reconnects.fetch_add(1, Ordering::Relaxed);
                    line = None;
                    bot.client_mut().handle_disconnected(now(), None);
                }
                None => bot.handle_time(now()),
            }
            assert!(!bot.client().is_over(), "a client was refused: {:?}", bot.client().over());
            let is_over = bot.client().table().is_some_and(|(_, view)| view.state.phase.is_over());
            if is_over && !bot.client().is_waiting() {
                load.observed.lock().unwrap().games += 1;
                break;
            }
            let may_stop = load.is_stopping.load(Ordering::Relaxed) && !bot.client().is_waiting();
            if may_stop && bot.client().is_joined() {
                return;
            }
        }
    }
}

/// Records an acknowledgement, and asserts that the same request was not acknowledged with another version before.
fn note(load: &Load, client: &ClientCore, message: &Value) {
    let (Some(request), Some(version)) = (message["ack"]["requestId"].as_str(), message["ack"]["version"].as_u64())
    else {
        return;
    };
    let (game, player) = (client.game_id().unwrap().to_string(), client.player_id().unwrap().to_string());
    let mut observed = load.observed.lock().unwrap();
    let before = observed.acknowledged.insert((game, player, request.to_owned()), version);
    assert!(before.is_none_or(|before| before == version), "{request} was first {before:?} and then {version}");
}

#[test]
fn acknowledged_requests_are_stored_once_after_every_kill() {
    let data = Scratch::new();
    let mut process = Process::start(&data, "127.0.0.1:0");
    let load = Arc::new(Load {
        address: Mutex::new(process.address),
        is_stopping: AtomicBool::new(false),
        observed: Mutex::default(),
        reconnects: AtomicU64::new(0),
    });
    let players: Vec<_> = (0..TABLES)
        .map(|_| {
            let load = Arc::clone(&load);
            std::thread::spawn(move || play(&load))
        })
        .collect();
    for kill in 0..kills() {
        // Vary the moment: right after the start, during a commit, long after.
        let acknowledged = || load.observed.lock().unwrap().acknowledged.len();
        let (before, wanted) = (acknowledged(), (kill % 4) as usize * 15);
        wait_until("acknowledgements", || acknowledged() >= before + wanted);
        std::thread::sleep(Duration::from_micros(kill * 7919 % 20_000));
        if kill % 5 == 4 {
            process.terminate();
        } else {
            process.kill();
        }
        process = Process::start(&data, &process.address.to_string());
    }
    load.is_stopping.store(true, Ordering::Relaxed);
    for player in players {
        player.join().expect("a player came through");
    }
    process.kill();
    check(&data, &load);
}

/// Reads the database without code of the server, and compares it with the acknowledgements.
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
                assert!(stored.insert(key, *version).is_none(), "{request} was executed twice");
            }
        }
    }
    let observed = load.observed.lock().unwrap();
    for (request, version) in &observed.acknowledged {
        assert_eq!(stored.get(request), Some(version), "{request:?} was acknowledged and is lost");
    }
    let tables: BTreeSet<&String> = observed.acknowledged.keys().map(|(game, ..)| game).collect();
    println!(
        "{} kills, {} acknowledged requests at {} tables, {} stored, {} games, {} reconnects",
        kills(),
        observed.acknowledged.len(),
        tables.len(),
        stored.len(),
        observed.games,
        load.reconnects.load(Ordering::Relaxed)
    );
    assert!(observed.acknowledged.len() > 100 && load.reconnects.load(Ordering::Relaxed) > 10);
}
