//! The end of a game: the winner, the hands played, a rematch, and the proof that the deals were fair.

use leptos::prelude::*;
use texas42_protocol::StoryHand;
use texas42_vocab::Phase;
use texas42_worker_protocol::Verdict;

use crate::{
    analysis,
    app::{App, Screen, app},
    browser::{self, WITNESSES},
    erased_view::{AllDrawn, ErasedView, drawn, live, when},
    record,
    screens::SaveRecord,
    table::scoring::{focused, headline},
    table_model::{Home, TableModel},
    words::fill,
};

#[component]
pub(crate) fn Ending() -> impl IntoView {
    let app = app();
    let is_good = move || app.with_table(|table| Some(table.seat?.team() == table.view.derived.winner?)).flatten();
    let plays = move || app.with_table(|table| table.seat.is_some()).unwrap_or(false);
    let can_save = app.with_table(record::can_be_saved).unwrap_or(false);
    let is_left_behind = move || app.table.has_next_game();
    view! {
        <div class="panel ending" class:good=live(move || is_good() == Some(true)) class:bad=live(move || is_good() == Some(false))>
            <h2>{drawn(move || app.with_table(|table| title(table, app)))}</h2>
            <Stars/>
            <p class="final">{drawn(move || app.with_table(|table| final_score(table, app)))}</p>
            {when(is_left_behind, move || view! { <p class="hint">{app.words().next_game}</p> })}
            <div class="row">
                {when(is_left_behind, move || view! {
                    <button class="primary" on:click=move |_| app.join_next_game()>{app.words().join_in}</button>
                })}
                {when(move || plays() && !is_left_behind(), move || view! {
                    <button class="primary" node_ref=focused() on:click=move |_| app.play_again()>{app.words().rematch}</button>
                })}
                <button class="quiet" on:click=move |_| leave(app)>{app.words().home}</button>
            </div>
            <StoryTable/>
            {when(move || can_save && !is_left_behind(), move || view! { <SaveRecord class="small quiet"/> })}
            <FairnessProof/>
        </div>
    }
}

/// Leaves the table. A finished table in this browser is not offered again.
fn leave(app: App) {
    if app.with_table(|table| table.home == Home::Browser).unwrap_or(false) {
        browser::forget("offline");
    }
    app.go(Screen::Home);
}

fn title(table: &TableModel, app: App) -> String {
    let words = app.words();
    if let (Phase::OneHandComplete, Some(hand)) = (table.phase(), &table.view.state.last_hand) {
        return headline(table, Some(hand.contract), hand.outcome.made, words).to_owned();
    }
    match (table.seat, table.view.derived.winner) {
        (Some(seat), Some(winner)) if seat.team() == winner => words.you_win.to_owned(),
        (Some(_), Some(_)) => words.you_lose.to_owned(),
        (None, Some(winner)) => fill(words.side_wins, &[table.team_name(winner, words)]),
        (_, None) => words.hand_result.to_owned(),
    }
}

fn final_score(table: &TableModel, app: App) -> String {
    let words = app.words();
    let first = table.first_team();
    let side = |team: texas42_vocab::Team| {
        format!("{} {}", table.team_name(team, words), table.view.state.score[team.index()])
    };
    format!("{} · {}", side(first), side(first.other()))
}

/// The stars of a daily challenge, and the text to share.
#[component]
fn Stars() -> impl IntoView {
    let app = app();
    // Not reactive: the result of a finished game does not change.
    let result = app.with_table(|table| table.view.metadata.result.clone()).flatten();
    let stars = result.as_ref().and_then(|result| result.stars);
    let challenge = result.and_then(|result| result.challenge);
    view! {
        {stars.map(|stars| {
            let text = fill(app.words().stars, &[&stars.to_string()]);
            let drawn: String = (0..3).map(|number| if number < stars { '★' } else { '☆' }).collect();
            view! { <p class="stars"><span aria-hidden="true">{drawn}</span><span class="unseen">{text}</span></p> }
        })}
        {challenge.zip(stars).map(|(challenge, stars)| {
            let text = app.words().share_line(challenge.date, challenge.difficulty, stars);
            let share = move |_| {
                browser::copy(&text);
                app.tell(app.words().copied);
            };
            view! { <button class="small" on:click=share>{app.words().share}</button> }
        })}
    }
}

