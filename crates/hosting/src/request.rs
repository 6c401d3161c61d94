//! Single requests as messages of the protocol. A key comes in the `Authorization` header, never in an address.

use alloc::string::ToString;

use serde_json::{Value, json};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, RequestId, SecretKey, ServerMessage, WireError};

/// The key of `Authorization: Bearer <key>`. The case of the first word does not matter (RFC 9110).
///
/// # Errors
/// When the header says something else.
pub fn bearer(header: Option<&str>) -> Result<Option<SecretKey>, WireError> {
    let Some(value) = header else { return Ok(None) };
    let bad = || WireError::new(Problem::KeyAsBearer);
    let (scheme, key) = value.split_once(' ').ok_or_else(bad)?;
    if !scheme.eq_ignore_ascii_case("Bearer") {
        return Err(bad());
    }
    SecretKey::try_from(alloc::string::String::from(key.trim())).map(Some).map_err(|_| bad())
}

/// A body is the message without what the address says already: its type and its table.
///
/// # Errors
/// When it is no such message.
pub fn read_as(kind: &str, game: Option<&str>, body: &[u8]) -> Result<ClientMessage, WireError> {
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

/// A body as text: JSON is read from text everywhere, so that the code for it is there once.
///
/// # Errors
/// When it is none.
pub fn text_of(body: &[u8]) -> Result<&str, WireError> {
    core::str::from_utf8(body).map_err(|_| WireError::new(Problem::NotUtf8))
}

/// The message of a request to a table; whoever joins brings the invitation as the key.
///
/// # Errors
/// When it is no such message, or the key is in the body.
pub fn read_call(kind: &str, game: &str, key: Option<&SecretKey>, body: &[u8]) -> Result<ClientMessage, WireError> {
    let mut message = read_as(kind, Some(game), body)?;
    if let ClientMessage::JoinGame { key: invitation, .. } = &mut message {
        if invitation.is_some() {
            return Err(WireError::new(Problem::KeyInBody).at("key"));
        }
        *invitation = key.cloned();
    }
    Ok(message)
}

/// The answer to a frame that is no message. Its number comes back where one can be read, so that whoever sent it knows which
/// of its requests was refused.
pub fn unreadable(text: &str, error: &serde_json::Error) -> ServerMessage {
    let number_of = |value: Value| RequestId::try_from(value.get("requestId")?.as_str()?).ok();
    let number = serde_json::from_str(text).ok().and_then(number_of);
    ServerMessage::refusal(None, number, WireError::new(Problem::Unreadable { detail: error.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_the_header_only() {
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
        let joined = read_call("JOIN_GAME", "abc", Some(&key), br#"{"name":"Bob"}"#).unwrap();
        assert!(matches!(joined, ClientMessage::JoinGame { key: Some(found), .. } if found == key));
        let body = alloc::format!(r#"{{"name":"Bob","key":"{text}"}}"#);
        assert!(read_call("JOIN_GAME", "abc", None, body.as_bytes()).is_err());
        assert!(read_call("JOIN_GAME", "abc", None, b"{\"name\":\"\xff\"}").is_err());
    }
}
