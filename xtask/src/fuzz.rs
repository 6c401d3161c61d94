//! `cargo xtask fuzz`: checks the laws of `tests/fuzz-laws` on random, damaged and valid inputs for a given time.
//!
//! Every run starts from a fresh seed and prints it. A law and a seed determine the input, and a failure prints the command
//! that reproduces it.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::options::{number, pairs, unknown};
use crate::process::{built, capture, cargo, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask fuzz [--seconds N] [--seed S] [--law NAME]

Checks the laws of tests/fuzz-laws on inputs from increasing seeds: records, codes, lines for `texas42 headless`,
actions, valid or not, and everything that can happen at a table. Needs no special toolchain; fuzz/ has the same laws for cargo-fuzz.

  cargo xtask fuzz                            30 seconds, from a fresh seed
  cargo xtask fuzz --seconds 600              longer
  cargo xtask fuzz --seed 1000000             from this seed on
  cargo xtask fuzz --law NAME --seed S        one input again, printed before it is checked";

/// The default of `--seconds`.
pub(crate) const DEFAULT_SECONDS: u64 = 30;

/// Seeds reserved per second of real time: more than a machine checks, so that runs do not overlap.
const SEEDS_A_SECOND: u64 = 10_000;

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    seconds: Option<u64>,
    seed: Option<u64>,
    law: Option<String>,
}

pub(crate) fn run(args: &[String]) -> Result<()> {
    let Options { seconds, seed, law } = options(args)?;
    match (law, seed) {
        (Some(law), Some(seed)) => fuzz_laws(&law, &seed.to_string()),
        (Some(_), None) => bail!("--law repeats one input and needs its --seed"),
        (None, seed) => try_all(seconds.unwrap_or(DEFAULT_SECONDS), seed.map_or_else(fresh_seed, Ok)?),
    }
}

/// Checks the laws for some seconds, from a fresh seed.
pub(crate) fn check(seconds: u64) -> Result<()> {
    try_all(seconds, fresh_seed()?)
}

/// Checks the lock file of `fuzz/`, which is a separate workspace that no other build covers.
pub(crate) fn check_lock() -> Result<()> {
    let metadata = ["metadata", "--locked", "--format-version=1", "--manifest-path", "fuzz/Cargo.toml"];
    let advice = "when fuzz/Cargo.lock is stale, `cargo metadata --manifest-path fuzz/Cargo.toml` updates it";
    capture(cargo(&metadata)).context(advice).map(drop)
}

fn try_all(seconds: u64, seed: u64) -> Result<()> {
    fuzz_laws(&seconds.to_string(), &seed.to_string())
}

/// Runs in the test profile, where the engine is optimized but still checks for overflow.
fn fuzz_laws(first: &str, second: &str) -> Result<()> {
    run_program(built("fuzz-laws", &[first, second])?)
}

/// A seed that no earlier run has used.
pub(crate) fn fresh_seed() -> Result<u64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is set before 1970")?;
    Ok(since.as_secs() * SEEDS_A_SECOND)
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    for option in pairs(args)? {
        match option {
            ("--seconds", _) => options.seconds = Some(number(option)?),
            ("--seed", _) => options.seed = Some(number(option)?),
            ("--law", law) => options.law = Some(law.to_owned()),
            (name, _) => return Err(unknown("fuzz", name, HELP)),
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
        let all = Options { seconds: Some(5), seed: Some(7), law: Some("code".to_owned()) };
        assert_eq!(options(&words("--seed 7 --law code --seconds 5")).unwrap(), all);
    }

    #[test]
    fn errors_name_the_wrong_option() {
        assert_names_what_is_wrong(options, "--seconds soon");
    }
}
