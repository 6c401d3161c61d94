//! Undoing a move, which everyone at the table has to agree to: the button, and the question to the others.

use leptos::prelude::*;
use texas42_client::ClientCore;
use texas42_vocab::{Action, Phase, Seat};

use crate::{
    app::{App, app, keep_focus},
    computed::Computed,
    connection,
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
    let matter = Computed::new(move || app.with_table(|table| matter(table, app)).flatten());
    let of_move = move || match matter.get() {
        Some(UndoPrompt::Mine(to)) => Some(button(to, app)),
        _ => None,
    };
    let of_request = move || matter.get().and_then(|matter| request(matter, app));
    view! {
        {drawn(of_move)}
        <div class="says" role="status">{drawn(of_request)}</div>
    }
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

/// The button that undoes the person's last move.
fn button(to: u16, app: App) -> AnyView {
    let words = app.words();
    view! {
        <button class="icon take-back" on:click=move |_| app.act(Action::Undo { to }) aria-label=words.take_back title=words.take_back>
            <Icon path="M9 7l-5 5 5 5M4 12h11a5 5 0 0 1 0 10h-2"/>
        </button>
    }
    .into_any()
}

fn decline(app: App) {
    connection::with_client(app, ClientCore::decline_undo);
    keep_focus();
}

/// The question to the others, or what the person who asked waits for.
fn request(matter: UndoPrompt, app: App) -> Option<AnyView> {
    let words = app.words();
    match matter {
        UndoPrompt::Mine(_) => None,
        UndoPrompt::Asked(to, who) => Some(
            view! {
                <p class="asked">
                    {fill(words.asks_to_take_back, &[&who])}
                    <button class="small primary" on:click=move |_| app.act(Action::Undo { to })>{words.agree}</button>
                    <button class="small" data-do="decline-undo" on:click=move |_| decline(app)>{words.decline}</button>
                </p>
            }
            .into_any(),
        ),
        UndoPrompt::Waiting => Some(view! { <p class="asked">{words.others_have_to_agree}</p> }.into_any()),
    }
}
