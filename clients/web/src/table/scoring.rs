//! The result of a hand: made or set, by whom and why, and what it is worth.

use std::time::Duration;

use leptos::prelude::*;
use texas42_protocol::ContractView;
use texas42_vocab::BidKind;
use web_sys::FocusOptions;

use crate::{
    app::{App, app},
    computed::Computed,
    erased_view::{drawn, live},
    table::header::Count,
    table_model::TableModel,
    words::{Words, capitalized, fill},
};

#[component]
pub(crate) fn Scoring() -> impl IntoView {
    let app = app();
    let is_good = move || app.with_table(is_good).flatten();
    let agrees = Computed::new(move || app.with_table(|table| table.agree_offer().map(|offer| offer.action)).flatten());
    view! {
        <div class="panel result" class:good=live(move || is_good() == Some(true)) class:bad=live(move || is_good() == Some(false))>
            <h2>{drawn(move || app.with_table(|table| title(table, app)))}</h2>
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

/// Who had the bid, what decided the hand, what it is worth, and how the points are split.
#[component]
pub(super) fn HandFacts() -> impl IntoView {
    let app = app();
    view! {
        <p class="sub">{drawn(move || app.with_table(|table| sentence(table, app)).flatten())}</p>
        <p class="why">{drawn(move || app.with_table(|table| reason(table, app)).flatten())}</p>
        <Gain/>
        <Count/>
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

fn title(table: &TableModel, app: App) -> String {
    let state = &table.view.state;
    let made = state.outcome.as_ref().is_some_and(|outcome| outcome.made);
    state.contract.map(|contract| headline(table, contract, made, state.points, app.words())).unwrap_or_default()
}

/// How a contract ended, from the viewer's perspective. A bid of points comes with what was taken.
pub(super) fn headline(
    table: &TableModel,
    contract: ContractView,
    made: bool,
    points: [u8; 2],
    words: &Words,
) -> String {
    let team = contract.bidder.team();
    let text = made_or_set(table.seat.map(|seat| seat.team() == team), made, words);
    match contract.bid.kind {
        BidKind::Points => {
            fill(words.on_a_bid, &[text, &points[team.index()].to_string(), &words.bid_text(contract.bid)])
        }
        BidKind::Marks | BidKind::Plunge | BidKind::Splash => text.to_owned(),
    }
}

fn made_or_set(is_own: Option<bool>, made: bool, words: &Words) -> &'static str {
    match (is_own, made) {
        (Some(true), true) => words.you_made,
        (Some(true), false) => words.you_set,
        (Some(false), true) => words.they_made,
        (Some(false), false) => words.they_set,
        (None, true) => words.made,
        (None, false) => words.set,
    }
}

/// Who had which bid.
fn sentence(table: &TableModel, app: App) -> Option<String> {
    let words = app.words();
    let contract = table.view.state.contract?;
    let trump = contract.trump.map(|trump| format!(" ({})", words.trump_text(trump)));
    let bid = words.bid_text(contract.bid) + &trump.unwrap_or_default();
    Some(fill(words.had_bid, &[&table.name_or_you(contract.bidder, words), &bid]))
}

fn reason(table: &TableModel, app: App) -> Option<String> {
    let words = app.words();
    table.claim_text(words).or_else(|| table.outcome_text(words).map(capitalized))
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

/// What the result is worth, and to whom.
#[component]
fn Gain() -> impl IntoView {
    let app = app();
    let gain = move || {
        app.with_table(|table| {
            let (team, marks) = table.gain()?;
            let words = app.words();
            let side = if team == table.first_team() { "gain first" } else { "gain second" };
            Some((side, fill(words.gain_for, &[&words.marks_text(marks), table.team_name(team, words)])))
        })
    };
    let text = move |(class, text)| view! { <p class=class><i class="badge" aria-hidden="true"></i>{text}</p> };
    drawn(move || gain().flatten().map(text))
}
