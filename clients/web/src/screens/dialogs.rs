//! The dialogs: settings, rules and keys, history, invites, questions, and developer tools.

use leptos::{html, prelude::*};
use texas42_house_rules::TableSettings;
use texas42_protocol::GameView;
use texas42_vocab::{Action, Control, Seat};

use crate::{
    announce,
    app::{App, Catalogue, Dialog, LiveRegions, Place, Screen, app},
    browser, connection,
    erased_view::{AllDrawn, ErasedView, drawn, live, when},
    going_online, record,
    screens::{InviteBox, MadeLinks, people::People, table_rules::TableRules},
    settings::{PaceSetting, Settings, Theme},
    table::{HandHistory, Icon, LastTrick},
    table_model::{HostKind, TableModel},
    words::{Language, Words, fill},
};

/// One native dialog element for all dialogs: the browser traps the focus, and Escape closes it.
#[component]
pub(crate) fn Dialogs() -> impl IntoView {
    let app = app();
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        let Some(dialog) = element.get() else { return };
        match app.dialogs.get() {
            Some(_) if !dialog.open() => {
                dialog.show_modal().ok();
            }
            None => {
                app.announcements.forget_dialog();
                dialog.close();
            }
            Some(_) => {}
        }
    });
    // The close event comes late; by then the next dialog may be open.
    let closed = move |_| {
        if element.get_untracked().is_none_or(|dialog| !dialog.open()) {
            app.dialogs.close();
        }
    };
    let title = move || {
        let words = app.catalogue.get().words;
        app.dialogs.get().map(|dialog| match dialog {
            Dialog::Settings => words.settings,
            Dialog::Rules => words.rules,
            Dialog::History => words.history,
            Dialog::LastTrick => words.last_trick,
            Dialog::Invite => words.invite,
            Dialog::TableRules => words.change_rules,
            Dialog::Claim => words.claim,
            Dialog::Leave => words.menu,
            Dialog::Developer => words.developer,
        })
    };
    view! {
        <dialog node_ref=element aria-labelledby="dialog-title" on:close=closed>
            <header class="row between">
                <h2 id="dialog-title">{drawn(title)}</h2>
                <button class="icon" aria-label=live(move || app.catalogue.get().words.close) on:click=move |_| app.dialogs.close()>
                    <Icon path="M6 6l12 12M18 6L6 18"/>
                </button>
            </header>
            <div class="dialog-body">
                {drawn(move || (app.catalogue.get(), app.dialogs.get()).1.map(|dialog| match dialog {
                    Dialog::Settings => view! { <SettingsForm/> }.into_any(),
                    Dialog::Rules => view! { <Rules/> }.into_any(),
                    Dialog::History => view! { <HandHistory is_beside=false/> }.into_any(),
                    Dialog::LastTrick => view! { <LastTrick/> }.into_any(),
                    Dialog::Invite => view! { <InviteBox/><MadeLinks/> }.into_any(),
                    Dialog::TableRules => view! { <TableRules/> }.into_any(),
                    Dialog::Claim => view! { <ClaimQuestion/> }.into_any(),
                    Dialog::Leave => view! { <Menu/> }.into_any(),
                    Dialog::Developer => view! { <Developer/> }.into_any(),
                }))}
            </div>
            <LiveRegions place=Place::Dialog/>
        </dialog>
    }
}

#[component]
fn ClaimQuestion() -> impl IntoView {
    let app = app();
    let claim = move |_| {
        app.dialogs.close();
        if let Some(player) = app.with_table(|table| table.seat).flatten() {
            app.act(Action::Claim { player });
        }
    };
    view! {
        <p>{app.words().claim_ask}</p>
        <div class="row">
            <button class="primary" on:click=claim>{app.words().claim_yes}</button>
            <button class="quiet" on:click=move |_| app.dialogs.close()>{app.words().cancel}</button>
        </div>
    }
}

