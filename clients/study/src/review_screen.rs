//! The review below a replay: its progress, the decision at the shown step through both lenses, the chart of the hand, the decisions of
//! each player, and the grid of a bid.

use leptos::prelude::*;
use texas42_display::{
    computed::Computed,
    erased_view::{AllDrawn, drawn, live, when},
    shown,
    words::fill,
};
use texas42_protocol::review::{BidGrid, GridRow, ReviewedChoice, ReviewedDecision};
use texas42_vocab::{Action, BidKind, Seat, Trump};
use texas42_worker_protocol::ToStudyWorker;

use crate::{
    replay::seat_name,
    replay_screen::replay,
    replay_state::ReplayState,
    review::{
        ReviewModel, better_text, choice_text, class_sign, class_style, class_text, done_text, loss_text, open_text,
        percent, verdict_text,
    },
    review_chart::Chart,
    review_learn::Learn,
    review_state::Progress,
};

/// The review of the replay above.
#[component]
pub(crate) fn ReviewSection() -> impl IntoView {
    let replay = replay();
    let review = replay.review();
    let words = shown().words();
    let is_begun = move || review.with(|model| model.done > 0);
    view! {
        <section class="review" aria-labelledby="review-title">
            <h2 id="review-title" tabindex="-1">{words.review}</h2>
            <Steps/>
            {when(is_begun, || view! {
                <Learn/>
                <div class="review-parts">
                    <AtThisStep/>
                    <Chart/>
                    <Players/>
                </div>
            })}
        </section>
    }
}

/// Starts, shows and stops the review.
#[component]
fn Steps() -> impl IntoView {
    let replay = replay();
    let review = replay.review();
    let words = shown().words();
    let start = move |_| {
        if review.start() {
            let from_start = untrack(|| review.with(|model| model.done == 0));
            replay.ask(|code| ToStudyWorker::Review { code, from_start });
        }
    };
    let is = move |progress| move || review.progress() == progress;
    let done = Computed::new(move || review.with(|model| (model.done, model.total)));
    // Announced once each, and not at every step.
    let news = move || match review.progress() {
        Progress::Stopped => words.review_stopped,
        Progress::Finished => words.review_finished,
        Progress::Idle | Progress::Running => "",
    };
    let at = move || fill(words.review_at, &[&done.get().0.to_string(), &done.get().1.to_string()]);
    let button = move |name: &'static str| {
        view! {
            <button class="primary" data-do="review" on:click=start>{name}</button>
        }
    };
    view! {
        {when(is(Progress::Idle), move || view! { <p>{words.review_more}</p> {button(words.review_start)} })}
        {when(is(Progress::Stopped), move || button(words.review_resume))}
        {when(is(Progress::Running), move || view! {
            <div class="review-progress">
                <progress aria-label=words.review value=live(move || done.get().0.to_string()) max=live(move || done.get().1.max(1).to_string())></progress>
                <span>{drawn(at)}</span>
                <button class="quiet" data-do="stop-review" on:click=move |_| review.stop()>{words.cancel}</button>
            </div>
        })}
        <p role="status" class="review-news">{drawn(news)}</p>
    }
}

/// The decision at the shown step.
fn decision_here(replay: ReplayState) -> Option<ReviewedDecision> {
    let (step, _) = replay.place()?;
    replay.review().with(|model| model.decision_at(step).cloned())
}

/// Whether a decision is the turning point of its hand.
fn is_turning_point(model: &ReviewModel, decision: &ReviewedDecision) -> bool {
    model.hand(decision.hand_number).and_then(|hand| hand.turning_point) == Some(decision.event)
}

/// The decision at the shown step, through both lenses. Hidden while the person looks for something better.
#[component]
fn AtThisStep() -> impl IntoView {
    let replay = replay();
    let review = replay.review();
    let words = shown().words();
    // The turning point of a hand can change until it is reviewed.
    let here = Computed::new(move || {
        let decision = review.exercise().is_none().then(|| decision_here(replay)).flatten()?;
        let is_turning = review.with(|model| is_turning_point(model, &decision));
        Some((decision, is_turning))
    });
    let is_here = move || here.with(Option::is_some);
    let content = move || match here.get() {
        Some((decision, is_turning)) => view! { <Decision decision is_turning/> }.into_any(),
        None => view! { <p>{words.review_nothing_here}</p> }.into_any(),
    };
    let is_bid = move || {
        here.with(|here| {
            here.as_ref().is_some_and(|(of, _)| matches!(of.done, Action::Bid { .. } | Action::Pass { .. }))
        })
    };
    view! {
        <section class="at-step" aria-labelledby="at-step">
            <h3 id="at-step">{words.review_step}</h3>
            {when(move || review.exercise().is_none(), move || drawn(content))}
            {when(move || is_here() && is_bid(), || view! { <Grid/> })}
        </section>
    }
}

