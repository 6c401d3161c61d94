//! The result of a hand: made or set, the reason, and the stake.

use std::time::Duration;

use leptos::prelude::*;
use texas42_protocol::ContractView;
use texas42_vocab::BidKind;
use web_sys::FocusOptions;

use crate::{
    app::{App, app},
    erased_view::{drawn, live},
    table_model::{TableModel, Taken},
    words::{Words, capitalised, fill},
};

#[component]
pub(crate) fn Scoring() -> impl IntoView {
    let app = app();
    let is_good = move || app.with_table(is_good).flatten();
    let agrees = Memo::new(move |_| app.with_table(|table| table.agree_offer().map(|offer| offer.action)).flatten());
    view! {
        <div class="panel result" class:good=live(move || is_good() == Some(true)) class:bad=live(move || is_good() == Some(false))>
            <h2>{drawn(move || app.with_table(|table| title(table, app)))}</h2>
            <p class="sub">{drawn(move || app.with_table(|table| sentence(table, app)).flatten())}</p>
            <p class="why">{drawn(move || app.with_table(|table| reason(table, app)).flatten())}</p>
            <Split/>
            <div class="next">
                {drawn(move || agrees.get().map(|action| view! {
                    <button class="primary" node_ref=focused() on:click=move |_| app.act(action)>{app.words().go_on}</button>
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

fn title(table: &TableModel, app: App) -> String {
    let made = table.view.state.outcome.as_ref().is_some_and(|outcome| outcome.made);
    headline(table, table.view.state.contract, made, app.words()).to_owned()
}

/// How a contract ended, from the viewer's perspective.
pub(super) fn headline(table: &TableModel, contract: Option<ContractView>, made: bool, words: &Words) -> &'static str {
    let is_own = contract.zip(table.seat).map(|(contract, seat)| contract.bidder.team() == seat.team());
    match (is_own, made) {
        (Some(true), true) => words.you_made,
        (Some(true), false) => words.you_set,
        (Some(false), true) => words.they_made,
        (Some(false), false) => words.they_set,
        (None, true) => words.made,
        (None, false) => words.set,
    }
}

fn sentence(table: &TableModel, app: App) -> Option<String> {
    let words = app.words();
    let contract = table.view.state.contract?;
    let points = words.points_text(table.view.state.points[contract.bidder.team().index()]);
    let trump = contract.trump.map(|trump| words.trump_text(trump));
    let bid = match (contract.bid.kind, trump) {
        (BidKind::Points, Some(trump)) | (_, Some(trump)) => format!("{} ({trump})", words.bid_text(contract.bid)),
        (_, None) => words.bid_text(contract.bid),
    };
    Some(fill(words.bid_and_took, &[&table.name(contract.bidder, words), &bid, &points]))
}

fn reason(table: &TableModel, app: App) -> Option<String> {
    let words = app.words();
    let outcome = || Some(capitalised(words.outcome(table.view.state.outcome.as_ref()?.reason)));
    table.claim_text(words).or_else(outcome)
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

/// How the 42 points were split, and the stake.
#[component]
fn Split() -> impl IntoView {
    let app = app();
    let facts = move || {
        app.with_table(|table| (table.taken(app.words()), table.view.state.contract.map(|contract| contract.stake)))
    };
    let side = move |Taken { name, points, tricks }: Taken, class: &'static str| {
        view! {
            <div class=format!("split-side {class}")>
                <span class="team"><i class="badge" aria-hidden="true"></i>{name}</span>
                <b>{points.to_string()}</b>
                <small>{app.words().tricks_text(tricks)}</small>
            </div>
        }
    };
    view! {
        {drawn(move || facts().map(|([us, them], stake)| view! {
            <div class="split">
                {side(us, "first")}
                <span class="stake">{stake.map(|stake| app.words().marks_text(stake.into()))}</span>
                {side(them, "second")}
            </div>
        }))}
    }
}
