//! `cargo xtask play`: builds everything and serves the game on <http://localhost:4242>.

use anyhow::Result;

use crate::bundle;
use crate::process::{cargo, run as run_program, target};

pub(crate) const HELP: &str = "\
usage: cargo xtask play [arguments for texas42 serve]

Builds the page and the server, and serves on http://localhost:4242 until Ctrl-C. Games are kept in target/play-data;
`--data <folder>` keeps them elsewhere.

  cargo xtask play
  cargo xtask play --listen 0.0.0.0:4242      let other machines in";

/// The arguments with which cargo builds a release. A test compares them with the Dockerfile and the release workflow.
pub(crate) const RELEASE: [&str; 4] = ["--release", "--locked", "--package", "texas42-cli"];

pub(crate) fn run(args: &[String]) -> Result<()> {
    bundle::make()?;
    let mut command = bundle::inside(cargo(&["run"]));
    command.args(RELEASE).args(["--", "serve"]);
    if !args.iter().any(|arg| arg.starts_with("--data")) {
        command.arg("--data").arg(target("play-data"));
    }
    command.args(args);
    run_program(command)
}
