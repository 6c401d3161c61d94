//! The page as a whole: what it knows, which screen it shows, what it says aloud, and the keys.

use std::{cell::RefCell, sync::Arc, time::Duration};

use leptos::{ev, prelude::*};
use texas42_client::Entrance;
use texas42_protocol::{ErrorCode, GameId, HandWitness, Name, Role, SecretKey, TableOptions, WireError};
use texas42_vocab::{Action, Config, Difficulty, Phase, Seat, Trump};

use crate::{
    announce, browser,
    connection::{self, ConnectionState},
    erased_view::{drawn, listed, live, part, when},
    invite_link::InviteLink,
    presets,
    screens::{Create, Dialogs, Invitation, Join, Plan, Start},
    settings::{Pace, Settings, Theme},
    shortcut::{Typed, typed},
    sound,
    table::Table,
    table_model::{Home, TableModel},
    turn_clock::TableClock,
    words::{Words, fill},
};

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

/// What is shown over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    Settings,
    Rules,
    History,
    LastTrick,
    Invite,
    Claim,
    Leave,
    Developer,
}

/// A trick on its way to the side that took it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaving {
    pub(crate) trick: texas42_protocol::TrickView,
    pub(crate) number: (u32, usize),
}

/// Everything that the page knows. A handle: it is copied freely.
#[derive(Clone, Copy)]
pub(crate) struct App {
    pub(crate) settings: RwSignal<Settings>,
    pub(crate) screen: RwSignal<Screen>,
    /// The screen from which the way to the table began.
    pub(crate) came_from: StoredValue<Screen>,
    /// The table that is being planned: it is still there when it could not be set.
    pub(crate) plan: Plan,
    /// The seat chosen in the join form.
    pub(crate) wish: RwSignal<Option<Seat>>,
    /// Why joining failed, shown in the join form.
    pub(crate) refusal: RwSignal<Option<String>>,
    pub(crate) seen: RwSignal<Option<Arc<TableModel>>>,
    /// The next game, which somebody else has begun while the story of the last one is still read.
    pub(crate) next_game: RwSignal<Option<Arc<TableModel>>>,
    /// Whether the person wants the next game as soon as it begins.
    goes_on: StoredValue<bool>,
    pub(crate) connection: RwSignal<ConnectionState>,
    pub(crate) notice: RwSignal<Option<String>>,
    pub(crate) said: RwSignal<Vec<(u32, String)>>,
    pub(crate) dialog: RwSignal<Option<Dialog>>,
    pub(crate) leaving: RwSignal<Option<Leaving>>,
    /// Whether the hands of the others still lie face down, although they may be seen.
    pub(crate) face_down: RwSignal<bool>,
    pub(crate) invitation: RwSignal<Option<Invitation>>,
    /// The table for which a link to play was asked for.
    pub(crate) asked_for_link: StoredValue<Option<GameId>>,
    /// What the invitation that was asked for is for.
    pub(crate) inviting: StoredValue<Role>,
    pub(crate) chosen: RwSignal<Option<texas42_vocab::Domino>>,
    pub(crate) perspective: RwSignal<Option<Seat>>,
    pub(crate) frames: RwSignal<Vec<String>>,
    pub(crate) update_ready: RwSignal<bool>,
    /// Whether there is room beside the table.
    pub(crate) has_room: RwSignal<bool>,
    /// How many events the game had before the own last move: where taking it back leads to.
    pub(crate) moved_at: RwSignal<Option<u16>>,
    pub(crate) table_clock: StoredValue<TableClock>,
    notice_number: StoredValue<u32>,
    /// Whether the person is on the way to a table from a screen that is gone.
    wants_focus: StoredValue<bool>,
}

/// How many sentences the list of what happened keeps.
const MOST_SAID: usize = 60;
/// How many messages the drawer behind the scenes keeps.
const MOST_FRAMES: usize = 60;
/// How long a notice stays, in milliseconds.
const NOTICE: u64 = 5_000;
/// How long it is waited for something else to take the focus, in milliseconds: longer than a table takes to answer here.
const KEEP_FOCUS: u64 = 250;
/// From this width on there is room beside the table: the style says the same.
const ROOM: f64 = 1180.0;
/// How long a trick takes to be carried away, in milliseconds.
const CARRY: u64 = 520;
/// How long the others take to turn their hands over, in milliseconds.
const TURN_OVER: u64 = 120;
/// How long a result stays at a table with others before this page goes on by itself, in milliseconds.
const RESULT_PAUSE: u32 = 20_000;

