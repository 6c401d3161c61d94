//! `texas42 join`: a table of a server in the terminal, in full screen or line by line.

mod plain;
pub(crate) mod start;

use texas42_ai::Strategy;
use texas42_cli::{
    house_rules::NewTable,
    invite_link::Target,
    tui::{Form, Start, Way},
    wire::Place,
};
use texas42_client::Pace;
use texas42_hosting::BotSettings;
use texas42_protocol::Name;

use start::{Beginning, Offline, TableArgs, is_full_screen, run_full_screen, run_plain};

/// Play at a table in the terminal.
///
/// With an invite link you join its table, to play, watch or coach; with the id of a table that is open to spectators you
/// watch it. Without a link, a form asks how to begin; with options for a new table, it is created at once. Press `?` for the
/// keys. In a pipe, or with --plain, the table is told line by line.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An invite link (`http://localhost:4242/#join/TABLE/KEY`), the id of a table, or the address of a server
    #[arg(value_name = "LINK")]
    link: Option<String>,

    /// The server for a new table, and for a table id
    #[arg(long, default_value = "http://localhost:4242", value_name = "URL")]
    server: String,

    /// What you are called
    #[arg(long, default_value = "Guest")]
    name: String,

    /// People at a new table, you included
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4))]
    people: Option<u8>,

    /// Let anybody watch a new table who knows its id
    #[arg(long)]
    open_to_spectators: bool,

    #[command(flatten)]
    table: TableArgs,

    /// Play computer players without a server, as `texas42 play` does
    #[arg(long, conflicts_with_all = ["link", "people", "open_to_spectators"])]
    offline: bool,

    /// Line by line, without the full-screen table
    #[arg(long)]
    plain: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.offline {
        return super::play::run_offline(&args.name, &args.table, args.plain);
    }
    let bots = BotSettings { pace: Pace::NATURAL, strategy: Strategy::Intermediate, worlds: None };
    let offline = Offline { folder: None, bots };
    if !is_full_screen(args.plain) {
        return run_plain(known(args)?, &offline);
    }
    let is_known = args.link.is_some() || args.people.is_some() || args.open_to_spectators || args.table.is_given();
    let beginning = if is_known { Beginning::Known(known(args)?) } else { Beginning::Ask(form(args, &offline)) };
    run_full_screen(beginning, &offline)
}

/// What the flags say.
fn known(args: &Args) -> anyhow::Result<Start> {
    let name = Name::try_from(args.name.as_str())?;
    match args.link.as_deref().map(|link| Target::read(link, &args.server)).transpose()? {
        Some(Target::Table(link)) => Ok(Start::Link(link, name)),
        Some(Target::Server(place)) => Ok(Start::Online(place, table(args)?, name)),
        None => Ok(Start::Online(Place::parse(&args.server)?, table(args)?, name)),
    }
}

fn table(args: &Args) -> anyhow::Result<NewTable> {
    let table = args.table.table(&[])?;
    Ok(NewTable { people: args.people.unwrap_or(1), open_to_spectators: args.open_to_spectators, ..table })
}

fn form(args: &Args, offline: &Offline) -> Form {
    let has_saved = offline.open().and_then(|mut save| save.read()).is_ok_and(|saved| saved.is_some());
    let mut form = Form::new(Way::Online, &args.name, &args.server);
    form.has_saved = has_saved;
    form
}
