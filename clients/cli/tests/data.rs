//! `texas42 backup` and `texas42 verify-data`, and what `texas42 serve` says about damaged data and a full disk.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]
#![cfg(unix)]

mod support;

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use support::{Run, TEXAS42, texas42};
use texas42_conformance::{native::http, scratch::Scratch};

/// A server in a separate process.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(data: &Path) -> Self {
        let mut child = Command::new(TEXAS42)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(',').next());
        Self { address: address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap(), child }
    }

    /// Creates a table, and returns its id.
    fn create(&self) -> String {
        let (status, created) = http(self.address, "POST", "/api/games", &[], r#"{"name":"Ann"}"#);
        assert_eq!(status, 201, "{created}");
        let created: Value = serde_json::from_str(&created).unwrap();
        created["gameId"].as_str().unwrap().to_owned()
    }

    /// Sends SIGKILL, and returns what the server wrote to standard error.
    fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn run(args: &[&str], folders: &[&Path]) -> Run {
    let folders = folders.iter().map(|folder| folder.to_str().unwrap());
    texas42(&args.iter().copied().chain(folders).collect::<Vec<_>>(), b"")
}

#[test]
fn a_running_server_is_backed_up_and_the_copy_is_verified() {
    let (data, target) = (Scratch::new(), Scratch::new());
    let copy = target.path().join("copy");
    let server = Process::start(data.path());
    server.create();
    let backup = ["backup", "--data", data.path().to_str().unwrap()];
    let copied = run(&backup, &[&copy]);
    assert_eq!((copied.code, copied.stderr.as_str()), (Some(0), ""), "{copied:?}");
    assert!(copied.stdout.starts_with("everything is intact: 1 tables"), "{copied:?}");
    let verified = run(&["verify-data"], &[&copy]);
    assert_eq!((verified.code, verified.stderr.as_str()), (Some(0), ""), "{verified:?}");

    let again = run(&backup, &[&copy]);
    assert!(again.code == Some(1) && again.stderr.contains("has a database already"), "{again:?}");
    let busy = run(&["verify-data"], &[data.path()]);
    assert!(busy.code == Some(1) && busy.stderr.contains("another server uses it"), "{busy:?}");
    let nothing = run(&["verify-data"], &[&target.path().join("nothing")]);
    assert!(nothing.code == Some(1) && nothing.stderr.contains("there is no such folder"), "{nothing:?}");
    assert_eq!(run(&["verify-data"], &[]).code, Some(2));
}

#[test]
fn a_removed_wal_is_named_by_the_check_the_server_and_the_log() {
    let data = Scratch::new();
    let server = Process::start(data.path());
    let lost = server.create();
    server.kill();
    std::fs::remove_file(data.path().join("texas42.sqlite-wal")).unwrap();

    let checked = run(&["verify-data"], &[data.path()]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let named = format!("table {lost} is intact up to version 0 of ");
    assert!(checked.stdout.contains(&format!("damaged: {named}")), "{checked:?}");
    assert!(checked.stderr.contains("--accept-loss"), "{checked:?}");

    let server = Process::start(data.path());
    let (status, health) = http(server.address, "GET", "/healthz", &[], "");
    let health: Value = serde_json::from_str(&health).unwrap();
    assert_eq!((status, health), (503, json!({ "status": "degraded", "damagedTables": 1 })));
    let said = server.kill();
    assert!(said.contains(&named), "{said}");

    assert_eq!(run(&["verify-data", "--accept-loss"], &[data.path()]).code, Some(0));
    assert_eq!(run(&["verify-data"], &[data.path()]).code, Some(0));
}

/// On a disk of 64 KiB in a namespace of its own. Skipped where the system does not permit one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_at_startup_is_named_in_one_line() {
    let data = Scratch::new();
    let mount = r#"mount -t tmpfs -o size=64k tmpfs "$1" && touch "$1/is-mounted" && ls "$1" && exec "$0" serve --listen 127.0.0.1:0 --data "$1""#;
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", mount, TEXAS42])
        .arg(data.path())
        .output();
    let Ok(output) = output else { return };
    if !String::from_utf8_lossy(&output.stdout).contains("is-mounted") {
        return;
    }
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = format!("error: the data folder {} cannot be used: the disk is full", data.path().display());
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.lines().count() == 1 && said.starts_with(&expected), "{said}");
}
