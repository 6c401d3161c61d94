//! A person's saved game: one file in the data folder, with one line for each batch of events.
//!
//! Invariants:
//! - A batch is on disk before [`GameStore::append`] returns.
//! - A line that a crash cut short was never acknowledged, and is removed when the file is read.
//! - A new game replaces the old one atomically, when its first batch is stored.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use texas42_client::Ticket;
use texas42_room::{Room, StoredEvent};
use texas42_sdk::{GameStore, SavedGame};

/// The file of the game.
const GAME: &str = "game.jsonl";
/// The file that a running program locks.
const LOCK: &str = "game.lock";

/// Whether a saved game is over, so that there is nothing to resume.
pub fn is_over(saved: &SavedGame) -> bool {
    let room = Room::restore(0, saved.ticket.game_id.clone(), &[0; 32], &saved.log);
    room.is_ok_and(|room| room.phase().is_over())
}

/// The file in which a game is saved. Only one program at a time can open it. Call [`SaveFile::read`] to resume a game or
/// [`GameStore::begin`] to start one, then [`GameStore::append`] each batch of events.
#[derive(Debug)]
pub struct SaveFile {
    folder: PathBuf,
    _lock: File,
    /// The ticket of a new game whose first batch is not stored yet.
    new_game: Option<Ticket>,
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
    /// Opens the save file in a folder, and creates the folder if it is missing.
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
        Ok(Self { folder: folder.to_owned(), _lock: lock, new_game: None, file: None })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(GAME)
    }

    /// The saved game, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self) -> anyhow::Result<Option<SavedGame>> {
        let path = self.path();
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let saved = read_lines(whole)
            .with_context(|| format!("{} is not a saved game; --new starts a new one", path.display()))?;
        self.file = Some(self.reopen(whole.len() as u64)?);
        Ok(Some(saved))
    }

    /// Opens the file for appending, without the incomplete line at its end.
    fn reopen(&self, length: u64) -> io::Result<File> {
        let mut file = OpenOptions::new().write(true).open(self.path())?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
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

impl GameStore for SaveFile {
    fn load(&mut self) -> io::Result<Option<SavedGame>> {
        self.read().map_err(|error| io::Error::other(format!("{error:#}")))
    }

    fn begin(&mut self, ticket: Ticket) {
        self.new_game = Some(ticket);
    }

    fn append(&mut self, events: &[StoredEvent]) -> io::Result<()> {
        let line = serde_json::to_string(events)? + "\n";
        if let Some(ticket) = &self.new_game {
            self.file = Some(self.replace(&(serde_json::to_string(ticket)? + "\n" + &line))?);
            self.new_game = None;
            return Ok(());
        }
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("no game was started"))?;
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }
}

fn read_lines(text: &str) -> anyhow::Result<SavedGame> {
    let mut lines = text.lines();
    let ticket = serde_json::from_str(lines.next().context("it is empty")?)?;
    let batches = lines.map(serde_json::from_str::<Vec<StoredEvent>>).collect::<Result<Vec<_>, _>>()?;
    Ok(SavedGame { ticket, log: batches.concat() })
}
