//! The form for a table with friends: a preset, or individual house rules, each with an explanation.

use leptos::prelude::*;
use texas42_protocol::TableOptions;
use texas42_vocab::{Config, Control, Layer};

use crate::{
    app::{App, Screen, app},
    browser,
    erased_view::{AllDrawn, drawn, when},
    presets::{self, Preset},
    settings::Settings,
    table_model::Home,
    words::fill,
};

/// The contents of the form.
#[derive(Clone, Copy)]
pub(crate) struct NewTableForm {
    preset: RwSignal<Option<Preset>>,
    layers: RwSignal<Vec<Layer>>,
    target: RwSignal<u16>,
    clock: RwSignal<Option<u16>>,
    watchers: RwSignal<bool>,
    open_hands: RwSignal<bool>,
    seats: RwSignal<[Control; 4]>,
}

impl NewTableForm {
    pub(crate) fn new() -> Self {
        Self {
            preset: RwSignal::new(Some(Preset::default())),
            layers: RwSignal::new(Preset::default().layers()),
            target: RwSignal::new(7),
            clock: RwSignal::new(None),
            watchers: RwSignal::new(false),
            open_hands: RwSignal::new(false),
            seats: RwSignal::new([Control::Human, Control::Ai, Control::Human, Control::Ai]),
        }
    }

    fn choose(self, preset: Preset) {
        self.preset.set(Some(preset));
        self.layers.set(preset.layers());
    }

    fn has(self, name: &'static str) -> bool {
        self.layers.with(|layers| layers.iter().any(|layer| layer.name() == name))
    }

    /// Switches a layer; layers stay in the order in which tables consult them.
    fn switch(self, layer: Layer, is_on: bool) {
        self.preset.set(None);
        self.layers.update(|layers| {
            layers.retain(|other| other.name() != layer.name());
            if is_on {
                layers.push(layer);
            }
            let place = |layer: &Layer| presets::choices().iter().position(|other| other.name() == layer.name());
            layers.sort_by_key(place);
        });
    }

    fn set_up(self, app: App) {
        let layers = self.layers.get_untracked();
        let hints = layers.iter().any(|layer| matches!(layer, Layer::Hints(_)));
        let players = self.seats.get_untracked();
        let config = Config { layers, target: Some(self.target.get_untracked()), players, ..Config::default() };
        let table = TableOptions {
            turn_seconds: self.clock.get_untracked(),
            open_to_spectators: self.watchers.get_untracked(),
            open_hands: self.open_hands.get_untracked(),
            hints,
            // A person alone with bots need not declare themselves ready.
            ready: players.iter().filter(|control| **control == Control::Human).count() > 1,
            ..TableOptions::default()
        };
        app.set_up(Home::Server, config, table);
    }
}

