//! The trick in the middle of the table.

use leptos::prelude::*;
use texas42_protocol::PlayView;

use crate::{
    computed::Computed,
    erased_view::{listed, live, part},
    shown_table::shown,
    tile::Tile,
    words::lowercase,
};

/// The dominoes of the trick, each in front of its player, and those of the previous trick being carried away.
///
/// `leaving` is drawn below them, `controls` above.
pub fn trick(leaving: AnyView, controls: AnyView) -> AnyView {
    let shown = shown();
    let plays = Computed::new(move || shown.with(|table| table.view.state.trick.clone()).flatten());
    let winner = Computed::new(move || shown.with(|table| table.view.derived.trick_winner).flatten());
    let lies = move |(number, play): (usize, PlayView)| {
        let is_lead = number == 0;
        let place = shown.with(|table| table.place(play.player)).unwrap_or(0);
        let label = move || {
            let words = shown.words();
            let has_it = if winner.get() == Some(play.player) { [", ", words.winning].concat() } else { String::new() };
            let led = if is_lead { [", ", &lowercase(words.led)].concat() } else { String::new() };
            shown.with(|table| {
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
                    {is_lead.then(|| view! { <i class="lead" aria-hidden="true">{shown.words().led}</i> })}
                </span>
            }
        })
    };
    let lying = move || plays.get().into_iter().flat_map(|trick| trick.plays).enumerate().map(lies).collect();
    // A player who sits out has no place in the trick.
    let out = move || {
        let place = shown.with(|table| Some(table.place(table.view.state.contract?.sits_out?))).flatten();
        place.map_or_else(|| "trick".to_owned(), |place| format!("trick out-{place}"))
    };
    let label = move || shown.words().the_trick;
    view! {
        <div class=live(out) role="group" aria-label=label>
            <span class="spot place-0"></span><span class="spot place-1"></span>
            <span class="spot place-2"></span><span class="spot place-3"></span>
            {leaving}
            {listed(lying)}
            {controls}
        </div>
    }
    .into_any()
}
