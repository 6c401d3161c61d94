//! `cargo xtask test`: runs every test of the workspace, even on a fresh machine.
//!
//! The tests are ordinary cargo tests. This command also installs the wasm target (one test compares the engine as
//! WebAssembly with the native one), sums the results of all test programs and lists the slowest ones.

use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, shown};
use crate::steps::{Steps, slowest};
use crate::{e2e, edge, javascript, targets};

pub(crate) const HELP: &str = "\
usage: cargo xtask test [arguments for cargo test]

Installs the wasm target if it is missing, then runs every test of the workspace: unit tests, doctests, property tests,
and the check that the engine behaves the same as WebAssembly and natively. Then bundles the edge and tests it on workerd,
which comes from npm. Then bundles the page, tests the JavaScript client in Node with the server that contains it, and finally
the page in Chromium, with the native server and with the edge; Chromium is installed with apt-get if it is missing. Ends with
the line `N passed, N failed`.

  cargo xtask test                            everything
  cargo xtask test auction                    the tests with `auction` in their name
  cargo xtask test -p texas42-engine          one package
  cargo xtask test -- --nocapture             arguments after `--` reach the test programs";

/// Runs the steps and prints the total as the last line, even after a failure.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut steps = Steps::default();
    let mut tally = Tally::default();
    let result = add_steps(&mut steps, &mut tally, args);
    conclude(&steps, &tally, &result)
}

/// Prints the results and exits, so that the total is the last line even after a failure.
pub(crate) fn conclude(steps: &Steps, tally: &Tally, result: &Result<()>) -> ! {
    print!("\n{}{}", steps.table(), tally.slowest());
    if let Err(error) = result {
        println!("error: {error:#}");
    }
    println!("{tally}");
    std::process::exit(i32::from(result.is_err()))
}

/// Runs the steps of this command; `ci` includes them too.
pub(crate) fn add_steps(steps: &mut Steps, tally: &mut Tally, args: &[String]) -> Result<()> {
    steps.run("the wasm target", || targets::ensure(targets::WASM))?;
    steps.run("the tests of the workspace", || stream(cargo_test(args), tally))?;
    // Arguments select tests of the workspace only.
    if !args.is_empty() {
        return Ok(());
    }
    steps.run("the bundle of the edge", edge::prepare)?;
    steps.run("the edge on workerd", || stream(edge::tests()?, tally))?;
    steps.run("the bundle of the page", e2e::prepare)?;
    steps.run("the types of the JavaScript client", javascript::check_types)?;
    steps.run("the JavaScript client in Node", || stream(javascript::tests(), tally))?;
    steps.run("the page in a browser", || stream(e2e::command()?, tally))?;
    steps.run("the page and the edge in a browser", || stream(e2e::command_at_edge()?, tally))
}

fn cargo_test(args: &[String]) -> Command {
    let mut command = cargo(&["test", "--locked", "--no-fail-fast"]);
    // `--workspace` overrides `--package`, so pass it only without one.
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

/// Runs a command, prints its output line by line and sums the test results in it.
fn stream(mut command: Command, tally: &mut Tally) -> Result<()> {
    let line = shown(&command);
    println!("    {line}");
    // One pipe for both: cargo names a test program on standard error, and the program prints its result on standard output.
    let (output, input) = std::io::pipe()?;
    command.stdout(input.try_clone()?).stderr(input);
    let mut child = command.spawn().with_context(|| format!("could not start `{line}`"))?;
    // Close our copies of the pipe, or reading would never end.
    drop(command);
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

/// How many tests passed and failed, over all test programs, and how long each program took.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u64,
    failed: u64,
    /// The program whose output is being read.
    program: String,
    times: Vec<(String, Duration)>,
}

impl Tally {
    fn add_line(&mut self, line: &str) {
        let line = line.trim();
        if let Some(program) = line.strip_prefix("Running ").or_else(|| line.strip_prefix("Doc-tests ")) {
            self.program = name_of_program(program);
        }
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        self.passed += number_before(result, " passed");
        self.failed += number_before(result, " failed");
        if let Some(took) = time_taken(result) {
            self.times.push((self.program.clone(), took));
        }
    }

    /// The slowest test programs.
    fn slowest(&self) -> String {
        slowest("test programs", self.times.iter().map(|(name, took)| (name.as_str(), *took)))
    }
}

/// Cargo writes `tests/cli.rs (target/debug/deps/cli-0123456789abcdef)`, or for documentation the name of a crate.
fn name_of_program(line: &str) -> String {
    let Some((source, program)) = line.split_once(" (") else {
        return format!("documentation of {line}");
    };
    let file = program.rsplit('/').next().unwrap_or(program);
    let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
    format!("{name}, {}", source.trim_start_matches("unittests "))
}

fn time_taken(result: &str) -> Option<Duration> {
    let (_, seconds) = result.rsplit_once("finished in ")?;
    Duration::try_from_secs_f64(seconds.strip_suffix('s')?.parse().ok()?).ok()
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
    fn the_slowest_test_programs_are_listed() {
        let mut tally = Tally::default();
        for line in [
            "     Running unittests src/lib.rs (target/debug/deps/texas42_room-0123456789abcdef)",
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s",
            "   Doc-tests texas42_room",
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 2.50s",
        ] {
            tally.add_line(line);
        }
        let text = tally.slowest();
        let listed: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(listed[1].join(" "), "documentation of texas42_room 2.5 s");
        assert_eq!(listed[2].join(" "), "texas42_room, src/lib.rs 1.2 s");
    }

    #[test]
    fn the_output_of_a_test_is_not_a_result() {
        let mut tally = Tally::default();
        tally.add_line("my test result: 5 passed");
        assert_eq!(tally, Tally::default());
    }

    #[test]
    fn selecting_a_package_replaces_the_workspace() {
        let choice = ["-p".to_owned(), "texas42-engine".to_owned()];
        assert!(!shown(&cargo_test(&choice)).contains("--workspace"));
        let after_dashes = ["--".to_owned(), "-p".to_owned()];
        assert!(shown(&cargo_test(&after_dashes)).contains("--workspace"));
    }
}
