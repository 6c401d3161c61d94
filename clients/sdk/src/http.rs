//! A client's connection to a server without a socket: one HTTP request for each message, a request for the table at regular
//! intervals, and one for the hints of a decision until they are there. The endpoints come from the routes of the hosts, so an endpoint for another message needs no change here.

use std::{sync::Arc, time::Duration};

use http_body_util::{BodyExt, Full};
use hyper::{Request, body::Bytes, header};
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use serde_json::{Map, Value};
use texas42_client::{ClientCore, Credentials};
use texas42_hosting::routes::{Body, Endpoint, ROUTES, Route, TableEndpoint};
use texas42_phrases::Problem;
use texas42_protocol::{
    ClientMessage, ErrorCode, GameId, LobbyCode, LobbyPlayer, Name, RequestId, SecretKey, ServerMessage, WireError,
};
use texas42_vocab::Config;
use tokio::task::JoinSet;

use crate::{
    address::ServerAddress,
    connection::{ConnectionError, ConnectionEvent, Reachability},
    game_client::ClientError,
    platform::{now, random, sleep_until},
};

/// How long to wait for an answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

type Agent = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// A connection to a server that only uses HTTP requests.
#[derive(Debug)]
pub struct HttpConnection {
    server: Reachability,
    agent: Agent,
    poll_every: Duration,
    /// When to request the table again; `None` while a request for it is open, and before the client has joined.
    poll_at: Option<u64>,
    is_polling: bool,
    /// The decision whose hints have arrived: the number of the game, and of its events.
    hinted: Option<(u32, u16)>,
    requests: JoinSet<HttpAnswer>,
}

/// The answer to a request.
#[derive(Debug)]
struct HttpAnswer {
    kind: AnswerKind,
    message: Result<ServerMessage, String>,
}

/// What an HTTP request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    /// A message of the client.
    Message,
    /// The table, at regular intervals.
    Poll,
    /// The hints of the host for this decision.
    Hints((u32, u16)),
}

/// An HTTP request that carries a message.
#[derive(Debug, PartialEq, Eq)]
struct HttpCall {
    method: &'static str,
    path: String,
    key: Option<SecretKey>,
    body: String,
}

impl HttpConnection {
    /// A connection that requests the table this often.
    pub fn new(server: ServerAddress, poll_every: Duration) -> Self {
        let server = Reachability::new(server);
        Self {
            server,
            agent: agent(),
            poll_every,
            poll_at: None,
            is_polling: false,
            hinted: None,
            requests: JoinSet::new(),
        }
    }

    /// The address of the server.
    pub const fn server(&self) -> &ServerAddress {
        self.server.address()
    }

    pub(crate) fn check_attempts(&self, attempts: u32, reason: &str) -> Result<(), ConnectionError> {
        self.server.check(attempts, reason)
    }

    /// Waits for the next event. Cancel-safe: dropping the future loses nothing.
    pub async fn next_event(&mut self, client: &ClientCore) -> ConnectionEvent {
        if let Some(at) = client.connect_at() {
            // Answers that are still open belong to the lost connection.
            self.requests = JoinSet::new();
            (self.poll_at, self.is_polling) = (None, false);
            sleep_until(Some(at)).await;
            return ConnectionEvent::Connected;
        }
        loop {
            if client.is_joined() && self.poll_at.is_none() && !self.is_polling {
                self.poll_at = Some(now() + u64::try_from(self.poll_every.as_millis()).unwrap_or(u64::MAX));
            }
            let wakes = self.poll_at.into_iter().chain(client.wake_at()).min();
            tokio::select! {
                Some(answer) = self.requests.join_next() => match answer {
                    Ok(answer) => return self.handle_answer(client, answer),
                    Err(error) => return ConnectionEvent::Unreachable(error.to_string()),
                },
                () = sleep_until(wakes) => {}
            }
            if self.poll_at.is_some_and(|at| at <= now()) {
                self.poll(client);
            } else if client.wake_at().is_some_and(|at| at <= now()) {
                return ConnectionEvent::Timer;
            }
        }
    }

