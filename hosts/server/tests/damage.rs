//! Damages the files of a server in every way that happens to files, and checks that nothing that was acknowledged is
//! lost silently: the server refuses to start, or names each table with what was lost of it.

#![allow(clippy::unwrap_used, reason = "a failing test should panic where it fails")]

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use texas42_conformance::{
    Host,
    native::{Native, http, settings},
    player::{Player, seat_grant},
    scratch::Scratch,
};
use texas42_server::serve::{DamagedTable, DataReport, Retention, Server, accept_loss, backup, file_in, verify};

const DATABASE: &str = "texas42.sqlite";
const WAL: &str = "texas42.sqlite-wal";
const MARK: &str = "texas42.mark";
const TOKEN: &str = "the-token-of-the-operator";

/// A table whose version was acknowledged.
#[derive(Clone, Debug)]
struct Stored {
    id: String,
    key: String,
    version: u64,
}

/// What a server has stored: a copy of its files, as a SIGKILL leaves them, and the acknowledged versions.
struct Snapshot {
    folder: Scratch,
    tables: Vec<Stored>,
}

impl Snapshot {
    /// Most tables are in the main file; the last commits are in the WAL.
    fn new() -> Self {
        let data = Scratch::new();
        let on_data = || Native::with(|settings| settings.data = data.path().to_owned());
        let mut native = on_data();
        let mut players: Vec<Player> = (0..12).map(|_| Player::create(&mut native, "hhhh", 7)).collect();
        drop(native);
        let mut native = on_data();
        players.iter_mut().take(4).for_each(|player| {
            player.reconnect(&mut native);
            for _ in 0..6 {
                player.invite(seat_grant(1));
            }
        });
        let tables = players.iter().map(|player| stored(&mut native, player)).collect();
        let folder = Scratch::new();
        copy(data.path(), folder.path());
        Self { folder, tables }
    }

    /// The same, with everything in the main file, as after a graceful shutdown. Pages of the WAL would hide those of the
    /// main file.
    fn settled() -> Self {
        let snapshot = Self::new();
        let file = rusqlite::Connection::open(file_in(snapshot.folder.path())).unwrap();
        file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(file);
        std::fs::write(snapshot.folder.path().join(WAL), "").unwrap();
        snapshot
    }

