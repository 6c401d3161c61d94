//! `cargo xtask bench`: the benchmarks of the engine.
//!
//! `instructions` counts instructions, which a busy machine does not change; `replay` takes times, which it does.

use anyhow::Result;

use crate::no_arguments;
use crate::process::{cargo, root, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask bench

Runs the benchmarks `instructions` and `replay` of the engine, those of them that exist.";

const BENCHES: [&str; 2] = ["instructions", "replay"];

/// Runs the benchmarks in turn.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("bench", args)?;
    for name in BENCHES {
        run_if_it_exists(name)?;
    }
    Ok(())
}

fn run_if_it_exists(name: &str) -> Result<()> {
    let file = format!("crates/engine/benches/{name}.rs");
    if !root().join(&file).is_file() {
        println!("there is no benchmark {file}");
        return Ok(());
    }
    run_program(cargo(&["bench", "--locked", "--package", "texas42-engine", "--bench", name]))
}
