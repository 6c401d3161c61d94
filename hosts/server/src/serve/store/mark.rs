//! The high-water mark: a text file beside the database that records how far each table was stored.
//!
//! A journal that lost its end is still consistent, only older. Only a record outside of the journal can show that it was
//! longer. After each commit, and before any event of it is acknowledged, the store appends a line for each table of the
//! commit: its id, its version and the end of its chain. When all commits are in the main file of the database, a summary
//! replaces the lines; it is the first line of the file.
//!
//! Invariant: the mark never claims more than what is durably committed. It is written after the commit and is not synced
//! to the disk. It survives a crash of the process; after a power failure, its last lines may be missing, so that it
//! claims less ([ADR 31](../../../../../docs/adr/0031-damage-is-reported.md)).

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::File,
    io::{Seek, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    StoreError,
    chain::Chain,
    files::{MARK, owner_only},
};

/// The first word of the file, with the version of its format.
const FORMAT: &str = "texas42-mark-1";
/// The length at which the mark is reduced to the last line of each table, in case checkpoints fail.
const MAX_BYTES: u64 = 8 << 20;

/// How far a table was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableMark {
    /// Its version; 0 if it was deleted.
    pub(crate) version: u64,
    /// The end of its chain at that version.
    pub(crate) chain: Chain,
}

impl TableMark {
    /// The mark of a deleted table.
    pub(crate) const DELETED: Self = Self { version: 0, chain: Chain(0) };
}

/// The state of the whole database when all commits were in its main file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// The number of tables.
    pub(crate) tables: u64,
    /// The number of the last row of the journal.
    pub(crate) last_row: i64,
    /// Whether the mark has been kept since the database was created or the loss of an earlier mark was accepted.
    pub(crate) is_complete: bool,
}

impl Summary {
    /// The summary of a new database.
    pub(crate) const NEW: Self = Self { tables: 0, last_row: 0, is_complete: true };
}

/// The contents of a mark.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MarkContents {
    /// The first line; `None` if it is unreadable.
    pub(crate) summary: Option<Summary>,
    /// The tables that were stored since then.
    pub(crate) tables: BTreeMap<String, TableMark>,
    /// The number of unreadable lines. A power failure may leave some.
    pub(crate) unreadable: usize,
}

impl MarkContents {
    /// Reads the mark of a folder; `None` if there is none.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, StoreError> {
        match std::fs::read(folder.join(MARK)) {
            Ok(bytes) => Ok(Some(Self::parse(&String::from_utf8_lossy(&bytes)))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let summary = lines.next().and_then(parse_summary);
        let mut contents = Self { summary, tables: BTreeMap::new(), unreadable: usize::from(summary.is_none()) };
        for line in lines {
            match parse_table(line) {
                Some((id, mark)) => drop(contents.tables.insert(id, mark)),
                None => contents.unreadable += 1,
            }
        }
        contents
    }

    /// Whether it records no stored data.
    pub(crate) fn is_empty(&self) -> bool {
        self.summary.is_some_and(|summary| summary.last_row == 0)
            && self.tables.values().all(|mark| *mark == TableMark::DELETED)
    }
}

/// Splits the check from the end of a line; `None` if it does not match.
fn checked(line: &str) -> Option<Vec<&str>> {
    let (content, check) = line.rsplit_once(' ')?;
    (check_of(content) == check).then(|| content.split(' ').collect())
}

fn check_of(content: &str) -> String {
    format!("{:08x}", xxh3_64(content.as_bytes()) >> 32)
}

fn parse_summary(line: &str) -> Option<Summary> {
    let [FORMAT, tables, last_row, state] = checked(line)?[..] else { return None };
    let is_complete = match state {
        "complete" => true,
        "incomplete" => false,
        _ => return None,
    };
    Some(Summary { tables: tables.parse().ok()?, last_row: last_row.parse().ok()?, is_complete })
}

fn parse_table(line: &str) -> Option<(String, TableMark)> {
    let [id, version, chain] = checked(line)?[..] else { return None };
    let chain = Chain(u64::from_str_radix(chain, 16).ok()?);
    Some((id.to_owned(), TableMark { version: version.parse().ok()?, chain }))
}

fn push_line(text: &mut String, content: &str) {
    writeln!(text, "{content} {}", check_of(content)).ok();
}

/// Appends the line of a table.
pub(crate) fn push_table(text: &mut String, id: &str, mark: TableMark) {
    push_line(text, &format!("{id} {} {:016x}", mark.version, mark.chain.0));
}

/// Writes the mark of a folder.
///
/// [`Mark::append`] after each commit, [`Mark::summarize`] after each checkpoint.
#[derive(Debug)]
pub(crate) struct Mark {
    path: PathBuf,
    file: File,
    length: u64,
    /// Lines that could not be written yet.
    unwritten: String,
    /// Tables of which the database has lost events. They stay in the mark until the loss is accepted.
    lost: BTreeMap<String, TableMark>,
    is_complete: bool,
}

impl Mark {
    /// Replaces the mark of a folder.
    pub(crate) fn create(
        folder: &Path,
        summary: Summary,
        tables: &BTreeMap<String, TableMark>,
        lost: BTreeMap<String, TableMark>,
    ) -> Result<Self, StoreError> {
        let path = folder.join(MARK);
        let (file, length) = replace(&path, summary, tables)?;
        Ok(Self { path, file, length, unwritten: String::new(), lost, is_complete: summary.is_complete })
    }