    /// A copy of the files, with one of them changed.
    fn with(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Scratch {
        let copied = Scratch::new();
        copy(self.folder.path(), copied.path());
        let mut bytes = std::fs::read(copied.path().join(name)).unwrap();
        change(&mut bytes);
        std::fs::write(copied.path().join(name), bytes).unwrap();
        copied
    }

    /// A copy of the files without one of them.
    fn without(&self, name: &str) -> Scratch {
        let copied = self.with(name, |_| {});
        std::fs::remove_file(copied.path().join(name)).unwrap();
        copied
    }

    fn length(&self, name: &str) -> usize {
        std::fs::metadata(self.folder.path().join(name)).unwrap().len() as usize
    }

    /// The rows of all tables.
    fn rows(&self) -> Rows {
        let copied = self.with(DATABASE, |_| {});
        rows(copied.path()).unwrap()
    }
}

fn stored(native: &mut Native, player: &Player) -> Stored {
    let key = String::from(player.client.ticket().unwrap().key.clone());
    let id = player.game().to_string();
    let (status, state) = state(native, &id, &key);
    assert_eq!(status, 200, "{state}");
    Stored { id, key, version: state["version"].as_u64().unwrap() }
}

fn state(native: &mut Native, id: &str, key: &str) -> (u16, Value) {
    native.request("GET", &format!("/api/games/{id}/state"), Some(key), &Value::Null).unwrap()
}

/// What `/healthz` tells the operator.
fn health(native: &Native) -> (u16, Value) {
    health_for(native, &[format!("Authorization: Bearer {TOKEN}")])
}

fn health_for(native: &Native, headers: &[String]) -> (u16, Value) {
    let (status, body) = http(native.address(), "GET", "/healthz", headers, "");
    (status, serde_json::from_str(&body).unwrap())
}

/// Copies what a SIGKILL leaves behind. The shared memory is rebuilt from the WAL.
fn copy(from: &Path, to: &Path) {
    for name in [DATABASE, WAL, MARK] {
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

fn on(data: &Path) -> Native {
    Native::with(|settings| {
        settings.data = data.to_owned();
        settings.metrics_token = Some(TOKEN.to_owned());
        settings.metrics_address = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    })
}

/// The error of a server that does not start.
fn start_error(data: &Path) -> String {
    let scratch = Scratch::new();
    let settings = texas42_server::serve::Settings { data: data.to_owned(), ..settings(&scratch) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(Server::start(settings)).unwrap_err().to_string()
}

/// Everything that is stored: tables by id, and rows by number.
type Rows = (BTreeMap<String, [i64; 4]>, BTreeMap<i64, (i64, i64, String)>);

fn rows(data: &Path) -> rusqlite::Result<Rows> {
    let file = rusqlite::Connection::open(file_in(data))?;
    let mut games = file.prepare("SELECT id, number, version, last, touched FROM games")?;
    let games = games.query_map([], |row| Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])))?;
    let mut log = file.prepare("SELECT number, game, previous, events FROM log")?;
    let log = log.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?;
    Ok((games.collect::<Result<_, _>>()?, log.collect::<Result<_, _>>()?))
}

/// Whether the damage was reported. If it was not, everything must be as it was stored.
fn is_reported(data: &Path, intact: &Rows, what: &str) -> bool {
    match verify(data) {
        Ok(report) if report.findings.is_intact() => {
            assert_eq!(rows(data).as_ref(), Ok(intact), "{what}: nothing is reported, and something is lost");
            false
        }
        Ok(_) | Err(_) => true,
    }
}

fn check(folder: &Scratch) -> DataReport {
    verify(folder.path()).unwrap()
}

// Loss at the end.

/// The journal is consistent and older: only the mark knows that something is missing.
#[test]
fn a_truncated_wal_is_reported_at_every_length() {
    let (snapshot, whole) = (Snapshot::new(), Snapshot::length);
    let intact = snapshot.rows();
    let length = whole(&snapshot, WAL);
    assert!(length > 40_000, "the last commits are in the WAL");
    for kept in (0..length).step_by(length / 150) {
        let data = snapshot.with(WAL, |bytes| bytes.truncate(kept));
        assert!(is_reported(data.path(), &intact, &format!("{kept} of {length} bytes")), "{kept} of {length} bytes");
    }
}

#[test]
fn a_flipped_byte_of_the_wal_is_reported_at_every_position() {
    let snapshot = Snapshot::new();
    let (intact, length) = (snapshot.rows(), snapshot.length(WAL));
    let mut reported = 0;
    let positions: Vec<usize> = (0..length).step_by(length / 400).collect();
    for at in &positions {
        let data = snapshot.with(WAL, |bytes| bytes[*at] ^= 0x10);
        reported += usize::from(is_reported(data.path(), &intact, &format!("byte {at} of the WAL")));
    }
    // Every frame counts. The rest is the end of an older WAL in the same file.
    assert!(reported > positions.len() / 2, "{reported} of {}", positions.len());
}

#[test]
fn lost_tables_are_named_refused_and_reported_until_the_loss_is_accepted() {
    let snapshot = Snapshot::new();
    let data = snapshot.without(WAL);
    let lost = check(&data).findings.tables;
    let expected: Vec<(String, u64)> =
        snapshot.tables.iter().take(4).map(|table| (table.id.clone(), table.version)).collect();
    let named = |tables: &[DamagedTable]| -> Vec<(String, u64)> {
        tables.iter().map(|table| (table.game_id.clone(), table.stored_version)).collect()
    };
    let sorted = |mut tables: Vec<(String, u64)>| {
        tables.sort();
        tables
    };
    assert_eq!(sorted(named(&lost)), sorted(expected));
    assert!(lost.iter().all(|table| table.intact_version > 0 && table.intact_version < table.stored_version));

    // Twice, because the first start writes a new mark.
    for _ in 0..2 {
        let mut native = on(data.path());
        let (status, body) = health(&native);
        assert_eq!((status, &body["status"], &body["damagedTables"]), (503, &json!("degraded"), &json!(4)), "{body}");
        assert_eq!(body["tables"].as_array().unwrap().len(), 4, "{body}");
        for (number, table) in snapshot.tables.iter().enumerate() {
            let (status, state) = state(&mut native, &table.id, &table.key);
            if number < 4 {
                assert_eq!(state["error"]["reason"]["code"], "log-lost", "{state}");
            } else {
                assert_eq!((status, &state["version"]), (200, &json!(table.version)), "{state}");
            }
        }
        let mut player = Player::create(&mut native, "hhhh", 7);
        player.invite(seat_grant(1));
    }

    assert_eq!(accept_loss(data.path()).unwrap().findings.tables, lost);
    assert!(check(&data).findings.is_intact());
    let mut native = on(data.path());
    assert_eq!(health(&native), (200, json!({ "status": "ok" })));
    for table in &lost {
        let key = &snapshot.tables.iter().find(|stored| stored.id == table.game_id).unwrap().key;
        assert_eq!(state(&mut native, &table.game_id, key).1["version"], table.intact_version);
    }
}

/// The creator repeats the request whose reply was lost with the table. The same id must not begin a new log.
#[test]
fn a_lost_table_is_not_created_again() {
    let data = Scratch::new();
    let folder = Scratch::new();
    let create = json!({ "name": "Ann", "sessionKey": "AbCdEfGhIjKlMnOpQrStUw" });
    {
        let mut native = on(data.path());
        let (status, created) = native.request("POST", "/api/games", None, &create).unwrap();
        assert_eq!(status, 201, "{created}");
        copy(data.path(), folder.path());
    }
    std::fs::remove_file(folder.path().join(WAL)).unwrap();
    let mut native = on(folder.path());
    let (status, refused) = native.request("POST", "/api/games", None, &create).unwrap();
    assert_eq!((status, &refused["error"]["code"]), (503, &json!("not-stored")), "{refused}");
}

#[test]
fn an_empty_or_missing_database_is_refused_and_named() {
    let snapshot = Snapshot::new();
    let emptied = snapshot.with(DATABASE, Vec::clear);
    let missing = snapshot.without(DATABASE);
    for (data, what) in [(emptied, "texas42.sqlite is empty"), (missing, "texas42.sqlite is missing")] {
        let error = start_error(data.path());
        assert!(error.contains(what) && error.contains("restore a backup"), "{error}");
        assert!(
            error.contains(&format!("{} up to version {}", snapshot.tables[0].id, snapshot.tables[0].version)),
            "{error}"
        );
        assert!(verify(data.path()).unwrap_err().to_string().contains(what));
        assert_eq!(std::fs::read(data.path().join(WAL)).unwrap().len(), snapshot.length(WAL), "the WAL is kept");
    }
    // Also without the mark, as in a folder of version 0.1.0.
    let data = snapshot.with(DATABASE, Vec::clear);
    std::fs::remove_file(data.path().join(MARK)).unwrap();
    let error = start_error(data.path());
    assert!(error.contains("texas42.sqlite is empty, and texas42.sqlite-wal is not"), "{error}");
}

#[test]
fn an_older_database_is_refused() {
    let older = Snapshot::new();
    let data = older.with(DATABASE, |_| {});
    {
        let mut native = on(data.path());
        (0..3).for_each(|_| drop(Player::create(&mut native, "hhhh", 7)));
    }
    for name in [DATABASE, WAL] {
        std::fs::copy(older.folder.path().join(name), data.path().join(name)).unwrap();
    }
    let error = start_error(data.path());
    assert!(error.contains("older than its texas42.mark"), "{error}");
    assert!(!check(&data).findings.is_intact());
}

// Damage in the middle.

#[test]
fn a_flipped_byte_of_the_database_is_reported_at_every_position() {
    let snapshot = Snapshot::settled();
    let (intact, length) = (snapshot.rows(), snapshot.length(DATABASE));
    let mut reported = 0;
    for at in (0..length).step_by(length / 600) {
        let data = snapshot.with(DATABASE, |bytes| bytes[at] ^= 0x04);
        reported += usize::from(is_reported(data.path(), &intact, &format!("byte {at} of the database")));
    }
    assert!(reported > 100, "{reported}: the rows fill most of the file");
}

#[test]
fn a_table_with_a_flipped_byte_is_named_and_the_others_are_served() {
    let snapshot = Snapshot::settled();
    // A name in the first row of a table. SQLite leaves old copies of rows in unused parts of pages, which do not count.
    let (bytes, text) = (std::fs::read(snapshot.folder.path().join(DATABASE)).unwrap(), br#""name":"Ann""#);
    let names = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(text));
    let mut damages = names.map(|at| snapshot.with(DATABASE, |bytes| bytes[at + 8] ^= 1));
    let data = damages.find(|data| !check(data).findings.is_intact()).unwrap();
    let damaged = check(&data).findings.tables;
    assert_eq!(damaged.len(), 1, "{damaged:?}");
    let table = &damaged[0];
    assert_eq!(table.intact_version, 0);
    let mut native = on(data.path());
    assert_eq!(health(&native).1["tables"], json!(damaged));
    let (_, private) = http(native.metrics_address().unwrap(), "GET", "/healthz", &[], "");
    assert_eq!(serde_json::from_str::<Value>(&private).unwrap()["tables"], json!(damaged));
    for stored in &snapshot.tables {
        let (status, answer) = state(&mut native, &stored.id, &stored.key);
        assert_eq!(status == 200, stored.id != table.game_id, "{answer}");
    }
}

/// Damage that happens while the server runs, to a table that is not in memory, is found when the table is read.
#[test]
fn damage_under_a_running_server_is_reported_when_the_table_is_read() {
    let snapshot = Snapshot::new();
    let data = snapshot.with(DATABASE, |_| {});
    let mut native = on(data.path());
    let file = rusqlite::Connection::open(file_in(data.path())).unwrap();
    let id = &snapshot.tables[5].id;
    let changed =
        "UPDATE log SET events = replace(events, 'Ann', 'Amn') WHERE game = (SELECT number FROM games WHERE id = ?1)";
    assert!(file.execute(changed, [id]).unwrap() > 0);
    assert_eq!(health(&native).0, 200);
    assert_eq!(state(&mut native, id, &snapshot.tables[5].key).1["error"]["reason"]["code"], "log-lost");
    let (status, body) = health(&native);
    assert_eq!((status, &body["tables"][0]["gameId"]), (503, &json!(id)), "{body}");
}

/// The id of a table is for the people who play there, so the public learns the number of damaged tables only.
#[test]
fn only_the_operator_learns_which_tables_are_damaged() {
    let snapshot = Snapshot::new();
    let data = snapshot.without(WAL);
    let native = on(data.path());
    let damaged = health(&native).1["tables"].as_array().unwrap().len();
    assert!(damaged > 0);
    for headers in [vec![], vec!["Authorization: Bearer not-the-token-of-the-operator".to_owned()]] {
        let public = health_for(&native, &headers);
        assert_eq!(public, (503, json!({ "status": "degraded", "damagedTables": damaged })));
    }
}

// The mark.

#[test]
fn a_missing_mark_is_reported_until_that_is_accepted() {
    let snapshot = Snapshot::new();
    let data = snapshot.without(MARK);
    assert!(check(&data).findings.problems[0].contains("texas42.mark is missing"));
    for _ in 0..2 {
        let native = on(data.path());
        let (status, body) = health(&native);
        assert_eq!((status, &body["damagedTables"]), (503, &json!(0)), "{body}");
    }
    accept_loss(data.path()).unwrap();
    assert_eq!(health(&on(data.path())).0, 200);
}

/// After a power failure the mark may lack its last lines, or have torn ones. It claims less then, and nothing is lost.
#[test]
fn a_mark_that_lost_its_end_is_no_damage() {
    let snapshot = Snapshot::new();
    let length = snapshot.length(MARK);
    let first =
        std::fs::read(snapshot.folder.path().join(MARK)).unwrap().iter().position(|byte| *byte == b'\n').unwrap();
    for kept in (first + 1..=length).step_by(7) {
        let data = snapshot.with(MARK, |bytes| bytes.truncate(kept));
        assert!(check(&data).findings.is_intact(), "{kept} of {length} bytes");
        let data = snapshot.with(MARK, |bytes| bytes[kept..].fill(0));
        assert!(check(&data).findings.is_intact(), "zeros from {kept}");
    }
    let data = snapshot.with(MARK, |bytes| bytes.truncate(length - 3));
    assert_eq!(check(&data).findings.notes.len(), 1);
    assert_eq!(health(&on(data.path())).0, 200);
}

#[test]
fn a_restart_leaves_everything_intact() {
    let snapshot = Snapshot::new();
    let data = snapshot.with(DATABASE, |_| {});
    for _ in 0..2 {
        let mut native = on(data.path());
        assert_eq!(health(&native), (200, json!({ "status": "ok" })));
        Player::create(&mut native, "hhhh", 7);
    }
    assert_eq!(check(&data).tables, snapshot.tables.len() as u64 + 2);
    assert!(check(&data).findings.is_intact());
}

/// Deleted tables are no loss, also when the server dies right after deleting them.
#[test]
fn tables_removed_after_keep_days_are_no_damage() {
    let snapshot = Snapshot::new();
    let data = snapshot.with(DATABASE, |_| {});
    let killed = Scratch::new();
    {
        let native = Native::with(|settings| {
            settings.data = data.path().to_owned();
            settings.keep = Retention::of(std::time::Duration::from_millis(10));
        });
        while !native.metrics().contains("texas42_tables_forgotten_total 12\n") {
            std::thread::yield_now();
        }
        copy(data.path(), killed.path());
    }
    for data in [&killed, &data] {
        let report = check(data);
        assert!(report.findings.is_intact(), "{report:?}");
        assert_eq!(report.tables, 0);
    }
}

// Files under a running server.

/// SQLite goes on writing to deleted files without an error, and a restart would not find what it wrote.
#[cfg(unix)]
#[test]
fn nothing_is_acknowledged_after_the_files_were_deleted() {
    for name in [DATABASE, WAL] {
        let snapshot = Snapshot::new();
        let data = snapshot.with(DATABASE, |_| {});
        let mut native = on(data.path());
        std::fs::remove_file(data.path().join(name)).unwrap();
        let (status, body) = health(&native);
        let problem = format!("{name} was deleted while the server was running");
        assert_eq!((status, &body["problems"][0]), (503, &json!(problem)), "{body}");
        let (status, answer) = native.request("POST", "/api/games", None, &json!({ "name": "Ann" })).unwrap();
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("not-stored")), "{answer}");
        let (status, body) = health(&native);
        assert_eq!((status, &body["status"]), (503, &json!("failing")), "{body}");
    }
}

