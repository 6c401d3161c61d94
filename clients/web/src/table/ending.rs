//! The end of a game: the winner, the hands played, a rematch, and the proof that the deals were fair.

use leptos::prelude::*;
use texas42_display::{
    ending::{ending_title, final_score, star_result},
    result::HandFacts,
};
use texas42_protocol::{ChallengeView, StoryHand};
use texas42_vocab::{Date, Phase};
use texas42_worker_protocol::DealVerification;

use crate::{
    analysis,
    app::{App, Screen, app},
    browser::{self, WITNESSES},
    erased_view::{AllDrawn, ErasedView, drawn, live, when},
    record,
    screens::{ChangeRules, SaveRecord},
    study_module,
    table::scoring::focused,
    table_model::{HostKind, TableModel},
    words::fill,
};

#[component]
pub(crate) fn Ending() -> impl IntoView {
    let app = app();
    let is_good = move || app.with_table(|table| Some(table.seat?.team() == table.view.derived.winner?)).flatten();
    let plays = move || app.with_table(|table| table.seat.is_some()).unwrap_or(false);
    let can_save = app.with_table(record::can_be_saved).unwrap_or(false);
    let is_one_hand = move || app.with_table(|table| table.phase() == Phase::OneHandComplete) == Some(true);
    let may_change_rules = move || app.with_table(TableModel::may_change_rules).unwrap_or(false);
    let is_left_behind = move || app.table.has_next_game();
    view! {
        <div class="panel ending" class:good=live(move || is_good() == Some(true)) class:bad=live(move || is_good() == Some(false))>
            <h2>{drawn(move || app.with_table(|table| ending_title(table, app.words())))}</h2>
            <Stars/>
            {when(is_one_hand, || view! { <HandFacts/> })}
            {when(move || !is_one_hand(), move || view! {
                <p class="final">{drawn(move || app.with_table(|table| final_score(table, app.words())))}</p>
            })}
            {when(is_left_behind, move || view! { <p class="hint">{app.words().next_game}</p> })}
            <div class="row">
                {when(is_left_behind, move || view! {
                    <button class="primary" on:click=move |_| app.join_next_game()>{app.words().join_in}</button>
                })}
                {when(move || plays() && !is_left_behind(), move || view! {
                    <button class="primary" node_ref=focused() on:click=move |_| app.play_again()>{app.words().rematch}</button>
                })}
                {when(move || may_change_rules() && !is_left_behind(), || view! { <ChangeRules class=""/> })}
                <button class="quiet" on:click=move |_| leave(app)>{app.words().home}</button>
            </div>
            {when(move || !is_one_hand(), || view! { <StoryTable/> })}
            <ReplayLink/>
            {when(move || can_save && !is_left_behind(), move || view! { <SaveRecord class="small quiet"/> })}
            <FairnessProof/>
        </div>
    }
}

/// Leaves the table. A finished table in this browser is not offered again.
fn leave(app: App) {
    let own = |table: &TableModel| (table.home == HostKind::Browser).then(|| table.game.clone());
    let game = app.with_table(own).flatten();
    app.go(Screen::Home);
    if let Some(game) = game {
        app.delete_game(&game);
    }
}

/// The stars of a daily challenge, the text to share, and the days around it.
#[component]
fn Stars() -> impl IntoView {
    let app = app();
    // Not reactive: the result of a finished game does not change.
    let result = app.with_table(|table| table.view.metadata.result.clone()).flatten();
    let stars = result.as_ref().and_then(|result| result.stars);
    let challenge = result.and_then(|result| result.challenge);
    view! {
        {stars.map(|stars| star_result(app.shown, stars))}
        {challenge.zip(stars).map(|(challenge, stars)| {
            let text = app.words().share_line(challenge.date, challenge.difficulty, stars);
            let shared = text.clone();
            view! {
                <p class="share-text">{text}</p>
                <div class="links">
                    <button class="small share" on:click=move |_| app.copy(&shared)>{app.words().share}</button>
                    <Days challenge/>
                </div>
            }
        })}
    }
}

/// The days before and after a daily challenge. Days to come are not offered.
#[component]
fn Days(challenge: ChallengeView) -> impl IntoView {
    let app = app();
    let words = app.words();
    let ChallengeView { date, difficulty, .. } = challenge;
    let days = [
        ("day-before", words.day_before, date.previous()),
        ("day-after", words.day_after, date.next().filter(|day| *day <= browser::today())),
    ];
    let button = move |(way, word, day): (&'static str, &'static str, Option<Date>)| {
        let day = day?;
        Some(
            view! { <button class="small" data-way=way on:click=move |_| app.play_daily(difficulty, day)>{word}</button> },
        )
    };
    days.into_iter().map(button).all_drawn()
}

/// The ways to see the game again.
#[component]
fn ReplayLink() -> impl IntoView {
    let app = app();
    let link = app.with_table(|table| table.replay_link().map(str::to_owned)).flatten();
    link.map(|link| {
        let url = [browser::address(), link.clone()].concat();
        // The person may open it next, and it should not have to load then.
        study_module::preload();
        let open = move |_| app.go(Screen::Study(link.trim_start_matches('#').to_owned()));
        view! {
            <div class="links">
                <button class="small" data-do="replay" on:click=open>{app.words().replay}</button>
                <button class="small" data-do="copy-replay" on:click=move |_| app.copy(&url)>{app.words().copy_link}</button>
            </div>
        }
    })
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
    let draw = app.with_table(|table| WITNESSES.draw(table)).flatten();
    let verdict = RwSignal::new(None::<DealVerification>);
    let text = move || verdict.get().map(|verdict| sentence(&verdict, app));
    view! {
        {witnesses.map(|witnesses| {
            let check = move |_| analysis::verify(app, witnesses.clone(), draw.clone(), move |found| verdict.set(Some(found)));
            view! { <button class="small check" on:click=check>{app.words().check_deals}</button> }
        })}
        <p class="verdict" role="status">{drawn(text)}</p>
    }
}

/// The sentence for the worker's verdict.
fn sentence(verdict: &DealVerification, app: App) -> String {
    let words = app.words();
    let numbers = verdict.wrong.iter().map(|hand| (hand + 1).to_string()).collect::<Vec<_>>().join(", ");
    let deals = match verdict.wrong.is_empty() {
        true => fill(words.deals_are_fair, &[&verdict.checked.to_string()]),
        false => fill(words.deals_are_unfair, &[&numbers]),
    };
    match verdict.shaker {
        Some(true) => format!("{deals} {}", words.shaker_is_fair),
        Some(false) => format!("{deals} {}", words.shaker_is_unfair),
        None => deals,
    }
}
