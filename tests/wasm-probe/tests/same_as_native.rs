//! WebAssembly and native builds compute the same games.
//!
//! The test builds the probe for WebAssembly, so that plain `cargo test` needs only the target, and runs it in an
//! interpreter written in Rust, so that it needs no browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use texas42_wasm_probe::{probe, solve, think};
use wasmi::{Engine, Linker, Module, Store, TypedFunc};

const TARGET: &str = "wasm32-unknown-unknown";

/// Unrelated seeds, and enough games for a difference to show.
const SEEDS: [u32; 4] = [0, 1, 42, u32::MAX];
const GAMES: u32 = 8;

#[test]
fn wasm_and_native_games_agree() {
    let mut wasm = Probe::load();
    for seed in SEEDS {
        assert_eq!(wasm.call(seed, GAMES), probe(seed, GAMES), "seed {seed}, {GAMES} games");
    }
}

/// Values, nodes, decisions and their reasons, including floating point.
#[test]
fn wasm_and_native_solver_and_bots_agree() {
    let mut wasm = Probe::load();
    let solve_in_wasm: TypedFunc<(u32, u32), u64> =
        wasm.instance.get_typed_func(&wasm.store, "solve").expect("exported");
    assert_eq!(solve_in_wasm.call(&mut wasm.store, (7, 1)).expect("the probe does not panic"), solve(7, 1));
    let think_in_wasm: TypedFunc<(u32, u32, u32), u64> =
        wasm.instance.get_typed_func(&wasm.store, "think").expect("exported");
    assert_eq!(think_in_wasm.call(&mut wasm.store, (7, 2, 10)).expect("the probe does not panic"), think(7, 2, 10));
}

#[test]
fn the_digest_depends_on_seed_and_games() {
    assert_ne!(probe(1, GAMES), probe(2, GAMES));
    assert_ne!(probe(1, GAMES), probe(1, GAMES + 1));
}

/// The instantiated WebAssembly module.
struct Probe {
    store: Store<()>,
    instance: wasmi::Instance,
    function: TypedFunc<(u32, u32), u64>,
}

impl Probe {
    fn load() -> Self {
        let engine = Engine::default();
        let module = Module::new(&engine, module_bytes()).expect("rustc builds valid modules");
        assert_eq!(imports(&module), [""; 0], "pure code must not import anything");
        let mut store = Store::new(&engine, ());
        let instance =
            Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("the module has no imports");
        let function = instance.get_typed_func(&store, "probe").expect("the module exports `probe`");
        Self { store, instance, function }
    }

    fn call(&mut self, seed: u32, games: u32) -> u64 {
        self.function.call(&mut self.store, (seed, games)).expect("the probe does not panic")
    }
}

fn imports(module: &Module) -> Vec<String> {
    module.imports().map(|import| format!("{}.{}", import.module(), import.name())).collect()
}

fn module_bytes() -> Vec<u8> {
    let target_folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasm-probe");
    build(&target_folder);
    let file: PathBuf = target_folder.join(TARGET).join("release").join("texas42_wasm_probe.wasm");
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Builds the module in its own target folder, so that it neither waits for nor disturbs another build.
fn build(target_folder: &Path) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["build", "--release", "--locked", "--lib", "--target", TARGET, "--target-dir"]).arg(target_folder);
    // Flags for the native build, such as a CPU or coverage, do not apply to WebAssembly.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let output = cargo.output().expect("cargo runs this test, so it exists");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "is the target {TARGET} installed? `cargo xtask test` adds it.\n{complaint}");
}
