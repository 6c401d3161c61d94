//! Checks a whole database: its structure, the chain of each table, and the high-water mark.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, types::ValueRef};

use super::{
    StoreError,
    chain::{Chain, Row},
    files::MARK,
    mark::{MarkContents, TableMark},
};

/// A table with missing or damaged data.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DamagedTable {
    /// Its id.
    pub game_id: String,
    /// The last version up to which its log is intact; 0 if nothing is.
    pub intact_version: u64,
    /// The version that was stored.
    pub stored_version: u64,
}

impl std::fmt::Display for DamagedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game_id, intact_version, stored_version } = self;
        write!(f, "table {game_id} is intact up to version {intact_version} of {stored_version}")
    }
}

/// The problems of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The damaged tables.
    pub tables: Vec<DamagedTable>,
    /// Other problems, one sentence each.
    pub problems: Vec<String>,
    /// Notes about harmless findings, one sentence each.
    pub notes: Vec<String>,
}

impl Findings {
    /// Whether all stored data is present and intact.
    pub fn is_intact(&self) -> bool {
        self.tables.is_empty() && self.problems.is_empty()
    }
}

/// What [`scan`] found in a database.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The number of tables.
    pub(crate) tables: u64,
    /// The number of events in the intact parts of their logs.
    pub(crate) events: u64,
    /// The number of the last row of the journal.
    pub(crate) last_row: i64,
    /// Why the database is older than its mark; `None` if it is not.
    pub(crate) older: Option<String>,
    /// The tables for which the mark records a version that the database lacks.
    pub(crate) lost: BTreeMap<String, TableMark>,
    /// The intact parts of the damaged tables, by the number of the table.
    pub(crate) cut: Vec<(i64, Progress)>,
    pub(crate) findings: Findings,
}

/// The intact part of a table's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) version: u64,
    pub(crate) last: i64,
    pub(crate) at: u64,
    pub(crate) chain: Chain,
}

impl Progress {
    /// Before the first row of a table.
    pub(crate) fn start(id: &str) -> Self {
        Self { version: 0, last: 0, at: 0, chain: Chain::start(id) }
    }

    /// Advances over a row if it is the next one of the table and intact. Returns whether it was.
    pub(crate) fn advance(&mut self, number: i64, row: &Row<'_>, chain: Chain) -> bool {
        let is_next = row.previous == self.last && number > self.last && row.version > self.version;
        if !is_next || self.chain.next(row) != chain {
            return false;
        }
        *self = Self { version: row.version, last: number, at: row.at, chain };
        true
    }
}

/// The columns of a row, in the order in which [`read_row`] reads them.
pub(crate) const COLUMNS: &str = "number, game, previous, version, at, chain, events";

/// Reads a row of the journal with [`COLUMNS`]. Returns its number, its content and its hash; `None` if a damaged file
/// has values of other types in it.
pub(crate) fn read_row<'a>(row: &'a rusqlite::Row<'_>) -> Option<(i64, Row<'a>, Chain)> {
    let number = |column| row.get_ref(column).ok()?.as_i64().ok();
    let (ValueRef::Text(events) | ValueRef::Blob(events)) = row.get_ref(6).ok()? else { return None };
    let content = Row {
        game: number(1)?,
        previous: number(2)?,
        version: number(3)?.cast_unsigned(),
        at: number(4)?.cast_unsigned(),
        events,
    };
    Some((number(0)?, content, Chain(number(5)?.cast_unsigned())))
}

/// The intact part of one table's log.
pub(crate) fn intact_part(connection: &Connection, game: i64, id: &str) -> Result<Progress, StoreError> {
    let mut select = connection.prepare(&format!("SELECT {COLUMNS} FROM log WHERE game = ?1 ORDER BY number"))?;
    let mut rows = select.query([game])?;
    let mut intact = Progress::start(id);
    while let Some(row) = rows.next()? {
        if let Some((number, content, chain)) = read_row(row) {
            intact.advance(number, &content, chain);
        }
    }
    Ok(intact)
}

/// Checks that the pages of the file form valid trees, and that the index fits its table.
pub(crate) fn check_structure(connection: &Connection) -> Result<(), StoreError> {
    let answer: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if answer == "ok" { Ok(()) } else { Err(StoreError::Damaged(answer.replace('\n', " "))) }
}

/// A table according to `games`, and what the scan found of its log.
struct TableScan {
    id: String,
    version: u64,
    last: i64,
    touched: u64,
    mark: Option<TableMark>,
    /// Whether its log had the marked hash at the marked version.
    is_mark_met: bool,
    found: Progress,
}

impl TableScan {
    fn advance(&mut self, number: i64, row: &Row<'_>, chain: Chain) {
        if self.found.advance(number, row, chain)
            && self.mark.is_some_and(|mark| mark.version == row.version && mark.chain == chain)
        {
            self.is_mark_met = true;
        }
    }

    /// Whether the whole log that `games` claims is there.
    fn is_whole(&self) -> bool {
        let Progress { version, last, at, .. } = self.found;
        (version, last, at) == (self.version, self.last, self.touched) && version > 0
    }

    /// The mark, if the log does not go through it.
    fn unmet_mark(&self) -> Option<TableMark> {
        self.mark.filter(|mark| *mark != TableMark::DELETED && !self.is_mark_met)
    }

