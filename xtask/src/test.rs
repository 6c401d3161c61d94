//! `cargo xtask test`: every test of the workspace, from nothing.
//!
//! The tests themselves are ordinary cargo tests. This command adds what cargo cannot do: it makes sure that the wasm
//! target exists (one test compiles the engine to wasm and compares it with the native one), and it adds up the
//! results of all test programs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::process::{cargo, shown};
use crate::steps::Steps;
use crate::{e2e, edge, targets};

pub(crate) const HELP: &str = "\
usage: cargo xtask test [arguments for cargo test]

Adds the wasm target when it is missing, then runs every test of the workspace: unit tests, doctests, properties, and
the check that the engine gives the same games in WebAssembly as natively. Then it packs the page and drives it in a real
Chromium, which it installs with apt-get when there is none, through the native server and through the edge. Before that,
the edge is packed and tested on workerd, which comes from npm. Ends with the line `N passed, N failed`.

  cargo xtask test                            everything
  cargo xtask test auction                    the tests with `auction` in their name
  cargo xtask test -p texas42-engine          one package
  cargo xtask test -- --nocapture             arguments after `--` reach the test programs";

/// Runs the steps and prints the total as the last line, whatever happened.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut steps = Steps::default();
    let mut tally = Tally::default();
    let result = add_steps(&mut steps, &mut tally, args);
    conclude(&steps, tally, &result)
}

/// Ends the program, so that the total is the last line of a failed run too and not what `main` says about it.
pub(crate) fn conclude(steps: &Steps, tally: Tally, result: &Result<()>) -> ! {
    print!("\n{}", steps.table());
    if let Err(error) = result {
        println!("error: {error:#}");
    }
    println!("{tally}");
    std::process::exit(i32::from(result.is_err()))
}

/// The steps of this command, for `ci` to take in among its own.
pub(crate) fn add_steps(steps: &mut Steps, tally: &mut Tally, args: &[String]) -> Result<()> {
    steps.run("the wasm target", || targets::ensure(targets::WASM))?;
    steps.run("the tests of the workspace", || stream(cargo_test(args), tally))?;
    // A selection of tests means tests of the workspace.
    if !args.is_empty() {
        return Ok(());
    }
    steps.run("the edge, packed", edge::prepare)?;
    steps.run("the edge on workerd", || stream(edge::tests()?, tally))?;
    steps.run("the page, packed", e2e::prepare)?;
    steps.run("the page in a browser", || stream(e2e::command()?, tally))?;
    steps.run("the page and the edge in a browser", || stream(e2e::command_at_edge()?, tally))
}

fn cargo_test(args: &[String]) -> Command {
    let mut command = cargo(&["test", "--locked", "--no-fail-fast"]);
    // Cargo lets `--workspace` win over a selection, so it is given only when there is none.
    if !selects_packages(args) {
        command.arg("--workspace");
    }
    command.args(args);
    command
}

fn selects_packages(args: &[String]) -> bool {
    let mut ours = args.iter().take_while(|arg| *arg != "--");
    ours.any(|arg| arg.starts_with("-p") || arg.starts_with("--package"))
}

/// Passes the output through line by line while adding up the results in it.
fn stream(mut command: Command, tally: &mut Tally) -> Result<()> {
    let line = shown(&command);
    println!("    {line}");
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("could not start `{line}`"))?;
    let output = child.stdout.take().expect("standard output was asked for");
    for text in BufReader::new(output).split(b'\n') {
        let text = text?;
        pass_on(&text)?;
        tally.add_line(&String::from_utf8_lossy(&text));
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

fn pass_on(line: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(line)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// How many tests passed and failed, over all test programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    fn add_line(&mut self, line: &str) {
        let Some(result) = line.trim().strip_prefix("test result: ") else {
            return;
        };
        self.passed += number_before(result, " passed");
        self.failed += number_before(result, " failed");
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

fn number_before(text: &str, word: &str) -> u64 {
    let Some(end) = text.find(word) else { return 0 };
    let digits = text[..end].rsplit(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_programs_add_up() {
        let mut tally = Tally::default();
        tally.add_line("running 12 tests");
        tally
            .add_line("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s");
        tally.add_line("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(tally.to_string(), "15 passed, 2 failed");
    }

    #[test]
    fn what_a_test_prints_is_not_a_result() {
        let mut tally = Tally::default();
        tally.add_line("my test result: 5 passed");
        assert_eq!(tally, Tally::default());
    }

    #[test]
    fn a_package_of_choice_replaces_the_workspace() {
        let choice = ["-p".to_owned(), "texas42-engine".to_owned()];
        assert!(!shown(&cargo_test(&choice)).contains("--workspace"));
        let after_dashes = ["--".to_owned(), "-p".to_owned()];
        assert!(shown(&cargo_test(&after_dashes)).contains("--workspace"));
    }
}
