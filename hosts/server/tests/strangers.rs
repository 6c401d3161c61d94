//! Players from outside, each a process of its own: the Python example, `texas42 bot` and `texas42 join`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::{
    io::Write,
    process::{Child, Command, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use texas42_conformance::{
    Host,
    native::Native,
    player::{Player, play_until, seat_grant},
};

const TEXAS42: &str = env!("CARGO_BIN_EXE_texas42");

fn link(native: &Native, ann: &mut Player, seat: u8) -> String {
    let (key, _) = ann.invite(seat_grant(seat));
    format!("http://{}/#join/{}/{}", native.address(), ann.game(), String::from(key))
}

fn output(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stdout));
    output
}

fn bot(link: &str, strategy: &str) -> Child {
    Command::new(TEXAS42)
        .args(["bot", "--strategy", strategy, "--pace", "0", "--seed", "5", "--url", link])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Where there is no Python there is nothing to try; the environments of the project have it.
fn python() -> Option<Command> {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bot.py"));
    is_there.then_some(command)
}

#[test]
fn the_python_example_plays_a_game_to_its_end() {
    let native = Native::new();
    let Some(mut python) = python() else { return };
    let child = python.arg(format!("http://{}", native.address())).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = output(child.spawn().unwrap());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("the game is over"), "{said}");
    assert!(!String::from_utf8(output.stderr).unwrap().contains("trying again"));
}

#[test]
fn programs_from_outside_sit_at_one_table_with_a_person() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhhh", 2);
    let mut children = vec![bot(&link(&native, &mut ann, 1), "beginner"), bot(&link(&native, &mut ann, 2), "random")];
    match python() {
        Some(mut python) => {
            let link = link(&native, &mut ann, 3);
            children.push(python.arg(link).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        }
        None => children.push(bot(&link(&native, &mut ann, 3), "random")),
    }
    play_until(&mut [&mut ann], |players| players[0].is_over());
    for child in children {
        let said = String::from_utf8(output(child).stdout).unwrap();
        assert!(said.contains("the game is over"), "{said}");
    }
}

#[test]
fn programs_come_back_when_the_server_does() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 2);
    let child = bot(&link(&native, &mut ann, 1), "beginner");
    for _ in 0..2 {
        let version = ann.version();
        play_until(&mut [&mut ann], |players| players[0].version() > version + 10 || players[0].is_over());
        native.restart();
        ann.reconnect(&mut native);
    }
    play_until(&mut [&mut ann], |players| players[0].is_over());
    output(child);
}

#[test]
fn a_bot_says_why_it_is_refused() {
    let native = Native::new();
    let link = format!("http://{}/#join/nowhere/AAAAAAAAAAAAAAAAAAAAAA", native.address());
    let output = bot(&link, "random").wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("no such game"), "{said}");
}

#[test]
fn a_person_plays_in_the_terminal() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 7);
    let mut child = Command::new(TEXAS42)
        .args(["join", "--name", "Bob", &link(&native, &mut ann, 1)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    ann.wait("Bob to come", |ann| ann.view().players.iter().any(|player| player.name.as_str() == "Bob"));
    let mut terminal = child.stdin.take().unwrap();
    let stops = Arc::new(AtomicBool::new(false));
    // Bob types the first choice again and again; it counts whenever it is his turn. Other lines are answered too.
    let typing = std::thread::spawn({
        let stops = Arc::clone(&stops);
        move || {
            writeln!(terminal, "?\nnonsense").unwrap();
            while !stops.load(Ordering::Relaxed) {
                writeln!(terminal, "1").unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
            writeln!(terminal, "q").unwrap();
        }
    });
    let moves = |ann: &Player| ann.heard.iter().filter(|message| message["lastAction"]["player"] == 1).count();
    play_until(&mut [&mut ann], |players| moves(players[0]) >= 3 || players[0].is_over());
    stops.store(true, Ordering::Relaxed);
    typing.join().unwrap();
    let said = String::from_utf8(output(child).stdout).unwrap();
    for expected in ["at table", "│ ", "that is not among the choices", "number, shortcut or domino", " 1. "] {
        assert!(said.contains(expected), "{expected:?} is missing in\n{said}");
    }
}
