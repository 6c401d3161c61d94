//! Plays three hundred worlds, checks that every kind of fault occurred in them, and that a seed reproduces its world.

use texas42_simulation::{run_world, run_worlds};

#[test]
fn three_hundred_worlds_pass_with_every_kind_of_fault() {
    let report = run_worlds(1, 300, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    assert_eq!(report.worlds, 300);
    let rows = report.rows().into_iter();
    // These worlds need not lock anybody out.
    let never = rows.filter(|(name, count)| *count == 0 && *name != "locked_out").map(|(name, _)| name);
    let never: Vec<&str> = never.collect();
    assert!(never.is_empty(), "these never happened: {never:?}");
    for (name, count, at_least) in [
        ("crashes between effects", report.crashes_between_effects, 300),
        ("store failures", report.store_failures, 60),
        ("doubtful stores", report.doubtful_stores, 60),
        ("drops", report.drops, 800),
        ("duplicates", report.duplicates, 1000),
        ("gaps", report.gaps, 1000),
        ("refused invalid messages", report.refused_invalid_messages, 10_000),
        ("acks", report.acks, 5000),
        ("repeated acks", report.repeated_acks, 200),
        ("calls to join", report.calls_to_join, 100),
        ("calls to rejoin", report.calls_to_rejoin, 300),
        ("calls to leave", report.calls_to_leave, 50),
        ("refused calls", report.refused_calls, 1000),
        ("imported tables", report.imported_tables, 30),
        ("undos", report.undos, 50),
        ("declined undos", report.undo_refusals, 5),
        ("swaps in tricks", report.swaps_in_tricks, 100),
        ("takeovers", report.takeovers, 50),
        ("rematches", report.rematches, 100),
        ("configurations", report.configurations, 30),
        ("hands", report.hands, 200),
    ] {
        assert!(count >= at_least, "{name}: only {count}");
    }
}

#[test]
fn a_seed_reproduces_its_world_byte_for_byte() {
    for seed in [0, 7, 42, 1 << 40, u64::MAX] {
        let (first, again) = (run_world(seed).unwrap(), run_world(seed).unwrap());
        assert_eq!(first, again);
        assert_ne!(first.trace, run_world(seed ^ 1).unwrap().trace);
    }
}

/// Seeds that failed before. The world of a seed changes with the simulation; `src/host/tests.rs` keeps the situation of the first
/// as a deterministic test.
const FAILED_BEFORE: [u64; 7] = [
    // An admin invite was invalid when sent, but its sender manages the table when it arrives.
    786_610,
    // A change of control was invalid when sent, but its sender has joined again on that seat when it arrives.
    424_219_394,
    424_233_388,
    // A bot of the host takes its seat when the hand is over, and an undo leads back into the hand.
    17_950_509_780_295,
    // A table loses its memory while an invited bot that waits for a deal polls it.
    17_950_509_782_518,
    // A phrase is said between hands and arrives after the next deal.
    20_263_078,
    // A host who may not play, and whose requests come over HTTP, hands their seat to a bot in a rated hand.
    777_115_905,
];

#[test]
fn worlds_that_failed_before_pass() {
    for seed in FAILED_BEFORE {
        run_world(seed).unwrap_or_else(|failure| panic!("{failure}"));
    }
}
