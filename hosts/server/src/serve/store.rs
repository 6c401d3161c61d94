//! The store: the logs of all tables in one SQLite file, written by one thread that groups commits across tables.
//!
//! The file is an append-only journal. Each row of `log` holds the events that one table stored in one commit and
//! points to the table's previous row; `games` holds the end of each chain. A commit for a hundred tables therefore
//! touches the last pages of the journal and a few pages of `games` instead of a hundred places in an index
//! ([ADR 11](../../../../docs/adr/0011-one-journal-for-all-tables.md)).
//!
//! Invariants: a commit is acknowledged only after it has reached the disk (`synchronous=FULL`). A table's log grows
//! only from the version that its writer expects, so a log never forks.

use std::{
    collections::HashSet,
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::Ordering, mpsc},
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use texas42_protocol::GameId;
use texas42_room::StoredEvent;
use tokio::sync::oneshot;

use super::metrics::Metrics;

/// Version of the database schema; a file with a different version is left untouched.
const SCHEMA_VERSION: i64 = 1;
/// Capacity of the writer's queue. When it is full, callers wait.
const QUEUE_CAPACITY: usize = 4096;
/// Maximum number of writes per commit; bounds the latency of the first.
const MAX_BATCH: usize = 1024;
/// If the last commit served at least this many tables, the next one starts no earlier than `GROUP_INTERVAL` after it.
/// A commit costs the same for one table as for many, and under load the CPU is the bottleneck. A table alone never
/// waits.
const GROUP_THRESHOLD: usize = 4;
const GROUP_INTERVAL: Duration = Duration::from_millis(4);
/// If it served at least this many, the server is saturated, and the next one waits longer.
const LARGE_GROUP: usize = 96;
const LARGE_GROUP_INTERVAL: Duration = Duration::from_millis(9);
/// Maximum number of expired tables deleted in one transaction.
const MAX_DELETED: u64 = 32;
/// Number of WAL pages after which a checkpoint runs.
const CHECKPOINT_PAGES: u64 = 2048;

/// An error of the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full, or the file has reached [`StoreSettings::most_bytes`].
    #[error("the disk is full, or the database has reached its limit")]
    Full,
    /// The file cannot be written.
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    /// The file is not a valid database.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// Another process has locked the folder.
    #[error("another server uses it; each server has a folder of its own")]
    InUse,
    /// The stored log of the table is not at the version that its writer expects.
    #[error("the log of the table is not at version {0}")]
    Conflict(u64),
    /// [`Store::end`] was called.
    #[error("the store is closed")]
    Closed,
    /// Any other error.
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

/// The configuration of a [`Store`].
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The folder that holds the file.
    pub folder: PathBuf,
    /// Maximum size of the file in bytes; `None` for no limit.
    pub most_bytes: Option<u64>,
    /// Whether tables share commits. Set it to `false` only for measurements.
    pub is_grouped: bool,
}

/// The end of a table's stored log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    game: i64,
    last: i64,
    pub(crate) version: u64,
}

/// A request to append events to the log of one table: `Ok` for an existing table, `Err` for a new one.
struct Commit {
    tail: Result<Tail, GameId>,
    events: String,
    count: u64,
    at: u64,
    done: oneshot::Sender<Result<Tail, StoreError>>,
}

/// A request to the writer thread.
enum WriterRequest {
    Commit(Commit),
    /// Deletes tables last written before `before`, except those in `open`.
    Delete {
        before: u64,
        open: HashSet<GameId>,
        done: oneshot::Sender<Result<u64, StoreError>>,
    },
    /// Writes a final checkpoint, stops, and confirms.
    End(oneshot::Sender<()>),
}

/// The event logs of all tables.
///
/// [`Store::open`] starts the writer thread, and [`Store::end`] stops it. In between, each table appends its events; an
/// append returns after its commit has reached the disk.
pub struct Store {
    requests: mpsc::SyncSender<WriterRequest>,
    reader: Arc<Mutex<Connection>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

impl Store {
    /// Opens or creates the database in a folder and starts its writer thread.
    ///
    /// # Errors
    /// When the folder cannot be written, another server has locked it, or the file is not a database of ours.
    pub fn open(settings: &StoreSettings, metrics: Arc<Metrics>) -> Result<Self, StoreError> {
        make_folder(&settings.folder).map_err(|error| StoreError::ReadOnly(error.to_string()))?;
        let lock = lock(&settings.folder)?;
        let path = file_in(&settings.folder);
        owner_only(&mut File::options()).create(true).truncate(false).write(true).open(&path).ok();
        let mut connection = Connection::open(&path)?;
        prepare(&mut connection, settings)?;
        let reader = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        reader.busy_timeout(Duration::from_secs(5))?;
        let (requests, queue) = mpsc::sync_channel(QUEUE_CAPACITY);
        let max_batch = if settings.is_grouped { MAX_BATCH } else { 1 };
        let writer = Writer { connection, metrics, since_checkpoint: 0, last: None, _lock: lock };
        let spawned =
            std::thread::Builder::new().name("texas42-store".into()).spawn(move || writer.run(&queue, max_batch));
        spawned.map_err(|error| StoreError::Other(error.to_string()))?;
        Ok(Self { requests, reader: Arc::new(Mutex::new(reader)) })
    }

