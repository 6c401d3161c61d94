//! What the table is waiting for.

use leptos::prelude::*;
use texas42_vocab::Phase;

use crate::{
    computed::Computed,
    erased_view::{keyed, number_of},
    shown_table::shown,
    table_model::TableModel,
    words::{Words, fill},
};

/// What the table is waiting for, in one line.
#[component]
pub fn Status() -> impl IntoView {
    let shown = shown();
    let words = shown.words();
    let status = Computed::new(move || {
        shown.with(|table| (table.is_my_turn(), looks_on(table, words), waits_for(table, words))).unwrap_or_default()
    });
    keyed(
        move || status.with(|(is_mine, looks, text)| (number_of(looks) ^ number_of(text)) << 1 | u64::from(*is_mine)),
        move || {
            let (is_mine, looks, text) = status.get_untracked();
            view! { <p class="status" class:mine=is_mine><small>{looks}" "</small><span>{text}</span></p> }
        },
    )
}

/// The role of a person without a seat; hidden on small screens.
fn looks_on(table: &TableModel, words: &Words) -> String {
    match (table.seat, table.student()) {
        (Some(_), _) => String::new(),
        (None, Some(student)) => fill(words.coach, &[&table.name(student, words)]),
        (None, None) => words.watching.to_owned(),
    }
}

/// What the table is waiting for, from the viewer's perspective.
pub fn waits_for(table: &TableModel, words: &Words) -> String {
    let state = &table.view.state;
    if let Some(text) = table.complete_trick().and_then(|trick| table.trick_text(trick, words)) {
        return text;
    }
    let leads = state.trick.as_ref().is_none_or(|trick| trick.plays.is_empty());
    match (state.phase, table.view.derived.to_act) {
        (Phase::Bidding, Some(seat)) if table.seat == Some(seat) => words.your_bid.to_owned(),
        (Phase::TrumpSelection, Some(seat)) if table.seat == Some(seat) => words.your_trumps.to_owned(),
        (Phase::Playing, Some(seat)) if table.seat == Some(seat) && leads => words.your_lead.to_owned(),
        (Phase::Playing, Some(seat)) if table.seat == Some(seat) => words.your_turn.to_owned(),
        (Phase::Bidding, Some(seat)) => fill(words.waits_bid, &[&table.name(seat, words)]),
        (Phase::TrumpSelection, Some(seat)) => fill(words.waits_trumps, &[&table.name(seat, words)]),
        (Phase::Playing, Some(seat)) => fill(words.waits_play, &[&table.name(seat, words)]),
        (Phase::Setup, _) => words.gathering.to_owned(),
        _ => String::new(),
    }
}
