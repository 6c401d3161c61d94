//! The state of the browser window: its width, and whether a new version of the page is ready.

use leptos::{ev, prelude::*};

use crate::{app::app, browser, erased_view::when};

/// Minimum width for the panel beside the table; the style sheet has the same value.
const ROOM: f64 = 1180.0;

/// The state of the window.
#[derive(Clone, Copy)]
pub(crate) struct WindowState {
    has_room: RwSignal<bool>,
    is_update_ready: RwSignal<bool>,
}

impl WindowState {
    pub(super) fn new() -> Self {
        Self { has_room: RwSignal::new(browser::width() >= ROOM), is_update_ready: RwSignal::new(false) }
    }

    /// Whether there is room beside the table.
    pub(crate) fn has_room(self) -> bool {
        self.has_room.get()
    }

    /// Registers the event listeners.
    pub(super) fn listen(self) {
        window_event_listener(ev::resize, move |_| {
            let has_room = browser::width() >= ROOM;
            if self.has_room.get_untracked() != has_room {
                self.has_room.set(has_room);
            }
        });
        let update = ev::Custom::<ev::Event>::new("texas42-update");
        window_event_listener(update, move |_| self.is_update_ready.set(true));
    }
}

/// Offers a new version, which waits until the person accepts it, so that a running game is not interrupted.
#[component]
pub(crate) fn Update() -> impl IntoView {
    let app = app();
    let accept = move |_| browser::dispatch("texas42-accept-update");
    view! {
        <div class="says" role="status">{when(move || app.window.is_update_ready.get(), move || view! {
            <div class="update">
                {app.words().new_version} <button class="small" on:click=accept>{app.words().use_new_version}</button>
            </div>
        })}</div>
    }
}
