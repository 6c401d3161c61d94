//! A person at a table in full screen: turns keys into requests, and events of the client into updates of the model.

use std::path::PathBuf;

use texas42_client::ClientEvent;
use texas42_house_rules::TableSettings;
use texas42_phrases::{capitalized, fill};
use texas42_protocol::{Name, Role, SecretKey};
use texas42_sdk::{ClientSession, FoundLobby};
use texas42_server::serve::now;
use texas42_vocab::{Action, Control, Phase};

use super::{
    draw::draw,
    form::{self, Form},
    form_keys::{self, FormResult},
    keys::{Command, command},
    model::{Overlay, TableModel, words},
    screen::{Input, Screen},
};
use crate::{
    invites::{self, Inviter, LobbyCommand, MadeLink, RequestedInvites},
    show,
    speech::SpeechCommand,
};

/// The purpose of the code of the lobby, in the list of links.
const CODE_PURPOSE: &str = "Tell others this code";

/// What to print after the terminal is restored.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The link with which the person returns to the session, if a server keeps it.
    pub own_link: Option<String>,
    /// Whether the session has a seat.
    pub has_seat: bool,
    /// The invite links that were made and not revoked.
    pub links: Vec<MadeLink>,
    /// The lines to keep of a finished game: the text to share and the link that replays it.
    pub result: Vec<String>,
    /// Why the table ended the session.
    pub over: Option<String>,
}

/// Plays until the person quits. At a new table for several `people`, makes an invite for the others. Saved house rules are
/// in the `folder`.
///
/// # Errors
/// When the table cannot be reached, or the terminal fails.
pub async fn play(
    screen: &mut Screen,
    session: ClientSession,
    people: u8,
    folder: Option<PathBuf>,
    found: Option<FoundLobby>,
) -> anyhow::Result<Ending> {
    let is_offline = session.connection.server().is_none();
    let model = TableModel { is_offline, has_color: screen.has_color(), ..TableModel::default() };
    let requested = RequestedInvites::default();
    let mut app =
        App { session, model, people, folder, found, form: None, requested, has_invited: false, ending: None };
    while app.ending.is_none() {
        screen.draw(|frame| match &app.form {
            Some(form) => form::draw(frame, form),
            None => draw(frame, &app.model),
        })?;
        tokio::select! {
            input = screen.next() => app.handle_input(input).await,
            event = app.session.wait() => {
                let warning = app.session.handle(event).await?;
                app.model.notice = warning.or(app.model.notice.take());
                app.handle_client_events().await;
            }
        }
    }
    app.session.close().await;
    Ok(app.ending.unwrap_or_default())
}

struct App {
    session: ClientSession,
    model: TableModel,
    people: u8,
    /// The folder of the saved house rules.
    folder: Option<PathBuf>,
    /// The table whose host has to let the person in.
    found: Option<FoundLobby>,
    /// The form that changes the rules, while it is open.
    form: Option<Form>,
    /// The invites that are requested.
    requested: RequestedInvites,
    has_invited: bool,
    ending: Option<Ending>,
}

impl App {
    async fn handle_input(&mut self, input: Input) {
        match (input, &mut self.form) {
            (Input::Key(key), Some(form)) => match form_keys::press(form, key) {
                FormResult::Open | FormResult::Begin(_) => {}
                FormResult::Change(settings) => self.change_rules(&settings),
                FormResult::Quit => self.form = None,
            },
            (Input::Paste(text), Some(form)) => {
                text.trim().chars().for_each(|letter| form_keys::write(form, letter));
            }
            (Input::Key(key), None) => {
                self.model.notice = None;
                if let Some(command) = command(key, &self.model) {
                    self.run_command(command);
                }
            }
            (Input::Paste(text), None) => text.trim().chars().for_each(|letter| self.model.type_in(letter)),
            (Input::Redraw, _) => {}
            (Input::End, _) => self.quit(),
        }
        self.session.send().await;
        self.model.update(&self.session.client);
    }

