//! Getting others to the table: a link with the key behind `#`, the same as a QR code, and programs for empty seats.

use leptos::prelude::*;
use qrcodegen::{QrCode, QrCodeEcc};
use texas42_protocol::{Grant, Role};
use texas42_vocab::{Control, Phase, Seat};

use crate::{
    app::{App, app, live},
    browser, line,
    seen::{Home, Seen},
};

#[component]
pub(crate) fn InviteBox() -> impl IntoView {
    let app = app();
    let may = Memo::new(move |_| app.look(|seen| seen.home == Home::Server && seen.configures()).unwrap_or(false));
    let is_gathering = Memo::new(move |_| app.look(|seen| seen.phase() == Phase::Setup).unwrap_or(false));
    Effect::new(move || {
        if may.get() && app.invitation.get_untracked().is_none() {
            ask(app, Role::Player);
        }
    });
    view! {
        <Show when=move || may.get()>
            <p class="sub">{app.words().invite_more}</p>
            {live(move || app.invitation.get().map(|link| view! { <Link link/> }))}
            <div class="row">
                <button class="small quiet" on:click=move |_| ask(app, Role::Spectator)>{app.words().invite_watch}</button>
                <Show when=move || is_gathering.get()>
                    <button class="small" on:click=move |_| fill_seats(app)>{app.words().fill_with_programs}</button>
                </Show>
            </div>
        </Show>
    }
}

fn ask(app: App, role: Role) {
    // One link for everybody: as many as can sit beside the one who invites.
    let uses = (role == Role::Player).then_some(3);
    let grant = Grant { uses, ..Grant::of(role) };
    line::with_client(app, |client, now| client.invite(now, grant, None));
}

/// Every seat without a person gets a program.
fn fill_seats(app: App) {
    let empty = app
        .look(|seen: &Seen| Seat::ALL.into_iter().filter(|seat| seen.player_on(*seat).is_none()).collect::<Vec<_>>());
    for seat in empty.unwrap_or_default() {
        line::with_client(app, |client, now| client.set_control(now, seat, Control::Ai));
    }
}

#[component]
fn Link(link: String) -> impl IntoView {
    let app = app();
    let copied = link.clone();
    let copy = move |_| {
        browser::copy(&copied);
        app.tell(app.words().copied);
    };
    view! {
        <div class="invitation">
            {drawing(&link).map(|(svg, size)| view! {
                <svg class="qr" viewBox=format!("0 0 {size} {size}") role="img" aria-label=app.words().qr inner_html=svg></svg>
            })}
            <input class="link" type="text" readonly=true aria-label=app.words().copy_link prop:value=link/>
            <button class="primary" on:click=copy>{app.words().copy_link}</button>
        </div>
    }
}

/// The inside of the drawing of a QR code with its quiet border, and its size.
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
