//! Checks, repairs and copies a data folder, for `texas42 verify-data` and `texas42 backup`.

use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, params};

use super::{
    StoreError,
    files::{self, DATABASE, MARK, file_in},
    mark::{Mark, MarkContents, Summary, TableMark},
    open::{self, open_to_read},
    scan::{self, Findings, Progress, Scan},
};

/// A database that was checked.
#[derive(Debug)]
pub struct DataReport {
    /// The number of tables.
    pub tables: u64,
    /// The number of events in the intact parts of their logs.
    pub events: u64,
    /// What is wrong.
    pub findings: Findings,
}

impl From<Scan> for DataReport {
    fn from(Scan { tables, events, mut findings, older, .. }: Scan) -> Self {
        findings.problems.extend(older);
        Self { tables, events, findings }
    }
}

/// Checks a data folder that no server uses, without changing the database or the mark.
///
/// # Errors
/// When a server uses the folder, or the database cannot be read at all.
pub fn verify(folder: &Path) -> Result<DataReport, StoreError> {
    let _lock = lock_existing(folder)?;
    let Some(connection) = open_to_read(folder)? else {
        let note = "a journal of version 0.1.0 has no checksums; the server adds them when it opens it".to_owned();
        return Ok(DataReport {
            tables: 0,
            events: 0,
            findings: Findings { notes: vec![note], ..Findings::default() },
        });
    };
    let mark = MarkContents::read(folder)?;
    match scan::check_structure(&connection) {
        Ok(()) => Ok(scan::scan(&connection, mark.as_ref())?.into()),
        Err(damage) => {
            // As far as the tables can still be read.
            let scan = scan::scan(&connection, mark.as_ref()).unwrap_or_default();
            let mut report = DataReport::from(scan);
            report.findings.problems.insert(0, damage.to_string());
            Ok(report)
        }
    }
}

/// Sets every damaged table back to its last intact version, removes those without one, and writes a new mark. Returns
/// what was lost.
///
/// # Errors
/// When a server uses the folder, or the structure of the database is damaged.
pub fn accept_loss(folder: &Path) -> Result<DataReport, StoreError> {
    let _lock = lock_existing(folder)?;
    drop(
        open_to_read(folder)?.ok_or_else(|| {
            StoreError::Unusable("it has an older version; start the server once to upgrade it".into())
        })?,
    );
    let mut connection = Connection::open(file_in(folder))?;
    scan::check_structure(&connection)?;
    let scan = scan::scan(&connection, MarkContents::read(folder)?.as_ref())?;
    let transaction = connection.transaction()?;
    scan.cut.iter().try_for_each(|(game, intact)| cut_back(&transaction, *game, intact))?;
    transaction.execute("DELETE FROM log WHERE game NOT IN (SELECT number FROM games)", [])?;
    transaction.commit()?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Mark::create(folder, open::summary_of(&connection)?, &BTreeMap::new(), BTreeMap::new())?;
    Ok(scan.into())
}

fn cut_back(connection: &Connection, game: i64, intact: &Progress) -> Result<(), StoreError> {
    connection.execute("DELETE FROM log WHERE game = ?1 AND number > ?2", [game, intact.last])?;
    if intact.version == 0 {
        connection.execute("DELETE FROM games WHERE number = ?1", [game])?;
        return Ok(());
    }
    let (version, at) = (intact.version.cast_signed(), intact.at.cast_signed());
    let row = params![version, intact.last, at, game];
    connection.execute("UPDATE games SET version = ?1, last = ?2, touched = ?3 WHERE number = ?4", row)?;
    Ok(())
}

fn lock_existing(folder: &Path) -> Result<File, StoreError> {
    if !folder.is_dir() {
        return Err(StoreError::Unusable("there is no such folder".into()));
    }
    files::lock(folder)
}

/// Copies the database of a data folder into another folder, while a server may be using it, and checks the copy. The
/// copy contains everything that was acknowledged before the call.
///
/// # Errors
/// When the database cannot be read, or the target has a database or cannot be written.
pub fn backup(folder: &Path, target: &Path) -> Result<DataReport, StoreError> {
    if file_in(target).exists() || target.join(MARK).exists() {
        return Err(StoreError::Unusable(format!("{} has a database already", target.display())));
    }
    let before = MarkContents::read(folder)?;
    let Some(source) = open_to_read(folder)? else {
        return Err(StoreError::Unusable("it has an older version; start the server once to upgrade it".into()));
    };
    let part = copy(&source, target)?;
    let after = MarkContents::read(folder)?;
    let connection = Connection::open(&part)?;
    scan::check_structure(&connection)?;
    let scan = scan::scan(&connection, without_deleted(before, after).as_ref())?;
    let is_complete = scan.findings.problems.is_empty() && scan.older.is_none();
    let summary = Summary { tables: scan.tables, last_row: scan.last_row, is_complete };
    drop(connection);
    std::fs::rename(part, file_in(target))?;
    Mark::create(target, summary, &scan.lost, scan.lost.clone())?;
    #[cfg(unix)]
    File::open(target)?.sync_all()?;
    Ok(scan.into())
}

/// Writes the copy under another name, so that nobody takes an unfinished one for a backup.
fn copy(source: &Connection, target: &Path) -> Result<PathBuf, StoreError> {
    files::make_folder(target)?;
    let part = target.join(format!("{DATABASE}.part"));
    let file = files::owner_only(&mut File::options()).create(true).truncate(true).write(true).open(&part)?;
    source.execute("VACUUM INTO ?1", [part.to_string_lossy()])?;
    file.sync_all()?;
    Ok(part)
}

/// The mark from before the copy, without the tables that the server deleted meanwhile.
fn without_deleted(before: Option<MarkContents>, after: Option<MarkContents>) -> Option<MarkContents> {
    let mut mark = before?;
    let deleted = after.into_iter().flat_map(|after| after.tables).filter(|(_, mark)| *mark == TableMark::DELETED);
    mark.tables.extend(deleted);
    Some(mark)
}