/// Start page, a bot for the person's seat, leaving, and giving up the seat for good.
#[component]
fn Menu() -> impl IntoView {
    let app = app();
    let is_online = app.with_table(|table| table.home == HostKind::Server).unwrap_or(false);
    let may_go_online = app
        .with_table(|table| table.home == HostKind::Browser && !table.phase().is_over() && table.is_open_to_others())
        .unwrap_or(false)
        // A table on the server gives each person a device.
        && !app.hot_seat.is_shared();
    let can_save = app.with_table(record::can_be_saved).unwrap_or(false);
    let may_change_rules = app.with_table(TableModel::may_change_rules).unwrap_or(false);
    let may_be_replaced = app.with_table(TableModel::may_be_replaced).unwrap_or(false);
    let hand_over_to_bot = move |_| {
        app.dialogs.close();
        if let Some(seat) = app.with_table(|table| table.seat).flatten() {
            connection::with_client(app, |client, now| client.set_control(now, seat, Control::Ai));
        }
    };
    let replaceable = app.with_table(|table| {
        let name = |seat: Seat| (seat, fill(app.words().let_bot_play_for, &[&table.name(seat, app.words())]));
        table.replaceable().into_iter().map(name).collect::<Vec<_>>()
    });
    let replaced = replaceable.unwrap_or_default().into_iter().map(|(seat, text)| {
        let replace = move |_| {
            app.dialogs.close();
            connection::with_client(app, |client, now| client.set_control(now, seat, Control::Ai));
        };
        view! { <button data-do="replace" on:click=replace>{text}</button> }
    });
    let has_seat = app.with_table(|table| table.seat.is_some()).unwrap_or(false);
    // Without a seat, or after the game, nobody waits for the person.
    let leaves_others = is_online && has_seat && app.with_table(|table| !table.phase().is_over()).unwrap_or(false);
    let may_talk = app.with_table(TableModel::may_talk).unwrap_or(false);
    let talk = move |_| {
        app.dialogs.close();
        app.speech.toggle_tray();
    };
    let visitors = app.with_table(|table| announce::visitors(table, app.words())).unwrap_or_default();
    let leave = move || {
        connection::with_client(app, |client, now| {
            client.leave(now);
            client.end();
        });
        if !has_seat {
            crate::browser::forget("online");
        }
        app.go(Screen::Home);
    };
    let give_up = move || {
        connection::with_client(app, |client, now| {
            client.give_up_seat(now);
            client.end();
        });
        crate::browser::forget("online");
        app.go(Screen::Home);
    };
    view! {
        <div class="stack">
            {visitors.into_iter().map(|visitor| view! { <p class="visitor">{visitor}</p> }).all_drawn()}
            <People/>
            {confirmed_button(ConfirmedButton { class: "primary", ..ConfirmedButton::of("home", app.words().home, leaves_others.then_some(app.words().home_ask)) }, move || app.go(Screen::Home))}
            {(!is_online).then(|| view! {
                <button on:click=move |_| {
                    app.dialogs.close();
                    app.play_now();
                }>{app.words().new_game}</button>
            }).erased()}
            {may_go_online.then(|| view! {
                <button data-do="go-online" on:click=move |_| going_online::begin(app)>{app.words().go_online}</button>
            }).erased()}
            {can_save.then(|| view! { <SaveRecord class=""/> }).erased()}
            {may_change_rules.then(|| view! { <ChangeRules class=""/> }).erased()}
            {may_be_replaced.then(|| view! { <button data-do="hand-over" on:click=hand_over_to_bot>{app.words().let_bot_play}</button> }).erased()}
            {replaced.all_drawn()}
            {may_talk.then(|| view! { <button on:click=talk>{app.words().say}</button> }).erased()}
            <div class="row more">
                <button on:click=move |_| app.dialogs.open(Dialog::Rules)>{app.words().rules}</button>
                <button on:click=move |_| app.dialogs.open(Dialog::Settings)>{app.words().settings}</button>
            </div>
            {is_online.then(|| confirmed_button(ConfirmedButton::of("leave", app.words().leave, has_seat.then_some(app.words().leave_ask)), leave)).erased()}
            {(is_online && has_seat).then(|| confirmed_button(ConfirmedButton::of("give-up", app.words().give_up_seat, Some(app.words().give_up_ask)), give_up)).erased()}
        </div>
    }
}

