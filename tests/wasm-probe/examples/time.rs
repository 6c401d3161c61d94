//! Times the solver and the expert natively, for `cargo xtask bench`; `time.mjs` does the same for WebAssembly.

use std::time::Instant;

use texas42_wasm_probe::{solve, think};

fn main() {
    let time = |ask: &dyn Fn() -> u64| {
        ask();
        let started = Instant::now();
        std::hint::black_box(ask());
        started.elapsed().as_secs_f64() * 1000.0
    };
    println!("{:.1} {:.1}", time(&|| solve(1, 400)), time(&|| think(1, 100, 40)));
}
