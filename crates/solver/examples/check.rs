//! Compares the solver with slow searches on the engine: `cargo run --release -p texas42-solver --example check --
//! --endings 100000 --deals 1000 [--seed 0]`.
//!
//! Endings over every contract are solved by brute force, full deals by alpha-beta. The first difference is printed
//! with the seed that reproduces it, and the command fails.

#![expect(clippy::disallowed_methods, reason = "a command reads the clock and its arguments")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::{io::Write, process::ExitCode, time::Instant};

use support::{Kind, Random, Table, gained_by, kinds};
use texas42_solver::{Position, Solver};

const USAGE: &str = "check [--endings N] [--deals N] [--seed N]";

fn main() -> ExitCode {
    let Some([endings, deals, first]) = options() else {
        eprintln!("usage: {USAGE}");
        return ExitCode::from(2);
    };
    let mut solver = Solver::new();
    let found = run("endings", first..first + endings, |kind, seed| ending(&mut solver, kind, seed))
        .and_then(|()| run("full deals", first..first + deals, |kind, seed| full_deal(&mut solver, kind, seed)));
    match found {
        Ok(()) => ExitCode::SUCCESS,
        Err(difference) => {
            eprintln!("{difference}");
            ExitCode::FAILURE
        }
    }
}

/// The three options, or `None` if an argument is invalid.
fn options() -> Option<[u64; 3]> {
    let mut numbers = [10_000, 100, 0];
    let args: Vec<String> = std::env::args().skip(1).collect();
    for pair in args.chunks(2) {
        let place = ["--endings", "--deals", "--seed"].iter().position(|name| *name == pair[0])?;
        numbers[place] = pair.get(1)?.parse().ok()?;
    }
    Some(numbers)
}

fn run(
    what: &str,
    seeds: std::ops::Range<u64>,
    mut check: impl FnMut(&Kind, u64) -> Result<bool, String>,
) -> Result<(), String> {
    let kinds = kinds();
    let (started, total) = (Instant::now(), seeds.end - seeds.start);
    let (mut solved, mut told) = (0_u64, Instant::now());
    for seed in seeds.clone() {
        let kind = &kinds[seed as usize % kinds.len()];
        solved += u64::from(check(kind, seed)?);
        let done = seed + 1 - seeds.start;
        if told.elapsed().as_secs() >= 1 || done == total {
            told = Instant::now();
            eprint!("\r{what}: {done} of {total}, {:.0} s ", started.elapsed().as_secs_f64());
            std::io::stderr().flush().ok();
        }
    }
    eprintln!();
    println!("{what}: {solved} solved, 0 mismatches");
    Ok(())
}

/// Checks the last tricks of a randomly played hand. Returns whether there was anything left to solve.
fn ending(solver: &mut Solver, kind: &Kind, seed: u64) -> Result<bool, String> {
    let mut table = Table::new(kind, seed);
    let mut random = Random::new(!seed);
    // Brute force takes a hundred times as long for four tricks as for three, so four are rare.
    let dominoes = 1 + random.below(if seed.is_multiple_of(50) { 16 } else { 12 });
    table.play_down_to(dominoes, &mut random);
    let Some(position) = Position::from_state(&table.state) else { return Ok(false) };
    let expected = table.brute_force(&table.state);
    let value = solver.value(&position);
    let found = (gained_by(value), value.makes());
    solver.forget();
    let makes = solver.makes(&position);
    if found == expected && makes == expected.1 {
        return Ok(true);
    }
    Err(format!("{kind:?}, seed {seed}: {expected:?}, but the solver finds {found:?} and {makes}"))
}

fn full_deal(solver: &mut Solver, kind: &Kind, seed: u64) -> Result<bool, String> {
    let table = Table::new(kind, seed);
    let Some(position) = Position::from_state(&table.state) else { return Ok(false) };
    let expected = table.alpha_beta(&table.state);
    let value = solver.value(&position);
    solver.forget();
    let makes = solver.makes(&position);
    if gained_by(value) == expected && value.makes() == makes {
        return Ok(true);
    }
    Err(format!("{kind:?}, seed {seed}: {expected}, but the solver finds {value:?} and {makes}"))
}
