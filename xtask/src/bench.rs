//! `cargo xtask bench`: what the engine costs, in counts that a busy machine does not change, beside the figures of the
//! TypeScript game that this one descends from.
//!
//! Instructions are counted by valgrind's callgrind: a run that plays recorded games minus a run that only records them
//! is the cost of the engine alone.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::no_arguments;
use crate::process::{capture, cargo, program, run as run_program, succeeds};

pub(crate) const HELP: &str = "\
usage: cargo xtask bench

Counts instructions and allocations per action of random games, and times replays. Needs valgrind, which is installed
with apt-get where it is missing.";

const GAMES: &str = "300";

/// What is promised; the run fails when it is not kept.
const MOST_INSTRUCTIONS: f64 = 400.0;
const MOST_FOR_LAYERS: f64 = 1.15;
const MOST_STATE_BYTES: u64 = 256;

pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("bench", args)?;
    ensure_valgrind()?;
    let bench = build()?;
    let straight = instructions(&bench, "play", "straight")?;
    let layered = instructions(&bench, "play", "all")?;
    let copying = instructions(&bench, "copy", "straight")?;
    let bytes: u64 = capture(program(&bench, &["state"]))?.trim().parse()?;
    println!("\ninstructions per action of random games, legal + apply");
    println!("  straight 42                {straight:7.0}   (at most {MOST_INSTRUCTIONS:.0})");
    println!(
        "  every layer                {layered:7.0}   ({:.2} times straight, at most {MOST_FOR_LAYERS})",
        layered / straight
    );
    println!("  straight, new state each   {copying:7.0}");
    println!("a state has {bytes} bytes (at most {MOST_STATE_BYTES})");
    let allocations = allocations(&bench)?;
    println!("heap allocations per action: {allocations}");
    times(&bench)?;
    if straight.max(copying) > MOST_INSTRUCTIONS
        || layered > straight * MOST_FOR_LAYERS
        || bytes > MOST_STATE_BYTES
        || allocations > 0.0
    {
        bail!("the engine costs more than is promised");
    }
    Ok(())
}

fn ensure_valgrind() -> Result<()> {
    if succeeds(program("valgrind", &["--version"])) {
        return Ok(());
    }
    println!("valgrind is missing, installing it");
    run_program(program("apt-get", &["install", "--yes", "--no-install-recommends", "valgrind"]))
        .context("valgrind could not be installed; install it by hand and try again")
}

/// Builds the benchmark and finds out where cargo put it.
fn build() -> Result<String> {
    let args =
        ["bench", "--locked", "--package", "texas42-room", "--bench", "play", "--no-run", "--message-format=json"];
    let messages = capture(cargo(&args))?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let is_bench = message["target"]["name"] == "play";
        message["executable"].as_str().filter(|_| is_bench).map(PathBuf::from)
    });
    let path = built.context("cargo built no benchmark")?;
    path.into_os_string().into_string().ok().context("the path of the benchmark is not UTF-8")
}

/// Instructions per action: playing recorded games, less recording them.
fn instructions(bench: &str, mode: &str, set: &str) -> Result<f64> {
    let (recording, _) = counted(bench, "record", set)?;
    let (playing, actions) = counted(bench, mode, set)?;
    Ok((playing - recording) / actions)
}

/// Instructions of a whole run, and the actions that it prints.
fn counted(bench: &str, mode: &str, set: &str) -> Result<(f64, f64)> {
    let args = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1", bench, mode, set, GAMES];
    let printed = capture(program("valgrind", &args))?;
    let collected =
        printed.lines().find_map(|line| line.split_once("Collected : ")).context("valgrind counted nothing")?.1;
    let actions =
        printed.lines().find_map(|line| line.trim().parse().ok()).context("the benchmark printed no number")?;
    Ok((collected.trim().parse()?, actions))
}

fn allocations(bench: &str) -> Result<f64> {
    let mut most: f64 = 0.0;
    for set in ["straight", "all"] {
        let [actions, count] = numbers(&capture(program(bench, &["allocations", set, GAMES]))?)?;
        most = most.max(count / actions);
    }
    Ok(most)
}

/// Times, for a feeling of size only: they depend on the machine.
fn times(bench: &str) -> Result<()> {
    let [actions, seconds] = numbers(&capture(program(bench, &["time", "straight", "20000"]))?)?;
    let [events, replay] = numbers(&capture(program(bench, &["replay", "1000"]))?)?;
    println!("\non this machine, beside the TypeScript origin on a like one");
    println!("  actions a second           {:9.0}   origin 157000 bare, 30000 through its room", actions / seconds);
    println!("  replay of {events} events        {:6.0} µs   origin 1100 to 2400 µs for 297 events", replay * 1e6);
    Ok(())
}

/// The last two words of a line.
fn numbers(line: &str) -> Result<[f64; 2]> {
    let words: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    words.try_into().ok().with_context(|| format!("two numbers were expected in {line:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_skipped_and_two_numbers_read() {
        assert_eq!(numbers("time straight 100 0.5").unwrap(), [100.0, 0.5]);
        assert!(numbers("time straight").is_err());
    }
}