thread_local! {
    static TYPED: RefCell<(String, u64)> = const { RefCell::new((String::new(), 0)) };
}

impl App {
    fn new() -> Self {
        let settings = browser::kept("settings").map(|text| Settings::from_json(&text)).unwrap_or_default();
        Self {
            settings: RwSignal::new(settings),
            screen: RwSignal::new(Screen::Home),
            came_from: StoredValue::new(Screen::Home),
            plan: Plan::new(),
            wish: RwSignal::new(None),
            refusal: RwSignal::new(None),
            seen: RwSignal::new(None),
            next_game: RwSignal::new(None),
            goes_on: StoredValue::new(false),
            connection: RwSignal::new(ConnectionState::None),
            notice: RwSignal::new(None),
            said: RwSignal::new(Vec::new()),
            dialog: RwSignal::new(None),
            leaving: RwSignal::new(None),
            face_down: RwSignal::new(false),
            invitation: RwSignal::new(None),
            asked_for_link: StoredValue::new(None),
            inviting: StoredValue::new(Role::Player),
            chosen: RwSignal::new(None),
            perspective: RwSignal::new(None),
            frames: RwSignal::new(Vec::new()),
            update_ready: RwSignal::new(false),
            has_room: RwSignal::new(browser::width() >= ROOM),
            moved_at: RwSignal::new(None),
            table_clock: StoredValue::new(TableClock::default()),
            notice_number: StoredValue::new(0),
            wants_focus: StoredValue::new(false),
        }
    }

