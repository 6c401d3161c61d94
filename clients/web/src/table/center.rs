//! The middle of the table: the trick during play, otherwise the pending decision or the result.

use leptos::prelude::*;
use texas42_client::ClientCore;
use texas42_protocol::{PlayView, Role, TrickView};
use texas42_vocab::{Phase, Seat};

use crate::{
    app::{App, app, keep_focus},
    computed::Computed,
    connection,
    erased_view::{AllDrawn, drawn, keyed, listed, live, number_of, part, when},
    screens::{ChangeRules, InviteBox},
    table::{
        Tile,
        bidding::{Auction, NameTrumps},
        ending::Ending,
        header::Contract,
        scoring::Scoring,
    },
    table_model::TableModel,
    words::{fill, lowercase},
};

#[component]
pub(crate) fn Center() -> impl IntoView {
    let app = app();
    let phase = Computed::new(move || app.with_table(TableModel::phase));
    keyed(
        move || phase.get().map_or(0, |phase| number_of(phase.name())),
        move || {
            let content = match phase.get_untracked() {
                Some(Phase::Setup) => view! { <Gathering/> }.into_any(),
                Some(Phase::Bidding) => view! { <Auction/> }.into_any(),
                Some(Phase::TrumpSelection) => view! { <NameTrumps/> }.into_any(),
                Some(Phase::Playing) => view! { <Contract/> <Trick/> }.into_any(),
                Some(Phase::Scoring) if app.with_table(TableModel::skips_result) == Some(true) => ().into_any(),
                Some(Phase::Scoring) => view! { <Scoring/> }.into_any(),
                Some(Phase::GameEnd | Phase::OneHandComplete) => view! { <Ending/> }.into_any(),
                None => ().into_any(),
            };
            view! { <div class="center">{content}</div> }
        },
    )
}

/// The dominoes of the trick, each in front of its player, and those of the previous trick being carried away.
#[component]
fn Trick() -> impl IntoView {
    let app = app();
    let trick = Computed::new(move || app.with_table(|table| table.view.state.trick.clone()).flatten());
    let winner = Computed::new(move || app.with_table(|table| table.view.derived.trick_winner).flatten());
    let lies = move |(number, play): (usize, PlayView)| {
        let is_lead = number == 0;
        let place = app.with_table(|table| table.place(play.player)).unwrap_or(0);
        let label = move || {
            let words = app.words();
            let has_it = if winner.get() == Some(play.player) { [", ", words.winning].concat() } else { String::new() };
            let led = if is_lead { [", ", &lowercase(words.led)].concat() } else { String::new() };
            app.with_table(|table| {
                format!("{}: {}{led}{has_it}", table.name_or_you(play.player, words), words.domino_text(play.domino))
            })
        };
        part((place << 8 | play.domino.index()) as u64, move || {
            view! {
                <span
                    class=format!("played place-{place}")
                    class:winning=live(move || winner.get() == Some(play.player))
                    role="img"
                    aria-label=live(label)
                >
                    <Tile domino=play.domino/>
                    <i class="crown" aria-hidden="true"></i>
                    {is_lead.then(|| view! { <i class="lead" aria-hidden="true">{app.words().led}</i> })}
                </span>
            }
        })
    };
    let plays = move || trick.get().into_iter().flat_map(|trick| trick.plays).enumerate().map(lies).collect();
    // A player who sits out has no place in the trick.
    let out = move || {
        let place = app.with_table(|table| Some(table.place(table.view.state.contract?.sits_out?))).flatten();
        place.map_or_else(|| "trick".to_owned(), |place| format!("trick out-{place}"))
    };
    let label = move || app.words().the_trick;
    let waits = move || app.with_table(|table| table.phase() == Phase::Playing && table.agree_offer().is_some());
    view! {
        <div class=live(out) role="group" aria-label=label>
            <span class="spot place-0"></span><span class="spot place-1"></span>
            <span class="spot place-2"></span><span class="spot place-3"></span>
            {drawn(move || app.motion.leaving().map(|leaving| view! { <Carried trick=leaving.trick/> }))}
            {listed(plays)}
            {when(move || waits() == Some(true), move || view! {
                <GoOn/>
            })}
        </div>
    }
}

