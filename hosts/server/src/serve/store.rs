//! The store: the logs of all tables in one SQLite file, written by one thread that groups commits across tables.
//!
//! The file is an append-only journal. Each row of `log` holds the events that one table stored in one commit and
//! points to the table's previous row; `games` holds the end of each chain. A commit for a hundred tables therefore
//! touches the last pages of the journal and a few pages of `games` instead of a hundred places in an index
//! ([ADR 11](../../../../docs/adr/0011-one-journal-for-all-tables.md)).
//!
//! Invariants: a commit is acknowledged only after it has reached the disk (`synchronous=FULL`), in files that a restart
//! will find, and after the high-water mark records it. A table's log grows only from the version that its writer expects,
//! so a log never forks. A table with damaged or missing data is refused and reported
//! ([ADR 31](../../../../docs/adr/0031-damage-is-reported.md)).

use std::{
    collections::{BTreeMap, HashSet},
    fs::File,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering, mpsc},
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use texas42_protocol::GameId;
use texas42_room::StoredEvent;
use tokio::sync::oneshot;

use self::{
    chain::{Chain, Row},
    files::OpenFiles,
    mark::{Mark, TableMark, push_table},
    open::Opened,
    scan::{COLUMNS, Progress, intact_part, read_row},
};
use super::metrics::Metrics;

mod chain;
mod files;
mod mark;
mod offline;
mod open;
mod scan;

pub use files::file_in;
pub use offline::{DataReport, accept_loss, backup, verify};
pub use scan::{DamagedTable, Findings};

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
const MAX_DELETED: usize = 32;
/// Number of WAL pages after which a checkpoint runs.
const CHECKPOINT_PAGES: u64 = 2048;
/// Maximum number of damaged tables that the log and `/healthz` name.
const MAX_NAMED: usize = 100;

/// An error of the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full, or the file has reached [`StoreSettings::max_bytes`].
    #[error("the disk is full, or the database has reached its limit")]
    Full,
    /// The file cannot be written.
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    /// The file is not a valid database.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The source of a copy is missing, or its destination exists.
    #[error("{0}")]
    Unusable(String),
    /// Another process has locked the folder.
    #[error("another server uses it; each server needs its own folder")]
    InUse,
    /// The stored data of the table is damaged.
    #[error("{0}")]
    DamagedTable(DamagedTable),
    /// The files of the database were deleted or replaced, so a restart would not find what this server writes to them.
    #[error("{0}")]
    Gone(String),
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

impl StoreError {
    /// The summary for clients, which reveals nothing about the file and its contents. The log has the whole error.
    pub(crate) const fn summary(&self) -> &'static str {
        match self {
            Self::Full => "the disk is full, or the database has reached its limit",
            Self::ReadOnly(_) => "the database cannot be written",
            Self::Damaged(_) | Self::DamagedTable(_) | Self::Conflict(_) => "the database is damaged",
            Self::Gone(_) => "the files of the database are gone",
            Self::Unusable(_) | Self::InUse | Self::Closed | Self::Other(_) => "the database failed",
        }
    }
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
    pub max_bytes: Option<u64>,
    /// Whether tables share commits. Set it to `false` only for measurements.
    pub is_grouped: bool,
}

/// The end of a table's stored log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    game: i64,
    last: i64,
    pub(crate) version: u64,
    chain: Chain,
}

/// A request to append events to the log of one table.
struct Commit {
    id: GameId,
    /// `None` for a new table.
    tail: Option<Tail>,
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

/// The problems of the stored data, and whether more can be stored.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Damage {
    /// Problems that concern the data as a whole.
    pub(crate) problems: Vec<String>,
    /// The damaged tables, up to [`MAX_NAMED`].
    pub(crate) tables: Vec<DamagedTable>,
    /// The number of damaged tables.
    pub(crate) damaged_tables: usize,
}

impl Damage {
    /// Whether there are no problems.
    pub(crate) const fn is_empty(&self) -> bool {
        self.problems.is_empty() && self.damaged_tables == 0
    }
}

