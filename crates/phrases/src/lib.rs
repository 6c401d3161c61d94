//! Message catalogues, one per language, and the typed reasons that they turn into sentences.
//!
//! Tables, bots and hosts send codes with parameters ([`Reason`], [`Remark`], [`Hint`], [`OutcomeReason`]). A client
//! renders them with the catalogue of the reader's language ([`Words`]).
//!
//! To add a language, copy `english.rs`, translate it, and add a line to `languages!` below. A missing entry does not
//! compile, and the tests find entries that lost a parameter.
//!
//! ```
//! use texas42_phrases::{Language, Refusal};
//! use texas42_vocab::SuitName;
//!
//! let refusal = Refusal::MustFollow { suit: SuitName::Threes };
//! assert_eq!(Language::English.words().refusal(refusal), "you have to follow suit: threes were led");
//! assert_eq!(Language::Spanish.words().refusal(refusal), "tienes que seguir el palo: salieron treses");
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod fill;
mod nouns;
mod phrase;
mod problems;
mod reasons;
mod refusals;
mod remarks;
mod words;

pub use fill::{capitalized, fill, lowercase};
pub use phrase::{Phrase, PhraseKind};
pub use reasons::{Chance, Dominoes, Gain, Hint, Neighbor, Neighbors, OutcomeReason, Problem, Reason, Refusal, Remark};
pub use words::Words;

macro_rules! languages {
    ($($(#[$doc:meta])* $language:ident => $file:ident $code:literal $name:literal,)+) => {
        $(mod $file;)+

        /// A language with a catalogue.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Language {
            #[default]
            $($(#[$doc])* $language,)+
        }

        impl Language {
            /// Every language.
            pub const ALL: &[Self] = &[$(Self::$language,)+];

            /// The language tag, as in the HTML `lang` attribute.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$language => $code,)+
                }
            }

            /// The name of this language in the language itself.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$language => $name,)+
                }
            }

            /// The catalogue of this language. A program that calls this contains the catalogues of all languages.
            pub fn words(self) -> &'static Words {
                match self {
                    $(Self::$language => $file::words(),)+
                }
            }
        }
    };
}

languages! {
    /// English.
    English => english "en" "English",
    /// Spanish.
    Spanish => spanish "es" "Español",
    /// Accented English in brackets, for tests: any plain text on screen does not come from a catalogue.
    Pseudo => pseudo "en-XA" "⟦Ƥşéûđö⟧",
}

impl Language {
    /// The languages that players can choose: all but the pseudo-locale.
    pub fn offered() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|language| *language != Self::Pseudo)
    }

    /// The language of a tag such as `es-MX`; English if there is no catalogue for it. The pseudo-locale needs its full
    /// tag.
    pub fn from_code(code: &str) -> Self {
        if code == Self::Pseudo.code() {
            return Self::Pseudo;
        }
        let matches_code = |language: &Self| code.split('-').next() == Some(language.code());
        Self::offered().find(matches_code).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_language_by_its_code() {
        let codes = ["en", "es", "es-MX", "fr", "en-XA", "en-US", ""];
        use Language::{English, Pseudo, Spanish};
        assert_eq!(codes.map(Language::from_code), [English, Spanish, Spanish, English, Pseudo, English, English]);
        assert!(Language::offered().all(|language| Language::from_code(language.code()) == language));
    }
}
