//! The start page: play now, rejoin a game, or create a table for friends.

use leptos::prelude::*;
use texas42_vocab::{Difficulty, Domino};

use crate::{
    app::{Dialog, Screen, app},
    browser::TICKETS,
    erased_view::{AllDrawn, ErasedView},
    invite_link::InviteLink,
    presets,
    table::Tile,
    table_model::Home,
};

#[component]
pub(crate) fn Start() -> impl IntoView {
    let app = app();
    let words = move || app.words();
    let offline = TICKETS.get(Home::Browser).is_some();
    let online = TICKETS.get(Home::Server);
    let link = RwSignal::new(String::new());
    let join = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match InviteLink::typed(&link.get_untracked()) {
            Some(link) => app.open_invite(link),
            None => app.tell(words().bad_link),
        }
    };
    view! {
        <main class="start" tabindex="-1">
            <header class="brand">
                <Fan/>
                <h1>{words().title}</h1>
                <p>{words().tagline}</p>
            </header>
            <div class="ways">
                {offline.then(|| view! {
                    <button class="way primary" data-way="continue" on:click=move |_| app.rejoin(Home::Browser)>
                        <b>{words().go_on_game}</b><small>{words().go_on_game_more}</small>
                    </button>
                }).erased()}
                {online.map(|_| view! {
                    <button class="way" data-way="back" on:click=move |_| app.rejoin(Home::Server)>
                        <b>{words().go_on_game}</b><small>{words().online_table}</small>
                    </button>
                }).erased()}
                <button class="way" class:primary=!offline data-way="play" on:click=move |_| app.play_here(presets::offline())>
                    <b>{words().play_now}</b><small>{words().play_now_more}</small>
                </button>
                <button class="way" data-way="friends" on:click=move |_| app.go(Screen::Create)>
                    <b>{words().create_table}</b><small>{words().create_table_more}</small>
                </button>
                <button class="way" data-way="learn" on:click=move |_| app.play_here(presets::lesson())>
                    <b>{words().learn}</b><small>{words().learn_more}</small>
                </button>
                <Daily/>
            </div>
            <form class="join-link" on:submit=join>
                <label for="link">{words().join_table}</label>
                <div class="row">
                    <input id="link" type="text" autocomplete="off" placeholder=words().join_hint
                        on:input=move |event| link.set(event_target_value(&event))/>
                    <button>{words().join}</button>
                </div>
            </form>
            <nav class="row foot">
                <button class="quiet" on:click=move |_| app.dialogs.open(Dialog::Rules)>{words().rules}</button>
                <button class="quiet" on:click=move |_| app.dialogs.open(Dialog::Settings)>{words().settings}</button>
            </nav>
        </main>
    }
}

/// The daily challenge in three difficulties.
#[component]
fn Daily() -> impl IntoView {
    let app = app();
    let words = app.words();
    let all = [
        (Difficulty::Easy, "daily-easy", words.easy),
        (Difficulty::Medium, "daily", words.medium),
        (Difficulty::Hard, "daily-hard", words.hard),
    ];
    let button = |(difficulty, way, word)| {
        let play = move |_| app.play_daily(difficulty);
        view! { <button data-way=way on:click=play>{word}</button> }
    };
    view! {
        <div class="way" role="group" aria-labelledby="daily">
            <b id="daily">{words.daily}</b><small>{words.daily_more}</small>
            <div class="row">{all.into_iter().map(button).all_drawn()}</div>
        </div>
    }
}

/// A fan of the five count dominoes.
#[component]
fn Fan() -> impl IntoView {
    let counts = [(3, 2), (4, 1), (5, 5), (6, 4), (5, 0)];
    let tiles = counts.into_iter().filter_map(|(high, low)| Domino::new(high, low));
    view! {
        <div class="fan" aria-hidden="true">
            {tiles.map(|domino| view! { <span><Tile domino/></span> }).all_drawn()}
        </div>
    }
}
