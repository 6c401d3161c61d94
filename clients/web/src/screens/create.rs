//! The form for a new table: a preset, saved house rules, or individual settings, on this device or online. Its part about the
//! rules also changes a table that exists.

use leptos::prelude::*;
use texas42_house_rules::{HouseRules, Preset, SavedRules, Setting, SettingValue, TableSettings};
use texas42_protocol::{Name, Role, TableOptions};
use texas42_vocab::{Control, Seat};

use crate::{
    app::{App, Screen, USUAL, app},
    browser,
    computed::Computed,
    erased_view::{AllDrawn, drawn, when},
    hot_seat_players::HotSeatPlayer,
    presets::{self, ALONE},
    settings::Settings,
    table_model::{HostKind, TableModel},
    words::fill,
};

/// Where the browser stores house rules.
const SAVED: &str = "house-rules";

/// Two partners against two bots: the usual table on a server.
const PAIR: [Control; 4] = [Control::Human, Control::Ai, Control::Human, Control::Ai];

/// The contents of the form.
#[derive(Clone, Copy)]
pub(crate) struct TableForm {
    settings: RwSignal<TableSettings>,
    /// The settings that a table can no longer change.
    fixed: StoredValue<Vec<Setting>>,
    /// Whether the table is on this device.
    pub(crate) is_offline: RwSignal<bool>,
    saved: RwSignal<SavedRules>,
    /// The name under which the rules are saved.
    save_name: RwSignal<String>,
    has_save_failed: RwSignal<bool>,
    /// Whether the house rules are shown, also after the form was left and shown again.
    shows_rules: RwSignal<bool>,
    /// The names of the people at this device, by seat.
    names: RwSignal<[String; 4]>,
}

impl TableForm {
    pub(crate) fn new() -> Self {
        let saved = browser::load(SAVED).and_then(|text| texas42_protocol::read(&text).ok());
        Self {
            settings: RwSignal::new(TableSettings { players: PAIR, ..TableSettings::new(Preset::default().rules()) }),
            fixed: StoredValue::new(Vec::new()),
            is_offline: RwSignal::new(false),
            saved: RwSignal::new(saved.unwrap_or_default()),
            save_name: RwSignal::new(String::new()),
            has_save_failed: RwSignal::new(false),
            shows_rules: RwSignal::new(false),
            names: RwSignal::new(Default::default()),
        }
    }

    /// A form with the same saved rules that changes a table; `None` if it cannot be changed now.
    pub(super) fn of_table(self, table: &TableModel) -> Option<Self> {
        let fixed = Setting::all().filter(|setting| !setting.can_change(&table.view)).collect();
        Some(Self {
            settings: RwSignal::new(TableSettings::of_table(&table.view)?),
            fixed: StoredValue::new(fixed),
            is_offline: RwSignal::new(table.home == HostKind::Browser),
            save_name: RwSignal::new(String::new()),
            has_save_failed: RwSignal::new(false),
            ..self
        })
    }

    /// The settings as they are chosen now.
    pub(super) fn settings(self) -> TableSettings {
        self.settings.get_untracked()
    }

    fn choose(self, choice: SettingValue) {
        self.settings.update(|settings| settings.choose(choice));
    }

    fn is_chosen(self, choice: SettingValue) -> bool {
        self.settings.with(|settings| settings.is_chosen(choice))
    }

    fn use_rules(self, rules: &HouseRules) {
        self.settings.update(|settings| settings.rules = rules.clone());
    }

    fn has_rules(self, rules: &HouseRules) -> bool {
        self.settings.with(|settings| settings.rules == *rules)
    }

    fn is_shown(self, setting: Setting) -> bool {
        let can_change = !self.fixed.with_value(|fixed| fixed.contains(&setting));
        let is_about_others = setting.is_social() && self.is_offline.get();
        can_change && !is_about_others && self.settings.with(|settings| setting.is_shown(settings))
    }

    /// Saves the rules under the entered name.
    fn save(self) {
        let (name, settings) = (self.save_name.get_untracked(), self.settings.get_untracked());
        let is_saved = self.saved.try_update(|saved| saved.save(&name, &settings.rules)).unwrap_or_default();
        self.has_save_failed.set(!is_saved);
        if is_saved {
            self.save_name.set(String::new());
            self.keep_saved();
        }
    }