    /// The words of the chosen language. The whole page is drawn anew when that changes, so nothing else follows it.
    pub(crate) fn words(self) -> &'static Words {
        browser::with_language(|browser| self.settings.with_untracked(|settings| settings.language(browser))).words()
    }

    /// Something about the present table; nothing where there is none. The signal is read in one place for all, so that
    /// its code is there once.
    pub(crate) fn look<T>(self, ask: impl FnOnce(&TableModel) -> T) -> Option<T> {
        self.now().as_deref().map(ask)
    }

    fn now(self) -> Option<Arc<TableModel>> {
        self.seen.get()
    }

    /// Shows another screen.
    pub(crate) fn go(self, screen: Screen) {
        if screen != Screen::Table {
            connection::hang_up(self);
        }
        match &screen {
            Screen::Home => browser::set_fragment(""),
            Screen::Create => browser::set_fragment("new"),
            Screen::Join(link) => browser::set_fragment(&link.fragment()),
            // The table itself says where it is, once one has come in.
            Screen::Table => {}
        }
        self.dialog.set(None);
        self.screen.set(screen);
        browser::focus("main");
    }

    /// Says something in passing, to the eye and to the ear.
    pub(crate) fn tell(self, text: impl Into<String>) {
        let text = text.into();
        let number = self.notice_number.get_value() + 1;
        self.notice_number.set_value(number);
        self.notice.set(Some(text));
        let clear = move || {
            if self.notice_number.get_value() == number {
                self.notice.set(None);
            }
        };
        set_timeout(clear, Duration::from_millis(NOTICE));
    }

    /// Something was refused; nothing has happened.
    pub(crate) fn refused(self, error: &WireError) {
        self.tell(self.sorry(error));
    }

    /// Why something was refused, as a sentence.
    pub(crate) fn sorry(self, error: &WireError) -> String {
        let words = self.words();
        fill(words.refused, &[&words.of_the_table(&error.message)])
    }

    /// An invitation is there.
    pub(crate) fn invited(self, key: &SecretKey) {
        let game = self.look(|seen| seen.game.clone());
        let role = self.inviting.get_value();
        let link = |game| InviteLink { game, key: Some(key.clone()), role }.url(&browser::address());
        self.invitation.set(game.map(|game| (role, link(game))));
    }

    /// Keeps a message for the drawer behind the scenes.
    pub(crate) fn note_frame(self, direction: char, text: &str) {
        self.frames.update(|frames| {
            frames.push(format!("{direction} {text}"));
            let over = frames.len().saturating_sub(MOST_FRAMES);
            frames.drain(..over);
        });
    }

    /// Takes in a new view.
    pub(crate) fn show(self, seen: Arc<TableModel>) {
        let before = self.seen.get_untracked();
        let seen = match self.perspective.get_untracked().filter(|_| seen.seat.is_none()) {
            Some(bottom) => Arc::new(TableModel { bottom, ..(*seen).clone() }),
            None => seen,
        };
        if before.as_ref() == Some(&seen) {
            return;
        }
        // Nobody waits for guests in one's own browser: the programs sit down in a moment, and then there is something to see.
        let is_gathering = Seat::ALL.into_iter().any(|seat| seen.player_on(seat).is_none());
        if before.is_none() && seen.home == Home::Browser && is_gathering {
            return;
        }
        let words = self.words();
        let is_next = before.as_ref().is_some_and(|before| seen.is_next_game(before));
        if is_next && seen.home == Home::Server && !self.goes_on.get_value() {
            if self.next_game.with_untracked(Option::is_none) {
                self.say(vec![words.next_game.to_owned()]);
            }
            self.next_game.set(Some(seen));
            return;
        }
        self.goes_on.set_value(false);
        self.say(announce::news(before.as_deref(), &seen, words));
        if before.is_none() && seen.is_guest_of_a_brought_table() {
            self.tell(words.brought);
        }
        self.carry_trick(before.as_deref(), &seen);
        self.note_witness(before.as_deref(), &seen);
        connection::note_end(before.as_deref(), &seen);
        self.make_sounds(before.as_deref(), &seen);
        if self.chosen.get_untracked().is_some() {
            self.chosen.set(None);
        }
        self.turn_over_later(before.as_deref(), &seen);
        // Another hand, or a move that was taken back: there is no last move any more.
        if before.as_ref().is_none_or(|before| !before.is_same_hand(&seen))
            || self.moved_at.get_untracked().is_some_and(|at| seen.view.state.events < at)
        {
            self.moved_at.set(None);
        }
        // What was said about a decision is over with it, but not that somebody else decides.
        if before.as_ref().is_some_and(|before| before.phase() != seen.phase()) && !seen.is_replaced() {
            self.notice.set(None);
        }
        self.tell_time_out(before.as_deref(), &seen);
        if let Some(since) = seen.decision_since() {
            self.note_time(since);
        }
        let is_waiting_for_tap = seen.agree_offer().is_some();
        if seen.wants_advice() {
            connection::ask_expert(self, &seen);
        }
        self.seen.set(Some(seen));
        if self.wants_focus.get_value() {
            self.wants_focus.set_value(false);
            self.keep_focus();
        }
        if self.screen.get_untracked() != Screen::Table {
            self.screen.set(Screen::Table);
        }
        if is_waiting_for_tap {
            self.agree_later();
        }
    }

    /// An expert has thought about the view with this version.
    pub(crate) fn advised(self, version: u64, advice: &str) {
        let Some(seen) = self.seen.get_untracked().filter(|seen| seen.version == version) else { return };
        self.seen.set(Some(Arc::new(seen.advised(advice))));
    }

    /// The table's clock has come this far.
    pub(crate) fn note_time(self, table: u64) {
        self.table_clock.update_value(|clock| clock.note(table, browser::now()));
    }

    /// The whole seconds until a time of the table's clock.
    pub(crate) fn seconds_left(self, deadline: u64) -> Option<u64> {
        self.table_clock.get_value().seconds_left(deadline, browser::now())
    }

    /// A program on a seat whose time was over came because of that.
    fn tell_time_out(self, before: Option<&TableModel>, after: &TableModel) {
        let Some(before) = before else { return };
        let left = before.view.metadata.deadline.and_then(|deadline| self.seconds_left(deadline));
        let Some(seat) = after.taken_over(before).filter(|_| left.is_some_and(|left| left <= 1)) else { return };
        let words = self.words();
        self.tell(match after.seat == Some(seat) {
            true => words.time_out_yours.to_owned(),
            false => fill(words.time_out, &[&after.name(seat, words)]),
        });
    }

    /// Wants another game at this table.
    pub(crate) fn play_again(self) {
        self.goes_on.set_value(true);
        connection::with_client(self, |client, now| client.rematch(now, browser::entropy()));
    }

    /// Goes over to the game that somebody else has begun.
    pub(crate) fn join_next_game(self) {
        let next = self.next_game.get_untracked();
        self.next_game.set(None);
        if let Some(next) = next {
            self.goes_on.set_value(true);
            self.show(next);
        }
    }

    /// At the end of a hand the others turn over what they still hold, a moment after the result is there: not everything in
    /// one frame.
    fn turn_over_later(self, before: Option<&TableModel>, after: &TableModel) {
        let was_played = before.is_some_and(|before| before.phase() == Phase::Playing);
        if was_played && after.phase() != Phase::Playing {
            self.face_down.set(true);
            set_timeout(move || self.face_down.set(false), Duration::from_millis(TURN_OVER));
        }
    }

    /// Forgets the table that was shown.
    pub(crate) fn forget_table(self) {
        self.seen.set(None);
        self.next_game.set(None);
        self.goes_on.set_value(false);
        self.leaving.set(None);
        self.invitation.set(None);
        self.said.set(Vec::new());
        self.perspective.set(None);
    }

    /// Says something to the ear, and to those who read what happened.
    pub(crate) fn say(self, sentences: Vec<String>) {
        if sentences.is_empty() {
            return;
        }
        self.said.update(|said| {
            let mut number = said.last().map_or(0, |(number, _)| *number);
            for sentence in sentences {
                number += 1;
                said.push((number, sentence));
            }
            let over = said.len().saturating_sub(MOST_SAID);
            said.drain(..over);
        });
    }

    fn carry_trick(self, before: Option<&TableModel>, after: &TableModel) {
        let Some(before) = before else { return };
        let (old, new) = (&before.view.state, &after.view.state);
        let is_next = new.tricks.len() == old.tricks.len() + 1 && new.hand_number == old.hand_number;
        let Some(trick) = new.tricks.last().filter(|_| is_next).cloned() else { return };
        let leaving = Leaving { trick, number: (new.hand_number, new.tricks.len()) };
        self.leaving.set(Some(leaving.clone()));
        let clear = move || {
            if self.leaving.get_untracked().as_ref() == Some(&leaving) {
                self.leaving.set(None);
            }
        };
        set_timeout(clear, Duration::from_millis(CARRY));
    }

    /// What is remembered about the game that is shown belongs to another table from now on.
    pub(crate) fn move_memories(self, to: &GameId) {
        let Some(seen) = self.seen.get_untracked() else { return };
        let there = TableModel { game: to.clone(), ..(*seen).clone() };
        if let Some(text) = browser::kept(&seen.kept_name("witness")) {
            browser::keep(&there.kept_name("witness"), &text);
            browser::forget(&seen.kept_name("witness"));
        }
    }

    /// What the table promised before a hand, and what was dealt, so that it can be checked afterwards.
    fn note_witness(self, before: Option<&TableModel>, after: &TableModel) {
        let same_hand = before.filter(|before| before.is_same_hand(after));
        let witness = same_hand.and_then(|before| after.witness(before.promise()?, before));
        let Some(witness) = witness else { return };
        let name = after.kept_name("witness");
        let mut witnesses: Vec<HandWitness> =
            browser::kept(&name).and_then(|text| texas42_protocol::read(&text).ok()).unwrap_or_default();
        witnesses.retain(|other| other.hand_number != witness.hand_number);
        witnesses.push(witness);
        browser::keep(&name, &serde_json::to_string(&witnesses).unwrap_or_default());
    }

    fn make_sounds(self, before: Option<&TableModel>, after: &TableModel) {
        if !self.settings.with_untracked(|settings| settings.sounds) {
            return;
        }
        let played = |seen: &TableModel| seen.view.state.trick.as_ref().map_or(0, |trick| trick.plays.len());
        if before.is_some_and(|before| played(after) > played(before)) {
            sound::clack();
        } else if after.is_my_turn() && before.is_some_and(|before| !before.is_my_turn()) {
            sound::knock();
        }
    }

    /// A trick lies as long as the person wants; then this page agrees that it is taken in.
    fn agree_later(self) {
        let Some((action, version, is_trick, home)) = self.seen.with_untracked(|seen| {
            let seen = seen.as_ref()?;
            let action = seen.agree_offer()?.action;
            Some((action, seen.version, matches!(action, Action::AgreeCompleteTrick { .. }), seen.home))
        }) else {
            return;
        };
        let pace = self.settings.with_untracked(|settings| settings.pace);
        let wait = match (is_trick, home) {
            (true, _) => pace.trick_pause(),
            (false, Home::Server) if pace != Pace::Tap => Some(RESULT_PAUSE),
            (false, _) => None,
        };
        let Some(wait) = wait else { return };
        let agree = move || {
            let is_still = self.seen.with_untracked(|seen| {
                seen.as_ref().is_some_and(|seen| {
                    seen.version == version && seen.agree_offer().is_some_and(|offer| offer.action == action)
                })
            });
            if is_still {
                self.act(action);
            }
        };
        set_timeout(agree, Duration::from_millis(wait.into()));
    }

    /// Whoever uses keys or listens goes on at the table when what had the focus is gone: a button that was pressed, or the screen
    /// before.
    pub(crate) fn keep_focus(self) {
        let focus = || {
            if browser::has_lost_focus() && !browser::is_dialog_open() {
                browser::focus("#table");
            }
        };
        set_timeout(focus, Duration::from_millis(KEEP_FOCUS));
    }

    /// Sends an action that the table offers.
    pub(crate) fn act(self, action: Action) {
        let is_move = matches!(
            action,
            Action::Bid { .. } | Action::Pass { .. } | Action::SelectTrump { .. } | Action::Play { .. }
        );
        // The hand looks after its dominoes itself.
        if !matches!(action, Action::Play { .. }) {
            self.keep_focus();
        }
        if is_move {
            self.moved_at.set(self.seen.with_untracked(|seen| seen.as_ref().map(|seen| seen.view.state.events)));
        }
        connection::with_client(self, |client, now| client.execute(now, action));
    }

    /// What the person is called.
    pub(crate) fn name(self) -> Name {
        self.settings
            .with_untracked(Settings::called)
            .or_else(|| Name::try_from(self.words().guest).ok())
            .expect("the word for a guest is a name in every language")
    }

    /// A new table in this browser. It takes the place of the game that is there, so the person is asked where that is not over.
    pub(crate) fn play_here(self, (config, table): (Config, TableOptions)) {
        if connection::has_open_game() && !browser::asks(self.words().replace_ask) {
            if ["seed/", "daily/"].iter().any(|link| browser::fragment().starts_with(link)) {
                browser::drop_fragment();
            }
            return;
        }
        self.set_up(Home::Browser, config, table);
    }

    /// The hand of the day. While it is looked for, the way back leads to the first page.
    pub(crate) fn play_daily(self, difficulty: Difficulty) {
        browser::set_fragment(&format!("daily/{}", presets::name_of(difficulty)));
        self.play_here(presets::daily(browser::today(), difficulty));
    }

    /// A new table.
    pub(crate) fn set_up(self, home: Home, config: Config, table: TableOptions) {
        let (name, entropy) = (self.name(), browser::entropy());
        self.wait_for_table();
        connection::open(self, home, Entrance::Create { config, table, name, entropy });
    }

    /// Shows that the table is on its way.
    pub(crate) fn wait_for_table(self) {
        self.came_from.set_value(self.screen.get_untracked());
        self.wants_focus.set_value(true);
        self.screen.set(Screen::Table);
    }

    /// The table does not let the person in.
    pub(crate) fn turned_away(self, error: &WireError) {
        match error.code {
            ErrorCode::SeatTaken if self.wish.get_untracked().is_some() => self.turn_back(self.words().seat_gone),
            _ => self.turn_back(&self.sorry(error)),
        }
    }

    /// There is no way in: back to what was filled in.
    pub(crate) fn turn_back(self, why: &str) {
        connection::hang_up(self);
        let from = self.came_from.get_value();
        match from {
            // What can be chosen may be less by now, so it stays to be read.
            Screen::Join(_) => self.refusal.set(Some(why.to_owned())),
            _ => self.tell(why),
        }
        self.go(from);
    }

    /// A link to a table was opened.
    /// Whoever plays there already comes back, and takes no second seat.
    pub(crate) fn open_invite(self, link: InviteLink) {
        let is_there = connection::ticket(Home::Server).is_some_and(|ticket| ticket.game_id == link.game);
        let only_watches = browser::kept("watching").as_deref() == Some(link.game.as_str());
        if is_there && !only_watches && link.role == Role::Player {
            return self.come_back(Home::Server);
        }
        self.notice.set(None);
        self.refusal.set(None);
        self.wish.set(None);
        self.go(Screen::Join(link));
    }

    /// Back to a table that was left.
    pub(crate) fn come_back(self, home: Home) {
        match connection::ticket(home) {
            Some(ticket) => {
                self.screen.set(Screen::Table);
                connection::resume(self, home, ticket);
            }
            // Another tab may have gone elsewhere with it.
            None => self.go(Screen::Home),
        }
    }

    /// What was named, for the order of hands.
    pub(crate) fn trump(self) -> Option<Trump> {
        self.look(TableModel::trump).flatten()
    }
}

