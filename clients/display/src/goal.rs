//! The goal of a daily challenge: how many points each star needs.

use leptos::prelude::*;
use texas42_protocol::ChallengeView;

use crate::{
    computed::Computed,
    erased_view::{AllDrawn, drawn, live},
    shown_table::shown,
    table_model::TableModel,
    words::{Words, fill},
};

/// The goal, from the first bid to the result. A star is highlighted once its points are taken.
#[component]
pub fn Goal() -> impl IntoView {
    let shown = shown();
    let goal = Computed::new(move || shown.with(TableModel::goal).flatten());
    let taken = Computed::new(move || shown.with(TableModel::points_for_stars).unwrap_or_default());
    let star = move |number: u8, points: u8| {
        let is_reached = live(move || taken.get() >= points);
        let drawing: String = (0..number).map(|_| '★').collect();
        view! {
            <li class:reached=is_reached>
                <span aria-hidden="true">{drawing}" "<b>{points.to_string()}</b></span>
                <span class="unseen">{star_text(number, points, shown.words())}</span>
            </li>
        }
    };
    let stars = move |ChallengeView { star_thresholds: [one, two, three], .. }| {
        view! {
            <section class="goal" aria-label=shown.words().goal title=shown.words().goal_means>
                <span>{shown.words().goal_points}</span>
                <ul aria-description=shown.words().goal_means>
                    {[(3, three), (2, two), (1, one)].map(|(number, points)| star(number, points)).into_iter().all_drawn()}
                </ul>
            </section>
        }
    };
    drawn(move || goal.get().map(stars))
}

fn star_text(number: u8, points: u8, words: &Words) -> String {
    let points = points.to_string();
    match number {
        1 => fill(words.goal_one_star, &[&points]),
        _ => fill(words.goal_stars, &[&number.to_string(), &points]),
    }
}
