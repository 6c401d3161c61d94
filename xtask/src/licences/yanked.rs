//! Versions that their authors took back.
//!
//! Cargo keeps what the registry's index said about each crate, in a file per crate below its home folder, and a dry
//! `cargo update` brings those files up to date without touching the lock file. Reading them asks whichever registry or
//! mirror this machine is set up with, and sends nothing itself. The form of the files is cargo's own affair: a version
//! that is not found in them is a finding as long as the registry answers, so a change of form cannot pass as "fine".

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::metadata::Package;
use crate::process::{cargo, succeeds};

/// What the index says about one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Fine,
    Yanked,
    Unknown,
}

/// The locked versions that were yanked, or that the registry does not know.
pub(super) fn findings(packages: &[Package]) -> Result<Vec<String>> {
    let is_fresh = succeeds(cargo(&["update", "--dry-run"]));
    if !is_fresh {
        println!("    note: the registry does not answer; what was yanked lately is not known");
    }
    let folders = index_folders()?;
    let look_up = |package: &Package| entry_in(&folders, &package.name, &package.version);
    Ok(packages.iter().filter_map(|package| finding(package, look_up(package), is_fresh)).collect())
}

fn finding(package: &Package, entry: Entry, is_fresh: bool) -> Option<String> {
    let Package { name, version, .. } = package;
    match entry {
        Entry::Yanked => Some(format!("{name} {version} has been yanked; `cargo update {name}` finds another")),
        Entry::Unknown if is_fresh => Some(format!("{name} {version} is not in cargo's copy of the index")),
        Entry::Unknown | Entry::Fine => None,
    }
}

/// Cargo's copies of the indexes, one folder per registry.
fn index_folders() -> Result<Vec<PathBuf>> {
    let indexes = cargo_home()?.join("registry").join("index");
    let Ok(folders) = std::fs::read_dir(&indexes) else {
        return Ok(Vec::new());
    };
    Ok(folders.flatten().map(|folder| folder.path().join(".cache")).collect())
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    Ok(std::env::home_dir().context("there is no home folder to find cargo's in")?.join(".cargo"))
}

fn entry_in(folders: &[PathBuf], name: &str, version: &str) -> Entry {
    let files = folders.iter().filter_map(|folder| std::fs::read(folder.join(file_of(name))).ok());
    let mut entries = files.map(|file| entry(&file, version));
    entries.find(|entry| *entry != Entry::Unknown).unwrap_or(Entry::Unknown)
}

/// The index has a folder for names of one, two and three letters, and for the first four letters of all others.
fn file_of(name: &str) -> PathBuf {
    let name = name.to_lowercase();
    match name.len() {
        1 | 2 => Path::new(&name.len().to_string()).join(&name),
        3 => Path::new("3").join(&name[..1]).join(&name),
        _ => Path::new(&name[..2]).join(&name[2..4]).join(&name),
    }
}

/// After a header, a file alternates between a version and what the index says about it, each ended by a zero byte.
fn entry(file: &[u8], version: &str) -> Entry {
    let mut parts = file.split(|byte| *byte == 0).skip_while(|part| *part != version.as_bytes());
    let json = parts.nth(1).and_then(|json| serde_json::from_slice::<Value>(json).ok()).unwrap_or_default();
    match (json["vers"].as_str(), json["yanked"].as_bool()) {
        (Some(found), Some(true)) if found == version => Entry::Yanked,
        (Some(found), Some(false)) if found == version => Entry::Fine,
        _ => Entry::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"\x03\x02\0\0\0etag: \"x\"\0\
        1.0.0\0{\"name\": \"thing\", \"vers\": \"1.0.0\", \"yanked\": true}\0\
        1.0.1+a\0{\"name\": \"thing\", \"vers\": \"1.0.1+a\", \"yanked\": false}\0";

    fn thing() -> Package {
        Package { name: "thing".to_owned(), version: "1.0.0".to_owned(), ..Package::default() }
    }

    #[test]
    fn the_index_is_read() {
        assert_eq!(entry(FILE, "1.0.0"), Entry::Yanked);
        assert_eq!(entry(FILE, "1.0.1+a"), Entry::Fine);
        assert_eq!(entry(FILE, "1.0.2"), Entry::Unknown);
        assert_eq!(entry(b"", "1.0.0"), Entry::Unknown);
        assert_eq!(entry(b"1.0.0\0not json\0", "1.0.0"), Entry::Unknown);
    }

    #[test]
    fn a_yanked_version_is_found() {
        assert!(finding(&thing(), Entry::Yanked, true).unwrap().contains("thing 1.0.0 has been yanked"));
        assert!(finding(&thing(), Entry::Yanked, false).is_some(), "an old answer is still an answer");
        assert_eq!(finding(&thing(), Entry::Fine, true), None);
    }

    #[test]
    fn not_knowing_is_fine_only_when_the_registry_is_silent() {
        assert!(finding(&thing(), Entry::Unknown, true).is_some());
        assert_eq!(finding(&thing(), Entry::Unknown, false), None);
    }

    #[test]
    fn files_are_named_as_the_index_names_them() {
        assert_eq!(file_of("a"), Path::new("1/a"));
        assert_eq!(file_of("syn"), Path::new("3/s/syn"));
        assert_eq!(file_of("Serde"), Path::new("se/rd/serde"));
    }
}
