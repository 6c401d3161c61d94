//! The screen that steps through a finished game. It draws the table like a game in progress, for nobody in particular.

use leptos::prelude::*;
use texas42_vocab::Seat;

use crate::{
    app::{App, Screen, app},
    computed::Computed,
    erased_view::{AllDrawn, drawn, keyed, live},
    replay::{Jump, fault_text, seat_name},
    table::{
        center::Center,
        goal::Goal,
        hand::{HandOfSeat, Status},
        header::{Icon, Score},
        seat::{Plate, PlateFace, SeatAt},
    },
    words::fill,
};

#[component]
pub(crate) fn Replay(code: String) -> impl IntoView {
    let app = app();
    app.start_replay(&code);
    on_cleanup(move || app.replay.stop());
    let state = Computed::new(move || (app.replay.fault(), app.replay.place().is_some()));
    drawn(move || match state.get() {
        (Some(fault), _) => notice(app, fault_text(fault, app.words())).into_any(),
        (None, false) => notice(app, app.words().loading).into_any(),
        (None, true) => view! { <Replayed/> }.into_any(),
    })
}

/// A sentence instead of a game, and the way out.
fn notice(app: App, text: &'static str) -> impl IntoView {
    view! {
        <main class="waiting" tabindex="-1">
            <p role="status">{text}</p>
            <button class="quiet" on:click=move |_| app.go(Screen::Home)>{app.words().home}</button>
        </main>
    }
}

#[component]
fn Replayed() -> impl IntoView {
    let app = app();
    let phase = Computed::new(move || app.with_table(|table| table.phase().name()));
    view! {
        <div class="table-page replaying" data-phase=move || phase.get()>
            <header class="bar">
                <button class="icon" on:click=move |_| app.go(Screen::Home) aria-label=app.words().home title=app.words().home>
                    <Icon path="M4 11l8-7 8 7M6 10v10h12V10"/>
                </button>
                <h1>{app.words().replay}</h1>
                <Score/>
            </header>
            <Goal/>
            <main class="felt" id="table" tabindex="-1">
                <div class="rail"></div>
                <SeatAt place=1/>
                <SeatAt place=2/>
                <SeatAt place=3/>
                <Center/>
            </main>
            <section class="own first" aria-label=live(move || app.with_table(|table| table.name_or_you(table.bottom, app.words())))>
                <div class="own-bar"><Below/><Status/></div>
                {hand(app)}
            </section>
            <Controls/>
        </div>
    }
}

/// The name of the seat at the bottom.
#[component]
fn Below() -> impl IntoView {
    let app = app();
    let plate = Computed::new(move || app.with_table(|table| Plate::of(table, table.bottom, app)));
    view! { <PlateFace plate/> }
}

fn hand(app: App) -> AnyView {
    let bottom = Computed::new(move || app.with_table(|table| table.bottom));
    keyed(
        move || bottom.get().map_or(4, Seat::index) as u64,
        move || bottom.get_untracked().map(|seat| view! { <HandOfSeat seat/> }),
    )
}

/// The buttons that lead to other steps, and the choice of the seat and of the open hands.
#[component]
fn Controls() -> impl IntoView {
    let app = app();
    let words = app.words();
    let at_start = Computed::new(move || app.replay.place().is_none_or(|(step, _)| step == 0));
    let at_end = Computed::new(move || app.replay.place().is_none_or(|(step, steps)| step == steps));
    let position =
        move || app.replay.place().map(|(step, steps)| fill(words.replay_at, &[&step.to_string(), &steps.to_string()]));
    view! {
        <section class="steps" aria-label=words.replay_controls>
            {button(Jump::First, words.replay_first, "M6 5v14M19 5l-10 7 10 7z", at_start)}
            {button(Jump::Back, words.replay_back, "M17 5L7 12l10 7z", at_start)}
            <output>{drawn(position)}</output>
            {button(Jump::Next, words.replay_next, "M7 5l10 7-10 7z", at_end)}
            {button(Jump::Last, words.replay_last, "M18 5v14M5 5l10 7-10 7z", at_end)}
            <Viewpoint/>
        </section>
    }
}

/// A button that stays focusable where it leads nowhere, so that the focus is not lost at the ends.
fn button(jump: Jump, name: &'static str, path: &'static str, is_off: Computed<bool>) -> AnyView {
    let app = app();
    let keys = match jump {
        Jump::First => "Home",
        Jump::Back => "ArrowLeft",
        Jump::Next => "ArrowRight",
        Jump::Last => "End",
    };
    view! {
        <button
            class="icon" data-jump=keys aria-keyshortcuts=keys aria-label=name title=name
            aria-disabled=live(move || is_off.get().to_string())
            on:click=move |_| app.jump(jump)
        ><Icon path/></button>
    }
    .into_any()
}

#[component]
fn Viewpoint() -> impl IntoView {
    let app = app();
    let words = app.words();
    let choose = move |event| {
        let chosen = event_target_value(&event);
        if let Some(seat) = Seat::ALL.into_iter().find(|seat| seat.index().to_string() == chosen) {
            app.replay_from(seat);
        }
    };
    let option = move |seat: Seat| {
        let is_chosen = move || app.replay.seat() == seat;
        view! { <option value=seat.index().to_string() prop:selected=is_chosen>{seat_name(seat, words)}</option> }
    };
    view! {
        <select aria-label=words.replay_from on:change=choose>{Seat::ALL.into_iter().map(option).all_drawn()}</select>
        <label class="open-hands">
            <input type="checkbox" prop:checked=move || app.replay.is_open()
                on:change=move |event| app.open_replay_hands(event_target_checked(&event))/>
            {words.replay_open}
        </label>
    }
}
