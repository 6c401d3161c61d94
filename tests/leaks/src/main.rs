//! Audits games from the command line: `leaks FROM-SEED COUNT`

use std::{process::ExitCode, thread, time::Instant};

use texas42_leaks::{Leak, Totals, audit_games};

/// The number of games that a thread audits before the next slice.
const SLICE: u64 = 10;

fn main() -> ExitCode {
    let args: Vec<Option<u64>> = std::env::args().skip(1).map(|word| word.parse().ok()).collect();
    let [Some(from), Some(count)] = args[..] else {
        eprintln!("usage: leaks FROM-SEED COUNT");
        return ExitCode::FAILURE;
    };
    let started = Instant::now();
    match audit_on_all_cores(from, count) {
        Ok(totals) => {
            println!("{totals}");
            println!("    {count} games from seed {from} in {:.1} s", started.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(leak) => {
            println!("{leak}");
            ExitCode::FAILURE
        }
    }
}

fn audit_on_all_cores(from: u64, count: u64) -> Result<Totals, Leak> {
    let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
    let audit = |core: u64| {
        let mut totals = Totals::default();
        for slice in (0..count).step_by(SLICE as usize).filter(|slice| (slice / SLICE) % cores == core) {
            totals.add(&audit_games(from + slice, SLICE.min(count - slice))?);
        }
        Ok(totals)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || audit(core))).collect();
        let mut totals = Totals::default();
        for thread in threads {
            totals.add(&thread.join().expect("an audit does not panic")?);
        }
        Ok(totals)
    })
}
