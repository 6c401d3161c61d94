//! The table screen: header with the score, seats around the felt, trick or decision in the middle, the person's hand
//! below.
//!
//! Views follow the table through the helpers of `erased_view`: `drawn` redraws when a signal that it reads changes, `when`
//! shows a view while a condition holds, `keyed` replaces an element when its key changes, so that animations start anew,
//! and `erased` turns a view into one of the few types that the page compiles.

mod bidding;
mod center;
mod cover;
mod ending;
mod hand;
mod header;
mod history;
mod scoring;
mod tray;
mod undo;

pub(crate) use history::{HandHistory, LastTrick};
pub(crate) use texas42_display::{
    status::waits_for,
    tile::{Back, Icon, Tile},
};

use leptos::prelude::*;
use texas42_display::{goal::Goal, seat::SeatAt};
use texas42_vocab::Phase;

use crate::{
    app::{Screen, app},
    computed::Computed,
    connection::ConnectionState,
    erased_view::{ErasedView, drawn, keyed, when},
    screens::GuestsInGame,
    table::{
        center::Center,
        cover::Cover,
        hand::OwnSeat,
        header::Header,
        history::Side,
        tray::{SpeechBubble, Tray, speech_bubble},
    },
    table_model::TableModel,
    words::fill,
};

/// The whole table.
#[component]
pub(crate) fn Table() -> impl IntoView {
    let app = app();
    // Three stages: no table, people gathering, a game.
    let stage =
        Computed::new(move || app.with_table(|table| if table.phase() == Phase::Setup { 1 } else { 2 }).unwrap_or(0));
    keyed(
        move || stage.get(),
        move || if stage.get_untracked() == 0 { view! { <Waiting/> }.erased() } else { view! { <AtTable/> }.erased() },
    )
}

#[component]
fn AtTable() -> impl IntoView {
    let app = app();
    // The decision of a person whose dominoes are covered.
    let nobody = Computed::new(|| None);
    let hides_decision = move || app.hot_seat.is_covered() && app.with_table(TableModel::is_my_turn) == Some(true);
    view! {
        <a class="skip" href="#table" on:click=move |event| {
            event.prevent_default();
            crate::browser::focus("#hand button, #table button");
        }>{app.words().skip_to_table}</a>
        <div class="table-page" data-phase=move || app.with_table(|table| table.phase().name())>
            <Header/>
            <Tray/>
            <div class="said-by-visitors"><SpeechBubble seat=nobody/></div>
            <Goal/>
            <GuestsInGame/>
            <main class="felt" id="table" tabindex="-1">
                <div class="rail"></div>
                {[1, 2, 3].map(|place| view! { <SeatAt place is_face_down=app.motion.is_face_down() addition=speech_bubble/> })}
                {when(move || !hides_decision(), move || view! { <Center/> })}
            </main>
            {keyed(move || u64::from(app.hot_seat.is_covered()), move || {
                if app.hot_seat.is_covered() { view! { <Cover/> }.erased() } else { view! { <OwnSeat/> }.erased() }
            })}
            <Side/>
        </div>
    }
}

/// Shown while the table is loading.
#[component]
fn Waiting() -> impl IntoView {
    let app = app();
    let text = move || match app.connection.get() {
        ConnectionState::Down { .. } => app.words().reconnecting.to_owned(),
        ConnectionState::Elsewhere(_) => app.words().other_tab.to_owned(),
        ConnectionState::SearchingDeal(percent) => fill(app.words().searching_deal, &[&percent.to_string()]),
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
