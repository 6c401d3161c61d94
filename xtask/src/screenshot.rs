//! `cargo xtask screenshot`: takes the picture in the README from the current page.

use anyhow::Result;

use crate::process::run as run_program;
use crate::{bundle, e2e, no_arguments};

pub(crate) const HELP: &str = "\
usage: cargo xtask screenshot

Bundles the page, plays an offline hand from a fixed seed in Chromium, and writes docs/screenshot.jpg. Every run shows the same hand.
Installs what is missing, as `cargo xtask e2e` does. The script is tests/e2e/screenshot.js.";

pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("screenshot", args)?;
    bundle::make()?;
    e2e::browser()?;
    run_program(e2e::screenshot()?)
}
