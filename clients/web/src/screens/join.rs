//! The form for joining a table by an invite link: a name and, for players, a free seat.

use leptos::prelude::*;
use texas42_client::Credentials;
use texas42_house_rules::TableSettings;
use texas42_protocol::{ErrorCode, GameView, Role, ServerMessage};
use texas42_vocab::Seat;
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::{App, Screen, app},
    browser, connection,
    erased_view::{AllDrawn, ErasedView, drawn, when},
    invite_link::{InviteLink, Occupant, Seating},
    screens::{
        create::{NameField, is_name_fine},
        dialogs::rules_of,
    },
    table_model::HostKind,
    words::{Words, fill},
};

#[component]
pub(crate) fn Join(link: InviteLink) -> impl IntoView {
    let app = app();
    let words = app.words();
    let seating = RwSignal::new(Seating::default());
    let loaded = RwSignal::new(None);
    let role = link.role;
    let plays = role == Role::Player;
    // A person who joined with an invite for a bot would be listed as one.
    let is_for_person = role != Role::Ai;
    if is_for_person {
        spawn_local(load_table(app, link.clone(), seating, loaded));
    }
    let Invitation { title, by, more, button } = Invitation::of(role, words);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_name_fine(app) {
            join_table(app, &link);
        }
    };
    view! {
        <main class="form narrow" tabindex="-1">
            <form on:submit=submit>
                <h1>{drawn(move || seating.with(|seating| {
                    seating.host_name.as_ref().map_or_else(|| title.to_owned(), |name| fill(by, &[name]))
                }))}</h1>
                {more.map(|more| view! { <p>{more}</p> }).erased()}
                <div class="says" role="alert">{when(move || app.join_form.refusal.with(Option::is_some), move || view! {
                    <p class="hint">{drawn(move || app.join_form.refusal.get())}</p>
                })}</div>
                {is_for_person.then(|| view! { <NameField/> }).erased()}
                {plays.then(|| view! { <Seats seating/> }).erased()}
                {(!plays).then(|| when(move || seating.with(Seating::is_known), move || view! { <Seats seating is_open=false/> })).erased()}
                {drawn(move || loaded.with(|view: &Option<GameView>| view.as_ref().map(|view| what_is_played(view, words))))}
                <div class="row">
                    {is_for_person.then(|| view! { <button class="primary big">{button}</button> }).erased()}
                    <button type="button" class="quiet" on:click=move |_| app.go(Screen::Home)>{words.home}</button>
                </div>
            </form>
        </main>
    }
}

/// The texts of an invite for a role.
struct Invitation {
    title: &'static str,
    /// The title with the name of the host.
    by: &'static str,
    /// What this person will see and do, unless it goes without saying.
    more: Option<&'static str>,
    button: &'static str,
}

impl Invitation {
    fn of(role: Role, words: &'static Words) -> Self {
        let (title, by, more, button) = match role {
            Role::Player | Role::Student => (words.invited, words.invited_by, None, words.sit_down),
            Role::Coach => {
                (words.invited_to_coach, words.invited_to_coach_by, Some(words.coach_means), words.sit_behind)
            }
            Role::Admin => (words.invited_behind, words.invited_behind_by, Some(words.behind_means), words.go_behind),
            Role::Ai => (words.invite_bot, words.invite_bot, Some(words.invite_bot_more), ""),
            Role::Spectator => {
                (words.invited_to_watch, words.invited_to_watch_by, Some(words.watch_means), words.watch)
            }
        };
        Self { title, by, more, button }
    }
}

/// What is played at the table, and its house rules.
fn what_is_played(view: &GameView, words: &'static Words) -> AnyView {
    let summary = TableSettings::summary(view, words).unwrap_or_default();
    view! { <details class="played-here"><summary>{words.house_rules}": "{summary}</summary>{rules_of(view, words)}</details> }.into_any()
}

/// The table as a picture, with the host at the top and the host's partner at the bottom. Seats of people are disabled;
/// a visitor only sees who sits where.
#[component]
fn Seats(seating: RwSignal<Seating>, #[prop(default = true)] is_open: bool) -> impl IntoView {
    let app = app();
    let words = app.words();
    let places = move || {
        let seating = seating.get();
        let bottom = seating.host.map_or(Seat::ALL[2], Seat::partner);
        let place = |(place, seat): (usize, Seat)| seat_choice(app, &seating, seat, place, is_open);
        bottom.round().enumerate().map(place).all_drawn()
    };
    view! {
        <fieldset class="seat-picture">
            <legend>{words.seats}</legend>
            {drawn(places)}
        </fieldset>
    }
}