    fn handle_answer(&mut self, client: &ClientCore, answer: HttpAnswer) -> ConnectionEvent {
        let is_poll = answer.kind == AnswerKind::Poll;
        self.is_polling &= !is_poll;
        let message = match (answer.message, answer.kind) {
            (Ok(message), _) => message,
            // The next view asks for them again.
            (Err(_), AnswerKind::Hints(_)) => return ConnectionEvent::Timer,
            (Err(reason), _) => return ConnectionEvent::Unreachable(reason),
        };
        self.server.note_answer();
        self.ask_for_hints(client, &message);
        match (message, client.game_id()) {
            (message @ ServerMessage::Hints { .. }, _) => {
                if let AnswerKind::Hints(decision) = answer.kind {
                    self.hinted = Some(decision);
                }
                ConnectionEvent::Message(Box::new(message))
            }
            (_, _) if matches!(answer.kind, AnswerKind::Hints(_)) => ConnectionEvent::Timer,
            // The table does not know the session any more.
            (ServerMessage::Error { error, .. }, Some(game_id)) if is_poll && has_ended(error.code) => {
                ConnectionEvent::Message(Box::new(ServerMessage::Left {
                    request_id: None,
                    game_id: game_id.clone(),
                    is_seat_kept: false,
                }))
            }
            // The next request for the table may succeed.
            (ServerMessage::Error { .. }, _) if is_poll => ConnectionEvent::Timer,
            (message, _) => ConnectionEvent::Message(Box::new(message)),
        }
    }

    /// Requests the hints for the decision of a view, if the session may see them and they have not arrived yet.
    fn ask_for_hints(&mut self, client: &ClientCore, message: &ServerMessage) {
        let ServerMessage::StateUpdate { game_id, view: Some(view), .. } = message else { return };
        let decision = (view.metadata.game_number, view.state.events);
        let is_hinted = view.valid_actions.iter().any(|valid| valid.hint.is_some());
        if !is_hinted || self.hinted == Some(decision) {
            return;
        }
        let call = HttpCall::for_hints(client, game_id);
        let (agent, server) = (self.agent.clone(), self.server.address().to_string());
        self.requests.spawn(async move {
            let answer = tokio::time::timeout(REQUEST_TIMEOUT, request_hints(&agent, &server, call)).await;
            let message = answer.unwrap_or_else(|_| Err("no hints in time".to_owned()));
            HttpAnswer { kind: AnswerKind::Hints(decision), message }
        });
    }

    fn poll(&mut self, client: &ClientCore) {
        self.poll_at = None;
        if let Some(game_id) = client.game_id().cloned() {
            self.is_polling = true;
            self.start(client, &ClientMessage::Subscribe { game_id }, AnswerKind::Poll);
        }
    }

    /// Sends a message. The answer is an event.
    pub fn send(&mut self, client: &ClientCore, message: &ClientMessage) {
        // There is no socket to keep alive, and no subscription to end.
        if !matches!(message, ClientMessage::Ping { .. } | ClientMessage::Unsubscribe { .. }) {
            self.start(client, message, AnswerKind::Message);
        }
    }

    fn start(&mut self, client: &ClientCore, message: &ClientMessage, kind: AnswerKind) {
        let (name, request) = (message.name(), message.request_id().cloned());
        let Some(call) = HttpCall::of(client, message) else {
            let message = ServerMessage::refusal(Some(name), request, WireError::new(Problem::NeedsConnection));
            self.requests.spawn(async move { HttpAnswer { kind, message: Ok(message) } });
            return;
        };
        let (agent, server) = (self.agent.clone(), self.server.address().to_string());
        let state =
            message.game_id().cloned().and_then(|game_id| HttpCall::of(client, &ClientMessage::Subscribe { game_id }));
        self.requests.spawn(async move {
            let answer = async {
                let message = exchange(&agent, &server, call).await?;
                with_view(&agent, &server, state, message).await
            };
            let timeout = |_| Err(format!("no answer within {} seconds", REQUEST_TIMEOUT.as_secs()));
            let answer = tokio::time::timeout(REQUEST_TIMEOUT, answer).await.unwrap_or_else(timeout);
            HttpAnswer { kind, message: answer.map(|message| named(message, name, request)) }
        });
    }

    /// Waits for the answers to what was sent.
    pub(crate) async fn close(&mut self) {
        while self.requests.join_next().await.is_some() {}
        (self.poll_at, self.is_polling) = (None, false);
    }
}

