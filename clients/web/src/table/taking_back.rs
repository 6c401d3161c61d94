//! Undoing a move, which everyone at the table has to agree to: the button, and the question to the others.

use leptos::prelude::*;
use texas42_vocab::{Action, Phase, Seat};

use crate::{
    app::{App, app},
    erased_view::drawn,
    table::header::Icon,
    table_model::TableModel,
    words::fill,
};

/// What to show about undoing.
#[derive(Clone, Debug, PartialEq)]
enum Matter {
    /// The person's last move can be undone.
    Mine(u16),
    /// Somebody asks to undo, and this person has not agreed yet.
    Asked(u16, String),
    /// Waiting for the others to agree.
    Waiting,
}

#[component]
pub(crate) fn TakingBack() -> impl IntoView {
    let app = app();
    let matter = Memo::new(move |_| app.look(|seen| matter(seen, app)).flatten());
    view! { {drawn(move || matter.get().map(|matter| shown(matter, app)))} }
}

fn matter(seen: &TableModel, app: App) -> Option<Matter> {
    let seat = seen.seat.filter(|_| seen.takes_back())?;
    match &seen.view.metadata.undo {
        Some(ask) if ask.agreed.contains(&seat) => Some(Matter::Waiting),
        Some(ask) => Some(Matter::Asked(ask.to, names(seen, &ask.agreed, app))),
        None if seen.phase() == Phase::Scoring => None,
        None => {
            let events = seen.view.state.events;
            // In a rated game a move cannot be undone once others have moved.
            let is_late = |at: u16| seen.view.metadata.table.rated && events > at + 1;
            let may = |at: &u16| *at < events && !is_late(*at) && !seen.phase().is_over();
            app.table.moved_at().filter(may).map(Matter::Mine)
        }
    }
}

fn names(seen: &TableModel, seats: &[Seat], app: App) -> String {
    seats.iter().map(|seat| seen.name(*seat, app.words())).collect::<Vec<_>>().join(", ")
}

fn shown(matter: Matter, app: App) -> AnyView {
    let words = app.words();
    match matter {
        Matter::Mine(to) => view! {
            <button class="icon take-back" on:click=move |_| app.act(Action::Undo { to }) aria-label=words.take_back title=words.take_back>
                <Icon path="M9 7l-5 5 5 5M4 12h11a5 5 0 0 1 0 10h-2"/>
            </button>
        }
        .into_any(),
        Matter::Asked(to, who) => view! {
            <p class="asked" role="status">
                {fill(words.asks_to_take_back, &[&who])}
                <button class="small primary" on:click=move |_| app.act(Action::Undo { to })>{words.agree}</button>
            </p>
        }
        .into_any(),
        Matter::Waiting => view! { <p class="asked" role="status">{words.others_have_to_agree}</p> }.into_any(),
    }
}
