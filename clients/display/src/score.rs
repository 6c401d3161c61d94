//! The score, and the contract with the points so far.

use leptos::prelude::*;
use texas42_vocab::{Scoring, Team};

use crate::{
    computed::Computed,
    domino::end,
    erased_view::{drawn, keyed, live, number_of, when},
    shown_table::shown,
    table_model::{ALL_POINTS, TableModel, TeamTotal},
    tally::strokes,
    words::{capitalized, fill},
};

/// The score of both teams.
#[component]
pub fn Score() -> impl IntoView {
    let shown = shown();
    let first = Computed::new(move || shown.with(TableModel::first_team));
    view! {
        <div class="score" role="group" aria-label=shown.words().score>
            {drawn(move || first.get().map(|first| view! { <Side team=first is_first=true/> <Side team=first.other() is_first=false/> }))}
        </div>
    }
}

/// The score of a team, the target, and the unit. A table of one hand shows the points of the hand.
fn standing(table: &TableModel, team: Team) -> (u16, u16, Scoring) {
    let state = &table.view.state;
    match state.one_hand {
        true => (state.points[team.index()].into(), 42, Scoring::Points),
        false => (state.score[team.index()], state.target, state.scoring),
    }
}

#[component]
fn Side(team: Team, is_first: bool) -> impl IntoView {
    let shown = shown();
    let score = Computed::new(move || shown.with(|table| standing(table, team)));
    let name = move || shown.with(|table| table.team_name(team, shown.words()));
    let text = move || {
        score.get().map(|(score, target, scoring)| {
            let words = shown.words();
            let text = match scoring {
                Scoring::Marks if target == 1 => words.of_one_mark,
                Scoring::Marks => words.of_marks,
                _ => words.of_points,
            };
            fill(text, &[&score.to_string(), &target.to_string()])
        })
    };
    let drawing = move || {
        let (score, target, _) = score.get().filter(|(_, _, scoring)| *scoring == Scoring::Marks)?;
        let (svg, width) = strokes(score, target)?;
        Some(view! { <svg class="tally" viewBox=format!("0 0 {width} 60") aria-hidden="true" inner_html=svg></svg> })
    };
    view! {
        <div class="side" class:first=is_first class:second=!is_first title=text>
            <span class="team"><i class="badge" aria-hidden="true"></i>{drawn(name)}</span>
            {drawn(drawing)}
            <b class="number" aria-hidden="true">{drawn(move || score.get().map(|(score, ..)| score.to_string()))}</b>
            <span class="unseen">{drawn(text)}</span>
        </div>
    }
}

/// The contract: the bid, the trumps, the suit led, and the points so far.
#[component]
pub fn Contract() -> impl IntoView {
    let shown = shown();
    let contract = Computed::new(move || shown.with(|table| table.view.state.contract).flatten());
    let led = Computed::new(move || shown.with(|table| table.view.derived.led_suit).flatten());
    let text = move || {
        let words = shown.words();
        let contract = contract.get()?;
        shown.with(|table| format!("{} · {}", table.name_or_you(contract.bidder, words), words.bid_text(contract.bid)))
    };
    let said = move || shown.with(|table| table.bid_text(shown.words())).flatten();
    let trump = move || {
        let words = shown.words();
        let trump = contract.get()?.trump?;
        let drawing = trump.pip().map(
            |pip| view! { <svg class="pip-tile" viewBox="0 0 100 100" aria-hidden="true" inner_html=end(pip)></svg> },
        );
        Some(view! {
            <div class="fact trumps">
                <dt>{words.trumps}</dt>
                <dd>{drawing}<span>{capitalized(words.trump_text(trump))}</span></dd>
            </div>
        })
    };
    // Always present, so that nothing moves when a trick starts.
    let led_text = move || led.get().map_or_else(|| "–".to_owned(), |suit| capitalized(shown.words().suit_text(suit)));
    view! {
        {when(move || contract.get().is_some(), move || view! {
            <dl class="contract" aria-label=shown.words().contract>
                <div class="fact bid" title=live(said)><dt>{shown.words().bid}</dt><dd>{drawn(text)}</dd></div>
                {drawn(trump)}
                <div class="fact led"><dt>{shown.words().led}</dt><dd>{drawn(led_text)}</dd></div>
            </dl>
            <Count/>
        })}
    }
}

/// How the 42 points are split so far, with a tick at the bid, and what each team still needs.
#[component]
pub fn Count() -> impl IntoView {
    let shown = shown();
    let facts = Computed::new(move || {
        let words = shown.words();
        shown.with(|table| {
            table.taken(words).map(|taken| {
                let needs = table.needs(&taken, words);
                (taken, needs)
            })
        })
    });
    let points = move |which: usize| facts.with(|facts| facts.as_ref().map_or(0, |facts| facts[which].0.points));
    let side = move |which: usize, class: &'static str| {
        let text = move || {
            let shown = |(TeamTotal { name, points, .. }, needs): &(TeamTotal, String)| {
                view! { <span class=class>{*name} " " <b>{points.to_string()}</b> <small>{needs.clone()}</small></span> }
            };
            facts.with_untracked(|facts| facts.as_ref().map(|facts| shown(&facts[which])))
        };
        let number = move || {
            let number = |(taken, needs): &(TeamTotal, String)| number_of(taken.name) ^ number_of(needs) << 1;
            facts.with(|facts| facts.as_ref().map_or(0, |facts| number(&facts[which])))
        };
        keyed(move || number() << 6 | u64::from(points(which)), text)
    };
    // Integers, because formatting fractions needs much code. The bar is clipped, which moves nothing.
    let missing = move |which: usize| 100 - share(points(which));
    let tick = Computed::new(move || shown.with(TableModel::bid_on_meter).flatten());
    view! {
        <div class="count">
            {side(0, "side-count first")}
            <span class="meter" aria-hidden="true">
                <i class="first" style:clip-path=live(move || format!("inset(0 {}% 0 0)", missing(0)))></i>
                <i class="second" style:clip-path=live(move || format!("inset(0 0 0 {}%)", missing(1)))></i>
                {drawn(move || tick.get().map(|points| view! { <i class="tick" style:left=format!("{}%", share(points))></i> }))}
            </span>
            {side(1, "side-count second")}
        </div>
    }
}

/// Points as a percentage of all.
fn share(points: u8) -> u32 {
    u32::from(points) * 100 / u32::from(ALL_POINTS)
}
