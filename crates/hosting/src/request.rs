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
    let invalid = || WireError::new(Problem::KeyAsBearer);
    let (scheme, key) = value.split_once(' ').ok_or_else(invalid)?;
    if !scheme.eq_ignore_ascii_case("Bearer") {
        return Err(invalid());
    }
    SecretKey::try_from(alloc::string::String::from(key.trim())).map(Some).map_err(|_| invalid())
}

/// Parses a body as a message. The type and the table come from the URL. A body that names another type is refused.
///
/// # Errors
/// If the body is not such a message.
pub fn parse_message(kind: &str, game: Option<&str>, body: &[u8]) -> Result<ClientMessage, WireError> {
    let unreadable = |error: serde_json::Error| WireError::new(Problem::Unreadable { detail: error.to_string() });
    let text = text_of(body)?;
    let mut value: Value = if text.is_empty() { json!({}) } else { serde_json::from_str(text).map_err(unreadable)? };
    let Some(fields) = value.as_object_mut() else {
        return Err(WireError::new(Problem::NotAnObject));
    };
    let named = fields.insert("type".into(), kind.into());
    if named.is_some_and(|named| named != kind) {
        let detail = alloc::format!("the type of this request is {kind}");
        return Err(WireError::new(Problem::Unreadable { detail }).at("type"));
    }
    if let Some(game) = game {
        fields.insert("gameId".into(), game.into());
    }
    serde_json::from_value(value).map_err(unreadable)
}

/// A body as text. JSON is always parsed from text, so that the binary contains the parser only once.
///
/// # Errors
/// If the body is not UTF-8.
pub fn text_of(body: &[u8]) -> Result<&str, WireError> {
    core::str::from_utf8(body).map_err(|_| WireError::new(Problem::NotUtf8))
}

/// Parses the message of a request to a table. To join, the header holds the key of the invite; to knock, the key to join
/// with after admission.
///
/// # Errors
/// If the body is not such a message, or contains a key.
pub fn parse_call(kind: &str, game: &str, key: Option<&SecretKey>, body: &[u8]) -> Result<ClientMessage, WireError> {
    let mut message = parse_message(kind, Some(game), body)?;
    if let ClientMessage::JoinGame { key: other, .. } | ClientMessage::Knock { key: other, .. } = &mut message {
        if other.is_some() {
            return Err(WireError::new(Problem::KeyInBody).at("key"));
        }
        *other = key.cloned();
    }
    Ok(message)
}

/// The client's id for a request, if it can be found in a body that may be no message.
pub(crate) fn request_id_in(body: &[u8]) -> Option<RequestId> {
    let value: Value = serde_json::from_str(text_of(body).ok()?).ok()?;
    RequestId::try_from(value.get("requestId")?.as_str()?).ok()
}

/// The longest type of a message that is repeated to its sender. The longest type of the protocol is shorter.
const MAX_TYPE_BYTES: usize = 32;

/// The reply to text that is not a message. It contains the type and the request id if they can be found, so that the
/// client knows which request failed.
pub(crate) fn unreadable_reply(text: &str, error: &serde_json::Error) -> ServerMessage {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    let kind = field("type").filter(|kind| kind.len() <= MAX_TYPE_BYTES);
    let request_id = field("requestId").and_then(|id| RequestId::try_from(id).ok());
    ServerMessage::refusal(kind, request_id, WireError::new(Problem::Unreadable { detail: error.to_string() }))
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

    #[test]
    fn a_body_cannot_name_another_type() {
        assert!(parse_message("JOIN_GAME", Some("abc"), br#"{"type":"JOIN_GAME","name":"Bob"}"#).is_ok());
        let other = parse_message("JOIN_GAME", Some("abc"), br#"{"type":"LEAVE_GAME","name":"Bob"}"#).unwrap_err();
        assert_eq!(other.field.as_deref(), Some("type"));
    }

    #[test]
    fn the_reply_to_an_unreadable_request_names_it() {
        let reply = |text: &str| {
            let error = texas42_protocol::read::<ClientMessage>(text).unwrap_err();
            serde_json::to_value(unreadable_reply(text, &error)).unwrap()
        };
        let unknown = reply(r#"{"type":"EXECUTE_ACTION","requestId":"r1","action":{"type":"juggle"}}"#);
        assert_eq!((&unknown["requestType"], &unknown["requestId"]), (&json!("EXECUTE_ACTION"), &json!("r1")));
        let long = json!({ "type": "X".repeat(MAX_TYPE_BYTES + 1) }).to_string();
        assert!(["null", "{", "[]", &long].iter().all(|text| reply(text).get("requestType").is_none()));
    }
}
