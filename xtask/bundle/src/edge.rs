//! Bundles the Worker in `target/edge-dist`: the WebAssembly module with its bindings, the shim that the runtime loads, and
//! the workerd configuration for local runs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::{TARGET, build, compress, read, target};

/// The size limit of the Worker, in gzipped bytes. The platform allows 3 MB, but a larger Worker starts more slowly.
const BUDGET: usize = 650_000;
/// Optimizes the solver for size, because bots on the edge sample few worlds.
const SMALL_SOLVER: &str = "profile.wasm.package.texas42-solver.opt-level='z'";

/// Bundles the Worker.
pub(crate) fn pack(root: &Path) -> Result<()> {
    build(root, "texas42-edge", &["--config", SMALL_SOLVER])?;
    let out = target("edge-dist")?;
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    Bindgen::new()
        .input_path(target(TARGET)?.join("wasm/texas42_edge.wasm"))
        .out_name("edge")
        .web(true)?
        .reset_state_function(true)
        .force_enable_abort_handler(true)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&out)
        .context("no bindings for the Worker")?;
    fs::copy(root.join("hosts/edge/src/shim.js"), out.join("index.js"))?;
    write_configuration(root, &out)?;
    report(&out)
}

/// Writes the workerd configuration, which must list every script of the bindings.
fn write_configuration(root: &Path, out: &Path) -> Result<()> {
    let template = String::from_utf8(read(&root.join("hosts/edge/workerd.capnp"))?)?;
    let mut lines = String::new();
    for file in files(&out.join("snippets"))? {
        let name = file.strip_prefix(out)?.display().to_string();
        lines += &format!("    (name = \"{name}\", esModule = embed \"{name}\"),\n");
    }
    fs::write(out.join("workerd.capnp"), template.replace("{{snippets}}", &lines))?;
    Ok(())
}

/// Lists all files below a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !folder.exists() {
        return Ok(found);
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// Prints the sizes of the uploaded files, and fails if they exceed the budget.
fn report(out: &Path) -> Result<()> {
    println!("    {:<28}{:>10}{:>10}", "file", "bytes", "gzip");
    let mut whole = 0;
    for file in files(out)?.iter().filter(|file| file.extension().is_some_and(|end| end == "js" || end == "wasm")) {
        let content = read(file)?;
        let small = compress::gzip(&content)?.len();
        whole += small;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("    {name:<28}{:>10}{small:>10}", content.len());
    }
    println!("    the Worker: {whole} bytes of gzip, at most {BUDGET}");
    if whole > BUDGET {
        bail!("the Worker is too large: {whole} gzipped bytes, and the limit is {BUDGET}");
    }
    Ok(())
}
