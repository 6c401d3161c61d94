//! Players in separate processes: the Python example, `texas42 bot` and `texas42 join`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::{
    io::{BufRead, BufReader, Read, Write},
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
    player::{Player, grant, play_until, seat_grant, seats},
    scratch::Scratch,
};
use texas42_protocol::{Role, TableOptions};
use texas42_vocab::{Config, Control, Seat};
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

/// A link for a bot on a seat.
fn bot_link(native: &Native, ann: &mut Player, seat: u8) -> String {
    let (key, _) = ann.invite(grant(Role::Ai, Some(seat)));
    format!("http://{}/#bot/{}/{}", native.address(), ann.game(), String::from(key))
}

/// The Python example, or `None` if Python is not installed. The project's environments have it.
fn python() -> Option<Command> {
    python_example("bot.py")
}

fn python_example(name: &str) -> Option<Command> {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    let mut command = Command::new("python3");
    command.arg(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR")));
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
fn separate_programs_play_at_one_table_with_a_person() {
    let mut native = Native::new();
    // Bots have to declare readiness like people.
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

/// Three programs take the seats of the server's bots, at a table that waits only for its person to be ready.
#[test]
fn separate_programs_play_as_bots() {
    let mut native = Native::new();
    let config = Config { players: seats("haaa"), target: Some(2), ..Config::default() };
    let options = TableOptions { pause: 0, ready: true, ..TableOptions::default() };
    let mut ann = Player::create_with(&mut native, config, options);
    let mut children = vec![bot(&bot_link(&native, &mut ann, 1), "beginner")];
    for (seat, name) in [(2, "bot.py"), (3, "http_bot.py")] {
        let link = bot_link(&native, &mut ann, seat);
        children.push(match python_example(name) {
            Some(mut python) => python.arg(link).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(),
            None => bot(&link, "random"),
        });
    }
    let own = |ann: &Player| {
        let names = ["Ruby", "Otis", "Hazel", "Walt"];
        let bots = ann.view().players.iter().filter(|player| player.control_type == Control::Ai);
        bots.filter(|bot| !names.contains(&bot.name.as_str())).count()
    };
    ann.wait("the programs", |ann| own(ann) == 3);
    ann.declare_ready();
    play_until(&mut [&mut ann], |players| players[0].is_over());
    for child in children {
        let said = String::from_utf8(output(child).stdout).unwrap();
        assert!(said.contains("the game is over"), "{said}");
    }
}

#[test]
fn a_bot_reconnects_after_a_restart_of_the_server() {
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

/// Who is on the second seat: whether it is a program, and whether it is connected.
fn seated(ann: &Player) -> Vec<(bool, bool)> {
    let on_seat = ann.view().players.iter().filter(|player| player.player_index == Some(Seat::ALL[1]));
    on_seat.map(|player| (player.name.as_str().starts_with("Bot "), player.is_connected)).collect()
}

/// The invite has one use. The second process still finds the seat of the first, which a bot of the server has played
/// meanwhile.
#[test]
fn a_bot_that_was_killed_returns_to_its_seat() {
    let mut native = Native::new();
    let config = Config { players: seats("haaa"), target: Some(1), ..Config::default() };
    let options = TableOptions { pause: 0, ready: true, ..TableOptions::default() };
    let mut ann = Player::create_with(&mut native, config, options);
    let link = bot_link(&native, &mut ann, 1);
    let mut first = bot(&link, "beginner");
    ann.wait("the bot", |ann| seated(ann) == [(true, true)]);
    ann.declare_ready();
    first.kill().unwrap();
    first.wait().unwrap();
    ann.wait("a bot of the server", |ann| seated(ann) == [(true, false), (false, true)]);
    let second = bot(&link, "beginner");
    ann.wait("the bot to return", |ann| seated(ann) == [(true, true)]);
    play_until(&mut [&mut ann], |players| players[0].is_over());
    assert!(String::from_utf8(output(second).stdout).unwrap().contains("the game is over"));
}

/// A person takes its seat, or its invite is revoked, before it has moved.
#[test]
fn a_bot_says_why_its_session_ended_before_the_game() {
    for is_revoked in [false, true] {
        let mut native = Native::new();
        let config = Config { players: seats("haaa"), target: Some(1), ..Config::default() };
        let options = TableOptions { pause: 0, ready: true, ..TableOptions::default() };
        let mut ann = Player::create_with(&mut native, config, options);
        let (key, number) = ann.invite(grant(Role::Ai, Some(1)));
        let child = bot(&format!("http://{}/#bot/{}/{}", native.address(), ann.game(), String::from(key)), "random");
        ann.wait("the bot", |ann| seated(ann) == [(true, true)]);
        let (person, _) = ann.invite(seat_grant(1));
        let revoke = serde_json::json!({
            "type": "INVITE", "gameId": ann.game(), "requestId": "revoke", "revoke": number,
        });
        let game = ann.game();
        let _bob = match is_revoked {
            true => {
                ann.say(&revoke);
                None
            }
            false => Some(Player::join(&mut native, &game, Some(person), "Bob")),
        };
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("a person took the seat, or the invite was revoked"), "{said}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains("the game is over"));
    }
}

#[test]
fn a_bot_reports_why_it_is_refused() {
    let native = Native::new();
    let link = format!("http://{}/#join/nowhere/AAAAAAAAAAAAAAAAAAAAAA", native.address());
    let output = bot(&link, "random").wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("no such game"), "{said}");
}

/// It would watch the game without a word.
#[test]
fn a_bot_refuses_an_invite_without_a_seat() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "haaa", 7);
    let (key, _) = ann.invite(grant(Role::Spectator, None));
    let link = format!("http://{}/#watch/{}/{}", native.address(), ann.game(), String::from(key));
    let output = bot(&link, "random").wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && said.contains("leads to no seat"), "{said}");
}

