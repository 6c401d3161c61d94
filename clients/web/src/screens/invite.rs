//! Invites: a link with the key in its fragment, also as a QR code, bots for empty seats, and links that can be revoked.

use leptos::prelude::*;
use qrcodegen::{QrCode, QrCodeEcc};
use texas42_client::ClientCore;
use texas42_protocol::{Grant, Role};
use texas42_vocab::{Control, Phase, Seat};

use crate::{
    app::{App, app},
    browser,
    computed::Computed,
    connection,
    erased_view::{AllDrawn, ErasedView, drawn, when},
    screens::lobby::{CodeBox, GetCode, Guests},
    table_model::TableModel,
    words::fill,
};

#[component]
pub(crate) fn InviteBox() -> impl IntoView {
    let app = app();
    let roles = Computed::new(move || app.with_table(TableModel::invites_to).unwrap_or_default());
    let has_free_seats = Computed::new(move || {
        app.with_table(|table| table.phase() == Phase::Setup && !free_seats(table).is_empty()).unwrap_or(false)
    });
    Effect::new(move || {
        // Links for other roles are created on request, and a refused link is not requested again.
        let game = app.table.now().map(|table| table.game.clone());
        if roles.with(|roles| roles.contains(&Role::Player)) && app.invites.begins_asking(game) {
            ask(app, Role::Player);
        }
    });
    let offered = move || {
        let shown = app.invites.shown_role();
        let others = roles.get().into_iter().filter(|role| Some(*role) != shown);
        others.map(|role| view! { <button class="small quiet" on:click=move |_| ask(app, role)>{link_words(app, role).0}</button> }).all_drawn()
    };
    // Before the game starts a full table has no seat to take; later a person can replace a bot.
    let is_full = move || !has_free_seats.get() && app.with_table(TableModel::phase) == Some(Phase::Setup);
    let means = move |role: Role| {
        if role == Role::Player && is_full() { app.words().full_table } else { link_words(app, role).1 }
    };
    let invites_players = move || roles.with(|roles| roles.contains(&Role::Player));
    view! {
        <Guests/>
        <div class="ways-in">
            {drawn(move || app.invites.shown().map(|(role, link)| view! {
                <p class="sub">{drawn(move || means(role))}</p>
                <Link link/>
            }))}
            {when(invites_players, || view! { <CodeBox/> })}
        </div>
        <div class="row">
            {when(move || has_free_seats.get() && roles.with(|roles| roles.contains(&Role::Player)), move || view! {
                <button class="small" data-do="fill-seats" on:click=move |_| fill_seats(app)>{app.words().fill_with_bots}</button>
            })}
            {when(invites_players, || view! { <GetCode/> })}
            {drawn(offered)}
        </div>
    }
}

/// The links that this person made, each with a button that revokes it.
#[component]
pub(crate) fn MadeLinks() -> impl IntoView {
    let app = app();
    let line = move |(number, role): (u32, Role)| {
        let name = link_words(app, role).0;
        let revoke = move |_| drop(connection::with_client(app, |client, now| client.revoke(now, number)));
        view! {
            <div class="row between">
                <span>{name}</span>
                <button class="small" data-do="revoke" aria-label=fill(app.words().revoke_link, &[name]) on:click=revoke>{app.words().revoke}</button>
            </div>
        }
    };
    when(
        move || !app.invites.made().is_empty(),
        move || {
            view! {
                <div class="made-links">
                    <p class="sub">{app.words().revoke_more}</p>
                    {drawn(move || app.invites.made().into_iter().map(line).all_drawn())}
                </div>
            }
        },
    )
}

/// The name of a link, and what the person who opens it can do.
fn link_words(app: App, role: Role) -> (&'static str, &'static str) {
    let words = app.words();
    match role {
        Role::Coach => (words.invite_coach, words.invite_coach_more),
        Role::Spectator => (words.invite_watch, words.invite_watch_more),
        Role::Student => (words.invite_student, words.invite_student_more),
        Role::Admin => (words.invite_admin, words.invite_admin_more),
        Role::Ai => (words.invite_bot, words.invite_bot_more),
        Role::Player => (words.invite_play, words.invite_more),
    }
}

fn ask(app: App, role: Role) {
    // One link for everyone: it can be used once for each of the other seats.
    let own_seat = app.with_table(|table| table.seat).flatten();
    let uses = (role == Role::Player).then_some(if own_seat.is_some() { 3 } else { 4 });
    let seat = own_seat.filter(|_| role == Role::Coach);
    let open_hands = role == Role::Spectator && app.with_table(TableModel::has_open_hands).unwrap_or(false);
    let grant = Grant { uses, seat, open_hands, ..Grant::of(role) };
    app.invites.ask(role);
    connection::with_client(app, |client, now| client.invite(now, grant, None));
}

/// Fills every free seat with a bot and declares this person ready, so that the game starts. A person who comes back
/// later gets their seat back.
fn fill_seats(app: App) {
    connection::with_client(app, ClientCore::declare_ready);
    for seat in app.with_table(free_seats).unwrap_or_default() {
        connection::with_client(app, |client, now| client.set_control(now, seat, Control::Ai));
    }
}

/// Seats that are empty, or whose person is away.
fn free_seats(table: &TableModel) -> Vec<Seat> {
    let is_free = |seat: &Seat| table.player_on(*seat).is_none() || table.is_away(*seat);
    Seat::ALL.into_iter().filter(is_free).collect()
}

#[component]
fn Link(link: String) -> impl IntoView {
    let app = app();
    let (copied, shared) = (link.clone(), link.clone());
    let copy = move |_| {
        browser::copy(&copied);
        app.show_notice(app.words().copied);
    };
    view! {
        <div class="invitation">
            {drawing(&link).map(|(svg, size)| view! {
                <svg class="qr" viewBox=format!("0 0 {size} {size}") role="img" aria-label=app.words().qr inner_html=svg></svg>
            }).erased()}
            <input class="link" type="text" readonly=true aria-label=app.words().invite_link prop:value=link/>
            <button class="primary" on:click=copy>{app.words().copy_link}</button>
            {browser::can_share().then(|| view! {
                <button data-do="share" on:click=move |_| browser::share(&shared)>{app.words().share_link}</button>
            }).erased()}
        </div>
    }
}

/// The SVG content of a QR code with its quiet zone, and its size.
fn drawing(text: &str) -> Option<(String, i32)> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let size = code.size();
    let mut path = String::new();
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            path.push_str(&format!("M{} {}h1v1h-1z", x + 4, y + 4));
        }
    }
    let whole = size + 8;
    Some((format!("<rect width='{whole}' height='{whole}' fill='#fff'/><path fill='#000' d='{path}'/>"), whole))
}