    fn damage(&self) -> Option<DamagedTable> {
        let unmet = self.unmet_mark();
        if self.is_whole() && unmet.is_none() {
            return None;
        }
        let marked = unmet.map_or(0, |mark| mark.version);
        // A log that continues past the mark without its hash is a different log.
        let is_other = unmet.is_some_and(|mark| mark.version <= self.found.version);
        Some(DamagedTable {
            game_id: self.id.clone(),
            intact_version: if is_other { 0 } else { self.found.version },
            stored_version: self.version.max(marked).max(self.found.version),
        })
    }
}

/// Checks the log of every table, and whether the database has everything that the mark records.
pub(crate) fn scan(connection: &Connection, mark: Option<&MarkContents>) -> Result<Scan, StoreError> {
    let mut tables = read_tables(connection, mark)?;
    let mut scan = Scan { tables: tables.len() as u64, ..Scan::default() };
    let strays = scan_log(connection, &mut tables, &mut scan.last_row)?;
    if strays > 0 {
        scan.findings.problems.push(format!("{strays} rows of the journal belong to no table"));
    }
    let mut by_id: Vec<_> = tables.iter().collect();
    by_id.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
    for (number, table) in by_id {
        scan.events += table.found.version;
        if let Some(damage) = table.damage() {
            scan.findings.tables.push(damage);
            scan.cut.push((*number, table.found));
            scan.lost.extend(table.unmet_mark().map(|mark| (table.id.clone(), mark)));
        }
    }
    check_mark(&mut scan, &tables, mark);
    Ok(scan)
}

fn read_tables(connection: &Connection, mark: Option<&MarkContents>) -> Result<HashMap<i64, TableScan>, StoreError> {
    let mut select = connection.prepare("SELECT number, id, version, last, touched FROM games")?;
    let mut rows = select.query([])?;
    let mut tables = HashMap::new();
    while let Some(row) = rows.next()? {
        let number = |column| row.get_ref(column).ok().and_then(|value| value.as_i64().ok()).unwrap_or(-1);
        let id = match row.get_ref(1)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => "?".to_owned(),
        };
        let table = TableScan {
            version: number(2).cast_unsigned(),
            last: number(3),
            touched: number(4).cast_unsigned(),
            mark: mark.and_then(|mark| mark.tables.get(&id).copied()),
            is_mark_met: false,
            found: Progress::start(&id),
            id,
        };
        tables.insert(number(0), table);
    }
    Ok(tables)
}

/// Follows the chains of all tables at once, in the order of the file. Returns the number of rows without a table.
fn scan_log(
    connection: &Connection,
    tables: &mut HashMap<i64, TableScan>,
    last_row: &mut i64,
) -> Result<u64, StoreError> {
    let mut select = connection.prepare(&format!("SELECT {COLUMNS} FROM log ORDER BY number"))?;
    let mut rows = select.query([])?;
    let mut strays = 0;
    while let Some(row) = rows.next()? {
        *last_row = row.get(0)?;
        // An unreadable row interrupts the chain of its table.
        let Some((number, content, chain)) = read_row(row) else { continue };
        match tables.get_mut(&content.game) {
            Some(table) => table.advance(number, &content, chain),
            None => strays += 1,
        }
    }
    Ok(strays)
}

/// Finds losses that only the mark reveals: tables that are missing entirely, and a database that is older than its mark.
fn check_mark(scan: &mut Scan, tables: &HashMap<i64, TableScan>, mark: Option<&MarkContents>) {
    let Some(mark) = mark else {
        let missing = format!("{MARK} is missing, so a lost end of the journal cannot be detected");
        return scan.findings.problems.push(missing);
    };
    let known: std::collections::HashSet<&str> = tables.values().map(|table| table.id.as_str()).collect();
    for (id, lost) in &mark.tables {
        if *lost != TableMark::DELETED && !known.contains(id.as_str()) {
            let (game_id, stored_version) = (id.clone(), lost.version);
            scan.findings.tables.push(DamagedTable { game_id, intact_version: 0, stored_version });
            scan.lost.insert(id.clone(), *lost);
        }
    }
    match mark.summary {
        None => scan.findings.problems.push(format!("the first line of {MARK} is unreadable")),
        Some(summary) if !summary.is_complete => {
            scan.findings.problems.push(format!("an earlier {MARK} was missing or unreadable"));
        }
        Some(_) => {}
    }
    if mark.unreadable > usize::from(mark.summary.is_none()) {
        let note = format!("{} lines of {MARK} are unreadable, as after a power failure", mark.unreadable);
        scan.findings.notes.push(note);
    }
    scan.older = older_than(scan, mark);
}

/// A sentence if the database has less than at the last summary, apart from deleted tables; `None` otherwise.
fn older_than(scan: &Scan, mark: &MarkContents) -> Option<String> {
    let summary = mark.summary?;
    let deleted = mark.tables.values().filter(|mark| **mark == TableMark::DELETED).count() as u64;
    let has_fewer_tables = scan.tables < summary.tables.saturating_sub(deleted);
    let has_fewer_rows = deleted == 0 && scan.last_row < summary.last_row;
    (has_fewer_tables || has_fewer_rows).then(|| {
        format!(
            "it is older than its {MARK}: it has {} tables and ends at row {}, and {} tables and row {} were stored",
            scan.tables, scan.last_row, summary.tables, summary.last_row
        )
    })
}
