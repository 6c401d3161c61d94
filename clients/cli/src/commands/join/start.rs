//! From what was chosen, by flags or in the start form, to a person at a table.

use std::{io::IsTerminal, path::PathBuf};

use anyhow::Context;
use texas42_cli::{
    connection::{Connection, Session},
    house_rules::{HouseRules, NewTable},
    invite_link::InviteLink,
    offline::{OfflineTable, SaveFile, user_folder},
    tui::{self, Ending, Form, Screen, Start},
    wire::{Place, Wire},
};
use texas42_client::{Credentials, GameClient};
use texas42_hosting::BotSettings;
use texas42_protocol::Name;
use texas42_server::serve::random;

use super::plain;

/// The rules of a table that is created.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TableArgs {
    /// House rules of a new table: nello, plunge, splash, sevens, forced-bid, speed, hints, consensus
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    pub(crate) rules: Option<Vec<String>>,

    /// No special contracts, at a new table
    #[arg(long)]
    pub(crate) tournament: bool,

    /// Show what a friend would say about every choice, at a new table
    #[arg(long)]
    pub(crate) hints: bool,

    /// The score that ends the game, at a new table
    #[arg(long, value_name = "MARKS")]
    pub(crate) target: Option<u16>,
}

impl TableArgs {
    /// Whether anything was said about a new table.
    pub(crate) const fn is_given(&self) -> bool {
        self.rules.is_some() || self.tournament || self.hints || self.target.is_some()
    }

    /// The table, with these house rules where none are named.
    pub(crate) fn table(&self, usual: &[&str]) -> anyhow::Result<NewTable> {
        let usual = || usual.iter().filter(|_| !self.tournament).map(|name| (*name).to_owned()).collect();
        let mut names: Vec<String> = self.rules.clone().unwrap_or_else(usual);
        names.extend(self.tournament.then(|| "tournament".to_owned()));
        names.extend(self.hints.then(|| "hints".to_owned()));
        Ok(NewTable { target: self.target, ..NewTable::new(HouseRules::read(&names)?) })
    }
}

/// How tables in this process are run.
#[derive(Clone, Debug)]
pub(crate) struct Offline {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) bots: BotSettings,
}

impl Offline {
    pub(crate) fn open(&self) -> anyhow::Result<SaveFile> {
        SaveFile::open(&self.folder.clone().map_or_else(user_folder, Ok)?)
    }
}

/// How a game begins: known from the flags, or to be asked.
#[derive(Debug)]
pub(crate) enum Beginning {
    Known(Start),
    Ask(Form),
}

/// Whether the full-screen table can be used: not in a pipe, not in a terminal that cannot move its cursor.
pub(crate) fn is_full_screen(plain: bool) -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !plain && !is_dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Plays in full screen.
pub(crate) fn run_full_screen(beginning: Beginning, offline: &Offline) -> anyhow::Result<()> {
    let ending = block_on(async {
        let mut screen = Screen::open()?;
        let start = match beginning {
            Beginning::Known(start) => Some(start),
            Beginning::Ask(form) => screen.ask(form).await?,
        };
        let Some(start) = start else { return Ok(None) };
        let name = name_of(&start).map(ToString::to_string);
        let (session, people) = session(start, offline)?;
        let ending = tui::play(&mut screen, session, people).await?;
        anyhow::Ok(Some((ending, name)))
    })?;
    ending.map_or(Ok(()), |(ending, name)| tell(&ending, name.as_deref()))
}

/// Plays line by line.
pub(crate) fn run_plain(start: Start, offline: &Offline) -> anyhow::Result<()> {
    block_on(async {
        let (session, people) = session(start, offline)?;
        plain::play(session, people).await
    })
}

fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    // Somebody may still be reading the terminal, and would not stop before the next line.
    runtime.shutdown_background();
    result
}

/// What is told when the terminal is as it was before.
fn tell(ending: &Ending, name: Option<&str>) -> anyhow::Result<()> {
    for (what, link) in &ending.links {
        crate::output::print(format_args!("{what}: {link}\n"))?;
    }
    if let Some(link) = &ending.own_link {
        let name = name.unwrap_or("Guest");
        crate::output::print(format_args!("Your seat is kept. Come back to it with:\n"))?;
        crate::output::print(format_args!("texas42 join --name {name:?} '{link}'\n"))?;
    }
    ending.over.as_ref().map_or(Ok(()), |reason| Err(anyhow::anyhow!("{reason}")))
}

const fn name_of(start: &Start) -> Option<&Name> {
    match start {
        Start::Resume => None,
        Start::Offline(_, name) | Start::Online(_, _, name) | Start::Link(_, name) => Some(name),
    }
}

/// A client at the chosen table, and how many people the table is for.
fn session(start: Start, offline: &Offline) -> anyhow::Result<(Session, u8)> {
    match start {
        Start::Resume => {
            let mut save = offline.open()?;
            let saved = save.read()?.context("there is no saved game")?;
            Ok((in_process(GameClient::resume(saved.ticket, random()), save, offline.bots), 1))
        }
        Start::Offline(table, name) => {
            let client = GameClient::new(creation(&table, name), random());
            Ok((in_process(client, offline.open()?, offline.bots), 1))
        }
        Start::Online(place, table, name) => Ok((on_server(place, creation(&table, name)), table.people)),
        Start::Link(link, name) => {
            let InviteLink { place, .. } = link.clone();
            Ok((on_server(place, link.entrance(name)), 1))
        }
    }
}

fn creation(table: &NewTable, name: Name) -> Credentials {
    let (config, table) = table.config();
    Credentials::Create { config, table, name, entropy: None }
}

fn on_server(place: Place, entrance: Credentials) -> Session {
    Session { client: GameClient::new(entrance, random()), connection: Connection::Server(Box::new(Wire::new(place))) }
}

fn in_process(client: GameClient, save: SaveFile, bots: BotSettings) -> Session {
    Session { client, connection: Connection::Offline(Box::new(OfflineTable::new(save, bots))) }
}
