//! Opens the table that flags or the start form describe, and runs the terminal on it.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use texas42_cli::{
    invites::return_command,
    save_file::{SaveFile, user_folder},
    saved_rules,
    tui::{self, Ending, Form, Screen, Start},
};
use texas42_client::{ClientCore, Credentials};
use texas42_engine::limits;
use texas42_hosting::BotSettings;
use texas42_house_rules::{HouseRules, SavedRules, SettingValue, TableSettings};
use texas42_protocol::{BotLevel, Name, Role, TableOptions};
use texas42_sdk::{
    ClientSession, Connection, FoundLobby, InProcessTable, InviteLink, ServerAddress, WebSocketConnection, find_lobby,
};
use texas42_server::serve::random;
use texas42_vocab::{Config, Doubles, ForcedBid, Layer, Lead, Nello, Scoring, Seat, Speed, WhoMustBid};

use super::plain;
use crate::{exit_code::usage, wording};

/// The rules of a new table.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TableArgs {
    /// House rules of a new table: nello, plunge, splash, sevens, forced-bid, speed, hints, consensus
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    pub(crate) rules: Option<Vec<String>>,

    /// Allow no special contracts at a new table
    #[arg(long)]
    pub(crate) tournament: bool,

    /// Show hints about every choice at a new table
    #[arg(long)]
    pub(crate) hints: bool,

    /// The score that ends the game at a new table
    #[arg(long, value_name = "SCORE")]
    pub(crate) target: Option<u16>,

    /// Count points instead of marks at a new table, to 250
    #[arg(long)]
    pub(crate) points: bool,

    /// Play every hand to the last trick at a new table
    #[arg(long)]
    pub(crate) play_on: bool,

    /// Seconds for a turn at a new table, from 5 to 3600
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(5..=3600))]
    pub(crate) clock: Option<u16>,

    /// A set of rules for a new table: tournament, casual, family, points, or rules that you saved; hyphens stand for spaces
    #[arg(long, value_name = "NAME", conflicts_with = "rules")]
    pub(crate) preset: Option<String>,

    /// Milliseconds that a trick stays on the table where nobody has to confirm it, up to 10000
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u16).range(..=10_000))]
    pub(crate) pause: Option<u16>,

    /// Let the results of a new table count: no open hands, and no undo once dominoes are seen
    #[arg(long)]
    pub(crate) rated: bool,

    /// Let invites to a new table show hands in play: to spectators, and to people who manage the table
    #[arg(long)]
    pub(crate) open_hands: bool,

    /// Milliseconds before speed makes the only choice at a new table
    #[arg(long, value_name = "MS")]
    pub(crate) speed_delay: Option<u16>,

    /// The fewest marks for nello at a new table, from 1 to 4
    #[arg(long, value_name = "MARKS", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(crate) nello_minimum: Option<u8>,

    /// Who leads to the first trick of nello at a new table: bidder or left
    #[arg(long, value_name = "WHO", value_parser = wording::parse_name::<Lead>)]
    pub(crate) nello_lead: Option<Lead>,

    /// Where doubles stand in nello at a new table: own, high or low
    #[arg(long, value_name = "WHERE", value_parser = wording::parse_name::<Doubles>)]
    pub(crate) nello_doubles: Option<Doubles>,

    /// The least that the forced seat has to bid at a new table, from 30 to 42
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u8).range(30..=42))]
    pub(crate) forced_minimum: Option<u8>,

    /// Who has to bid at a new table: shaker, when the others passed, or first
    #[arg(long, value_name = "WHO", value_parser = wording::parse_name::<WhoMustBid>)]
    pub(crate) forced_who: Option<WhoMustBid>,

    /// How strong the computer players on seats 2, 3 and 4 of a new table are, or all of them: random, beginner, intermediate,
    /// expert, or usual for those of the host
    #[arg(long, value_delimiter = ',', value_name = "LEVELS", value_parser = parse_level)]
    pub(crate) bots: Option<Vec<BotStrength>>,
}

/// How strong a computer player is; `None` for those of the host.
pub(crate) type BotStrength = Option<BotLevel>;

fn parse_level(text: &str) -> Result<BotStrength, String> {
    match text {
        "usual" => Ok(None),
        level => wording::parse_name(level).map(Some).map_err(|error| format!("{error}, or `usual`")),
    }
}

