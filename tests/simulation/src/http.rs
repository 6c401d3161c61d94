//! Requests over HTTP, as an adapter gets them: an endpoint, an `Authorization` header and a body.

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
    /// How does the table stand?
    pub(crate) fn state(key: Option<&SecretKey>) -> Self {
        Self { endpoint: TableEndpoint::State, authorization: key.map(bearer), body: String::new() }
    }

    /// A message of the session with this key, where there is an endpoint for it. Whoever joins brings the key of the message.
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

    /// What the table makes of it.
    pub(crate) fn read(&self, game: &GameId) -> Result<Call, texas42_hosting::Answer> {
        let Self { endpoint, authorization, body } = self;
        let request = Request { endpoint: *endpoint, query: "", key: authorization.as_deref(), body: body.as_bytes() };
        Call::read(game, &request)
    }

    /// A request of somebody without a session: with no key, with one that opens nothing, or written wrongly. Some of these
    /// are allowed: everybody may watch an open table.
    pub(crate) fn lie(dead_keys: &[SecretKey], invitation: Option<&SecretKey>, dice: &mut Dice) -> Self {
        let endpoint = dice.pick(&[TableEndpoint::Join, TableEndpoint::Join, TableEndpoint::Leave, TableEndpoint::Act]);
        Self { endpoint, authorization: any_authorization(dead_keys, invitation, endpoint, dice), body: any_body(dice) }
    }
}

/// The fields of a message that are neither in the path nor in the header.
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
    invitation: Option<&SecretKey>,
    endpoint: TableEndpoint,
    dice: &mut Dice,
) -> Option<String> {
    match dice.below(6) {
        0 | 1 if !dead_keys.is_empty() => Some(bearer(&dice.pick(dead_keys))),
        2 => None,
        3 => Some(format!("Basic {}", String::from(SecretKey::new(dice.bytes())))),
        // An invitation is no session: it neither acts nor leaves.
        4 if endpoint != TableEndpoint::Join && invitation.is_some() => invitation.map(bearer),
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
