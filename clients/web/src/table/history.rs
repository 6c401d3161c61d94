//! The history of the hand: the auction, the tricks, and the last trick on request.

use leptos::prelude::*;
use texas42_protocol::TrickView;
use texas42_vocab::{Domino, Hand};

use crate::{
    app::app,
    computed::Computed,
    erased_view::{AllDrawn, drawn, listed, number_of, part, when},
    table::{Tile, header::Contract},
    table_model::{StillOut, TableModel},
    words::{Words, fill},
};

/// The panel beside the table, if there is room.
#[component]
pub(crate) fn Side() -> impl IntoView {
    let app = app();
    view! {
        <aside class="beside" aria-label=app.words().history>
            {when(move || app.window.has_room(), || view! { <HandHistory is_beside=true/> })}
        </aside>
    }
}

/// The auction and the tricks of this hand, beside the table or in a dialog.
#[component]
pub(crate) fn HandHistory(is_beside: bool) -> impl IntoView {
    let app = app();
    let tracks = move || {
        let is_usual = || is_beside && app.with_table(TableModel::is_casual) == Some(true);
        let wants = app.settings.with(|settings| settings.still_out).unwrap_or_else(is_usual);
        // What is out tells what the person holds who had the device before.
        wants && !app.hot_seat.is_covered()
    };
    let number = move || app.with_table(|table| table.view.state.hand_number + 1).unwrap_or(1);
    let calls = Computed::new(move || app.with_table(|table| table.view.state.auction.clone()).unwrap_or_default());
    let tricks = Computed::new(move || app.with_table(|table| table.view.state.tricks.clone()).unwrap_or_default());
    let call = move |call: texas42_protocol::Call| {
        let words = app.words();
        let text = call.bid.map_or_else(|| words.pass.to_owned(), |bid| words.bid_text(bid));
        let (name, is_first) = app
            .with_table(|table| (table.name_or_you(call.player, words), call.player.team() == table.first_team()))
            .unwrap_or_default();
        let number = number_of(&text) << 3 | u64::from(is_first) << 2 | call.player.index() as u64;
        part(number, move || {
            view! {
                <li class:first=is_first class:second=!is_first class:high=call.bid.is_some()>
                    <span><i class="badge" aria-hidden="true"></i>{name}</span><b>{text}</b>
                </li>
            }
        })
    };
    // From another perspective, the teams swap sides.
    let is_first = move || app.with_table(|table| table.first_team().index()).unwrap_or(0);
    let row = move |(number, trick): (usize, TrickView)| {
        part((number << 9 | is_first() << 8 | trick.plays.len()) as u64, move || view! { <TrickRow trick/> })
    };
    view! {
        <h2>{drawn(move || fill(app.words().hand_number, &[&number().to_string()]))}</h2>
        <h3>{app.words().calls}</h3>
        <ol class="calls">{listed(move || calls.get().into_iter().map(call).collect())}</ol>
        <h3>{app.words().tricks}</h3>
        {drawn(move || tricks.with(Vec::is_empty).then(|| view! { <p class="sub">{app.words().no_tricks}</p> }))}
        <ol class="tricks">
            {listed(move || tricks.get().into_iter().enumerate().map(row).collect())}
        </ol>
        {when(tracks, || view! { <Tracker/> })}
    }
}

/// The count and the trumps that are still out, for a person who wants to see them.
#[component]
fn Tracker() -> impl IntoView {
    let app = app();
    let out = Computed::new(move || app.with_table(TableModel::still_out).flatten());
    let row = move |title: fn(&Words, Hand) -> String, of: fn(StillOut) -> Option<Hand>| {
        let hand = Computed::new(move || out.get().and_then(of));
        let tile = |domino: Domino| {
            part(domino.index() as u64, move || view! { <span class="mini open"><Tile domino/></span> })
        };
        let names = move || {
            let names = hand.get().into_iter().flatten().map(|domino| app.words().domino_text(domino));
            names.collect::<Vec<_>>().join(", ")
        };
        when(
            move || hand.get().is_some(),
            move || {
                view! {
                    <h3>{drawn(move || hand.get().map(|hand| title(app.words(), hand)))}</h3>
                    <div class="row-plays" aria-hidden="true">
                        {listed(move || hand.get().into_iter().flatten().map(tile).collect())}
                    </div>
                    <p class="unseen">{drawn(names)}</p>
                }
            },
        )
    };
    view! {
        <div class="still-out">
            {row(|words, hand| fill(words.count_out, &[&hand.count().to_string()]), |out| Some(out.counts))}
            {row(|words, hand| fill(words.trumps_out, &[&hand.len().to_string()]), |out| out.trumps)}
        </div>
    }
}

/// One trick: the dominoes in order of play with the winner's marked, and the points.
#[component]
fn TrickRow(trick: TrickView) -> impl IntoView {
    let app = app();
    let winner = trick.winner;
    let points = trick.points;
    let is_first =
        app.with_table(|table| winner.map(texas42_vocab::Seat::team) == Some(table.first_team())).unwrap_or(false);
    let name = move || app.with_table(|table| winner.map(|seat| table.name_or_you(seat, app.words()))).flatten();
    let plays = trick.plays.into_iter().map(|play| {
        let label = move || {
            app.with_table(|table| {
                let words = app.words();
                format!("{}: {}", table.name_or_you(play.player, words), words.domino_text(play.domino))
            })
        };
        view! {
            <span class="mini open" class:winning=winner == Some(play.player) role="img" aria-label=label title=label>
                <Tile domino=play.domino/>
            </span>
        }
    });
    view! {
        <li class:first=is_first class:second=!is_first>
            <span class="row-plays">{plays.all_drawn()}</span>
            <span class="row-winner"><i class="badge" aria-hidden="true"></i>{drawn(name)}</span>
            <b>{points}</b>
        </li>
    }
}

/// The last completed trick, enlarged.
#[component]
pub(crate) fn LastTrick() -> impl IntoView {
    let app = app();
    let trick = move || app.with_table(|table| table.view.state.tricks.last().cloned()).flatten();
    view! {
        {drawn(move || match trick() {
            None => view! { <p>{app.words().no_tricks}</p> }.into_any(),
            Some(trick) => {
                let words = app.words();
                let plays = trick.plays.iter().map(|play| {
                    let name = app.with_table(|table| table.name_or_you(play.player, words));
                    let label = words.domino_text(play.domino);
                    view! {
                        <figure class:winning=trick.winner == Some(play.player)>
                            <span role="img" aria-label=label><Tile domino=play.domino/></span>
                            <figcaption>{name}</figcaption>
                        </figure>
                    }
                }).all_drawn();
                let text = app.with_table(|table| table.trick_text(&trick, words)).flatten();
                view! { <div class="last-trick">{plays}</div><p class="sub">{text}</p> }.into_any()
            }
        })}
        <Contract/>
    }
}
