//! `texas42 --version` names the version of the workspace and the commit, and finding the commit does not dirty the build.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

#[allow(dead_code, reason = "its `main` is for cargo")]
#[path = "../build.rs"]
mod build_script;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use build_script::{checked_out, version, watched};
use support::{file, texas42};

const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// A folder that is removed at the end of its test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("version-{name}"));
        std::fs::remove_dir_all(&folder).ok();
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
        let output = Command::new("git").args(identity).args(args).current_dir(&self.0).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    }

    fn commit(&self) -> String {
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "Change nothing"]);
        checked_out(&self.0).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
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
    let repository = Scratch::new("foreign");
    repository.git(&["init", "--quiet"]);
    repository.commit();
    let unpacked = repository.0.join("texas42-0.1.0");
    std::fs::create_dir(&unpacked).unwrap();
    assert_eq!(checked_out(&unpacked), None, "not even below a foreign repository");
    assert!(watched(&unpacked).is_empty());
}

/// Cargo runs a build script in every build when it watches a file that does not exist.
#[test]
fn every_watched_file_exists_and_a_commit_changes_one() {
    let repository = Scratch::new("commits");
    repository.git(&["init", "--quiet", "--initial-branch", "topic/branch"]);
    let first = repository.commit();
    let branch = repository.0.join(".git/refs/heads/topic/branch");
    assert_eq!(watched(&repository.0), [repository.0.join(".git/HEAD"), branch.clone()]);

    repository.git(&["pack-refs", "--all"]);
    let packed = watched(&repository.0);
    assert!(packed.iter().all(|path| path.exists()), "{packed:?}");
    assert!(
        branch.starts_with(&packed[1]) && packed[1] != repository.0,
        "the next commit makes a file below {packed:?}"
    );
    assert_eq!(checked_out(&repository.0).unwrap(), first);

    let second = repository.commit();
    assert_ne!(first, second);
    repository.git(&["checkout", "--quiet", "--detach", &first]);
    assert_eq!(watched(&repository.0), [repository.0.join(".git/HEAD")], "without a branch, HEAD holds the commit");
    assert_eq!(checked_out(&repository.0).unwrap(), first);
}