    fn run_command(&mut self, command: Command) {
        match command {
            Command::Select(choice) => {
                self.model.input.clear();
                self.model.selected = Some(choice);
            }
            Command::Type(letter) => return self.model.type_in(letter),
            Command::Erase => return self.model.erase(),
            Command::Open(overlay) => self.model.overlay = Some(overlay),
            Command::Close => self.model.overlay = None,
            Command::Notify(text) => self.model.notice = Some(text.to_owned()),
            Command::Act(action) => self.act(action),
            Command::Control(control) => self.control(control),
            Command::AskForBots => self.session.client.ask_for_bots(now()),
            Command::Invite(role) => self.invite(role),
            Command::DeclineUndo => drop(self.session.client.decline_undo(now())),
            Command::Lobby(command) => self.run_lobby_command(command),
            Command::Revoke(number) => {
                self.model.overlay = None;
                self.session.client.revoke(now(), number);
            }
            Command::Ready => drop(self.session.client.declare_ready(now())),
            Command::Rematch => drop(self.session.client.rematch(now(), None)),
            Command::ChangeRules => self.open_form(),
            Command::Speak(command) => self.speak(command),
            Command::Leave => {
                self.session.client.leave(now());
                self.session.client.end();
                self.quit();
            }
            Command::GiveUp => {
                self.session.client.give_up_seat(now());
                self.session.client.end();
                self.ending = Some(Ending::default());
            }
            Command::Clear => {}
            Command::Quit => self.quit(),
        }
        self.model.input.clear();
    }

    fn speak(&mut self, command: SpeechCommand) {
        self.model.overlay = None;
        let client = &mut self.session.client;
        match command {
            SpeechCommand::List => self.model.overlay = Some(Overlay::Say),
            SpeechCommand::Say(phrase, domino) => drop(client.say(now(), phrase, domino)),
            SpeechCommand::AllowCoach(allowed) => drop(client.allow_coach(now(), allowed)),
            SpeechCommand::Mute { whom, is_muted } => self.model.muted.set(whom, is_muted),
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Bid { .. } | Action::Pass { .. } | Action::SelectTrump { .. } | Action::Play { .. } => {
                self.model.moved_at = self.model.view.as_ref().map(|view| view.state.events);
            }
            Action::Undo { .. } => self.model.moved_at = None,
            _ => {}
        }
        self.session.client.execute(now(), action);
    }

    fn control(&mut self, control: Control) {
        if let Some(seat) = self.session.client.seat() {
            self.session.client.set_control(now(), seat, control);
        }
    }

    /// Opens the form that changes the rules.
    fn open_form(&mut self) {
        let form = self.model.view.as_ref().and_then(|view| Form::of_table(view, self.model.is_offline));
        let with_saved = |form: Form| match self.folder.clone() {
            Some(folder) => form.with_saved_rules(folder),
            None => form,
        };
        self.form = form.map(|form| Form { has_color: self.model.has_color, ..with_saved(form) });
    }

    /// Requests new rules before the first game, and another game with new rules afterwards.
    fn change_rules(&mut self, settings: &TableSettings) {
        self.form = None;
        let Some(view) = &self.model.view else { return };
        let (config, table) = settings.changed(view);
        let client = &mut self.session.client;
        match view.state.phase {
            Phase::Setup => drop(client.configure(now(), Some(config), Some(table))),
            _ => drop(client.rematch_with(now(), None, Some(config), Some(table))),
        }
    }

    fn invite(&mut self, role: Role) {
        if self.model.is_offline {
            self.model.notice = Some("Nobody can be invited to an offline table.".to_owned());
            return;
        }
        let view = self.model.view.as_ref();
        let has_open_hands = view.is_some_and(|view| view.metadata.table.open_hands);
        let inviter = Inviter { people: self.people, seat: self.session.client.seat(), has_open_hands };
        let request = self.session.client.invite(now(), inviter.grant(role), None);
        self.requested.note(request, role);
    }

    fn run_lobby_command(&mut self, command: LobbyCommand) {
        if let Err(problem) = command.run(&mut self.session.client, now()) {
            self.model.notice = Some(capitalized(problem));
        }
    }

