//! Deserializes JSON by way of [`Value`].
//!
//! serde generates deserialization code once per type and deserializer. The page and its worker read JSON with these
//! functions only, so the binary contains one copy of the code for a view. That saves 38,472 bytes of brotli, 7 percent
//! of the page. Message fields whose types are large or also part of a view use [`read_field`].

use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};
use serde_json::{Error, Value};

/// Deserializes a JSON text.
///
/// # Errors
/// If the text is not JSON, or not the JSON of a `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_value(serde_json::from_str(text)?)
}

/// Deserializes a field; for serde's `deserialize_with`.
///
/// # Errors
/// If the value is not the JSON of a `T`.
pub fn read_field<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    serde_json::from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}
