//! The catalogue of the page's language. English is part of the module. The other catalogues are files next to it, and are
//! loaded when their language is chosen.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::App,
    browser,
    settings::Settings,
    words::{Language, Words},
};

/// A language with its texts.
#[derive(Clone, Copy)]
pub(crate) struct Catalogue {
    pub(crate) language: Language,
    pub(crate) words: &'static Words,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self { language: Language::English, words: Language::English.words() }
    }
}

impl Catalogue {
    /// Loads the texts of a language; `None` if there is no network.
    pub(crate) async fn load(language: Language) -> Option<Self> {
        if language == Language::English {
            return Some(Self::default());
        }
        let json = browser::load_file(&format!("words-{}.json", language.code())).await?;
        let texts: Vec<String> = texas42_protocol::read(&json).ok()?;
        if texts.len() != Words::ENTRIES.len() {
            return None;
        }
        // The page keeps every catalogue that it has loaded: texts are everywhere, and languages are few.
        let words = Box::leak(Box::new(*Language::English.words()));
        for (entry, text) in words.texts_mut().into_iter().zip(texts) {
            *entry = text.leak();
        }
        Some(Self { language, words })
    }
}

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
