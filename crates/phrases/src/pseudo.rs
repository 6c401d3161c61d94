//! The pseudo-locale: English with an accent on every letter, in brackets.
//!
//! It is readable, so that a person can use the page in it, and no letter of it is plain, so that a test finds every word
//! that does not come from a catalogue.

use alloc::{boxed::Box, string::String};

use once_cell::race::OnceBox;

use crate::{Words, english};

pub(crate) fn words() -> &'static Words {
    static PSEUDO: OnceBox<Words> = OnceBox::new();
    PSEUDO.get_or_init(|| Box::new(made_of(&english::WORDS)))
}

fn made_of(english: &Words) -> Words {
    let mut words = Words { code: "en-XA", name: "⟦Ƥşéûđö⟧", ..english.clone() };
    for text in words.texts_mut() {
        *text = Box::leak(accented(text).into_boxed_str());
    }
    words
}

/// The text in brackets, with accents on everything but its places.
fn accented(text: &str) -> String {
    let mut is_place = false;
    let letters = text.chars().map(|letter| {
        is_place = (is_place || letter == '{') && letter != '}';
        if is_place { letter } else { accent(letter) }
    });
    ['⟦'].into_iter().chain(letters).chain(['⟧']).collect()
}

fn accent(letter: char) -> char {
    const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const ACCENTED: &str = "åƀçđéƒĝĥîĵķļɱñöƥɋřşţûṽŵẋýžÅƁÇĐÉƑĜĤÎĴĶĻṀÑÖƤɊŘŞŢÛṼŴẊÝŽ";
    PLAIN.find(letter).and_then(|at| ACCENTED.chars().nth(at)).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_accented_and_places_stay() {
        assert_eq!(accented("Bid {0}, Zoë!"), "⟦Ɓîđ {0}, Žöë!⟧");
        for letter in ('a'..='z').chain('A'..='Z') {
            assert!(accent(letter).is_alphabetic() && !accent(letter).is_ascii(), "{letter}");
        }
    }
}