/// The start page, which takes the focus when a question on it has been answered.
pub(super) const START: &str = "main.start";

/// A button that asks before it acts.
#[derive(Clone)]
pub(super) struct ConfirmedButton {
    /// Its name for scripts.
    pub(super) name: &'static str,
    /// Its CSS class.
    pub(super) class: &'static str,
    /// What is on it.
    pub(super) text: &'static str,
    /// What it does.
    pub(super) label: String,
    /// The question; without one it acts at once.
    pub(super) question: Option<&'static str>,
}

impl ConfirmedButton {
    fn of(name: &'static str, text: &'static str, question: Option<&'static str>) -> Self {
        Self { name, class: "quiet", text, label: text.to_owned(), question }
    }
}

/// A button that asks before it does something that cannot be undone with one click.
pub(super) fn confirmed_button(button: ConfirmedButton, does: impl Fn() + Copy + Send + Sync + 'static) -> AnyView {
    let app = app();
    let ConfirmedButton { name, class, text, label, question } = button;
    let confirm_label = label.clone();
    let is_asked = RwSignal::new(false);
    let press = move |_| {
        if question.is_none() {
            return does();
        }
        is_asked.set(true);
        browser::focus_later(".question .primary");
    };
    let cancel = move |_| {
        is_asked.set(false);
        app.dialogs.close();
        browser::focus_later(START);
    };
    view! {
        {when(move || !is_asked.get(), move || view! {
            <button class=class data-do=name aria-label=label.clone() on:click=press>{text}</button>
        })}
        <div class="says" role="alert">{when(move || is_asked.get(), move || view! {
            <div class="question">
                <p>{question}</p>
                <div class="row">
                    <button data-do=format!("{name}-yes") on:click=move |_| does()>{confirm_label.clone()}</button>
                    <button class="primary" on:click=cancel>{app.words().cancel}</button>
                </div>
            </div>
        })}</div>
    }
    .into_any()
}

/// Opens the form that changes the rules of the table.
#[component]
pub(crate) fn ChangeRules(class: &'static str) -> impl IntoView {
    let app = app();
    let open = move |_| app.dialogs.open(Dialog::TableRules);
    view! { <button class=class data-do="change-rules" on:click=open>{app.words().change_rules}</button> }
}

/// Downloads the record of the game.
#[component]
pub(crate) fn SaveRecord(class: &'static str) -> impl IntoView {
    let app = app();
    let save = move |_| {
        app.dialogs.close();
        record::ask(app);
    };
    view! { <button class=class data-do="save-record" on:click=save>{app.words().save_record}</button> }
}

/// What is played at a table.
pub(super) fn rules_of(view: &GameView, words: &Words) -> AnyView {
    let sentences = TableSettings::sentences(view, words).into_iter();
    view! { <ul class="rules-here">{sentences.map(|sentence| view! { <li>{sentence}</li> }).all_drawn()}</ul> }
        .into_any()
}

fn rules_here(view: &GameView, words: &'static Words) -> AnyView {
    view! {
        <h3>{words.rules_here}</h3>
        <p class="sub">{TableSettings::summary(view, words)}</p>
        {rules_of(view, words)}
        <h3>{words.rules}</h3>
    }
    .into_any()
}

