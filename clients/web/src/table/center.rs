//! The middle of the table: the trick during play, otherwise the pending decision or the result.

use leptos::prelude::*;
use texas42_client::ClientCore;
use texas42_display::trick::trick;
use texas42_protocol::{Role, TrickView};
use texas42_vocab::{Phase, Seat};

use crate::{
    app::{App, app, keep_focus},
    computed::Computed,
    connection,
    erased_view::{AllDrawn, drawn, keyed, live, number_of, when},
    screens::{ChangeRules, InviteBox},
    table::{
        Tile,
        bidding::{Auction, NameTrumps},
        ending::Ending,
        header::Contract,
        scoring::Scoring,
    },
    table_model::TableModel,
    words::fill,
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

/// The dominoes of the trick, those of the previous trick being carried away, and the button that takes in a complete trick.
#[component]
fn Trick() -> impl IntoView {
    let app = app();
    let waits = move || app.with_table(|table| table.phase() == Phase::Playing && table.agree_offer().is_some());
    trick(
        drawn(move || app.motion.leaving().map(|leaving| view! { <Carried trick=leaving.trick/> })),
        when(move || waits() == Some(true), move || view! { <GoOn/> }),
    )
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