impl HttpCall {
    /// The request for the valid actions, with the hints of the host.
    fn for_hints(client: &ClientCore, game_id: &GameId) -> Self {
        let route = Endpoint::Table(TableEndpoint::Actions).route();
        let path = route.path.replace("{id}", game_id.as_str());
        let key = client.ticket().map(|ticket| ticket.key.clone());
        Self { method: route.method.name(), path, key, body: String::new() }
    }

    /// The request for a message; `None` if the hosts have no endpoint for it.
    fn of(client: &ClientCore, message: &ClientMessage) -> Option<Self> {
        let route = route_of(message)?;
        let mut body = match serde_json::to_value(message).expect("every map in a message has string keys") {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        // The path names the type and the table, and the header has the key.
        ["type", "gameId"].into_iter().for_each(|name| drop(body.remove(name)));
        let key = match message {
            ClientMessage::CreateGame { .. } => None,
            ClientMessage::JoinGame { key, .. } | ClientMessage::Knock { key, .. } => {
                body.remove("key");
                key.clone()
            }
            _ => client.ticket().map(|ticket| ticket.key.clone()),
        };
        let path = route.path.replace("{id}", message.game_id().map_or("", GameId::as_str));
        let body = if route.body == Body::Empty { String::new() } else { Value::Object(body).to_string() };
        Some(Self { method: route.method.name(), path, key, body })
    }
}

/// What a stranger may know about the table that a code leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLobby {
    /// The server.
    pub server: ServerAddress,
    /// The table.
    pub game_id: GameId,
    /// The code.
    pub code: LobbyCode,
    /// The name of the person who manages the table.
    pub host: Option<Name>,
    /// The rules.
    pub config: Config,
    /// Who sits at the table.
    pub players: Vec<LobbyPlayer>,
}

impl FoundLobby {
    /// The credentials that ask the host to be let in under this name.
    pub fn credentials(&self, name: Name) -> Credentials {
        let key = SecretKey::new(random());
        Credentials::Knock { game_id: self.game_id.clone(), code: self.code, key, name, entropy: None }
    }
}

/// Looks up the table that a code leads to. A server answers only a few of these requests in a row.
///
/// # Errors
/// If no table has the code, or the server cannot be reached.
pub async fn find_lobby(server: &ServerAddress, code: LobbyCode) -> Result<FoundLobby, ClientError> {
    let unreachable =
        |reason| ClientError::Unreachable(ConnectionError::Unreachable { server: server.clone(), reason });
    let route = Endpoint::Code.route();
    let path = route.path.replace("{code}", &code.to_string());
    let call = HttpCall { method: route.method.name(), path, key: None, body: String::new() };
    let asking = exchange(&agent(), &server.to_string(), call).await;
    match asking.map_err(unreachable)? {
        ServerMessage::LobbyFound { game_id, code, host, config, players } => {
            Ok(FoundLobby { server: server.clone(), game_id, code, host, config, players })
        }
        ServerMessage::Error { error, .. } => Err(ClientError::Refused(error)),
        _ => Err(unreachable("it does not know codes".to_owned())),
    }
}

fn route_of(message: &ClientMessage) -> Option<&'static Route> {
    match message {
        ClientMessage::Subscribe { .. } => Some(Endpoint::Table(TableEndpoint::State).route()),
        message => ROUTES.iter().find(|route| route.body == Body::Message(message.name())),
    }
}

/// Whether an error means that the session is gone.
const fn has_ended(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::NotJoined | ErrorCode::BadKey | ErrorCode::NoSuchGame)
}

/// An error that says which request it answers.
fn named(message: ServerMessage, kind: &str, request: Option<RequestId>) -> ServerMessage {
    match message {
        ServerMessage::Error { request_id: None, error, version, view, .. } => {
            ServerMessage::Error { request_type: Some(kind.to_owned()), request_id: request, error, version, view }
        }
        message => message,
    }
}

/// Adds the table to an acknowledgement without it, so that an answered call shows its effect.
async fn with_view(
    agent: &Agent,
    server: &str,
    state: Option<HttpCall>,
    message: ServerMessage,
) -> Result<ServerMessage, String> {
    let (ServerMessage::StateUpdate { ack: Some(ack), view: None, .. }, Some(state)) = (&message, state) else {
        return Ok(message);
    };
    Ok(match exchange(agent, server, state).await? {
        ServerMessage::StateUpdate { game_id, version, last_action, view, patch, .. } => {
            ServerMessage::StateUpdate { game_id, version, ack: Some(ack.clone()), last_action, view, patch }
        }
        _ => message,
    })
}

