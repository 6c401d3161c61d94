//! `cargo xtask mutants`: changes the pure crates in small ways with cargo-mutants, one change at a time, and lists the changes
//! that no test notices.
//!
//! All changes would take days, so they are divided into parts that are samples of all crates, and a seed selects the parts. The
//! first pass runs the quick tests of the changed crate; the second tests the survivors again, with all tests of all four crates.
//! Both work in a worktree of the last commit, which is always in the same folder, so cargo builds only what a mutant changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::options::{number, pairs, unknown};
use crate::process::{capture, cargo_path, program, run as run_program, shown, target};
use crate::tools::Tool;

pub(crate) const HELP: &str = "\
usage: cargo xtask mutants [--minutes N] [--seed S]

Replaces operators, conditions and whole functions of the engine, the kernel, the room and the table host, one at a time, and runs
their tests. A change that fails no test is a mutant that survived: a test is missing, or the code does not matter. Tests as many
of them as the time allows, in a worktree of the last commit. Not a part of `cargo xtask ci`.

  cargo xtask mutants                         two hours
  cargo xtask mutants --minutes 30            fewer mutants
  cargo xtask mutants --seed 7                other mutants: the part with this number, and those after it

The mutants are divided into 150 parts, each a sample of all four crates. A part that was started is finished only if the time
allows. Installs cargo-mutants to target/tools if the pinned version is not installed. The results are in target/mutants;
docs/mutants.md explains the known survivors. `git worktree remove --force target/mutants/tree` and deleting target/mutants free
several gigabytes.";

const CARGO_MUTANTS: Tool = Tool { name: "cargo-mutants", version: "27.1.0", version_args: &["mutants", "--version"] };

/// The crates under test, which have the folders of these names in `crates/`.
const CRATES: [&str; 4] = ["engine", "kernel", "room", "hosting"];

/// The crates that are optimized in other tests. Here, compiling takes longer than testing.
const UNOPTIMIZED: [&str; 3] = ["engine", "kernel", "room"];

/// Not changed: it is compiled only with the feature `schema`, and tested where the hosts use it.
const NOT_COMPILED: &str = "crates/hosting/src/openapi.rs";

/// The first pass leaves out the brute-force searches of `crates/engine/tests/claims.rs`, which take minutes if they are not
/// optimized.
const SLOW_TESTS: [&str; 2] = ["exact_with", "nello_is_exact"];

/// The default of `--minutes`.
const DEFAULT_MINUTES: u64 = 120;
/// The number of parts. With some 3,500 mutants, a part takes a few minutes.
const PARTS: u64 = 150;
/// The share of the time until the first pass ends at the latest.
const QUICK_SHARE: f64 = 0.75;
/// A mutant times out if its quick tests take this many seconds. They take less than half a minute on an idle machine.
const QUICK_TIMEOUT: &str = "300";
/// In the second pass, a mutant times out if its tests take longer than those of the original by this factor.
const THOROUGH_TIMEOUT_FACTOR: &str = "3";

/// The exit codes of cargo-mutants after it has tested mutants: all caught, some survived, some timed out.
const TESTED: [i32; 3] = [0, 2, 3];
const POLL_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug, PartialEq, Eq)]
struct Options {
    minutes: u64,
    seed: u64,
}

/// The mutants of a pass, by what became of them.
#[derive(Clone, Debug, Default)]
struct Outcome {
    caught: Vec<String>,
    missed: Vec<String>,
    timed_out: Vec<String>,
    unviable: Vec<String>,
}

/// What a run of cargo-mutants found, and whether it ended before its deadline.
#[derive(Clone, Debug, Default)]
struct Tested {
    outcome: Outcome,
    is_complete: bool,
}

/// Where both passes work.
struct Bench {
    tool: PathBuf,
    tree: PathBuf,
}

pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = options(args)?;
    let (start, time) = (Instant::now(), Duration::from_secs(options.minutes * 60));
    let bench = Bench { tool: CARGO_MUTANTS.find_or_install()?, tree: check_out()? };
    let all = bench.list()?;
    let first = quick_passes(&bench, &options, start + time.mul_f64(QUICK_SHARE))?;
    let survivors = [&first.missed[..], &first.timed_out].concat();
    let second = if survivors.is_empty() {
        Outcome::default()
    } else {
        bench.test("thorough", thorough_pass(&bench, &survivors), start + time)?.outcome
    };
    print!("{}", report(&all, &first.followed_by(&second)));
    Ok(())
}

/// Tests one part after the other until the deadline. Only the first checks that the tests pass without a mutant.
fn quick_passes(bench: &Bench, options: &Options, deadline: Instant) -> Result<Outcome> {
    let mut total = Outcome::default();
    for turn in 0..PARTS {
        let part = (options.seed % PARTS + turn) % PARTS;
        println!("    part {part} of {PARTS}");
        let Tested { outcome, is_complete } = bench.test("quick", quick_pass(bench, part, turn == 0), deadline)?;
        total = total.and(outcome);
        if !is_complete {
            break;
        }
    }
    Ok(total)
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options { minutes: DEFAULT_MINUTES, seed: 1 };
    for option in pairs(args)? {
        match option {
            ("--minutes", _) => options.minutes = number(option)?,
            ("--seed", _) => options.seed = number(option)?,
            (name, _) => return Err(unknown("mutants", name, HELP)),
        }
    }
    Ok(options)
}

/// The worktree, with the files of the last commit. An interrupted run may have left a mutant in it.
fn check_out() -> Result<PathBuf> {
    let tree = target("mutants/tree");
    let commit = capture(program("git", &["rev-parse", "HEAD"]))?;
    if tree.exists() {
        let mut command = program("git", &["checkout", "--quiet", "--force", "--detach", commit.trim()]);
        command.current_dir(&tree);
        run_program(command)?;
    } else {
        let mut command = program("git", &["worktree", "add", "--quiet", "--force", "--detach"]);
        command.arg(&tree).arg(commit.trim());
        run_program(command)?;
    }
    Ok(tree)
}

impl Bench {
    fn cargo_mutants(&self) -> Command {
        let mut command = program(&self.tool, &["mutants", "--colors", "never"]);
        for name in CRATES {
            command.args(["--package", &package(name)]);
        }
        command.args(["--exclude", NOT_COMPILED]);
        // cargo-mutants reports a deadline as an error; the backtrace would only hide the results.
        command.current_dir(&self.tree).env("CARGO", cargo_path()).env("RUST_LIB_BACKTRACE", "0");
        command
    }

    /// The names of all mutants.
    fn list(&self) -> Result<Vec<String>> {
        let mut command = self.cargo_mutants();
        command.arg("--list");
        Ok(capture(command)?.lines().map(str::to_owned).collect())
    }

    /// Runs cargo-mutants until the deadline. Its results are in the folder of the pass.
    fn test(&self, name: &str, mut command: Command, deadline: Instant) -> Result<Tested> {
        let line = shown(&command);
        let folder = target("mutants").join(name);
        // Otherwise an early interruption would leave the results of the previous run.
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
        let child = command.spawn().with_context(|| format!("could not start `{line}`"))?;
        let status = finish_until(child, deadline)?;
        if status.is_some_and(|status| !status.code().is_some_and(|code| TESTED.contains(&code))) {
            bail!("`{line}` failed; are the tests without a mutant green?");
        }
        if status.is_none() {
            println!("    the time is over before the end of the {name} tests");
        }
        Ok(Tested { outcome: Outcome::read(&folder.join("mutants.out")), is_complete: status.is_some() })
    }
}

/// A part, with the quick tests of the changed crate.
fn quick_pass(bench: &Bench, part: u64, is_first: bool) -> Command {
    let mut command = bench.cargo_mutants();
    command.args(["--sharding", "round-robin", "--shard", &format!("{part}/{PARTS}"), "--timeout", QUICK_TIMEOUT]);
    command.args(["--baseline", if is_first { "run" } else { "skip" }]);
    test_with(&mut command, "quick");
    command.args(["--", "--lib", "--tests", "--"]).args(SLOW_TESTS.map(|name| ["--skip", name]).concat());
    command
}

