//! The table screen: header with the score, seats around the felt, trick or decision in the middle, the person's hand
//! below.

mod bidding;
mod center;
mod ending;
mod hand;
mod header;
mod history;
mod scoring;
mod seat;
mod undo;

pub(crate) use header::Icon;
pub(crate) use history::{HandHistory, LastTrick};

use leptos::prelude::*;
use texas42_vocab::{Domino, Phase};

use crate::{
    app::{Screen, app},
    connection::ConnectionState,
    domino::{back, face},
    erased_view::{ErasedView, anew, drawn},
    table::{center::Center, hand::OwnSeat, header::Header, history::Side, seat::SeatAt},
    words::fill,
};

/// The whole table.
#[component]
pub(crate) fn Table() -> impl IntoView {
    let app = app();
    // Three stages: no table, people gathering, a game.
    let stage =
        Memo::new(move |_| app.with_table(|table| if table.phase() == Phase::Setup { 1 } else { 2 }).unwrap_or(0));
    anew(
        move || stage.get(),
        move || if stage.get_untracked() == 0 { view! { <Waiting/> }.erased() } else { view! { <AtTable/> }.erased() },
    )
}

#[component]
fn AtTable() -> impl IntoView {
    let app = app();
    view! {
        <a class="skip" href="#table" on:click=move |event| {
            event.prevent_default();
            crate::browser::focus("#hand button, #table button");
        }>{app.words().skip_to_table}</a>
        <div class="table-page" data-phase=move || app.with_table(|table| table.phase().name())>
            <Header/>
            <main class="felt" id="table" tabindex="-1">
                <div class="rail"></div>
                <SeatAt place=1/>
                <SeatAt place=2/>
                <SeatAt place=3/>
                <Center/>
            </main>
            <OwnSeat/>
            <Side/>
        </div>
    }
}

/// Shown while the table is loading.
#[component]
fn Waiting() -> impl IntoView {
    let app = app();
    let text = move || match app.connection.get() {
        ConnectionState::Down => app.words().reconnecting.to_owned(),
        ConnectionState::Elsewhere(_) => app.words().other_tab.to_owned(),
        ConnectionState::Looking(percent) => fill(app.words().looking, &[&percent.to_string()]),
        _ => app.words().loading.to_owned(),
    };
    view! {
        <main class="waiting" tabindex="-1">
            <p role="status">{drawn(text)}</p>
            {drawn(move || match app.connection.get() {
                ConnectionState::Elsewhere(home) => Some(view! {
                    <button class="primary" on:click=move |_| app.rejoin(home)>{app.words().take_game_here}</button>
                }),
                _ => None,
            })}
            <button class="quiet" on:click=move |_| app.go(Screen::Home)>{app.words().home}</button>
        </main>
    }
}

/// A domino, face up.
#[component]
pub(crate) fn Tile(domino: Domino) -> impl IntoView {
    view! { <svg class="domino" viewBox="0 0 100 200" aria-hidden="true" inner_html=face(domino)></svg> }
}

/// A domino, face down.
#[component]
pub(crate) fn Back() -> impl IntoView {
    view! { <svg class="domino" viewBox="0 0 100 200" aria-hidden="true" inner_html=back()></svg> }
}