/// The handle, from anywhere in the page.
pub(crate) fn app() -> App {
    expect_context::<App>()
}

/// The page.
#[component]
pub(crate) fn Page() -> impl IntoView {
    let app = App::new();
    provide_context(app);
    Effect::new(move || keep_settings(app));
    window_event_listener(ev::keydown, move |event| handle_key(app, &event));
    window_event_listener(ev::resize, move |_| {
        let has_room = browser::width() >= ROOM;
        if app.has_room.get_untracked() != has_room {
            app.has_room.set(has_room);
        }
    });
    window_event_listener(ev::hashchange, move |_| follow_address(app));
    window_event_listener(leptos::ev::Custom::<ev::Event>::new("texas42-update"), move |_| app.update_ready.set(true));
    window_event_listener(leptos::ev::Custom::<ev::Event>::new("texas42-elsewhere"), move |_| {
        connection::yield_game(app)
    });
    follow_address(app);
    if let Some(hello) = document().query_selector("#hello").ok().flatten() {
        hello.remove();
    }
    let language = Memo::new(move |_| app.settings.with(|settings| settings.language.clone()));
    view! {
        {drawn(move || match (language.get(), app.screen.get()).1 {
            Screen::Home => Start().into_any(),
            Screen::Create => Create().into_any(),
            Screen::Join(link) => view! { <Join link/> }.into_any(),
            Screen::Table => Table().into_any(),
        })}
        <Dialogs/>
        <Voice/>
        <Update/>
    }
}

