//! The result of a hand, and the button that continues.

use std::time::Duration;

use leptos::prelude::*;
use texas42_display::result::{HandFacts, result_title};
use web_sys::FocusOptions;

use crate::{
    app::{App, app},
    computed::Computed,
    erased_view::{drawn, live},
    table_model::TableModel,
    words::fill,
};

#[component]
pub(crate) fn Scoring() -> impl IntoView {
    let app = app();
    let is_good = move || app.with_table(is_good).flatten();
    let agrees = Computed::new(move || app.with_table(|table| table.agree_offer().map(|offer| offer.action)).flatten());
    view! {
        <div class="panel result" class:good=live(move || is_good() == Some(true)) class:bad=live(move || is_good() == Some(false))>
            <h2>{drawn(move || app.with_table(|table| result_title(table, app.words())))}</h2>
            <HandFacts/>
            <div class="next">
                {drawn(move || agrees.get().map(|action| view! {
                    <button class="primary" node_ref=focused() on:click=move |_| app.act(action)>{drawn(move || app.with_table(|table| goes_on(table, app)))}</button>
                }))}
                <p class="sub">{drawn(move || app.with_table(|table| waits(table, app)).flatten())}</p>
            </div>
        </div>
    }
}

/// Longer than a frame of the screen, and too short to notice, in milliseconds.
const A_FRAME: u64 = 30;

/// A reference for a button that takes the focus when it appears, so that Enter continues.
pub(crate) fn focused() -> NodeRef<leptos::html::Button> {
    let button = NodeRef::<leptos::html::Button>::new();
    Effect::new(move || {
        if let Some(button) = button.get() {
            // Delayed until after the first frame, because focusing a new element forces a layout of the whole page.
            // Without scrolling, because the headline is read first.
            let still = FocusOptions::new();
            still.set_prevent_scroll(true);
            set_timeout(move || button.focus_with_options(&still).unwrap_or(()), Duration::from_millis(A_FRAME));
        }
    });
    button
}

/// Whether the hand went well for the viewer.
fn is_good(table: &TableModel) -> Option<bool> {
    let (outcome, contract) = (table.view.state.outcome.as_ref()?, table.view.state.contract?);
    let is_own = table.seat?.team() == contract.bidder.team();
    Some(outcome.made == is_own)
}

/// What follows the result.
fn goes_on(table: &TableModel, app: App) -> &'static str {
    if table.ends_game() { app.words().end_game } else { app.words().next_hand }
}

fn waits(table: &TableModel, app: App) -> Option<String> {
    let words = app.words();
    if table.agree_offer().is_some() || table.view.state.agreed.is_empty() {
        return None;
    }
    let people = table.view.players.iter().filter(|player| player.control_type == texas42_vocab::Control::Human);
    let missing =
        people.filter_map(|player| player.player_index).filter(|seat| !table.view.state.agreed.contains(seat));
    let names: Vec<String> = missing.map(|seat| table.name(seat, words)).collect();
    (!names.is_empty()).then(|| fill(words.waiting_for, &[&names.join(", ")]))
}
