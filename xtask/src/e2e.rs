//! `cargo xtask e2e`: the tests in a real browser, with Playwright Test. They need Node, Chromium, and the packages that
//! `tests/e2e/package.json` names.
//!
//! Missing programs and packages are installed from their registries. The command announces each installation.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo_build, program, root, run as run_program, succeeds};
use crate::{bundle, edge, targets};

pub(crate) const HELP: &str = "\
usage: cargo xtask e2e [edge] [arguments for Playwright Test]

Bundles the page, builds the server with it, and drives the page in a real Chromium (CHROMIUM names one), which is installed with
apt-get when there is none. With `edge`, the tests of playing with others run on the edge instead of the native server.

A test that fails leaves a trace of every page and a picture in target/e2e-results; `npx playwright show-trace` (in tests/e2e)
opens a trace. Pictures of all screens are kept in target/e2e.

  cargo xtask e2e                             every test
  cargo xtask e2e -g reload                   the tests with `reload` in their name
  cargo xtask e2e offline.test.js:95          the test on this line
  cargo xtask e2e -g reload --repeat-each 20  the same tests again and again
  cargo xtask e2e edge                        playing with others, on the edge";

/// The names under which Chromium may be installed.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Bundles the page, builds the server and runs the tests.
pub(crate) fn run(args: &[String]) -> Result<()> {
    prepare()?;
    let (mut tests, rest) = match args.split_first() {
        Some((word, rest)) if word == "edge" => {
            edge::prepare()?;
            (command_at_edge()?, rest)
        }
        _ => (command()?, args),
    };
    tests.args(rest);
    run_program(tests)
}

/// Bundles the page, builds the server with it, and makes sure that a browser is installed.
pub(crate) fn prepare() -> Result<()> {
    targets::ensure(targets::WASM)?;
    bundle::make()?;
    run_program(bundle::inside(cargo_build("texas42")))?;
    browser()
}

/// Makes sure that Node, a browser and the packages are installed.
pub(crate) fn browser() -> Result<()> {
    node()?;
    chromium().map(|name| println!("    the browser is {name}"))?;
    packages("tests/e2e")
}

/// The command that runs the tests. Its last line sums the results in the format of `cargo test`.
pub(crate) fn command() -> Result<Command> {
    playwright("playwright.config.js")
}

/// The command that measures the page.
pub(crate) fn bench() -> Result<Command> {
    playwright("bench.config.js")
}

/// The command that takes the picture in the README.
pub(crate) fn screenshot() -> Result<Command> {
    playwright("screenshot.config.js")
}

fn playwright(config: &str) -> Result<Command> {
    let mut command = program("node", &["node_modules/@playwright/test/cli.js", "test", "--config", config]);
    command.current_dir(root().join("tests/e2e"));
    command.env("CHROMIUM", chromium()?).env_remove("WORKERD");
    Ok(command)
}

/// The command that runs the multiplayer tests with the edge as the server.
pub(crate) fn command_at_edge() -> Result<Command> {
    let mut command = command()?;
    command.env("WORKERD", edge::runtime()?);
    Ok(command)
}

/// Makes sure that Node is installed.
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
    let update = run_program(program("apt-get", &["update", "--quiet"]));
    let done = update.and_then(|()| run_program(program("apt-get", &words)));
    if done.is_err() {
        bail!("please install {}", packages.join(" and "));
    }
    Ok(())
}

/// Installs the packages of a folder if its `package.json` is newer than the installed ones.
pub(crate) fn packages(folder: &str) -> Result<()> {
    let time = |path: &str| std::fs::metadata(root().join(folder).join(path)).and_then(|file| file.modified()).ok();
    if time("node_modules/.package-lock.json") >= time("package.json") {
        return Ok(());
    }
    println!("    installing the packages of {folder} with npm");
    npm_install(folder)
}

/// Installs the packages of a folder. Its `package.json` names exact versions, so there is no lock file.
pub(crate) fn npm_install(folder: &str) -> Result<()> {
    let words = ["install", "--no-audit", "--no-fund", "--silent", "--no-package-lock"];
    let mut command = program("npm", &words);
    // The tests use the installed browser.
    command.current_dir(root().join(folder)).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    run_program(command)
}