/// A link that was opened leads to a table; a reload leads back to it, and so does a step back or forward in the browser.
fn follow_address(app: App) {
    let fragment = browser::fragment();
    if let Some(link) = InviteLink::read(&fragment) {
        app.open_invite(link);
        return;
    }
    match fragment.as_str() {
        "play" if connection::ticket(Home::Browser).is_some() => app.come_back(Home::Browser),
        "play" => app.play_here(presets::offline()),
        "" if app.screen.get_untracked() != Screen::Home => app.go(Screen::Home),
        "new" => app.go(Screen::Create),
        text if text.starts_with("daily/") => match presets::difficulty(&text["daily/".len()..]) {
            Some(difficulty) => app.play_daily(difficulty),
            None => app.tell(app.words().bad_seed),
        },
        text if text.starts_with("seed/") => play_seed(app, &text["seed/".len()..]),
        text if text.strip_prefix("table/").is_some_and(is_kept_table) => app.come_back(Home::Server),
        text if text.starts_with("table/") => app.tell(app.words().no_such_table),
        text if InviteLink::is_meant(text) => app.tell(app.words().bad_link),
        _ => {}
    }
}

/// The same hands for everybody who opens the same link.
fn play_seed(app: App, link: &str) {
    match presets::of_link(link) {
        Some(table) => app.play_here(table),
        None => app.tell(app.words().bad_seed),
    }
}

