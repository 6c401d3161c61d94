//! Players from outside, each a process of its own: the Python example, `texas42 bot` and `texas42 join`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::{
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
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
    player::{Player, play_until, seat_grant, seats},
    scratch::Scratch,
};
use texas42_protocol::TableOptions;
use texas42_vocab::Config;
use tokio_rustls::rustls::{ServerConfig, pki_types::PrivateKeyDer};

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
    // They are asked whether they are ready, like everybody.
    let config = Config { players: seats("hhhh"), target: Some(2), ..Config::default() };
    let options = TableOptions { pause: 0, ready: true, ..TableOptions::default() };
    let mut ann = Player::create_with(&mut native, config, options);
    ann.declare_ready();
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
fn an_address_where_nobody_is_is_said_and_left() {
    let gone = Native::new().address();
    let link = format!("http://{gone}/#join/nowhere/AAAAAAAAAAAAAAAAAAAAAA");
    let output = bot(&link, "random").wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains(&format!("http://{gone} cannot be reached")), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(
        matches!(errors[..], [line] if line.contains("connection refused") && line.contains("texas42 serve")),
        "{said}"
    );
    let mut person = Command::new(TEXAS42);
    person.args(["join", &format!("http://{gone}")]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = person.stderr(Stdio::piped()).spawn().unwrap();
    // Somebody at a terminal, who types nothing.
    let terminal = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(terminal);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("cannot be reached"), "{said}");
}

/// A proxy that ends TLS in front of a server, as one has on the internet, with a certificate of its own.
fn tls_proxy(runtime: &tokio::runtime::Runtime, to: SocketAddr) -> (SocketAddr, String) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut inside = tokio::net::TcpStream::connect(to).await.unwrap();
                if let Ok(mut outside) = acceptor.accept(stream).await {
                    tokio::io::copy_bidirectional(&mut outside, &mut inside).await.ok();
                }
            });
        }
    });
    (address, cert.pem())
}

#[test]
fn a_program_plays_over_tls_with_a_server_that_it_can_trust() {
    let mut native = Native::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (proxy, certificate) = tls_proxy(&runtime, native.address());
    let trusted = Scratch::new();
    let path = trusted.path().join("trusted.pem");
    std::fs::write(&path, certificate).unwrap();
    let mut ann = Player::create(&mut native, "hhaa", 1);
    let (key, _) = ann.invite(seat_grant(1));
    let link = format!("https://localhost:{}/#join/{}/{}", proxy.port(), ann.game(), String::from(key));
    let bot = |trusts: &std::path::Path| {
        let mut command = Command::new(TEXAS42);
        command.args(["bot", "--strategy", "random", "--pace", "0", "--url", &link]);
        command.env("SSL_CERT_FILE", trusts).env_remove("SSL_CERT_DIR");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let stranger = bot(&trusted.path().join("nobody.pem")).wait_with_output().unwrap();
    let said = String::from_utf8(stranger.stderr).unwrap();
    assert!(!stranger.status.success() && said.contains("cannot be reached"), "{said}");
    let friend = bot(&path);
    ann.wait("the game to start", |ann| ann.view().state.phase != texas42_vocab::Phase::Setup);
    play_until(&mut [&mut ann], |players| players[0].is_over());
    assert!(String::from_utf8(output(friend).stdout).unwrap().contains("the game is over"));
}

#[test]
fn a_person_plays_in_the_terminal() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 7);
    let mut child = Command::new(TEXAS42)
        .args(["join", "--name", "Bob", &link(&native, &mut ann, 1)])
        .env("COLUMNS", "40")
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
    let (table, way) = said.rsplit_once("texas42 join").expect("it says how to come back");
    let is_too_long = |line: &&str| line.chars().count() > 40 && line.trim().contains(' ');
    assert_eq!(table.lines().find(is_too_long), None, "lines keep to the terminal");
    returns_to_the_seat(way.split_whitespace().map(|word| word.trim_matches(['"', '\''])));
}

fn returns_to_the_seat<'a>(way: impl Iterator<Item = &'a str>) {
    let mut command = Command::new(TEXAS42);
    let mut child = command.arg("join").args(way).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains("at table")), "the way back leads nowhere");
    writeln!(child.stdin.take().unwrap(), "q").unwrap();
    assert!(said.any(|line| line.contains("texas42 join")));
    child.wait().unwrap();
}
