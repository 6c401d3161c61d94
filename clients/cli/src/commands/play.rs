//! `texas42 play`: a table in this process, with computer players. The game is saved after every event.

use std::path::PathBuf;

use anyhow::{Context, bail};
use texas42_ai::Strategy;
use texas42_cli::{
    house_rules::NewTable,
    tui::{Form, Start, Way},
};
use texas42_client::Pace;
use texas42_hosting::BotSettings;
use texas42_protocol::Name;
use texas42_server::strategies;
use texas42_vocab::SeedText;

use super::join::start::{Beginning, Offline, TableArgs, is_full_screen, run_full_screen, run_plain};

/// The house rules of a table for which none are named.
const USUAL: &[&str] = &["nello", "forced-bid", "consensus"];

/// Play computer players in the terminal, without a server.
///
/// The game is saved after every event, and `texas42 play` resumes it. Press `?` for the keys. In a pipe, or with --plain, the
/// table is told line by line.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What you are called
    #[arg(long, default_value = "You")]
    name: String,

    /// Start a new game; a saved one is given up
    #[arg(long)]
    new: bool,

    /// Deal the hands that follow from this seed, the same for everybody
    #[arg(long)]
    seed: Option<SeedText>,

    #[command(flatten)]
    table: TableArgs,

    /// How well the computer players play
    #[arg(long, default_value = strategies::USUAL, value_parser = strategies::NAMES)]
    strategy: String,

    /// Milliseconds that a computer player waits before it moves: one number, or from-to
    #[arg(long, default_value = "700-1900", value_name = "MS[-MS]", value_parser = super::serve::pace)]
    pace: Pace,

    /// The folder for the saved game; without it, the user's data folder
    #[arg(long, env = "TEXAS42_PLAY_DATA", value_name = "FOLDER")]
    data: Option<PathBuf>,

    /// Line by line, without the full-screen table
    #[arg(long)]
    plain: bool,
}

/// `texas42 join --offline`: the usual game.
pub(crate) fn run_offline(name: &str, table: &TableArgs, plain: bool) -> anyhow::Result<()> {
    run(&Args {
        name: name.to_owned(),
        new: false,
        seed: None,
        table: table.clone(),
        strategy: strategies::USUAL.to_owned(),
        pace: Pace::NATURAL,
        data: None,
        plain,
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let strategy: Strategy = args.strategy.parse().ok().context("the names of strategies are checked")?;
    let offline = Offline { folder: args.data.clone(), bots: BotSettings { pace: args.pace, strategy, worlds: None } };
    let has_saved = !args.new && offline.open()?.read()?.is_some_and(|saved| !saved.is_over());
    let is_new = args.new || args.seed.is_some() || args.table.is_given();
    if has_saved && is_new {
        bail!("there is a saved game: --new gives it up, and no options resume it");
    }
    let is_full_screen = is_full_screen(args.plain);
    match (has_saved, is_new) {
        (true, _) if is_full_screen => {
            run_full_screen(Beginning::Ask(Form::new(Way::Resume, &args.name, "http://localhost:4242")), &offline)
        }
        (true, _) => run_plain(Start::Resume, &offline),
        (false, false) if is_full_screen => {
            run_full_screen(Beginning::Ask(Form::new(Way::Offline, &args.name, "http://localhost:4242")), &offline)
        }
        (false, _) if is_full_screen => run_full_screen(Beginning::Known(new_game(args)?), &offline),
        (false, _) => run_plain(new_game(args)?, &offline),
    }
}

fn new_game(args: &Args) -> anyhow::Result<Start> {
    let table = args.table.table(USUAL)?;
    let pause = (args.pace == Pace::IMMEDIATE).then_some(0);
    Ok(Start::Offline(NewTable { seed: args.seed, pause, ..table }, Name::try_from(args.name.as_str())?))
}