#[component]
fn Decision(decision: ReviewedDecision, is_turning: bool) -> impl IntoView {
    let replay = replay();
    let words = shown().words();
    let worlds = if decision.exact { words.review_known_exact } else { words.review_known_more };
    let taken = decision.done;
    let known = move |model: &ReviewModel, choice: &ReviewedChoice| {
        let marks = model.gain_text(choice.marks);
        view! {
            <tr class:taken=choice.action == taken>
                {choice_name(choice.action, taken)}
                <td>{percent(choice.chance, words)}</td><td>{marks}</td><td>{loss_text(choice, words)}</td>
                <td>{class_text(choice.class, words)}</td>
            </tr>
        }
        .into_any()
    };
    let open = move |choice: &ReviewedChoice| {
        view! {
            <tr class:taken=choice.action == taken>
                {choice_name(choice.action, taken)}<td>{open_text(choice.open, words)}</td>
            </tr>
        }
        .into_any()
    };
    let known_rows = replay
        .review()
        .with_untracked(|model| decision.choices.iter().map(|choice| known(model, choice)).collect::<Vec<_>>());
    let open_rows = decision.choices.iter().map(open).collect::<Vec<_>>();
    view! {
        <p class="done">{dot(&decision)} <span>{done_text(&decision, is_turning, words)}</span></p>
        {better_text(&decision, words).map(|text| view! { <p class="better">{text}</p> })}
        <div class="lenses">
            <table class="lens known">
                <caption>{words.review_known}" "<small>{fill(worlds, &[&decision.worlds.to_string()])}</small></caption>
                <thead><tr>
                    <th scope="col">{words.review_choice}</th><th scope="col">{words.review_chance}</th>
                    <th scope="col">{words.review_marks}</th><th scope="col">{words.review_loss}</th><th scope="col">{words.review_result}</th>
                </tr></thead>
                <tbody>{known_rows.into_iter().all_drawn()}</tbody>
            </table>
            <table class="lens open">
                <caption>{words.review_open}" "<small>{words.review_open_more}</small></caption>
                <thead><tr><th scope="col">{words.review_choice}</th><th scope="col">{words.review_result}</th></tr></thead>
                <tbody>{open_rows.into_iter().all_drawn()}</tbody>
            </table>
        </div>
    }
}

/// The heading of the row of a choice.
fn choice_name(action: Action, taken: Action) -> AnyView {
    let words = shown().words();
    let mark = (action == taken).then(|| view! { " "<small>{words.review_taken}</small> });
    view! { <th scope="row">{choice_text(action, words)}{mark}</th> }.into_any()
}

/// A dot: its color and sign say how large an error is, its size whether it was punished.
pub(crate) fn dot(decision: &ReviewedDecision) -> AnyView {
    let size = if decision.punished == Some(true) { "dot punished" } else { "dot" };
    view! {
        <span class=format!("{size} {}", class_style(decision.class)) aria-hidden="true">{class_sign(decision.class)}</span>
    }
    .into_any()
}

/// The decisions of each player.
#[component]
fn Players() -> impl IntoView {
    let words = shown().words();
    view! {
        <section class="players" aria-labelledby="review-players">
            <h3 id="review-players">{words.review_players}</h3>
            {Seat::ALL.into_iter().map(|seat| view! { <Player seat/> }).all_drawn()}
        </section>
    }
}

#[component]
fn Player(seat: Seat) -> impl IntoView {
    let review = replay().review();
    let words = shown().words();
    let summary = move || {
        let accuracy = review.with(|model| model.seat(seat).accuracy);
        let accuracy = accuracy.map_or_else(|| "\u{2013}".to_owned(), |accuracy| format!("{accuracy:.0}"));
        fill(words.review_accuracy, &[&accuracy])
    };
    let decisions = move || {
        review
            .with(|model| model.decisions_of(seat).map(|decision| decision_button(model, decision)).collect::<Vec<_>>())
    };
    view! {
        <details data-seat=seat.index().to_string()>
            <summary><b>{seat_name(seat, words)}</b>" "<span class="accuracy">{drawn(summary)}</span></summary>
            <ol class="decisions">{drawn(decisions)}</ol>
        </details>
    }
}

