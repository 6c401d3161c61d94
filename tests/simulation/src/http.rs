//! HTTP requests as an adapter receives them: an endpoint, an `Authorization` header and a body.

use serde_json::{Value, json};
use texas42_hosting::{Call, Request, routes::TableEndpoint};
use texas42_protocol::{ClientMessage, GameId, SecretKey};

use crate::dice::Dice;

/// A request to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    pub(crate) endpoint: TableEndpoint,
    authorization: Option<String>,
    pub(crate) body: String,
}

impl HttpRequest {
    /// A request for the state of the table.
    pub(crate) fn state(key: Option<&SecretKey>) -> Self {
        Self { endpoint: TableEndpoint::State, authorization: key.map(bearer), body: String::new() }
    }

    /// Converts a message to a request, if it has an endpoint. A join uses the key in the message, others the session key.
    pub(crate) fn of(message: &ClientMessage, session: Option<&SecretKey>) -> Option<Self> {
        let (endpoint, key) = match message {
            ClientMessage::ExecuteAction { .. } => (TableEndpoint::Act, session),
            ClientMessage::JoinGame { key, .. } => (TableEndpoint::Join, key.as_ref()),
            ClientMessage::LeaveGame { .. } => (TableEndpoint::Leave, session),
            ClientMessage::CreateGame { .. }
            | ClientMessage::Subscribe { .. }
            | ClientMessage::Unsubscribe { .. }
            | ClientMessage::SetPlayerControl { .. }
            | ClientMessage::Invite { .. }
            | ClientMessage::Rematch { .. }
            | ClientMessage::Ready { .. }
            | ClientMessage::Ping { .. } => return None,
        };
        Some(Self { endpoint, authorization: key.map(bearer), body: body_of(message) })
    }

    /// Parses the request.
    pub(crate) fn read(&self, game: &GameId) -> Result<Call, texas42_hosting::Answer> {
        let Self { endpoint, authorization, body } = self;
        let request = Request { endpoint: *endpoint, query: "", key: authorization.as_deref(), body: body.as_bytes() };
        Call::read(game, &request)
    }

    /// A request without a valid session: with no key, with an invalid one, or malformed. Some of these succeed, because
    /// anybody may watch an open table.
    pub(crate) fn lie(dead_keys: &[SecretKey], invite: Option<&SecretKey>, dice: &mut Dice) -> Self {
        let endpoint = dice.pick(&[TableEndpoint::Join, TableEndpoint::Join, TableEndpoint::Leave, TableEndpoint::Act]);
        Self { endpoint, authorization: any_authorization(dead_keys, invite, endpoint, dice), body: any_body(dice) }
    }
}

/// The body of a message: its fields that are neither in the path nor in the header.
fn body_of(message: &ClientMessage) -> String {
    let mut value = serde_json::to_value(message).expect("a message is JSON");
    if let Some(fields) = value.as_object_mut() {
        ["type", "gameId", "key"].into_iter().for_each(|field| drop(fields.remove(field)));
    }
    value.to_string()
}

fn bearer(key: &SecretKey) -> String {
    format!("Bearer {}", String::from(key.clone()))
}

fn any_authorization(
    dead_keys: &[SecretKey],
    invite: Option<&SecretKey>,
    endpoint: TableEndpoint,
    dice: &mut Dice,
) -> Option<String> {
    match dice.below(6) {
        0 | 1 if !dead_keys.is_empty() => Some(bearer(&dice.pick(dead_keys))),
        2 => None,
        3 => Some(format!("Basic {}", String::from(SecretKey::new(dice.bytes())))),
        // The key of an invite opens no session, so it can neither act nor leave.
        4 if endpoint != TableEndpoint::Join && invite.is_some() => invite.map(bearer),
        _ => Some(bearer(&SecretKey::new(dice.bytes()))),
    }
}

fn any_body(dice: &mut Dice) -> String {
    let capabilities = json!([{"type":"observe-full-state"},{"type":"act-as-player","playerIndex":dice.below(4)}]);
    let role = dice.pick(&["player", "admin", "spectator", "ai"]);
    let key = String::from(SecretKey::new(dice.bytes()));
    let bodies: [Value; 6] = [
        json!({"name":"Thief"}),
        json!({"name":"Thief","sessionKey":key}),
        json!({"name":"Thief","role":role,"capabilities":capabilities}),
        json!({"name":"Thief","key":key}),
        json!({"requestId":"stolen"}),
        json!({"requestId":"stolen","version":1,"action":{"type":"pass","player":dice.below(4)}}),
    ];
    if dice.once_in(8) { "[[[".into() } else { dice.pick(&bodies).to_string() }
}