/// The hints in the answer to a request for the valid actions, as the message that a WebSocket gets; an error while there are none.
async fn request_hints(agent: &Agent, server: &str, call: HttpCall) -> Result<ServerMessage, String> {
    let (_, body) = fetch(agent, server, call).await?;
    let mut answer: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    answer["type"] = "HINTS".into();
    serde_json::from_value(answer).map_err(|error| error.to_string())
}

/// Sends a request and reads the message in its answer.
async fn exchange(agent: &Agent, server: &str, call: HttpCall) -> Result<ServerMessage, String> {
    let (status, body) = fetch(agent, server, call).await?;
    serde_json::from_slice(&body).map_err(|_| format!("the server answers with status {status} and no message"))
}

/// Sends a request, and returns status and body of its answer.
async fn fetch(agent: &Agent, server: &str, call: HttpCall) -> Result<(u16, Bytes), String> {
    let mut request = Request::builder().method(call.method).uri(format!("{server}{}", call.path));
    if let Some(key) = call.key {
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", String::from(key)));
    }
    let request = request.body(Full::from(call.body)).map_err(|error| error.to_string())?;
    let answer = agent.request(request).await.map_err(|error| describe(&error))?;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
    Ok((status, body))
}

/// Why a request failed, for people: the innermost reason.
fn describe(error: &hyper_util::client::legacy::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}

/// An HTTP client that trusts the certificates of the operating system.
fn agent() -> Agent {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("ring supports the default versions of TLS");
    let tls = match config.clone().with_native_roots() {
        Ok(trusting) => trusting.with_no_client_auth(),
        // A machine without certificates can still use servers without TLS.
        Err(_) => config.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    };
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
    Client::builder(TokioExecutor::new()).build(connector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use texas42_client::Ticket;

    fn ann() -> ClientCore {
        let ticket =
            Ticket { game_id: "t".try_into().unwrap(), key: SecretKey::new([7; 16]), name: "Ann".try_into().unwrap() };
        ClientCore::resume(ticket, [1; 24])
    }

    #[test]
    fn the_key_of_an_invite_is_in_the_header_only() {
        let key = SecretKey::new([3; 16]);
        let credentials = Credentials::join("t".try_into().unwrap(), Some(key.clone()), "Ann".try_into().unwrap());
        let mut client = ClientCore::new(credentials, [9; 24]);
        client.handle_connected(0);
        let join = client.poll_frame().unwrap();
        let call = HttpCall::of(&client, &join).unwrap();
        assert_eq!((call.method, call.path.as_str()), ("POST", "/api/games/t/join"));
        assert!(!call.body.contains(&String::from(key.clone())) && call.body.contains("sessionKey"), "{}", call.body);
        assert_eq!(call.key, Some(key));
    }

    #[test]
    fn the_key_of_a_guest_is_in_the_header_only() {
        let found = FoundLobby {
            server: "localhost:4242".parse().unwrap(),
            game_id: "t".try_into().unwrap(),
            code: LobbyCode::new(1),
            host: None,
            config: Config::default(),
            players: Vec::new(),
        };
        let mut client = ClientCore::new(found.credentials("Cid".try_into().unwrap()), [9; 24]);
        client.handle_connected(0);
        let knock = client.poll_frame().unwrap();
        let call = HttpCall::of(&client, &knock).unwrap();
        assert_eq!((call.method, call.path.as_str()), ("POST", "/api/games/t/knock"));
        let key = String::from(call.key.unwrap());
        assert!(!call.body.contains(&key) && call.body.contains("Cid"), "{}", call.body);
    }

    #[test]
    fn other_requests_have_the_key_of_the_session() {
        let game_id: GameId = "t".try_into().unwrap();
        let call = HttpCall::of(&ann(), &ClientMessage::Subscribe { game_id: game_id.clone() }).unwrap();
        let expected = HttpCall {
            method: "GET",
            path: "/api/games/t/state".to_owned(),
            key: Some(SecretKey::new([7; 16])),
            body: String::new(),
        };
        assert_eq!(call, expected);
        let call = HttpCall::of(&ann(), &ClientMessage::LeaveGame { game_id, request_id: None }).unwrap();
        assert_eq!((call.path.as_str(), call.body.as_str()), ("/api/games/t/leave", "{}"));
    }
}