    /// Keeps the code among the links, and shows it when the person has asked for it.
    fn show_code(&mut self, is_asked: bool) {
        let lobby = self.session.client.lobby();
        let server = self.session.connection.server().map(ToString::to_string);
        let (line, has_guests) = (invites::code_line(lobby, server.as_deref()), !lobby.guests.is_empty());
        let count = self.model.links.len();
        self.model.links.retain(|made| made.purpose != CODE_PURPOSE);
        let had_code = self.model.links.len() < count;
        match line {
            Some(link) => {
                self.model.links.push(MadeLink { number: None, purpose: CODE_PURPOSE, link });
                if is_asked && !has_guests && self.model.phase() != Some(Phase::Setup) {
                    self.model.overlay = Some(Overlay::Links);
                }
            }
            None if had_code => self.model.notice = Some("The code of the table has ended.".to_owned()),
            None => {}
        }
    }

    fn quit(&mut self) {
        let (own_link, has_seat) = (self.session.own_link(), self.session.client.seat().is_some());
        let server = self.session.connection.server().map(ToString::to_string);
        let result = self.model.view.iter().flat_map(|view| show::shareable_lines(view, server.as_deref())).collect();
        // Links stay valid; a code would soon not.
        let links = self.model.links.iter().filter(|made| made.purpose != CODE_PURPOSE).cloned().collect();
        self.ending = Some(Ending { own_link, has_seat, links, result, over: None });
    }

    async fn handle_client_events(&mut self) {
        while let Some(event) = self.session.client.poll_event() {
            self.model.update(&self.session.client);
            match event {
                ClientEvent::Joined => self.invite_once(),
                ClientEvent::Invited { request, invite, key: Some(key) } => {
                    let role = self.requested.remove(&request).unwrap_or(Role::Player);
                    self.add_link(role, invite, &key);
                }
                ClientEvent::Invited { invite, key: None, .. } => self.remove_link(invite),
                ClientEvent::LobbyChanged { request } => self.show_code(request.is_some()),
                ClientEvent::Waiting => {
                    let host = self.found.as_ref().and_then(|found| found.host.as_ref());
                    self.model.notice = Some(invites::waiting_line(host.map(Name::as_str)));
                }
                ClientEvent::Refused { request, error } => {
                    if let Some(request) = &request {
                        self.requested.remove(request);
                    }
                    let sentence = error.sentence_naming(words(), self.model.seat, |seat| self.model.name(seat));
                    self.model.notice = Some(sentence);
                }
                ClientEvent::Said { player, phrase, domino, .. } => self.model.hear(&player, phrase, domino),
                ClientEvent::Disconnected => self.model.notice = Some(words().reconnecting.to_owned()),
                ClientEvent::Progress { percent, .. } => {
                    self.model.notice = Some(fill(words().searching_deal, &[&percent.to_string()]));
                }
                ClientEvent::Over { error } => {
                    self.ending = Some(Ending { over: Some(error.sentence(words())), ..Ending::default() });
                }
                ClientEvent::Admitted { .. }
                | ClientEvent::Changed
                | ClientEvent::Hinted
                | ClientEvent::Answered { .. }
                | ClientEvent::Left { .. }
                | ClientEvent::Status { .. } => {}
            }
        }
        self.session.send().await;
        self.model.update(&self.session.client);
    }

    /// Makes an invite at once when a new table is for several people.
    fn invite_once(&mut self) {
        self.model.notice = None;
        let is_new = self.people > 1 && self.model.phase() == Some(Phase::Setup);
        if is_new && !std::mem::replace(&mut self.has_invited, true) {
            self.invite(Role::Player);
        }
    }

    fn add_link(&mut self, role: Role, number: u32, key: &SecretKey) {
        let purpose = invites::purpose(role);
        let game = self.session.client.game_id().cloned();
        let link = game.and_then(|game| self.session.connection.link(role, &game, key));
        self.model.links.extend(link.map(|link| MadeLink { number: Some(number), purpose, link }));
        if self.model.phase() != Some(Phase::Setup) {
            self.model.overlay = Some(Overlay::Links);
        }
    }

    fn remove_link(&mut self, number: u32) {
        self.model.links.retain(|made| made.number != Some(number));
        self.model.notice = Some(words().revoked.to_owned());
    }
}
