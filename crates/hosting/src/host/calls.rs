//! Single requests over HTTP. Each call gets one answer, after the events that it caused are stored.

use alloc::string::{String, ToString};

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, PlayerId, SecretKey, ServerMessage, WireError};
use texas42_room::ConnectionId;

use super::{Output, PendingRequest, Queued, TableHost};
use crate::{
    Answer, bearer,
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
pub struct Request<'a> {
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
pub enum Call {
    /// A message from the session with this key: join, act, leave.
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
}

impl Call {
    /// The type of the message, if the call contains one.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Message { message, .. } => Some(message.name()),
            Self::State(_) | Self::Actions { .. } | Self::Record(_) => None,
        }
    }

    /// Parses a request to an endpoint of a table.
    ///
    /// # Errors
    /// The answer to send if the request is invalid.
    pub fn read(game: &GameId, request: &Request<'_>) -> Result<Self, Answer> {
        let kind = match Endpoint::Table(request.endpoint).route().body {
            Body::Message(kind) => Some(kind),
            Body::Empty | Body::Log => None,
        };
        Self::parse(game, kind, request).map_err(|error| Answer::refusal(kind, error))
    }

    fn parse(game: &GameId, kind: Option<&str>, request: &Request<'_>) -> Result<Self, WireError> {
        let key = bearer(request.key)?;
        Ok(match request.endpoint {
            TableEndpoint::Act | TableEndpoint::Join | TableEndpoint::Leave => {
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
        self.calls.insert(CallId::CREATION.0, OpenCall { is_leaving: false });
    }

    /// Handles a request without a connection. Its [`Output::Answer`] follows the events that it causes.
    pub fn handle_call(&mut self, now: u64, call: Call) -> CallId {
        let id = CallId(FIRST_CALL + self.next_call);
        self.next_call += 1;
        let request = match &call {
            Call::Message { message, .. } => message.request_id().cloned(),
            _ => None,
        };
        self.pending_requests.push(PendingRequest { from: id.0, kind: call.kind(), request });
        match call {
            Call::Message { key, message } => self.call(now, id, key.as_ref(), message),
            Call::State(key) => self.answer(id, self.state_for(key.as_ref())),
            Call::Actions { key, player } => self.answer(id, self.actions_for(key.as_ref(), player.as_deref())),
            Call::Record(key) => {
                let result = self.room.record_with_key(key.as_ref()).map(|body| Answer { status: 200, body });
                self.answer(id, result);
            }
        }
        id
    }

    fn call(&mut self, now: u64, id: CallId, key: Option<&SecretKey>, message: ClientMessage) {
        self.note(now);
        self.calls.insert(id.0, OpenCall { is_leaving: matches!(message, ClientMessage::LeaveGame { .. }) });
        self.room.handle_call(now, id.0, key, message);
    }

    fn answer(&mut self, call: CallId, result: Result<Answer, WireError>) {
        let answer = result.unwrap_or_else(|error| Answer::refusal(None, error));
        self.queue.push_back(Queued::Output(Output::Answer { call, answer }));
    }

    /// Answers a call with the first message to it. Later messages are dropped.
    pub(super) fn answer_call(&mut self, to: ConnectionId, message: &ServerMessage) {
        if self.calls.remove(&to).is_none() {
            return;
        }
        self.answer(CallId(to), Ok(Answer::message(message)));
        if CallId(to) == CallId::CREATION {
            // The creator has its answer and no connection.
            self.room.handle_disconnect(self.now, to);
        }
    }

    /// Answers a call that the table has sent no message to.
    pub(super) fn answer_unanswered(&mut self, to: ConnectionId, call: OpenCall) {
        let answer = match call.is_leaving {
            true => Ok(Answer::json(200, &serde_json::json!({ "type": "LEFT" }))),
            false => Err(WireError::new(Problem::TableAway)),
        };
        self.answer(CallId(to), answer);
    }

    /// Rejects a request whose events could not be stored, even if its reply was ready.
    pub(super) fn report_not_stored(&mut self, to: ConnectionId, message: ServerMessage) {
        match is_call(to) {
            true => self.answer(CallId(to), Ok(Answer::message(&message))),
            false => self.send(to, message),
        }
    }

    fn state_for(&self, key: Option<&SecretKey>) -> Result<Answer, WireError> {
        let (_, view) = self.room.view_with_key(key).ok_or_else(unknown_key)?;
        Ok(Answer::message(&ServerMessage::StateUpdate {
            game_id: self.id().clone(),
            version: self.room.version(),
            ack: None,
            last_action: None,
            view: Some(view),
            patch: None,
        }))
    }

    fn actions_for(&self, key: Option<&SecretKey>, wanted: Option<&str>) -> Result<Answer, WireError> {
        let (player, view) = self.room.view_with_key(key).ok_or_else(unknown_key)?;
        if wanted.is_some() && wanted != player.as_ref().map(PlayerId::as_str) {
            return Err(WireError::new(Problem::OtherPlayersKey).at("playerId"));
        }
        let (game, version) = (self.id(), self.room.version());
        let actions = serde_json::json!({ "gameId": game, "version": version, "validActions": view.valid_actions });
        Ok(Answer::json(200, &actions))
    }
}

fn unknown_key() -> WireError {
    WireError::new(Problem::UnknownKey)
}
