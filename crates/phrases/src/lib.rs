//! What players read: one catalogue per language, and the sentences that it makes of reasons.
//!
//! Tables, bots and hosts send codes with parameters ([`Reason`], [`Remark`], [`Hint`], [`OutcomeReason`]). Whoever shows
//! them to a person asks the catalogue of that person's language ([`Words`]).
//!
//! To add a language, copy `english.rs`, translate it, and add its line to `languages!` below. An entry that is missing
//! does not compile; the tests find one that lost a parameter.
//!
//! ```
//! use texas42_phrases::{Language, Refusal};
//! use texas42_vocab::SuitName;
//!
//! let refusal = Refusal::MustFollow { suit: SuitName::Threes };
//! assert_eq!(Language::English.words().refusal(refusal), "threes were called and have to be followed");
//! assert_eq!(Language::Spanish.words().refusal(refusal), "han salido treses y hay que servir");
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod fill;
mod nouns;
mod problems;
mod reasons;
mod refusals;
mod remarks;
mod words;

pub use fill::{capitalised, fill};
pub use reasons::{Chance, Dominoes, Gain, Hint, Neighbor, Neighbors, OutcomeReason, Problem, Reason, Refusal, Remark};
pub use words::Words;

macro_rules! languages {
    ($($(#[$doc:meta])* $language:ident => $file:ident,)+) => {
        $(mod $file;)+

        /// A language that the page can be read in.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Language {
            #[default]
            $($(#[$doc])* $language,)+
        }

        impl Language {
            /// Every language.
            pub const ALL: &[Self] = &[$(Self::$language,)+];

            /// Its catalogue.
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
    English => english,
    /// Spanish.
    Spanish => spanish,
    /// Accented English in brackets, for tests: whatever is shown without them does not come from a catalogue.
    Pseudo => pseudo,
}

impl Language {
    /// The languages that people can choose.
    pub fn offered() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|language| *language != Self::Pseudo)
    }

    /// Its code, as in HTML.
    pub fn code(self) -> &'static str {
        self.words().code
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        self.words().name
    }

    /// The language of a code such as `es-MX`; English when it is none of ours. The pseudo-locale needs its whole code.
    pub fn of_code(code: &str) -> Self {
        if code == Self::Pseudo.code() {
            return Self::Pseudo;
        }
        let is_it = |language: &Self| code.split('-').next() == Some(language.code());
        Self::offered().find(is_it).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_found_by_its_code() {
        let codes = ["en", "es", "es-MX", "fr", "en-XA", "en-US", ""];
        use Language::{English, Pseudo, Spanish};
        assert_eq!(codes.map(Language::of_code), [English, Spanish, Spanish, English, Pseudo, English, English]);
        assert!(Language::offered().all(|language| Language::of_code(language.code()) == language));
    }
}
