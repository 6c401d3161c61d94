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
enum UndoPrompt {
    /// The person's last move can be undone.
    Mine(u16),
    /// Somebody asks to undo, and this person has not agreed yet.
    Asked(u16, String),
    /// Waiting for the others to agree.
    Waiting,
}

#[component]
pub(crate) fn UndoControl() -> impl IntoView {
    let app = app();
    let matter = Memo::new(move |_| app.with_table(|table| matter(table, app)).flatten());
    view! { {drawn(move || matter.get().map(|matter| shown(matter, app)))} }
}

fn matter(table: &TableModel, app: App) -> Option<UndoPrompt> {
    let seat = table.seat.filter(|_| table.takes_back())?;
    match &table.view.metadata.undo {
        Some(ask) if ask.agreed.contains(&seat) => Some(UndoPrompt::Waiting),
        Some(ask) => Some(UndoPrompt::Asked(ask.to, names(table, &ask.agreed, app))),
        None if table.phase() == Phase::Scoring => None,
        None => {
            let events = table.view.state.events;
            // In a rated game a move cannot be undone once others have moved.
            let is_late = |at: u16| table.view.metadata.table.rated && events > at + 1;
            let may = |at: &u16| *at < events && !is_late(*at) && !table.phase().is_over();
            app.table.moved_at().filter(may).map(UndoPrompt::Mine)
        }
    }
}

fn names(table: &TableModel, seats: &[Seat], app: App) -> String {
    seats.iter().map(|seat| table.name(*seat, app.words())).collect::<Vec<_>>().join(", ")
}

fn shown(matter: UndoPrompt, app: App) -> AnyView {
    let words = app.words();
    match matter {
        UndoPrompt::Mine(to) => view! {
            <button class="icon take-back" on:click=move |_| app.act(Action::Undo { to }) aria-label=words.take_back title=words.take_back>
                <Icon path="M9 7l-5 5 5 5M4 12h11a5 5 0 0 1 0 10h-2"/>
            </button>
        }
        .into_any(),
        UndoPrompt::Asked(to, who) => view! {
            <p class="asked" role="status">
                {fill(words.asks_to_take_back, &[&who])}
                <button class="small primary" on:click=move |_| app.act(Action::Undo { to })>{words.agree}</button>
            </p>
        }
        .into_any(),
        UndoPrompt::Waiting => view! { <p class="asked" role="status">{words.others_have_to_agree}</p> }.into_any(),
    }
}
