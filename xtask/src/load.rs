//! `cargo xtask bench load`: builds the server and the load generator, and lets the one measure the other.

use anyhow::Result;

use crate::process::{cargo, program, run as run_program};

pub(crate) fn run(args: &[String]) -> Result<()> {
    run_program(cargo(&[
        "build",
        "--release",
        "--locked",
        "--package",
        "texas42-server",
        "--package",
        "texas42-load",
    ]))?;
    let mut command = program("target/release/load", &["--server", "target/release/texas42"]);
    command.args(args);
    run_program(command)
}
