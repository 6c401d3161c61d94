//! The line mode of `join` and `play`: prints a table line by line, for pipes, logs and screen readers.

use std::{io::IsTerminal, path::PathBuf};

use anyhow::{Context, bail};
use texas42_cli::{
    invites::{self, Inviter, LobbyCommand, RequestedInvites, invited_role, revoked_number},
    show,
    speech::{self, Muted, SpeechCommand},
};
use texas42_client::{ClientEvent, Lobby};
use texas42_house_rules::TableSettings;
use texas42_phrases::Phrase;
use texas42_protocol::{Capability, GameView, Name, PlayerId, Role, SecretKey};
use texas42_sdk::{ClientSession, FoundLobby};
use texas42_server::serve::now;
use texas42_vocab::{Action, Control, Domino, Phase};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use super::start::TableArgs;

const HELP: &str = "number, shortcut or domino (6-4): do it · w: show the table · u: undo your last move, or agree to an undo · no: decline one · a: let the computer play for you · b: play yourself again · bot: let a bot play for a player who is slow\n\
                    y: ready to begin · i: invite a player; invite student, invite watch, invite coach, invite admin and invite bot: others · revoke 1: revoke an invite · r: play again · rules --rules nello,plunge --target 5: change what is named, before the first game and between games · say: what you can say to the others; coach off, coach on: whether your coach may talk to you; mute NAME, mute all, unmute NAME: whom you hear · code: a code that others type; new code, end code · admit, deny: a guest who waits; admit 2 4: the second one on seat 4 · leave: a bot plays until you return · give up: give the seat up for good · q: quit (the seat is kept)";

/// The terminal and the table.
struct PlainGame {
    session: ClientSession,
    lines: Lines<BufReader<Stdin>>,
    /// The last printed view, so that the same view is not printed twice.
    shown: Option<GameView>,
    /// Whether the client has joined the table.
    has_joined: bool,
    /// Whether the invite for the other people was made.
    has_invited: bool,
    /// The invites that are requested.
    requested: RequestedInvites,
    /// How many people the table is for.
    people: u8,
    /// The folder of the saved house rules.
    folder: Option<PathBuf>,
    /// How many events the game had before this person's last move.
    moved_at: Option<u16>,
    /// The progress of the search for a deal that was printed last, in percent.
    progress: Option<u8>,
    /// The lobby that was printed last.
    lobby: Lobby,
    /// The table whose host has to let the person in.
    found: Option<FoundLobby>,
    muted: Muted,
    is_over: bool,
}

/// Plays until the person quits or the input ends. Saved house rules are in the `folder`.
///
/// # Errors
/// When the table cannot be reached, or a pipe ends before the game is over.
pub(crate) async fn play(
    session: ClientSession,
    people: u8,
    found: Option<FoundLobby>,
    folder: Option<PathBuf>,
) -> anyhow::Result<()> {
    let lines = BufReader::new(tokio::io::stdin()).lines();
    let mut game = PlainGame {
        session,
        lines,
        shown: None,
        has_joined: false,
        has_invited: false,
        requested: RequestedInvites::default(),
        people,
        folder,
        moved_at: None,
        progress: None,
        lobby: Lobby::default(),
        found,
        muted: Muted::default(),
        is_over: false,
    };
    let mut result = Ok(());
    while !game.is_over && result.is_ok() {
        result = game.step().await;
    }
    game.session.close().await;
    result
}

impl PlainGame {
    /// Handles one line of input or one event of the connection.
    async fn step(&mut self) -> anyhow::Result<()> {
        let event = tokio::select! {
            line = self.lines.next_line() => {
                return match line.context("the terminal cannot be read")? {
                    Some(line) => self.run_command(line.trim()).await,
                    None => self.end_input(),
                };
            }
            event = self.session.wait() => event,
        };
        if let Some(reason) = self.session.handle(event).await? {
            say(&format!("the table cannot be reached ({reason}), trying again …"))?;
        }
        self.print_events()?;
        self.session.send().await;
        Ok(())
    }

    /// Quits at the end of the input, as `q` does. A pipe that ends in mid-game has ended too early, which a script must notice.
    fn end_input(&mut self) -> anyhow::Result<()> {
        self.is_over = true;
        let is_game_over = self.session.client.table().is_some_and(|(_, view)| view.state.phase.is_over());
        if is_game_over {
            return Ok(());
        }
        self.print_way_back()?;
        if std::io::stdin().is_terminal() {
            return Ok(());
        }
        bail!("the input ended before the game was over; q quits")
    }