/// A line of the line mode that names the rules with the same flags.
#[derive(Debug, clap::Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct RulesLine {
    #[command(flatten)]
    table: TableArgs,
}

impl TableArgs {
    /// Reads flags from a line.
    pub(crate) fn read(line: &str) -> anyhow::Result<Self> {
        let read = <RulesLine as clap::Parser>::try_parse_from(line.split_whitespace());
        // The first line names the problem; the others explain the usage of a program.
        let problem = |error: clap::Error| error.to_string().lines().next().unwrap_or_default().to_owned();
        read.map(|line| line.table).map_err(|error| anyhow::anyhow!("{}", problem(error)))
    }

    /// Whether any of these flags is given.
    pub(crate) const fn is_given(&self) -> bool {
        self.rules.is_some()
            || self.tournament
            || self.hints
            || self.target.is_some()
            || self.points
            || self.play_on
            || self.clock.is_some()
            || self.nello_minimum.is_some()
            || self.nello_lead.is_some()
            || self.nello_doubles.is_some()
            || self.forced_minimum.is_some()
            || self.forced_who.is_some()
            || self.bots.is_some()
            || self.preset.is_some()
            || self.pause.is_some()
            || self.rated
            || self.open_hands
            || self.speed_delay.is_some()
    }

    /// A new table, with the default house rules if no flag names any. Saved rules are in the `folder`.
    pub(crate) fn table(&self, defaults: &[&str], folder: Option<&Path>) -> anyhow::Result<TableSettings> {
        let defaults: Vec<String> =
            defaults.iter().filter(|_| !self.tournament).map(|name| (*name).to_owned()).collect();
        self.change(TableSettings::new(HouseRules::read(&defaults)?), folder)
    }

    /// The settings with what these flags name. Everything else stays, except what a named rule excludes.
    pub(crate) fn change(&self, table: TableSettings, folder: Option<&Path>) -> anyhow::Result<TableSettings> {
        let saved = match (&self.preset, folder) {
            (Some(_), Some(folder)) => saved_rules::read(folder)?,
            _ => SavedRules::default(),
        };
        usage(self.change_with(table, &saved))
    }

    fn change_with(&self, mut table: TableSettings, saved: &SavedRules) -> anyhow::Result<TableSettings> {
        if let Some(name) = &self.preset {
            table.rules = saved_rules::named(saved, name)?;
        }
        self.change_rules(&mut table.rules)?;
        table.bots = self.bots(table.bots)?;
        self.choose(&mut table)?;
        let most = match table.rules.scoring() {
            Scoring::Marks => limits::TARGET_MARKS,
            Scoring::Points => limits::TARGET_POINTS,
        };
        if self.target.is_some_and(|score| !(1..=most).contains(&score)) {
            bail!("--target goes from 1 to {most}");
        }
        Ok(table)
    }

    /// Switches the named rules on, and if a list of rules is given, all others off. A rule that stays keeps its parameters.
    fn change_rules(&self, rules: &mut HouseRules) -> anyhow::Result<()> {
        let mut names = self.rules.clone().unwrap_or_default();
        names.extend(self.tournament.then(|| "tournament".to_owned()));
        names.extend(self.hints.then(|| "hints".to_owned()));
        let named = HouseRules::read(&names)?;
        for layer in Layer::house_rules().filter(|layer| self.rules.is_some() && !named.has(layer)) {
            rules.switch(layer, false);
        }
        named.layers().iter().for_each(|layer| rules.switch(*layer, true));
        if self.points {
            let special = named.layers().iter().find(|layer| layer.is_special_contract()).map(Layer::name);
            if let Some(name) = special {
                bail!("{name} is played for marks; leave out {name} or --points");
            }
            rules.set_scoring(Scoring::Points);
        }
        Ok(())
    }

    /// The strength of the bot on each seat. A single level applies to all of them.
    fn bots(&self, current: [BotStrength; 4]) -> anyhow::Result<[BotStrength; 4]> {
        let [first, ..] = current;
        match self.bots.as_deref() {
            None => Ok(current),
            Some([level]) => Ok([first, *level, *level, *level]),
            Some([second, third, fourth]) => Ok([first, *second, *third, *fourth]),
            Some(_) => bail!("--bots has one level for all computer players, or three: for seats 2, 3 and 4"),
        }
    }

