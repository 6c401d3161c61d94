//! The current screen, and navigation between screens: to a table, back from it, and by URL fragment.

use std::time::Duration;

use leptos::prelude::*;
use texas42_client::{Credentials, Ticket};
use texas42_protocol::{ErrorCode, GameId, Role, TableOptions, WireError};
use texas42_vocab::{Config, Date, Difficulty, Seat};

use crate::{
    address::{self, Address},
    app::{App, FoundTable},
    browser::{self, HOT_SEAT_PLAYERS, TICKETS},
    connection,
    hot_seat_players::HotSeatPlayer,
    invite_link::InviteLink,
    presets,
    table_model::HostKind,
    tickets::{DroppedGame, MAX_SAVED_GAMES},
    words::fill,
};

/// How long the page waits for another element to take the focus, in milliseconds: longer than a local table takes to
/// answer.
const KEEP_FOCUS: u64 = 250;

/// Where the browser stores the table of "Play now".
pub(crate) const USUAL: &str = "solo";

/// The screens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Screen {
    /// The start page.
    Home,
    /// The form for a new table.
    Create,
    /// The form for joining a table by an invite link.
    Join(InviteLink),
    /// The lobby of a table, to which a code has led.
    Lobby(Box<FoundTable>),
    /// A screen that studies a game, by its fragment. The study module draws it.
    Study(String),
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

    /// Stays on the current screen until the table arrives.
    pub(super) fn wait_here(self) {
        self.came_from.set_value(self.screen.get_untracked());
        self.wants_focus.set_value(true);
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
            Screen::Lobby(found) => browser::set_fragment(&address::code_fragment(found.code)),
            Screen::Study(fragment) => browser::set_fragment(fragment),
            // The fragment of a table is set after joining.
            Screen::Table => {}
        }
        self.dialogs.close();
        self.navigation.screen.set(screen);
        browser::focus("main");
    }

    /// Creates a table in this browser. An unfinished game stays saved.
    pub(crate) fn play_here(self, table: (Config, TableOptions)) {
        self.play_here_with(table, &[]);
    }

    /// Plays with the rules that the person has last chosen for this device.
    pub(crate) fn play_now(self) {
        self.play_here(presets::usual(browser::load(USUAL).as_deref()));
    }

    /// Creates a table in this browser, with other people at this device.
    pub(crate) fn play_here_with(self, (config, table): (Config, TableOptions), hot_seat_players: &[HotSeatPlayer]) {
        HOT_SEAT_PLAYERS.keep(hot_seat_players);
        self.set_up(HostKind::Browser, (config, table), (None, None));
    }

    /// Plays the daily challenge of a day, but not of a day to come. During the deal search, Back leads to the start
    /// page.
    pub(crate) fn play_daily(self, difficulty: Difficulty, day: Date) {
        let today = browser::today();
        if day > today {
            return self.show_notice(self.words().day_to_come);
        }
        browser::set_fragment(&address::daily_fragment(difficulty, day, today));
        self.play_here(presets::daily(day, difficulty));
    }

    /// Creates a table. Without a role, the person plays there.
    pub(crate) fn set_up(
        self,
        home: HostKind,
        (config, table): (Config, TableOptions),
        (role, seat): (Option<Role>, Option<Seat>),
    ) {
        let (name, entropy) = (self.name(), browser::entropy());
        self.navigation.wait_for_table();
        connection::open(self, home, Credentials::Create { config, table, name, role, seat, entropy });
    }

    /// Rejoins the table of the stored ticket.
    pub(crate) fn rejoin(self, home: HostKind) {
        match TICKETS.get(home) {
            Some(ticket) => {
                self.navigation.screen.set(Screen::Table);
                connection::resume(self, home, ticket);
            }
            // Another tab may have removed the ticket.
            None => self.go(Screen::Home),
        }
    }

    /// Continues a saved game of this browser.
    pub(crate) fn continue_game(self, game: &GameId) {
        self.drop_games(&TICKETS.choose(game));
        self.rejoin(HostKind::Browser);
    }

    /// Stores the ticket of the current game in this browser.
    pub(crate) fn keep_game(self, ticket: &Ticket) {
        self.drop_games(&TICKETS.keep_game(ticket));
    }

    /// Deletes games beyond the limit, and shows a notice if one of them could have been continued.
    fn drop_games(self, dropped: &[DroppedGame]) {
        if dropped.iter().any(|dropped| dropped.was_open) {
            self.show_notice(fill(self.words().game_dropped, &[&MAX_SAVED_GAMES.to_string()]));
        }
        dropped.iter().for_each(|dropped| self.delete_game(&dropped.game));
    }

    /// Deletes a game of this browser.
    pub(crate) fn delete_game(self, game: &GameId) {
        TICKETS.remove(game);
        HOT_SEAT_PLAYERS.forget(game);
        browser::forget_log(game);
    }

    /// Opens an invite link. A person who already plays at that table rejoins instead of taking a second seat.
    pub(crate) fn open_invite(self, link: InviteLink) {
        let is_there = TICKETS.get(HostKind::Server).is_some_and(|ticket| ticket.game_id == link.game);
        let only_watches = browser::load("watching").as_deref() == Some(link.game.as_str());
        if is_there && !only_watches && link.role == Role::Player {
            return self.rejoin(HostKind::Server);
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
            Screen::Join(_) | Screen::Lobby(_) => self.join_form.refusal.set(Some(why.to_owned())),
            _ => self.show_notice(why),
        }
        self.go(from);
    }
}

/// Navigates to the URL fragment: on load and reload, and on Back and Forward.
pub(super) fn follow_address(app: App) {
    match Address::read(&browser::fragment()) {
        Address::Home if app.navigation.screen.get_untracked() != Screen::Home => app.go(Screen::Home),
        Address::Home | Address::Unknown => {}
        Address::Play if TICKETS.get(HostKind::Browser).is_some() => app.rejoin(HostKind::Browser),
        Address::Play => app.play_now(),
        Address::Create => app.go(Screen::Create),
        Address::Invite(link) => app.open_invite(link),
        Address::Code(code) => app.look_up(code),
        Address::Daily(difficulty, day) => app.play_daily(difficulty, day.unwrap_or_else(browser::today)),
        Address::Study(fragment) => app.go(Screen::Study(fragment)),
        Address::Seed(table) => app.play_here(*table),
        Address::Table(game) if is_kept_table(&game) => app.rejoin(HostKind::Server),
        Address::Table(_) => app.show_notice(app.words().no_such_table),
        Address::BadInvite => app.show_notice(app.words().bad_link),
        Address::BadSeed => app.show_notice(app.words().bad_seed),
    }
}

fn is_kept_table(game: &str) -> bool {
    TICKETS.get(HostKind::Server).is_some_and(|ticket| ticket.game_id.as_str() == game)
}
