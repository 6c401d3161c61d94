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
    // Twenty thousand connections need as many open files, on both sides; where that is not allowed, fewer have to do.
    let script = "ulimit -n 65536 2>/dev/null; exec target/release/load --server target/release/texas42 \"$@\"";
    let mut command = program("sh", &["-c", script, "load"]);
    command.args(args);
    run_program(command)
}
