//! A bot's reason for an action.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, SeqAccess, Visitor},
};
use texas42_phrases::{Remark, Words};

use crate::bounded::{IntentText, InvalidText};

/// A bot's reason for an action: a list of remarks, or free text.
///
/// Free text comes from bots that use no remarks and from logs of earlier versions; clients show it as is. Clients
/// translate remarks into the reader's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Intent {
    /// Remarks that form the reason.
    Remarks(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = 6)))] Vec<Remark>),
    /// Free text.
    Text(IntentText),
}

impl Intent {
    /// The maximum number of remarks.
    pub const MAX_REMARKS: usize = 6;

    /// A reason made of the first [`MAX_REMARKS`](Self::MAX_REMARKS) remarks; `None` if there are none.
    pub fn from_remarks(mut remarks: Vec<Remark>) -> Option<Self> {
        remarks.truncate(Self::MAX_REMARKS);
        (!remarks.is_empty()).then_some(Self::Remarks(remarks))
    }

    /// The reason as text: remarks in the language of `words`, free text unchanged.
    pub fn sentence(&self, words: &Words) -> String {
        match self {
            Self::Remarks(remarks) => words.remarks(remarks),
            Self::Text(text) => text.as_str().to_owned(),
        }
    }
}

impl TryFrom<&str> for Intent {
    type Error = InvalidText;

    fn try_from(text: &str) -> Result<Self, InvalidText> {
        IntentText::try_from(text).map(Self::Text)
    }
}

impl<'de> Deserialize<'de> for Intent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntentVisitor)
    }
}

struct IntentVisitor;

impl<'de> Visitor<'de> for IntentVisitor {
    type Value = Intent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a sentence, or 1 to {} remarks", Intent::MAX_REMARKS)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Intent, E> {
        Intent::try_from(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Intent, A::Error> {
        let mut remarks = Vec::new();
        while let Some(remark) = parts.next_element()? {
            if remarks.len() == Intent::MAX_REMARKS {
                return Err(A::Error::invalid_length(remarks.len() + 1, &self));
            }
            remarks.push(remark);
        }
        Intent::from_remarks(remarks).ok_or_else(|| A::Error::invalid_length(0, &self))
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString};

    use texas42_phrases::Language;

    use super::*;

    #[test]
    fn remarks_are_translated() {
        let intent: Intent = serde_json::from_str(r#"[{"code":"double-walks"},{"code":"no-other"}]"#).unwrap();
        assert_eq!(intent.sentence(Language::English.words()), "A double walks; it's the only choice.");
        assert_eq!(intent.sentence(Language::Spanish.words()), "No hay quien le gane a una mula; es la única opción.");
        let again: Intent = serde_json::from_str(&serde_json::to_string(&intent).unwrap()).unwrap();
        assert_eq!(again, intent);
    }

    #[test]
    fn free_text_is_not_translated() {
        let intent: Intent = serde_json::from_str(r#""It looked good.""#).unwrap();
        assert_eq!(intent.sentence(Language::Spanish.words()), "It looked good.");
    }

    #[test]
    fn rejects_invalid_intents() {
        let parts = |count: usize| format!("[{}]", [r#"{"code":"no-other"}"#].repeat(count).join(","));
        assert!(serde_json::from_str::<Intent>(&parts(6)).is_ok());
        for text in [parts(7), parts(0), format!("\"{}\"", "x".repeat(201)), "7".to_string(), "\"\"".to_string()] {
            assert!(serde_json::from_str::<Intent>(&text).is_err(), "{text}");
        }
    }
}
