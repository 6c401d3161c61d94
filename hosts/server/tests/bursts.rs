//! Tests bursts of joins: nobody at the table is disconnected, and every bot keeps moving. The players read nothing until
//! everybody has joined, so the results do not depend on timing.

#![allow(clippy::unwrap_used, reason = "a failing test should panic where it fails")]

use std::net::SocketAddr;

use serde_json::json;
use texas42_conformance::{
    Connection, Host,
    native::{Native, http},
    player::{Player, grant, play_until, seat_grant, seats},
};
use texas42_protocol::{Role, SecretKey, TableOptions};
use texas42_vocab::Config;

/// The number of threads that send requests.
const THREADS: usize = 12;

/// Joins `count` visitors over HTTP, from several threads.
fn join_over_http(address: SocketAddr, game: &str, key: Option<&SecretKey>, count: usize) {
    let path = format!("/api/games/{game}/join");
    let headers: Vec<String> =
        key.map(|key| format!("Authorization: Bearer {}", String::from(key.clone()))).into_iter().collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (path, headers) = (&path, &headers);
            scope.spawn(move || {
                for visitor in (thread..count).step_by(THREADS) {
                    let body = json!({ "name": format!("V{visitor}") }).to_string();
                    let (status, answer) = http(address, "POST", path, headers, &body);
                    assert_eq!(status, 200, "{answer}");
                }
            });
        }
    });
}

/// Raises the limit of open files, because both ends of every connection are in this process and some systems default to
/// 1,024.
fn allow_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    }
}

fn is_undisturbed(native: &Native) -> bool {
    native.metrics().contains("texas42_slow_clients_total 0")
}

#[test]
fn three_hundred_visitors_with_one_invite_disturb_neither_the_player_nor_the_bots() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "haaa", 1);
    let (key, _) = ann.invite(grant(Role::Spectator, None));
    join_over_http(native.address(), ann.game().as_str(), Some(&key), 300);
    play_until(&mut [&mut ann], |players| players[0].is_over());
    assert!(is_undisturbed(&native), "{}", native.metrics());
    assert!(native.metrics().contains("texas42_programs 3"));
}

#[test]
fn a_thousand_spectators_beside_a_slow_reader_disturb_nobody() {
    allow_open_files();
    let mut native = Native::new();
    let config = Config { players: seats("hhaa"), target: Some(1), ..Config::default() };
    let table = TableOptions { pause: 0, open_to_spectators: true, ..TableOptions::default() };
    let mut ann = Player::create_with(&mut native, config, table);
    let (seat, _) = ann.invite(seat_grant(1));
    let (watch, _) = ann.invite(grant(Role::Spectator, None));
    let mut slow = Player::join(&mut native, &ann.game(), Some(seat), "Slow");
    let join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "name": "Crowd" }).to_string();
    let mut crowd: Vec<Box<dyn Connection>> = (0..1_000).map(|_| native.connect()).collect();
    crowd.iter_mut().for_each(|line| line.send(&join));
    join_over_http(native.address(), ann.game().as_str(), Some(&watch), 200);
    play_until(&mut [&mut ann, &mut slow], |players| players.iter().all(|player| player.is_over()));
    assert!(is_undisturbed(&native), "{}", native.metrics());
    assert!(native.metrics().contains("texas42_programs 2"));
}

/// A bot whose strategy panics plays an offered action instead.
#[test]
fn a_strategy_that_panics_stops_no_table() {
    let mut native = Native::with(|settings| {
        settings.strategy = std::sync::Arc::new(|_, _, _| panic!("a fault in a strategy"));
    });
    let mut ann = Player::create(&mut native, "haaa", 1);
    play_until(&mut [&mut ann], |players| players[0].is_over());
}
