//! `texas42 join`: a table in the terminal, line by line, so that it works over ssh, in a log and with a screen reader.

use anyhow::Context;
use texas42_cli::{
    show,
    wire::{Happened, Place, Wire, read_invitation},
};
use texas42_client::{Credentials, GameClient, ClientEvent};
use texas42_protocol::{GameView, Grant, Name, Role, TableOptions};
use texas42_server::serve::{now, random};
use texas42_vocab::{Config, Control, Seat};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

/// Play at a table in the terminal.
///
/// With an invitation you join its table; without one a table is set up on the server, with computer players on the seats
/// that people do not take. Type the number, the shortcut or the domino of what you want to do; `?` shows more.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The server, or an invitation: `http://localhost:4242/#join/TABLE/KEY`
    #[arg(default_value = "http://localhost:4242", value_name = "LINK")]
    url: String,

    /// What you are called
    #[arg(long, default_value = "Guest")]
    name: String,

    /// People at a new table, you included
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    people: u8,

    /// Show what a friend would say about every choice, at a new table
    #[arg(long)]
    hints: bool,

    /// The score that ends the game, at a new table
    #[arg(long)]
    target: Option<u16>,
}

const HELP: &str = "number, shortcut or domino (6-4): do it · w: show the table · a: let a program play for you · b: play yourself again\n\
                    y: ready to begin · i: invite a player · r: play again · leave: give the seat up · q: quit (the seat is kept)";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(play(args));
    // Somebody may still be reading the terminal, and would not stop before the next line.
    runtime.shutdown_background();
    result
}