    fn print_events(&mut self) -> anyhow::Result<()> {
        let mut has_changed = false;
        while let Some(event) = self.session.client.poll_event() {
            has_changed |= matches!(event, ClientEvent::Joined | ClientEvent::Changed);
            self.print_event(event)?;
        }
        if has_changed { self.show() } else { Ok(()) }
    }

    fn print_event(&mut self, event: ClientEvent) -> anyhow::Result<()> {
        match event {
            ClientEvent::Joined => {
                self.has_joined = true;
                let id = self.session.client.game_id().map(ToString::to_string).unwrap_or_default();
                say(&format!("at table {id}; ? helps"))?;
                self.invite_once();
                Ok(())
            }
            ClientEvent::Invited { request, invite, key: Some(key) } => {
                let role = self.requested.remove(&request).unwrap_or(Role::Player);
                self.print_invite_link(role, invite, &key)
            }
            ClientEvent::Invited { invite, key: None, .. } => {
                say(&format!("invite {invite} is revoked, and everybody who came with it has left"))
            }
            ClientEvent::Waiting => self.print_waiting(),
            ClientEvent::LobbyChanged { request } => self.print_lobby(request.is_some()),
            ClientEvent::Refused { request, error } => {
                if let Some(request) = &request {
                    self.requested.remove(request);
                }
                say(&format!("no: {}", error.message))
            }
            ClientEvent::Disconnected if self.session.client.failed_attempts() == 1 && self.has_joined => {
                say("the connection is lost, reconnecting …")
            }
            ClientEvent::Over { error } => bail!("{}", error.message),
            ClientEvent::Hinted => self.print_hints(),
            ClientEvent::Said { player, phrase, domino, .. } => self.print_phrase(&player, phrase, domino),
            ClientEvent::Progress { percent, .. } if self.progress.replace(percent) != Some(percent) => {
                say(&format!("looking for a hand worth playing: {percent} %"))
            }
            _ => Ok(()),
        }
    }

    /// Prints what somebody said, unless that person is muted.
    fn print_phrase(&self, player: &PlayerId, phrase: Phrase, domino: Option<Domino>) -> anyhow::Result<()> {
        let view = self.session.client.table().map(|(_, view)| view).filter(|_| self.muted.hears(player));
        view.map_or(Ok(()), |view| say(&speech::sentence(view, player, phrase, domino)))
    }

    /// Prints at which table the person waits.
    fn print_waiting(&self) -> anyhow::Result<()> {
        let Some(found) = &self.found else { return Ok(()) };
        say(&invites::found_line(found))?;
        say(&format!("{} q gives up.", invites::waiting_line(found.host.as_ref().map(Name::as_str))))
    }

    /// Prints the code if it is new or was asked for, and the guests who have come.
    fn print_lobby(&mut self, is_asked: bool) -> anyhow::Result<()> {
        let lobby = self.session.client.lobby().clone();
        let before = std::mem::replace(&mut self.lobby, lobby.clone());
        if lobby.code != before.code || (is_asked && lobby.guests == before.guests) {
            let server = self.session.connection.server().map(ToString::to_string);
            // Not wrapped, so that it can be copied.
            match invites::code_line(&lobby, server.as_deref()) {
                Some(line) => print(&format!("code {line}\n"))?,
                None => say("no code leads to this table now")?,
            }
        }
        for (number, guest) in invites::new_guests(&before, &lobby) {
            say(&invites::guest_question(number, guest))?;
        }
        Ok(())
    }

    /// Prints the opinion of the host's expert about each choice, under its number.
    fn print_hints(&self) -> anyhow::Result<()> {
        let client = &self.session.client;
        for (number, valid) in client.valid_actions().iter().enumerate() {
            if let Some(hint) = client.hints().iter().find(|hint| hint.action == valid.action) {
                say(&format!("hint {}: {}", number + 1, show::expert_hint(valid.action, hint)))?;
            }
        }
        Ok(())
    }

    fn print_invite_link(&self, role: Role, number: u32, key: &SecretKey) -> anyhow::Result<()> {
        let game = self.session.client.game_id().context("invites come from a table")?;
        let link = self.session.connection.link(role, game, key);
        let Some(link) = link else { return Ok(()) };
        // Not wrapped, so that it can be copied.
        print(&format!("{}: {link}\n", invites::purpose(role)))?;
        say(&format!("(revoke {number} revokes this invite)"))
    }

