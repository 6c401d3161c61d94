//! The current screen, and navigation between screens: to a table, back from it, and by URL fragment.

use std::time::Duration;

use leptos::prelude::*;
use texas42_client::Credentials;
use texas42_protocol::{ErrorCode, Role, TableOptions, WireError};
use texas42_vocab::{Config, Difficulty};

use crate::{
    address::Address,
    app::App,
    browser::{self, TICKETS},
    connection,
    invite_link::InviteLink,
    presets,
    table_model::Home,
};

/// How long the page waits for another element to take the focus, in milliseconds: longer than a local table takes to
/// answer.
const KEEP_FOCUS: u64 = 250;

/// The screens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Screen {
    /// The start page.
    Home,
    /// The form for a new table.
    Create,
    /// The form for joining a table by an invite link.
    Join(InviteLink),
    /// A table.
    Table,
}

/// The current screen, and the one from which the person went to the table.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    pub(crate) screen: RwSignal<Screen>,
    came_from: StoredValue<Screen>,
    /// Whether the table should take the focus when it appears.
    wants_focus: StoredValue<bool>,
}

impl Navigation {
    pub(super) fn new() -> Self {
        Self {
            screen: RwSignal::new(Screen::Home),
            came_from: StoredValue::new(Screen::Home),
            wants_focus: StoredValue::new(false),
        }
    }

    /// Shows the table screen while the table is loading.
    pub(crate) fn wait_for_table(self) {
        self.came_from.set_value(self.screen.get_untracked());
        self.wants_focus.set_value(true);
        self.screen.set(Screen::Table);
    }

    /// Called when the table has arrived.
    pub(super) fn arrive(self) {
        if self.wants_focus.get_value() {
            self.wants_focus.set_value(false);
            keep_focus();
        }
        if self.screen.get_untracked() != Screen::Table {
            self.screen.set(Screen::Table);
        }
    }
}

/// Moves the focus to the table if the focused element has disappeared, such as a pressed button or the previous
/// screen.
pub(crate) fn keep_focus() {
    let focus = || {
        if browser::has_lost_focus() && !browser::is_dialog_open() {
            browser::focus("#table");
        }
    };
    set_timeout(focus, Duration::from_millis(KEEP_FOCUS));
}

impl App {
    /// Shows another screen.
    pub(crate) fn go(self, screen: Screen) {
        if screen != Screen::Table {
            connection::hang_up(self);
        }
        match &screen {
            Screen::Home => browser::set_fragment(""),
            Screen::Create => browser::set_fragment("new"),
            Screen::Join(link) => browser::set_fragment(&link.fragment()),
            // The fragment of a table is set after joining.
            Screen::Table => {}
        }
        self.dialogs.close();
        self.navigation.screen.set(screen);
        browser::focus("main");
    }

    /// Creates a table in this browser. It replaces the current game there, so the person is asked if that is
    /// unfinished.
    pub(crate) fn play_here(self, (config, table): (Config, TableOptions)) {
        if TICKETS.has_open_game() && !browser::confirm(self.words().replace_ask) {
            if Address::asks_for_new_table(&browser::fragment()) {
                browser::drop_fragment();
            }
            return;
        }
        self.set_up(Home::Browser, config, table);
    }

    /// Plays the daily challenge. During the deal search, Back leads to the start page.
    pub(crate) fn play_daily(self, difficulty: Difficulty) {
        browser::set_fragment(&format!("daily/{}", presets::name_of(difficulty)));
        self.play_here(presets::daily(browser::today(), difficulty));
    }

    /// Creates a table.
    pub(crate) fn set_up(self, home: Home, config: Config, table: TableOptions) {
        let (name, entropy) = (self.name(), browser::entropy());
        self.navigation.wait_for_table();
        connection::open(self, home, Credentials::Create { config, table, name, entropy });
    }

    /// Rejoins the table of the stored ticket.
    pub(crate) fn rejoin(self, home: Home) {
        match TICKETS.get(home) {
            Some(ticket) => {
                self.navigation.screen.set(Screen::Table);
                connection::resume(self, home, ticket);
            }
            // Another tab may have removed the ticket.
            None => self.go(Screen::Home),
        }
    }

    /// Opens an invite link. A person who already plays at that table rejoins instead of taking a second seat.
    pub(crate) fn open_invite(self, link: InviteLink) {
        let is_there = TICKETS.get(Home::Server).is_some_and(|ticket| ticket.game_id == link.game);
        let only_watches = browser::kept("watching").as_deref() == Some(link.game.as_str());
        if is_there && !only_watches && link.role == Role::Player {
            return self.rejoin(Home::Server);
        }
        self.announcements.clear_notice();
        self.join_form.clear();
        self.go(Screen::Join(link));
    }

    /// Called when the table refuses to let the person join.
    pub(crate) fn handle_join_refused(self, error: &WireError) {
        match error.code {
            ErrorCode::SeatTaken if self.join_form.seat.get_untracked().is_some() => {
                self.return_to_form(self.words().seat_gone);
            }
            _ => self.return_to_form(&self.refusal_text(error)),
        }
    }

    /// Returns to the form with its contents and shows why joining failed.
    pub(crate) fn return_to_form(self, why: &str) {
        connection::hang_up(self);
        let from = self.navigation.came_from.get_value();
        match from {
            // The form shows the reason permanently, because fewer seats may be free by now.
            Screen::Join(_) => self.join_form.refusal.set(Some(why.to_owned())),
            _ => self.tell(why),
        }
        self.go(from);
    }
}

/// Navigates to the URL fragment: on load and reload, and on Back and Forward.
pub(super) fn follow_address(app: App) {
    match Address::read(&browser::fragment()) {
        Address::Home if app.navigation.screen.get_untracked() != Screen::Home => app.go(Screen::Home),
        Address::Home | Address::Unknown => {}
        Address::Play if TICKETS.get(Home::Browser).is_some() => app.rejoin(Home::Browser),
        Address::Play => app.play_here(presets::offline()),
        Address::Create => app.go(Screen::Create),
        Address::Invite(link) => app.open_invite(link),
        Address::Daily(difficulty) => app.play_daily(difficulty),
        Address::Seed(table) => app.play_here(*table),
        Address::Table(game) if is_kept_table(&game) => app.rejoin(Home::Server),
        Address::Table(_) => app.tell(app.words().no_such_table),
        Address::BadInvite => app.tell(app.words().bad_link),
        Address::BadSeed => app.tell(app.words().bad_seed),
    }
}

fn is_kept_table(game: &str) -> bool {
    TICKETS.get(Home::Server).is_some_and(|ticket| ticket.game_id.as_str() == game)
}
