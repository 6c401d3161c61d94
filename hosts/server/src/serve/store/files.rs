//! The data folder: its files, its lock, whether there is space, and whether the files are still those that were opened.

use std::{
    fs::{File, Metadata, TryLockError},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::StoreError;

/// The name of the database.
pub(crate) const DATABASE: &str = "texas42.sqlite";
/// The name of its write-ahead log.
pub(crate) const WAL: &str = "texas42.sqlite-wal";
/// The name of its shared memory.
const SHARED_MEMORY: &str = "texas42.sqlite-shm";
/// The name of the high-water mark.
pub(crate) const MARK: &str = "texas42.mark";
const LOCK: &str = "texas42.lock";
/// Written and removed at startup, to find out whether the disk is full.
const PROBE: &str = "texas42.probe";
/// The space that startup needs: the shared memory of SQLite, a new mark, and the first pages of the WAL.
const PROBE_BYTES: usize = 128 * 1024;

/// The path of the database in a folder.
pub fn file_in(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// Creates the folder with access for its owner only, because the journal contains every hand. SQLite gives its
/// auxiliary files the permissions of the main file.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.recursive(true).create(folder)?)
}

/// Options that give a new file to its owner only.
pub(crate) fn owner_only(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Creates the database with access for its owner only, unless it exists.
pub(crate) fn make_database(folder: &Path) {
    owner_only(&mut File::options()).create(true).truncate(false).write(true).open(file_in(folder)).ok();
}

/// Locks the folder for one server. Two servers on one file would lose no data, but each would invalidate the tables in
/// the memory of the other. The lock lives as long as the returned file, and the operating system releases it if the
/// process dies.
pub(crate) fn lock(folder: &Path) -> Result<File, StoreError> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Checks that the disk has space for what startup writes. SQLite would report a full disk as an I/O error.
pub(crate) fn check_space(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(PROBE);
    let write = || {
        let mut probe = owner_only(&mut File::options()).create(true).truncate(true).write(true).open(&path)?;
        probe.write_all(&vec![0xff; PROBE_BYTES])?;
        probe.sync_data()
    };
    let written = write();
    std::fs::remove_file(&path).ok();
    Ok(written?)
}

/// The length of a file in the folder; 0 if it does not exist.
pub(crate) fn length(folder: &Path, name: &str) -> u64 {
    std::fs::metadata(folder.join(name)).map_or(0, |metadata| metadata.len())
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::Full,
            _ => Self::ReadOnly(error.to_string()),
        }
    }
}

/// The identity of a file, which changes when the file is renamed or replaced.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
const fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// The open files of a database. Checks whether their paths still refer to them.
///
/// A deleted file stays open, so SQLite continues to write to it without an error, and the data is lost when the process
/// ends. These files never shrink while the server has them open.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    folder: PathBuf,
    files: Vec<OpenFile>,
}

#[derive(Debug)]
struct OpenFile {
    name: &'static str,
    identity: (u64, u64),
    /// The greatest length so far.
    length: AtomicU64,
}

impl OpenFiles {
    /// Remembers the files that were just opened.
    pub(crate) fn of(folder: &Path) -> Self {
        let open = |name| {
            let metadata = std::fs::metadata(folder.join(name)).ok()?;
            Some(OpenFile { name, identity: identity(&metadata), length: AtomicU64::new(metadata.len()) })
        };
        Self { folder: folder.to_owned(), files: [DATABASE, WAL, SHARED_MEMORY].into_iter().filter_map(open).collect() }
    }

    /// A sentence for each file that was deleted, replaced or truncated since it was opened, and for a missing mark. The
    /// server itself replaces the mark, so only its absence counts.
    pub(crate) fn lost(&self) -> Vec<String> {
        let is_mark_gone = !self.folder.join(MARK).exists();
        let mark = is_mark_gone.then(|| deleted(MARK));
        self.files.iter().filter_map(|file| file.lost(&self.folder)).chain(mark).collect()
    }

    /// Checks that commits reach files that a restart will find.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let stored = self.files.iter().filter(|file| file.name != SHARED_MEMORY);
        stored.filter_map(|file| file.lost(&self.folder)).next().map_or(Ok(()), |lost| Err(StoreError::Gone(lost)))
    }
}

impl OpenFile {
    fn lost(&self, folder: &Path) -> Option<String> {
        let Ok(metadata) = std::fs::metadata(folder.join(self.name)) else {
            return Some(deleted(self.name));
        };
        if identity(&metadata) != self.identity {
            return Some(format!("{} was replaced while the server was running", self.name));
        }
        let before = self.length.fetch_max(metadata.len(), Ordering::Relaxed);
        (metadata.len() < before).then(|| format!("{} was truncated while the server was running", self.name))
    }
}

fn deleted(name: &str) -> String {
    format!("{name} was deleted while the server was running")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        let random = u64::from_le_bytes(crate::serve::random());
        let folder = std::env::temp_dir().join(format!("texas42-files-{random:x}"));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[cfg(unix)]
    #[test]
    fn files_that_were_deleted_replaced_or_truncated_are_named() {
        let folder = folder();
        for name in [DATABASE, WAL, SHARED_MEMORY, MARK] {
            std::fs::write(folder.join(name), "content").unwrap();
        }
        let open = OpenFiles::of(&folder);
        std::fs::write(folder.join(DATABASE), "longer content").unwrap();
        assert!(open.lost().is_empty() && open.check().is_ok(), "files may grow");

        std::fs::write(folder.join(DATABASE), "content").unwrap();
        std::fs::write(folder.join("other"), "content").unwrap();
        std::fs::rename(folder.join("other"), folder.join(WAL)).unwrap();
        std::fs::remove_file(folder.join(SHARED_MEMORY)).unwrap();
        let lost = open.lost().join("; ");
        for expected in
            [format!("{DATABASE} was truncated"), format!("{WAL} was replaced"), format!("{SHARED_MEMORY} was deleted")]
        {
            assert!(lost.contains(&expected), "{lost}");
        }
        assert!(matches!(open.check(), Err(StoreError::Gone(_))));
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// `/dev/full` is a disk that is always full.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named() {
        let folder = folder();
        assert!(check_space(&folder).is_ok());
        std::os::unix::fs::symlink("/dev/full", folder.join(PROBE)).unwrap();
        assert!(matches!(check_space(&folder), Err(StoreError::Full)));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
