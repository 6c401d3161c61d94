//! A load generator: it starts a server in a process of its own, plays at many tables over WebSockets on loopback, and prints
//! what that costs. Afterwards it reads the server's journal and checks that everything that was acknowledged is in it.
//!
//! `cargo xtask bench load` builds both and runs it.

mod beside;
mod client;
mod edge;
mod journal;
mod process;
mod scale;
mod scenario;
mod times;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// The same allocator as the server's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure a Texas 42 server.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Args {
    /// The `texas42` program to measure
    #[arg(long)]
    server: PathBuf,

    /// The folder for the server's data; a fresh one inside it is made and removed
    #[arg(long, overrides_with = "data")]
    data: PathBuf,

    /// One scenario; without it, all of them in small
    #[command(subcommand)]
    scenario: Option<Scenario>,
}

#[derive(Clone, Debug, Subcommand)]
enum Scenario {
    /// Full games, four clients a table
    Play(Play),
    /// Tables at which everybody sits and nobody moves
    Idle {
        /// How many tables of four
        #[arg(long, default_value_t = 5000)]
        tables: usize,
    },
    /// Tables of a person and three bots that everybody has left
    Deserted {
        /// How many tables
        #[arg(long, default_value_t = 4000)]
        tables: usize,
    },
    /// One table with four players and many spectators
    Crowd {
        /// How many
        #[arg(long, default_value_t = 200)]
        spectators: usize,
        /// For how long
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
    /// The edge on workerd beside the server; WORKERD names the runtime
    Edge(edge::Edge),
    /// What a crowd costs an object of the edge, and a simulated day of ten million players; WORKERD names the runtime
    Scale {
        /// How long each crowd is measured
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
}

#[derive(Clone, Debug, clap::Args)]
struct Play {
    /// How many tables
    #[arg(long, default_value_t = 1000)]
    tables: usize,
    /// How many actions a second in all; 0 for as many as can be
    #[arg(long, default_value_t = 10_000)]
    rate: u64,
    /// How long is measured
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// A commit for each table by itself
    #[arg(long)]
    no_grouping: bool,
    /// Another `texas42` program that plays the same in turns with ours; prints how they compare
    #[arg(long)]
    beside: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    process::raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match &args.scenario {
            Some(scenario) => run(&args, scenario).await,
            None => {
                for scenario in usual() {
                    run(&args, &scenario).await?;
                }
                Ok(())
            }
        }
    })
}

/// What is printed when nothing is asked for: the goals, and the same job beside a store without grouping.
fn usual() -> Vec<Scenario> {
    let play = |rate, no_grouping| Scenario::Play(Play { tables: 1000, rate, seconds: 12, no_grouping, beside: None });
    vec![
        play(10_000, false),
        play(0, false),
        play(0, true),
        // Both sides need an open file for each connection, and a few more.
        Scenario::Idle { tables: 5000.min(process::open_files().saturating_sub(40) / 4) },
        Scenario::Deserted { tables: 4000 },
        Scenario::Crowd { spectators: 200, seconds: 8 },
    ]
}

async fn run(args: &Args, scenario: &Scenario) -> anyhow::Result<()> {
    match scenario {
        Scenario::Edge(edge) => return edge::compare(args, *edge).await,
        Scenario::Scale { seconds } => return scale::run(*seconds).await,
        Scenario::Play(play @ Play { beside: Some(other), .. }) => return beside::compare(args, other, play).await,
        _ => {}
    }
    let is_grouped = !matches!(scenario, Scenario::Play(Play { no_grouping: true, .. }));
    let server = process::Server::start(&args.server, &args.data, is_grouped).await?;
    match scenario {
        Scenario::Play(play) => scenario::play(server, play).await.map(drop),
        Scenario::Idle { tables } => scenario::idle(server, *tables).await,
        Scenario::Deserted { tables } => scenario::deserted(server, *tables).await,
        Scenario::Crowd { spectators, seconds } => scenario::crowd(server, *spectators, *seconds).await,
        Scenario::Edge(_) | Scenario::Scale { .. } => unreachable!("they start their own hosts"),
    }
}
