//! The catalogue of a language. English is part of every module. The other catalogues are files next to it, and are loaded when their
//! language is needed.

use crate::{
    browser,
    words::{Language, Words},
};

/// A language with its texts.
#[derive(Clone, Copy)]
pub struct Catalogue {
    /// The language.
    pub language: Language,
    /// Its texts.
    pub words: &'static Words,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self { language: Language::English, words: Language::English.words() }
    }
}

impl Catalogue {
    /// Loads the texts of a language; `None` if there is no network.
    pub async fn load(language: Language) -> Option<Self> {
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
        let mut texts = texts.into_iter();
        words.change_texts(|entry| *entry = texts.next().unwrap_or_default().leak());
        Some(Self { language, words })
    }
}
