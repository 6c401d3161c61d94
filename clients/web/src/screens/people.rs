//! The other people at the table, each with a button to mute them.

use leptos::prelude::*;
use texas42_protocol::Name;

use crate::{
    app::{App, app},
    erased_view::{AllDrawn, ErasedView, drawn},
    words::fill,
};

#[component]
pub(super) fn People() -> impl IntoView {
    let app = app();
    let names = app.with_table(|table| table.other_people().map(|person| person.name.clone()).collect::<Vec<_>>());
    let names = names.unwrap_or_default();
    let buttons = names.into_iter().map(move |name| muting(app, name));
    view! { <div class="row people">{buttons.all_drawn()}</div> }
}

/// A button that mutes somebody on this device, or lets them be heard again.
fn muting(app: App, name: Name) -> AnyView {
    let shown = name.clone();
    let text = move || {
        let is_muted = app.settings.with(|settings| settings.is_muted(&shown));
        fill(if is_muted { app.words().unmute } else { app.words().mute }, &[shown.as_str()])
    };
    let toggle = move |_| app.settings.update(|settings| settings.toggle_muted(&name));
    view! { <button class="small quiet" data-do="mute" on:click=toggle>{drawn(text)}</button> }.erased()
}
