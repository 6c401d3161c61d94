//! `cargo xtask worlds`: whole tables with liars, a bad network, crashes and jumping clocks, from plain seeds.
//!
//! Every run starts from another seed and says which, so that time spent is ground gained. A world follows from its seed
//! alone, so a failure is a number, and the command that repeats it is printed with it.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use crate::fuzz::fresh_seed;
use crate::options::{number, pairs, unknown};
use crate::process::{cargo, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask worlds [--count N] [--seed S]

Plays the simulated worlds of tests/simulation, optimised, on every core: rooms, clients, liars, a network that loses,
doubles and reorders, hosts that die between any two effects, stores that fail and clocks that jump. Prints how often
each thing happened, and for a failure the seed, the step, and how to see it again.

  cargo xtask worlds                          2000 worlds, from a seed that nobody has tried
  cargo xtask worlds --count 100000           more
  cargo xtask worlds --seed S --count 1       one world again";

/// Without `--count`.
const USUAL_COUNT: u64 = 2000;

/// Seeds for each day of the calendar: more than are played, so that no two days have a world in common.
const SEEDS_A_DAY: u64 = 10_000;

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    count: Option<u64>,
    seed: Option<u64>,
}

pub(crate) fn run(args: &[String]) -> Result<()> {
    let Options { count, seed } = options(args)?;
    play(seed.map_or_else(fresh_seed, Ok)?, count.unwrap_or(USUAL_COUNT))
}

/// The usual number of worlds, always the same ones.
pub(crate) fn check() -> Result<()> {
    play(1, USUAL_COUNT)
}

/// As many worlds that no earlier day has played. All runs of one day (UTC) play the same ones.
pub(crate) fn check_of_the_day() -> Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is set before 1970")?;
    let seed = seed_of_the_day(since.as_secs());
    println!("    to repeat it on another day: cargo xtask worlds --seed {seed} --count {USUAL_COUNT}");
    play(seed, USUAL_COUNT)
}

/// The first seed of the UTC day in which a second since 1970 lies.
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
        assert!(day_before + USUAL_COUNT <= 207_750_000 && day_before > USUAL_COUNT);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_names_what_is_wrong(options, "--count many");
    }
}
