//! The journal of a run: one line of JSON for each deal, appended when the deal is finished. A run that was stopped continues
//! from its journal.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use texas42_vocab::{Config, SeedText};

use super::{League, pairing::Pair, table::Player};

/// The deals that were played already, and the file for new ones.
pub(crate) struct Journal {
    known: BTreeMap<(String, String, u64), Pair>,
    file: Option<File>,
}

/// The first line of a journal: the settings of the run.
#[derive(Serialize)]
pub(crate) struct Heading<'a> {
    pub(crate) seed: &'a SeedText,
    pub(crate) league: League,
    pub(crate) rules: &'a Config,
}

#[derive(Serialize, Deserialize)]
struct JournalEntry {
    players: [String; 2],
    deal: u64,
    pair: Pair,
}

impl Journal {
    /// Opens or creates the file. Refuses a journal with another seed, another league or other rules.
    pub(crate) fn open(path: Option<&Path>, run: &Heading<'_>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self { known: BTreeMap::new(), file: None }) };
        let heading = serde_json::to_string(run)?;
        let mut file = open_locked(path).with_context(|| format!("{} cannot be written", path.display()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(|| format!("{} cannot be read", path.display()))?;
        // An incomplete last line was being written when the run was stopped.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = (1..).zip(whole.lines());
        let is_ours = match lines.next() {
            Some((_, first)) => first == heading,
            None => heading.starts_with(&text),
        };
        ensure!(is_ours, "{} belongs to another run: {}", path.display(), text.lines().next().unwrap_or(""));
        let known = lines.map(|(number, line)| {
            let what = || format!("{}, line {number}, is not a deal of a journal", path.display());
            let JournalEntry { players: [one, other], deal, pair } = serde_json::from_str(line).with_context(what)?;
            Ok(((one, other, deal), pair))
        });
        let known = known.collect::<anyhow::Result<_>>()?;
        file.set_len(whole.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        if whole.is_empty() {
            writeln!(file, "{heading}")?;
        }
        Ok(Self { known, file: Some(file) })
    }

    pub(crate) fn known(&self, one: Player, other: Player, deal: u64) -> Option<Pair> {
        self.known.get(&(one.to_string(), other.to_string(), deal)).cloned()
    }

    pub(crate) fn append(&mut self, one: Player, other: Player, deal: u64, pair: &Pair) -> anyhow::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let line = JournalEntry { players: [one.to_string(), other.to_string()], deal, pair: pair.clone() };
        Ok(file.write_all(format!("{}\n", serde_json::to_string(&line)?).as_bytes())?)
    }
}

/// Opens and locks the file, because two runs that write to it would mix their lines.
fn open_locked(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path)?;
    file.try_lock().context("another run writes to it")?;
    Ok(file)
}
