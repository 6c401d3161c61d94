//! A screen of the study module: shows that it is loading, mounts it, and unmounts it when the person goes elsewhere.

use std::cell::{Cell, RefCell};

use leptos::{html::Div, prelude::*};
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::{Screen, app},
    browser,
    erased_view::{drawn, when},
    study_module::OpenStudy,
};

thread_local! {
    /// The number of the current visit. A screen that arrives later belongs to an earlier one.
    static VISIT: Cell<u32> = const { Cell::new(0) };
    /// The mounted screen.
    static OPEN: RefCell<Option<OpenStudy>> = const { RefCell::new(None) };
}

/// How far the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// The module is being loaded.
    Loading,
    /// It could not be loaded.
    Failed,
    /// The screen is mounted.
    Mounted,
}

#[component]
pub(crate) fn Study(fragment: String) -> impl IntoView {
    let app = app();
    let words = app.words();
    let progress = RwSignal::new(Progress::Loading);
    let place = NodeRef::<Div>::new();
    let fragment = StoredValue::new(fragment);
    let open = move || {
        let Some(place) = place.get_untracked() else { return };
        progress.set(Progress::Loading);
        let visit = next_visit();
        spawn_local(async move {
            let opened = OpenStudy::open(app, &place, &fragment.get_value()).await;
            arrive(visit, opened, progress);
        });
    };
    Effect::new(move || {
        if place.get().is_some() {
            open();
        }
    });
    on_cleanup(leave);
    let text = move || if progress.get() == Progress::Failed { words.study_not_loaded } else { words.loading };
    let retry = move |_| {
        open();
        // The button disappears.
        browser::focus("main");
    };
    view! {
        {when(move || progress.get() != Progress::Mounted, move || view! {
            <main class="waiting" tabindex="-1">
                <p role="status">{drawn(text)}</p>
                {when(move || progress.get() == Progress::Failed, move || view! {
                    <button class="primary" data-do="try-again" on:click=retry>{words.try_again}</button>
                })}
                <button class="quiet" on:click=move |_| app.go(Screen::Home)>{words.home}</button>
            </main>
        })}
        <div class="study" node_ref=place></div>
    }
}

fn next_visit() -> u32 {
    VISIT.set(VISIT.get() + 1);
    VISIT.get()
}

/// Keeps a screen that was mounted for the current visit, and removes one for which the person did not wait.
fn arrive(visit: u32, opened: Option<OpenStudy>, progress: RwSignal<Progress>) {
    match opened {
        Some(study) if visit != VISIT.get() => study.close(),
        None if visit != VISIT.get() => {}
        Some(study) => {
            OPEN.set(Some(study));
            progress.set(Progress::Mounted);
        }
        None => progress.set(Progress::Failed),
    }
}

/// Removes the screen when the person goes elsewhere.
fn leave() {
    next_visit();
    if let Some(study) = OPEN.take() {
        study.close();
    }
}
