//! Every law on several hundred inputs, the same in each run. `cargo xtask fuzz` runs more.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::path::Path;

use texas42_fuzz_laws::{LAWS, Law};

const INPUTS: u64 = 800;
/// The number of worlds, which take longer. The tests of the simulation play more.
const WORLDS: u64 = 60;

fn check_law(name: &str) {
    check_law_on(name, INPUTS);
}

fn check_law_on(name: &str, inputs: u64) {
    let law = Law::named(name).expect("the law exists");
    for seed in 0..inputs {
        let input = law.input(seed);
        let result = std::panic::catch_unwind(|| (law.check)(&input));
        assert!(result.is_ok(), "seed {seed}; to reproduce: cargo xtask fuzz --law {name} --seed {seed}");
    }
}

#[test]
fn record_replays_or_is_refused() {
    check_law("record_replays_or_is_refused");
}

#[test]
fn headless_answers_every_line() {
    check_law("headless_answers_every_line");
}

#[test]
fn actions_apply_exactly_when_legal() {
    check_law("actions_apply_exactly_when_legal");
}

#[test]
fn code_leads_to_one_game() {
    check_law("code_leads_to_one_game");
}

#[test]
fn tables_keep_their_promises() {
    check_law_on("tables_keep_their_promises", WORLDS);
}

/// If every input failed at the first byte, every law would hold trivially.
#[test]
fn many_inputs_are_valid() {
    let valid_inputs = |name: &str, is_valid: fn(&str) -> bool| {
        let law = Law::named(name).expect("the law exists");
        let inputs = (0..400).map(|seed| law.input(seed));
        inputs.filter(|input| std::str::from_utf8(input).is_ok_and(is_valid)).count()
    };
    assert!(
        valid_inputs("record_replays_or_is_refused", |text| texas42_room::HeadlessRoom::from_record(text).is_ok()) > 40
    );
    assert!(valid_inputs("code_leads_to_one_game", |text| texas42_room::HeadlessRoom::from_code(text).is_ok()) > 20);
}

/// Builds do not include libFuzzer, so this checks at least that laws and fuzz targets match.
#[test]
fn every_law_has_a_fuzz_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for law in LAWS {
        let target = std::fs::read_to_string(folder.join("fuzz_targets").join(format!("{}.rs", law.name))).unwrap();
        assert!(target.contains(&format!("texas42_fuzz_laws::{}(", law.name)));
        assert!(manifest.contains(&format!("name = \"{}\"", law.name)));
    }
    assert_eq!(std::fs::read_dir(folder.join("fuzz_targets")).unwrap().count(), LAWS.len());
}