    /// Selects the named values. Each must suit the rules and the values before it.
    fn choose(&self, table: &mut TableSettings) -> anyhow::Result<()> {
        let mut chosen: Vec<(&str, SettingValue)> = Vec::new();
        for (flag, rule, value) in self.values(table.rules.scoring()) {
            let has = |rule: &&str| table.rules.layers().iter().any(|layer| layer.name() == *rule);
            if let Some(rule) = rule.filter(|rule| !has(rule)) {
                bail!("{flag} needs the rule {rule}; add it to --rules, or leave out {flag}");
            }
            table.choose(value);
            if let Some((other, _)) = chosen.iter().find(|(_, other)| !table.is_chosen(*other)) {
                bail!("{other} and {flag} exclude each other; leave one out");
            }
            chosen.push((flag, value));
        }
        Ok(())
    }

    /// The flags that are given and name a value, each with the rule that it needs.
    fn values(&self, scoring: Scoring) -> impl Iterator<Item = (&'static str, Option<&'static str>, SettingValue)> {
        use SettingValue::{
            Clock, ForcedMinimum, NelloDoubles, NelloLead, NelloMinimum, OpenHands, Pause, PlayOn, Rated, SpeedDelay,
            Target, WhoMustBid,
        };
        let (nello, forced) = (Some(Nello::NAME), Some(ForcedBid::NAME));
        let given = [
            self.target.map(|score| ("--target", None, Target(scoring, score))),
            self.play_on.then_some(("--play-on", None, PlayOn(true))),
            self.clock.map(|seconds| ("--clock", None, Clock(Some(seconds)))),
            self.pause.map(|pause| ("--pause", None, Pause(pause))),
            self.nello_minimum.map(|marks| ("--nello-minimum", nello, NelloMinimum(marks))),
            self.nello_lead.map(|lead| ("--nello-lead", nello, NelloLead(lead))),
            self.nello_doubles.map(|doubles| ("--nello-doubles", nello, NelloDoubles(doubles))),
            self.forced_minimum.map(|points| ("--forced-minimum", forced, ForcedMinimum(points))),
            self.forced_who.map(|who| ("--forced-who", forced, WhoMustBid(who))),
            self.speed_delay.map(|delay| ("--speed-delay", Some(Speed::NAME), SpeedDelay(delay))),
            self.open_hands.then_some(("--open-hands", None, OpenHands(true))),
            self.rated.then_some(("--rated", None, Rated(true))),
        ];
        given.into_iter().flatten()
    }
}

/// The settings of tables in this process.
#[derive(Clone, Debug)]
pub(crate) struct Offline {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) bots: BotSettings,
}

impl Offline {
    pub(crate) fn open(&self) -> anyhow::Result<SaveFile> {
        SaveFile::open(&self.folder()?)
    }

    /// The folder for the saved game and the saved house rules.
    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        self.folder.clone().map_or_else(user_folder, Ok)
    }
}

/// How a game starts: with the flags, or with the choices in the start form.
#[derive(Debug)]
pub(crate) enum StartMode {
    Known(Start),
    Ask(Form),
}

/// Whether to use the full-screen table. It needs a terminal that can move its cursor, and no pipe.
pub(crate) fn is_full_screen(plain: bool) -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !plain && !is_dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Plays in full screen.
pub(crate) fn run_full_screen(mode: StartMode, offline: &Offline) -> anyhow::Result<()> {
    let ending = block_on(async {
        let mut screen = Screen::open()?;
        let start = match mode {
            StartMode::Known(start) => Some(start),
            StartMode::Ask(form) => screen.ask(form).await?,
        };
        let Some(start) = start else { return Ok(None) };
        let name = name_of(&start).map(ToString::to_string);
        let (session, people, found) = session(start, offline).await?;
        let ending = tui::play(&mut screen, session, people, offline.folder().ok(), found).await?;
        anyhow::Ok(Some((ending, name)))
    })?;
    ending.map_or(Ok(()), |(ending, name)| print_ending(&ending, name.as_deref()))
}

/// Plays line by line.
pub(crate) fn run_plain(start: Start, offline: &Offline) -> anyhow::Result<()> {
    block_on(async {
        let (session, people, found) = session(start, offline).await?;
        plain::play(session, people, found, offline.folder().ok()).await
    })
}

fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    // A blocking read of standard input may be pending, and would end only with the next line.
    runtime.shutdown_background();
    result
}

/// Prints the links and how to return to the session, after the terminal was restored.
fn print_ending(ending: &Ending, name: Option<&str>) -> anyhow::Result<()> {
    for made in &ending.links {
        crate::output::print(format_args!("{}: {}\n", made.purpose, made.link))?;
    }
    for line in &ending.result {
        crate::output::print(format_args!("{line}\n"))?;
    }
    if let Some(link) = &ending.own_link {
        let name = name.unwrap_or("Guest");
        let kept =
            if ending.has_seat { "Your seat is kept. Come back to it with:" } else { "Come back to the table with:" };
        crate::output::print(format_args!("{kept}\n"))?;
        crate::output::print(format_args!("{}\n", return_command(name, link)))?;
    }
    ending.over.as_ref().map_or(Ok(()), |reason| Err(anyhow::anyhow!("{reason}")))
}

const fn name_of(start: &Start) -> Option<&Name> {
    match start {
        Start::Resume => None,
        Start::Offline(_, name)
        | Start::OneHand(_, name)
        | Start::Online(_, _, name)
        | Start::Link(_, name)
        | Start::Code(_, _, name) => Some(name),
    }
}

/// A client at the chosen table, how many people the table is for, and what is known about it if its host has to let the
/// person in.
async fn session(start: Start, offline: &Offline) -> anyhow::Result<(ClientSession, u8, Option<FoundLobby>)> {
    if let Start::Code(server, code, name) = start {
        let found = find_lobby(&server, code).await?;
        let session = on_server(server, found.credentials(name));
        return Ok((session, 1, Some(found)));
    }
    let (session, people) = session_at(start, offline)?;
    Ok((session, people, None))
}

/// A client at a table that needs no code, and how many people the table is for.
fn session_at(start: Start, offline: &Offline) -> anyhow::Result<(ClientSession, u8)> {
    match start {
        Start::Resume => {
            let mut save = offline.open()?;
            let saved = save.read()?.context("there is no saved game")?;
            Ok((in_process(ClientCore::resume(saved.ticket, random()), save, offline.bots), 1))
        }
        Start::Offline(table, name) => {
            let client = ClientCore::new(creation_of(&table, name), random());
            Ok((in_process(client, offline.open()?, offline.bots), 1))
        }
        Start::OneHand(table, name) => {
            let client = ClientCore::new(creation(*table, (None, None), name), random());
            Ok((in_process(client, offline.open()?, offline.bots), 1))
        }
        Start::Online(server, table, name) => Ok((on_server(server, creation_of(&table, name)), table.company())),
        Start::Link(link, name) => {
            let InviteLink { server, .. } = link.clone();
            Ok((on_server(server, link.credentials(name)), 1))
        }
        Start::Code(..) => bail!("a code is looked up first"),
    }
}

fn creation_of(settings: &TableSettings, name: Name) -> Credentials {
    creation(settings.table(), settings.creator(), name)
}

fn creation(
    (config, table): (Config, TableOptions),
    (role, seat): (Option<Role>, Option<Seat>),
    name: Name,
) -> Credentials {
    Credentials::Create { config, table, name, role, seat, entropy: None }
}

fn on_server(server: ServerAddress, credentials: Credentials) -> ClientSession {
    ClientSession {
        client: ClientCore::new(credentials, random()),
        connection: Connection::WebSocket(Box::new(WebSocketConnection::new(server))),
    }
}

fn in_process(client: ClientCore, save: SaveFile, bots: BotSettings) -> ClientSession {
    ClientSession { client, connection: Connection::InProcess(Box::new(InProcessTable::new(Box::new(save), bots))) }
}

#[cfg(test)]
mod tests {
    use texas42_vocab::{ForcedBid, Nello};

    use super::*;

    fn table(flags: &str) -> anyhow::Result<TableSettings> {
        TableArgs::read(flags)?.table(&["nello", "forced-bid"], None)
    }

    fn problem(flags: &str) -> String {
        table(flags).unwrap_err().to_string()
    }

