//! The chart of the hand at the shown step: the chance to make the contract after each bid and trick, as a drawing and as a table.

use leptos::{ev::KeyboardEvent, prelude::*};
use texas42_display::{
    computed::Computed,
    erased_view::{AllDrawn, drawn},
    shown,
};
use texas42_protocol::review::{ChartPoint, ReviewedHand};

use crate::{
    replay_screen::replay,
    review::{CHART_HEIGHT, CHART_WIDTH, chart_places, moment_text, percent, point_of},
};

#[component]
pub(crate) fn Chart() -> impl IntoView {
    let replay = replay();
    let shown = shown();
    let words = shown.words();
    let number = Computed::new(move || shown.with(|table| table.view.state.hand_number).unwrap_or_default());
    let hand = Computed::new(move || replay.review().with(|model| model.hand(number.get()).cloned()));
    let content = move || hand.get().filter(|hand| !hand.chart.is_empty()).map(|hand| drawing(&hand));
    view! {
        <section class="chart" aria-labelledby="review-chart">
            <h3 id="review-chart">{words.review_chart}</h3>
            <p><small>{words.review_chart_more}</small></p>
            {drawn(content)}
        </section>
    }
}

fn drawing(hand: &ReviewedHand) -> AnyView {
    let words = shown().words();
    let places = chart_places(&hand.chart);
    let turning = hand.turning_point.and_then(|event| point_of(&hand.chart, event));
    let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let points = hand
        .chart
        .iter()
        .zip(&places)
        .enumerate()
        .map(|(at, (point, place))| chart_point(point, *place, turning == Some(at)));
    let points: Vec<AnyView> = points.collect();
    let rows: Vec<AnyView> = hand.chart.iter().enumerate().map(|(at, point)| row(point, turning == Some(at))).collect();
    view! {
        <svg class="chart-drawing" viewBox=format!("0 0 {CHART_WIDTH} {CHART_HEIGHT}") role="group" aria-label=words.review_chart>
            <path class="half" d=format!("M0 {0}H{CHART_WIDTH}", CHART_HEIGHT / 2.0)/>
            <polyline class="chart-line" points=line.join(" ")/>
            {points.into_iter().all_drawn()}
        </svg>
        <details class="chart-table">
            <summary>{words.review_as_table}</summary>
            <table>
                <thead><tr>
                    <th scope="col">{words.review_moment}</th><th scope="col">{words.review_chance}</th>
                    <th scope="col">{words.review_open}</th>
                </tr></thead>
                <tbody>{rows.into_iter().all_drawn()}</tbody>
            </table>
        </details>
    }
    .into_any()
}

/// What a point says in words.
fn label(point: &ChartPoint, is_turning: bool) -> String {
    let words = shown().words();
    let turning = if is_turning { format!(", {}", words.review_turning_point) } else { String::new() };
    format!("{}: {}{turning}", moment_text(point, words), percent(point.chance, words))
}

/// A point that leads to its step. Filled if the contract is made with all hands open; the turning point has a ring.
fn chart_point(point: &ChartPoint, (x, y): (f64, f64), is_turning: bool) -> AnyView {
    let replay = replay();
    let event = point.event;
    let go = move || replay.go_to(untrack(|| replay.review().with(|model| model.step_before(event + 1))));
    let by_key = move |pressed: KeyboardEvent| {
        if matches!(pressed.key().as_str(), "Enter" | " ") {
            pressed.prevent_default();
            go();
        }
    };
    let class = match (point.open, is_turning) {
        (true, false) => "point-made",
        (false, false) => "point-set",
        (true, true) => "point-made turning",
        (false, true) => "point-set turning",
    };
    view! {
        <g class=class role="button" tabindex="0" aria-label=label(point, is_turning) data-event=event.to_string()
            on:click=move |_| go() on:keydown=by_key>
            <circle class="target" cx=x.to_string() cy=y.to_string() r="12"/>
            <circle class="ring" cx=x.to_string() cy=y.to_string() r="8"/>
            <circle class="point" cx=x.to_string() cy=y.to_string() r="4.5"/>
        </g>
    }
    .into_any()
}

fn row(point: &ChartPoint, is_turning: bool) -> AnyView {
    let replay = replay();
    let words = shown().words();
    let event = point.event;
    let go = move |_| replay.go_to(untrack(|| replay.review().with(|model| model.step_before(event + 1))));
    let open = if point.open { words.review_made } else { words.review_set };
    let turning = is_turning.then(|| view! { " "<small>{words.review_turning_point}</small> });
    let moment = moment_text(point, words);
    view! {
        <tr>
            <th scope="row"><button class="moment" on:click=go>{moment}</button>{turning}</th>
            <td>{percent(point.chance, words)}</td><td>{open}</td>
        </tr>
    }
    .into_any()
}
