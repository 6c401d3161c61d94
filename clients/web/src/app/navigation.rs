//! Which screen is shown, and the ways between the screens: to a table, back from it, and by the address.

use std::time::Duration;

use leptos::prelude::*;
use texas42_client::Entrance;
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

/// How long the page waits for something else to take the focus, in milliseconds: longer than a table takes to answer here.
const KEEP_FOCUS: u64 = 250;

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Screen {
    /// The first page.
    Home,
    /// A new table for friends.
    Create,
    /// A link to a table was opened.
    Join(InviteLink),
    /// A table.
    Table,
}

/// The screen, and where the way to the table began.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    pub(crate) screen: RwSignal<Screen>,
    came_from: StoredValue<Screen>,
    /// Whether the person is on the way to a table from a screen that is gone.
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

    /// Shows that the table is on its way.
    pub(crate) fn wait_for_table(self) {
        self.came_from.set_value(self.screen.get_untracked());
        self.wants_focus.set_value(true);
        self.screen.set(Screen::Table);
    }

    /// The table is there.
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

/// Moves the focus to the table when the element that had it is gone: a button that was pressed, or the screen before.
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
            // The address of a table is set once one has come in.
            Screen::Table => {}
        }
        self.dialogs.close();
        self.navigation.screen.set(screen);
        browser::focus("main");
    }

    /// A new table in this browser. It replaces the game that is there, so the person is asked where that is not over.
    pub(crate) fn play_here(self, (config, table): (Config, TableOptions)) {
        if TICKETS.has_open_game() && !browser::asks(self.words().replace_ask) {
            if Address::asks_for_new_table(&browser::fragment()) {
                browser::drop_fragment();
            }
            return;
        }
        self.set_up(Home::Browser, config, table);
    }

    /// The hand of the day. While it is searched for, Back leads to the first page.
    pub(crate) fn play_daily(self, difficulty: Difficulty) {
        browser::set_fragment(&format!("daily/{}", presets::name_of(difficulty)));
        self.play_here(presets::daily(browser::today(), difficulty));
    }

    /// A new table.
    pub(crate) fn set_up(self, home: Home, config: Config, table: TableOptions) {
        let (name, entropy) = (self.name(), browser::entropy());
        self.navigation.wait_for_table();
        connection::open(self, home, Entrance::Create { config, table, name, entropy });
    }

    /// Back to a table that was left.
    pub(crate) fn come_back(self, home: Home) {
        match TICKETS.get(home) {
            Some(ticket) => {
                self.navigation.screen.set(Screen::Table);
                connection::resume(self, home, ticket);
            }
            // Another tab may have gone elsewhere with it.
            None => self.go(Screen::Home),
        }
    }

    /// An invite link was opened. A person who plays at that table already comes back, and takes no second seat.
    pub(crate) fn open_invite(self, link: InviteLink) {
        let is_there = TICKETS.get(Home::Server).is_some_and(|ticket| ticket.game_id == link.game);
        let only_watches = browser::kept("watching").as_deref() == Some(link.game.as_str());
        if is_there && !only_watches && link.role == Role::Player {
            return self.come_back(Home::Server);
        }
        self.announcements.clear_notice();
        self.join_form.clear();
        self.go(Screen::Join(link));
    }

    /// The table does not let the person in.
    pub(crate) fn turned_away(self, error: &WireError) {
        match error.code {
            ErrorCode::SeatTaken if self.join_form.seat.get_untracked().is_some() => {
                self.turn_back(self.words().seat_gone);
            }
            _ => self.turn_back(&self.sorry(error)),
        }
    }

    /// There is no way in: back to the form, with what was filled in.
    pub(crate) fn turn_back(self, why: &str) {
        connection::hang_up(self);
        let from = self.navigation.came_from.get_value();
        match from {
            // The choices may be fewer by now, so the reason stays to be read.
            Screen::Join(_) => self.join_form.refusal.set(Some(why.to_owned())),
            _ => self.tell(why),
        }
        self.go(from);
    }
}

/// Goes where the address leads to: when the page is opened or reloaded, and with Back and Forward.
pub(super) fn follow_address(app: App) {
    match Address::read(&browser::fragment()) {
        Address::Home if app.navigation.screen.get_untracked() != Screen::Home => app.go(Screen::Home),
        Address::Home | Address::Unknown => {}
        Address::Play if TICKETS.get(Home::Browser).is_some() => app.come_back(Home::Browser),
        Address::Play => app.play_here(presets::offline()),
        Address::Create => app.go(Screen::Create),
        Address::Invite(link) => app.open_invite(link),
        Address::Daily(difficulty) => app.play_daily(difficulty),
        Address::Seed(table) => app.play_here(*table),
        Address::Table(game) if is_kept_table(&game) => app.come_back(Home::Server),
        Address::Table(_) => app.tell(app.words().no_such_table),
        Address::BadInvite => app.tell(app.words().bad_link),
        Address::BadSeed => app.tell(app.words().bad_seed),
    }
}

fn is_kept_table(game: &str) -> bool {
    TICKETS.get(Home::Server).is_some_and(|ticket| ticket.game_id.as_str() == game)
}
