//! `cargo xtask bench`: measures the engine and a table in counts that do not depend on the load of the machine, and
//! compares them with the original TypeScript game.
//!
//! Valgrind's callgrind counts instructions. The cost of an action is a run that plays recorded games minus a run that
//! only records them.

mod bots;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{capture, cargo, program, run as run_program, succeeds};
use crate::{e2e, load};

pub(crate) const HELP: &str = "\
usage: cargo xtask bench [engine|room|solver|ai|review|load|edge|page]

Counts instructions and allocations per action of random games, message sizes and memory per room, and measures some
times. `solver` prints nodes, instructions and times of the solver, native and as WebAssembly; `ai` prints the cost of
bots' decisions; `review` prints how long the review of a game takes. Fails if a limit is exceeded. Needs valgrind, which is installed with apt-get if it is missing.

  cargo xtask bench load                      play at a thousand tables of a server in a process of its own
  cargo xtask bench load play --tables 200 --rate 0 --no-grouping
  cargo xtask bench load play --rate 0 --beside path/to/another/texas42
                                              in turns with another program, usually an earlier version
  cargo xtask bench load idle --tables 5000
  cargo xtask bench load deserted --tables 4000
  cargo xtask bench load crowd --spectators 200
  cargo xtask bench edge                      the same load on workerd and on the server, in one run; writes and bytes for
                                              an action, how long an object takes that sleeps, what a game costs
  cargo xtask bench edge --tables 200 --seconds 8
  cargo xtask bench page                      the page in a browser: when it can be used, what a change of the table takes
                                              until it is drawn, long tasks; printed for five sizes of the window";

/// The limits. A run that exceeds one fails.
const MAX_INSTRUCTIONS: f64 = 360.0;
const MAX_COPYING: f64 = 420.0;
const MAX_FOR_LAYERS: f64 = 1.15;
const MAX_STATE_BYTES: f64 = 256.0;
const MAX_TABLE_INSTRUCTIONS: f64 = 85_000.0;
const MAX_VIEW_BYTES: f64 = 4096.0;
/// With the link that replays the game.
const MAX_FINISHED_VIEW_BYTES: f64 = 5120.0;
const MAX_UPDATE_BYTES: f64 = 600.0;
const MAX_ROOM_BYTES: f64 = 8192.0;

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        Some(("load", rest)) => return load::run(rest),
        Some(("edge", rest)) => return load::run_edge("edge", rest),
        Some(("page", [])) => return e2e::prepare().and_then(|()| run_program(e2e::bench()?)),
        Some(("review", [])) => return bots::review(),
        _ => {}
    }
    ensure_valgrind()?;
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => engine().and_then(|()| room()),
        ["engine"] => engine(),
        ["room"] => room(),
        ["solver"] => bots::solver(),
        ["ai"] => bots::ai(),
        _ => bail!("{HELP}"),
    }
}

fn engine() -> Result<()> {
    let bench = build("play")?;
    let counted = |mode, set| instructions(&bench, mode, &[set, "300"]);
    let (straight, layered) = (counted("play", "straight")?, counted("play", "all")?);
    let copying = counted("copy", "straight")?;
    let bytes: f64 = capture(program(&bench, &["state"]))?.trim().parse()?;
    let allocations = allocations(&bench)?;
    println!("\ninstructions per action of random games, legal + apply");
    println!("  straight 42, in place      {straight:7.0}   (at most {MAX_INSTRUCTIONS})");
    println!(
        "  every layer, in place      {layered:7.0}   ({:.2} times, at most {MAX_FOR_LAYERS})",
        layered / straight
    );
    println!("  straight, new state each   {copying:7.0}   (at most {MAX_COPYING})");
    println!("a state has {bytes} bytes (at most {MAX_STATE_BYTES})");
    println!("heap allocations per action: {allocations}");
    engine_times(&bench)?;
    let is_fast = straight <= MAX_INSTRUCTIONS && copying <= MAX_COPYING;
    let kept = is_fast && layered <= straight * MAX_FOR_LAYERS && bytes <= MAX_STATE_BYTES;
    ensure_limits(kept && allocations == 0.0, "the engine")
}

