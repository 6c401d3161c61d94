//! The lobby of a table: the short code that leads to it, the guests who wait there, and what a stranger may know.
//!
//! A code is no key: it only lets its holder ask the host to be let in.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};
use texas42_vocab::{Control, Seat};

use crate::bounded::{InvalidText, Name, PlayerId};

/// A short code that leads to the lobby of a table. People read it aloud and type it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LobbyCode([u8; Self::LETTERS]);

impl LobbyCode {
    /// The number of letters.
    pub const LETTERS: usize = 6;
    /// The letters of a code: none that looks like a digit or like another letter when written by hand, and no vowels,
    /// so that no code is a word.
    pub const ALPHABET: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";

    /// A code from a random number.
    pub fn new(random: u64) -> Self {
        let base = Self::ALPHABET.len() as u64;
        let mut rest = random;
        Self(core::array::from_fn(|_| {
            let letter = Self::ALPHABET[(rest % base) as usize];
            rest /= base;
            letter
        }))
    }

    /// The code that a person typed: case, spaces and dashes do not matter.
    pub fn typed(text: &str) -> Option<Self> {
        let mut letters = text.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '-' | '–'));
        let mut code = [0; Self::LETTERS];
        for place in &mut code {
            let letter = u8::try_from(letters.next()?.to_ascii_uppercase()).ok()?;
            *place = Some(letter).filter(|letter| Self::ALPHABET.contains(letter))?;
        }
        letters.next().is_none().then_some(Self(code))
    }

    /// The code in two groups of three letters, for people.
    pub fn spaced(self) -> String {
        let (first, second) = self.0.split_at(Self::LETTERS / 2);
        first.iter().chain(b" ").chain(second).copied().map(char::from).collect()
    }
}

impl TryFrom<String> for LobbyCode {
    type Error = InvalidText;

    fn try_from(text: String) -> Result<Self, InvalidText> {
        Self::typed(&text).ok_or(InvalidText::Code)
    }
}

impl From<LobbyCode> for String {
    fn from(code: LobbyCode) -> Self {
        code.0.iter().copied().map(char::from).collect()
    }
}

impl fmt::Display for LobbyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from(*self))
    }
}

impl fmt::Debug for LobbyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for LobbyCode {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "LobbyCode".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Six letters of `BCDFGHJKLMNPQRSTVWXZ`. Hosts write capitals; case, spaces and dashes do not matter.",
        })
    }
}

/// A guest who waits in the lobby, as the host sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LobbyGuest {
    /// The id of the guest, for `INVITE` and `TURN_AWAY`.
    pub guest: PlayerId,
    /// The guest's name.
    pub name: Name,
    /// Until when the guest waits, on the clock of the table.
    pub until: u64,
}

/// How it stands with a guest's request to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KnockStatus {
    /// The host has been asked.
    Waiting,
    /// The host has let the guest in: the key of the request is now the key of an invite. Join with it.
    Admitted,
    /// The host has turned the guest away.
    TurnedAway,
    /// The host did not answer in time.
    Expired,
    /// The host has closed the lobby.
    Closed,
}

/// A player at a table that a code leads to, as a stranger sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LobbyPlayer {
    /// The seat.
    pub player_index: Seat,
    /// The name.
    pub name: Name,
    /// A person or a bot.
    pub control_type: Control,
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        let code = LobbyCode::typed("BCDFGH").unwrap();
        for text in ["bcdfgh", " BCD FGH ", "bcd-fgh", "b c d f g h", "BCD–fgh"] {
            assert_eq!(LobbyCode::typed(text), Some(code), "{text:?}");
        }
        assert_eq!((code.to_string().as_str(), code.spaced().as_str()), ("BCDFGH", "BCD FGH"));
        for text in ["", "BCDFG", "BCDFGHJ", "BCDFGA", "BCDFG1", "BCDFGÑ", "BCD/FGH", "join/abc"] {
            assert_eq!(LobbyCode::typed(text), None, "{text:?}");
        }
        let error = serde_json::from_str::<LobbyCode>(r#""AEIOUY""#).unwrap_err();
        assert!(error.to_string().contains("a code has 6 letters"), "{error}");
    }

    #[test]
    fn every_code_is_as_likely_as_any_other() {
        let all = 20_u64.pow(LobbyCode::LETTERS as u32);
        assert_eq!(all, 64_000_000);
        assert_eq!(LobbyCode::new(0), LobbyCode::new(all), "the number is taken modulo the number of codes");
        assert_ne!(LobbyCode::new(0), LobbyCode::new(all - 1));
        assert_eq!(LobbyCode::new(all - 1).to_string(), "ZZZZZZ");
    }

    #[test]
    fn no_code_has_a_vowel_or_a_letter_that_is_mistaken_for_a_digit() {
        assert!(LobbyCode::ALPHABET.iter().all(|letter| !b"AEIOUY0123456789".contains(letter)));
    }
}