/// The event logs of all tables.
///
/// [`Store::open`] starts the writer thread, and [`Store::end`] stops it. In between, each table appends its events; an
/// append returns after its commit has reached the disk.
pub struct Store {
    requests: mpsc::SyncSender<WriterRequest>,
    reader: Arc<Mutex<Connection>>,
    files: Arc<OpenFiles>,
    /// Why the mark could not be written; `None` if it was.
    mark_failure: Arc<Mutex<Option<String>>>,
    problems: Vec<String>,
    /// The damaged tables by id. They are neither read nor written nor deleted.
    damaged: Arc<Mutex<BTreeMap<String, DamagedTable>>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// Opens or creates the database in a folder, checks it and starts its writer thread. Damaged tables are logged and
    /// refused; the others are served.
    ///
    /// # Errors
    /// When the folder cannot be written, another server has locked it, the disk is full, or the file is unusable as a
    /// whole or not a database of ours.
    pub fn open(settings: &StoreSettings, metrics: Arc<Metrics>) -> Result<Self, StoreError> {
        files::make_folder(&settings.folder)?;
        let lock = files::lock(&settings.folder)?;
        files::check_space(&settings.folder)?;
        let Opened { connection, mark, tables, findings } = open::open(settings)?;
        report(&findings);
        let reader = Connection::open_with_flags(file_in(&settings.folder), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        reader.busy_timeout(Duration::from_secs(5))?;
        let (files, mark_failure) = (Arc::new(OpenFiles::of(&settings.folder)), Arc::default());
        let (requests, queue) = mpsc::sync_channel(QUEUE_CAPACITY);
        let max_batch = if settings.is_grouped { MAX_BATCH } else { 1 };
        let writer = Writer {
            connection,
            metrics,
            mark,
            mark_failure: Arc::clone(&mark_failure),
            files: Arc::clone(&files),
            tables,
            since_checkpoint: 0,
            last: None,
            _lock: lock,
        };
        let spawned =
            std::thread::Builder::new().name("texas42-store".into()).spawn(move || writer.run(&queue, max_batch));
        spawned.map_err(|error| StoreError::Other(error.to_string()))?;
        let damaged = findings.tables.into_iter().map(|table| (table.game_id.clone(), table)).collect();
        Ok(Self {
            requests,
            reader: Arc::new(Mutex::new(reader)),
            files,
            mark_failure,
            problems: findings.problems,
            damaged: Arc::new(Mutex::new(damaged)),
        })
    }

    /// The current problems of the stored data.
    pub(crate) fn damage(&self) -> Damage {
        let damaged = lock(&self.damaged);
        let problems = self.problems.iter().cloned().chain(self.files.lost()).chain(lock(&self.mark_failure).clone());
        Damage {
            problems: problems.collect(),
            tables: damaged.values().take(MAX_NAMED).cloned().collect(),
            damaged_tables: damaged.len(),
        }
    }

    fn check_table(&self, id: &GameId) -> Result<(), StoreError> {
        let damaged = lock(&self.damaged).get(id.as_str()).cloned();
        damaged.map_or(Ok(()), |table| Err(StoreError::DamagedTable(table)))
    }

    /// Waits until everything is written and checkpointed. Later writes fail with [`StoreError::Closed`].
    pub async fn end(&self) {
        let (done, ended) = oneshot::channel();
        if self.enqueue(WriterRequest::End(done)).await.is_ok() {
            ended.await.ok();
        }
    }
}

/// Logs what was found at startup.
fn report(findings: &Findings) {
    findings.notes.iter().for_each(|note| tracing::warn!("{note}"));
    findings.problems.iter().for_each(|problem| tracing::error!("the stored data is damaged: {problem}"));
    findings.tables.iter().take(MAX_NAMED).for_each(|table| tracing::error!("the stored data is damaged: {table}"));
    if !findings.is_intact() {
        let tables = findings.tables.len();
        tracing::error!(tables, "damaged tables are refused, the others are served; see `texas42 verify-data`");
    }
}

impl Store {
    /// Stores the first events of a new table.
    pub(crate) async fn create(&self, id: &GameId, at: u64, events: &[StoredEvent]) -> Result<Tail, StoreError> {
        self.check_table(id)?;
        self.commit(id, None, at, events).await
    }