fn is_kept_table(game: &str) -> bool {
    connection::ticket(Home::Server).is_some_and(|ticket| ticket.game_id.as_str() == game)
}

fn keep_settings(app: App) {
    let settings = app.settings.get();
    browser::keep("settings", &settings.to_json());
    let theme = match settings.theme {
        Theme::Auto => "auto",
        Theme::Light => "light",
        Theme::Dark => "dark",
        Theme::Contrast => "contrast",
    };
    browser::set_root("data-theme", theme);
    browser::set_root("data-pips", if settings.coloured_pips { "coloured" } else { "classic" });
    browser::set_root("data-motion", if settings.still { "still" } else { "auto" });
    browser::set_root("lang", app.words().language.code());
}

/// What happened, for screen readers: a list to which sentences are added; and notices, which interrupt.
#[component]
fn Voice() -> impl IntoView {
    let app = app();
    view! {
        <div class="unseen" role="log" aria-live="polite" aria-relevant="additions" data-said="">
            {listed(move || app.said.get().into_iter().map(|(number, text)| part(number.into(), move || view! { <p>{text}</p> })).collect())}
        </div>
        <div class="notice" role="alert" class:on=live(move || app.notice.with(Option::is_some))>
            {drawn(move || app.notice.get())}
        </div>
    }
}