    fn remove(self, name: &str) {
        self.saved.update(|saved| saved.remove(name));
        self.keep_saved();
    }

    fn keep_saved(self) {
        browser::store(SAVED, &texas42_protocol::to_json(&self.saved.get_untracked()));
    }

    /// Remembers whether the house rules are shown.
    fn note_toggle(self, event: &leptos::ev::Event) {
        let details = event_target::<web_sys::Element>(event);
        self.shows_rules.set(details.has_attribute("open"));
    }

    fn set_up(self, app: App) {
        let settings = self.settings.get_untracked();
        let (config, table) = settings.table();
        if self.is_offline.get_untracked() {
            // Everybody at this device is there when the table is created.
            let table = (config, TableOptions { ready: false, ..table });
            if let Some(text) = presets::remembered(&table) {
                browser::store(USUAL, &text);
            }
            app.play_here_with(table, &self.hot_seat_players(app));
        } else {
            app.set_up(HostKind::Server, (config, table), settings.creator());
        }
    }

    /// Chooses where to play, with the seats that are common there.
    pub(crate) fn place(self, is_offline: bool) {
        self.is_offline.set(is_offline);
        self.settings.update(|settings| {
            settings.choose(SettingValue::Role(Role::Player));
            settings.players = if is_offline { ALONE } else { PAIR };
        });
    }

    /// The seats of other people.
    fn hot_seats(self) -> Vec<Seat> {
        let players = self.settings.with(|settings| settings.players);
        Seat::ALL.into_iter().skip(1).filter(|seat| players[seat.index()] == Control::Human).collect()
    }

    /// The other people at this device, with the names that they entered.
    fn hot_seat_players(self, app: App) -> Vec<HotSeatPlayer> {
        let named = |seat| Some(HotSeatPlayer { seat, name: self.hot_seat_name(app, seat)?, ticket: None });
        self.hot_seats().into_iter().filter_map(named).collect()
    }

    /// The name of the person on a seat of this device, or the number of the seat; `None` if it is not a name.
    fn hot_seat_name(self, app: App, seat: Seat) -> Option<Name> {
        let entered = self.names.with(|names| names[seat.index()].trim().to_owned());
        let number = fill(app.words().seat, &[&(seat.index() + 1).to_string()]);
        Name::try_from(if entered.is_empty() { number } else { entered }).ok()
    }

    /// The first seat of this device whose name is invalid or repeats an earlier one.
    fn seat_with_bad_name(self, app: App) -> Option<Seat> {
        let mut names = vec![Some(app.name())];
        self.hot_seats().into_iter().find(|seat| {
            let name = self.hot_seat_name(app, *seat);
            let is_bad = name.is_none() || names.contains(&name);
            names.push(name);
            is_bad
        })
    }
}

#[component]
pub(crate) fn Create() -> impl IntoView {
    let app = app();
    let plan = app.table_form;
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_name_fine(app) && are_hot_seat_names_fine(app, plan) {
            plan.set_up(app);
        }
    };
    view! {
        <main class="form wide" tabindex="-1">
            <form on:submit=submit>
                <header class="row between">
                    <h1>{app.words().new_table}</h1>
                    <button type="button" class="quiet" on:click=move |_| app.go(Screen::Home)>{app.words().home}</button>
                </header>
                <NameField/>
                <fieldset>
                    <legend>{app.words().where_to_play}</legend>
                    {[(false, app.words().on_server), (true, app.words().on_this_device)].into_iter().map(|(is_offline, text)| view! {
                        <label class="switch">
                            <input type="radio" name="where" data-offline=is_offline.to_string()
                                prop:checked=move || plan.is_offline.get() == is_offline on:change=move |_| plan.place(is_offline)/>
                            <span>{text}</span>
                        </label>
                    }).all_drawn()}
                </fieldset>
                <RulesFields form=plan/>
                <div class="seating">
                    <fieldset>
                        <legend>{app.words().seats}</legend>
                        {when(move || plan.is_offline.get(), move || view! { <p class="sub">{app.words().hot_seat_more}</p> })}
                        {line(app, plan, Setting::Role)}
                        <div class="seats">{Seat::ALL.into_iter().map(|seat| view! { <SeatChoice seat form=plan/> }).all_drawn()}</div>
                    </fieldset>
                    <button class="primary big">{app.words().set_table}</button>
                </div>
            </form>
        </main>
    }
}

