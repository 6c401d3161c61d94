//! `texas42`: the game on the command line. Each command has its file in `commands/`; the library of this crate has the
//! terminal UI.

mod color;
mod commands;
mod exit_code;
mod files;
mod game_source;
mod help;
mod output;
mod progress;
mod text_table;
mod today;
mod wording;

use std::{ffi::OsString, process::ExitCode};

use clap::{FromArgMatches, Parser, Subcommand};

use color::{Color, ERROR};

/// Tables allocate many small strings and drop them on another thread; `docs/server.md` has measurements.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Texas 42: play, host and study the domino game of Texas
#[derive(Debug, Parser)]
#[command(name = "texas42", version = env!("TEXAS42_VERSION"), about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colors; auto uses them on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", display_order = 100)]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    // Commands without a description here have a longer one on their `Args`.
    Serve(Box<commands::serve::Args>),
    Join(commands::join::Args),
    /// Play against computer players in the terminal, without a server
    Play(commands::play::Args),
    Bot(commands::bot::Args),
    Backup(commands::backup::Args),
    VerifyData(commands::verify_data::Args),
    /// Play a game in JSON lines on standard input and output
    Headless(commands::headless::Args),
    /// Show which layer of a configuration decides each rule
    Explain(commands::explain::Args),
    /// Play many games and print statistics
    Simulate(commands::simulate::Args),
    Arena(commands::arena::Args),
    /// Measure how often promising bids succeed
    Calibrate(commands::calibrate::Args),
    /// Review a recorded game: costly choices and the turning point
    Review(commands::review::Args),
    Seeds(commands::seeds::Args),
    /// Replay a recorded game or the code of a link and draw the table
    Replay(commands::replay::Args),
    /// Check the proof that the deals of a finished game were fair
    VerifyDeal(commands::verify_deal::Args),
    /// Print the JSON Schema of every message
    Schema(commands::schema::Args),
    /// Print the completion script of a shell
    Completions(commands::completions::Args),
    /// Print or write the manual pages
    Man(commands::man::Args),
}

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    Color::from_raw_args(args.iter().map(OsString::as_os_str)).apply();
    let cli = parse(args).unwrap_or_else(|error| error.exit());
    cli.color.apply();
    match run(cli.command) {
        Ok(()) => ExitCode::from(exit_code::SUCCESS),
        Err(error) => {
            // One line without a backtrace: errors are about the input, not about the code.
            anstream::eprintln!("{ERROR}error:{ERROR:#} {error:#}");
            let code = exit_code::of(&error);
            if code == exit_code::USAGE {
                eprintln!("\nFor more information, try '--help'.");
            }
            ExitCode::from(code)
        }
    }
}

fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = help::command();
    let matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => commands::serve::run(&args),
        Command::Join(args) => commands::join::run(&args),
        Command::Play(args) => commands::play::run(&args),
        Command::Bot(args) => commands::bot::run(&args),
        Command::Backup(args) => commands::backup::run(&args),
        Command::VerifyData(args) => commands::verify_data::run(&args),
        Command::Headless(args) => commands::headless::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Simulate(args) => commands::simulate::run(&args),
        Command::Arena(args) => commands::arena::run(&args),
        Command::Calibrate(args) => commands::calibrate::run(&args),
        Command::Review(args) => commands::review::run(&args),
        Command::Seeds(args) => commands::seeds::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::VerifyDeal(args) => commands::verify_deal::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}