/// A new version waits until the person wants it: nothing changes under a running game.
#[component]
fn Update() -> impl IntoView {
    let app = app();
    let accept = move |_| browser::dispatch("texas42-accept-update");
    view! {
        {when(move || app.update_ready.get(), move || view! {
            <aside class="update" role="status">
                {app.words().new_version} <button class="small" on:click=accept>{app.words().use_new_version}</button>
            </aside>
        })}
    }
}

/// Keys that work anywhere on the table. What has the focus goes first.
fn handle_key(app: App, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || browser::is_writing() {
        return;
    }
    if browser::is_dialog_open() || app.screen.get_untracked() != Screen::Table {
        return;
    }
    let key = event.key();
    let focused = browser::focused();
    let is_on_button = focused.as_ref().is_some_and(|element| element.tag_name() == "BUTTON");
    // No domino can be played while a trick lies there, so that Enter goes on also from the hand.
    let is_on_domino = focused.is_some_and(|element| element.has_attribute("data-domino"));
    let waits = app.look(|seen| seen.agree_offer().is_some()) == Some(true);
    match key.as_str() {
        "?" => app.dialog.set(Some(Dialog::Rules)),
        "Enter" if is_on_domino && waits => {
            event.prevent_default();
            go_on(app);
        }
        "Enter" | " " if is_on_button => {}
        "Enter" => go_on(app),
        key if key.chars().count() == 1 => type_key(app, &key.to_ascii_lowercase()),
        _ => {}
    }
}

fn go_on(app: App) {
    let offer = app.seen.with_untracked(|seen| seen.as_ref()?.agree_offer().map(|offer| offer.action));
    if let Some(action) = offer {
        app.act(action);
    }
}

/// Letters for dialogs come after the shortcuts of the table, which always win.
fn type_key(app: App, key: &str) {
    let offers = app.seen.with_untracked(|seen| {
        let seen = seen.as_ref()?;
        Some(seen.view.valid_actions.iter().filter(|valid| seen.is_own(valid.action)).cloned().collect::<Vec<_>>())
    });
    let offers = offers.unwrap_or_default();
    let shortcuts: Vec<String> = offers.iter().map(|valid| valid.shortcut.clone()).collect();
    let text = TYPED.with(|typed| {
        let (text, at) = &*typed.borrow();
        if browser::now().saturating_sub(*at) < 1_500 { format!("{text}{key}") } else { key.to_owned() }
    });
    let meant = match typed(&text, &shortcuts) {
        Typed::Nothing => typed(key, &shortcuts),
        meant => meant,
    };
    let rest = match meant {
        Typed::Begins => text,
        _ => String::new(),
    };
    TYPED.with(|typed| *typed.borrow_mut() = (rest, browser::now()));
    match meant {
        Typed::Is(at) if matches!(offers[at].action, Action::Claim { .. }) => app.dialog.set(Some(Dialog::Claim)),
        Typed::Is(at) => app.act(offers[at].action),
        Typed::Begins => {}
        Typed::Nothing => open_dialog(app, key),
    }
}

fn open_dialog(app: App, key: &str) {
    let is_playing = app.look(|seen| seen.phase() != Phase::Setup).unwrap_or(false);
    match key {
        "l" if is_playing => app.dialog.set(Some(Dialog::LastTrick)),
        "h" if is_playing => app.dialog.set(Some(Dialog::History)),
        "s" => app.dialog.set(Some(Dialog::Settings)),
        _ => {}
    }
}
