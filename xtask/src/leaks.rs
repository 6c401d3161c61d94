//! `cargo xtask leaks`: plays each game twice with different hidden dominoes, and compares everything that the table sends.

use anyhow::Result;

use crate::options::{number, pairs, unknown};
use crate::process::{cargo, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask leaks [--games N] [--seed S]

Plays random games at tables with players, students, coaches, spectators and strangers, and records every byte that each of
them receives, over connections and over HTTP. Then plays the same public actions with different hidden dominoes, and
requires the same bytes at the same times. Takes a few minutes. `cargo xtask test` audits fewer games.

  cargo xtask leaks                           1000 games from seed 1
  cargo xtask leaks --seed S --games 1        one game again";

/// The default of `--games`.
const DEFAULT_GAMES: u64 = 1000;

#[derive(Debug, PartialEq, Eq)]
struct Options {
    games: u64,
    seed: u64,
}

pub(crate) fn run(args: &[String]) -> Result<()> {
    let Options { games, seed } = options(args)?;
    let (seed, games) = (seed.to_string(), games.to_string());
    let args = ["run", "--release", "--quiet", "--locked", "--package", "texas42-leaks", "--", &seed, &games];
    run_program(cargo(&args))
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options { games: DEFAULT_GAMES, seed: 1 };
    for option in pairs(args)? {
        match option {
            ("--games", _) => options.games = number(option)?,
            ("--seed", _) => options.seed = number(option)?,
            (name, _) => return Err(unknown("leaks", name, HELP)),
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
        assert_eq!(options(&words("")).unwrap(), Options { games: DEFAULT_GAMES, seed: 1 });
        assert_eq!(options(&words("--seed 7 --games 1")).unwrap(), Options { games: 1, seed: 7 });
    }

    #[test]
    fn errors_name_the_wrong_option() {
        assert_names_what_is_wrong(options, "--games many");
    }
}
