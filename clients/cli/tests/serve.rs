//! `texas42 serve` as a process: its flags, its data folder, its log, and its shutdown by a signal.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use texas42_client::close;
use texas42_conformance::{
    Connection,
    native::{Native, SocketConnection, http},
    scratch::Scratch,
};
use texas42_server::serve::file_in;

const TEXAS42: &str = env!("CARGO_BIN_EXE_texas42");

fn serve_output(data: &std::path::Path) -> (bool, String) {
    let output = Command::new(TEXAS42)
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn invalid_flags_are_refused() {
    for (flag, value) in [
        ("--log", "nonsense"),
        ("--allow-origin", "https://example.org/"),
        ("--address-header", "bad header"),
        ("--max-megabytes", "0"),
        ("--most-megabytes", "0"),
        ("--messages", "0"),
    ] {
        let output = Command::new(TEXAS42).args(["serve", flag, value]).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(flag), "{flag} {value}: {said}");
    }
}

#[test]
fn a_server_for_tests_listens_on_this_machine_only() {
    for (flag, value) in [("--test-seed", Some("7")), ("--test-clock", None)] {
        let args = ["serve", "--listen", "0.0.0.0:0", flag].into_iter().chain(value);
        let output = Command::new(TEXAS42).args(args).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(&format!("{flag} is for tests")), "{said}");
    }
}

/// Ann has five seconds for her bid. They pass when the test says so, and then a bot bids for her.
#[test]
fn the_clock_of_a_server_for_tests_is_advanced_by_lines() {
    let data = Scratch::new();
    let mut child = Command::new(TEXAS42)
        .args(["serve", "--listen", "127.0.0.1:0", "--pace", "0-0", "--test-clock", "--data"])
        .arg(data.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.contains("http://")).unwrap();
    let address = line.split("http://").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();

    let body = json!({
        "name": "Ann", "config": { "players": ["human", "ai", "ai", "ai"], "shaker": 3 }, "table": { "turnSeconds": 5 },
    });
    let (status, created) = http(address, "POST", "/api/games", &[], &body.to_string());
    assert_eq!(status, 201, "{created}");
    let created: Value = serde_json::from_str(&created).unwrap();
    let key = [format!("Authorization: Bearer {}", created["key"].as_str().unwrap())];
    let path = format!("/api/games/{}/state", created["gameId"].as_str().unwrap());
    let control = || {
        let state: Value = serde_json::from_str(&http(address, "GET", &path, &key, "").1).unwrap();
        let players = state["view"]["players"].as_array().unwrap().clone();
        players.into_iter().find(|player| player["name"] == "Ann").unwrap()["controlType"].clone()
    };
    assert_eq!(control(), "human");
    writeln!(child.stdin.as_mut().unwrap(), "5000").unwrap();
    assert!((0..100_000).any(|_| control() == "ai"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_error_names_an_unusable_folder() {
    let data = Scratch::new();
    let file = data.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let (is_ok, said) = serve_output(&file);
    assert!(!is_ok && said.contains("cannot be used") && said.contains(file.to_str().unwrap()), "{said}");
    #[cfg(target_os = "linux")]
    {
        let (is_ok, said) = serve_output(std::path::Path::new("/proc/texas42"));
        assert!(!is_ok && said.contains("cannot be used"), "{said}");
    }
}

#[test]
fn a_folder_or_a_port_in_use_is_reported_and_the_other_server_goes_on() {
    let data = Scratch::new();
    let native = Native::with(|settings| settings.data = data.path().to_owned());
    let (is_ok, said) = serve_output(data.path());
    assert!(!is_ok && said.contains("another server uses it"), "{said}");
    let other = Scratch::new();
    let output = Command::new(TEXAS42)
        .args(["serve", "--listen", &native.address().to_string(), "--data"])
        .arg(other.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("cannot listen on"), "{said}");
    assert_eq!(http(native.address(), "GET", "/healthz", &[], "").0, 200);
}

/// Root ignores permissions, so as root the server is started as another user.
#[cfg(unix)]
#[test]
fn a_read_only_database_is_reported() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    let data = Scratch::new();
    drop(Native::with(|settings| settings.data = data.path().to_owned()));
    let permit = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let path = file_in(data.path());
    permit(&path, 0o444);
    permit(data.path(), 0o777);
    permit(&data.path().join("texas42.lock"), 0o666);
    let ignores_permissions = std::fs::OpenOptions::new().append(true).open(&path).is_ok();
    let program = data.path().join("texas42");
    std::fs::hard_link(TEXAS42, &program).or_else(|_| std::fs::copy(TEXAS42, &program).map(drop)).unwrap();
    let mut command = Command::new(&program);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path()).current_dir("/");
    if ignores_permissions {
        command.uid(65_534);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("cannot be written"), "{said}");
}

/// `/dev/full` refuses every write, like a log on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn the_server_runs_even_if_its_log_cannot_be_written() {
    let data = Scratch::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = Command::new(TEXAS42)
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "trace", "--data"])
        .arg(data.path())
        .stdout(Stdio::piped())
        .stderr(full)
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    for _ in 0..3 {
        assert_eq!(http(address, "POST", "/api/games", &[], r#"{"name":"Ann"}"#).0, 201);
    }
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn sigterm_shuts_the_server_down_cleanly() {
    let data = Scratch::new();
    let mut child = Command::new(TEXAS42)
        .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--data"])
        .arg(data.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut said).unwrap();
    assert!(said.contains(data.path().to_str().unwrap()), "the data folder is said at the start: {said}");
    let address = said.split("http://").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let mut line = SocketConnection::open(address, "/api/ws").unwrap();
    line.send(&json!({ "type": "CREATE_GAME", "name": "Ann" }).to_string());
    assert_eq!(line.receive().unwrap()["type"], "GAME_CREATED");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    while line.receive().is_some() {}
    assert_eq!(line.closed, Some(close::GOING_AWAY));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{log}");
    assert!(log.contains("everything is written"), "{log}");
}
