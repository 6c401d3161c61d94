//! Opens a database: creates it or brings it to the current schema, and checks that everything that was stored is there.

use std::{collections::BTreeMap, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig, params};
use serde::de::IgnoredAny;

use super::{
    StoreError, StoreSettings,
    chain::{Chain, Row},
    files::{self, DATABASE, WAL, file_in},
    mark::{Mark, MarkContents, Summary, TableMark},
    scan::{self, Findings, Scan},
};

/// Version of the database schema. Version 1 had no chains. A file with a newer version is left untouched.
const SCHEMA_VERSION: i64 = 2;
/// The most tables that an error names.
const MAX_NAMED: usize = 8;
const ADVICE: &str = "restore a backup, and see `texas42 verify-data`";

/// A database that is ready for its writer.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) mark: Mark,
    pub(crate) tables: u64,
    pub(crate) findings: Findings,
}

/// Opens or creates the database in a folder that the caller has locked.
///
/// # Errors
/// When the file is unusable as a whole. Damaged tables are in [`Opened::findings`].
pub(crate) fn open(settings: &StoreSettings) -> Result<Opened, StoreError> {
    let folder = &settings.folder;
    check_not_emptied(folder, MarkContents::read(folder)?.as_ref())?;
    files::make_database(folder);
    let mut connection = Connection::open(file_in(folder))?;
    // If the server refuses to start, closing the connection must not move a damaged WAL into the database.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    configure(&connection)?;
    let schema = schema_of(&connection)?;
    scan::check_structure(&connection).map_err(with_advice)?;
    if schema < SCHEMA_VERSION {
        upgrade(&mut connection, folder, schema)?;
    }
    set_size_limit(&connection, settings)?;
    let marked = MarkContents::read(folder)?;
    let scan = scan::scan(&connection, marked.as_ref())?;
    if let Some(older) = &scan.older {
        return Err(with_advice(StoreError::Damaged(older.clone())));
    }
    let mark = continue_mark(folder, marked, &scan)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(Opened { connection, mark, tables: scan.tables, findings: scan.findings })
}

