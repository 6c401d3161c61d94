//! The lobby of a table: for its host, the code and the guests who wait; for a guest, what the code leads to.

use std::time::Duration;

use leptos::prelude::*;
use texas42_client::{ClientCore, Credentials, Lobby};
use texas42_protocol::{GameId, LobbyCode, LobbyPlayer, Name, PlayerId, RequestId, SecretKey, ServerMessage};
use texas42_vocab::Config;
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::{App, Screen},
    browser::{self, TICKETS},
    connection, sound,
    table_model::HostKind,
    words::fill,
};

/// Moves the focus to the table, or to the code, if the pressed button is gone.
fn keep_focus_in_lobby() {
    if browser::has_lost_focus() {
        ["#table", "[data-do=new-code]"].into_iter().for_each(browser::focus);
    }
}

/// What a guest may know about the table that a code leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundTable {
    pub(crate) game: GameId,
    pub(crate) code: LobbyCode,
    pub(crate) host: Option<Name>,
    pub(crate) config: Config,
    pub(crate) players: Vec<LobbyPlayer>,
}

/// The state of the lobby.
#[derive(Clone, Copy)]
pub(crate) struct LobbyState {
    /// The lobby of the current table, if this person manages it.
    shown: RwSignal<Lobby>,
    /// Whether this person waits in the lobby of a table.
    pub(crate) is_waiting: RwSignal<bool>,
    /// Whether the person has pressed a button that the answer of the table removes.
    has_acted: StoredValue<bool>,
}

impl LobbyState {
    pub(super) fn new() -> Self {
        let (shown, is_waiting) = (RwSignal::new(Lobby::default()), RwSignal::new(false));
        Self { shown, is_waiting, has_acted: StoredValue::new(false) }
    }

    /// Reads the lobby. Subscribes to it.
    pub(crate) fn with<T>(self, ask: impl FnOnce(&Lobby) -> T) -> T {
        self.shown.with(ask)
    }

    pub(super) fn forget(self) {
        if self.shown.with_untracked(|lobby| *lobby != Lobby::default()) {
            self.shown.set(Lobby::default());
        }
        if self.is_waiting.get_untracked() {
            self.is_waiting.set(false);
        }
    }
}

impl App {
    /// Shows the lobby, and announces the guests who have come.
    pub(crate) fn show_lobby(self, lobby: Lobby) {
        let before = self.lobby.shown.get_untracked();
        let is_new = |guest: &PlayerId| before.guests.iter().all(|known| known.guest != *guest);
        let new = lobby.guests.iter().filter(|guest| is_new(&guest.guest));
        let mut sentences: Vec<String> =
            new.map(|guest| fill(self.words().wants_to_join, &[guest.name.as_str()])).collect();
        if !sentences.is_empty() && self.settings.with_untracked(|settings| settings.sounds) {
            sound::knock(false);
        }
        let is_known = |code: &LobbyCode| before.code.is_some_and(|(known, _)| known == *code);
        let code = lobby.code.map(|(code, _)| code).filter(|code| !is_known(code));
        sentences.extend(code.map(|code| format!("{}: {}", self.words().lobby_code, code.spaced())));
        self.announcements.log(sentences);
        if before != lobby {
            self.lobby.shown.set(lobby);
            if self.lobby.has_acted.get_value() {
                self.lobby.has_acted.set_value(false);
                set_timeout(keep_focus_in_lobby, Duration::ZERO);
            }
        }
    }

    /// Looks up the table of a code and goes to its lobby. A refusal is shown where the person is, so that nothing typed is
    /// lost.
    pub(crate) fn look_up(self, code: LobbyCode) {
        spawn_local(async move {
            let answer = browser::ask_openly(&format!("api/codes/{code}")).await;
            match answer.and_then(|answer| texas42_protocol::read(&answer).ok()) {
                Some(ServerMessage::LobbyFound { game_id, code, host, config, players }) => {
                    self.enter_lobby(FoundTable { game: game_id, code, host, config, players });
                }
                Some(ServerMessage::Error { error, .. }) => self.show_notice(error.sentence(self.words())),
                _ => self.show_notice(self.words().needs_server),
            }
        });
    }

    /// Shows the lobby of a table. A person who already plays there rejoins.
    fn enter_lobby(self, found: FoundTable) {
        if TICKETS.get(HostKind::Server).is_some_and(|ticket| ticket.game_id == found.game) {
            return self.rejoin(HostKind::Server);
        }
        self.announcements.clear_notice();
        self.join_form.clear();
        self.go(Screen::Lobby(Box::new(found)));
    }

    /// Asks the host of the table to let this person in.
    pub(crate) fn ask_to_join(self, found: &FoundTable) {
        self.join_form.refusal.set(None);
        let credentials = Credentials::Knock {
            game_id: found.game.clone(),
            code: found.code,
            // Another key for each request: a host decides about each one.
            key: SecretKey::new(browser::random()),
            name: self.name_or_numbered(),
            entropy: browser::entropy(),
        };
        browser::forget("watching");
        self.navigation.wait_here();
        connection::open(self, HostKind::Server, credentials);
        self.lobby.is_waiting.set(true);
    }

    /// Makes a request about the lobby of the current table.
    pub(crate) fn manage_lobby(self, request: impl FnOnce(&mut ClientCore, u64) -> Option<RequestId>) {
        self.lobby.has_acted.set_value(true);
        connection::with_client(self, request);
    }

    /// Stops waiting in the lobby.
    pub(crate) fn stop_waiting(self) {
        connection::hang_up(self);
    }
}
