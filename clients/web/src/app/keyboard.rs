//! Keyboard shortcuts at the table.

use std::cell::RefCell;

use leptos::{ev, prelude::GetUntracked};
use texas42_protocol::ValidAction;
use texas42_vocab::{Action, Phase};

use crate::{
    app::{App, Dialog, Screen},
    browser,
    shortcut::{Typed, typed},
};

/// Maximum pause between two keys of a shortcut, in milliseconds.
const TYPING_PAUSE: u64 = 1_500;

thread_local! {
    /// The keys typed so far, and when the last was typed.
    static TYPED: RefCell<(String, u64)> = const { RefCell::new((String::new(), 0)) };
}

/// Handles a key, unless the focused element uses it.
pub(super) fn handle_key(app: App, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || browser::is_writing() {
        return;
    }
    if browser::is_dialog_open() {
        return;
    }
    match app.navigation.screen.get_untracked() {
        Screen::Table if app.hot_seat.is_covered_now() => {}
        Screen::Table => handle_table_key(app, event),
        Screen::Home | Screen::Create | Screen::Join(_) | Screen::Lobby(_) | Screen::Study(_) => {}
    }
}

fn handle_table_key(app: App, event: &ev::KeyboardEvent) {
    // A key that is held down presses only once: the next domino has the focus already.
    if event.repeat() && (event.key() == "Enter" || event.key().chars().count() == 1) {
        return event.prevent_default();
    }
    let focused = browser::focused();
    let is_on_button = focused.as_ref().is_some_and(|element| element.tag_name() == "BUTTON");
    // While a complete trick is shown, no domino can be played, so Enter continues even if a domino has the focus.
    let is_on_domino = focused.is_some_and(|element| element.has_attribute("data-domino"));
    let waits = app.table.now().is_some_and(|table| table.agree_offer().is_some());
    match event.key().as_str() {
        "?" => app.dialogs.open(Dialog::Rules),
        "Escape" => app.speech.close_tray(),
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
    let offer = app.table.now().and_then(|table| table.agree_offer().map(|offer| offer.action));
    if let Some(action) = offer {
        app.act(action);
    }
}

/// The table's shortcuts take precedence over the letters that open dialogs.
fn type_key(app: App, key: &str) {
    let offers = own_offers(app);
    let shortcuts: Vec<String> = offers.iter().map(|valid| valid.shortcut.to_string()).collect();
    let text = typed_text(key);
    let meant = match typed(&text, &shortcuts) {
        Typed::Nothing => typed(key, &shortcuts),
        meant => meant,
    };
    let rest = if meant == Typed::Begins { text } else { String::new() };
    TYPED.with(|typed| *typed.borrow_mut() = (rest, browser::now()));
    match meant {
        Typed::Is(at) if matches!(offers[at].action, Action::Claim { .. }) => app.dialogs.open(Dialog::Claim),
        // The two ends of a domino are not typed by accident.
        Typed::Is(at) if matches!(offers[at].action, Action::Play { .. }) => app.act(offers[at].action),
        Typed::Is(at) => app.choose(offers[at].action),
        Typed::Begins => {}
        Typed::Nothing => open_dialog(app, key),
    }
}

fn own_offers(app: App) -> Vec<ValidAction> {
    let Some(table) = app.table.now() else { return Vec::new() };
    table.view.valid_actions.iter().filter(|valid| table.is_own(valid.action)).cloned().collect()
}

/// The keys typed so far plus this one; after a pause only this one.
fn typed_text(key: &str) -> String {
    TYPED.with(|typed| {
        let (text, at) = &*typed.borrow();
        let goes_on = browser::now().saturating_sub(*at) < TYPING_PAUSE;
        if goes_on { format!("{text}{key}") } else { key.to_owned() }
    })
}

fn open_dialog(app: App, key: &str) {
    let is_playing = app.table.now().is_some_and(|table| table.phase() != Phase::Setup);
    match key {
        "l" if is_playing => app.dialogs.open(Dialog::LastTrick),
        "h" if is_playing => app.dialogs.open(Dialog::History),
        "s" => app.dialogs.open(Dialog::Settings),
        "t" if app.table.now().is_some_and(|table| table.may_talk()) => app.speech.toggle_tray(),
        _ => {}
    }
}
