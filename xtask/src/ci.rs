//! `cargo xtask ci`: runs every check that a change must pass, locally and on build machines alike.
//!
//! Cheap checks run first. The first failure ends the run.

use anyhow::{Result, ensure};

use crate::metadata::Package;
use crate::process::{cargo, run as run_program};
use crate::steps::Steps;
use crate::test::Tally;
use crate::{arrows, bundle, deny, fuzz, metadata, no_arguments, targets, test, worlds};

pub(crate) const HELP: &str = "\
usage: cargo xtask ci

Formatting, clippy (for browsers too), documentation, the architecture checks (`cargo xtask arrows`), the pure crates without
`std` and as WebAssembly, the dependencies (`cargo xtask deny`), the lock file of fuzz/, the laws on random inputs
(`cargo xtask fuzz`), all tests (`cargo xtask test`), and simulated worlds (`cargo xtask worlds`): those from seed 1, and others
that follow from the date. Stops at the first failure. Ends with a table of the steps and their times, the ten slowest steps and
the ten slowest test programs.";

/// Runs all steps; the table is printed for a failed run too.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("ci", args)?;
    let mut steps = Steps::default();
    let mut tally = Tally::default();
    let result = add_steps(&mut steps, &mut tally);
    test::conclude(&steps, &tally, &result)
}

fn add_steps(steps: &mut Steps, tally: &mut Tally) -> Result<()> {
    steps.run("formatting", || run_program(cargo(&["fmt", "--all", "--check"])))?;
    steps.run("the architecture", arrows::check)?;
    steps.run("the dependencies", deny::check)?;
    steps.run("the lock file of fuzz", fuzz::check_lock)?;
    steps.run("clippy", clippy)?;
    steps.run("clippy for the browser", bundle::clippy)?;
    steps.run("documentation", documentation)?;
    steps.run("the pure crates without std", || build_pure_crates("check", targets::NO_STD))?;
    steps.run("the pure crates as WebAssembly", || build_pure_crates("build", targets::WASM))?;
    // Before the tests, which end with another build of these crates: a server that embeds the page.
    steps.run("the laws on random inputs", || fuzz::check(fuzz::DEFAULT_SECONDS))?;
    test::add_steps(steps, tally, &[])?;
    steps.run("simulated worlds from seed 1", worlds::check)?;
    steps.run("simulated worlds of the day", worlds::check_of_the_day)
}

fn clippy() -> Result<()> {
    run_program(cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

fn documentation() -> Result<()> {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    run_program(command)
}

/// Builds only the pure crates, so that no other crate enables features for them.
fn build_pure_crates(verb: &str, target: &str) -> Result<()> {
    targets::ensure(target)?;
    let pure: Vec<_> = metadata::packages()?.into_iter().filter(Package::is_pure).collect();
    ensure!(!pure.is_empty(), "there is no package in crates/ to build");
    let mut command = cargo(&[verb, "--locked", "--target", target]);
    for package in pure {
        command.args(["--package", &package.name]);
    }
    run_program(command)
}
