//! What was played already: a line of JSON for each deal, appended when it is done, so that a long run can be stopped at
//! any time and goes on where it was.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use texas42_vocab::{Config, SeedText};

use super::{League, pairing::Pair, table::Player};

/// The deals that are known, and the file for new ones.
pub(crate) struct Journal {
    known: BTreeMap<(String, String, u64), Pair>,
    file: Option<File>,
}

/// What a run is about: the first line.
#[derive(Serialize)]
pub(crate) struct Heading<'a> {
    pub(crate) seed: &'a SeedText,
    pub(crate) league: League,
    pub(crate) rules: &'a Config,
}

#[derive(Serialize, Deserialize)]
struct Line {
    players: [String; 2],
    deal: u64,
    pair: Pair,
}

impl Journal {
    /// Opens the file, or makes it; one of another seed, league or other rules is refused.
    pub(crate) fn open(path: Option<&Path>, run: &Heading<'_>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self { known: BTreeMap::new(), file: None }) };
        let heading = serde_json::to_string(run)?;
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let first = lines.next();
        ensure!(
            first.is_none_or(|line| line == heading),
            "{} is of another run: {}",
            path.display(),
            first.unwrap_or("")
        );
        // The last line may have been cut off when the run was stopped.
        let known = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let known =
            known.map(|line| ((line.players[0].clone(), line.players[1].clone(), line.deal), line.pair)).collect();
        let file = OpenOptions::new().create(true).append(true).open(path);
        let mut file = file.with_context(|| format!("{} cannot be written", path.display()))?;
        if first.is_none() {
            writeln!(file, "{heading}")?;
        } else if !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Self { known, file: Some(file) })
    }

    pub(crate) fn known(&self, one: Player, other: Player, deal: u64) -> Option<Pair> {
        self.known.get(&(one.to_string(), other.to_string(), deal)).cloned()
    }

    pub(crate) fn keep(&mut self, one: Player, other: Player, deal: u64, pair: &Pair) -> anyhow::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let line = Line { players: [one.to_string(), other.to_string()], deal, pair: pair.clone() };
        Ok(writeln!(file, "{}", serde_json::to_string(&line)?)?)
    }
}
