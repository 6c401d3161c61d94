//! `cargo xtask bundle`: bundles the page and its worker.
//!
//! A separate program (`xtask/bundle`) does the work; it is compiled on first use.

use std::process::Command;

use anyhow::Result;

use crate::process::{built, cargo, run as run_program, target};
use crate::{no_arguments, targets};

pub(crate) const HELP: &str = "\
usage: cargo xtask bundle

Compiles the page (clients/web) with its worker (hosts/browser), and the screens that study a game (clients/study) with theirs
(hosts/study), to two WebAssembly modules, generates their bindings, and writes all files that a browser loads to
target/web-dist, under a hash of their contents, with Brotli and gzip copies. Prints the sizes, and fails if a module with
its files exceeds its budget. A server built afterwards embeds the folder; any static host can serve it.";

/// The packages that are compiled only to WebAssembly.
pub(crate) const BROWSER_PACKAGES: [&str; 8] = [
    "texas42-display",
    "texas42-web",
    "texas42-browser",
    "texas42-app",
    "texas42-study",
    "texas42-study-host",
    "texas42-study-app",
    "texas42-edge",
];

/// Runs the command.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("bundle", args)?;
    make()
}

/// Bundles the page.
pub(crate) fn make() -> Result<()> {
    targets::ensure(targets::WASM)?;
    run_program(built("texas42-bundle", &[])?)
}

/// Makes a build command embed the bundled page in the server. This also rebuilds a server that was built without a page.
pub(crate) fn inside(mut command: Command) -> Command {
    command.env("TEXAS42_WEB_DIST", target("web-dist"));
    command
}

/// Runs clippy on the packages that are compiled only to WebAssembly, which the workspace's run does not cover.
pub(crate) fn clippy() -> Result<()> {
    targets::ensure(targets::WASM)?;
    let mut command = cargo(&["clippy", "--locked", "--no-deps", "--target", targets::WASM]);
    for package in BROWSER_PACKAGES {
        command.args(["--package", package]);
    }
    command.args(["--", "-D", "warnings"]);
    run_program(command)
}