/// What is played: a preset or saved rules, the length of the game, and each house rule.
#[component]
pub(super) fn RulesFields(form: TableForm) -> impl IntoView {
    let app = app();
    let length = [Setting::Scoring, Setting::TargetMarks, Setting::TargetPoints, Setting::Clock];
    let is_seat = |setting: &Setting| matches!(setting, Setting::Role | Setting::Player(_) | Setting::Bot(_));
    let is_rule = move |setting: &Setting| !length.contains(setting) && !is_seat(setting);
    view! {
        <fieldset>
            <legend>{app.words().what_to_play}</legend>
            <div class="presets">
                {Preset::ALL.into_iter().map(|preset| {
                    let (name, more) = preset.texts(app.words());
                    rules_choice(form, preset.rules(), name.to_owned(), more)
                }).all_drawn()}
                {drawn(move || saved_choices(app, form))}
            </div>
        </fieldset>
        <div class="pair">{length.into_iter().map(|setting| line(app, form, setting)).all_drawn()}</div>
        <details class="house" prop:open=form.shows_rules.get_untracked() on:toggle=move |event| form.note_toggle(&event)>
            <summary>{app.words().house_rules}</summary>
            <div class="switches">{Setting::all().filter(is_rule).map(|setting| line(app, form, setting)).all_drawn()}</div>
            <SaveRules form/>
        </details>
    }
}

/// The input for the person's name, which is stored for the next time.
#[component]
pub(crate) fn NameField() -> impl IntoView {
    let app = app();
    let name = move |event| app.settings.update(|settings| settings.name = event_target_value(&event));
    view! {
        <label class="field">{app.words().your_name}
            <input type="text" maxlength="24" autocomplete="nickname" prop:value=app.settings.get_untracked().name on:input=name/>
        </label>
        <div class="says" role="alert">{when(move || app.settings.with(Settings::has_bad_name), move || view! { <p class="sub bad-name">{app.words().bad_name}</p> })}</div>
    }
}

/// Whether the name is valid. If not, moves the focus to its input; the form explains why.
pub(crate) fn is_name_fine(app: App) -> bool {
    let is_fine = !app.settings.with_untracked(Settings::has_bad_name);
    if !is_fine {
        browser::focus("input[autocomplete=nickname]");
    }
    is_fine
}

/// A radio button that selects a whole set of rules.
fn rules_choice(form: TableForm, rules: HouseRules, name: String, more: &'static str) -> AnyView {
    let shown = rules.clone();
    view! {
        <label class="preset">
            <input type="radio" name="preset" prop:checked=move || form.has_rules(&shown) on:change=move |_| form.use_rules(&rules)/>
            <span><b>{name}</b><small>{more}</small></span>
        </label>
    }
    .into_any()
}

/// The saved rules, each with a button that deletes it.
fn saved_choices(app: App, form: TableForm) -> AnyView {
    let choice = |(name, rules): (&str, &HouseRules)| {
        let name = name.to_owned();
        let label = fill(app.words().remove_rules, &[&name]);
        let choice = rules_choice(form, rules.clone(), name.clone(), app.words().saved_rules_more);
        view! {
            <div class="saved">
                {choice}
                <button type="button" class="icon" aria-label=label on:click=move |_| form.remove(&name)>"✕"</button>
            </div>
        }
    };
    form.saved.with(|saved| saved.iter().map(choice).all_drawn())
}

/// The input and the button that save the rules.
#[component]
fn SaveRules(form: TableForm) -> impl IntoView {
    let app = app();
    // Enter in this input saves the rules and does not create the table.
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            form.save();
        }
    };
    view! {
        <div class="row save-rules">
            <label class="field">{app.words().save_rules}
                <input type="text" maxlength="40" autocomplete="off" prop:value=move || form.save_name.get() on:keydown=key
                    on:input=move |event| form.save_name.set(event_target_value(&event))/>
            </label>
            <button type="button" on:click=move |_| form.save()>{app.words().save}</button>
        </div>
        <div class="says" role="alert">{when(move || form.has_save_failed.get(), move || view! { <p class="sub">{app.words().rules_not_saved}</p> })}</div>
    }
}

