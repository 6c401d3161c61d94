//! The form for joining a table by an invite link: a name and, for players, a free seat.

use leptos::prelude::*;
use texas42_client::Credentials;
use texas42_protocol::{ErrorCode, Role, SecretKey, ServerMessage};
use texas42_vocab::Seat;
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::{App, Screen, app},
    browser, connection,
    erased_view::{AllDrawn, ErasedView, drawn, when},
    invite_link::{InviteLink, Occupant, occupants},
    screens::create::{NameField, is_name_fine},
    table_model::Home,
    words::fill,
};

#[component]
pub(crate) fn Join(link: InviteLink) -> impl IntoView {
    let app = app();
    let words = app.words();
    let occupied_by = RwSignal::new([const { Occupant::Nobody }; 4]);
    let role = link.role;
    let plays = role == Role::Player;
    if let Some(key) = link.key.clone().filter(|_| plays) {
        spawn_local(load_occupants(app, link.clone(), key, occupied_by));
    }
    let (title, more, button) = match role {
        Role::Player => (words.invited, None, words.sit_down),
        Role::Coach => (words.invited_to_coach, Some(words.coach_means), words.sit_behind),
        Role::Admin => (words.invited_behind, Some(words.behind_means), words.go_behind),
        _ => (words.invited_to_watch, Some(words.watch_means), words.watch),
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_name_fine(app) {
            join_table(app, &link);
        }
    };
    view! {
        <main class="form narrow" tabindex="-1">
            <form on:submit=submit>
                <h1>{title}</h1>
                {more.map(|more| view! { <p>{more}</p> }).erased()}
                {when(move || app.join_form.refusal.with(Option::is_some), move || view! {
                    <p class="hint" role="alert">{drawn(move || app.join_form.refusal.get())}</p>
                })}
                <NameField/>
                {plays.then(|| view! { <Seats occupied_by/> }).erased()}
                <div class="row">
                    <button class="primary big">{button}</button>
                    <button type="button" class="quiet" on:click=move |_| app.go(Screen::Home)>{words.home}</button>
                </div>
            </form>
        </main>
    }
}

/// The seats; those taken by people are disabled.
#[component]
fn Seats(occupied_by: RwSignal<[Occupant; 4]>) -> impl IntoView {
    let app = app();
    let words = app.words();
    let choose = move |event| app.join_form.seat.set(event_target_value(&event).parse().ok().and_then(Seat::new));
    let options = move || {
        let wish = app.join_form.seat.get_untracked();
        let option = move |(seat, sitter): (Seat, Occupant)| {
            let number = fill(words.seat, &[&(seat.index() + 1).to_string()]);
            let is_taken = matches!(sitter, Occupant::Person(_));
            let text = match sitter {
                Occupant::Nobody => number,
                Occupant::Bot => format!("{number} · {}", words.seat_of_program),
                Occupant::Person(name) => format!("{number} · {name}"),
            };
            view! { <option value=seat.index().to_string() disabled=is_taken selected=wish == Some(seat) && !is_taken>{text}</option> }
        };
        Seat::ALL.into_iter().zip(occupied_by.get()).map(option).all_drawn()
    };
    view! {
        <label class="field">{words.seats}
            <select on:change=choose>
                <option value="">{words.any_seat}</option>
                {drawn(options)}
            </select>
        </label>
    }
}

fn join_table(app: App, link: &InviteLink) {
    app.join_form.refusal.set(None);
    let entrance = Credentials::Join {
        game_id: link.game.clone(),
        invitation: link.key.clone(),
        name: app.name(),
        // A person who is invited to play may also be a student.
        role: (link.role != Role::Player).then_some(link.role),
        seat: app.join_form.seat.get_untracked().filter(|_| link.role == Role::Player),
        capabilities: None,
        entropy: browser::entropy(),
    };
    if link.role == Role::Player {
        browser::forget("watching");
    } else {
        browser::keep("watching", link.game.as_str());
    }
    app.navigation.wait_for_table();
    connection::open(app, Home::Server, entrance);
}

/// Loads who sits where. If that fails, the table itself will refuse a taken seat.
async fn load_occupants(app: App, link: InviteLink, key: SecretKey, occupied_by: RwSignal<[Occupant; 4]>) {
    let path = format!("api/games/{}/state", link.game);
    let answer = browser::ask_server(&key, &path, None).await.unwrap_or_default();
    if app.navigation.screen.get_untracked() != Screen::Join(link) {
        return;
    }
    let words = app.words();
    match texas42_protocol::read(&answer) {
        Ok(ServerMessage::StateUpdate { view: Some(view), .. }) => {
            let sitting = occupants(&view.players);
            let is_taken = |seat: Seat| matches!(sitting[seat.index()], Occupant::Person(_));
            if Seat::ALL.into_iter().all(is_taken) {
                app.join_form.refusal.set(Some(words.all_taken.to_owned()));
            }
            app.join_form.seat.update(|wish| *wish = wish.filter(|seat| !is_taken(*seat)));
            occupied_by.set(sitting);
        }
        Ok(ServerMessage::Error { error, .. }) if error.code == ErrorCode::BadKey => {
            app.join_form.refusal.set(Some(words.invitation_gone.to_owned()));
        }
        Ok(ServerMessage::Error { error, .. }) => app.join_form.refusal.set(Some(app.refusal_text(&error))),
        _ => {}
    }
}
