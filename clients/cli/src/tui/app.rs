//! A person at a table in full screen: keys become requests, news become what is shown.

use texas42_client::ClientEvent;
use texas42_phrases::fill;
use texas42_protocol::{Grant, Role};
use texas42_server::serve::now;
use texas42_vocab::{Action, Control, Phase};

use super::{
    draw::draw,
    keys::{Command, command},
    model::{Overlay, TableModel, words},
    screen::{Input, Screen},
};
use crate::connection::Session;

/// How it ended, to be told when the terminal is as it was before.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The link of the own seat, where it is kept on a server.
    pub own_link: Option<String>,
    /// The invite links that were made, each with what it is for.
    pub links: Vec<(&'static str, String)>,
    /// Why the table ended the session.
    pub over: Option<String>,
}

/// Plays until the person leaves. `people` is how many the table is for; the others are invited.
///
/// # Errors
/// When the table cannot be reached, or the terminal fails.
pub async fn play(screen: &mut Screen, session: Session, people: u8) -> anyhow::Result<Ending> {
    let is_offline = session.connection.is_offline();
    let model = TableModel { is_offline, has_colour: screen.has_colour(), ..TableModel::default() };
    let mut app = App { session, model, people, asked_role: Role::Player, has_invited: false, ending: None };
    while app.ending.is_none() {
        screen.draw(|frame| draw(frame, &app.model))?;
        tokio::select! {
            input = screen.next() => app.take_in(input).await,
            happened = app.session.wait() => {
                let trouble = app.session.handle(happened).await?;
                app.model.notice = trouble.or(app.model.notice.take());
                app.hear_news().await;
            }
        }
    }
    app.session.close().await;
    Ok(app.ending.unwrap_or_default())
}

struct App {
    session: Session,
    model: TableModel,
    people: u8,
    /// As what the last invitation was asked for.
    asked_role: Role,
    has_invited: bool,
    ending: Option<Ending>,
}

impl App {
    async fn take_in(&mut self, input: Input) {
        match input {
            Input::Key(key) => {
                self.model.notice = None;
                if let Some(command) = command(key, &self.model) {
                    self.obey(command);
                }
            }
            Input::Paste(text) => text.trim().chars().for_each(|letter| self.model.type_in(letter)),
            Input::Redraw => {}
            Input::End => self.quit(),
        }
        self.session.send().await;
        self.model.update(&self.session.client);
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Select(choice) => {
                self.model.input.clear();
                self.model.selected = Some(choice);
            }
            Command::Type(letter) => return self.model.type_in(letter),
            Command::Erase => return self.model.erase(),
            Command::Open(overlay) => self.model.overlay = Some(overlay),
            Command::Close => self.model.overlay = None,
            Command::Tell(text) => self.model.notice = Some(text.to_owned()),
            Command::Act(action) => self.act(action),
            Command::Control(control) => self.control(control),
            Command::Invite(role) => self.invite(role),
            Command::Ready => drop(self.session.client.declare_ready(now())),
            Command::Rematch => drop(self.session.client.rematch(now(), None)),
            Command::Leave => {
                self.session.client.leave();
                self.ending = Some(Ending::default());
            }
            Command::Clear => {}
            Command::Quit => self.quit(),
        }
        self.model.input.clear();
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

    fn invite(&mut self, role: Role) {
        if self.model.is_offline {
            self.model.notice = Some("Nobody can be invited to an offline table.".to_owned());
            return;
        }
        let others = self.people.saturating_sub(1).max(1);
        let uses = Some(others).filter(|_| role == Role::Player);
        let seat = self.session.client.seat().filter(|_| role == Role::Coach);
        self.asked_role = role;
        self.session.client.invite(now(), Grant { uses, seat, ..Grant::of(role) }, None);
    }

    fn quit(&mut self) {
        let own_link = self.session.own_link();
        self.ending = Some(Ending { own_link, links: self.model.links.clone(), over: None });
    }

    async fn hear_news(&mut self) {
        while let Some(news) = self.session.client.poll_event() {
            self.model.update(&self.session.client);
            match news {
                ClientEvent::Joined => self.invite_once(),
                ClientEvent::Invited { key: Some(key), .. } => self.keep_link(&key),
                ClientEvent::Refused { error, .. } => self.model.notice = Some(error.said(words())),
                ClientEvent::Disconnected => self.model.notice = Some(words().reconnecting.to_owned()),
                ClientEvent::Progress { percent, .. } => {
                    self.model.notice = Some(fill(words().looking, &[&percent.to_string()]));
                }
                ClientEvent::Over { error } => {
                    self.ending = Some(Ending { over: Some(error.said(words())), ..Ending::default() });
                }
                ClientEvent::Invited { key: None, .. }
                | ClientEvent::Changed
                | ClientEvent::Answered { .. }
                | ClientEvent::Status { .. } => {}
            }
        }
        self.session.send().await;
        self.model.update(&self.session.client);
    }

    /// A new table for several people invites them by itself.
    fn invite_once(&mut self) {
        self.model.notice = None;
        let is_new = self.people > 1 && self.model.phase() == Some(Phase::Setup);
        if is_new && !std::mem::replace(&mut self.has_invited, true) {
            self.invite(Role::Player);
        }
    }

    fn keep_link(&mut self, key: &texas42_protocol::SecretKey) {
        let what = match self.asked_role {
            Role::Spectator => "Invite somebody to watch",
            Role::Coach => "Invite your coach",
            _ => "Invite players",
        };
        let game = self.session.client.game_id().cloned();
        let link = game.and_then(|game| self.session.connection.link(self.asked_role, &game, key));
        self.model.links.extend(link.map(|link| (what, link)));
        if self.model.phase() != Some(Phase::Setup) {
            self.model.overlay = Some(Overlay::Links);
        }
    }
}