/// Without its mark, a journal cannot tell whether its end is missing. The server writes a new mark when it stops.
#[test]
fn a_deleted_mark_is_reported_until_there_is_another() {
    let snapshot = Snapshot::new();
    let data = snapshot.with(DATABASE, |_| {});
    let mut native = on(data.path());
    assert_eq!(health(&native).0, 200);
    std::fs::remove_file(data.path().join(MARK)).unwrap();
    let (status, body) = health(&native);
    let problem = format!("{MARK} was deleted while the server was running");
    assert_eq!((status, &body["problems"][0]), (503, &json!(problem)), "{body}");
    native.restart();
    assert_eq!(health(&native).0, 200);
}

// Backups.

#[test]
fn a_backup_of_a_running_server_has_everything_and_can_be_restored() {
    let snapshot = Snapshot::new();
    let data = snapshot.with(DATABASE, |_| {});
    let target = Scratch::new();
    let copied = target.path().join("backup");
    let mut native = on(data.path());
    let late = Player::create(&mut native, "hhhh", 7);
    let late = stored(&mut native, &late);
    let report = backup(data.path(), &copied).unwrap();
    assert!(report.findings.is_intact(), "{report:?}");
    assert_eq!(report.tables, 13);
    assert!(verify(&copied).unwrap().findings.is_intact());
    Player::create(&mut native, "hhhh", 7);
    let error = backup(data.path(), &copied).unwrap_err().to_string();
    assert!(error.contains("has a database already"), "{error}");
    assert!(verify(data.path()).unwrap_err().to_string().contains("another server uses it"));

    let mut restored = on(&copied);
    assert_eq!(health(&restored).0, 200);
    for table in snapshot.tables.iter().chain([&late]) {
        assert_eq!(state(&mut restored, &table.id, &table.key).1["version"], table.version);
    }
}

#[test]
fn a_backup_of_damaged_data_reports_the_damage() {
    let snapshot = Snapshot::new();
    let data = snapshot.without(WAL);
    let target = Scratch::new();
    let copied: PathBuf = target.path().join("backup");
    assert_eq!(backup(data.path(), &copied).unwrap().findings.tables.len(), 4);
    assert_eq!(verify(&copied).unwrap().findings.tables.len(), 4);
}

// Earlier versions.

#[test]
fn a_journal_of_version_0_1_0_gets_its_chains() {
    let data = Scratch::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compatibility/journal.sqlite");
    std::fs::copy(fixture, file_in(data.path())).unwrap();
    assert!(check(&data).findings.notes[0].contains("no checksums"));
    drop(on(data.path()));
    let report = check(&data);
    assert!(report.findings.is_intact(), "{report:?}");
    assert_eq!(report.tables, 6);
    let file = rusqlite::Connection::open(file_in(data.path())).unwrap();
    file.execute("UPDATE log SET events = replace(events, 'Ann', 'Amn')", []).unwrap();
    drop(file);
    assert_eq!(check(&data).findings.tables.len(), 6);
}