/// Opens a database of the current schema for reading. Returns `None` if it is of an older version.
pub(crate) fn open_to_read(folder: &Path) -> Result<Option<Connection>, StoreError> {
    check_not_emptied(folder, MarkContents::read(folder)?.as_ref())?;
    if files::length(folder, DATABASE) == 0 {
        return Err(StoreError::Unusable(format!("{DATABASE} is missing or empty")));
    }
    let connection = Connection::open_with_flags(file_in(folder), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    match schema_of(&connection)? {
        0 => Err(StoreError::Damaged("it has no tables, but it is not empty".into())),
        SCHEMA_VERSION => Ok(Some(connection)),
        _ => Ok(None),
    }
}

fn configure(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_secs(5))?;
    // Before anything is written to it.
    schema_of(connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    Ok(())
}

/// The version of the schema; 0 for a new file.
fn schema_of(connection: &Connection) -> Result<i64, StoreError> {
    let schema: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if !(0..=SCHEMA_VERSION).contains(&schema) {
        return Err(StoreError::Damaged(format!(
            "it has schema version {schema}, this version supports {SCHEMA_VERSION}"
        )));
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if schema == 0 && tables > 0 {
        return Err(StoreError::Damaged("it is a database of another program".into()));
    }
    Ok(schema)
}

fn set_size_limit(connection: &Connection, settings: &StoreSettings) -> Result<(), StoreError> {
    let Some(bytes) = settings.max_bytes else { return Ok(()) };
    let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    connection.query_row(&format!("PRAGMA max_page_count = {}", (bytes / page).max(1)), [], |_| Ok(()))?;
    Ok(())
}

/// Detects an empty or missing database that was not empty. SQLite would take it for a new one and delete its WAL.
fn check_not_emptied(folder: &Path, mark: Option<&MarkContents>) -> Result<(), StoreError> {
    if files::length(folder, DATABASE) > 0 {
        return Ok(());
    }
    let what = if file_in(folder).exists() { "empty" } else { "missing" };
    match mark {
        Some(mark) if !mark.is_empty() => {
            Err(with_advice(StoreError::Damaged(format!("{DATABASE} is {what}; {}", stored(mark)))))
        }
        _ if files::length(folder, WAL) > 0 => {
            Err(with_advice(StoreError::Damaged(format!("{DATABASE} is {what}, and {WAL} is not"))))
        }
        _ => Ok(()),
    }
}

/// What was stored, according to a mark.
fn stored(mark: &MarkContents) -> String {
    let tables = mark.tables.iter().filter(|(_, mark)| **mark != TableMark::DELETED);
    let named: Vec<String> =
        tables.clone().take(MAX_NAMED).map(|(id, mark)| format!("{id} up to version {}", mark.version)).collect();
    let more = tables.count() - named.len();
    let named = if named.is_empty() { "none since the last checkpoint".to_owned() } else { named.join(", ") };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let before = mark.summary.map_or(0, |summary| summary.tables);
    format!("the {before} tables of the last checkpoint are lost, and the tables stored since then: {named}{more}")
}

fn with_advice(error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged(what) => StoreError::Damaged(format!("{what}; {ADVICE}")),
        other => other,
    }
}

/// Creates the tables, or adds the chains to a database of version 1.
///
/// The mark is written first, so that a database of this version always has one.
fn upgrade(connection: &mut Connection, folder: &Path, schema: i64) -> Result<(), StoreError> {
    if let Some(mark) = MarkContents::read(folder)?
        && schema == 0
        && !mark.is_empty()
    {
        return Err(with_advice(StoreError::Damaged(format!("it has no tables; {}", stored(&mark)))));
    }
    let summary = if schema == 0 { Summary::NEW } else { summary_of(connection)? };
    drop(Mark::create(folder, summary, &BTreeMap::new(), BTreeMap::new())?);
    let transaction = connection.transaction()?;
    if schema == 0 {
        transaction.execute_batch(
            "CREATE TABLE games (
                 number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, last INTEGER NOT NULL,
                 touched INTEGER NOT NULL);
             CREATE TABLE log (
                 number INTEGER PRIMARY KEY, game INTEGER NOT NULL, previous INTEGER NOT NULL, events TEXT NOT NULL,
                 version INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL DEFAULT 0, chain INTEGER NOT NULL DEFAULT 0);",
        )?;
    } else {
        add_chains(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()?;
    // Then a removed WAL takes no table definitions with it.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

pub(crate) fn summary_of(connection: &Connection) -> Result<Summary, StoreError> {
    let number = |query| connection.query_row(query, [], |row| row.get::<_, i64>(0));
    let tables = number("SELECT count(*) FROM games")?.unsigned_abs();
    Ok(Summary { tables, last_row: number("SELECT coalesce(max(number), 0) FROM log")?, is_complete: true })
}

/// Computes the chains of a journal of version 1. Earlier damage cannot be detected, except for rows that are missing or
/// are not JSON: their tables get no chain, so they count as damaged.
fn add_chains(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "ALTER TABLE log ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE log ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE log ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;",
    )?;
    let mut games = connection.prepare("SELECT number, id, last, touched FROM games")?;
    let mut games = games.query([])?;
    while let Some(game) = games.next()? {
        let rows = rows_of(connection, game.get(0)?, game.get(2)?)?;
        add_chain(connection, game.get(0)?, &game.get::<_, String>(1)?, game.get(3)?, &rows)?;
    }
    Ok(())
}

/// The numbers of a table's rows, the first one first.
fn rows_of(connection: &Connection, game: i64, last: i64) -> Result<Vec<i64>, StoreError> {
    let mut select = connection.prepare_cached("SELECT previous FROM log WHERE number = ?1 AND game = ?2")?;
    let (mut numbers, mut at) = (Vec::new(), last);
    while at != 0 {
        let Ok(previous) = select.query_row(params![at, game], |row| row.get(0)) else { break };
        numbers.push(at);
        at = if previous < at { previous } else { 0 };
    }
    numbers.reverse();
    Ok(numbers)
}

fn add_chain(connection: &Connection, game: i64, id: &str, touched: i64, rows: &[i64]) -> Result<(), StoreError> {
    let mut select = connection.prepare_cached("SELECT previous, events FROM log WHERE number = ?1")?;
    let mut update = connection.prepare_cached("UPDATE log SET version = ?1, at = ?2, chain = ?3 WHERE number = ?4")?;
    let (mut version, mut chain) = (0, Chain::start(id));
    for number in rows {
        let (previous, events): (i64, String) = select.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Ok(stored) = serde_json::from_str::<Vec<IgnoredAny>>(&events) else { break };
        version += stored.len() as u64;
        // The time of earlier rows is not known.
        let at = if Some(number) == rows.last() { touched } else { 0 };
        chain = chain.next(&Row { game, previous, version, at: at.cast_unsigned(), events: events.as_bytes() });
        update.execute(params![version.cast_signed(), at, chain.stored(), number])?;
    }
    Ok(())
}

/// Rewrites the mark at startup. What the database lacks stays in it, so that the loss is reported until it is accepted.
fn continue_mark(folder: &Path, marked: Option<MarkContents>, scan: &Scan) -> Result<Mark, StoreError> {
    let (summary, tables) = match marked {
        Some(MarkContents { summary: Some(summary), tables, .. }) => (summary, tables),
        other => {
            let summary = Summary { tables: scan.tables, last_row: scan.last_row, is_complete: false };
            (summary, other.map(|marked| marked.tables).unwrap_or_default())
        }
    };
    Mark::create(folder, summary, &tables, scan.lost.clone())
}
