//! The headings of decisions, and the expert's advice about them.

use leptos::prelude::*;
use texas42_protocol::ActionGroup;

use crate::{erased_view::drawn, shown_table::shown, status::waits_for, table_model::TableModel, words::fill};

/// The heading of the auction: whose turn it is, and the bid to beat.
#[component]
pub fn AuctionHeading() -> impl IntoView {
    let shown = shown();
    let words = shown.words();
    let title = move || {
        shown.with(|table| match table.view.derived.to_act {
            Some(_) => waits_for(table, words),
            None => words.thrown_in.to_owned(),
        })
    };
    let standing = move || {
        shown.with(|table| match table.standing() {
            Some((seat, bid)) => fill(words.to_beat, &[&words.bid_text(bid), &table.name_or_partner(seat, words)]),
            None => words.nobody_bid.to_owned(),
        })
    };
    view! {
        <h2>{drawn(title)}</h2>
        <p class="sub">{drawn(standing)}</p>
    }
}

/// The heading of the decision about trumps: whose turn it is, and what was bid.
#[component]
pub fn TrumpHeading() -> impl IntoView {
    let shown = shown();
    let words = shown.words();
    let title = move || shown.with(|table| waits_for(table, words));
    let bid = move || shown.with(|table| table.bid_text(words)).flatten();
    view! {
        <h2>{drawn(title)}</h2>
        <p class="sub">{drawn(bid)}</p>
    }
}

/// The expert's advice with its reason; until it is computed, the table's hint.
#[component]
pub fn Advice(
    /// The choices that it is about.
    group: ActionGroup,
    /// Shows all of the text on a tap, because it may be cut off.
    on_tap: Callback<String>,
) -> impl IntoView {
    let shown = shown();
    let advice = move |table: &TableModel| {
        let (is_best, text) = table.advice(group, shown.words())?;
        let class = if is_best { "hint advice best" } else { "hint advice" };
        let whole = text.clone();
        Some(view! { <p class=class title=text.clone() on:click=move |_| on_tap.run(whole.clone())>{text.clone()}</p> })
    };
    drawn(move || shown.with(advice).flatten())
}