fn room() -> Result<()> {
    let bench = build("table")?;
    let figures = |args: &[&str]| capture(program(&bench, args)).and_then(|line| numbers::<2>(&line));
    let cost = instructions(&bench, "serve", &["10"])?;
    let [view, finished, update] = numbers(&capture(program(&bench, &["sizes", "20"]))?)?;
    let [_, memory] = figures(&["memory", "2000"])?;
    println!("\na table with four people who are shown everything, in random games");
    println!("  instructions per action, applied, four views built and written as JSON:");
    println!("                        {cost:7.0}       (at most {MAX_TABLE_INSTRUCTIONS})");
    println!("  longest full view     {view:7.0} bytes (at most {MAX_VIEW_BYTES})");
    println!("  of a finished game    {finished:7.0} bytes (at most {MAX_FINISHED_VIEW_BYTES})");
    println!("  average update        {update:7.0} bytes (at most {MAX_UPDATE_BYTES})");
    println!("  idle room             {memory:7.0} bytes (at most {MAX_ROOM_BYTES})");
    let [actions, seconds] = figures(&["time", "50"])?;
    let [rooms, all] = figures(&["many", "1000000"])?;
    println!("on this machine");
    println!("  actions a second on one core              {:9.0}", actions / seconds);
    println!("  rooms created, and one action in each     {rooms:9.0} in {all:.1} s");
    let is_small = view <= MAX_VIEW_BYTES
        && finished <= MAX_FINISHED_VIEW_BYTES
        && update <= MAX_UPDATE_BYTES
        && memory <= MAX_ROOM_BYTES;
    ensure_limits(cost <= MAX_TABLE_INSTRUCTIONS && is_small, "a table")
}

fn ensure_limits(kept: bool, what: &str) -> Result<()> {
    if kept { Ok(()) } else { bail!("{what} exceeds a limit") }
}

fn ensure_valgrind() -> Result<()> {
    if succeeds(program("valgrind", &["--version"])) {
        return Ok(());
    }
    println!("valgrind is missing, installing it");
    run_program(program("apt-get", &["install", "--yes", "--no-install-recommends", "valgrind"]))
        .context("valgrind could not be installed; install it by hand and try again")
}

/// Builds a benchmark and returns the path of its executable.
fn build(name: &str) -> Result<String> {
    build_of("texas42-room", name)
}

fn build_of(package: &str, name: &str) -> Result<String> {
    let args = ["bench", "--locked", "--package", package, "--bench", name, "--no-run", "--message-format=json"];
    let messages = capture(cargo(&args))?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let is_bench = message["target"]["name"] == name;
        message["executable"].as_str().filter(|_| is_bench).map(PathBuf::from)
    });
    let path = built.context("cargo built no benchmark")?;
    path.into_os_string().into_string().ok().context("the path of the benchmark is not UTF-8")
}

/// Instructions per action: those of a run that plays recorded games, minus those of recording them.
fn instructions(bench: &str, mode: &str, args: &[&str]) -> Result<f64> {
    let (recording, _) = counted(bench, "record", args)?;
    let (playing, actions) = counted(bench, mode, args)?;
    Ok((playing - recording) / actions)
}

/// The instructions of a whole run, and the number of actions that it prints.
fn counted(bench: &str, mode: &str, args: &[&str]) -> Result<(f64, f64)> {
    let valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1", bench, mode];
    let printed = capture(program("valgrind", &[&valgrind, args].concat()))?;
    let collected =
        printed.lines().find_map(|line| line.split_once("Collected : ")).context("valgrind counted nothing")?.1;
    let actions =
        printed.lines().find_map(|line| line.trim().parse().ok()).context("the benchmark printed no number")?;
    Ok((collected.trim().parse()?, actions))
}

fn allocations(bench: &str) -> Result<f64> {
    let mut most: f64 = 0.0;
    for set in ["straight", "all"] {
        let [actions, count] = numbers(&capture(program(bench, &["allocations", set, "300"]))?)?;
        most = most.max(count / actions);
    }
    Ok(most)
}

/// Prints times, which depend on the machine and have no limits.
fn engine_times(bench: &str) -> Result<()> {
    let [actions, seconds] = numbers(&capture(program(bench, &["time", "straight", "20000"]))?)?;
    let [events, replay] = numbers(&capture(program(bench, &["replay", "1000"]))?)?;
    println!("\non this machine, compared with the original TypeScript game on a similar machine");
    println!("  actions a second           {:9.0}   original 157000 bare, 30000 through its room", actions / seconds);
    println!("  replay of {events} events        {:6.0} µs   original 1100 to 2400 µs for 297 events", replay * 1e6);
    Ok(())
}

/// The two numbers in a line; other words are skipped.
fn numbers<const COUNT: usize>(line: &str) -> Result<[f64; COUNT]> {
    let words: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    words.try_into().ok().with_context(|| format!("{COUNT} numbers were expected in {line:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_are_read_and_words_skipped() {
        assert_eq!(numbers::<2>("time straight 100 0.5").unwrap(), [100.0, 0.5]);
        assert!(numbers::<2>("time straight").is_err());
    }
}
