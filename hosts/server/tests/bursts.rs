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

/// Sends `count` requests to join over HTTP, from several threads and with the invites in turn. Returns how many the table
/// accepted; it may refuse the others only because too many came with an invite.
fn join_over_http(address: SocketAddr, game: &str, invites: &[SecretKey], count: usize) -> usize {
    let path = format!("/api/games/{game}/join");
    let join = |visitor: usize| {
        let key = String::from(invites[visitor % invites.len()].clone());
        let body = json!({ "name": format!("V{visitor}") }).to_string();
        let (status, answer) = http(address, "POST", &path, &[format!("Authorization: Bearer {key}")], &body);
        assert!(status == 200 || status == 429 && answer.contains("too-many-with-invite"), "{status} {answer}");
        status == 200
    };
    std::thread::scope(|scope| {
        let joining = (0..THREADS).map(|thread| {
            let join = &join;
            scope.spawn(move || (thread..count).step_by(THREADS).filter(|visitor| join(*visitor)).count())
        });
        let joining: Vec<_> = joining.collect();
        joining.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

/// Creates invites to watch.
fn invites_to_watch(host: &mut Player, count: usize) -> Vec<SecretKey> {
    (0..count).map(|_| host.invite(grant(Role::Spectator, None)).0).collect()
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
fn three_hundred_visitors_disturb_neither_the_player_nor_the_bots() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "haaa", 1);
    let invites = invites_to_watch(&mut ann, 6);
    assert_eq!(join_over_http(native.address(), ann.game().as_str(), &invites, 300), 300);
    assert!(join_over_http(native.address(), ann.game().as_str(), &invites[..1], 300) < 300, "one invite has a limit");
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
    let invites = invites_to_watch(&mut ann, 4);
    let mut slow = Player::join(&mut native, &ann.game(), Some(seat), "Slow");
    let join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "name": "Crowd" }).to_string();
    let mut crowd: Vec<Box<dyn Connection>> = (0..1_000).map(|_| native.connect()).collect();
    crowd.iter_mut().for_each(|line| line.send(&join));
    assert_eq!(join_over_http(native.address(), ann.game().as_str(), &invites, 200), 200);
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
