//! Covers the dominoes of the person who had the device last, until the next person has it.

use leptos::prelude::*;
use texas42_vocab::Seat;

use crate::{
    app::{App, app},
    computed::Computed,
    erased_view::{AllDrawn, ErasedView, drawn},
    words::fill,
};

#[component]
pub(crate) fn Cover() -> impl IntoView {
    let app = app();
    let next = Computed::new(move || app.with_table(|table| app.hot_seat.next(table)).flatten());
    let question = move || match next.get() {
        Some(seat) => fill(app.words().pass_device, &[&name(app, seat)]),
        None => app.words().who_looks.to_owned(),
    };
    // The next person first, so that one tap is enough.
    let people = move || {
        let (first, others): (Vec<_>, Vec<_>) =
            app.hot_seat.seats().into_iter().partition(|seat| next.get() == Some(*seat));
        first.into_iter().chain(others).map(|seat| person(app, seat, next.get() == Some(seat))).all_drawn()
    };
    view! {
        <section class="own cover" tabindex="-1" aria-labelledby="cover-question">
            <p id="cover-question">{drawn(question)}</p>
            <div class="row">{drawn(people)}</div>
        </section>
    }
}

fn person(app: App, seat: Seat, is_next: bool) -> AnyView {
    let text = fill(app.words().i_am, &[&name(app, seat)]);
    view! {
        <button class:primary=is_next class:quiet=!is_next data-person=seat.index().to_string() on:click=move |_| app.hand_device_to(seat)>
            {text}
        </button>
    }
    .erased()
}

fn name(app: App, seat: Seat) -> String {
    app.with_table(|table| table.name(seat, app.words())).unwrap_or_default()
}
