//! `cargo xtask bundle`: the page and its worker, ready to be served.
//!
//! The work is done by a program of its own (`xtask/bundle`), which is compiled when it is first wanted.

use std::process::Command;

use anyhow::Result;

use crate::process::{built, cargo, run as run_program, target};
use crate::{no_arguments, targets};

pub(crate) const HELP: &str = "\
usage: cargo xtask bundle

Compiles the page (clients/web) and the worker (hosts/browser) to WebAssembly, makes their bindings, and writes everything
that a browser loads to target/web-dist: files under the hash of their contents, with brotli and gzip copies beside them.
Prints the sizes, and fails when the page is heavier than it may be. The server takes the folder into its binary when it is
built afterwards; any static host can serve it as it is.";

/// The packages that exist as WebAssembly only.
pub(crate) const BROWSER_PACKAGES: [&str; 4] = ["texas42-web", "texas42-browser", "texas42-app", "texas42-edge"];

/// Runs it.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("bundle", args)?;
    make()
}

/// Packs the page.
pub(crate) fn make() -> Result<()> {
    targets::ensure(targets::WASM)?;
    run_program(built("texas42-bundle", &[])?)
}

/// The same command, with the packed page in the server that it builds. A server that was built before there was a page
/// is built anew only when it is named like this.
pub(crate) fn inside(mut command: Command) -> Command {
    command.env("TEXAS42_WEB_DIST", target("web-dist"));
    command
}

/// Clippy for what only a browser or the edge compiles; the workspace's own run does not see it.
pub(crate) fn clippy() -> Result<()> {
    targets::ensure(targets::WASM)?;
    let mut command = cargo(&["clippy", "--locked", "--no-deps", "--target", targets::WASM]);
    for package in BROWSER_PACKAGES {
        command.args(["--package", package]);
    }
    command.args(["--", "-D", "warnings"]);
    run_program(command)
}
