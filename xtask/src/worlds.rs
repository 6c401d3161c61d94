//! `cargo xtask worlds`: simulates tables with invalid messages, an unreliable network, crashes and jumping clocks.
//!
//! Every run starts from a fresh seed and prints it. A seed determines its world, and a failure prints the command that
//! reproduces it.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use crate::fuzz::fresh_seed;
use crate::options::{number, pairs, unknown};
use crate::process::{cargo, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask worlds [--count N] [--seed S]

Plays the simulated worlds of tests/simulation on all cores: tables and clients with invalid messages, a network that
loses, duplicates and reorders, hosts that crash between any two outputs, failing stores and jumping clocks. Prints how
often each thing happened. For a failure, prints the seed, the step and the command that reproduces it.

  cargo xtask worlds                          2000 worlds, from a fresh seed
  cargo xtask worlds --count 100000           more
  cargo xtask worlds --seed S --count 1       one world again";

/// The default of `--count`.
const DEFAULT_COUNT: u64 = 2000;

/// Seeds reserved per day: more than are played, so that no two days share a world.
const SEEDS_A_DAY: u64 = 10_000;

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    count: Option<u64>,
    seed: Option<u64>,
}

pub(crate) fn run(args: &[String]) -> Result<()> {
    let Options { count, seed } = options(args)?;
    play(seed.map_or_else(fresh_seed, Ok)?, count.unwrap_or(DEFAULT_COUNT))
}

/// Plays the default number of worlds, always with the same seeds.
pub(crate) fn check() -> Result<()> {
    play(1, DEFAULT_COUNT)
}

/// Plays the default number of worlds, with seeds derived from the date (UTC).
pub(crate) fn check_of_the_day() -> Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is set before 1970")?;
    let seed = seed_of_the_day(since.as_secs());
    println!("    to repeat it on another day: cargo xtask worlds --seed {seed} --count {DEFAULT_COUNT}");
    play(seed, DEFAULT_COUNT)
}

/// The first seed of the UTC day that contains a Unix time.
fn seed_of_the_day(seconds: u64) -> u64 {
    seconds / SECONDS_A_DAY * SEEDS_A_DAY
}

fn play(seed: u64, count: u64) -> Result<()> {
    let (seed, count) = (seed.to_string(), count.to_string());
    let args = ["run", "--release", "--quiet", "--locked", "--package", "texas42-simulation", "--", &seed, &count];
    run_program(cargo(&args))
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    for option in pairs(args)? {
        match option {
            ("--count", _) => options.count = Some(number(option)?),
            ("--seed", _) => options.seed = Some(number(option)?),
            (name, _) => return Err(unknown("worlds", name, HELP)),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{assert_names_what_is_wrong, words};

    #[test]
    fn options_are_read() {
        assert_eq!(options(&words("")).unwrap(), Options::default());
        assert_eq!(options(&words("--seed 7 --count 1")).unwrap(), Options { count: Some(1), seed: Some(7) });
    }

    #[test]
    fn every_day_has_its_own_worlds() {
        // 2026-11-18 is the 20,775th day after 1970-01-01.
        let midnight = 1_794_960_000;
        assert_eq!(seed_of_the_day(midnight), 207_750_000);
        assert_eq!(seed_of_the_day(midnight + SECONDS_A_DAY - 1), 207_750_000);
        let day_before = seed_of_the_day(midnight - 1);
        assert!(day_before + DEFAULT_COUNT <= 207_750_000 && day_before > DEFAULT_COUNT);
    }

    #[test]
    fn errors_name_the_wrong_option() {
        assert_names_what_is_wrong(options, "--count many");
    }
}
