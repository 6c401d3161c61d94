//! Learning from mistakes: the person sees the position before an error as the seat saw it, and looks for something better.

use leptos::prelude::*;
use texas42_display::{
    erased_view::{drawn, live, when},
    shown,
    words::fill,
};
use texas42_protocol::review::ReviewedDecision;
use texas42_vocab::Action;
use texas42_worker_protocol::ToStudyWorker;

use crate::{
    replay::seat_name,
    replay_screen::replay,
    replay_state::ReplayState,
    review::{better_text, choice_text, line_text},
    review_state::Exercise,
};

#[component]
pub(crate) fn Learn() -> impl IntoView {
    let replay = replay();
    let review = replay.review();
    let words = shown().words();
    let seat = move || replay.seat();
    let has_errors = move || review.with(|model| !model.errors_of(seat()).is_empty());
    let none = move || (!has_errors()).then(|| fill(words.learn_none, &[&seat_name(seat(), words)]));
    view! {
        <section class="learn" aria-labelledby="review-learn">
            <h3 id="review-learn">{words.learn_start}</h3>
            {when(move || review.exercise().is_none(), move || view! {
                <div class="row">
                    <button class="quiet" data-do="learn" disabled=live(move || !has_errors()) on:click=move |_| next_exercise(replay)>
                        {words.learn_start}
                    </button>
                    <span>{drawn(none)}</span>
                </div>
            })}
            {when(move || review.exercise().is_some(), || view! { <Ask/> })}
            <p role="status" class="learn-answer">{drawn(move || answer(replay))}</p>
        </section>
    }
}

/// Leads to the first error of the seat at the bottom, or to the next one.
fn next_exercise(replay: ReplayState) {
    let review = replay.review();
    let last = untrack(|| review.exercise());
    let seat = last.as_ref().map_or_else(|| untrack(|| replay.seat()), |last| last.seat);
    let errors = untrack(|| review.with(|model| model.errors_of(seat)));
    let next = errors.into_iter().find(|event| last.as_ref().is_none_or(|last| *event > last.event));
    review.learn(next.map(|event| Exercise { seat, event, tried: None, line: None }));
    if let Some(event) = next {
        let step = untrack(|| review.with(|model| model.step_before(event)));
        replay.go_to_as(step, seat);
    }
}

fn exercise_of(replay: ReplayState) -> Option<(Exercise, ReviewedDecision)> {
    let exercise = replay.review().exercise()?;
    let decision = replay.review().with(|model| model.decision_of(exercise.event).cloned())?;
    Some((exercise, decision))
}

/// The question and the choices.
#[component]
fn Ask() -> impl IntoView {
    let replay = replay();
    let review = replay.review();
    let words = shown().words();
    let question = move || {
        exercise_of(replay).map(|(exercise, decision)| {
            fill(words.learn_ask, &[&seat_name(exercise.seat, words), &choice_text(decision.done, words)])
        })
    };
    let choices = move || {
        let (exercise, decision) = exercise_of(replay)?;
        let mut choices: Vec<Action> = decision.choices.iter().map(|choice| choice.action).collect();
        // Their order must not tell which is best.
        choices.sort_by_key(|action| sort_key(*action));
        let buttons = choices.into_iter().map(|action| choice_button(&exercise, action));
        Some(buttons.collect::<Vec<_>>())
    };
    view! {
        <p class="ask">{drawn(question)}</p>
        <div class="tries" role="group" aria-label=live(question)>{drawn(choices)}</div>
        <div class="row">
            <button class="primary" data-do="next-mistake" on:click=move |_| next_exercise(replay)>{words.learn_next}</button>
            <button class="quiet" data-do="end-learning" on:click=move |_| review.learn(None)>{words.learn_end}</button>
        </div>
    }
}

fn sort_key(action: Action) -> (u16, usize) {
    match action {
        Action::Bid { bid, .. } => (bid.worth(), 1),
        Action::Play { domino, .. } => (0, domino.index()),
        Action::SelectTrump { trump, .. } => (0, trump as usize),
        _ => (0, 0),
    }
}

fn choice_button(exercise: &Exercise, action: Action) -> AnyView {
    let replay = replay();
    let event = exercise.event;
    let is_tried = exercise.tried == Some(action);
    let try_out = move |_| {
        replay.review().try_out(action);
        replay.ask(|code| ToStudyWorker::Line { code, event, action });
    };
    let words = shown().words();
    view! {
        <button class="try" data-try=choice_text(action, words) aria-pressed=is_tried.to_string() on:click=try_out>
            {choice_text(action, words)}
        </button>
    }
    .into_any()
}

/// What there is to say about the choice that the person tried.
fn answer(replay: ReplayState) -> Option<String> {
    let words = shown().words();
    let (exercise, decision) = exercise_of(replay)?;
    let tried = exercise.tried?;
    let name = choice_text(tried, words);
    if decision.choice(tried).is_some_and(|choice| choice.class.is_acceptable()) {
        let why = if tried == decision.best {
            words.remarks(&decision.why)
        } else {
            better_text(&decision, words).unwrap_or_default()
        };
        return Some(fill(words.learn_right, &[&name, &why]));
    }
    let wrong = fill(words.learn_wrong, &[&name]);
    let line = exercise.line.as_ref().map(|line| line_text(line, words));
    Some(line.map_or(wrong.clone(), |line| format!("{wrong} {line}")))
}
