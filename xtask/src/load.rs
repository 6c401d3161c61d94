//! `cargo xtask bench load` and `cargo xtask bench edge`: build the server, the Worker and the load generator, and run the
//! generator.

use std::process::Command;

use anyhow::Result;

use crate::edge;
use crate::process::{cargo, program, run as run_program, target};

/// Measures the native server.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut command = built()?;
    command.args(args);
    run_program(command)
}

/// Measures the edge on workerd: the scenario `edge`, next to the server, or `scale`.
pub(crate) fn run_edge(scenario: &str, args: &[String]) -> Result<()> {
    edge::prepare()?;
    let mut command = built()?;
    command.arg(scenario).args(args).env("WORKERD", edge::runtime()?);
    run_program(command)
}

/// Builds the server and the load generator, and returns the command that starts the generator.
fn built() -> Result<Command> {
    let packages = ["--package", "texas42-cli", "--package", "texas42-load"];
    run_program(cargo(&[&["build", "--release", "--locked"][..], &packages].concat()))?;
    let mut command = program(target("release/load"), &[]);
    command.arg("--server").arg(target("release/texas42")).arg("--data").arg(target("load-data"));
    Ok(command)
}
