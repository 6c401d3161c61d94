//! The pseudo-locale: English with an accent on every letter, in brackets.
//!
//! It is readable, so that a person can use the page in it. It contains no plain ASCII letter, so that a test can find
//! text that does not come from a catalogue.

use alloc::{boxed::Box, string::String};

use once_cell::race::OnceBox;

use crate::{Words, english};

pub(crate) fn words() -> &'static Words {
    static PSEUDO: OnceBox<Words> = OnceBox::new();
    PSEUDO.get_or_init(|| {
        let mut words = Box::new(english::WORDS);
        words.change_texts(|text| *text = String::leak(accented(text)));
        words
    })
}

/// The text in brackets, with accents on everything but its placeholders.
fn accented(text: &str) -> String {
    let mut in_placeholder = false;
    let letters = text.chars().map(|letter| {
        in_placeholder = (in_placeholder || letter == '{') && letter != '}';
        if in_placeholder { letter } else { accent(letter) }
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
    fn accents_every_letter_but_placeholders() {
        assert_eq!(accented("Bid {0}, Zoë!"), "⟦Ɓîđ {0}, Žöë!⟧");
        for letter in ('a'..='z').chain('A'..='Z') {
            assert!(accent(letter).is_alphabetic() && !accent(letter).is_ascii(), "{letter}");
        }
    }
}