/// A line of the form: a switch, or a list of values.
pub(super) fn line(app: App, form: TableForm, setting: Setting) -> AnyView {
    let text = setting.text(app.words());
    let is_hidden = move || !form.is_shown(setting);
    match (setting.switch(true), setting.switch(false)) {
        (Some(on), Some(off)) => view! {
            <label class="switch" data-setting=setting.name() hidden=is_hidden>
                <input type="checkbox" prop:checked=move || form.is_chosen(on)
                    on:change=move |event| form.choose(if event_target_checked(&event) { on } else { off })/>
                <span>{text}</span>
            </label>
        }
        .into_any(),
        _ => view! {
            <label class="field" data-setting=setting.name() hidden=is_hidden>{text}{values(app, form, setting)}</label>
        }
        .into_any(),
    }
}

/// The list of the values of a line.
fn values(app: App, form: TableForm, setting: Setting) -> AnyView {
    let choices = Computed::new(move || form.settings.with(|settings| settings.choices(setting)));
    let option = move |(at, choice): (usize, SettingValue)| {
        view! { <option value=at.to_string() prop:selected=move || form.is_chosen(choice)>{choice.text(app.words())}</option> }
    };
    let options = drawn(move || choices.get().into_iter().enumerate().map(option).all_drawn());
    let change = move |event| {
        let at: usize = event_target_value(&event).parse().unwrap_or_default();
        if let Some(choice) = choices.with_untracked(|choices| choices.get(at).copied()) {
            form.choose(choice);
        }
    };
    view! { <select on:change=change>{options}</select> }.into_any()
}

/// Selects who plays on a seat; the first seat is that of the creator, or of the person whom the creator coaches. A creator
/// who watches can give it to anybody.
#[component]
fn SeatChoice(seat: Seat, form: TableForm) -> impl IntoView {
    let app = app();
    let side = if seat.index().is_multiple_of(2) { "first" } else { "second" };
    let setting = Setting::Player(seat);
    let can_choose = move || form.is_shown(setting);
    let sitter = move || match form.is_chosen(SettingValue::Role(Role::Coach)) {
        true => app.words().seat_person,
        false => app.words().you,
    };
    view! {
        <div class=format!("seat-card {side}")>
            <label class="seat-choice">
                <span><i class="badge" aria-hidden="true"></i>{setting.text(app.words())}</span>
                {when(can_choose, move || values(app, form, setting))}
                {when(move || !can_choose(), move || view! { <b>{drawn(sitter)}</b> })}
            </label>
            {line(app, form, Setting::Bot(seat))}
            {when(move || form.is_offline.get() && form.hot_seats().contains(&seat), move || hot_seat_field(app, form, seat))}
        </div>
    }
}

/// The name of another person at this device.
fn hot_seat_field(app: App, form: TableForm, seat: Seat) -> AnyView {
    let number = (seat.index() + 1).to_string();
    let enter = move |event| form.names.update(|names| names[seat.index()] = event_target_value(&event));
    let is_bad = move || form.seat_with_bad_name(app) == Some(seat);
    view! {
        <label class="field">{fill(app.words().name_of_seat, &[&number])}
            <input type="text" maxlength="24" autocomplete="off" data-name=number.clone() on:input=enter
                prop:value=form.names.with_untracked(|names| names[seat.index()].clone())/>
        </label>
        <div class="says" role="alert">{when(is_bad, move || view! { <p class="sub bad-name">{app.words().bad_hot_seat_name}</p> })}</div>
    }
    .into_any()
}

/// Whether all people at this device have valid, different names. If not, moves the focus to the first wrong one.
fn are_hot_seat_names_fine(app: App, form: TableForm) -> bool {
    let bad = form.seat_with_bad_name(app).filter(|_| form.is_offline.get_untracked());
    if let Some(seat) = bad {
        browser::focus(&format!("input[data-name='{}']", seat.index() + 1));
    }
    bad.is_none()
}
