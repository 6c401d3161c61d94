//! Installs compilation targets that a command needs and that a fresh machine may lack.
//!
//! `rust-toolchain.toml` names the wasm target, but rustup's automatic installation can be switched off, so the commands check
//! for themselves.

use std::path::Path;

use anyhow::{Context, Result};

use crate::process::{capture, program, run};

/// The target for the browser and the edge.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A target with `core` and `alloc` but without `std`: a crate that builds for it needs no `std`.
pub(crate) const NO_STD: &str = "wasm32v1-none";

/// Adds the target if the toolchain lacks it.
pub(crate) fn ensure(target: &str) -> Result<()> {
    if is_installed(target)? {
        println!("    the target {target} is installed");
        return Ok(());
    }
    println!("    the target {target} is missing, adding it");
    run(program("rustup", &["target", "add", target]))
        .with_context(|| format!("please install the standard library of Rust for {target}"))
}

/// Asks the compiler instead of rustup, so that other toolchains work too.
fn is_installed(target: &str) -> Result<bool> {
    let folder = capture(program("rustc", &["--print", "target-libdir", "--target", target]))?;
    Ok(Path::new(folder.trim()).is_dir())
}