    /// Prints the table if it has changed in a way that is worth printing.
    fn show(&mut self) -> anyhow::Result<()> {
        let Some((_, view)) = self.session.client.table() else { return Ok(()) };
        let view = view.clone();
        self.print_undo_request(&view)?;
        self.print_undo_refusal(&view)?;
        if self.shown.as_ref().is_some_and(|shown| !show::is_new(&view, shown)) {
            self.shown = Some(view);
            return Ok(());
        }
        print(&show::table(&view, self.session.client.seat(), crate::output::columns()))?;
        self.shown = Some(view);
        Ok(())
    }

    /// Prints a new undo request, unless this person made it.
    fn print_undo_request(&self, view: &GameView) -> anyhow::Result<()> {
        let before = self.shown.as_ref().and_then(|shown| shown.metadata.undo.as_ref());
        let (Some(asked), Some(seat)) = (&view.metadata.undo, self.session.client.seat()) else { return Ok(()) };
        if before == Some(asked) || asked.agreed.contains(&seat) {
            return Ok(());
        }
        let names: Vec<String> = asked.agreed.iter().map(|seat| show::name(view, *seat)).collect();
        say(&format!("{} wants to undo a move: u agrees, no declines", names.join(", ")))
    }

    /// Prints who declined an undo.
    fn print_undo_refusal(&self, view: &GameView) -> anyhow::Result<()> {
        let before = self.shown.as_ref().and_then(|shown| shown.metadata.undo_declined);
        match view.metadata.undo_declined.filter(|declined| before != Some(*declined)) {
            Some(seat) => say(&format!("{} said no to the undo", show::name(view, seat))),
            None => Ok(()),
        }
    }

    /// Prints how to resume the game: for a server, with a link that contains the key of this person's session. A person who has
    /// not joined, or watches without a key, has nothing to resume.
    fn print_way_back(&self) -> anyhow::Result<()> {
        if self.session.connection.server().is_none() {
            // Nothing is saved before the table exists, and a game that is over is not resumed.
            let is_resumed = self.session.client.table().is_some_and(|(_, view)| !view.state.phase.is_over());
            return if is_resumed { say("your game is saved; `texas42 play` resumes it") } else { Ok(()) };
        }
        let (Some(ticket), Some(link)) = (self.session.client.ticket(), self.session.own_link()) else {
            return Ok(());
        };
        say(match self.session.client.seat() {
            Some(_) => "your seat is kept; come back to it with:",
            None => "come back to the table with:",
        })?;
        // Not wrapped, so that it can be copied.
        print(&format!("{}\n", invites::return_command(ticket.name.as_str(), &link)))
    }

    fn invite_once(&mut self) {
        let Some((_, view)) = self.session.client.table() else { return };
        let is_new = view.players.len() == 1 && view.state.phase == Phase::Setup;
        if is_new && !std::mem::replace(&mut self.has_invited, true) {
            self.invite(Role::Player);
        }
    }

    fn invite(&mut self, role: Role) {
        let table = self.session.client.table();
        let has_open_hands = table.is_some_and(|(_, view)| view.metadata.table.open_hands);
        let inviter = Inviter { people: self.people, seat: self.session.client.seat(), has_open_hands };
        let request = self.session.client.invite(now(), inviter.grant(role), None);
        self.requested.note(request, role);
    }

    async fn run_command(&mut self, line: &str) -> anyhow::Result<()> {
        match (invited_role(line), LobbyCommand::typed(line), revoked_number(line)) {
            (Some(role), _, _) => self.invite(role),
            (None, Some(command), _) => {
                if let Err(problem) = command.run(&mut self.session.client, now()) {
                    say(problem)?;
                }
            }
            (None, None, Some(number)) => drop(self.session.client.revoke(now(), number)),
            (None, None, None) => self.run_other_command(line)?,
        }
        self.session.send().await;
        Ok(())
    }

