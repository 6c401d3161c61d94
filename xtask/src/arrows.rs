//! `cargo xtask arrows`: the architecture, checked.
//!
//! The dependency arrows between the crates are the architecture, and some of its invariants are absences that the
//! compiler cannot see. [`crates`] checks which crate may know which, [`sources`] what may stand in which file. The
//! checks are pure functions from what was read to a list of findings, so each is tested on an input that breaks it.

mod crates;
mod sources;

use anyhow::{Result, bail};

use crate::metadata::{self, Package};
use crate::no_arguments;
use crate::process::{capture, cargo};

pub(crate) const HELP: &str = "\
usage: cargo xtask arrows

Checks the architecture:
  - each crate depends only on the crates that the table in xtask/src/arrows/crates.rs allows it;
  - the web client does not reach the engine, by whatever way;
  - the crates in crates/ reach nothing that does I/O, tells the time or draws random numbers;
  - rules are composed in crates/room/src only;
  - the engine's executors name no contract;
  - every crate in crates/ is no_std and forbids unsafe code;
  - no file names a path of somebody's machine.";

/// Runs the checks.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("arrows", args)?;
    check()
}

/// All findings at once, so that one run shows everything there is to mend.
pub(crate) fn check() -> Result<()> {
    let packages = metadata::packages()?;
    let sources = sources::read_all()?;
    let mut findings = crates::findings(&packages);
    findings.extend(impure_dependencies(&packages)?);
    findings.extend(sources::findings(&sources));
    report(&findings, packages.iter().filter(|package| package.is_ours()).count(), sources.len())
}

fn impure_dependencies(packages: &[Package]) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| package.is_pure()) {
        findings.extend(crates::impure(&package.name, &dependency_tree(&package.name)?));
    }
    Ok(findings)
}

/// Asked for one package at a time: features that another crate of the workspace switches on must not count here.
fn dependency_tree(package: &str) -> Result<String> {
    let edges = ["--edges", "normal,no-proc-macro", "--target", "all"];
    let form = ["--prefix", "none", "--format", "{p}"];
    capture(cargo(&[&["tree", "--locked", "--package", package], &edges[..], &form[..]].concat()))
}

fn report(findings: &[String], packages: usize, files: usize) -> Result<()> {
    if findings.is_empty() {
        println!("    the architecture holds: {packages} packages, {files} files");
        return Ok(());
    }
    for finding in findings {
        eprintln!("  - {finding}");
    }
    bail!("the architecture is broken in {} place(s), listed above", findings.len())
}
