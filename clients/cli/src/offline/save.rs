//! The saved game of a person: one file in the data folder, one line for each batch of events.
//!
//! Invariants: a batch is on the disk before [`SaveFile::append`] returns; a line that a crash cut short was never
//! acknowledged, and is cut off; a new game replaces the old one in one step, when its first batch is stored.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use texas42_client::Ticket;
use texas42_room::{Room, StoredEvent};

/// The file of the game.
const GAME: &str = "game.jsonl";
/// The file that a running program holds a lock on.
const LOCK: &str = "game.lock";

/// A game as it was saved.
#[derive(Clone, Debug)]
pub struct Saved {
    /// How the person comes back to the seat.
    pub ticket: Ticket,
    /// Everything that happened at the table.
    pub log: Vec<StoredEvent>,
}

impl Saved {
    /// Whether the game is over, so that there is nothing to resume.
    pub fn is_over(&self) -> bool {
        let room = Room::restore(0, self.ticket.game_id.clone(), &[0; 32], &self.log);
        room.is_ok_and(|room| room.phase().is_over())
    }
}

/// The file that a game is saved in. One program at a time has it.
#[derive(Debug)]
pub struct SaveFile {
    folder: PathBuf,
    _lock: File,
    /// The first line of a game whose first batch is not stored yet.
    begun: Option<Ticket>,
    /// The file that batches are appended to.
    file: Option<File>,
}

/// The folder in which this user's game is saved.
///
/// # Errors
/// When the user has no home folder.
pub fn user_folder() -> anyhow::Result<PathBuf> {
    let folders = etcetera::choose_base_strategy().context("there is no home folder to save the game in")?;
    Ok(folders.data_dir().join("texas42"))
}

impl SaveFile {
    /// Opens the save file in a folder, which is created where it is missing.
    ///
    /// # Errors
    /// When the folder cannot be written, or another program plays the saved game.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let failed = || format!("the game cannot be saved in {}", folder.display());
        fs::create_dir_all(folder).with_context(failed)?;
        let lock = File::create(folder.join(LOCK)).with_context(failed)?;
        if lock.try_lock().is_err() {
            bail!("another texas42 plays the game in {}; close it first", folder.display());
        }
        Ok(Self { folder: folder.to_owned(), _lock: lock, begun: None, file: None })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(GAME)
    }

    /// The saved game, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self) -> anyhow::Result<Option<Saved>> {
        let path = self.path();
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let saved = read_lines(whole)
            .with_context(|| format!("{} is not a saved game; --new starts afresh", path.display()))?;
        self.file = Some(self.reopen(whole.len() as u64)?);
        Ok(Some(saved))
    }

    /// The file behind its last whole line.
    fn reopen(&self, length: u64) -> io::Result<File> {
        let mut file = OpenOptions::new().write(true).open(self.path())?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    }

    /// The next batch is the first of a new game, which replaces the saved one.
    pub fn begin(&mut self, ticket: Ticket) {
        self.begun = Some(ticket);
    }

    /// Writes a batch of events to the disk.
    ///
    /// # Errors
    /// When it is not there afterwards.
    pub fn append(&mut self, events: &[StoredEvent]) -> io::Result<()> {
        let line = serde_json::to_string(events)? + "\n";
        if let Some(ticket) = &self.begun {
            self.file = Some(self.replace(&(serde_json::to_string(ticket)? + "\n" + &line))?);
            self.begun = None;
            return Ok(());
        }
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("no game was begun"))?;
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    fn replace(&self, text: &str) -> io::Result<File> {
        let new = self.folder.join(format!("{GAME}.new"));
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(new, self.path())?;
        Ok(file)
    }
}

fn read_lines(text: &str) -> anyhow::Result<Saved> {
    let mut lines = text.lines();
    let ticket = serde_json::from_str(lines.next().context("it is empty")?)?;
    let batches = lines.map(serde_json::from_str::<Vec<StoredEvent>>).collect::<Result<Vec<_>, _>>()?;
    Ok(Saved { ticket, log: batches.concat() })
}
