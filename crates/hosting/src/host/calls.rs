//! Single requests over HTTP. Each call gets one answer, after the events that it caused are stored.

use alloc::string::{String, ToString};

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, LobbyCode, PlayerId, SecretKey, ServerMessage, WireError};
use texas42_room::ConnectionId;

use super::{Output, PendingRequest, Queued, TableHost};
use crate::{
    HttpResponse, bearer,
    connection_ids::FIRST_CALL,
    parse_call,
    routes::{Body, Endpoint, TableEndpoint},
};

/// The id of a call until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(ConnectionId);

impl CallId {
    /// The call that creates a table. The creator uses this id as its connection until the call is answered.
    pub const CREATION: Self = Self(FIRST_CALL);

    /// The connection id that represents the call at the table.
    pub(crate) const fn connection(self) -> ConnectionId {
        self.0
    }
}

/// Whether this is the id of a call.
pub(super) const fn is_call(connection: ConnectionId) -> bool {
    connection >= FIRST_CALL
}

/// An HTTP request to an endpoint of a table.
#[derive(Clone, Copy, Debug)]
pub struct HttpRequest<'a> {
    /// The endpoint.
    pub endpoint: TableEndpoint,
    /// The query string.
    pub query: &'a str,
    /// The `Authorization` header.
    pub key: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// A single request to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCall {
    /// A message from the session with this key.
    Message {
        /// The key of the session.
        key: Option<SecretKey>,
        /// The message.
        message: ClientMessage,
    },
    /// Returns the view of the session with this key.
    State(Option<SecretKey>),
    /// Returns the valid actions of the session with this key.
    Actions {
        /// The key of the session.
        key: Option<SecretKey>,
        /// The player that the key must belong to, if the request names one.
        player: Option<String>,
    },
    /// Returns the record of the game for the session with this key.
    Record(Option<SecretKey>),
    /// Returns what a stranger with this code may know. A host looks codes up and makes this call itself.
    Lobby(LobbyCode),
}

impl TableCall {
    /// The type of the message, if the call contains one.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Message { message, .. } => Some(message.name()),
            Self::State(_) | Self::Actions { .. } | Self::Record(_) | Self::Lobby(_) => None,
        }
    }

    /// The answer if this call is refused before it reaches a table.
    pub fn refusal(&self, error: WireError) -> HttpResponse {
        let request = match self {
            Self::Message { message, .. } => message.request_id().cloned(),
            Self::State(_) | Self::Actions { .. } | Self::Record(_) | Self::Lobby(_) => None,
        };
        HttpResponse::message(&ServerMessage::refusal(self.kind(), request, error))
    }

    /// Parses a request to an endpoint of a table.
    ///
    /// # Errors
    /// The answer to send if the request is invalid.
    pub fn read(game: &GameId, request: &HttpRequest<'_>) -> Result<Self, HttpResponse> {
        let kind = match Endpoint::Table(request.endpoint).route().body {
            Body::Message(kind) => Some(kind),
            Body::Empty | Body::Log => None,
        };
        Self::parse(game, kind, request).map_err(|error| HttpResponse::unreadable(kind, request.body, error))
    }

    fn parse(game: &GameId, kind: Option<&str>, request: &HttpRequest<'_>) -> Result<Self, WireError> {
        let key = bearer(request.key)?;
        Ok(match request.endpoint {
            TableEndpoint::Act
            | TableEndpoint::Join
            | TableEndpoint::Configure
            | TableEndpoint::Invite
            | TableEndpoint::OpenLobby
            | TableEndpoint::CloseLobby
            | TableEndpoint::Knock
            | TableEndpoint::TurnAway
            | TableEndpoint::Control
            | TableEndpoint::Ready
            | TableEndpoint::DeclineUndo
            | TableEndpoint::Say
            | TableEndpoint::Coach
            | TableEndpoint::Rematch
            | TableEndpoint::Leave
            | TableEndpoint::GiveUp => {
                let message = parse_call(kind.unwrap_or_default(), game.as_str(), key.as_ref(), request.body)?;
                Self::Message { key, message }
            }
            TableEndpoint::State => Self::State(key),
            TableEndpoint::Actions => {
                let player = request.query.split('&').find_map(|pair| pair.strip_prefix("playerId="));
                Self::Actions { key, player: player.map(ToString::to_string) }
            }
            TableEndpoint::Record => Self::Record(key),
        })
    }
}

/// A call that is not answered yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenCall {
    is_leaving: bool,
}

impl TableHost {
    /// Registers the call that created the table as [`CallId::CREATION`].
    pub(super) fn await_creation(&mut self) {
        self.calls.push((CallId::CREATION.0, OpenCall { is_leaving: false }));
    }

