//! `texas42 --version` prints the version of the workspace and the commit, and watching the commit causes no needless rebuilds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

#[allow(dead_code, reason = "its `main` is for cargo")]
#[path = "../build.rs"]
mod build_script;

use std::{path::Path, process::Command};

use build_script::{checked_out, version, watched};
use support::{file, texas42};
use texas42_conformance::scratch::Scratch;

const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// A git repository in a temporary folder.
struct Repository(Scratch);

impl Repository {
    fn init(args: &[&str]) -> Self {
        let repository = Self(Scratch::new());
        repository.git(&[&["init", "--quiet"], args].concat());
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
        let output = Command::new("git").args(identity).args(args).current_dir(self.path()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    }

    fn commit(&self) -> String {
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "Change nothing"]);
        checked_out(self.path()).unwrap()
    }
}

#[test]
fn the_program_names_its_version_and_commit() {
    let named = option_env!("TEXAS42_COMMIT").filter(|commit| !commit.is_empty()).map(str::to_owned);
    let commit = named.or_else(|| checked_out(&file(".")));
    assert_eq!(texas42(&["--version"], b"").stdout, format!("texas42 {}\n", version(NUMBER, commit.as_deref())));
}

#[test]
fn the_commit_is_short() {
    assert_eq!(version("0.1.0", Some("0123456789abcdef0123456789abcdef01234567")), "0.1.0 (012345678)");
    assert_eq!(version("0.1.0", Some("0123")), "0.1.0 (0123)");
    assert_eq!(version("0.1.0", None), "0.1.0");
}

#[test]
fn a_source_tree_without_a_repository_has_no_commit() {
    let repository = Repository::init(&[]);
    repository.commit();
    let unpacked = repository.path().join("texas42-0.1.0");
    std::fs::create_dir(&unpacked).unwrap();
    assert_eq!(checked_out(&unpacked), None, "not even below a foreign repository");
    assert!(watched(&unpacked).is_empty());
}

/// Cargo runs a build script in every build when it watches a file that does not exist.
#[test]
fn every_watched_file_exists_and_a_commit_changes_one() {
    let repository = Repository::init(&["--initial-branch", "topic/branch"]);
    let first = repository.commit();
    let path = repository.path();
    let branch = path.join(".git/refs/heads/topic/branch");
    assert_eq!(watched(path), [path.join(".git/HEAD"), branch.clone()]);

    repository.git(&["pack-refs", "--all"]);
    let packed = watched(path);
    assert!(packed.iter().all(|path| path.exists()), "{packed:?}");
    assert!(branch.starts_with(&packed[1]) && packed[1] != path, "the next commit makes a file below {packed:?}");
    assert_eq!(checked_out(path).unwrap(), first);

    let second = repository.commit();
    assert_ne!(first, second);
    repository.git(&["checkout", "--quiet", "--detach", &first]);
    assert_eq!(watched(path), [path.join(".git/HEAD")], "without a branch, HEAD holds the commit");
    assert_eq!(checked_out(path).unwrap(), first);
}
