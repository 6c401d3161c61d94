//! `cargo xtask deny`: the dependency policy in `deny.toml`, checked by cargo-deny.
//!
//! The check of licenses, bans and sources reads only the lock file and the downloaded packages, so it gives the same result
//! with and without a network. The check of advisories and yanked versions downloads the RustSec database.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{capture, cargo, program, run as run_program, target};

pub(crate) const HELP: &str = "\
usage: cargo xtask deny [advisories]

Checks every package in Cargo.lock against deny.toml with cargo-deny: licenses, banned crates, wildcard versions and sources.
With `advisories`, downloads the RustSec database and also checks for known vulnerabilities and yanked versions.

Installs cargo-deny to target/tools if the pinned version is not installed; that takes about a minute of CPU time.";

/// The version in use. Another version may read `deny.toml` differently.
const VERSION: &str = "0.20.2";

/// The checks that need no network.
const LOCAL_CHECKS: [&str; 3] = ["licenses", "bans", "sources"];

/// Runs the checks.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => check(),
        ["advisories"] => check().and_then(|()| check_advisories()),
        _ => bail!("`cargo xtask deny` takes no arguments but `advisories`\n\n{HELP}"),
    }
}

/// Checks licenses, bans and sources.
pub(crate) fn check() -> Result<()> {
    let mut command = cargo_deny()?;
    // Downloads the packages of other platforms, which no build of this machine needs. Otherwise does nothing.
    run_program(cargo(&["fetch", "--locked", "--quiet"]))?;
    command.args(["--workspace", "--frozen", "check"]).args(LOCAL_CHECKS);
    run_program(command)
}

fn check_advisories() -> Result<()> {
    let mut command = cargo_deny()?;
    command.args(["--workspace", "--locked", "check", "advisories"]);
    run_program(command)
}

/// The pinned cargo-deny: from `target/tools`, else from the search path, else installed now.
fn cargo_deny() -> Result<Command> {
    let ours = target("tools/bin/cargo-deny");
    let candidates = [ours.clone(), PathBuf::from("cargo-deny")];
    if let Some(path) = candidates.iter().find(|path| is_pinned(path)) {
        return Ok(program(path, &[]));
    }
    println!("    cargo-deny {VERSION} is missing, installing it to target/tools");
    run_program(install())?;
    Ok(program(&ours, &[]))
}

fn is_pinned(path: &std::path::Path) -> bool {
    let version = capture(program(path, &["--version"]));
    version.is_ok_and(|text| text.trim() == format!("cargo-deny {VERSION}"))
}

/// The dev profile: cargo-deny runs for a second, so optimizing it would take longer than it saves.
fn install() -> Command {
    let mut command = cargo(&["install", "--quiet", "--locked", "--profile", "dev", "--force"]);
    command.arg("--root").arg(target("tools")).arg("--target-dir").arg(target("tools/build"));
    command.arg(format!("cargo-deny@{VERSION}"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::words;
    use crate::process::shown;

    #[test]
    fn the_installed_version_is_pinned_and_locked() {
        let line = shown(&install());
        assert!(line.ends_with(&format!("cargo-deny@{VERSION}")) && line.contains("--locked"), "{line}");
    }

    #[test]
    fn another_program_does_not_pass_for_cargo_deny() {
        assert!(!is_pinned("rustc".as_ref()));
        assert!(!is_pinned("texas42-no-such-program".as_ref()));
    }

    #[test]
    fn an_unknown_argument_is_rejected() {
        let error = run(&words("everything")).unwrap_err().to_string();
        assert!(error.contains("advisories"), "{error}");
    }
}
