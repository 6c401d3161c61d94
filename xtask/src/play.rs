//! `cargo xtask play`: from nothing to a game on http://localhost:4242.

use anyhow::Result;

use crate::process::{cargo, root, run as run_program};

pub(crate) const HELP: &str = "\
usage: cargo xtask play [arguments for texas42 serve]

Builds the page and the server, and serves on http://localhost:4242 until Ctrl-C. What is played is kept in
target/play-data; `--data <folder>` keeps it elsewhere.

  cargo xtask play
  cargo xtask play --listen 0.0.0.0:4242      let other machines in";

pub(crate) fn run(args: &[String]) -> Result<()> {
    // The page is inside the server where there is a command that builds it.
    if let Some(bundle) = crate::COMMANDS.iter().find(|command| command.name == "bundle") {
        (bundle.run)(&[])?;
    }
    let mut command = cargo(&["run", "--release", "--locked", "--package", "texas42-server", "--", "serve"]);
    let page = root().join("target/web-dist");
    if page.join("index.html").exists() {
        command.env("TEXAS42_WEB_DIST", page);
    }
    if !args.iter().any(|arg| arg.starts_with("--data")) {
        command.args(["--data", "target/play-data"]);
    }
    command.args(args);
    run_program(command)
}
