//! `cargo xtask arrows`: checks the architecture.
//!
//! The compiler cannot check which dependencies and names must be absent. [`crates`] checks the dependencies between
//! crates, [`names`] the names of public types, [`sources`] the contents of files. Each check is a pure function from its
//! input to a list of findings, and is tested with an input that violates it.

mod crates;
mod names;
mod sources;

use anyhow::{Result, bail};

use crate::metadata::{self, Package};
use crate::no_arguments;
use crate::process::{capture, cargo};

pub(crate) const HELP: &str = "\
usage: cargo xtask arrows

Checks the architecture:
  - each crate depends only on the crates that the table in xtask/src/arrows/crates.rs allows it;
  - the web client does not depend on the engine, directly or indirectly;
  - the crates in crates/ depend on nothing that does I/O, reads the clock or draws random numbers;
  - no crate reaches two public types with the same name;
  - rules are composed in crates/room/src only;
  - the engine's executors name no contract;
  - every crate in crates/ is no_std and forbids unsafe code;
  - no file contains a path of a particular machine.";

/// Runs the checks.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("arrows", args)?;
    check()
}

/// Runs all checks and reports all findings at once.
pub(crate) fn check() -> Result<()> {
    let packages = metadata::packages()?;
    let sources = sources::read_all()?;
    let mut findings = crates::findings(&packages);
    findings.extend(impure_dependencies(&packages)?);
    findings.extend(names::findings(&packages, &sources));
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

/// Returns the dependency tree of one package, without features that other crates of the workspace enable.
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
    bail!("the architecture check found {} problem(s), listed above", findings.len())
}