#[component]
fn Rules() -> impl IntoView {
    let app = app();
    let words = app.words();
    let rules =
        [words.rules_1, words.rules_2, words.rules_3, words.rules_4, words.rules_5, words.rules_6, words.rules_7];
    let keys = [
        (words.key_play, words.keys_domino),
        (words.key_bid, words.keys_bid),
        (words.key_trumps, words.keys_trumps),
        (words.key_hand, words.keys_arrows),
        (words.key_go_on, words.go_on),
        (words.key_other, words.keys_other),
    ];
    view! {
        {app.with_table(|table| rules_here(&table.view, words))}
        <ol class="rules">{rules.into_iter().map(|rule| view! { <li>{rule}</li> }).all_drawn()}</ol>
        <h3>{words.keys}</h3>
        <dl class="keys">{keys.into_iter().map(|(what, how)| view! { <div><dt>{what}</dt><dd>{how}</dd></div> }).all_drawn()}</dl>
    }
}

#[component]
fn SettingsForm() -> impl IntoView {
    let app = app();
    let Catalogue { language, words } = app.catalogue.get_untracked();
    view! {
        <div class="stack">
            <Choice title=words.language_heading name="language" choices=Language::offered().map(|other| (other.name(), other == language)).collect()
                set=move |at| app.settings.update(|settings| settings.language = Language::offered().nth(at).unwrap_or_default().code().to_owned())/>
            <Choice title=words.theme name="theme" choices=themes(app)
                set=move |at| app.settings.update(|settings| settings.theme = THEMES[at])/>
            <Choice title=words.pace name="pace" choices=paces(app)
                set=move |at| app.settings.update(|settings| settings.pace = PACES[at])/>
            <Choice title=words.opponents name="level" choices=levels(app)
                set=move |at| app.settings.update(|settings| settings.level = LEVELS[at].to_owned())/>
            <Switch title=words.pips_colored get=|settings| settings.colored_pips set=|settings, on| settings.colored_pips = on/>
            <Switch title=words.motion_off get=|settings| settings.still set=|settings, on| settings.still = on/>
            <Switch title=words.sounds get=|settings| settings.sounds set=|settings, on| settings.sounds = on/>
            <Switch title=words.show_phrases get=|settings| settings.phrases set=|settings, on| settings.phrases = on/>
            <Switch title=words.hear_coach get=|settings| settings.coach set=|settings, on| settings.coach = on/>
            <Switch title=words.alerts get=|settings| settings.alerts set=|settings, on| settings.alerts = on/>
            <Switch title=words.tracker get=|settings| settings.still_out.unwrap_or_else(|| crate::app::app().window.has_room()) set=|settings, on| settings.still_out = Some(on)/>
            <Switch title=words.confirm_bids get=|settings| settings.confirm_bids set=|settings, on| settings.confirm_bids = on/>
            <Switch title=words.confirm get=|settings| settings.confirm set=|settings, on| settings.confirm = on/>
        </div>
    }
}

const THEMES: [Theme; 4] = [Theme::Auto, Theme::Light, Theme::Dark, Theme::Contrast];
const PACES: [PaceSetting; 4] = [PaceSetting::Slow, PaceSetting::Normal, PaceSetting::Fast, PaceSetting::Tap];
const LEVELS: [&str; 3] = ["beginner", "intermediate", "expert"];

fn themes(app: App) -> Vec<(&'static str, bool)> {
    let words = app.words();
    let now = app.settings.with_untracked(|settings| settings.theme);
    let names = [words.theme_auto, words.theme_light, words.theme_dark, words.theme_contrast];
    names.into_iter().zip(THEMES).map(|(name, theme)| (name, theme == now)).collect()
}

fn paces(app: App) -> Vec<(&'static str, bool)> {
    let words = app.words();
    let now = app.settings.with_untracked(|settings| settings.pace);
    let names = [words.pace_slow, words.pace_normal, words.pace_fast, words.pace_tap];
    names.into_iter().zip(PACES).map(|(name, pace)| (name, pace == now)).collect()
}