#[test]
fn an_unreachable_address_is_reported_and_given_up() {
    let gone = Native::new().address();
    let link = format!("http://{gone}/#join/nowhere/AAAAAAAAAAAAAAAAAAAAAA");
    let output = bot(&link, "random").wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains(&format!("http://{gone} cannot be reached")), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        matches!(lines[..], [line] if line.starts_with("error: ") && line.contains("connection refused") && line.contains("texas42 serve")),
        "{said}"
    );
    let mut person = Command::new(TEXAS42);
    person.args(["join", &format!("http://{gone}")]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = person.stderr(Stdio::piped()).spawn().unwrap();
    // An open terminal in which nothing is typed.
    let terminal = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(terminal);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("cannot be reached"), "{said}");
}

/// A proxy that terminates TLS in front of a server, with a self-signed certificate. Returns its address and the certificate.
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
fn a_bot_plays_over_tls_only_with_a_trusted_server() {
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
    let distrusting = bot(&trusted.path().join("nobody.pem")).wait_with_output().unwrap();
    let said = String::from_utf8(distrusting.stderr).unwrap();
    assert!(!distrusting.status.success() && said.contains("cannot be reached"), "{said}");
    let trusting = bot(&path);
    ann.wait("the game to start", |ann| ann.view().state.phase != texas42_vocab::Phase::Setup);
    play_until(&mut [&mut ann], |players| players[0].is_over());
    assert!(String::from_utf8(output(trusting).stdout).unwrap().contains("the game is over"));
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
    // Bob types the first choice again and again; it takes effect when it is his turn. Other lines get an answer too.
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
    assert_returns_to_the_seat(way.split_whitespace().map(|word| word.trim_matches(['"', '\''])));
}

/// Bob's terminal in line mode.
struct LineMode {
    child: Child,
    keyboard: std::process::ChildStdin,
    said: BufReader<std::process::ChildStdout>,
}

