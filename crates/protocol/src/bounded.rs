//! Bounded strings: input is validated once, when it is deserialized. Strings that are too long, empty or unprintable
//! are rejected.

use alloc::{string::String, sync::Arc};
use core::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize, Serializer};

/// The size limit of a message, in bytes of JSON.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// Why a string is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// An invalid player name.
    #[error("a name has 1 to 24 characters that can be seen")]
    Name,
    /// An invalid request id.
    #[error("a request id has 1 to 64 printable ASCII characters")]
    RequestId,
    /// An invalid id of a game or a session.
    #[error("an id has 1 to 64 letters, digits, - or _")]
    Id,
    /// Invalid entropy.
    #[error("entropy is 1 to 64 printable ASCII characters")]
    Entropy,
    /// An invalid intent.
    #[error("an intent has 1 to 200 characters that can be seen")]
    Intent,
    /// An invalid key.
    #[error("a key is 22 letters, digits, - or _")]
    Key,
    /// An invalid code of a lobby.
    #[error("a code has 6 letters")]
    Code,
}

/// Whether a string has 1 to `most` characters, satisfies `fits`, and has no leading or trailing whitespace.
fn is_within(text: &str, most: usize, fits: fn(&str) -> bool) -> bool {
    (1..=most).contains(&text.chars().count()) && fits(text) && text.trim() == text
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_id(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

macro_rules! bounded {
    ($(#[$doc:meta])* $type:ident, $error:expr, $most:literal, $fits:expr) => {
        $(#[$doc])*
        ///
        /// Clones share the string.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(try_from = "String")]
        pub struct $type(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = $most)))] Arc<str>);

        impl $type {
            /// The maximum number of characters.
            pub const MAX: usize = $most;

            /// The string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidText;

            fn try_from(text: String) -> Result<Self, InvalidText> {
                Self::try_from(text.as_str())
            }
        }

        impl TryFrom<&str> for $type {
            type Error = InvalidText;

            fn try_from(text: &str) -> Result<Self, InvalidText> {
                if is_within(text, $most, $fits) { Ok(Self(text.into())) } else { Err($error) }
            }
        }

        impl From<$type> for String {
            fn from(text: $type) -> Self {
                Self::from(text.as_str())
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }
    };
}

bounded!(
    /// A player's name.
    Name, InvalidText::Name, 24, is_visible
);
bounded!(
    /// A client's id for a request. Repeated requests are recognized by it.
    RequestId, InvalidText::RequestId, 64, is_printable
);
bounded!(
    /// The id of a game.
    GameId, InvalidText::Id, 64, is_id
);
bounded!(
    /// The public id of a session at a table.
    PlayerId, InvalidText::Id, 64, is_id
);
bounded!(
    /// A player's randomness, mixed into the deals so that no server can choose them.
    Entropy, InvalidText::Entropy, 64, is_printable
);
bounded!(
    /// A bot's reason for an action, as free text.
    IntentText, InvalidText::Intent, 200, is_visible
);

/// Whether all characters are visible. Allows emoji presentation selectors and ZWJ sequences, but only after an emoji.
fn is_visible(text: &str) -> bool {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let fits = match letter {
            EMOJI_PRESENTATION => is_emoji(before),
            // A presentation selector here has been checked to follow an emoji.
            ZERO_WIDTH_JOINER => {
                (is_emoji(before) || before == EMOJI_PRESENTATION) && letters.peek().is_some_and(|next| is_emoji(*next))
            }
            _ => !letter.is_control() && !is_invisible(letter),
        };
        if !fits {
            return false;
        }
        before = letter;
    }
    true
}

const EMOJI_PRESENTATION: char = '\u{fe0f}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Arrows, symbols and emoji.
const fn is_emoji(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Zero-width and bidirectional control characters. They would make different names look alike, or a name look empty.
const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A secret that identifies a session or an invite: 128 random bits. It is shown once, to its owner, and stored as a
/// hash.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// A key from random bytes.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes of the key.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Whether the key could be random. Sixteen random bytes have fewer than eight distinct values once in a hundred
    /// billion times; keys that were typed in or left unset often do.
    pub fn looks_random(&self) -> bool {
        let is_new = |index: &usize| !self.0[..*index].contains(&self.0[*index]);
        (0..self.0.len()).filter(is_new).count() >= 8
    }
}

impl TryFrom<String> for SecretKey {
    type Error = InvalidText;

    fn try_from(text: String) -> Result<Self, InvalidText> {
        let bytes = URL_SAFE_NO_PAD.decode(&text).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(InvalidText::Key)
    }
}

impl From<SecretKey> for String {
    fn from(key: SecretKey) -> Self {
        URL_SAFE_NO_PAD.encode(key.0)
    }
}

/// Never prints the key.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SecretKey {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "SecretKey".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{22}$" })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn rejects_invalid_names() {
        for (text, fits) in [
            ("Ann", true),
            ("", false),
            (" Ann", false),
            ("a\nb", false),
            (&"x".repeat(25), false),
            ("José Ñuñez 3", true),
            ("Ann\u{200b}", false),
            ("\u{202e}nnA", false),
            ("\u{3164}", false),
            // A red heart, a family, a heart on fire.
            ("Ann \u{2764}\u{fe0f}", true),
            ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", true),
            ("\u{2764}\u{fe0f}\u{200d}\u{1f525}", true),
            ("Ann\u{fe0f}", false),
            ("A\u{200d}nn", false),
            ("\u{2764}\u{200d}", false),
            ("\u{2764}\u{200d}nn", false),
            ("\u{2764}\u{fe0f}\u{fe0f}", false),
        ] {
            assert_eq!(Name::try_from(text).is_ok(), fits, "{text:?}");
        }
        let error = serde_json::from_str::<Name>(r#""""#).unwrap_err();
        assert!(error.to_string().contains("a name has 1 to 24 characters"), "{error}");
    }

    #[test]
    fn detects_keys_that_are_not_random() {
        for (bytes, looks) in [
            ([0; 16], false),
            (*b"0000000000000001", false),
            (*b"\x8b\x02QX\xa4\x11\x03\xf7\xe0z\x99\x1cK*\xd6\xb3", true),
        ] {
            assert_eq!(SecretKey::new(bytes).looks_random(), looks, "{bytes:?}");
        }
    }

    #[test]
    fn a_key_round_trips_through_json_and_is_never_printed() {
        let key = SecretKey::new([7; 16]);
        let json = serde_json::to_string(&key).unwrap();
        assert_eq!(json.len(), 24);
        assert_eq!(serde_json::from_str::<SecretKey>(&json).unwrap(), key);
        assert_eq!(alloc::format!("{key:?}"), "SecretKey(…)");
        assert!(serde_json::from_str::<SecretKey>(r#""short""#).is_err());
        assert!(serde_json::from_str::<SecretKey>(r#""""#).is_err());
    }

    #[test]
    fn a_key_has_exactly_one_encoding() {
        let right = String::from(SecretKey::new([7; 16]));
        assert_eq!(right, "BwcHBwcHBwcHBwcHBwcHBw");
        // Padding, another alphabet, a trailing bit, a character too few, one too many.
        for wrong in [
            "BwcHBwcHBwcHBwcHBwcHBw==",
            "BwcHBwcHBwcHBwcHBwcH+w",
            "BwcHBwcHBwcHBwcHBwcHBx",
            &right[1..],
            "BwcHBwcHBwcHBwcHBwcHBwc",
        ] {
            assert_eq!(SecretKey::try_from(String::from(wrong)), Err(InvalidText::Key), "{wrong}");
        }
    }
}