    /// Stores the next events of a table.
    pub(crate) async fn append(
        &self,
        id: &GameId,
        tail: Tail,
        at: u64,
        events: &[StoredEvent],
    ) -> Result<Tail, StoreError> {
        self.commit(id, Some(tail), at, events).await
    }

    async fn commit(
        &self,
        id: &GameId,
        tail: Option<Tail>,
        at: u64,
        events: &[StoredEvent],
    ) -> Result<Tail, StoreError> {
        let text = serde_json::to_string(events).map_err(|error| StoreError::Other(error.to_string()))?;
        let (done, answer) = oneshot::channel();
        let commit = Commit { id: id.clone(), tail, events: text, count: events.len() as u64, at, done };
        self.enqueue(WriterRequest::Commit(commit)).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Deletes up to [`MAX_DELETED`] tables last written before `before`, except those in `open`. Returns how many were
    /// deleted; 0 when none are left.
    pub(crate) async fn delete_untouched(&self, before: u64, mut open: HashSet<GameId>) -> Result<u64, StoreError> {
        // A damaged table is kept for the operator.
        open.extend(lock(&self.damaged).keys().filter_map(|id| GameId::try_from(id.as_str()).ok()));
        let (done, answer) = oneshot::channel();
        self.enqueue(WriterRequest::Delete { before, open, done }).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Queues a request. The queue is long, so it is full only when the disk is far behind.
    async fn enqueue(&self, mut request: WriterRequest) -> Result<(), StoreError> {
        loop {
            match self.requests.try_send(request) {
                Ok(()) => return Ok(()),
                Err(mpsc::TrySendError::Full(unsent)) => request = unsent,
                Err(mpsc::TrySendError::Disconnected(_)) => return Err(StoreError::Closed),
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// The state of the writer thread.
struct Writer {
    connection: Connection,
    metrics: Arc<Metrics>,
    mark: Mark,
    mark_failure: Arc<Mutex<Option<String>>>,
    files: Arc<OpenFiles>,
    /// The number of stored tables.
    tables: u64,
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
        if let Some((started, tables)) = self.last
            && tables >= GROUP_THRESHOLD
        {
            let interval = if tables >= LARGE_GROUP { LARGE_GROUP_INTERVAL } else { GROUP_INTERVAL };
            std::thread::sleep(interval.saturating_sub(started.elapsed()));
        }
    }

    fn commit(&mut self, group: Vec<Commit>) {
        let started = Instant::now();
        self.last = Some((started, group.len()));
        let mut written = self.write(&group);
        if matches!(written, Err(StoreError::Full)) {
            // A checkpoint frees the WAL, and its pages take less space in the file.
            self.checkpoint();
            written = self.write(&group);
        }
        self.record_metrics(&group, started, written.is_ok());
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
        let tails: Vec<_> = group.iter().map(|commit| write_one(&transaction, commit)).collect::<Result<_, _>>()?;
        transaction.commit()?;
        self.files.check()?;
        self.mark(group, &tails);
        Ok(tails)
    }

    /// Records the last commit in the mark.
    fn mark(&mut self, group: &[Commit], tails: &[Result<Tail, StoreError>]) {
        let mut lines = String::with_capacity(group.len() * 64);
        for (commit, tail) in group.iter().zip(tails) {
            let Ok(tail) = tail else { continue };
            self.tables += u64::from(commit.tail.is_none());
            push_table(&mut lines, commit.id.as_str(), TableMark { version: tail.version, chain: tail.chain });
        }
        let written = self.mark.append(&lines);
        self.note_mark(written);
    }

    /// Remembers for `/healthz` whether the mark could be written. The commits are stored either way.
    fn note_mark(&self, written: Result<(), StoreError>) {
        let failure = written.err().map(|error| format!("{} cannot be written: {error}", files::MARK));
        let mut known = lock(&self.mark_failure);
        if let Some(failure) = failure.as_ref().filter(|failure| known.as_ref() != Some(failure)) {
            tracing::error!("{failure}");
        }
        *known = failure;
    }

    /// Deletes a few tables at a time, so that no player waits long.
    fn delete_untouched(&mut self, before: u64, open: &HashSet<GameId>) -> Result<u64, StoreError> {
        let untouched = untouched_since(&self.connection, before, open.len() as u64 + MAX_DELETED as u64)?;
        let is_open = |id: &str| GameId::try_from(id).is_ok_and(|id| open.contains(&id));
        let mut deleted: Vec<_> = untouched.into_iter().filter(|(_, id, _)| !is_open(id)).collect();
        deleted.truncate(MAX_DELETED);
        if deleted.is_empty() {
            return Ok(0);
        }
        // Before the commit, so that the mark never claims more than what is stored.
        let mut lines = String::new();
        deleted.iter().for_each(|(_, id, _)| push_table(&mut lines, id, TableMark::DELETED));
        self.mark.append(&lines)?;
        self.mark.sync()?;
        let transaction = self.connection.transaction()?;
        deleted.iter().try_for_each(|(game, _, last)| delete_table(&transaction, *game, *last))?;
        transaction.commit()?;
        let deleted = deleted.len() as u64;
        self.tables -= deleted;
        self.since_checkpoint += deleted;
        Ok(deleted)
    }

    fn record_metrics(&mut self, group: &[Commit], started: Instant, is_stored: bool) {
        let bytes: u64 = group.iter().map(|commit| commit.events.len() as u64 + 32).sum();
        self.since_checkpoint += bytes / 4096 + 3;
        self.metrics.store_works.store(is_stored, Ordering::Relaxed);
        if is_stored {
            self.metrics.commits.add(1);
            self.metrics.stores.add(group.len() as u64);
            self.metrics.events.add(group.iter().map(|commit| commit.count).sum());
            self.metrics.commit_time.observe(started.elapsed());
        } else {
            self.metrics.store_failures.add(1);
        }
    }

    /// Moves the WAL into the database, so that it does not grow without bound, and the mark with it.
    fn checkpoint(&mut self) {
        self.since_checkpoint = 0;
        let started = Instant::now();
        let frames = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let result = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], frames);
        match result {
            Ok((all, moved)) => {
                tracing::debug!(milliseconds = started.elapsed().as_millis() as u64, "checkpoint");
                let written = if all == moved { self.summarize() } else { self.mark.bound() };
                self.note_mark(written);
            }
            Err(error) => tracing::warn!(%error, "the checkpoint failed"),
        }
    }

    fn summarize(&mut self) -> Result<(), StoreError> {
        let last_row = self
            .connection
            .prepare_cached("SELECT coalesce(max(number), 0) FROM log")?
            .query_row([], |row| row.get(0))?;
        self.mark.summarize(self.tables, last_row)
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

/// Writes one commit. The outer error rolls back the whole group; the inner one concerns only this table.
fn write_one(connection: &Connection, commit: &Commit) -> Result<Result<Tail, StoreError>, StoreError> {
    let before = match commit.tail {
        Some(tail) => tail,
        None => match insert_game(connection, &commit.id, commit.at)? {
            Some(game) => Tail { game, last: 0, version: 0, chain: Chain::start(commit.id.as_str()) },
            None => return Ok(Err(StoreError::Conflict(0))),
        },
    };
    let Tail { game, last: previous, version, chain } = before;
    let after = version + commit.count;
    let row = Row { game, previous, version: after, at: commit.at, events: commit.events.as_bytes() };
    let chain = chain.next(&row);
    let mut insert = connection.prepare_cached(
        "INSERT INTO log (game, previous, events, version, at, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut update = connection.prepare_cached(
        "UPDATE games SET version = ?1, last = ?2, touched = ?3 WHERE number = ?4 AND version = ?5 AND last = ?6",
    )?;
    insert.execute(params![game, previous, commit.events, after as i64, commit.at as i64, chain.stored()])?;
    let last = connection.last_insert_rowid();
    let moved = update.execute(params![after as i64, last, commit.at as i64, game, version as i64, previous])?;
    if moved == 1 {
        return Ok(Ok(Tail { game, last, version: after, chain }));
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
    /// The whole log of a table and its tail; `None` if there is no such table. A table that turns out to be damaged is
    /// refused from then on.
    pub(crate) async fn load(&self, id: &GameId) -> Result<Option<(Tail, Vec<StoredEvent>)>, StoreError> {
        self.check_table(id)?;
        let (reader, wanted) = (Arc::clone(&self.reader), id.clone());
        let read = tokio::task::spawn_blocking(move || {
            let reader = reader.lock().map_err(|_| StoreError::Closed)?;
            read_log(&reader, &wanted)
        });
        let read = read.await.map_err(|_| StoreError::Closed)?;
        if let Err(StoreError::DamagedTable(table)) = &read {
            tracing::error!("the stored data is damaged: {table}");
            lock(&self.damaged).insert(table.game_id.clone(), table.clone());
        }
        read
    }

    /// The number of stored tables.
    pub fn count_games(&self) -> Result<u64, StoreError> {
        let reader = self.reader.lock().map_err(|_| StoreError::Closed)?;
        Ok(reader.query_row("SELECT count(*) FROM games", [], |row| row.get::<_, i64>(0))?.unsigned_abs())
    }
}

/// The row of a table in `games`.
struct StoredTable {
    game: i64,
    last: i64,
    version: u64,
    touched: u64,
}

fn read_log(connection: &Connection, id: &GameId) -> Result<Option<(Tail, Vec<StoredEvent>)>, StoreError> {
    let found = connection
        .prepare_cached("SELECT number, last, version, touched FROM games WHERE id = ?1")?
        .query_row([id.as_str()], |row| {
            let number = |column| row.get::<_, i64>(column);
            let (version, touched) = (number(2)?.cast_unsigned(), number(3)?.cast_unsigned());
            Ok(StoredTable { game: number(0)?, last: number(1)?, version, touched })
        })
        .optional()?;
    let Some(table) = found else { return Ok(None) };
    let rows = chained_rows(connection, &table)?;
    let mut end = Progress::start(id.as_str());
    let mut log = Vec::new();
    for (number, row) in rows.iter().rev() {
        let StoredRow { previous, version, at, chain, events } = row;
        let content =
            Row { game: table.game, previous: *previous, version: *version, at: *at, events: events.as_bytes() };
        if !end.advance(*number, &content, *chain) {
            break;
        }
        let Ok(events) = serde_json::from_str::<Vec<StoredEvent>>(events) else {
            return Err(StoreError::Damaged(format!("an event of {id} is of a newer version")));
        };
        log.extend(events);
    }
    let is_whole = (end.version, end.last, end.at) == (table.version, table.last, table.touched);
    if !is_whole || log.len() as u64 != table.version {
        let intact = intact_part(connection, table.game, id.as_str())?;
        let (intact_version, stored_version) = (intact.version, table.version.max(intact.version));
        let damaged = DamagedTable { game_id: id.to_string(), intact_version, stored_version };
        return Err(StoreError::DamagedTable(damaged));
    }
    Ok(Some((Tail { game: table.game, last: end.last, version: end.version, chain: end.chain }, log)))
}

/// A row of the journal, with its hash.
struct StoredRow {
    previous: i64,
    version: u64,
    at: u64,
    chain: Chain,
    events: String,
}

/// The rows of a table by number, the last one first, as far as they can be found.
fn chained_rows(connection: &Connection, table: &StoredTable) -> Result<Vec<(i64, StoredRow)>, StoreError> {
    let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM log WHERE number = ?1"))?;
    let (mut rows, mut at) = (Vec::new(), table.last);
    while at != 0 {
        let mut found = select.query([at])?;
        let Some((number, row, chain)) = found.next()?.and_then(read_row) else { break };
        if row.game != table.game || row.previous >= number {
            break;
        }
        let Row { previous, version, at: stored_at, events, .. } = row;
        let Ok(events) = String::from_utf8(events.to_vec()) else { break };
        rows.push((number, StoredRow { previous, version, at: stored_at, chain, events }));
        at = previous;
    }
    Ok(rows)
}