    fn run_other_command(&mut self, line: &str) -> anyhow::Result<()> {
        match line {
            "" => {}
            "?" | "help" => say(HELP)?,
            "q" | "quit" => {
                self.is_over = true;
                self.print_way_back()?;
            }
            "w" | "show" => {
                self.shown = None;
                self.show()?;
            }
            "u" | "undo" => self.undo()?,
            "no" => self.decline_undo()?,
            "a" | "b" => self.set_control(if line == "a" { Control::Ai } else { Control::Human }),
            "bot" => self.session.client.ask_for_bots(now()),
            "y" | "ready" => self.declare_ready()?,
            "r" | "rematch" => drop(self.session.client.rematch(now(), None)),
            line if line == "rules" || line.starts_with("rules ") => self.change_rules(&line["rules".len()..])?,
            "leave" | "give up" if self.session.connection.server().is_none() => {
                say("this game is on your machine; q quits, and `texas42 play` resumes it")?;
            }
            "leave" => {
                self.session.client.leave(now());
                self.session.client.end();
                self.is_over = true;
                // A visitor who leaves has no session any more.
                if self.session.client.seat().is_some() {
                    self.print_way_back()?;
                }
            }
            "give up" => {
                self.session.client.give_up_seat(now());
                self.session.client.end();
                self.is_over = true;
            }
            line => match self.speech_command(line) {
                Some(command) => self.speak(command)?,
                None => self.act(line)?,
            },
        }
        Ok(())
    }

    /// The command about phrases in a line.
    fn speech_command(&self, line: &str) -> Option<Result<SpeechCommand, &'static str>> {
        self.session.client.table().and_then(|(_, view)| speech::read(line, view))
    }

    fn speak(&mut self, command: Result<SpeechCommand, &str>) -> anyhow::Result<()> {
        let client = &mut self.session.client;
        match command {
            Ok(SpeechCommand::List) => return say(&speech::list(is_coach(client.capabilities()))),
            Ok(SpeechCommand::Say(phrase, domino)) => drop(client.say(now(), phrase, domino)),
            Ok(SpeechCommand::AllowCoach(allowed)) => drop(client.allow_coach(now(), allowed)),
            Ok(SpeechCommand::Mute { whom, is_muted }) => self.muted.set(whom, is_muted),
            Err(why) => return say(why),
        }
        Ok(())
    }

    /// Requests the current rules with what these flags name: before the first game, or with another game.
    fn change_rules(&mut self, flags: &str) -> anyhow::Result<()> {
        let client = &mut self.session.client;
        let view = client.table().map(|(_, view)| view.clone());
        let Some((view, current)) = view.and_then(|view| TableSettings::of_table(&view).map(|now| (view, now))) else {
            return say("the rules change only before the first game and between games");
        };
        let new = match TableArgs::read(flags).and_then(|args| args.change(current, self.folder.as_deref())) {
            Ok(new) => new,
            Err(error) => return say(&format!("no: {error:#}")),
        };
        let (config, table) = new.changed(&view);
        match view.state.phase {
            Phase::Setup => drop(client.configure(now(), Some(config), Some(table))),
            _ => drop(client.rematch_with(now(), None, Some(config), Some(table))),
        }
        Ok(())
    }

    /// Agrees to a pending undo request, or asks to undo this person's last move.
    fn undo(&mut self) -> anyhow::Result<()> {
        let may = self.session.client.capabilities().contains(&Capability::UndoActions);
        let asked = self.session.client.table().and_then(|(_, view)| view.metadata.undo.as_ref()).map(|asked| asked.to);
        match asked.or(self.moved_at).filter(|_| may) {
            Some(to) => drop(self.session.client.execute(now(), Action::Undo { to })),
            None => say("you have no move to undo")?,
        }
        Ok(())
    }

    fn decline_undo(&mut self) -> anyhow::Result<()> {
        match self.session.client.decline_undo(now()) {
            Some(_) => Ok(()),
            None => say("nobody asks you to take a move back"),
        }
    }

    fn set_control(&mut self, control: Control) {
        if let Some(seat) = self.session.client.seat() {
            self.session.client.set_control(now(), seat, control);
        }
    }

    fn declare_ready(&mut self) -> anyhow::Result<()> {
        match self.session.client.declare_ready(now()) {
            Some(_) => Ok(()),
            None => say("the table is not waiting for you to be ready"),
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

/// Whether a session with these capabilities coaches somebody.
fn is_coach(capabilities: &[Capability]) -> bool {
    capabilities.iter().any(|capability| matches!(capability, Capability::ObserveHand { .. }))
}

fn say(text: &str) -> anyhow::Result<()> {
    print(&show::fit(&format!("{text}\n"), crate::output::columns()))
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(crate::output::print(text)?)
}
