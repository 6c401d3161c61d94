//! The end of a game: the winner, the score, and the stars of a daily challenge.

use leptos::prelude::*;
use texas42_vocab::{Phase, Team};

use crate::{
    result::headline,
    shown_table::ShownTable,
    table_model::TableModel,
    words::{Words, fill},
};

/// The headline of the end of a game.
pub fn ending_title(table: &TableModel, words: &Words) -> String {
    if let (Phase::OneHandComplete, Some(hand)) = (table.phase(), &table.view.state.last_hand) {
        return headline(table, hand.contract, hand.outcome.made, hand.points, words);
    }
    match (table.seat, table.view.derived.winner) {
        (Some(seat), Some(winner)) if seat.team() == winner => words.you_win.to_owned(),
        (Some(_), Some(_)) => words.you_lose.to_owned(),
        (None, Some(winner)) => fill(words.side_wins, &[table.team_name(winner, words)]),
        (_, None) => words.hand_result.to_owned(),
    }
}

/// The score of both teams.
pub fn final_score(table: &TableModel, words: &Words) -> String {
    let first = table.first_team();
    let side = |team: Team| format!("{} {}", table.team_name(team, words), table.view.state.score[team.index()]);
    format!("{} · {}", side(first), side(first.other()))
}

/// The stars that a daily challenge was worth, and why.
pub fn star_result(shown: ShownTable, stars: u8) -> AnyView {
    let words = shown.words();
    let text = fill(words.stars, &[&stars.to_string()]);
    let drawn: String = (0..3).map(|number| if number < stars { '★' } else { '☆' }).collect();
    let why = shown.with(|table| table.stars_explained(words)).flatten();
    view! {
        <p class="stars"><span aria-hidden="true">{drawn}</span><span class="unseen">{text}</span></p>
        <p class="sub">{why}</p>
    }
    .into_any()
}