#[component]
fn StoryTable() -> impl IntoView {
    let app = app();
    let hands = move || {
        let hands = app.with_table(|table| table.view.metadata.result.as_ref().map(|result| result.hands.clone()));
        hands.flatten().unwrap_or_default()
    };
    let row = move |(number, hand): (usize, StoryHand)| {
        let words = app.words();
        let bid = format!("{} · {}", words.bid_text(hand.bid), words.trump_text(hand.trump));
        let (name, is_first) = app
            .with_table(|table| (table.name_or_you(hand.bidder, words), hand.bidder.team() == table.first_team()))
            .unwrap_or_default();
        let result = if hand.made { words.made } else { words.set };
        let gained = hand.gained.iter().max().copied().unwrap_or(0);
        let points = hand.points[hand.bidder.team().index()];
        view! {
            <tr class:first=is_first class:second=!is_first>
                <td>{(number + 1).to_string()}</td><td><i class="badge" aria-hidden="true"></i>{name}</td><td>{bid}</td><td>{points.to_string()}</td>
                <td>{format!("{result} {}", fill(words.gain, &[&gained.to_string()]))}</td>
            </tr>
        }
    };
    view! {
        {when(move || !hands().is_empty(), move || view! {
            <h3>{app.words().story}</h3>
            <div class="scroll" tabindex="0" role="region" aria-label=app.words().story>
                <table class="story">
                    <thead><tr>
                        <th scope="col">"#"</th>
                        <th scope="col">{app.words().bidder}</th>
                        <th scope="col">{app.words().bid}</th>
                        <th scope="col">{app.words().took}</th>
                        <th scope="col">{app.words().result}</th>
                    </tr></thead>
                    <tbody>{drawn(move || hands().into_iter().enumerate().map(row).all_drawn())}</tbody>
                </table>
            </div>
        })}
    }
}

/// The commitments that were published before the deals, and the secret that they belong to.
#[component]
fn FairnessProof() -> impl IntoView {
    let app = app();
    let words = app.words();
    app.with_table(|table| table.view.metadata.deal.clone()).flatten().map(|proof| {
        view! {
            <details class="fair">
                <summary>{words.fair}</summary>
                <p>{words.fair_more}</p>
                <dl>
                    <dt>{words.fingerprint}</dt><dd><code>{proof.secret_commitment.clone()}</code></dd>
                    {proof.secret.clone().map(|secret| view! { <dt>{words.secret}</dt><dd><code>{secret}</code></dd> }).erased()}
                </dl>
                <DealCheck/>
            </details>
        }
    })
}

/// Deals the hands of this game again in a worker and compares them with what was seen.
#[component]
fn DealCheck() -> impl IntoView {
    let app = app();
    let witnesses = app.with_table(|table| WITNESSES.get(table)).filter(|witnesses| !witnesses.is_empty());
    let verdict = RwSignal::new(None::<Verdict>);
    let text = move || verdict.get().map(|verdict| sentence(&verdict, app));
    view! {
        {witnesses.map(|witnesses| {
            let check = move |_| analysis::verify(app, witnesses.clone(), move |found| verdict.set(Some(found)));
            view! { <button class="small check" on:click=check>{app.words().check_deals}</button> }
        })}
        <p class="verdict" role="status">{drawn(text)}</p>
    }
}

/// The sentence for the worker's verdict.
fn sentence(verdict: &Verdict, app: App) -> String {
    let words = app.words();
    let numbers = verdict.wrong.iter().map(|hand| (hand + 1).to_string()).collect::<Vec<_>>().join(", ");
    match verdict.wrong.is_empty() {
        true => fill(words.deals_are_fair, &[&verdict.checked.to_string()]),
        false => fill(words.deals_are_unfair, &[&numbers]),
    }
}
