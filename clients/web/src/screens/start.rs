//! The start page: play now, rejoin a game, or create a table for friends.

use leptos::prelude::*;
use texas42_house_rules::HouseRules;
use texas42_protocol::LobbyCode;
use texas42_vocab::{Difficulty, Domino};

use crate::{
    app::{Dialog, Screen, USUAL, app},
    browser::{self, TICKETS},
    erased_view::{AllDrawn, ErasedView, drawn, live},
    invite_link::InviteLink,
    presets,
    screens::dialogs::{ConfirmedButton, START, confirmed_button},
    table::Tile,
    table_model::HostKind,
    tickets::{GameProgress, SavedGame},
    words::{Words, fill},
};

#[component]
pub(crate) fn Start() -> impl IntoView {
    let app = app();
    let words = move || app.words();
    let games = RwSignal::new(TICKETS.games());
    let online = TICKETS.get(HostKind::Server);
    let link = RwSignal::new(String::new());
    let join = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = link.get_untracked();
        match (LobbyCode::typed(&typed), InviteLink::typed(&typed)) {
            (Some(code), _) => app.look_up(code),
            (None, Some(link)) => app.open_invite(link),
            (None, None) => app.show_notice(words().bad_link),
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
                <SavedGames games/>
                {online.map(|_| view! {
                    <button class="way" data-way="back" on:click=move |_| app.rejoin(HostKind::Server)>
                        {if TICKETS.has_open_game(HostKind::Server) {
                            view! { <b>{go_on(words(), TICKETS.progress(HostKind::Server))}</b><small>{words().online_table}</small> }.into_any()
                        } else {
                            view! { <b>{words().online_table}</b><small>{words().says_over}</small> }.into_any()
                        }}
                    </button>
                }).erased()}
                <button class="way" class:primary=live(move || games.with(Vec::is_empty)) data-way="play" on:click=move |_| app.play_now()>
                    <b>{words().play_now}</b><small>{play_now_more(words())}</small>
                </button>
                <button class="way" data-way="friends" on:click=move |_| {
                    app.table_form.place(false);
                    app.go(Screen::Create);
                }>
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
                    <input id="link" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder=words().join_hint
                        on:input=move |event| link.set(event_target_value(&event))/>
                    <button>{words().join}</button>
                </div>
            </form>
            <nav class="row foot">
                <button class="quiet" data-way="house-rules" on:click=move |_| {
                    app.table_form.place(true);
                    app.go(Screen::Create);
                }>{words().house_rules}</button>
                <button class="quiet" on:click=move |_| app.dialogs.open(Dialog::Rules)>{words().rules}</button>
                <button class="quiet" on:click=move |_| app.dialogs.open(Dialog::Settings)>{words().settings}</button>
                <button class="quiet install" on:click=move |_| browser::dispatch("texas42-install")>{words().install}</button>
            </nav>
        </main>
    }
}

/// What "Play now" plays: the rules and the length that the person has chosen, if any.
fn play_now_more(words: &'static Words) -> String {
    let chosen = browser::load(USUAL).map(|text| HouseRules::of_config(&presets::usual(Some(&text)).0));
    chosen.map_or_else(|| words.play_now_more.to_owned(), |rules| rules.summary(words))
}

/// The unfinished games of this browser, the current one first. Each can be continued or deleted.
#[component]
fn SavedGames(games: RwSignal<Vec<SavedGame>>) -> impl IntoView {
    let app = app();
    let row = move |(at, game): (usize, SavedGame)| {
        let words = app.words();
        let progress = game.progress();
        let (title, name) = (go_on(words, progress), progress.map(|progress| name_of(words, progress)));
        let more = match at {
            0 => words.go_on_game_more.to_owned(),
            _ => fill(words.earlier_game, &[&at.to_string()]),
        };
        let name = [name.unwrap_or_else(|| words.saved_game.to_owned()), more.clone()].join(", ");
        let label = fill(words.delete_game, &[&name]);
        let ask =
            ConfirmedButton {
                name: "delete-game", class: "icon", text: "✕", label, question: Some(words.delete_ask)
            };
        let id = StoredValue::new(game.ticket.game_id);
        let way = if at == 0 { "continue" } else { "continue-other" };
        let delete = move || {
            app.delete_game(&id.get_value());
            games.set(TICKETS.games());
            browser::focus_later(START);
        };
        view! {
            <div class="saved-game">
                <button class="way" class:primary=at == 0 data-way=way
                    on:click=move |_| app.continue_game(&id.get_value())><b>{title}</b><small>{more}</small></button>
                {confirmed_button(ask, delete)}
            </div>
        }
    };
    drawn(move || games.get().into_iter().enumerate().map(row).all_drawn())
}

/// What leads back to a game, such as "Continue: Us 3 – Them 2".
fn go_on(words: &Words, progress: Option<GameProgress>) -> String {
    let named = progress.map(|progress| fill(words.go_on_at, &[&name_of(words, progress)]));
    named.unwrap_or_else(|| words.go_on_game.to_owned())
}

/// The name of a game with this progress, such as "Us 3 – Them 2".
fn name_of(words: &Words, progress: GameProgress) -> String {
    match progress {
        GameProgress::Score(own, others) => format!("{} {own} – {} {others}", words.us, words.them),
        GameProgress::Day(day, difficulty) => {
            let difficulty = match difficulty {
                Difficulty::Easy => words.easy,
                Difficulty::Medium => words.medium,
                Difficulty::Hard => words.hard,
            };
            format!("{} {day} ({difficulty})", words.daily)
        }
    }
}

/// The daily challenge in three difficulties, of today or an earlier day.
#[component]
fn Daily() -> impl IntoView {
    let app = app();
    let words = app.words();
    let today = browser::today();
    let day = RwSignal::new(today);
    // The browser's own calendar; an incomplete date means today.
    let choose = move |event| day.set(event_target_value(&event).parse().unwrap_or(today));
    let all = [
        (Difficulty::Easy, "daily-easy", words.easy),
        (Difficulty::Medium, "daily", words.medium),
        (Difficulty::Hard, "daily-hard", words.hard),
    ];
    let button = |(difficulty, way, word)| {
        let play = move |_| app.play_daily(difficulty, day.get_untracked());
        view! { <button data-way=way on:click=play>{word}</button> }
    };
    view! {
        <div class="way" role="group" aria-labelledby="daily">
            <div class="daily-head">
                <span><b id="daily">{words.daily}</b><small>{words.daily_more}</small></span>
                <input type="date" aria-label=words.daily_day value=today.to_string() max=today.to_string() on:change=choose/>
            </div>
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
