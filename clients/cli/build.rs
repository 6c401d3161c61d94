//! Sets `TEXAS42_VERSION` for `texas42 --version`: the version of the workspace, and the commit when it is known.
//!
//! The commit is `TEXAS42_COMMIT` if that is set (a container build has no repository), else the one that is checked out. A source
//! tree without a repository has none.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TEXAS42_COMMIT");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for path in watched(&root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let named = env::var("TEXAS42_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| checked_out(&root));
    println!("cargo::rustc-env=TEXAS42_VERSION={}", version(env!("CARGO_PKG_VERSION"), commit.as_deref()));
}

/// `0.1.0 (1a2b3c4d5)`, or `0.1.0` when there is no commit.
pub(crate) fn version(number: &str, commit: Option<&str>) -> String {
    commit.map_or_else(
        || number.to_owned(),
        |commit| format!("{number} ({})", commit.chars().take(SHORT).collect::<String>()),
    )
}

/// How many digits of a commit are shown.
const SHORT: usize = 9;

/// The commit that is checked out at `root`.
pub(crate) fn checked_out(root: &Path) -> Option<String> {
    git(root, &["rev-parse", "HEAD"])
}

/// The files that change when another commit is checked out or made. All of them exist, because cargo would run the script
/// in every build for one that does not.
pub(crate) fn watched(root: &Path) -> Vec<PathBuf> {
    let path_of = |name: &str| git(root, &["rev-parse", "--git-path", name]).map(|path| root.join(path));
    let head = path_of("HEAD");
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"]).and_then(|name| path_of(&name));
    [head, branch].into_iter().flatten().filter_map(|path| nearest_existing(&path)).collect()
}

/// A packed branch has no file of its own. The next commit creates one, and that changes the folder.
fn nearest_existing(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|path| path.exists()).map(Path::to_owned)
}

/// The output of git. Only for a repository at `root`: a source tree below a foreign repository does not have its commit.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    root.join(".git").exists().then_some(())?;
    let output = Command::new("git").args(args).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