#[component]
pub(crate) fn Create() -> impl IntoView {
    let app = app();
    let plan = app.plan;
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_name_fine(app) {
            plan.set_up(app);
        }
    };
    view! {
        <main class="form" tabindex="-1">
            <form on:submit=submit>
                <header class="row between">
                    <h1>{app.words().new_table}</h1>
                    <button type="button" class="quiet" on:click=move |_| app.go(Screen::Home)>{app.words().home}</button>
                </header>
                <NameField/>
                <fieldset>
                    <legend>{app.words().what_to_play}</legend>
                    <div class="presets">{Preset::ALL.into_iter().map(|preset| view! { <PresetChoice preset plan/> }).all_drawn()}</div>
                </fieldset>
                <details class="house">
                    <summary>{app.words().house_rules}</summary>
                    <ul class="switches">
                        {presets::choices().into_iter().map(|layer| view! { <LayerSwitch layer plan/> }).all_drawn()}
                    </ul>
                </details>
                <fieldset>
                    <legend>{app.words().seats}</legend>
                    <div class="seats">{(0..4).map(|seat| view! { <SeatChoice seat plan/> }).all_drawn()}</div>
                </fieldset>
                <div class="pair">
                    <label>{app.words().target}
                        <select on:change=move |event| plan.target.set(event_target_value(&event).parse().unwrap_or(7))>
                            {[1_u16, 3, 5, 7, 10].into_iter().map(|target| view! {
                                <option value=target.to_string() selected=target == plan.target.get_untracked()>{drawn(move || app.words().marks_text(target))}</option>
                            }).all_drawn()}
                        </select>
                    </label>
                    <label>{app.words().clock}
                        <select on:change=move |event| plan.clock.set(event_target_value(&event).parse().ok())>
                            <option value="" selected=plan.clock.get_untracked().is_none()>{app.words().no_clock}</option>
                            {[20_u16, 45, 90].into_iter().map(|seconds| view! {
                                <option value=seconds.to_string() selected=plan.clock.get_untracked() == Some(seconds)>{drawn(move || fill(app.words().seconds, &[&seconds.to_string()]))}</option>
                            }).all_drawn()}
                        </select>
                    </label>
                </div>
                <label class="switch">
                    <input type="checkbox" prop:checked=plan.watchers.get_untracked() on:change=move |event| plan.watchers.set(event_target_checked(&event))/>
                    <span>{app.words().watchers}</span>
                </label>
                <label class="switch">
                    <input type="checkbox" data-option="open-hands" prop:checked=plan.open_hands.get_untracked() on:change=move |event| plan.open_hands.set(event_target_checked(&event))/>
                    <span>{app.words().open_hands}</span>
                </label>
                <button class="primary big">{app.words().set_table}</button>
            </form>
        </main>
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
        {when(move || app.settings.with(Settings::has_bad_name), move || view! { <p class="sub bad-name" role="alert">{app.words().bad_name}</p> })}
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

#[component]
fn PresetChoice(preset: Preset, plan: NewTableForm) -> impl IntoView {
    let app = app();
    let texts = move || {
        let words = app.words();
        match preset {
            Preset::Tournament => (words.preset_tournament, words.preset_tournament_more),
            Preset::Casual => (words.preset_casual, words.preset_casual_more),
            Preset::Family => (words.preset_family, words.preset_family_more),
        }
    };
    view! {
        <label class="preset">
            <input type="radio" name="preset" prop:checked=move || plan.preset.get() == Some(preset) on:change=move |_| plan.choose(preset)/>
            <span><b>{drawn(move || texts().0)}</b><small>{drawn(move || texts().1)}</small></span>
        </label>
    }
}

#[component]
fn LayerSwitch(layer: Layer, plan: NewTableForm) -> impl IntoView {
    let app = app();
    let name = layer.name();
    view! {
        <li>
            <label class="switch">
                <input type="checkbox" prop:checked=move || plan.has(name) on:change=move |event| plan.switch(layer, event_target_checked(&event))/>
                <span>{drawn(move || app.words().layer_text(&layer))}</span>
            </label>
        </li>
    }
}

/// Selects who plays on a seat; the first seat is the creator's.
#[component]
fn SeatChoice(seat: usize, plan: NewTableForm) -> impl IntoView {
    let app = app();
    let change = move |event| {
        let control = if event_target_value(&event) == "ai" { Control::Ai } else { Control::Human };
        plan.seats.update(|seats| seats[seat] = control);
    };
    let side = if seat.is_multiple_of(2) { "first" } else { "second" };
    view! {
        <label class=format!("seat-choice {side}")>
            <span><i class="badge" aria-hidden="true"></i>{drawn(move || fill(app.words().seat, &[&(seat + 1).to_string()]))}</span>
            {if seat == 0 {
                view! { <b>{app.words().you}</b> }.into_any()
            } else {
                view! {
                    <select on:change=change>
                        <option value="human" selected=move || plan.seats.get()[seat] == Control::Human>{app.words().seat_person}</option>
                        <option value="ai" selected=move || plan.seats.get()[seat] == Control::Ai>{app.words().seat_program}</option>
                    </select>
                }.into_any()
            }}
        </label>
    }
}
