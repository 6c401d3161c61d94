//! Follows the language that the person chooses.

use leptos::prelude::*;
use texas42_display::catalogue::Catalogue;
use wasm_bindgen_futures::spawn_local;

use crate::{app::App, browser, settings::Settings, words::Language};

/// Switches the page to the language in the settings.
pub(super) fn follow_settings(app: App) {
    let language = app.settings.with(chosen);
    if language != app.catalogue.get_untracked().language {
        spawn_local(change_to(app, language));
    }
}

async fn change_to(app: App, language: Language) {
    let loaded = Catalogue::load(language).await;
    // Meanwhile, the person may have chosen another language.
    if app.settings.with_untracked(chosen) == language {
        match loaded {
            Some(catalogue) => app.catalogue.set(catalogue),
            None => app.show_notice(app.words().no_catalogue),
        }
    }
}

/// The language that the settings or else the browser name.
pub(super) fn chosen(settings: &Settings) -> Language {
    browser::with_language(|browser| settings.language(browser))
}