/// A decision in the list, which leads to its step.
fn decision_button(model: &ReviewModel, decision: &ReviewedDecision) -> AnyView {
    let replay = replay();
    let words = shown().words();
    let step = model.step_before(decision.event);
    let hand = fill(words.review_hand, &[&(decision.hand_number + 1).to_string()]);
    let verdict = verdict_text(decision, is_turning_point(model, decision), words);
    let is_shown = move || replay.place().is_some_and(|(shown, _)| shown == step);
    view! {
        <li><button class="decision" data-event=decision.event.to_string() aria-current=live(move || is_shown().then_some("step"))
            on:click=move |_| replay.go_to(step)>
            {dot(decision)}
            <span class="what"><b>{choice_text(decision.done, words)}</b>" "<small>{verdict}</small></span>
            <small class="where">{hand}</small>
        </button></li>
    }
    .into_any()
}

/// The grid of the bid at the shown step.
#[component]
fn Grid() -> impl IntoView {
    let replay = replay();
    let review = replay.review();
    let words = shown().words();
    let here = move || decision_here(replay);
    let grid = move || review.grid().zip(here()).filter(|(grid, decision)| grid.event == decision.event);
    let show = move |_| {
        if let Some(decision) = untrack(here) {
            replay.ask(|code| ToStudyWorker::Grid { code, event: decision.event });
        }
    };
    let content = move || match grid() {
        Some((grid, decision)) => grid_table(&grid, &decision),
        None => {
            view! { <button class="quiet" data-do="grid" on:click=show>{words.review_grid_start}</button> }.into_any()
        }
    };
    view! { <div class="bid-grid">{drawn(content)}</div> }
}

fn grid_table(grid: &BidGrid, decision: &ReviewedDecision) -> AnyView {
    let words = shown().words();
    let result = replay().review().with(|model| model.hand(decision.hand_number).and_then(|hand| hand.made));
    let result = result.map(|made| if made { words.review_contract_made } else { words.review_contract_set });
    let expert =
        fill(words.review_expert_bids, &[&choice_text(decision.best, words), &choice_text(decision.done, words)]);
    let (straight, special): (Vec<&GridRow>, Vec<&GridRow>) =
        grid.rows.iter().partition(|row| row.trump.is_some_and(|trump| Trump::STRAIGHT.contains(&trump)));
    let heads = straight.iter().map(|row| {
        let name = row.trump.map_or("", |trump| words.trump_text(trump));
        view! { <th scope="col"><abbr title=name aria-label=name>{short(row.trump)}</abbr></th> }.into_any()
    });
    let heads: Vec<AnyView> = heads.collect();
    let bids = straight.first().map(|row| row.cells.clone()).unwrap_or_default();
    let line = |at: usize, bid: texas42_vocab::Bid| {
        let cells = straight
            .iter()
            .filter_map(|row| row.cells.get(at))
            .map(|cell| view! { <td class=heat(cell.chance)>{format!("{:.0}", 100.0 * cell.chance)}</td> }.into_any());
        let cells: Vec<AnyView> = cells.collect();
        let name = if bid.kind == BidKind::Points { bid.value.to_string() } else { words.bid_text(bid) };
        view! { <tr><th scope="row">{name}</th>{cells.into_iter().all_drawn()}</tr> }.into_any()
    };
    let lines: Vec<AnyView> = bids.iter().enumerate().map(|(at, cell)| line(at, cell.bid)).collect();
    let others = special.iter().flat_map(|row| row.cells.iter().map(|cell| (row.trump, *cell))).map(|(trump, cell)| {
        let name = trump.map_or_else(|| words.bid_text(cell.bid), |trump| words.trump_text(trump).to_owned());
        view! { <li>{name}": "{percent(cell.chance, words)}</li> }.into_any()
    });
    let others: Vec<AnyView> = others.collect();
    view! {
        <table class="grid">
            <caption>{words.review_grid}" "<small>{words.review_grid_more}</small></caption>
            <thead><tr><th scope="col">{words.review_bid}</th>{heads.into_iter().all_drawn()}</tr></thead>
            <tbody>{lines.into_iter().all_drawn()}</tbody>
        </table>
        <ul class="grid-others">{others.into_iter().all_drawn()}</ul>
        <p>{expert}" "{result}</p>
    }
    .into_any()
}

/// A trump in one letter: the number of its suit, or the sign of doubles and of follow me.
fn short(trump: Option<Trump>) -> String {
    match trump {
        Some(Trump::Doubles) => "=".to_owned(),
        Some(trump) => trump.pip().map_or_else(|| "\u{2013}".to_owned(), |pip| pip.to_string()),
        None => String::new(),
    }
}

/// The shade of a chance in the style sheet.
const fn heat(chance: f64) -> &'static str {
    match chance {
        chance if chance >= 0.7 => "likely",
        chance if chance >= 0.4 => "maybe",
        _ => "unlikely",
    }
}
