//! A load generator: starts a server as a child process, plays at many tables over loopback WebSockets, and prints the
//! cost. Afterwards it reads the server's journal and checks that every acknowledged request is stored.
//!
//! `cargo xtask bench load` builds both and runs it.

mod client;
mod comparison;
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
    /// The `texas42` binary to measure
    #[arg(long)]
    server: PathBuf,

    /// Folder for the server's data; a temporary subfolder is created and removed
    #[arg(long, overrides_with = "data")]
    data: PathBuf,

    /// The scenario; without it, a short run of each
    #[command(subcommand)]
    scenario: Option<Scenario>,
}

#[derive(Clone, Debug, Subcommand)]
enum Scenario {
    /// Full games with four clients per table
    Play(Play),
    /// Tables with four connected players and no moves
    Idle {
        /// Number of tables
        #[arg(long, default_value_t = 5000)]
        tables: usize,
    },
    /// Tables with one person and three bots after the person has disconnected
    Deserted {
        /// Number of tables
        #[arg(long, default_value_t = 4000)]
        tables: usize,
    },
    /// One table with four players and many spectators
    Crowd {
        /// Number of spectators
        #[arg(long, default_value_t = 200)]
        spectators: usize,
        /// Duration in seconds
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
    /// workerd next to the native server; the variable WORKERD names the runtime
    Edge(edge::Edge),
    /// The cost of spectators for a Durable Object, and a simulated day of ten million players; WORKERD names the
    /// runtime
    Scale {
        /// Duration of each measurement in seconds
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
}

#[derive(Clone, Debug, clap::Args)]
struct Play {
    /// Number of tables
    #[arg(long, default_value_t = 1000)]
    tables: usize,
    /// Total number of actions per second; 0 for no limit
    #[arg(long, default_value_t = 10_000)]
    rate: u64,
    /// Duration of the measurement in seconds
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Use one commit per table instead of group commits
    #[arg(long)]
    no_grouping: bool,
    /// Another `texas42` binary to measure in turns with ours; prints the comparison
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
                for scenario in default_scenarios() {
                    run(&args, &scenario).await?;
                }
                Ok(())
            }
        }
    })
}

/// The default run: the targets, and the same load without group commits.
fn default_scenarios() -> Vec<Scenario> {
    let play = |rate, no_grouping| Scenario::Play(Play { tables: 1000, rate, seconds: 12, no_grouping, beside: None });
    vec![
        play(10_000, false),
        play(0, false),
        play(0, true),
        // Client and server both need a file descriptor per connection, and a few more.
        Scenario::Idle { tables: 5000.min(process::open_files().saturating_sub(40) / 4) },
        Scenario::Deserted { tables: 4000 },
        Scenario::Crowd { spectators: 200, seconds: 8 },
    ]
}

async fn run(args: &Args, scenario: &Scenario) -> anyhow::Result<()> {
    match scenario {
        Scenario::Edge(edge) => return edge::compare(args, *edge).await,
        Scenario::Scale { seconds } => return scale::run(*seconds).await,
        Scenario::Play(play @ Play { beside: Some(other), .. }) => return comparison::compare(args, other, play).await,
        _ => {}
    }
    let is_grouped = !matches!(scenario, Scenario::Play(Play { no_grouping: true, .. }));
    let server = process::Server::start(&args.server, &args.data, is_grouped).await?;
    match scenario {
        Scenario::Play(play) => scenario::play(server, play).await.map(drop),
        Scenario::Idle { tables } => scenario::idle(server, *tables).await,
        Scenario::Deserted { tables } => scenario::deserted(server, *tables).await,
        Scenario::Crowd { spectators, seconds } => scenario::crowd(server, *spectators, *seconds).await,
        Scenario::Edge(_) | Scenario::Scale { .. } => unreachable!("handled above; they start their own hosts"),
    }
}
