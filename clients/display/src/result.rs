//! The result of a hand: made or set, by whom and why, and what it is worth.

use leptos::prelude::*;
use texas42_protocol::ContractView;
use texas42_vocab::BidKind;

use crate::{
    erased_view::drawn,
    score::Count,
    shown_table::shown,
    table_model::TableModel,
    words::{Words, capitalized, fill},
};

/// Who had the bid, what decided the hand, what it is worth, and how the points are split.
#[component]
pub fn HandFacts() -> impl IntoView {
    let shown = shown();
    let words = shown.words();
    view! {
        <p class="sub">{drawn(move || shown.with(|table| sentence(table, words)).flatten())}</p>
        <p class="why">{drawn(move || shown.with(|table| reason(table, words)).flatten())}</p>
        <Gain/>
        <Count/>
    }
}

/// The headline of the result of a hand.
pub fn result_title(table: &TableModel, words: &Words) -> String {
    let state = &table.view.state;
    let made = state.outcome.as_ref().is_some_and(|outcome| outcome.made);
    state.contract.map(|contract| headline(table, contract, made, state.points, words)).unwrap_or_default()
}

/// How a contract ended, from the viewer's perspective. A bid of points comes with what was taken.
pub fn headline(table: &TableModel, contract: ContractView, made: bool, points: [u8; 2], words: &Words) -> String {
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
fn sentence(table: &TableModel, words: &Words) -> Option<String> {
    let contract = table.view.state.contract?;
    let trump = contract.trump.map(|trump| format!(" ({})", words.trump_text(trump)));
    let bid = words.bid_text(contract.bid) + &trump.unwrap_or_default();
    Some(fill(words.had_bid, &[&table.name_or_you(contract.bidder, words), &bid]))
}

fn reason(table: &TableModel, words: &Words) -> Option<String> {
    table.claim_text(words).or_else(|| table.outcome_text(words).map(capitalized))
}

/// What the result is worth, and to whom.
#[component]
fn Gain() -> impl IntoView {
    let shown = shown();
    let gain = move || {
        shown.with(|table| {
            let (team, marks) = table.gain()?;
            let words = shown.words();
            let side = if team == table.first_team() { "gain first" } else { "gain second" };
            Some((side, fill(words.gain_for, &[&words.marks_text(marks), table.team_name(team, words)])))
        })
    };
    let text = move |(class, text)| view! { <p class=class><i class="badge" aria-hidden="true"></i>{text}</p> };
    drawn(move || gain().flatten().map(text))
}
