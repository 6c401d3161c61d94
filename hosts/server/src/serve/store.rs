//! The store: every table's log in one SQLite file, written by one thread that commits for all tables at once.
//!
//! The file is an append-only journal. A row of `log` holds what one table stored in one go and points at that table's row
//! before; `games` holds the end of each chain. So a commit of a hundred tables touches the last pages of the journal
//! and the few pages of `games`, not a hundred places of an index ([ADR 11](../../../../docs/adr/0011-one-journal-for-all-tables.md)).
//!
//! Invariants: an answer comes after the commit that holds it has reached the disk (`synchronous=FULL`); a table's log
//! grows only from the version that the writer of the table thinks it has, so a table never forks.

use std::{
    collections::HashSet,
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::Ordering, mpsc},
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use texas42_protocol::GameId;
use texas42_room::Stored;
use tokio::sync::oneshot;

use super::metrics::Metrics;

/// What the layout of the file is called; a file with another number is not touched.
const LAYOUT: i64 = 1;
/// So many commits wait at most; whoever comes then waits for a place.
const MOST_WAITING: usize = 4096;
/// So many are committed together at most, so that the first of them does not wait for ever.
const MOST_TOGETHER: usize = 1024;
/// While so many tables or more share a commit, the next one waits until this long after the last: each commit costs the
/// same however many share it, and under load the processor is what is short. A table alone never waits.
const CROWD: usize = 4;
const GATHERING: Duration = Duration::from_millis(4);
/// While this many or more share a commit, the server is saturated and the next commit waits longer.
const LARGE_CROWD: usize = 96;
const LONG_GATHERING: Duration = Duration::from_millis(9);
/// So many old tables are removed in one go.
const MOST_FORGOTTEN: u64 = 32;
/// So many pages of journal are written before they are moved into the file.
const CHECKPOINT_PAGES: u64 = 2048;

/// Why something could not be written down or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk, or the place that the store may take, is full.
    #[error("the disk is full, or the database has reached its limit")]
    Full,
    /// The file may not be written.
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    /// The file is not a database any more.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// Another program has the folder.
    #[error("another server uses it; each server has a folder of its own")]
    InUse,
    /// The log of a table has moved on without its writer.
    #[error("the log of the table is not at version {0}")]
    Conflict(u64),
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
    /// Anything else.
    #[error("the database failed: {0}")]
    Other(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly(error.to_string())
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }
}

/// How a store is run.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The folder that holds the file.
    pub folder: PathBuf,
    /// The most bytes that the file may take; without it, the disk is the limit.
    pub most_bytes: Option<u64>,
    /// Whether tables share a commit. Only a measurement wants that otherwise.
    pub is_grouped: bool,
}

/// Where the log of a table ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    game: i64,
    last: i64,
    pub(crate) version: u64,
}

/// One thing to write down.
struct Commit {
    tail: Result<Tail, GameId>,
    events: String,
    count: u64,
    at: u64,
    done: oneshot::Sender<Result<Tail, StoreError>>,
}

/// What the writer is asked for.
enum Work {
    Commit(Commit),
    /// Tables that were not touched since then, with the ids of those to keep.
    Forget {
        before: u64,
        open: HashSet<GameId>,
        done: oneshot::Sender<Result<u64, StoreError>>,
    },
    /// Nothing more comes: put everything in its place and say so.
    End(oneshot::Sender<()>),
}

/// The store, as the tables see it.
pub struct Store {
    work: mpsc::SyncSender<Work>,
    reader: Arc<Mutex<Connection>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

// Opening and closing.
impl Store {
    /// Opens the file of a folder, or makes it, and starts its writer.
    ///
    /// # Errors
    /// When the folder cannot be written or the file is not one of ours.
    pub fn open(settings: &StoreSettings, metrics: Arc<Metrics>) -> Result<Self, StoreError> {
        make_folder(&settings.folder).map_err(|error| StoreError::ReadOnly(error.to_string()))?;
        let lock = lock(&settings.folder)?;
        let path = file_in(&settings.folder);
        private(&mut File::options()).create(true).truncate(false).write(true).open(&path).ok();
        let mut connection = Connection::open(&path)?;
        prepare(&mut connection, settings)?;
        let reader = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        reader.busy_timeout(Duration::from_secs(5))?;
        let (work, waiting) = mpsc::sync_channel(MOST_WAITING);
        let most = if settings.is_grouped { MOST_TOGETHER } else { 1 };
        let writer = Writer { connection, metrics, since_checkpoint: 0, last: None, _lock: lock };
        let spawned =
            std::thread::Builder::new().name("texas42-store".into()).spawn(move || writer.run(&waiting, most));
        spawned.map_err(|error| StoreError::Other(error.to_string()))?;
        Ok(Self { work, reader: Arc::new(Mutex::new(reader)) })
    }

