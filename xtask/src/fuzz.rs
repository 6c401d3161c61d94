//! `cargo xtask fuzz`: the laws of `tests/fuzz-laws` on random, damaged and valid inputs, for some time.
//!
//! Every run starts from another seed and says which, so that time spent is ground gained. An input follows from its
//! law and its seed alone, and a failure prints the command that repeats it.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::options::{number, pairs, unknown};
use crate::process::{built, capture, cargo, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask fuzz [--seconds N] [--seed S] [--law NAME]

Tries the laws of tests/fuzz-laws on inputs from rising seeds: what claims to be a record, a code, a line for
`texas42 headless` or an action. Needs no special toolchain; fuzz/ has the same laws for cargo-fuzz.

  cargo xtask fuzz                            30 seconds, from a seed that nobody has tried
  cargo xtask fuzz --seconds 600              longer
  cargo xtask fuzz --seed 1000000             from this seed on
  cargo xtask fuzz --law NAME --seed S        one input again, printed before it is tried";

/// Without `--seconds`.
pub(crate) const USUAL_SECONDS: u64 = 30;

/// Seeds per second of the calendar: more than a machine tries, so that runs do not overlap.
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
        (Some(_), None) => bail!("--law repeats one input, and wants its --seed"),
        (None, seed) => try_all(seconds.unwrap_or(USUAL_SECONDS), seed.map_or_else(fresh_seed, Ok)?),
    }
}

/// The laws for so long, from a seed that nobody has tried.
pub(crate) fn check(seconds: u64) -> Result<()> {
    try_all(seconds, fresh_seed()?)
}

/// `fuzz/` is a workspace of its own, so no other build notices when its lock file no longer fits the dependencies.
pub(crate) fn check_lock() -> Result<()> {
    let metadata = ["metadata", "--locked", "--format-version=1", "--manifest-path", "fuzz/Cargo.toml"];
    let advice = "when fuzz/Cargo.lock is stale, `cargo metadata --manifest-path fuzz/Cargo.toml` writes it anew";
    capture(cargo(&metadata)).context(advice).map(drop)
}

fn try_all(seconds: u64, seed: u64) -> Result<()> {
    fuzz_laws(&seconds.to_string(), &seed.to_string())
}

/// In the profile of the tests, where the engine is optimised and still notices an overflow.
fn fuzz_laws(first: &str, second: &str) -> Result<()> {
    run_program(built("fuzz-laws", &[first, second])?)
}

/// A seed that nobody has tried.
pub(crate) fn fresh_seed() -> Result<u64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock stands before 1970")?;
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
    fn what_is_wrong_is_named() {
        assert_names_what_is_wrong(options, "--seconds soon");
    }
}
