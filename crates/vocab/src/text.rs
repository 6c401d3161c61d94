//! Short strings inside `Copy` values, and the shared deserializer for types that parse from a string.

use core::{fmt, marker::PhantomData, str::FromStr};

use arrayvec::ArrayString;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ParseError;

/// A public seed: 1 to 48 characters that are safe in a URL without escaping.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedText(ArrayString<{ SeedText::CAPACITY }>);

impl SeedText {
    /// The maximum length of a seed, in characters.
    pub const CAPACITY: usize = 48;

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SeedText {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_url_safe =
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:~".contains(&byte));
        let text = ArrayString::from(text).map_err(|_| ParseError::Seed)?;
        if is_url_safe { Ok(Self(text)) } else { Err(ParseError::Seed) }
    }
}

impl fmt::Display for SeedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SeedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl Serialize for SeedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SeedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse(deserializer, "a seed text")
    }
}

/// Deserializes a value from a string with its [`FromStr`]. The error names the expected form and the actual text.
pub(crate) fn parse<'de, T, D>(deserializer: D, expecting: &'static str) -> Result<T, D::Error>
where
    T: FromStr<Err = ParseError>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_str(TextVisitor(expecting, PhantomData))
}

struct TextVisitor<T>(&'static str, PhantomData<T>);

impl<T: FromStr<Err = ParseError>> de::Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|error| E::custom(format_args!("{error}; got \"{text}\"")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_url_safe_seeds() {
        assert!("daily-2026-01-15-hard".parse::<SeedText>().is_ok());
        for wrong in ["", "two words", "a/b", "naïve", &"x".repeat(49)] {
            assert_eq!(wrong.parse::<SeedText>(), Err(ParseError::Seed), "{wrong:?}");
        }
    }
}