    /// Handles a request without a connection. Its [`Output::Answer`] follows the events that it causes.
    pub fn handle_call(&mut self, now: u64, call: TableCall) -> CallId {
        let id = CallId(FIRST_CALL + self.next_call);
        self.next_call += 1;
        let request = match &call {
            TableCall::Message { message, .. } => message.request_id().cloned(),
            _ => None,
        };
        self.pending_requests.push(PendingRequest { from: id.0, kind: call.kind(), request });
        match call {
            TableCall::Message { key, message } => self.call(now, id, key.as_ref(), message),
            TableCall::State(key) => {
                self.note_poll(now, key.as_ref());
                self.answer(id, self.state_for(key.as_ref()));
            }
            TableCall::Actions { key, player } => {
                self.note_poll(now, key.as_ref());
                let actions = self.actions_for(key.as_ref(), player.as_deref());
                self.answer(id, actions);
            }
            TableCall::Record(key) => {
                let result = self.room.record_with_key(key.as_ref()).map(|body| HttpResponse { status: 200, body });
                self.answer(id, result);
            }
            TableCall::Lobby(code) => {
                let now = self.advance(now);
                let result = self.room.find_lobby(now, code).map(|found| HttpResponse::message(&found));
                self.answer(id, result);
            }
        }
        id
    }

    /// Notes that a session reads the table, which keeps an invited bot present.
    fn note_poll(&mut self, now: u64, key: Option<&SecretKey>) {
        let now = self.advance(now);
        self.has_work |= self.room.handle_poll(now, key) && !self.is_over;
    }

    fn call(&mut self, now: u64, id: CallId, key: Option<&SecretKey>, message: ClientMessage) {
        let now = self.note_input(now);
        let is_leaving = matches!(message, ClientMessage::LeaveGame { .. } | ClientMessage::GiveUpSeat { .. });
        self.calls.push((id.0, OpenCall { is_leaving }));
        self.room.handle_call(now, id.0, key, message);
    }

    fn answer(&mut self, call: CallId, result: Result<HttpResponse, WireError>) {
        let answer = result.unwrap_or_else(|error| HttpResponse::refusal(None, error));
        self.queue.push_back(Queued::Output(Output::Answer { call, answer }));
    }

    /// Answers a call with the first message to it. Later messages are dropped.
    pub(super) fn answer_call(&mut self, to: ConnectionId, message: &ServerMessage) {
        let Some(at) = self.calls.iter().position(|(call, _)| *call == to) else { return };
        self.calls.remove(at);
        self.answer(CallId(to), Ok(HttpResponse::message(message)));
        if CallId(to) == CallId::CREATION {
            // The creator has its answer and no connection.
            let now = self.now();
            self.room.handle_disconnect(now, to);
        }
    }

    /// Answers a call that the table has sent no message to.
    pub(super) fn answer_unanswered(&mut self, to: ConnectionId, call: OpenCall) {
        let answer = match call.is_leaving {
            true => Ok(HttpResponse::json(200, &serde_json::json!({ "type": "LEFT" }))),
            false => Err(WireError::new(Problem::TableUnavailable)),
        };
        self.answer(CallId(to), answer);
    }

    /// Rejects a request whose events could not be stored, even if its reply was ready.
    pub(super) fn report_not_stored(&mut self, to: ConnectionId, message: ServerMessage) {
        match is_call(to) {
            true => self.answer(CallId(to), Ok(HttpResponse::message(&message))),
            false => self.send(to, message),
        }
    }

    fn state_for(&self, key: Option<&SecretKey>) -> Result<HttpResponse, WireError> {
        let (_, view) = self.room.view_with_key(key).ok_or_else(unknown_key)?;
        Ok(HttpResponse::message(&ServerMessage::StateUpdate {
            game_id: self.id().clone(),
            version: self.room.version(),
            ack: None,
            last_action: None,
            view: Some(view),
            patch: None,
        }))
    }

    fn actions_for(&mut self, key: Option<&SecretKey>, named: Option<&str>) -> Result<HttpResponse, WireError> {
        let (player, view) = self.room.view_with_key(key).ok_or_else(unknown_key)?;
        if named.is_some() && named != player.as_ref().map(PlayerId::as_str) {
            return Err(WireError::new(Problem::OtherPlayersKey).at("playerId"));
        }
        let hints = self.hints_for(&view);
        let (game, version) = (self.id(), self.room.version());
        let mut actions = serde_json::json!({ "gameId": game, "version": version, "validActions": view.valid_actions });
        if !hints.is_empty() {
            actions["hints"] = serde_json::json!(hints);
        }
        Ok(HttpResponse::json(200, &actions))
    }
}

fn unknown_key() -> WireError {
    WireError::new(Problem::UnknownKey)
}
