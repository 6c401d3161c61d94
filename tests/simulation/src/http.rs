//! HTTP requests as an adapter receives them: an endpoint, an `Authorization` header and a body.

use serde_json::{Value, json};
use texas42_hosting::{HttpRequest, TableCall, routes::TableEndpoint};
use texas42_protocol::{ClientMessage, GameId, SecretKey};

use crate::dice::Dice;

/// A request to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableRequest {
    pub(crate) endpoint: TableEndpoint,
    authorization: Option<String>,
    pub(crate) body: String,
}

impl TableRequest {
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
            ClientMessage::Configure { .. } => (TableEndpoint::Configure, session),
            ClientMessage::GiveUpSeat { .. } => (TableEndpoint::GiveUp, session),
            ClientMessage::SetPlayerControl { .. } => (TableEndpoint::Control, session),
            ClientMessage::Invite { .. } => (TableEndpoint::Invite, session),
            ClientMessage::OpenLobby { .. } => (TableEndpoint::OpenLobby, session),
            ClientMessage::CloseLobby { .. } => (TableEndpoint::CloseLobby, session),
            ClientMessage::Knock { key, .. } => (TableEndpoint::Knock, key.as_ref()),
            ClientMessage::TurnAway { .. } => (TableEndpoint::TurnAway, session),
            ClientMessage::Rematch { .. } => (TableEndpoint::Rematch, session),
            ClientMessage::Ready { .. } => (TableEndpoint::Ready, session),
            ClientMessage::DeclineUndo { .. } => (TableEndpoint::DeclineUndo, session),
            ClientMessage::Say { .. } => (TableEndpoint::Say, session),
            ClientMessage::AllowCoach { .. } => (TableEndpoint::Coach, session),
            ClientMessage::CreateGame { .. }
            | ClientMessage::Subscribe { .. }
            | ClientMessage::Unsubscribe { .. }
            | ClientMessage::Ping { .. } => return None,
        };
        Some(Self { endpoint, authorization: key.map(bearer), body: body_of(message, endpoint) })
    }

    /// Parses the request.
    pub(crate) fn read(&self, game: &GameId) -> Result<TableCall, texas42_hosting::HttpResponse> {
        let Self { endpoint, authorization, body } = self;
        let request =
            HttpRequest { endpoint: *endpoint, query: "", key: authorization.as_deref(), body: body.as_bytes() };
        TableCall::read(game, &request)
    }

    /// A request without a valid session: with no key, with an invalid one, or malformed. Some of these succeed, because
    /// anybody may watch an open table.
    pub(crate) fn invalid(dead_keys: &[SecretKey], invite: Option<&SecretKey>, dice: &mut Dice) -> Self {
        let endpoint = dice.pick(&[
            TableEndpoint::Join,
            TableEndpoint::Join,
            TableEndpoint::Leave,
            TableEndpoint::GiveUp,
            TableEndpoint::Act,
            TableEndpoint::Invite,
            TableEndpoint::Control,
            TableEndpoint::Ready,
            TableEndpoint::DeclineUndo,
            TableEndpoint::Rematch,
            TableEndpoint::Say,
            TableEndpoint::Coach,
        ]);
        Self { endpoint, authorization: any_authorization(dead_keys, invite, endpoint, dice), body: any_body(dice) }
    }
}

/// The body of a message: its fields that are neither in the path nor in the header. The key of a new invite is in the
/// body.
fn body_of(message: &ClientMessage, endpoint: TableEndpoint) -> String {
    let mut value = serde_json::to_value(message).expect("a message is JSON");
    if let Some(fields) = value.as_object_mut() {
        ["type", "gameId"].into_iter().for_each(|field| drop(fields.remove(field)));
        if endpoint == TableEndpoint::Join {
            fields.remove("key");
        }
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
    let bodies: [Value; 11] = [
        json!({"name":"Thief"}),
        json!({"name":"Thief","sessionKey":key}),
        json!({"name":"Thief","role":role,"capabilities":capabilities}),
        json!({"name":"Thief","key":key}),
        json!({"requestId":"stolen"}),
        json!({"requestId":"stolen","grant":{"role":role}}),
        json!({"requestId":"stolen","revoke":1}),
        json!({"requestId":"stolen","phrase":"hello"}),
        json!({"requestId":"stolen","allowed":false}),
        json!({"requestId":"stolen","player":dice.below(4),"controlType":"human"}),
        json!({"requestId":"stolen","version":1,"action":{"type":"pass","player":dice.below(4)}}),
    ];
    if dice.once_in(8) { "[[[".into() } else { dice.pick(&bodies).to_string() }
}