/// A seat of the picture at a place: 0 bottom, 1 left, 2 top, 3 right.
fn seat_choice(app: App, seating: &Seating, seat: Seat, place: usize, is_open: bool) -> AnyView {
    let words = app.words();
    let occupant = &seating.occupants[seat.index()];
    let host = seating.host.and_then(|host| Some((host, seating.occupants[host.index()].name()?)));
    let number = fill(words.seat, &[&(seat.index() + 1).to_string()]);
    // Two seats are against the host.
    let unseen = host.is_some().then(|| number.clone());
    let role = match host {
        Some((host, _)) if host == seat => None,
        Some((host, name)) if host.partner() == seat => Some(fill(words.seat_partner_of, &[name])),
        Some((_, name)) => Some(fill(words.seat_against, &[name])),
        None => Some(number),
    };
    let sitter = match occupant {
        Occupant::Nobody => words.seat_free.to_owned(),
        Occupant::Bot if is_open => words.seat_of_bot.to_owned(),
        Occupant::Bot => words.seat_for_bot.to_owned(),
        Occupant::Person(name) => name.clone(),
    };
    let is_taken = occupant.name().is_some();
    let side = if place.is_multiple_of(2) { "first" } else { "second" };
    let class = format!("seat-at at-{place} {side}");
    let number = seat.index().to_string();
    let text = view! {
        <span><i class="badge" aria-hidden="true"></i>{role.map(|role| view! { <b>{role}</b> })}" "<small>{sitter}</small><span class="unseen">{unseen}</span></span>
    };
    if !is_open {
        return view! { <div class=class data-seat=number>{text}</div> }.into_any();
    }
    view! {
        <label class=class data-seat=number>
            <input type="radio" name="seat" disabled=is_taken
                prop:checked=move || app.join_form.seat.get() == Some(seat)
                on:change=move |_| app.join_form.seat.set(Some(seat))/>
            {text}
        </label>
    }
    .into_any()
}

fn join_table(app: App, link: &InviteLink) {
    app.join_form.refusal.set(None);
    let credentials = Credentials::Join {
        game_id: link.game.clone(),
        invite: link.key.clone(),
        name: app.name_or_numbered(),
        // A person who is invited to play may also be a student.
        role: (link.role != Role::Player).then_some(link.role),
        seat: app.join_form.seat.get_untracked().filter(|_| link.role == Role::Player),
        capabilities: None,
        entropy: browser::entropy(),
    };
    if link.role == Role::Player {
        browser::forget("watching");
    } else {
        browser::store("watching", link.game.as_str());
    }
    app.navigation.wait_for_table();
    connection::open(app, HostKind::Server, credentials);
}

/// Loads what is played and who sits where. If that fails, the table itself will refuse a taken seat.
async fn load_table(app: App, link: InviteLink, seating: RwSignal<Seating>, loaded: RwSignal<Option<GameView>>) {
    let path = format!("api/games/{}/state", link.game);
    let plays = link.role == Role::Player;
    let answer = browser::ask_server(link.key.as_ref(), &path, None).await.unwrap_or_default();
    if app.navigation.screen.get_untracked() != Screen::Join(link) {
        return;
    }
    let words = app.words();
    match texas42_protocol::read(&answer) {
        Ok(ServerMessage::StateUpdate { view: Some(view), .. }) => {
            let sitting = Seating::of(&view.players, view.metadata.invited_by.as_ref());
            if plays && !Seat::ALL.into_iter().any(|seat| sitting.is_free(seat)) {
                app.join_form.refusal.set(Some(words.all_taken.to_owned()));
            }
            let is_free = |seat: &Seat| sitting.is_free(*seat);
            app.join_form.seat.update(|wish| *wish = wish.filter(is_free).or(sitting.beside_host().filter(is_free)));
            seating.set(sitting);
            loaded.set(Some(view));
        }
        Ok(ServerMessage::Error { error, .. }) if error.code == ErrorCode::BadKey => {
            app.join_form.refusal.set(Some(words.invite_gone.to_owned()));
        }
        Ok(ServerMessage::Error { error, .. }) => app.join_form.refusal.set(Some(app.refusal_text(&error))),
        _ => {}
    }
}
