//! Checks the laws on inputs from increasing seeds for a given time; run by `cargo xtask fuzz`.

use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    time::{Duration, Instant},
};

use texas42_fuzz_laws::{LAWS, Law};

/// No input may take longer than this, even on a busy machine.
const MAX_DURATION: Duration = Duration::from_secs(10);

/// `fuzz-laws SECONDS FROM` checks all laws, starting at a seed; `fuzz-laws LAW SEED` prints and checks one input.
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u64>().ok();
    match words[..] {
        [name, seed] if Law::named(name).is_some() => reproduce(Law::named(name), number(seed)),
        [seconds, from] => match (number(seconds), number(from)) {
            (Some(seconds), Some(from)) => check_all(Duration::from_secs(seconds), from),
            _ => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: fuzz-laws SECONDS FROM-SEED, or fuzz-laws LAW SEED");
    ExitCode::FAILURE
}

fn reproduce(law: Option<Law>, seed: Option<u64>) -> ExitCode {
    let (Some(law), Some(seed)) = (law, seed) else { return usage() };
    println!("{}", law.input(seed).escape_ascii());
    (law.check)(&law.input(seed));
    println!("{} holds for seed {seed}", law.name);
    ExitCode::SUCCESS
}

fn check_all(time: Duration, from: u64) -> ExitCode {
    let started = Instant::now();
    let mut progress = Progress::new(started);
    let mut seed = from;
    while started.elapsed() < time {
        for law in LAWS {
            if let Err(why) = check_one(law, seed) {
                println!("\n{} is violated ({why}) by seed {seed}; to reproduce:", law.name);
                println!("  cargo xtask fuzz --law {} --seed {seed}", law.name);
                return ExitCode::FAILURE;
            }
        }
        seed += 1;
        progress.show(seed - from);
    }
    progress.clear();
    println!("    {} inputs for each of {} laws from seed {from}, and every law holds", seed - from, LAWS.len());
    ExitCode::SUCCESS
}

fn check_one(law: Law, seed: u64) -> Result<(), &'static str> {
    let started = Instant::now();
    std::panic::catch_unwind(|| (law.check)(&law.input(seed))).map_err(|_| "see the panic above")?;
    if started.elapsed() > MAX_DURATION { Err("it took too long") } else { Ok(()) }
}

/// A progress line, rewritten in place; only on a terminal.
struct Progress {
    started: Instant,
    shown: Instant,
    is_terminal: bool,
}

impl Progress {
    fn new(started: Instant) -> Self {
        Self { started, shown: started, is_terminal: std::io::stdout().is_terminal() }
    }

    fn show(&mut self, inputs: u64) {
        if self.is_terminal && self.shown.elapsed() > Duration::from_millis(250) {
            self.shown = Instant::now();
            print!("\r    {:3.0} s, {inputs} inputs for each law", self.started.elapsed().as_secs_f64());
            let _ = std::io::stdout().flush();
        }
    }

    fn clear(&self) {
        if self.is_terminal {
            print!("\r\x1b[K");
        }
    }
}
