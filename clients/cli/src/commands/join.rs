//! `texas42 join`: a table of a server in the terminal, in full screen or line by line.

mod plain;
pub(crate) mod start;

use anyhow::anyhow;
use texas42_ai::Strategy;
use texas42_cli::tui::{Form, FormMode, Start};
use texas42_client::Pace;
use texas42_hosting::BotSettings;
use texas42_house_rules::{SettingValue, TableSettings};
use texas42_protocol::{Name, Role};
use texas42_sdk::{DEFAULT_SERVER, ServerAddress, Target};
use texas42_vocab::Control;

use crate::{exit_code::usage, wording};

use start::{Offline, StartMode, TableArgs, is_full_screen, run_full_screen, run_plain};

/// Play at a table in the terminal.
///
/// With an invite link you join its table, to play, watch or coach. With the code of a table you wait until its host lets you in.
/// With the id of a table that is open to spectators you watch it. Without a link, a form asks how to begin; options for a new
/// table create it at once. Press `?` for the keys. In a pipe, or with --plain, the table is printed line by line.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An invite link (`http://localhost:4242/#join/TABLE/KEY`), the code or the id of a table, or the address of a server
    #[arg(value_name = "LINK")]
    link: Option<String>,

    /// The server for a new table, and for a code or a table id
    #[arg(long, default_value = DEFAULT_SERVER, value_name = "URL")]
    server: String,

    /// Your name at the table
    #[arg(long, default_value = "Guest")]
    name: String,

    /// The number of people at a new table, including you
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4))]
    people: Option<u8>,

    /// Let anyone who knows the id of a new table watch it
    #[arg(long)]
    open_to_spectators: bool,

    /// What you do at a new table: player, student (with hints), coach (of the person on seat 1) or spectator
    #[arg(long, value_name = "ROLE", value_parser = parse_role)]
    role: Option<Role>,

    #[command(flatten)]
    table: TableArgs,

    /// Play computer players without a server, as `texas42 play` does
    #[arg(long, conflicts_with_all = ["link", "people", "open_to_spectators", "role"])]
    offline: bool,

    /// Print the table line by line instead of in full screen
    #[arg(long)]
    plain: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.offline {
        return super::play::run_offline(&args.name, &args.table, args.plain);
    }
    let bots =
        BotSettings { pace: Pace::NATURAL, strategy: Strategy::Intermediate, adviser: Strategy::Expert, worlds: None };
    let offline = Offline { folder: None, bots };
    if !is_full_screen(args.plain) {
        return run_plain(start_from_flags(args, &offline)?, &offline);
    }
    let is_new = args.people.is_some() || args.role.is_some() || args.open_to_spectators || args.table.is_given();
    let mode = match args.link.is_some() || is_new {
        true => StartMode::Known(start_from_flags(args, &offline)?),
        false => StartMode::Ask(form(args, &offline)),
    };
    run_full_screen(mode, &offline)
}

/// The start that the flags describe.
fn start_from_flags(args: &Args, offline: &Offline) -> anyhow::Result<Start> {
    let name = usage(Name::try_from(args.name.as_str()))?;
    match args.link.as_deref().map(|link| Target::read(link, &args.server)).transpose()? {
        Some(Target::Table(link)) => Ok(Start::Link(link, name)),
        Some(Target::Code(server, code)) => Ok(Start::Code(server, code, name)),
        Some(Target::Server(server)) => Ok(Start::Online(server, table(args, offline)?, name)),
        None => Ok(Start::Online(usage(ServerAddress::parse(&args.server))?, table(args, offline)?, name)),
    }
}

fn table(args: &Args, offline: &Offline) -> anyhow::Result<TableSettings> {
    let table = args.table.table(&[], offline.folder().ok().as_deref())?;
    let mut table = TableSettings { open_to_spectators: args.open_to_spectators, ..table };
    let role = args.role.unwrap_or(Role::Player);
    table.choose(SettingValue::Role(role));
    if args.table.rated && !table.rated {
        return usage(Err(anyhow!("a rated table has no coach and no student; leave out --rated or --role")));
    }
    // A coach and a spectator have no seat, but a coach has a student.
    let people = args.people.unwrap_or(1);
    let seated = if role.is_seated() { people } else { (people - 1).max(u8::from(role == Role::Coach)) };
    let control = |seat| if seat < usize::from(seated) { Control::Human } else { Control::Ai };
    table.players = std::array::from_fn(control);
    Ok(table)
}

/// A role in which somebody creates a table.
fn parse_role(text: &str) -> Result<Role, String> {
    let role = wording::parse_name(text).ok().filter(|role| !matches!(role, Role::Ai | Role::Admin));
    role.ok_or_else(|| "it is `player`, `student`, `coach` or `spectator`".to_owned())
}

fn form(args: &Args, offline: &Offline) -> Form {
    let has_saved = offline.open().and_then(|mut save| save.read()).is_ok_and(|saved| saved.is_some());
    let mut form = Form::new(FormMode::Online, &args.name, &args.server);
    form.has_saved = has_saved;
    match offline.folder() {
        Ok(folder) => form.with_saved_rules(folder),
        Err(_) => form,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(flags: &[&str]) -> anyhow::Result<TableSettings> {
        #[derive(clap::Parser)]
        struct Program {
            #[command(flatten)]
            args: Args,
        }
        let args = <Program as clap::Parser>::try_parse_from([&["join"], flags].concat())?.args;
        let bots = BotSettings {
            pace: Pace::NATURAL,
            strategy: Strategy::Beginner,
            adviser: Strategy::Beginner,
            worlds: None,
        };
        super::table(&args, &Offline { folder: Some("nowhere".into()), bots })
    }

    #[test]
    fn the_role_of_the_creator_decides_who_sits() {
        for (flags, role, people) in [
            (&["--people", "2"][..], None, "hhaa"),
            (&["--role", "student"], Some(Role::Student), "haaa"),
            (&["--role", "coach"], Some(Role::Coach), "haaa"),
            (&["--role", "coach", "--people", "3"], Some(Role::Coach), "hhaa"),
            (&["--role", "spectator"], Some(Role::Spectator), "aaaa"),
            (&["--role", "spectator", "--people", "4"], Some(Role::Spectator), "hhha"),
        ] {
            let table = table(flags).unwrap();
            let letter = |control| if control == Control::Human { 'h' } else { 'a' };
            let seats: String = table.players.into_iter().map(letter).collect();
            assert_eq!((table.creator().0, seats.as_str()), (role, people), "{flags:?}");
        }
        assert!(table(&["--role", "coach"]).unwrap().open_hands);
        assert!(table(&["--role", "coach", "--rated"]).unwrap_err().to_string().contains("--rated"));
        assert!(table(&["--role", "admin"]).unwrap_err().to_string().contains("`spectator`"));
    }
}
