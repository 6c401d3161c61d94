//! `cargo xtask edge`: the Worker of `hosts/edge`, packed, run on one machine, and tested, on the runtime that Cloudflare
//! runs it on.
//!
//! That runtime, workerd, comes from npm; `tests/edge/package.json` names its version. Everything else is built here.

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

  dev      packs the page and the Worker and runs them on http://localhost:4243 until Ctrl-C; games are kept in
           target/edge-data
  build    packs the Worker to target/edge-dist and prints what it weighs
  test     packs the Worker and runs the tests that want workerd
  scale    measures what a crowd costs one object, and simulates a day of ten million players with it; see docs/scale.md
           (`cargo xtask bench edge` measures the Worker beside the server)

Variables change how tables are run, as in hosts/edge/wrangler.toml: PACE, PLAYER, WORLDS, MESSAGES, ORIGINS.";

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
        _ => bail!("say what to do\n\n{HELP}"),
    }
}

/// Packs the Worker.
pub(crate) fn pack() -> Result<()> {
    targets::ensure(targets::WASM)?;
    run_program(built("texas42-bundle", &["edge"])?)
}

/// Packs the Worker and makes sure that there is a runtime for it.
pub(crate) fn prepare() -> Result<()> {
    pack()?;
    runtime().map(|path| println!("    the runtime is {}", path.display()))
}

/// The tests that want the runtime.
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

/// The program of the runtime, installed from npm when it is missing.
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

/// npm puts the program into a package that is named after the machine.
fn installed() -> Option<PathBuf> {
    let folder = root().join("tests/edge/node_modules/@cloudflare");
    let packages = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path().join("bin/workerd")));
    packages.into_iter().find(|path| path.exists())
}
