//! Texts from outside that are checked once, when they are read: too long, empty or unprintable ones never get further.

use alloc::{string::String, sync::Arc};
use core::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize, Serializer};

/// The largest message that a host reads, in bytes of JSON.
pub const MOST_MESSAGE_BYTES: usize = 64 * 1024;

/// Why a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// Not a name.
    #[error("a name has 1 to 24 characters that can be seen")]
    Name,
    /// Not the id of a request.
    #[error("a request id has 1 to 64 printable ASCII characters")]
    RequestId,
    /// Not the id of a game or a session.
    #[error("an id has 1 to 64 letters, digits, - or _")]
    Id,
    /// Not entropy.
    #[error("entropy is 1 to 64 printable ASCII characters")]
    Entropy,
    /// Not an intent.
    #[error("an intent has 1 to 200 characters that can be seen")]
    Intent,
    /// Not a key.
    #[error("a key is 22 letters, digits, - or _")]
    Key,
}

/// Whether a text has a character and not too many, it fits as a whole, and none at either end is a space.
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
        /// A clone shares the text.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(try_from = "String")]
        pub struct $type(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = $most)))] Arc<str>);

        impl $type {
            /// The most characters.
            pub const MOST: usize = $most;

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = BadText;

            fn try_from(text: String) -> Result<Self, BadText> {
                Self::try_from(text.as_str())
            }
        }

        impl TryFrom<&str> for $type {
            type Error = BadText;

            fn try_from(text: &str) -> Result<Self, BadText> {
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
    /// What a player is called.
    Name, BadText::Name, 24, is_seen
);
bounded!(
    /// A client's own number for a request, by which a repetition is known.
    RequestId, BadText::RequestId, 64, is_printable
);
bounded!(
    /// The id of a game.
    GameId, BadText::Id, 64, is_id
);
bounded!(
    /// The public id of a session at a table.
    PlayerId, BadText::Id, 64, is_id
);
bounded!(
    /// A player's own randomness, mixed into the deals so that no server can choose them.
    Entropy, BadText::Entropy, 64, is_printable
);
bounded!(
    /// What a bot has in mind with a move, in a sentence of its own.
    IntentText, BadText::Intent, 200, is_seen
);

/// Whether everything in a text can be seen. Keyboards write some pictures with a sign that asks for colours, and put others together
/// with a joiner: behind a picture both belong to it.
fn is_seen(text: &str) -> bool {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let fits = match letter {
            COLOURED => is_picture(before),
            // What asks for colours has been found to stand behind a picture.
            JOINER => {
                (is_picture(before) || before == COLOURED) && letters.peek().is_some_and(|next| is_picture(*next))
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

const COLOURED: char = '\u{fe0f}';
const JOINER: char = '\u{200d}';

/// Arrows, signs and the pictures of telephones.
const fn is_picture(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Characters that take no room or turn the text around: with them, two names that look alike would differ, or a name
/// would look empty.
const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A secret that opens a seat or an invitation: 128 random bits. It is shown once, to its holder, and kept as a hash.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// The key made of these random bytes.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Whether it could be random. Sixteen random bytes have fewer than eight different ones once in a hundred billion
    /// times; a key that somebody typed in or forgot to fill often has.
    pub fn looks_random(&self) -> bool {
        let is_new = |index: &usize| !self.0[..*index].contains(&self.0[*index]);
        (0..self.0.len()).filter(is_new).count() >= 8
    }
}

impl TryFrom<String> for SecretKey {
    type Error = BadText;

    fn try_from(text: String) -> Result<Self, BadText> {
        let bytes = URL_SAFE_NO_PAD.decode(&text).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(BadText::Key)
    }
}

impl From<SecretKey> for String {
    fn from(key: SecretKey) -> Self {
        URL_SAFE_NO_PAD.encode(key.0)
    }
}

/// A key is never printed, not even by accident.
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
    fn what_is_over_is_refused_by_name() {
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
    fn a_key_that_nobody_threw_dice_for_is_known() {
        for (bytes, looks) in [
            ([0; 16], false),
            (*b"0000000000000001", false),
            (*b"\x8b\x02QX\xa4\x11\x03\xf7\xe0z\x99\x1cK*\xd6\xb3", true),
        ] {
            assert_eq!(SecretKey::new(bytes).looks_random(), looks, "{bytes:?}");
        }
    }

    #[test]
    fn a_key_is_written_once_and_never_printed() {
        let key = SecretKey::new([7; 16]);
        let json = serde_json::to_string(&key).unwrap();
        assert_eq!(json.len(), 24);
        assert_eq!(serde_json::from_str::<SecretKey>(&json).unwrap(), key);
        assert_eq!(alloc::format!("{key:?}"), "SecretKey(…)");
        assert!(serde_json::from_str::<SecretKey>(r#""short""#).is_err());
        assert!(serde_json::from_str::<SecretKey>(r#""""#).is_err());
    }

    #[test]
    fn there_is_one_way_to_write_a_key() {
        let right = String::from(SecretKey::new([7; 16]));
        assert_eq!(right, "BwcHBwcHBwcHBwcHBwcHBw");
        // Padding, another alphabet, a bit behind the last byte, a character too few or too many.
        for wrong in [
            "BwcHBwcHBwcHBwcHBwcHBw==",
            "BwcHBwcHBwcHBwcHBwcH+w",
            "BwcHBwcHBwcHBwcHBwcHBx",
            &right[1..],
            "BwcHBwcHBwcHBwcHBwcHBwc",
        ] {
            assert_eq!(SecretKey::try_from(String::from(wrong)), Err(BadText::Key), "{wrong}");
        }
    }
}
