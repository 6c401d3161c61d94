//! `cargo xtask edge`: bundles, runs and tests the Worker of `hosts/edge` on workerd, Cloudflare's runtime.
//!
//! workerd is installed from npm in the version that `tests/edge/package.json` names.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{built, cargo, root, run as run_program, target};
use crate::{bundle, e2e, load, options, targets};

pub(crate) const HELP: &str = "\
usage: cargo xtask edge dev [--port N] [--data folder]
       cargo xtask edge build
       cargo xtask edge test
       cargo xtask edge scale [--seconds N]

  dev      bundles the page and the Worker and serves them on http://localhost:4243 until Ctrl-C; games are stored in
           target/edge-data
  build    bundles the Worker in target/edge-dist and prints its size
  test     bundles the Worker and runs the tests that need workerd
  scale    measures one object under load, and extrapolates to a day of ten million players; see docs/scale.md
           (`cargo xtask bench edge` compares the Worker with the server)

Environment variables configure the tables, as in hosts/edge/wrangler.toml: PACE, PLAYER, WORLDS, MESSAGES, KEEP_DAYS, ORIGINS.";

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        Some(("dev", rest)) => dev(rest),
        Some(("build", [])) => pack(),
        Some(("scale", rest)) => load::run_edge("scale", rest),
        Some(("test", rest)) => {
            prepare()?;
            let mut command = tests()?;
            command.args(rest);
            run_program(command)
        }
        _ => bail!("missing or unknown subcommand\n\n{HELP}"),
    }
}

/// Bundles the Worker.
pub(crate) fn pack() -> Result<()> {
    targets::ensure(targets::WASM)?;
    run_program(built("texas42-bundle", &["edge"])?)
}

/// Bundles the Worker and makes sure that workerd is installed.
pub(crate) fn prepare() -> Result<()> {
    pack()?;
    runtime().map(|path| println!("    the runtime is {}", path.display()))
}

/// The command that runs the tests that need workerd.
pub(crate) fn tests() -> Result<Command> {
    // The whole workspace, so that dependencies have the same features as in `cargo test --workspace`.
    let words = ["test", "--locked", "--workspace", "--features", "texas42-edge-tests/workerd"];
    let mut command = cargo(&words);
    command.args(["--test", "workerd_conformance", "--test", "workerd_promises"]);
    command.env("WORKERD", runtime()?);
    Ok(command)
}

fn dev(args: &[String]) -> Result<()> {
    let (mut port, mut data) = (4243, target("edge-data"));
    for (name, value) in options::pairs(args)? {
        match name {
            "--port" => port = options::number((name, value))?,
            "--data" => data = PathBuf::from(value),
            _ => return Err(options::unknown("edge dev", name, HELP)),
        }
    }
    bundle::make()?;
    prepare()?;
    std::fs::create_dir_all(&data).with_context(|| format!("could not make {}", data.display()))?;
    println!("    http://localhost:{port}");
    run_program(serve(&format!("127.0.0.1:{port}"), &data)?)
}

fn serve(address: &str, data: &std::path::Path) -> Result<Command> {
    let mut command = Command::new(runtime()?);
    command.arg("serve").arg(target("edge-dist/workerd.capnp")).current_dir(root());
    command.arg(format!("--socket-addr=http={address}"));
    command.arg(format!("--directory-path=storage={}", data.display()));
    command.arg(format!("--directory-path=files={}", target("web-dist").display()));
    Ok(command)
}

/// The path of workerd, which is installed from npm if it is missing.
pub(crate) fn runtime() -> Result<PathBuf> {
    if let Ok(path) = std::env::var("WORKERD") {
        return Ok(path.into());
    }
    if let Some(path) = installed() {
        return Ok(path);
    }
    e2e::node()?;
    println!("    installing workerd with npm");
    e2e::npm_install("tests/edge")?;
    installed().context("workerd was installed but is not found; set WORKERD to its path")
}

/// npm installs the binary in a package named after the platform.
fn installed() -> Option<PathBuf> {
    let folder = root().join("tests/edge/node_modules/@cloudflare");
    let packages = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path().join("bin/workerd")));
    packages.into_iter().find(|path| path.exists())
}
