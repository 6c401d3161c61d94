//! Parses HTTP requests as messages of the protocol. Keys are accepted in the `Authorization` header only, never in a
//! URL.

use alloc::string::ToString;

use serde_json::{Value, json};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, RequestId, SecretKey, ServerMessage, WireError};

/// The key in `Authorization: Bearer <key>`. The scheme is case-insensitive (RFC 9110).
///
/// # Errors
/// If the header has another form.
pub fn bearer(header: Option<&str>) -> Result<Option<SecretKey>, WireError> {
    let Some(value) = header else { return Ok(None) };
    let bad = || WireError::new(Problem::KeyAsBearer);
    let (scheme, key) = value.split_once(' ').ok_or_else(bad)?;
    if !scheme.eq_ignore_ascii_case("Bearer") {
        return Err(bad());
    }
    SecretKey::try_from(alloc::string::String::from(key.trim())).map(Some).map_err(|_| bad())
}

/// Parses a body as a message. The type and the table come from the URL and are not part of the body.
///
/// # Errors
/// If the body is not such a message.
pub fn parse_message(kind: &str, game: Option<&str>, body: &[u8]) -> Result<ClientMessage, WireError> {
    let bad = |error: serde_json::Error| WireError::new(Problem::Unreadable { detail: error.to_string() });
    let text = text_of(body)?;
    let mut value: Value = if text.is_empty() { json!({}) } else { serde_json::from_str(text).map_err(bad)? };
    let Some(fields) = value.as_object_mut() else {
        return Err(WireError::new(Problem::NotAnObject));
    };
    fields.insert("type".into(), kind.into());
    if let Some(game) = game {
        fields.insert("gameId".into(), game.into());
    }
    serde_json::from_value(value).map_err(bad)
}

/// A body as text. JSON is always parsed from text, so that the binary contains the parser only once.
///
/// # Errors
/// If the body is not UTF-8.
pub fn text_of(body: &[u8]) -> Result<&str, WireError> {
    core::str::from_utf8(body).map_err(|_| WireError::new(Problem::NotUtf8))
}

/// Parses the message of a request to a table. To join, the key in the header is that of the invite.
///
/// # Errors
/// If the body is not such a message, or contains a key.
pub fn parse_call(kind: &str, game: &str, key: Option<&SecretKey>, body: &[u8]) -> Result<ClientMessage, WireError> {
    let mut message = parse_message(kind, Some(game), body)?;
    if let ClientMessage::JoinGame { key: invitation, .. } = &mut message {
        if invitation.is_some() {
            return Err(WireError::new(Problem::KeyInBody).at("key"));
        }
        *invitation = key.cloned();
    }
    Ok(message)
}

/// The reply to text that is not a message. It contains the request id if one can be found, so that the client knows
/// which request failed.
pub fn unreadable_reply(text: &str, error: &serde_json::Error) -> ServerMessage {
    let number_of = |value: Value| RequestId::try_from(value.get("requestId")?.as_str()?).ok();
    let number = serde_json::from_str(text).ok().and_then(number_of);
    ServerMessage::refusal(None, number, WireError::new(Problem::Unreadable { detail: error.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_accepted_in_the_header_only() {
        let key = SecretKey::new([7; 16]);
        let text = alloc::string::String::from(key.clone());
        assert_eq!(bearer(Some(&alloc::format!("Bearer {text}"))).unwrap(), Some(key.clone()));
        for scheme in ["bearer", "BEARER", "bEaReR"] {
            assert_eq!(bearer(Some(&alloc::format!("{scheme}  {text}"))).unwrap(), Some(key.clone()), "{scheme}");
        }
        for other in [alloc::format!("Basic {text}"), alloc::format!("Bearer{text}"), text.clone()] {
            assert!(bearer(Some(&other)).is_err(), "{other}");
        }
        assert!(bearer(None).unwrap().is_none());
        let joined = parse_call("JOIN_GAME", "abc", Some(&key), br#"{"name":"Bob"}"#).unwrap();
        assert!(matches!(joined, ClientMessage::JoinGame { key: Some(found), .. } if found == key));
        let body = alloc::format!(r#"{{"name":"Bob","key":"{text}"}}"#);
        assert!(parse_call("JOIN_GAME", "abc", None, body.as_bytes()).is_err());
        assert!(parse_call("JOIN_GAME", "abc", None, b"{\"name\":\"\xff\"}").is_err());
    }
}
