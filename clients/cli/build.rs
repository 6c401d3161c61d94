//! Sets `TEXAS42_VERSION` for `texas42 --version`: the version of the workspace, and the commit when it is known.
//!
//! `TEXAS42_COMMIT` names the commit if it is set, as in a container build, which has no repository. Otherwise it is the commit
//! that is checked out. A source tree without a repository has no commit.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TEXAS42_COMMIT");
    // Read when the script runs: a copied target folder holds the script of another checkout.
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for build scripts");
    let root = Path::new(&package).join("../..");
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

/// How many digits of the commit `--version` shows.
const SHORT: usize = 9;

/// The commit that is checked out at `root`.
pub(crate) fn checked_out(root: &Path) -> Option<String> {
    git(root, &["rev-parse", "HEAD"])
}

/// The files that change when a commit is made or another one is checked out. Only existing files: cargo would run the script
/// in every build if one were missing.
pub(crate) fn watched(root: &Path) -> Vec<PathBuf> {
    let path_of = |name: &str| git(root, &["rev-parse", "--git-path", name]).map(|path| root.join(path));
    let head = path_of("HEAD");
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"]).and_then(|name| path_of(&name));
    [head, branch].into_iter().flatten().filter_map(|path| nearest_existing(&path)).collect()
}

/// The path, or its nearest ancestor that exists. A packed branch has no file; the next commit creates one, which changes the
/// folder.
fn nearest_existing(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|path| path.exists()).map(Path::to_owned)
}

/// The output of git if `root` is the root of a repository. A source tree that lies inside another repository must not report the
/// commit of that repository.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    root.join(".git").exists().then_some(())?;
    let output = Command::new("git").args(args).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