    /// Waits until everything is written and checkpointed. Later writes fail with [`StoreError::Closed`].
    pub async fn end(&self) {
        let (done, ended) = oneshot::channel();
        if self.enqueue(WriterRequest::End(done)).await.is_ok() {
            ended.await.ok();
        }
    }
}

/// Creates the folder with access for its owner only, because the journal contains every hand. SQLite gives its
/// auxiliary files the permissions of the main file.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn owner_only(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Locks the folder for one server. Two servers on one file would lose no data, but each would break the tables of the
/// other. The lock lives as long as the writer, and the operating system releases it if the process dies.
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

/// The path of the database in a folder.
pub fn file_in(folder: &Path) -> PathBuf {
    folder.join("texas42.sqlite")
}

fn prepare(connection: &mut Connection, settings: &StoreSettings) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_secs(5))?;
    let schema: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if schema != 0 && schema != SCHEMA_VERSION {
        return Err(StoreError::Damaged(format!(
            "it has schema version {schema}, this version supports {SCHEMA_VERSION}"
        )));
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if schema == 0 && tables > 0 {
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
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()?;
    set_size_limit(connection, settings)?;
    check_integrity(connection)
}

fn set_size_limit(connection: &Connection, settings: &StoreSettings) -> Result<(), StoreError> {
    let Some(bytes) = settings.most_bytes else { return Ok(()) };
    let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    connection.query_row(&format!("PRAGMA max_page_count = {}", (bytes / page).max(1)), [], |_| Ok(()))?;
    Ok(())
}

/// Detects a damaged file at startup instead of in the middle of a game.
fn check_integrity(connection: &Connection) -> Result<(), StoreError> {
    let answer: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if answer == "ok" { Ok(()) } else { Err(StoreError::Damaged(answer)) }
}

impl Store {
    /// Stores the first events of a new table.
    pub(crate) async fn create(&self, id: &GameId, at: u64, events: &[StoredEvent]) -> Result<Tail, StoreError> {
        self.commit(Err(id.clone()), at, events).await
    }

    /// Stores the next events of a table.
    pub(crate) async fn append(&self, tail: Tail, at: u64, events: &[StoredEvent]) -> Result<Tail, StoreError> {
        self.commit(Ok(tail), at, events).await
    }

    async fn commit(&self, tail: Result<Tail, GameId>, at: u64, events: &[StoredEvent]) -> Result<Tail, StoreError> {
        let text = serde_json::to_string(events).map_err(|error| StoreError::Other(error.to_string()))?;
        let (done, answer) = oneshot::channel();
        self.enqueue(WriterRequest::Commit(Commit { tail, events: text, count: events.len() as u64, at, done }))
            .await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Deletes up to [`MAX_DELETED`] tables last written before `before`, except those in `open`. Returns how many were
    /// deleted; 0 when none are left.
    pub(crate) async fn delete_untouched(&self, before: u64, open: HashSet<GameId>) -> Result<u64, StoreError> {
        let (done, answer) = oneshot::channel();
        self.enqueue(WriterRequest::Delete { before, open, done }).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Queues a request. The queue is long, so it is full only when the disk is far behind.
    async fn enqueue(&self, mut request: WriterRequest) -> Result<(), StoreError> {
        loop {
            match self.requests.try_send(request) {
                Ok(()) => return Ok(()),
                Err(mpsc::TrySendError::Full(back)) => request = back,
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
    /// When the last commit started, and how many tables it served.
    last: Option<(Instant, usize)>,
    _lock: File,
}

impl Writer {
    /// Takes all queued requests, commits them together, replies, and repeats. While the disk is busy, the next group
    /// accumulates in the queue.
    fn run(mut self, queue: &mpsc::Receiver<WriterRequest>, max_batch: usize) {
        let mut end = None;
        while end.is_none() {
            let Ok(first) = queue.recv() else { break };
            if max_batch > 1 {
                self.wait_for_group();
            }
            let mut group = Vec::new();
            for request in std::iter::once(first).chain(queue.try_iter().take(max_batch - 1)) {
                match request {
                    WriterRequest::Commit(commit) => group.push(commit),
                    WriterRequest::Delete { before, open, done } => {
                        drop(done.send(self.delete_untouched(before, &open)));
                    }
                    WriterRequest::End(done) => end = Some(done),
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

    fn wait_for_group(&self) {
        if let Some((begun, tables)) = self.last
            && tables >= GROUP_THRESHOLD
        {
            let interval = if tables >= LARGE_GROUP { LARGE_GROUP_INTERVAL } else { GROUP_INTERVAL };
            std::thread::sleep(interval.saturating_sub(begun.elapsed()));
        }
    }

    fn commit(&mut self, group: Vec<Commit>) {
        let begun = Instant::now();
        self.last = Some((begun, group.len()));
        let mut written = self.write(&group);
        if matches!(written, Err(StoreError::Full)) {
            // A checkpoint frees the WAL, and its pages take less space in the file.
            self.checkpoint();
            written = self.write(&group);
        }
        self.record_metrics(&group, begun, written.is_ok());
        match written {
            Ok(tails) => group.into_iter().zip(tails).for_each(|(commit, tail)| drop(commit.done.send(tail))),
            Err(error) => {
                tracing::error!(%error, tables = group.len(), "a commit failed; none of its events were stored");
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

    /// Deletes a few tables at a time, so that no player waits long.
    fn delete_untouched(&mut self, before: u64, open: &HashSet<GameId>) -> Result<u64, StoreError> {
        let transaction = self.connection.transaction()?;
        let mut deleted = 0;
        for (game, id, last) in untouched_since(&transaction, before, open.len() as u64 + MAX_DELETED)? {
            if GameId::try_from(id).is_ok_and(|id| open.contains(&id)) {
                continue;
            }
            delete_table(&transaction, game, last)?;
            deleted += 1;
            if deleted == MAX_DELETED {
                break;
            }
        }
        transaction.commit()?;
        self.since_checkpoint += deleted;
        Ok(deleted)
    }

    fn record_metrics(&mut self, group: &[Commit], begun: Instant, is_stored: bool) {
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

    /// Moves the WAL into the database, so that it does not grow without bound.
    fn checkpoint(&mut self) {
        self.since_checkpoint = 0;
        let begun = Instant::now();
        let result = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        match result {
            Ok(()) => tracing::debug!(milliseconds = begun.elapsed().as_millis() as u64, "checkpoint"),
            Err(error) => tracing::warn!(%error, "the checkpoint failed"),
        }
    }
}

/// Tables last written before `before`: number, id, and last row of the chain.
fn untouched_since(connection: &Connection, before: u64, most: u64) -> Result<Vec<(i64, String, i64)>, StoreError> {
    let mut select = connection.prepare_cached("SELECT number, id, last FROM games WHERE touched < ?1 LIMIT ?2")?;
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let rows = select.query_map([number(before), number(most)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes a table and its chain of rows. SQLite reuses the space.
fn delete_table(connection: &Connection, game: i64, last: i64) -> Result<(), StoreError> {
    let mut remove = connection.prepare_cached("DELETE FROM log WHERE number = ?1 AND game = ?2 RETURNING previous")?;
    let mut at = last;
    while at != 0 {
        at = remove.query_row(params![at, game], |row| row.get(0)).optional()?.unwrap_or(0);
    }
    connection.prepare_cached("DELETE FROM games WHERE number = ?1")?.execute([game])?;
    Ok(())
}

/// The outer error rolls back the whole group, the inner one concerns only this table.
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

impl Store {
    /// The whole log of a table and its tail; `None` if there is no such table.
    pub(crate) async fn load(&self, id: &GameId) -> Result<Option<(Tail, Vec<StoredEvent>)>, StoreError> {
        let (reader, id) = (Arc::clone(&self.reader), id.clone());
        let read = tokio::task::spawn_blocking(move || {
            let reader = reader.lock().map_err(|_| StoreError::Closed)?;
            read_log(&reader, &id)
        });
        read.await.map_err(|_| StoreError::Closed)?
    }

    /// The number of stored tables.
    pub fn count_games(&self) -> Result<u64, StoreError> {
        let reader = self.reader.lock().map_err(|_| StoreError::Closed)?;
        Ok(reader.query_row("SELECT count(*) FROM games", [], |row| row.get::<_, i64>(0))?.unsigned_abs())
    }
}

fn read_log(connection: &Connection, id: &GameId) -> Result<Option<(Tail, Vec<StoredEvent>)>, StoreError> {
    let found = connection
        .prepare_cached("SELECT number, last, version FROM games WHERE id = ?1")?
        .query_row([id.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
        .optional()?;
    let Some((game, last, version)) = found else { return Ok(None) };
    let mut rows = Vec::new();
    let mut select = connection.prepare_cached("SELECT game, previous, events FROM log WHERE number = ?1")?;
    let mut at = last;
    while at != 0 {
        let (tracking_key, previous, events) = select
            .query_row([at], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))
            .optional()?
            .ok_or_else(|| StoreError::Damaged(format!("row {at} of the journal is missing")))?;
        if tracking_key != game || previous >= at {
            return Err(StoreError::Damaged(format!("row {at} of the journal belongs elsewhere")));
        }
        rows.push(events);
        at = previous;
    }
    let mut log = Vec::new();
    for row in rows.iter().rev() {
        let events: Vec<StoredEvent> =
            serde_json::from_str(row).map_err(|error| StoreError::Damaged(format!("an event of {id}: {error}")))?;
        log.extend(events);
    }
    if log.len() as i64 != version {
        return Err(StoreError::Damaged(format!("{id} has {} events and should have {version}", log.len())));
    }
    Ok(Some((Tail { game, last, version: version.unsigned_abs() }, log)))
}