fn levels(app: App) -> Vec<(&'static str, bool)> {
    let words = app.words();
    let now = app.settings.with_untracked(|settings| settings.level.clone());
    let names = [words.level_beginner, words.level_intermediate, words.level_expert];
    names.into_iter().zip(LEVELS).map(|(name, level)| (name, level == now)).collect()
}

/// A choice between several options.
#[component]
fn Choice(
    title: &'static str,
    name: &'static str,
    choices: Vec<(&'static str, bool)>,
    set: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <fieldset class="segments">
            <legend>{title}</legend>
            {choices.into_iter().enumerate().map(|(at, (text, is_on))| view! {
                <label><input type="radio" name=name prop:checked=is_on on:change=move |_| set(at)/><span>{text}</span></label>
            }).all_drawn()}
        </fieldset>
    }
}

/// A switch.
#[component]
fn Switch(title: &'static str, get: fn(&Settings) -> bool, set: fn(&mut Settings, bool)) -> impl IntoView {
    let app = app();
    view! {
        <label class="switch">
            <input type="checkbox" prop:checked=move || app.settings.with(get)
                on:change=move |event| app.settings.update(|settings| set(settings, event_target_checked(&event)))/>
            <span>{title}</span>
        </label>
    }
}

/// The layers of the table in order: what each is, its parameters, and what it decides.
fn composition(app: App) -> AnyView {
    let (layers, told) = app
        .with_table(|table| (table.view.state.layers.clone(), table.view.derived.composition.clone()))
        .unwrap_or_default();
    let Some(told) = told else { return ().into_any() };
    let lines = |layer: &str| {
        let rulings = told
            .rulings
            .iter()
            .filter(|told| told.decided_by == layer)
            .map(|told| [&*told.rule, &told.case, &told.answer]);
        let effects =
            told.effects.iter().filter(|told| told.layer == layer).map(|told| [&*told.decision, "", &told.effect]);
        rulings.chain(effects).map(decision).all_drawn()
    };
    let shown = |name: &String| {
        let layer = layers.iter().find(|layer| layer.name() == name);
        let text =
            layer.map_or((name == "base").then_some(app.words().layer_base), |layer| app.words().layer_text(layer));
        // A layer without parameters serializes to its name only.
        let parameters = layer.map(texas42_protocol::to_json).filter(|text| text.contains(','));
        view! { <li><b>{name.clone()}</b>" "{text}<code>{parameters}</code><ul>{lines(name)}</ul></li> }
    };
    told.layers.iter().map(shown).all_drawn()
}

/// A rule in a case, and its answer.
fn decision([rule, case, answer]: [&str; 3]) -> AnyView {
    let rule = if case.is_empty() { rule.to_owned() } else { format!("{rule}, {case}") };
    // Internal answers have no text.
    let answer = if answer.is_empty() { "…" } else { answer }.to_owned();
    view! { <li>{rule}": "<b>{answer}</b></li> }.erased()
}

/// The view and the messages, for sessions that may see everything.
#[component]
fn Developer() -> impl IntoView {
    let app = app();
    // The log of the hand; only sessions that may see everything get it.
    let log = move || {
        app.with_table(|table| table.view.state.log.iter().map(ToString::to_string).collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let view_text = move || app.with_table(|table| browser::pretty(&texas42_protocol::to_json(&table.view)));
    view! {
        <details><summary>{app.words().developer_layers}</summary><p class="sub">{app.words().developer_last_word}</p><ol class="layers">{composition(app)}</ol></details>
        <details open=true><summary>{app.words().developer_frames}</summary>
            <pre tabindex="0">{drawn(move || app.frame_log.text())}</pre>
        </details>
        <details><summary>{app.words().developer_log}</summary>
            <ol class="log">{drawn(move || log().into_iter().map(|text| view! { <li>{text}</li> }).all_drawn())}</ol>
        </details>
        <details><summary>{app.words().developer_state}</summary><pre tabindex="0">{drawn(view_text)}</pre></details>
    }
}
