//! `cargo xtask bench solver`, `ai` and `review`: the cost of the solver, of bots and of reviews. Only node counts, which are
//! the same on every machine, have limits. WebAssembly is compared with native code in one run.

use anyhow::{Context, Result, ensure};

use super::{build_of, counted, ensure_limits, numbers};
use crate::{
    process::{capture, cargo, program, run as run_program, succeeds, target},
    targets,
};

/// The maximum average number of nodes for each question, over 1,000 full deals with a sensible trump.
const MAX_NODES: [(&str, f64); 4] = [
    ("exact value", 18_000.0),
    ("make 30, yes or no", 3_500.0),
    ("make 42, yes or no", 2_000.0),
    ("all leads exactly", 70_000.0),
];
/// How much slower WebAssembly should be at most.
const MAX_FOR_WASM: f64 = 1.6;

pub(super) fn solver() -> Result<()> {
    let bench = build_of("texas42-solver", "solve")?;
    let table = capture(program(&bench, &["1000"]))?;
    println!("\n{table}");
    let [few, many] = ["100", "200"].map(|deals| counted(&bench, "count", &[deals]));
    let ((few, few_nodes), (many, many_nodes)) = (few?, many?);
    println!("instructions a node: {:.0}", (many - few) / (many_nodes - few_nodes));
    let kept = MAX_NODES.iter().all(|(question, most)| nodes_of(&table, question).is_some_and(|nodes| nodes <= *most));
    wasm()?;
    ensure_limits(kept, "the solver")
}

/// The mean number of nodes in the row of a question.
fn nodes_of(table: &str, question: &str) -> Option<f64> {
    let row = table.lines().find_map(|line| line.strip_prefix(question))?;
    row.split_whitespace().next()?.parse().ok()
}

/// Compares native code with WebAssembly in one run. The ratio depends on the machine, so it is printed but not enforced.
fn wasm() -> Result<()> {
    if !succeeds(program("node", &["--version"])) {
        println!("node is not installed, so WebAssembly is not timed");
        return Ok(());
    }
    targets::ensure(targets::WASM)?;
    let package = ["--release", "--locked", "--package", "texas42-wasm-probe"];
    run_program(cargo(&[&["build", "--lib", "--target", targets::WASM][..], &package].concat()))?;
    let module = target(targets::WASM).join("release/texas42_wasm_probe.wasm");
    let module = module.to_str().context("the path of the module is not UTF-8")?;
    ensure!(std::path::Path::new(module).exists(), "{module} was not built");
    let native = capture(cargo(&[&["run", "--quiet", "--example", "time"][..], &package].concat()))?;
    let wasm = capture(program("node", &["tests/wasm-probe/examples/time.mjs", module]))?;
    let (native, wasm) = (numbers::<2>(&native)?, numbers::<2>(&wasm)?);
    for (what, (native, wasm)) in
        ["400 exact values", "40 decisions of the expert, 100 worlds"].iter().zip(native.iter().zip(wasm))
    {
        let ratio = wasm / native;
        println!("{what}: native {native:.0} ms, WebAssembly {wasm:.0} ms, {ratio:.2} times (at most {MAX_FOR_WASM})");
    }
    Ok(())
}

pub(super) fn ai() -> Result<()> {
    let bench = build_of("texas42-ai", "decide")?;
    let rows = [["expert", "0", "40"], ["sampler", "0", "40"], ["sampler", "100", "40"], ["intermediate", "0", "40"]];
    for args in rows {
        println!("\n{}", capture(program(&bench, &args))?);
    }
    Ok(())
}

/// The times depend on the machine, so they are printed and not enforced.
pub(super) fn review() -> Result<()> {
    let bench = build_of("texas42-ai", "review")?;
    println!("\n{}", capture(program(&bench, &["100"]))?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_the_first_number_of_a_row() {
        let table = "1000 full deals\nexact value              10358      7000\nmake 30, yes or no        1792";
        assert_eq!((nodes_of(table, "exact value"), nodes_of(table, "make 42")), (Some(10_358.0), None));
    }
}
