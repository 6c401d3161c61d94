//! `texas42`: the game on the command line. Each command has its file in `commands/`.

mod commands;
mod files;
mod output;
mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A table makes many small texts and drops them on another thread; see the figures in `docs/server.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Texas 42: play, serve and study the domino game of Texas.
#[derive(Debug, Parser)]
#[command(name = "texas42", version = env!("TEXAS42_VERSION"), about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve tables over HTTP and WebSocket, with the page and computer players
    Serve(Box<commands::serve::Args>),
    /// Play at a table in the terminal
    Join(commands::join::Args),
    /// Let a computer player take a seat at a table of any server
    Bot(commands::bot::Args),
    /// Talk to a game in JSON lines on standard input and output, for tools and bots in any language
    Headless(commands::headless::Args),
    /// Show which layer of a configuration decides each rule, and what each layer does to the offers
    Explain(commands::explain::Args),
    /// Play many random games and sum them up
    Simulate(commands::simulate::Args),
    /// Let players compete: every deal twice with the sides swapped, shares with their intervals
    Arena(commands::arena::Args),
    /// Measure how bids turn out beside what they look like with all hands open
    Calibrate(commands::calibrate::Args),
    /// Review a recorded game: what each choice was worth, what was given away, where it turned
    Review(commands::review::Args),
    /// Find deals for games of one hand that are as hard as wanted
    Seeds(commands::seeds::Args),
    /// Replay a recorded game or the code of a link, check it, and show where it stood at any point
    Replay(commands::replay::Args),
    /// Check the proof that the deals of a finished game were chosen by nobody
    VerifyDeal(commands::verify_deal::Args),
    /// Print the JSON Schema of every message, for clients in any language
    Schema(commands::schema::Args),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line for a person; a backtrace would say nothing about the input that is wrong.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => commands::serve::run(&args),
        Command::Join(args) => commands::join::run(&args),
        Command::Bot(args) => commands::bot::run(&args),
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
    }
}
