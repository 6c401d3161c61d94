//! The lobby of a table: for a guest with a code, the screen to ask and to wait; for the host, the code and the guests.

use std::time::Duration;

use leptos::prelude::*;
use texas42_client::ClientCore;
use texas42_house_rules::HouseRules;
use texas42_protocol::{Grant, LobbyGuest, PlayerId, Role};
use texas42_vocab::{Phase, Seat};

use crate::{
    app::{App, FoundTable, Screen, app},
    browser,
    connection::ConnectionState,
    erased_view::{AllDrawn, Part, drawn, listed, live, number_of, part, when},
    invite_link::Seating,
    screens::create::{NameField, is_name_fine},
    table_model::TableModel,
    words::{Words, fill},
};

/// How often the minutes that a code is still valid are counted.
const COUNT_EVERY: Duration = Duration::from_secs(10);

/// The screen of a guest: what the code leads to, and waiting for the host.
#[component]
pub(crate) fn Lobby(found: FoundTable) -> impl IntoView {
    let app = app();
    let words = app.words();
    let host = found.host.as_ref().map(ToString::to_string);
    let title = host.as_ref().map_or_else(|| words.lobby_of_nobody.to_owned(), |host| fill(words.lobby_of, &[host]));
    let waits = host.map_or_else(|| words.waits_for_any_host.to_owned(), |host| fill(words.waits_for_host, &[&host]));
    let rules = HouseRules::of_config(&found.config).summary(words);
    let names: Vec<String> = found.players.iter().map(|player| player.name.to_string()).collect();
    let found = StoredValue::new(found);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_name_fine(app) {
            found.with_value(|found| app.ask_to_join(found));
            browser::focus_later("[data-do=stop-waiting]");
        }
    };
    let stop = move |_| {
        app.stop_waiting();
        browser::focus_later("[data-do=ask-to-join]");
    };
    let status = move || {
        let is_down = matches!(app.connection.get(), ConnectionState::Down { .. });
        let text = if is_down { words.reconnecting.to_owned() } else { waits.clone() };
        app.lobby.is_waiting.get().then_some(text)
    };
    view! {
        <main class="form narrow lobby" tabindex="-1">
            <form on:submit=submit>
                <h1>{title}</h1>
                <p>{words.lobby_means}</p>
                <div class="says" role="alert">{when(move || app.join_form.refusal.with(Option::is_some), move || view! {
                    <p class="hint">{drawn(move || app.join_form.refusal.get())}</p>
                })}</div>
                <dl class="found">
                    <div><dt>{words.house_rules}</dt><dd>{rules}</dd></div>
                    <div><dt>{words.who_is_there}</dt><dd>{names.join(", ")}</dd></div>
                </dl>
                <p class="waits" role="status">{drawn(status)}</p>
                {when(move || !app.lobby.is_waiting.get(), move || view! {
                    <NameField/>
                    <div class="row">
                        <button class="primary big" data-do="ask-to-join">{words.ask_to_join}</button>
                        <button type="button" class="quiet" on:click=move |_| app.go(Screen::Home)>{words.home}</button>
                    </div>
                })}
                {when(move || app.lobby.is_waiting.get(), move || view! {
                    <div class="row"><button type="button" data-do="stop-waiting" on:click=stop>{words.cancel}</button></div>
                })}
            </form>
        </main>
    }
}

/// The code of the table, for its host: in large letters, with the time that is left, and buttons to renew and to end it.
#[component]
pub(crate) fn CodeBox() -> impl IntoView {
    let app = app();
    let words = app.words();
    let left = RwSignal::new(None::<u64>);
    let until = move || app.lobby.with(|lobby| lobby.code.map(|(_, until)| until));
    let count = move || left.set(untrack(until).and_then(|until| app.table.seconds_left(until)));
    Effect::new(move || {
        until();
        count();
        if let Ok(timer) = set_interval_with_handle(count, COUNT_EVERY) {
            on_cleanup(move || timer.clear());
        }
    });
    let ends = move || left.get().map(|left| fill(words.lobby_code_ends, &[&left.div_ceil(60).to_string()]));
    let end = move |_| {
        app.manage_lobby(ClientCore::close_lobby);
    };
    let code = move || app.lobby.with(|lobby| lobby.code.map(|(code, _)| code.spaced()));
    view! {
        <div class="code-box" class:empty=live(move || code().is_none())>
            <div class="says">{drawn(move || code().map(|code| view! {
                <p class="sub">{words.lobby_code}</p>
                <p class="lobby-code"><code>{code}</code></p>
            }))}</div>
            {when(move || code().is_some(), move || view! {
                <p class="sub">{words.lobby_code_more}" "{drawn(ends)}</p>
                <div class="row">
                    <button class="small quiet" data-do="new-code" on:click=move |_| open_lobby(app, true)>{words.lobby_code_new}</button>
                    <button class="small quiet" data-do="end-code" on:click=end>{words.lobby_code_end}</button>
                </div>
            })}
        </div>
    }
}

