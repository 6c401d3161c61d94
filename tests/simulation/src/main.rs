//! Plays worlds with consecutive seeds. `cargo xtask worlds` runs it.

use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::Mutex,
    time::{Duration, Instant},
};

use texas42_simulation::run_worlds;

/// `worlds FROM-SEED COUNT`
fn main() -> ExitCode {
    let args: Vec<Option<u64>> = std::env::args().skip(1).map(|word| word.parse().ok()).collect();
    let [Some(from), Some(count)] = args[..] else {
        eprintln!("usage: worlds FROM-SEED COUNT");
        return ExitCode::FAILURE;
    };
    let started = Instant::now();
    let progress = Progress::new(count);
    let result = run_worlds(from, count, &|done| progress.show(done));
    progress.clear();
    match result {
        Ok(report) => {
            let seconds = started.elapsed().as_secs_f64();
            println!("{report}");
            println!("    {count} worlds from seed {from} in {seconds:.1} s, {:.0} a second", count as f64 / seconds);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// A progress line, shown only on a terminal.
struct Progress {
    count: u64,
    shown: Mutex<Instant>,
    is_terminal: bool,
}

impl Progress {
    fn new(count: u64) -> Self {
        Self { count, shown: Mutex::new(Instant::now()), is_terminal: std::io::stdout().is_terminal() }
    }

    fn show(&self, done: u64) {
        let Ok(mut shown) = self.shown.lock() else { return };
        if self.is_terminal && shown.elapsed() > Duration::from_millis(250) {
            *shown = Instant::now();
            print!("\r    {done} of {} worlds", self.count);
            let _ = std::io::stdout().flush();
        }
    }

    fn clear(&self) {
        if self.is_terminal {
            print!("\r\x1b[K");
        }
    }
}
