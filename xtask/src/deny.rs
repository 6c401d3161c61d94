//! `cargo xtask deny`: the dependency policy in `deny.toml`, checked by cargo-deny.
//!
//! The check of licenses, bans and sources reads only the lock file and the downloaded packages, so it gives the same result
//! with and without a network. The check of advisories and yanked versions downloads the RustSec database.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{cargo, program, run as run_program};
use crate::tools::Tool;

pub(crate) const HELP: &str = "\
usage: cargo xtask deny [advisories]

Checks every package in Cargo.lock against deny.toml with cargo-deny: licenses, banned crates, wildcard versions and sources.
With `advisories`, downloads the RustSec database and also checks for known vulnerabilities and yanked versions.

Installs cargo-deny to target/tools if the pinned version is not installed; that takes about a minute of CPU time.";

/// Another version may read `deny.toml` differently.
const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", version_args: &["--version"] };

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

/// The pinned cargo-deny.
fn cargo_deny() -> Result<Command> {
    Ok(program(CARGO_DENY.find_or_install()?, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::words;

    #[test]
    fn an_unknown_argument_is_rejected() {
        let error = run(&words("everything")).unwrap_err().to_string();
        assert!(error.contains("advisories"), "{error}");
    }
}
