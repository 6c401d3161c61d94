//! `texas42 play`: a table in this process, with computer players. The game is saved after every event.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use texas42_ai::Strategy;
use texas42_cli::{
    save_file::is_over,
    tui::{Form, FormMode, Start},
};
use texas42_client::Pace;
use texas42_hosting::BotSettings;
use texas42_house_rules::{TableSettings, daily, hand};
use texas42_protocol::{Name, TableOptions};
use texas42_sdk::DEFAULT_SERVER;
use texas42_server::strategies;
use texas42_vocab::{Config, Date, Difficulty, SeedText};

use crate::{exit_code::usage, today::today, wording};

use super::join::start::{Offline, StartMode, TableArgs, is_full_screen, run_full_screen, run_plain};

/// The house rules of a table if no flag names any.
const DEFAULT_RULES: &[&str] = &["nello", "forced-bid", "consensus"];

/// Play against computer players in the terminal, without a server.
///
/// The game is saved after every event, and `texas42 play` resumes it. Press `?` for the keys. In a pipe, or with --plain, the
/// table is printed line by line.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Your name at the table
    #[arg(long, default_value = "You")]
    name: String,

    /// Start a new game instead of resuming the saved one, which is deleted
    #[arg(long)]
    new: bool,

    /// Deal from this seed; everybody who plays it gets the same hands
    #[arg(long)]
    seed: Option<SeedText>,

    /// Play one hand, dealt from this seed; `texas42 seeds` finds seeds
    #[arg(long, value_name = "SEED", conflicts_with_all = ["seed", "daily"])]
    one_hand: Option<SeedText>,

    /// Play the hand of the day for stars: easy, medium or hard
    #[arg(long, value_name = "DIFFICULTY", value_parser = wording::parse_difficulty, conflicts_with = "seed")]
    daily: Option<Difficulty>,

    /// The day of --daily, such as 2026-11-01; without it, today. Later days cannot be played yet
    #[arg(long, value_name = "DATE", requires = "daily")]
    day: Option<Date>,

    #[command(flatten)]
    table: TableArgs,

    /// How well the computer players play
    #[arg(long, default_value = strategies::DEFAULT, value_parser = strategies::NAMES)]
    strategy: String,

    /// Milliseconds that a computer player waits before it moves: one number, or from-to
    #[arg(long, default_value = "700-1900", value_name = "MS[-MS]", value_parser = super::serve::pace)]
    pace: Pace,

    /// The folder for the saved game; without it, the user's data folder
    #[arg(long, env = "TEXAS42_PLAY_DATA", value_name = "FOLDER")]
    data: Option<PathBuf>,

    /// Print the table line by line instead of in full screen
    #[arg(long)]
    plain: bool,
}

/// `texas42 join --offline`: runs `texas42 play` with default settings.
pub(crate) fn run_offline(name: &str, table: &TableArgs, plain: bool) -> anyhow::Result<()> {
    run(&Args {
        name: name.to_owned(),
        new: false,
        seed: None,
        one_hand: None,
        daily: None,
        day: None,
        table: table.clone(),
        strategy: strategies::DEFAULT.to_owned(),
        pace: Pace::NATURAL,
        data: None,
        plain,
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let strategy: Strategy = args.strategy.parse().ok().context("the names of strategies are checked")?;
    let offline = Offline {
        folder: args.data.clone(),
        bots: BotSettings { pace: args.pace, strategy, adviser: Strategy::Expert, worlds: None },
    };
    let has_saved = !args.new && offline.open()?.read()?.is_some_and(|saved| !is_over(&saved));
    let is_new = args.new || args.seed.is_some() || is_one_hand(args) || args.table.is_given();
    if has_saved && is_new {
        bail!("there is a saved game: `texas42 play --new` replaces it, and `texas42 play` without options resumes it");
    }
    let is_full_screen = is_full_screen(args.plain);
    match (has_saved, is_new) {
        (true, _) if is_full_screen => {
            run_full_screen(StartMode::Ask(form(FormMode::Resume, args, &offline)?), &offline)
        }
        (true, _) => run_plain(Start::Resume, &offline),
        (false, false) if is_full_screen => {
            run_full_screen(StartMode::Ask(form(FormMode::Offline, args, &offline)?), &offline)
        }
        (false, _) if is_full_screen => run_full_screen(StartMode::Known(new_game(args, &offline)?), &offline),
        (false, _) => run_plain(new_game(args, &offline)?, &offline),
    }
}

fn form(mode: FormMode, args: &Args, offline: &Offline) -> anyhow::Result<Form> {
    Ok(Form::new(mode, &args.name, DEFAULT_SERVER).with_saved_rules(offline.folder()?))
}

const fn is_one_hand(args: &Args) -> bool {
    args.one_hand.is_some() || args.daily.is_some()
}

fn new_game(args: &Args, offline: &Offline) -> anyhow::Result<Start> {
    let name = usage(Name::try_from(args.name.as_str()))?;
    if is_one_hand(args) && args.table.is_given() {
        return usage(Err(anyhow!("a hand has its own rules; leave out the options for a table")));
    }
    if let Some(seed) = args.one_hand {
        return Ok(Start::OneHand(Box::new(without_pause(args, hand(seed))), name));
    }
    if let Some(difficulty) = args.daily {
        return Ok(Start::OneHand(Box::new(without_pause(args, daily(usage(day(args))?, difficulty))), name));
    }
    let table = args.table.table(DEFAULT_RULES, offline.folder().ok().as_deref())?;
    let pause = if args.pace == Pace::IMMEDIATE { args.table.pause.unwrap_or(0) } else { table.pause };
    Ok(Start::Offline(TableSettings { seed: args.seed, pause, ..table }, name))
}

/// The day of the daily challenge. Its hand is the same for everybody, so nobody plays it before its day.
fn day(args: &Args) -> anyhow::Result<Date> {
    let today = today().context("the system clock shows no day of this calendar")?;
    let day = args.day.unwrap_or(today);
    if day > today {
        bail!("{day} has not come yet: choose today ({today}) or an earlier day");
    }
    Ok(day)
}

fn without_pause(args: &Args, (config, table): (Config, TableOptions)) -> (Config, TableOptions) {
    let pause = if args.pace == Pace::IMMEDIATE { 0 } else { table.pause };
    (config, TableOptions { pause, ..table })
}