/// The survivors, with all tests of all four crates, also those in documentation.
fn thorough_pass(bench: &Bench, survivors: &[String]) -> Command {
    let mut command = bench.cargo_mutants();
    for name in survivors {
        command.args(["--re", &format!("^{}$", literal(name))]);
    }
    // cargo-mutants also tests deleted fields that `--re` does not name, but only in these files.
    for file in survivors.iter().filter_map(|name| name.split(':').next()).collect::<BTreeSet<&str>>() {
        command.args(["--file", file]);
    }
    command.args(["--test-package", &CRATES.map(package).join(","), "--timeout-multiplier", THOROUGH_TIMEOUT_FACTOR]);
    test_with(&mut command, "thorough");
    command
}

/// One mutant at a time, with a target directory that belongs to the mutants.
fn test_with(command: &mut Command, pass: &str) {
    command.args(["--in-place", "--caught", "--unviable"]);
    for name in UNOPTIMIZED {
        command.arg(format!("--cargo-arg=--config=profile.dev.package.{}.opt-level=0", package(name)));
    }
    command.arg("--output").arg(target("mutants").join(pass));
    command.env("CARGO_TARGET_DIR", target("mutants/build"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
}

fn package(name: &str) -> String {
    format!("texas42-{name}")
}

/// A regular expression for this text only. `\<` and `\>` would be the edges of a word.
fn literal(text: &str) -> String {
    let escape = |c: char| if c.is_ascii_punctuation() && !"<>".contains(c) { vec!['\\', c] } else { vec![c] };
    text.chars().flat_map(escape).collect()
}

/// Waits for cargo-mutants. At the deadline, lets it end its own children and restore the file, and returns nothing.
fn finish_until(mut child: Child, deadline: Instant) -> Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            interrupt(&mut child)?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn interrupt(child: &mut Child) -> Result<()> {
    if cfg!(unix) { capture(program("kill", &["-INT", &child.id().to_string()])).map(drop) } else { Ok(child.kill()?) }
}

impl Outcome {
    /// Reads what cargo-mutants has written so far.
    fn read(folder: &Path) -> Self {
        let lines = |name: &str| -> Vec<String> {
            let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        Self {
            caught: lines("caught.txt"),
            missed: lines("missed.txt"),
            timed_out: lines("timeout.txt"),
            unviable: lines("unviable.txt"),
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.caught.extend(other.caught);
        self.missed.extend(other.missed);
        self.timed_out.extend(other.timed_out);
        self.unviable.extend(other.unviable);
        self
    }

    /// The outcome of both passes: a survivor of the first that the second did not reach remains one.
    fn followed_by(mut self, second: &Self) -> Self {
        for survivors in [&mut self.missed, &mut self.timed_out] {
            self.caught.extend(survivors.extract_if(.., |name| second.caught.contains(name)));
        }
        self
    }
}

/// The numbers of each crate, then the survivors.
fn report(all: &[String], outcome: &Outcome) -> String {
    let Outcome { caught, missed, timed_out, unviable } = outcome;
    let [all, caught, survived, timed_out, unviable] = [all, caught, missed, timed_out, unviable].map(by_crate);
    let mut text = format!(
        "{:<10}{:>8}{:>8}{:>8}{:>10}{:>10}{:>10}\n",
        "crate", "mutants", "tested", "caught", "survived", "timed out", "unviable"
    );
    for name in CRATES {
        let [all, caught, survived, timed_out, unviable] =
            [&all, &caught, &survived, &timed_out, &unviable].map(|counts| counts.get(name).copied().unwrap_or(0));
        let tested = caught + survived + timed_out + unviable;
        text.push_str(&format!(
            "{name:<10}{all:>8}{tested:>8}{caught:>8}{survived:>10}{timed_out:>10}{unviable:>10}\n"
        ));
    }
    missed.iter().for_each(|name| text.push_str(&format!("survived: {name}\n")));
    text
}

/// How many of these mutants are in each crate.
fn by_crate(mutants: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for name in mutants.iter().filter_map(|mutant| mutant.split('/').nth(1)) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{assert_names_what_is_wrong, words};

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn bench() -> Bench {
        Bench { tool: "cargo-mutants".into(), tree: target("mutants/tree") }
    }

    #[test]
    fn options_are_read() {
        assert_eq!(options(&words("")).unwrap(), Options { minutes: 120, seed: 1 });
        assert_eq!(options(&words("--seed 7 --minutes 30")).unwrap(), Options { minutes: 30, seed: 7 });
        assert_names_what_is_wrong(options, "--minutes many");
    }

    #[test]
    fn the_first_pass_leaves_out_slow_tests() {
        let line = shown(&quick_pass(&bench(), 2, true));
        assert!(line.contains("--shard 2/150") && line.contains("--baseline run"), "{line}");
        assert!(line.ends_with("--lib --tests -- --skip exact_with --skip nello_is_exact"), "{line}");
        let searches = std::fs::read_to_string(crate::process::root().join("crates/engine/tests/claims.rs")).unwrap();
        SLOW_TESTS.iter().for_each(|name| assert!(searches.contains(&format!("fn {name}")), "{name}"));
    }

    #[test]
    fn survivors_face_the_tests_of_all_crates() {
        let line = shown(&thorough_pass(&bench(), &lines("crates/room/src/fair.rs:9:8: replace + with <<")));
        assert!(line.contains(r"--re ^crates\/room\/src\/fair\.rs\:9\:8\: replace \+ with <<$"), "{line}");
        assert!(line.contains("--file crates/room/src/fair.rs"), "{line}");
        assert!(line.contains("--test-package texas42-engine,texas42-kernel,texas42-room,texas42-hosting"), "{line}");
        assert!(!line.contains("--skip") && !line.contains("--lib"), "{line}");
    }

    #[test]
    fn mutants_change_only_their_own_worktree() {
        let command = quick_pass(&bench(), 0, false);
        assert!(shown(&command).contains("--in-place"));
        assert_eq!(command.get_current_dir(), Some(target("mutants/tree").as_path()));
    }

    #[test]
    fn the_second_pass_decides() {
        let first = Outcome { missed: lines("a\nb\nc"), timed_out: lines("d"), ..Outcome::default() };
        // `x` is not one of the survivors.
        let second = Outcome { caught: lines("a\nd\nx"), missed: lines("b"), ..Outcome::default() };
        let both = first.followed_by(&second);
        // The time was over before the second pass reached `c`.
        assert_eq!((both.caught, both.missed, both.timed_out), (lines("a\nd"), lines("b\nc"), Vec::new()));
    }

    #[test]
    fn results_are_counted_for_each_crate() {
        let (caught, missed) = ("crates/engine/src/deal.rs:1:1: one", "crates/room/src/fair.rs:2:2: two");
        let outcome = Outcome { caught: lines(caught), missed: lines(missed), ..Outcome::default() };
        let text = report(&lines(&format!("{caught}\n{missed}")), &outcome);
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).map(|line| words(line)[1..].join(" "));
        assert_eq!(row("engine").unwrap(), "1 1 1 0 0 0");
        assert_eq!(row("room").unwrap(), "1 1 0 1 0 0");
        assert!(text.ends_with(&format!("survived: {missed}\n")), "{text}");
    }

    #[test]
    fn outcomes_are_read() {
        let folder = std::env::temp_dir().join(format!("texas42-mutants-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("caught.txt"), "one\n").unwrap();
        std::fs::write(folder.join("missed.txt"), "two\n").unwrap();
        let outcome = Outcome::read(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((outcome.caught, outcome.missed), (lines("one"), lines("two")));
        assert!(outcome.timed_out.is_empty() && outcome.unviable.is_empty());
    }
}