impl LineMode {
    /// Joins a table.
    fn join(address: &str) -> Self {
        let mut command = Command::new(TEXAS42);
        command.args(["join", "--plain", "--name", "Bob", address]).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (keyboard, said) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, keyboard, said }
    }

    /// Waits until Bob is at the table.
    fn at_table(mut self) -> Self {
        let mut line = String::new();
        while !line.contains("at table") {
            line.clear();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "Bob does not get to the table");
        }
        self
    }

    /// Types a line, and waits for the end of the program. Returns what it printed from then on.
    fn end(mut self, line: &str) -> String {
        writeln!(self.keyboard, "{line}").unwrap();
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        assert!(output(self.child).status.success());
        said
    }
}

#[test]
fn a_player_leaves_returns_and_gives_up_line_by_line() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 7);
    let invite = link(&native, &mut ann, 1);
    let bob = |ann: &Player| {
        let listed = ann.view().players.iter().find(|player| player.name.as_str() == "Bob");
        listed.map(|player| player.control_type)
    };

    let terminal = LineMode::join(&invite).at_table();
    ann.wait("Bob", |ann| bob(ann) == Some(Control::Human));
    let said = terminal.end("leave");
    ann.wait("a bot for Bob", |ann| bob(ann) == Some(Control::Ai));
    let (_, way) = said.split_once("your seat is kept; come back to it with:\ntexas42 join --name Bob '").unwrap();
    let own_link = way.trim_end().trim_end_matches('\'');

    let terminal = LineMode::join(own_link).at_table();
    ann.wait("Bob to return", |ann| bob(ann) == Some(Control::Human));
    let said = terminal.end("give up");
    ann.wait("Bob to give up", |ann| bob(ann).is_none());
    assert!(!said.contains("come back"), "the seat is not kept: {said}");

    let refused = LineMode::join(own_link).child.wait_with_output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("the key is not valid at this table"), "{said}");
}

/// Joins in line mode and quits at the table. Returns the exit code and what was printed on both streams.
fn visit(name: &str, address: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(TEXAS42);
    command.args(["join", "--plain", "--name", name, address]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut said = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap) {
        if line.contains("at table") {
            writeln!(keyboard, "q").unwrap();
        }
        said.push_str(&(line + "\n"));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), said, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn guests_return_with_their_key_and_spectators_without_a_key_have_none() {
    let mut native = Native::new();
    let config = Config { players: seats("hhaa"), ..Config::default() };
    let options = TableOptions { open_to_spectators: true, ..TableOptions::default() };
    let mut ann = Player::create_with(&mut native, config, options);
    let (key, _) = ann.invite(grant(Role::Spectator, None));
    let table = format!("http://{}/#watch/{}", native.address(), ann.game());

    let (code, said, _) = visit("Eve", &format!("{table}/{}", String::from(key)));
    assert!(code == Some(0) && !said.contains("seat is kept"), "{said}");
    let (_, way) =
        said.rsplit_once("come back to the table with:\ntexas42 join --name Eve '").expect("a visitor can return");
    let (code, said, _) = visit("Eve", way.trim_end().trim_end_matches('\''));
    assert!(code == Some(0) && said.contains("come back"), "{said}");

    let (code, said, _) = visit("Dan", &table);
    assert!(code == Some(0) && said.contains("at table") && !said.contains("texas42 join"), "{said}");
}

#[test]
fn a_refused_join_fails_with_the_reason() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 7);
    let (code, said, error) = visit("Ann", &link(&native, &mut ann, 1));
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(error.starts_with("error: ") && error.lines().count() == 1 && error.contains("this name"), "{error}");
}

fn assert_returns_to_the_seat<'a>(way: impl Iterator<Item = &'a str>) {
    let mut command = Command::new(TEXAS42);
    let mut child = command.arg("join").args(way).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains("at table")), "the way back leads nowhere");
    writeln!(child.stdin.take().unwrap(), "q").unwrap();
    assert!(said.any(|line| line.contains("texas42 join")));
    child.wait().unwrap();
}
