//! The tests in a real browser: they need Node, Chromium, and the packages that `tests/e2e/package.json` names.
//!
//! What is missing is installed from the package registries, and each installation is announced.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo_build, program, root, run, succeeds};
use crate::{bundle, edge, targets};

/// Where Chromium is found under its usual names.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Packs the page, builds the server with it, and makes sure that there is a browser.
pub(crate) fn prepare() -> Result<()> {
    targets::ensure(targets::WASM)?;
    bundle::make()?;
    run(bundle::inside(cargo_build("texas42")))?;
    node()?;
    chromium().map(|name| println!("    the browser is {name}"))?;
    packages()
}

/// The command that runs the tests and prints their results like cargo does.
pub(crate) fn command() -> Result<Command> {
    let mut command = program("node", &["tests/e2e/run.js"]);
    command.env("CHROMIUM", chromium()?).env_remove("WORKERD");
    Ok(command)
}

/// The tests of playing with others, with the edge as their server.
pub(crate) fn command_at_edge() -> Result<Command> {
    let mut command = command()?;
    command.env("WORKERD", edge::runtime()?);
    Ok(command)
}

/// Makes sure that there is Node.
pub(crate) fn node() -> Result<()> {
    if succeeds(program("node", &["--version"])) {
        return Ok(());
    }
    println!("    Node is missing, installing it with apt-get");
    install(&["nodejs", "npm"])
}

fn chromium() -> Result<String> {
    if let Ok(path) = std::env::var("CHROMIUM") {
        return Ok(path);
    }
    if let Some(path) = installed() {
        return Ok(path);
    }
    println!("    Chromium is missing, installing it with apt-get");
    install(&["chromium", "fonts-dejavu-core"])?;
    installed().context("Chromium was installed but is not found; set CHROMIUM to its path")
}

fn installed() -> Option<String> {
    CHROMIUM.into_iter().find(|name| succeeds(program(name, &["--version"]))).map(|name| {
        let found = crate::process::capture(program("which", &[name]));
        found.map_or_else(|_| name.to_owned(), |path| path.trim().to_owned())
    })
}

fn install(packages: &[&str]) -> Result<()> {
    let words = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    let done = run(program("apt-get", &["update", "--quiet"])).and_then(|()| run(program("apt-get", &words)));
    if done.is_err() {
        bail!("please install {}", packages.join(" and "));
    }
    Ok(())
}

fn packages() -> Result<()> {
    if root().join("tests/e2e/node_modules/axe-core/package.json").exists() {
        return Ok(());
    }
    println!("    installing the packages of tests/e2e with npm");
    npm_install("tests/e2e")
}

/// Installs what a folder names. Exact versions stand in its `package.json`; there is nothing behind them to lock.
pub(crate) fn npm_install(folder: &str) -> Result<()> {
    let words = ["install", "--no-audit", "--no-fund", "--silent", "--no-package-lock"];
    let mut command = program("npm", &words);
    command.current_dir(root().join(folder));
    run(command)
}