/// Asks for a code, if there is none.
#[component]
pub(crate) fn GetCode() -> impl IntoView {
    let app = app();
    let get = move |_| open_lobby(app, false);
    when(
        move || app.lobby.with(|lobby| lobby.code.is_none()),
        move || {
            view! { <button class="small quiet" data-do="get-code" on:click=get>{app.words().lobby_code_get}</button> }
        },
    )
}

fn open_lobby(app: App, renew: bool) {
    app.manage_lobby(|client, now| client.open_lobby(now, renew));
}

/// The guests who wait, and the host's answers, during a game. Before it, they are beside the code.
#[component]
pub(crate) fn GuestsInGame() -> impl IntoView {
    let app = app();
    let is_running = move || app.with_table(|table| table.phase() != Phase::Setup) == Some(true);
    let has_guests = move || app.lobby.with(|lobby| !lobby.guests.is_empty());
    let label = app.words().lobby_guests;
    when(
        move || is_running() && has_guests(),
        move || view! { <div class="at-the-door" role="region" aria-label=label><Guests/></div> },
    )
}

/// The guests who wait, each with the host's answers.
#[component]
pub(crate) fn Guests() -> impl IntoView {
    let app = app();
    let words = app.words();
    let parts = move || app.lobby.with(|lobby| lobby.guests.iter().map(|guest| guest_part(app, guest)).collect());
    let has_guests = move || app.lobby.with(|lobby| !lobby.guests.is_empty());
    let label = move || has_guests().then_some(words.lobby_guests);
    view! { <div class="door" role="group" aria-label=label>{listed(parts)}</div> }
}

fn guest_part(app: App, guest: &LobbyGuest) -> Part {
    let LobbyGuest { guest, name, .. } = guest.clone();
    part(number_of(guest.as_str()), move || guest_row(app, &guest, name.as_str()))
}

fn guest_row(app: App, guest: &PlayerId, name: &str) -> AnyView {
    let words = app.words();
    // Friends usually play together.
    let seat = RwSignal::new(app.with_table(partner_seat).flatten());
    let guest = StoredValue::new(guest.clone());
    let admit = move |_| {
        let grant = Grant { seat: seat.get_untracked(), ..Grant::of(Role::Player) };
        app.manage_lobby(|client, now| client.admit(now, guest.get_value(), grant));
    };
    let turn_away = move |_| app.manage_lobby(|client, now| client.turn_away(now, guest.get_value()));
    view! {
        <div class="door-row" data-guest=name.to_owned()>
            <p>{fill(words.wants_to_join, &[name])}</p>
            {seat_choice(app, name, seat)}
            <div class="row">
                <button class="small primary" data-do="let-in" aria-label=fill(words.let_in_whom, &[name]) on:click=admit>{words.let_in}</button>
                <button class="small quiet" data-do="not-now" aria-label=fill(words.not_now_whom, &[name]) on:click=turn_away>{words.not_now}</button>
            </div>
        </div>
    }
    .into_any()
}

/// The seat for a guest, if several are free.
fn seat_choice(app: App, name: &str, seat: RwSignal<Option<Seat>>) -> AnyView {
    let words = app.words();
    let free = app.with_table(|table| free_seats(table, words)).unwrap_or_default();
    if free.len() < 2 {
        return ().into_any();
    }
    let choose = move |event| {
        let number = event_target_value(&event).parse().ok();
        seat.set(number.and_then(Seat::new));
    };
    let chosen = seat.get_untracked();
    let option = |(seat, text): (Seat, String)| {
        view! { <option value=seat.index().to_string() selected=chosen == Some(seat)>{text}</option> }
    };
    view! {
        <select aria-label=fill(words.seat_for_guest, &[name]) on:change=choose>
            <option value="">{words.any_seat}</option>
            {free.into_iter().map(option).all_drawn()}
        </select>
    }
    .into_any()
}

/// The seat of the host's partner, if no person has it.
fn partner_seat(table: &TableModel) -> Option<Seat> {
    let seating = Seating::of(&table.view.players, None);
    table.seat.map(Seat::partner).filter(|seat| seating.is_free(*seat))
}

/// The seats without a person, named by their place beside the host.
fn free_seats(table: &TableModel, words: &Words) -> Vec<(Seat, String)> {
    let seating = Seating::of(&table.view.players, None);
    let free = Seat::ALL.into_iter().filter(|seat| seating.is_free(*seat));
    free.map(|seat| {
        let number = fill(words.seat, &[&(seat.index() + 1).to_string()]);
        let is_partner = table.seat.is_some_and(|own| own.partner() == seat);
        (seat, if is_partner { format!("{number} ({})", words.your_partner) } else { number })
    })
    .collect()
}