    /// Waits until everything is written and in its place. Nothing can be written afterwards.
    pub async fn end(&self) {
        let (done, ended) = oneshot::channel();
        if self.ask(Work::End(done)).await.is_ok() {
            ended.await.ok();
        }
    }
}

/// The journal tells every hand, so that nobody else on the machine may read it. SQLite gives its other files the rights of
/// the first.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn private(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Two servers on one file would not lose anything, and each would break the tables of the other: a file is locked as
/// long as the writer lives, and the system lets go of it when the program dies.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let read_only = |error: std::io::Error| StoreError::ReadOnly(error.to_string());
    let file = File::options().create(true).truncate(false).write(true).open(folder.join("texas42.lock"));
    let file = file.map_err(read_only)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse),
        Err(TryLockError::Error(error)) => Err(read_only(error)),
    }
}

/// The file in the folder.
pub fn file_in(folder: &Path) -> PathBuf {
    folder.join("texas42.sqlite")
}

fn prepare(connection: &mut Connection, settings: &StoreSettings) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_secs(5))?;
    let layout: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if layout != 0 && layout != LAYOUT {
        return Err(StoreError::Damaged(format!("its layout is number {layout}, this program knows {LAYOUT}")));
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if layout == 0 && tables > 0 {
        return Err(StoreError::Damaged("it is a database of another program".into()));
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS games (
             number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, last INTEGER NOT NULL,
             touched INTEGER NOT NULL);
         CREATE TABLE IF NOT EXISTS log (
             number INTEGER PRIMARY KEY, game INTEGER NOT NULL, previous INTEGER NOT NULL, events TEXT NOT NULL);",
    )?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()?;
    limit(connection, settings)?;
    check(connection)
}

fn limit(connection: &Connection, settings: &StoreSettings) -> Result<(), StoreError> {
    let Some(bytes) = settings.most_bytes else { return Ok(()) };
    let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    connection.query_row(&format!("PRAGMA max_page_count = {}", (bytes / page).max(1)), [], |_| Ok(()))?;
    Ok(())
}

/// A file that was damaged says so at the start and not in the middle of a game.
fn check(connection: &Connection) -> Result<(), StoreError> {
    let answer: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if answer == "ok" { Ok(()) } else { Err(StoreError::Damaged(answer)) }
}

// Writing.
impl Store {
    /// Writes down the first events of a table.
    pub(crate) async fn create(&self, id: &GameId, at: u64, events: &[Stored]) -> Result<Tail, StoreError> {
        self.commit(Err(id.clone()), at, events).await
    }

    /// Writes down what follows.
    pub(crate) async fn append(&self, tail: Tail, at: u64, events: &[Stored]) -> Result<Tail, StoreError> {
        self.commit(Ok(tail), at, events).await
    }

