//! The line mode of `join` and `play`: a table line by line, so that it works in a pipe, in a log and with a screen reader.

use anyhow::Context;
use texas42_cli::{connection::Session, show};
use texas42_client::ClientEvent;
use texas42_protocol::{Capability, GameView, Grant, Role, SecretKey};
use texas42_server::serve::now;
use texas42_vocab::{Action, Control, Phase};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

const HELP: &str = "number, shortcut or domino (6-4): do it · w: show the table · u: take a move back, or agree to it · a: let a program play for you · b: play yourself again\n\
                    y: ready to begin · i: invite a player · r: play again · leave: give the seat up · q: quit (the seat is kept)";

/// The terminal and the table.
struct Game {
    session: Session,
    lines: Lines<BufReader<Stdin>>,
    /// What was shown last, so that nothing is shown twice.
    shown: Option<GameView>,
    /// Whether the table was reached.
    is_there: bool,
    /// The other people are invited once.
    has_invited: bool,
    /// How many people the table is for.
    people: u8,
    /// How many events the game had before the own last move.
    moved_at: Option<u16>,
    is_over: bool,
}

/// Plays until the person quits or the input ends.
pub(crate) async fn play(session: Session, people: u8) -> anyhow::Result<()> {
    let lines = BufReader::new(tokio::io::stdin()).lines();
    let mut game = Game {
        session,
        lines,
        shown: None,
        is_there: false,
        has_invited: false,
        people,
        moved_at: None,
        is_over: false,
    };
    while !game.is_over {
        game.turn().await?;
    }
    game.session.close().await;
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
            happened = self.session.wait() => happened,
        };
        if let Some(reason) = self.session.handle(happened).await? {
            say(&format!("the table cannot be reached ({reason}), trying again …"))?;
        }
        self.tell()?;
        self.session.send().await;
        Ok(())
    }

    fn tell(&mut self) -> anyhow::Result<()> {
        let mut has_changed = false;
        while let Some(news) = self.session.client.poll_event() {
            has_changed |= matches!(news, ClientEvent::Joined | ClientEvent::Changed);
            self.tell_one(news)?;
        }
        if has_changed { self.show() } else { Ok(()) }
    }

    fn tell_one(&mut self, news: ClientEvent) -> anyhow::Result<()> {
        match news {
            ClientEvent::Joined => {
                self.is_there = true;
                let id = self.session.client.game_id().map(ToString::to_string).unwrap_or_default();
                say(&format!("at table {id}; ? helps"))?;
                self.invite_once();
                Ok(())
            }
            ClientEvent::Invited { key: Some(key), .. } => self.tell_invitation(&key),
            ClientEvent::Refused { error, .. } => say(&format!("no: {}", error.message)),
            ClientEvent::Disconnected if self.session.client.failed_attempts() == 1 && self.is_there => {
                say("the line is gone, coming back …")
            }
            ClientEvent::Over { error } => {
                self.is_over = true;
                say(&format!("over: {}", error.message))
            }
            ClientEvent::Progress { percent, .. } => say(&format!("looking for a hand worth playing: {percent} %")),
            _ => Ok(()),
        }
    }

    fn tell_invitation(&self, key: &SecretKey) -> anyhow::Result<()> {
        let game = self.session.client.game_id().context("invitations come from a table")?;
        let link = self.session.connection.link(Role::Player, game, key);
        link.map_or(Ok(()), |link| say(&format!("invite a player with {link}")))
    }

    /// The table is shown when it is different, and not for what others only think about.
    fn show(&mut self) -> anyhow::Result<()> {
        let Some((_, view)) = self.session.client.table() else { return Ok(()) };
        let view = view.clone();
        self.tell_undo(&view)?;
        if self.shown.as_ref().is_some_and(|shown| !show::is_new(&view, shown)) {
            self.shown = Some(view);
            return Ok(());
        }
        print(&show::table(&view, self.session.client.seat(), crate::output::columns()))?;
        self.shown = Some(view);
        Ok(())
    }

    /// Somebody asks to take a move back.
    fn tell_undo(&self, view: &GameView) -> anyhow::Result<()> {
        let before = self.shown.as_ref().and_then(|shown| shown.metadata.undo.as_ref());
        let (Some(asked), Some(seat)) = (&view.metadata.undo, self.session.client.seat()) else { return Ok(()) };
        if before == Some(asked) || asked.agreed.contains(&seat) {
            return Ok(());
        }
        let names: Vec<String> = asked.agreed.iter().map(|seat| show::name(view, *seat)).collect();
        say(&format!("{} asks to take a move back: u agrees, playing on declines", names.join(", ")))
    }

    /// The key of the own seat opens it again, from here or in a browser; it is nobody else's business.
    fn tell_the_way_back(&self) -> anyhow::Result<()> {
        let (Some(ticket), Some(link)) = (self.session.client.ticket(), self.session.own_link()) else {
            return say("your game is saved; `texas42 play` resumes it");
        };
        say("your seat is kept; come back to it with:")?;
        // In one piece however narrow the terminal is, so that it can be copied.
        print(&format!("texas42 join --name {:?} '{link}'\n", ticket.name.as_str()))
    }

    fn invite_once(&mut self) {
        let Some((_, view)) = self.session.client.table() else { return };
        let is_new = view.players.len() == 1 && view.state.phase == Phase::Setup;
        if is_new && !std::mem::replace(&mut self.has_invited, true) {
            self.invite();
        }
    }

    fn invite(&mut self) {
        let others = self.people.saturating_sub(1).max(1);
        self.session.client.invite(now(), Grant { uses: Some(others), ..Grant::of(Role::Player) }, None);
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
            "u" | "undo" => self.undo()?,
            "a" | "b" => self.swap(line == "a"),
            "i" | "invite" => self.invite(),
            "y" | "ready" => self.declare_ready()?,
            "r" | "rematch" => drop(self.session.client.rematch(now(), None)),
            "leave" => {
                self.session.client.leave();
                self.is_over = true;
            }
            line => self.act(line)?,
        }
        self.session.send().await;
        Ok(())
    }

    /// Agrees to what somebody asks for, or asks to take the own last move back.
    fn undo(&mut self) -> anyhow::Result<()> {
        let may = self.session.client.capabilities().contains(&Capability::UndoActions);
        let asked = self.session.client.table().and_then(|(_, view)| view.metadata.undo.as_ref()).map(|asked| asked.to);
        match asked.or(self.moved_at).filter(|_| may) {
            Some(to) => drop(self.session.client.execute(now(), Action::Undo { to })),
            None => say("there is no move of yours to take back")?,
        }
        Ok(())
    }

    fn swap(&mut self, to_program: bool) {
        if let Some(seat) = self.session.client.seat() {
            let control = if to_program { Control::Ai } else { Control::Human };
            self.session.client.set_control(now(), seat, control);
        }
    }

    fn declare_ready(&mut self) -> anyhow::Result<()> {
        match self.session.client.declare_ready(now()) {
            Some(_) => Ok(()),
            None => say("the table does not wait for that"),
        }
    }

    fn act(&mut self, line: &str) -> anyhow::Result<()> {
        let table = self.session.client.table();
        let action = table.and_then(|(_, view)| Some((view.state.events, show::choose(view, line)?)));
        match action {
            _ if self.session.client.is_waiting() => say("a moment, the table has not answered yet"),
            Some((events, action)) => {
                let is_agreement = matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. });
                self.moved_at = if is_agreement { self.moved_at } else { Some(events) };
                self.session.client.execute(now(), action);
                Ok(())
            }
            None => say("that is not among the choices; ? helps"),
        }
    }
}

fn say(text: &str) -> anyhow::Result<()> {
    print(&show::fit(&format!("{text}\n"), crate::output::columns()))
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(crate::output::print(text)?)
}