    /// Appends lines of [`push_table`] for tables that were durably committed. If this fails, they are written with the
    /// next ones.
    pub(crate) fn append(&mut self, lines: &str) -> Result<(), StoreError> {
        self.unwritten.push_str(lines);
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(self.unwritten.as_bytes())?;
        self.length += self.unwritten.len() as u64;
        self.unwritten.clear();
        Ok(())
    }

    /// Syncs the appended lines to the disk.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        Ok(self.file.sync_data()?)
    }

    /// Replaces all lines by a summary. Call it only when every commit is in the main file of the database.
    pub(crate) fn summarize(&mut self, tables: u64, last_row: i64) -> Result<(), StoreError> {
        let summary = Summary { tables, last_row, is_complete: self.is_complete };
        (self.file, self.length) = replace(&self.path, summary, &self.lost)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Keeps only the last line of each table if the file is too long.
    pub(crate) fn bound(&mut self) -> Result<(), StoreError> {
        if self.length < MAX_BYTES {
            return Ok(());
        }
        let contents = MarkContents::parse(&std::fs::read_to_string(&self.path)?);
        let incomplete = Summary { is_complete: false, ..Summary::NEW };
        (self.file, self.length) = replace(&self.path, contents.summary.unwrap_or(incomplete), &contents.tables)?;
        Ok(())
    }
}

/// Writes a new file and moves it over the old one, so that a crash leaves one of the two.
fn replace(path: &Path, summary: Summary, tables: &BTreeMap<String, TableMark>) -> Result<(File, u64), StoreError> {
    let Summary { tables: count, last_row, is_complete } = summary;
    let state = if is_complete { "complete" } else { "incomplete" };
    let mut text = String::new();
    push_line(&mut text, &format!("{FORMAT} {count} {last_row} {state}"));
    tables.iter().for_each(|(id, mark)| push_table(&mut text, id, *mark));
    let new = path.with_extension("mark-new");
    let mut file = owner_only(&mut File::options()).create(true).truncate(true).write(true).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    std::fs::rename(&new, path)?;
    Ok((file, text.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        let random = u64::from_le_bytes(crate::serve::random());
        let folder = std::env::temp_dir().join(format!("texas42-mark-{random:x}"));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    const ANN: TableMark = TableMark { version: 7, chain: Chain(0xabc) };
    const BOB: TableMark = TableMark { version: 9, chain: Chain(0xdef) };

    fn lines(tables: &[(&str, TableMark)]) -> String {
        let mut text = String::new();
        tables.iter().for_each(|(id, mark)| push_table(&mut text, id, *mark));
        text
    }

    #[test]
    fn a_mark_says_what_was_appended_since_the_last_summary() {
        let folder = folder();
        let lost = BTreeMap::from([("lost".to_owned(), BOB)]);
        let mut mark = Mark::create(&folder, Summary::NEW, &lost, lost.clone()).unwrap();
        mark.append(&lines(&[("ann", ANN), ("bob", ANN)])).unwrap();
        mark.append(&lines(&[("bob", BOB), ("ann", TableMark::DELETED)])).unwrap();
        let read = || MarkContents::read(&folder).unwrap().unwrap();
        let tables = |all: &[(&str, TableMark)]| all.iter().map(|(id, mark)| ((*id).to_owned(), *mark)).collect();
        let expected = MarkContents {
            summary: Some(Summary::NEW),
            tables: tables(&[("ann", TableMark::DELETED), ("bob", BOB), ("lost", BOB)]),
            unreadable: 0,
        };
        assert_eq!(read(), expected);

        mark.summarize(1, 40).unwrap();
        let summary = Some(Summary { tables: 1, last_row: 40, is_complete: true });
        assert_eq!(read(), MarkContents { summary, tables: tables(&[("lost", BOB)]), unreadable: 0 });
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// Unreadable or altered lines are skipped.
    #[test]
    fn a_flipped_byte_makes_one_line_unreadable() {
        let mut text = String::new();
        push_line(&mut text, &format!("{FORMAT} 2 30 complete"));
        text.push_str(&lines(&[("ann", ANN), ("bob", BOB)]));
        let intact = MarkContents::parse(&text);
        assert_eq!((intact.tables.len(), intact.unreadable), (2, 0));
        for at in (0..text.len()).filter(|at| text.as_bytes()[*at] != b'\n') {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let read = MarkContents::parse(&String::from_utf8(bytes).unwrap());
            assert!(read.unreadable > 0, "byte {at}");
            assert!(read.summary.is_none_or(|summary| Some(summary) == intact.summary), "byte {at}");
            assert!(read.tables.iter().all(|(id, mark)| intact.tables.get(id) == Some(mark)), "byte {at}");
        }
    }
}