fn entrance(args: &Args) -> anyhow::Result<Credentials> {
    let name = Name::try_from(args.name.as_str())?;
    if args.url.contains('#') {
        let (game, key) = read_invitation(&args.url)?;
        return Ok(Credentials::join(game, Some(key), name));
    }
    let players =
        std::array::from_fn(|seat| if seat < usize::from(args.people) { Control::Human } else { Control::Ai });
    let layers = if args.hints { serde_json::from_str(r#"[{"type":"hints"}]"#)? } else { Vec::new() };
    let config = Config { players, layers, target: args.target, ..Config::default() };
    let table = TableOptions { hints: args.hints, ..TableOptions::default() };
    Ok(Credentials::Create { config, table, name, entropy: None })
}

/// The terminal and the table.
struct Game {
    client: GameClient,
    wire: Wire,
    lines: Lines<BufReader<Stdin>>,
    /// What was shown last, so that nothing is shown twice.
    shown: Option<GameView>,
    /// Whether the table was reached.
    is_there: bool,
    /// The other people are invited once.
    has_invited: bool,
    /// How many people the table is for.
    people: u8,
    is_over: bool,
}

async fn play(args: &Args) -> anyhow::Result<()> {
    let client = GameClient::new(entrance(args)?, random());
    let wire = Wire::new(Place::parse(&args.url)?);
    let lines = BufReader::new(tokio::io::stdin()).lines();
    let people = args.people;
    let mut game =
        Game { client, wire, lines, shown: None, is_there: false, has_invited: false, people, is_over: false };
    while !game.is_over {
        game.turn().await?;
    }
    while let Some(frame) = game.client.poll_frame() {
        game.wire.send(&frame).await;
    }
    game.wire.close().await;
    Ok(())
}

impl Game {
    async fn turn(&mut self) -> anyhow::Result<()> {
        let happened = tokio::select! {
            line = self.lines.next_line() => {
                return match line.context("the terminal cannot be read")? {
                    Some(line) => self.obey(line.trim()).await,
                    None => { self.is_over = true; Ok(()) }
                };
            }
            happened = self.wire.turn(&self.client, self.client.wake_at()) => happened,
        };
        match happened {
            Happened::Connected => self.client.handle_connected(now()),
            Happened::FollowOutcome(message) => self.client.handle_message(now(), &message),
            Happened::Gone(code) => self.client.handle_disconnected(now(), code),
            Happened::Unreachable(reason) => {
                self.client.handle_disconnected(now(), None);
                self.wire.check_hope(self.client.failed_attempts(), &reason)?;
                if self.client.failed_attempts() == 1 {
                    say(&format!("{} cannot be reached ({reason}), trying again …", self.wire.place()))?;
                }
            }
            Happened::Time => self.client.handle_time(now()),
        }
        if self.client.poll_close() {
            self.wire.close().await;
            self.client.handle_disconnected(now(), None);
        }
        self.tell()?;
        self.send().await;
        Ok(())
    }

    async fn send(&mut self) {
        while let Some(frame) = self.client.poll_frame() {
            self.wire.send(&frame).await;
        }
    }

    fn tell(&mut self) -> anyhow::Result<()> {
        let mut has_changed = false;
        while let Some(news) = self.client.poll_event() {
            match news {
                ClientEvent::Joined => {
                    self.is_there = true;
                    let id = self.client.game_id().map(ToString::to_string).unwrap_or_default();
                    say(&format!("at table {id}; ? helps"))?;
                    self.invite_once();
                    has_changed = true;
                }
                ClientEvent::Changed => has_changed = true,
                ClientEvent::Invited { key: Some(key), .. } => {
                    let game = self.client.game_id().context("invitations come from a table")?;
                    say(&format!("invite a player with {}", self.wire.place().invitation(game, &key)))?;
                }
                ClientEvent::Refused { error, .. } => say(&format!("no: {}", error.message))?,
                ClientEvent::Disconnected if self.client.failed_attempts() == 1 && self.is_there => {
                    say("the line is gone, coming back …")?;
                }
                ClientEvent::Over { error } => {
                    self.is_over = true;
                    say(&format!("over: {}", error.message))?;
                }
                ClientEvent::Progress { percent, .. } => say(&format!("looking for a hand worth playing: {percent} %"))?,
                _ => {}
            }
        }
        if has_changed { self.show() } else { Ok(()) }
    }

    /// The table is shown when it is different, and not for what others only think about.
    fn show(&mut self) -> anyhow::Result<()> {
        let Some((_, view)) = self.client.table() else { return Ok(()) };
        if self.shown.as_ref().is_some_and(|shown| !show::is_new(view, shown)) {
            return Ok(());
        }
        texas42_print(&show::table(view, self.client.seat(), crate::output::columns()))?;
        self.shown = Some(view.clone());
        Ok(())
    }

    /// The key of the own seat opens it again, from here or in a browser; it is nobody else's business.
    fn tell_the_way_back(&self) -> anyhow::Result<()> {
        let Some(ticket) = self.client.ticket() else { return Ok(()) };
        let link = self.wire.place().invitation(&ticket.game_id, &ticket.key);
        say("your seat is kept; come back to it with:")?;
        // In one piece however narrow the terminal is, so that it can be copied.
        texas42_print(&format!("texas42 join --name {:?} '{link}'\n", ticket.name.as_str()))
    }

    fn invite_once(&mut self) {
        let Some((_, view)) = self.client.table() else { return };
        let may = view.players.len() == 1 && !self.has_invited;
        let open: Vec<Seat> = Seat::ALL.into_iter().filter(|seat| Some(*seat) != self.client.seat()).collect();
        let is_waiting = view.state.phase == texas42_vocab::Phase::Setup;
        self.has_invited = true;
        if may && is_waiting && !open.is_empty() {
            self.invite();
        }
    }

    fn invite(&mut self) {
        self.client.invite(
            now(),
            Grant { uses: Some(self.people.saturating_sub(1).max(1)), ..Grant::of(Role::Player) },
            None,
        );
    }

    async fn obey(&mut self, line: &str) -> anyhow::Result<()> {
        match line {
            "" => {}
            "?" | "help" => say(HELP)?,
            "q" | "quit" => {
                self.is_over = true;
                self.tell_the_way_back()?;
            }
            "w" | "show" => {
                self.shown = None;
                self.show()?;
            }
            "a" | "b" => self.swap(line == "a"),
            "i" | "invite" => self.invite(),
            "y" | "ready" => self.declare_ready()?,
            "r" | "rematch" => drop(self.client.rematch(now(), None)),
            "leave" => {
                self.client.leave();
                self.is_over = true;
            }
            line => self.act(line)?,
        }
        self.send().await;
        Ok(())
    }

    fn swap(&mut self, to_program: bool) {
        if let Some(seat) = self.client.seat() {
            let control = if to_program { Control::Ai } else { Control::Human };
            self.client.set_control(now(), seat, control);
        }
    }

    fn declare_ready(&mut self) -> anyhow::Result<()> {
        match self.client.declare_ready(now()) {
            Some(_) => Ok(()),
            None => say("the table does not wait for that"),
        }
    }

    fn act(&mut self, line: &str) -> anyhow::Result<()> {
        let action = self.client.table().and_then(|(_, view)| show::choose(view, line));
        match action {
            _ if self.client.is_waiting() => say("a moment, the table has not answered yet"),
            Some(action) => {
                self.client.execute(now(), action);
                Ok(())
            }
            None => say("that is not among the choices; ? helps"),
        }
    }
}

fn say(text: &str) -> anyhow::Result<()> {
    texas42_print(&show::fit(&format!("{text}\n"), crate::output::columns()))
}

fn texas42_print(text: &str) -> anyhow::Result<()> {
    Ok(crate::output::print(text)?)
}
