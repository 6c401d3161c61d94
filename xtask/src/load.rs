//! `cargo xtask bench load` and `cargo xtask bench edge`: build the server, the load generator and the Worker, and let the
//! one measure the others.

use anyhow::Result;

use crate::edge;
use crate::process::{cargo, program, run as run_program};

/// The native server.
pub(crate) fn run(args: &[String]) -> Result<()> {
    build()?;
    let mut command = program("target/release/load", GENERATOR);
    command.args(args);
    run_program(command)
}

/// The edge on workerd: `edge` beside the server, or `scale`.
pub(crate) fn run_edge(scenario: &str, args: &[String]) -> Result<()> {
    edge::prepare()?;
    build()?;
    let mut command = program("target/release/load", GENERATOR);
    command.arg(scenario).args(args).env("WORKERD", edge::runtime()?);
    run_program(command)
}

const GENERATOR: &[&str] = &["--server", "target/release/texas42"];

fn build() -> Result<()> {
    let packages = ["--package", "texas42-cli", "--package", "texas42-load"];
    run_program(cargo(&[&["build", "--release", "--locked"][..], &packages].concat()))
}