/// A trick being carried to its winner.
#[component]
fn Carried(trick: TrickView) -> impl IntoView {
    let app = app();
    let place = move |seat| app.with_table(|table| table.place(seat)).unwrap_or(0);
    let to = trick.winner.map_or(0, place);
    let tiles = trick.plays.into_iter().map(|play| {
        view! { <span class=format!("carried place-{} to-{to}", place(play.player)) aria-hidden="true"><Tile domino=play.domino/></span> }
    });
    tiles.all_drawn()
}

/// The button that takes in the trick at once; also shown if the page does it automatically.
#[component]
fn GoOn() -> impl IntoView {
    let app = app();
    let agree = move |_| {
        if let Some(action) = app.with_table(|table| table.agree_offer().map(|offer| offer.action)).flatten() {
            app.act(action);
        }
    };
    view! { <button class="go-on" on:click=agree>{app.words().go_on}</button> }
}

/// Before the first deal: who is seated, who is ready, and how to invite others.
#[component]
fn Gathering() -> impl IntoView {
    let app = app();
    let is_asked = Computed::new(move || app.with_table(TableModel::must_declare_ready).unwrap_or(false));
    let declare_ready = move |_| {
        connection::with_client(app, ClientCore::declare_ready);
        keep_focus();
    };
    let invites =
        Computed::new(move || app.with_table(|table| table.invites_to().contains(&Role::Player)).unwrap_or(false));
    let may_change_rules = Computed::new(move || app.with_table(TableModel::may_change_rules).unwrap_or(false));
    view! {
        <div class="panel" class:calm=live(move || !invites.get())>
            <h2>{drawn(move || app.with_table(|table| gathering(table, app)))}</h2>
            {when(move || is_asked.get(), move || view! {
                <div class="row"><button class="primary ready" on:click=declare_ready>{app.words().i_am_ready}</button></div>
            })}
            <p class="sub begins" role="status">{drawn(move || app.with_table(|table| waits(table, app)).flatten())}</p>
            {when(move || invites.get(), || view! { <InviteBox/> })}
            {when(move || may_change_rules.get(), || view! { <div class="row"><ChangeRules class="small quiet"/></div> })}
        </div>
    }
}

/// The headline before the first deal: if all seats are taken, the table waits for nobody else to come.
fn gathering(table: &TableModel, app: App) -> String {
    let words = app.words();
    match (is_full(table), table.must_declare_ready()) {
        (true, true) => words.all_here.to_owned(),
        (true, false) => not_ready(table, app).unwrap_or_else(|| words.gathering.to_owned()),
        (false, _) => words.gathering.to_owned(),
    }
}

/// Whether somebody is on every seat.
fn is_full(table: &TableModel) -> bool {
    Seat::ALL.into_iter().all(|seat| table.player_on(seat).is_some() && !table.is_away(seat))
}

/// What else the table waits for, unless the headline says it.
fn waits(table: &TableModel, app: App) -> Option<String> {
    if table.must_declare_ready() {
        // A person with an invite box has more to read here, and the button says it.
        let invites = table.invites_to().contains(&Role::Player);
        return (!invites).then(|| app.words().begins_when_ready.to_owned());
    }
    not_ready(table, app).filter(|_| !is_full(table))
}

/// Names the people who are not ready; empty seats are not named.
fn not_ready(table: &TableModel, app: App) -> Option<String> {
    let words = app.words();
    let names: Vec<String> = table.view.not_ready().map(|seat| table.name(seat, words)).collect();
    (!names.is_empty()).then(|| fill(words.waiting_for, &[&names.join(", ")]))
}