    #[test]
    fn flags_set_every_parameter_of_nello_and_the_forced_bid() {
        let nello = "--nello-minimum 2 --nello-lead left --nello-doubles low";
        let table = table(&format!("{nello} --forced-minimum 32 --forced-who first")).unwrap();
        let layers = [
            Layer::Nello(Nello { minimum: 2, lead: Lead::Left, doubles: Doubles::Low }),
            Layer::ForcedBid(ForcedBid { minimum: 32, who: WhoMustBid::First }),
        ];
        assert_eq!(table.rules.layers(), layers);
    }

    #[test]
    fn each_flag_alone_describes_a_new_table() {
        for flags in [
            "--nello-minimum 2",
            "--nello-lead left",
            "--nello-doubles high",
            "--forced-minimum 31",
            "--forced-who first",
            "--bots expert",
            "--preset family",
            "--pause 700",
            "--rated",
            "--open-hands",
        ] {
            assert!(TableArgs::read(flags).unwrap().is_given(), "{flags}");
            assert_ne!(table(flags).unwrap(), table("").unwrap(), "{flags}");
        }
    }

    #[test]
    fn a_parameter_without_its_rule_is_refused() {
        assert!(problem("--rules plunge --nello-lead left").contains("--nello-lead needs the rule nello"));
        assert!(problem("--rules nello --forced-who first").contains("--forced-who needs the rule forced-bid"));
        assert!(problem("--nello-lead right").contains("`bidder` or `left`"));
        assert!(problem("--forced-minimum 43").contains("43"));
        assert!(problem("--nello-minimum 5").contains('5'));
        assert!(problem("--rules nello --speed-delay 5").contains("--speed-delay needs the rule speed"));
    }

    #[test]
    fn flags_set_the_delay_of_speed_and_the_options_of_the_table() {
        let table = table("--preset tournament --hints --pause 900 --open-hands --target 3").unwrap();
        let names: Vec<&str> = table.rules.layers().iter().map(Layer::name).collect();
        assert_eq!(names, ["tournament", "hints", "consensus"]);
        assert_eq!((table.pause, table.open_hands, table.rated, table.rules.target()), (900, true, false, 3));
        let speed = self::table("--rules speed --speed-delay 250 --rated").unwrap();
        assert_eq!((speed.rules.layers(), speed.rated), (&[Layer::Speed(Speed { delay: 250 })][..], true));
        assert!(problem("--open-hands --rated").contains("--open-hands and --rated exclude each other"));
        assert!(problem("--preset nobody").contains("there are tournament, casual, family, points"));
        assert!(problem("--preset family --rules nello").contains("--rules"));
    }

    /// At a table that exists.
    #[test]
    fn what_no_flag_names_stays() {
        let current = table("--nello-lead left --clock 40 --bots expert --open-hands --pause 600 --play-on").unwrap();
        let changed = |flags: &str| TableArgs::read(flags).unwrap().change(current.clone(), None).unwrap();
        let mut expected = current.clone();
        expected.rules.target = Some(5);
        assert_eq!(changed("--target 5"), expected);
        let sevens = changed("--rules nello,sevens");
        let names: Vec<&str> = sevens.rules.layers().iter().map(Layer::name).collect();
        assert_eq!(names, ["nello", "sevens"], "a list of rules is complete");
        let left = Layer::Nello(Nello { lead: Lead::Left, ..Nello::default() });
        assert!(sevens.rules.layers().contains(&left), "a rule that stays keeps its parameters");
        assert_eq!(TableSettings { rules: current.rules.clone(), ..sevens }, current);
        let points = changed("--points");
        assert!(points.rules.layers().iter().all(|layer| layer.name() == "forced-bid"), "{points:?}");
    }

    #[test]
    fn bots_have_one_level_each_or_the_same() {
        let bots = |flags| table(flags).unwrap().bots;
        assert_eq!(bots(""), [None; 4]);
        assert_eq!(bots("--bots expert")[1..], [Some(BotLevel::Expert); 3]);
        let each = [None, Some(BotLevel::Random), None, Some(BotLevel::Beginner)];
        assert_eq!(bots("--bots random,usual,beginner"), each);
        assert!(problem("--bots random,expert").contains("seats 2, 3 and 4"));
        let unknown = problem("--bots strong");
        assert!(unknown.contains("`expert`") && unknown.contains("`usual`"), "{unknown}");
    }
}
