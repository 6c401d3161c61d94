//! What people can say to each other at a table: a closed list, so that nobody can write what another person would not
//! want to read. The texts are entries of the catalogues.
//!
//! A phrase for everybody says nothing about dominoes: in 42, partners do not signal their hands
//! ([why](../../../docs/adr/0037-phrases-and-coaches.md)).

use alloc::string::String;

use serde::{Deserialize, Serialize};
use texas42_vocab::{Domino, to_json};

use crate::{Words, fill};

/// Declares the phrases, each with its catalogue entry and what is peculiar to it.
macro_rules! phrases {
    ($($(#[$doc:meta])* $phrase:ident => $entry:ident, $kind:ident $($emoji:literal)?;)+) => {
        /// A phrase that a person says at a table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Phrase {
            $($(#[$doc])* $phrase,)+
        }

        impl Phrase {
            /// Every phrase, in the order in which clients offer them.
            pub const ALL: &[Self] = &[$(Self::$phrase,)+];

            /// Who hears it, and whether it points at a domino.
            pub const fn kind(self) -> PhraseKind {
                match self {
                    $(Self::$phrase => PhraseKind::$kind,)+
                }
            }

            /// The picture of a reaction. Its text names the picture.
            pub const fn emoji(self) -> Option<&'static str> {
                match self {
                    $($(Self::$phrase => Some($emoji),)?)+
                    _ => None,
                }
            }
        }

        impl Words {
            /// A phrase in words.
            pub const fn phrase_text(&self, phrase: Phrase) -> &'static str {
                match phrase {
                    $(Phrase::$phrase => self.$entry,)+
                }
            }
        }
    };
}

/// Who hears a phrase, and whether it points at a domino.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhraseKind {
    /// Anybody says it, to everybody. What a coach says goes to the student only.
    Everybody,
    /// A coach says it to the student.
    Coach,
    /// A coach says it to the student about one domino of the student's hand.
    CoachPoints,
}

impl PhraseKind {
    /// Whether only a coach says it.
    pub const fn is_for_coaches(self) -> bool {
        matches!(self, Self::Coach | Self::CoachPoints)
    }
}

phrases! {
    /// A greeting.
    Hello => phrase_hello, Everybody;
    /// Wishes luck.
    GoodLuck => phrase_good_luck, Everybody;
    /// Praises what was played.
    NicePlay => phrase_nice_play, Everybody;
    /// Thanks.
    Thanks => phrase_thanks, Everybody;
    /// An apology.
    Sorry => phrase_sorry, Everybody;
    /// Owns a slip.
    Oops => phrase_oops, Everybody;
    /// Asks the player whose turn it is to go on.
    HurryUp => phrase_hurry_up, Everybody;
    /// Asks for patience.
    OneMoment => phrase_one_moment, Everybody;
    /// Said after a game.
    GoodGame => phrase_good_game, Everybody;
    /// A reaction: clapping hands.
    Applause => phrase_applause, Everybody "👏";
    /// A reaction: a laugh.
    Laugh => phrase_laugh, Everybody "😄";
    /// A reaction: surprise.
    Wow => phrase_wow, Everybody "😮";
    /// Points at a domino, without saying why.
    Look => phrase_look, CoachPoints;
    /// Lead this domino.
    LeadThis => phrase_lead_this, CoachPoints;
    /// Follow with this domino.
    FollowWithThis => phrase_follow_with_this, CoachPoints;
    /// Hold this domino for later.
    HoldThis => phrase_hold_this, CoachPoints;
    /// Give the trick your count.
    CountIt => phrase_count_it, Coach;
    /// Lead trumps before anything else.
    TrumpsFirst => phrase_trumps_first, Coach;
    /// Do not try to take this trick.
    LetItGo => phrase_let_it_go, Coach;
    /// Bid on this hand.
    Bid => phrase_bid, Coach;
    /// Pass this hand.
    Pass => phrase_pass, Coach;
}

impl Phrase {
    /// Whether it points at a domino.
    pub const fn points(self) -> bool {
        matches!(self.kind(), PhraseKind::CoachPoints)
    }

    /// The phrases that a person can say without pointing at a domino: a coach's own, and everybody's.
    pub fn offered(is_coach: bool) -> impl Iterator<Item = Self> {
        let of = |kind: PhraseKind| Self::ALL.iter().copied().filter(move |phrase| phrase.kind() == kind);
        of(PhraseKind::Coach).filter(move |_| is_coach).chain(of(PhraseKind::Everybody))
    }

    /// The phrases that point at a domino.
    pub fn pointing() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|phrase| phrase.points())
    }

    /// The name in JSON, which people type in a terminal, too.
    pub fn name(self) -> String {
        to_json(&self).trim_matches('"').into()
    }
}

impl Words {
    /// A phrase as a button and a bubble show it: a reaction with its picture.
    pub fn phrase_label(&self, phrase: Phrase) -> String {
        let text = self.phrase_text(phrase);
        phrase.emoji().map_or_else(|| text.into(), |emoji| [emoji, text].join(" "))
    }

    /// What somebody said, with the name of that person.
    pub fn said(&self, name: &str, phrase: Phrase, domino: Option<Domino>) -> String {
        let text = self.phrase_text(phrase);
        match domino.map(|domino| self.domino_text(domino)) {
            Some(domino) if phrase == Phrase::Look => fill(self.points_at, &[name, &domino]),
            Some(domino) => fill(self.says_about, &[name, text, &domino]),
            None => fill(self.says_phrase, &[name, text]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn a_reaction_has_a_picture_and_every_phrase_a_text_of_its_own() {
        let pictures: alloc::vec::Vec<&str> = Phrase::ALL.iter().filter_map(|phrase| phrase.emoji()).collect();
        assert_eq!(pictures, ["👏", "😄", "😮"]);
        assert_eq!(Language::English.words().phrase_label(Phrase::Applause), "👏 applause");
        assert_eq!(Language::English.words().phrase_label(Phrase::Hello), "Howdy!");
        for language in Language::ALL {
            for (at, phrase) in Phrase::ALL.iter().enumerate() {
                let text = language.words().phrase_text(*phrase);
                let others = Phrase::ALL[..at].iter().map(|other| language.words().phrase_text(*other));
                assert!(others.into_iter().all(|other| other != text), "{language:?}: {text}");
            }
        }
    }

    #[test]
    fn a_sentence_names_who_said_it_and_about_which_domino() {
        let said = |phrase, domino: Option<&str>| {
            Language::English.words().said("Cora", phrase, domino.map(|domino| domino.parse().unwrap()))
        };
        assert_eq!(said(Phrase::Look, Some("6-4")), "Cora points at 6-4");
        assert_eq!(said(Phrase::LeadThis, Some("6-4")), "Cora: Lead this (6-4)");
        assert_eq!(said(Phrase::Applause, None), "Cora: applause");
    }

    #[test]
    fn only_a_coach_is_offered_what_concerns_dominoes() {
        assert!(Phrase::offered(false).all(|phrase| !phrase.kind().is_for_coaches()));
        assert_eq!(Phrase::offered(true).count() + Phrase::pointing().count(), Phrase::ALL.len());
        assert_eq!((Phrase::HurryUp.name(), Phrase::HurryUp.points()), ("hurry-up".into(), false));
    }
}