    async fn commit(&self, tail: Result<Tail, GameId>, at: u64, events: &[Stored]) -> Result<Tail, StoreError> {
        let text = serde_json::to_string(events).map_err(|error| StoreError::Other(error.to_string()))?;
        let (done, answer) = oneshot::channel();
        self.ask(Work::Commit(Commit { tail, events: text, count: events.len() as u64, at, done })).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Removes some tables that were not touched since then, and says how many; 0 when there are none left. Those that
    /// are open stay.
    pub(crate) async fn forget(&self, before: u64, open: HashSet<GameId>) -> Result<u64, StoreError> {
        let (done, answer) = oneshot::channel();
        self.ask(Work::Forget { before, open, done }).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// The queue is long, so that it is full only when the disk is far behind.
    async fn ask(&self, mut work: Work) -> Result<(), StoreError> {
        loop {
            match self.work.try_send(work) {
                Ok(()) => return Ok(()),
                Err(mpsc::TrySendError::Full(back)) => work = back,
                Err(mpsc::TrySendError::Disconnected(_)) => return Err(StoreError::Closed),
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

struct Writer {
    connection: Connection,
    metrics: Arc<Metrics>,
    since_checkpoint: u64,
    /// When the last commit began, and how many shared it.
    last: Option<(Instant, usize)>,
    _lock: File,
}

impl Writer {
    /// Takes everything that waits, commits it in one go, answers, and begins again: while the disk works, the next
    /// group gathers by itself.
    fn run(mut self, waiting: &mpsc::Receiver<Work>, most: usize) {
        let mut end = None;
        while end.is_none() {
            let Ok(first) = waiting.recv() else { break };
            if most > 1 {
                self.gather();
            }
            let mut group = Vec::new();
            for work in std::iter::once(first).chain(waiting.try_iter().take(most - 1)) {
                match work {
                    Work::Commit(commit) => group.push(commit),
                    Work::Forget { before, open, done } => drop(done.send(self.forget(before, &open))),
                    Work::End(done) => end = Some(done),
                }
            }
            if !group.is_empty() {
                self.commit(group);
            }
        }
        self.checkpoint();
        drop(self);
        if let Some(end) = end {
            end.send(()).ok();
        }
    }

    fn gather(&self) {
        if let Some((begun, tables)) = self.last
            && tables >= CROWD
        {
            let gathering = if tables >= LARGE_CROWD { LONG_GATHERING } else { GATHERING };
            std::thread::sleep(gathering.saturating_sub(begun.elapsed()));
        }
    }

    fn commit(&mut self, group: Vec<Commit>) {
        let begun = Instant::now();
        self.last = Some((begun, group.len()));
        let mut written = self.write(&group);
        if matches!(written, Err(StoreError::Full)) {
            // What was written before needs less room in the file than in the journal, which then begins anew.
            self.checkpoint();
            written = self.write(&group);
        }
        self.note(&group, begun, written.is_ok());
        match written {
            Ok(tails) => group.into_iter().zip(tails).for_each(|(commit, tail)| drop(commit.done.send(tail))),
            Err(error) => {
                tracing::error!(%error, tables = group.len(), "nothing of this group was stored");
                group.into_iter().for_each(|commit| drop(commit.done.send(Err(error.clone()))));
            }
        }
        if self.since_checkpoint >= CHECKPOINT_PAGES {
            self.checkpoint();
        }
    }

    fn write(&mut self, group: &[Commit]) -> Result<Vec<Result<Tail, StoreError>>, StoreError> {
        let transaction = self.connection.transaction()?;
        let tails = group.iter().map(|commit| write_one(&transaction, commit)).collect::<Result<_, _>>()?;
        transaction.commit()?;
        Ok(tails)
    }

    /// Removes a few tables at once, so that no player waits long for it.
    fn forget(&mut self, before: u64, open: &HashSet<GameId>) -> Result<u64, StoreError> {
        let transaction = self.connection.transaction()?;
        let mut forgotten = 0;
        for (game, id, last) in untouched_since(&transaction, before, open.len() as u64 + MOST_FORGOTTEN)? {
            if GameId::try_from(id).is_ok_and(|id| open.contains(&id)) {
                continue;
            }
            forget_one(&transaction, game, last)?;
            forgotten += 1;
            if forgotten == MOST_FORGOTTEN {
                break;
            }
        }
        transaction.commit()?;
        self.since_checkpoint += forgotten;
        Ok(forgotten)
    }

    fn note(&mut self, group: &[Commit], begun: Instant, is_stored: bool) {
        let bytes: u64 = group.iter().map(|commit| commit.events.len() as u64 + 32).sum();
        self.since_checkpoint += bytes / 4096 + 3;
        self.metrics.store_works.store(is_stored, Ordering::Relaxed);
        if is_stored {
            self.metrics.commits.add(1);
            self.metrics.stores.add(group.len() as u64);
            self.metrics.events.add(group.iter().map(|commit| commit.count).sum());
            self.metrics.commit_time.observe(begun.elapsed());
        } else {
            self.metrics.store_failures.add(1);
        }
    }

    /// Moves the journal into the file, so that it does not grow for ever.
    fn checkpoint(&mut self) {
        self.since_checkpoint = 0;
        let begun = Instant::now();
        let result = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        match result {
            Ok(()) => tracing::debug!(milliseconds = begun.elapsed().as_millis() as u64, "checkpoint"),
            Err(error) => tracing::warn!(%error, "the journal could not be moved into the database"),
        }
    }
}

/// The tables that nobody touched since then: number, id, the end of the chain.
fn untouched_since(connection: &Connection, before: u64, most: u64) -> Result<Vec<(i64, String, i64)>, StoreError> {
    let mut select = connection.prepare_cached("SELECT number, id, last FROM games WHERE touched < ?1 LIMIT ?2")?;
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let rows = select.query_map([number(before), number(most)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes a table and its chain of rows. The place that they took is used again by what comes later.
fn forget_one(connection: &Connection, game: i64, last: i64) -> Result<(), StoreError> {
    let mut remove = connection.prepare_cached("DELETE FROM log WHERE number = ?1 AND game = ?2 RETURNING previous")?;
    let mut at = last;
    while at != 0 {
        at = remove.query_row(params![at, game], |row| row.get(0)).optional()?.unwrap_or(0);
    }
    connection.prepare_cached("DELETE FROM games WHERE number = ?1")?.execute([game])?;
    Ok(())
}

/// The outer error undoes the whole group, the inner one is this table's own.
fn write_one(connection: &Connection, commit: &Commit) -> Result<Result<Tail, StoreError>, StoreError> {
    let (game, previous, version) = match &commit.tail {
        Ok(tail) => (tail.game, tail.last, tail.version),
        Err(id) => match insert_game(connection, id, commit.at)? {
            Some(game) => (game, 0, 0),
            None => return Ok(Err(StoreError::Conflict(0))),
        },
    };
    let mut insert = connection.prepare_cached("INSERT INTO log (game, previous, events) VALUES (?1, ?2, ?3)")?;
    let mut update = connection.prepare_cached(
        "UPDATE games SET version = ?1, last = ?2, touched = ?3 WHERE number = ?4 AND version = ?5 AND last = ?6",
    )?;
    insert.execute(params![game, previous, commit.events])?;
    let last = connection.last_insert_rowid();
    let after = version + commit.count;
    let moved = update.execute(params![after as i64, last, commit.at as i64, game, version as i64, previous])?;
    if moved == 1 {
        return Ok(Ok(Tail { game, last, version: after }));
    }
    connection.prepare_cached("DELETE FROM log WHERE number = ?1")?.execute([last])?;
    Ok(Err(StoreError::Conflict(version)))
}

fn insert_game(connection: &Connection, id: &GameId, at: u64) -> Result<Option<i64>, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO games (id, version, last, touched) VALUES (?1, 0, 0, ?2) ON CONFLICT DO NOTHING",
    )?;
    let inserted = insert.execute(params![id.as_str(), at as i64])?;
    Ok((inserted == 1).then(|| connection.last_insert_rowid()))
}

// Reading.
impl Store {
    /// The whole log of a table, and where it ends; nothing when there is no such table.
    pub(crate) async fn load(&self, id: &GameId) -> Result<Option<(Tail, Vec<Stored>)>, StoreError> {
        let (reader, id) = (Arc::clone(&self.reader), id.clone());
        let read = tokio::task::spawn_blocking(move || {
            let reader = reader.lock().map_err(|_| StoreError::Closed)?;
            read_log(&reader, &id)
        });
        read.await.map_err(|_| StoreError::Closed)?
    }

    /// How many tables there are.
    pub fn count_games(&self) -> Result<u64, StoreError> {
        let reader = self.reader.lock().map_err(|_| StoreError::Closed)?;
        Ok(reader.query_row("SELECT count(*) FROM games", [], |row| row.get::<_, i64>(0))?.unsigned_abs())
    }
}

fn read_log(connection: &Connection, id: &GameId) -> Result<Option<(Tail, Vec<Stored>)>, StoreError> {
    let found = connection
        .prepare_cached("SELECT number, last, version FROM games WHERE id = ?1")?
        .query_row([id.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
        .optional()?;
    let Some((game, last, version)) = found else { return Ok(None) };
    let mut rows = Vec::new();
    let mut select = connection.prepare_cached("SELECT game, previous, events FROM log WHERE number = ?1")?;
    let mut at = last;
    while at != 0 {
        let (owner, previous, events) = select
            .query_row([at], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))
            .optional()?
            .ok_or_else(|| StoreError::Damaged(format!("row {at} of the journal is missing")))?;
        if owner != game || previous >= at {
            return Err(StoreError::Damaged(format!("row {at} of the journal belongs elsewhere")));
        }
        rows.push(events);
        at = previous;
    }
    let mut log = Vec::new();
    for row in rows.iter().rev() {
        let events: Vec<Stored> =
            serde_json::from_str(row).map_err(|error| StoreError::Damaged(format!("an event of {id}: {error}")))?;
        log.extend(events);
    }
    if log.len() as i64 != version {
        return Err(StoreError::Damaged(format!("{id} has {} events and should have {version}", log.len())));
    }
    Ok(Some((Tail { game, last, version: version.unsigned_abs() }, log)))
}
