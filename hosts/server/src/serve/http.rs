//! The HTTP side: the endpoints of a table, health, numbers, the published schema, and the page.
//!
//! A key comes in the `Authorization` header, never in an address. A page of another origin may not use a visitor's
//! browser to speak to this server, unless its origin is allowed. Bodies are bounded.

use std::{
    net::IpAddr,
    sync::{Arc, LazyLock, atomic::Ordering},
};

use axum::{
    Extension, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, Query, Request, State, WebSocketUpgrade},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter, on},
};
use serde::Deserialize;
use serde_json::json;
use texas42_hosting::{
    Answer, PREFLIGHT, Visit, bearer, place_of, read_as, read_call,
    routes::{self, Access, Endpoint, HostKind, ROUTES, Route},
    shown_to,
};
use texas42_protocol::{
    ClientMessage, ErrorCode, GameId, MOST_MESSAGE_BYTES, PlayerId, RequestId, SecretKey, ServerMessage, WireError,
};
use texas42_room::{ConnectionId, Room};
use tokio::sync::oneshot;

use super::{
    creation,
    server::Shared,
    socket,
    table::{Handle, Look, TableTask, ToTable},
    web,
};

mod import;

/// The address at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

type App = State<Arc<Shared>>;

/// Made once: it takes longer than any other answer.
static OPENAPI: LazyLock<serde_json::Value> = LazyLock::new(openapi);
static API_PAGE: LazyLock<String> = LazyLock::new(|| texas42_hosting::api_page(HostKind::Server));

/// The OpenAPI document of this server.
pub fn openapi() -> serde_json::Value {
    texas42_hosting::openapi(HostKind::Server)
}

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let asked = routes_of(Access::Api).layer(middleware::from_fn_with_state(Arc::clone(&shared), guard));
    let pages =
        routes_of(Access::Page).fallback(web::serve).layer(middleware::from_fn_with_state(Arc::clone(&shared), ration));
    Router::new()
        .merge(asked)
        .merge(pages)
        .merge(routes_of(Access::Monitor))
        .layer(DefaultBodyLimit::max(MOST_MESSAGE_BYTES))
        .layer(middleware::map_response(in_words))
        .with_state(shared)
}

/// The routes of the table that have the same limits.
fn routes_of(access: Access) -> Router<Arc<Shared>> {
    let ours = ROUTES.iter().filter(|route| route.access == access && route.is_on(HostKind::Server));
    ours.fold(Router::new(), |router, route| router.route(route.path, handler(route)))
}

/// The handler of an endpoint.
fn handler(route: &Route) -> MethodRouter<Arc<Shared>> {
    let method = match route.method {
        routes::Method::Get => MethodFilter::GET,
        routes::Method::Post => MethodFilter::POST,
    };
    match route.endpoint {
        Endpoint::Create => on(method, create),
        Endpoint::Import => on(method, import::import),
        Endpoint::Socket => on(method, open_socket),
        Endpoint::TableSocket => on(method, open_table_socket),
        Endpoint::State => on(method, state),
        Endpoint::Actions => on(method, actions),
        Endpoint::Record => on(method, record),
        Endpoint::Act => on(method, action),
        Endpoint::Join => on(method, join),
        Endpoint::Leave => on(method, leave),
        Endpoint::OpenApi => on(method, || async { json_answer(&*OPENAPI) }),
        Endpoint::Page => on(method, || async { web::page(API_PAGE.as_str()) }),
        Endpoint::Health => on(method, health),
        Endpoint::Metrics => on(method, metrics),
    }
}

/// Every refusal is said in the words of the wire, also those that come from below, with a status and nothing else.
async fn in_words(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    let status = response.status();
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let mut worded = respond(Answer::refused_as(status.as_u16()));
    // What may be asked instead.
    worded.headers_mut().extend(response.headers().get(header::ALLOW).map(|allowed| (header::ALLOW, allowed.clone())));
    worded
}

// What every request goes through.

async fn guard(State(shared): App, Extension(peer): Extension<Peer>, request: Request, next: Next) -> Response {
    shared.metrics.requests.add(1);
    // What is no text is not our own.
    let origin = request.headers().get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or("?"));
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    match Visit::of(origin, host, shared.settings.origins.iter().map(String::as_str)) {
        Visit::Home => within_limits(&shared, peer, request, next).await,
        Visit::Allowed(origin) => {
            let origin = origin.to_owned();
            let mut response = within_limits(&shared, peer, request, next).await;
            response.headers_mut().extend(headers_of(shown_to(&origin)));
            response
        }
        Visit::Refused => {
            shared.metrics.refused_origins.add(1);
            let text = "pages of this origin may not use this server; its owner can allow it with --allow-origin";
            refusal(None, WireError::new(ErrorCode::NotAllowed, text))
        }
    }
}

async fn within_limits(shared: &Shared, peer: Peer, mut request: Request, next: Next) -> Response {
    let address = real_address(shared, peer.0, request.headers());
    request.extensions_mut().insert(Peer(address));
    if !shared.addresses.may_ask(address) {
        return too_many(shared);
    }
    if is_preflight(&request) {
        return (StatusCode::NO_CONTENT, HeaderMap::from_iter(headers_of(PREFLIGHT))).into_response();
    }
    // A body that comes a byte at a time must not hold a place for ever.
    let Ok(mut response) = tokio::time::timeout(shared.settings.request, next.run(request)).await else {
        return respond(Answer::refused_as(408));
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The page is for everybody who asks for its address, but not without end.
async fn ration(State(shared): App, Extension(peer): Extension<Peer>, request: Request, next: Next) -> Response {
    let address = real_address(&shared, peer.0, request.headers());
    if shared.addresses.may_load(address) { next.run(request).await } else { too_many(&shared) }
}

fn too_many(shared: &Shared) -> Response {
    shared.metrics.rate_limited.add(1);
    refusal(None, WireError::new(ErrorCode::RateLimited, "too many requests; try again in a second"))
}

/// Whether a browser asks what a page of another origin may send.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn headers_of<const N: usize>(named: [(&'static str, &str); N]) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let header = |(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?));
    named.map(header).into_iter().flatten()
}

/// Behind a proxy every peer is the proxy; the header that it sets says who is behind it.
fn real_address(shared: &Shared, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let Some(name) = &shared.settings.address_header else { return peer };
    // A proxy adds to the last line, or adds a line; what stands before may be the client's own.
    let last = headers
        .get_all(name)
        .into_iter()
        .next_back()
        .and_then(|value| value.to_str().ok())
        .and_then(|list| list.rsplit(',').next());
    last.and_then(|text| text.trim().parse().ok()).unwrap_or(peer)
}

// WebSockets.

async fn open_socket(State(shared): App, Extension(peer): Extension<Peer>, upgrade: WebSocketUpgrade) -> Response {
    upgraded(&shared, peer.0, None, upgrade)
}

async fn open_table_socket(
    State(shared): App,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    match GameId::try_from(id) {
        Ok(id) => upgraded(&shared, peer.0, Some(id), upgrade),
        Err(error) => refusal(None, WireError::new(ErrorCode::NoSuchGame, error.to_string())),
    }
}

fn upgraded(shared: &Arc<Shared>, address: IpAddr, only: Option<GameId>, upgrade: WebSocketUpgrade) -> Response {
    if !shared.addresses.connect(address) {
        shared.metrics.rate_limited.add(1);
        let text = "this address has as many connections as it may have";
        return refusal(None, WireError::new(ErrorCode::RateLimited, text));
    }
    let (serving, failing) = (Arc::clone(shared), Arc::clone(shared));
    upgrade
        .max_message_size(MOST_MESSAGE_BYTES)
        .max_frame_size(MOST_MESSAGE_BYTES)
        // Small buffers: most connections are silent most of the time.
        .read_buffer_size(2048)
        .write_buffer_size(16 * 1024)
        .max_write_buffer_size(1 << 20)
        .on_failed_upgrade(move |_| failing.addresses.disconnect(address))
        .on_upgrade(move |socket| socket::run(serving, address, only, socket))
}

// Single requests.

async fn create(State(shared): App, Extension(peer): Extension<Peer>, body: Bytes) -> Response {
    let message = match read_as("CREATE_GAME", None, &body) {
        Ok(message) => message,
        Err(error) => return refusal(Some("CREATE_GAME"), error),
    };
    if let Some(back) = creation::come_back_instead(&shared, &message).await {
        return come_back(&shared, back).await;
    }
    let (connection, request) = (shared.next_connection(), message.request_id().cloned());
    match creation::create(Arc::clone(&shared), peer.0, connection, message, |_| {}).await {
        Ok(room) => set_up(&shared, room, connection, "CREATE_GAME", request).await,
        Err(refused) => message_answer(&refused),
    }
}

/// Lets a new table begin; its maker is answered once it is stored.
async fn set_up(
    shared: &Arc<Shared>,
    room: Room,
    connection: ConnectionId,
    kind: &'static str,
    request: Option<RequestId>,
) -> Response {
    let (reply, answer) = oneshot::channel();
    let place = place_of(room.id());
    let prepare = |task: TableTask| task.with_call(connection, reply).asked(connection, kind, request);
    let Some(handle) = creation::spawn(shared, room, prepare) else {
        return refusal(Some(kind), creation::set_up_twice());
    };
    let mut response = match answer.await {
        Ok(answer) => message_answer(&answer),
        Err(_) => return not_there(),
    };
    // The creator was answered and has no connection.
    handle.send(ToTable::Disconnect { from: connection }).await.ok();
    if response.status() == StatusCode::CREATED {
        response.headers_mut().extend(HeaderValue::try_from(place).ok().map(|place| (header::LOCATION, place)));
    }
    response
}

/// A creation that was asked for before: its maker is at the table already.
async fn come_back(shared: &Arc<Shared>, message: ClientMessage) -> Response {
    let ClientMessage::JoinGame { game_id, session_key, .. } = &message else { return not_there() };
    let key = session_key.clone();
    let Ok(handle) = shared.tables.open(shared, game_id).await else { return not_there() };
    let (reply, answer) = oneshot::channel();
    handle.send(ToTable::Call { key, message, reply }).await.ok();
    answer.await.map_or_else(|_| not_there(), |message| message_answer(&message))
}

async fn state(State(shared): App, Path(id): Path<String>, headers: HeaderMap) -> Response {
    match look(&shared, id, &headers).await {
        Err(error) => refusal(None, error),
        Ok((game_id, Look { version, view, .. })) => message_answer(&ServerMessage::StateUpdate {
            game_id,
            version,
            ack: None,
            last_action: None,
            view: Some(view),
            patch: None,
        }),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ActionsQuery {
    player_id: Option<String>,
}

async fn actions(
    State(shared): App,
    Path(id): Path<String>,
    Query(query): Query<ActionsQuery>,
    headers: HeaderMap,
) -> Response {
    let (game_id, look) = match look(&shared, id, &headers).await {
        Ok(found) => found,
        Err(error) => return refusal(None, error),
    };
    if query.player_id.is_some() && query.player_id.as_deref() != look.player.as_ref().map(PlayerId::as_str) {
        let text = "the key is of another player; leave playerId out to see what your own session may do";
        return refusal(None, WireError::new(ErrorCode::NotAllowed, text).at("playerId"));
    }
    let answer = json!({ "gameId": game_id, "version": look.version, "validActions": look.view.valid_actions });
    json_answer(&answer)
}

async fn record(State(shared): App, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let told = async {
        let key = key_of(&headers)?;
        let (_, handle) = open(&shared, id).await?;
        let (reply, answer) = oneshot::channel();
        handle.send(ToTable::Record { key, reply }).await.ok();
        answer.await.map_err(|_| table_is_away())?
    };
    match told.await {
        Ok(body) => respond(Answer { status: 200, body }),
        Err(error) => refusal(None, error),
    }
}

async fn action(State(shared): App, Path(id): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    call(&shared, "EXECUTE_ACTION", id, &headers, &body).await
}

async fn join(State(shared): App, Path(id): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    call(&shared, "JOIN_GAME", id, &headers, &body).await
}

async fn leave(State(shared): App, Path(id): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    call(&shared, "LEAVE_GAME", id, &headers, &body).await
}

/// Lets a table answer one message.
async fn call(shared: &Arc<Shared>, kind: &str, id: String, headers: &HeaderMap, body: &[u8]) -> Response {
    let asked = async {
        let key = key_of(headers)?;
        let message = read_call(kind, &id, key.as_ref(), body)?;
        let (_, handle) = open(shared, id).await?;
        Ok((key, message, handle))
    };
    let (key, message, handle) = match asked.await {
        Ok(asked) => asked,
        Err(error) => return refusal(Some(kind), error),
    };
    let (reply, answer) = oneshot::channel();
    handle.send(ToTable::Call { key, message, reply }).await.ok();
    match answer.await {
        Ok(message) => message_answer(&message),
        // The table had nothing to say, which is how it takes leave.
        Err(_) if kind == "LEAVE_GAME" => json_answer(&json!({ "type": "LEFT" })),
        Err(_) => not_there(),
    }
}

async fn look(shared: &Arc<Shared>, id: String, headers: &HeaderMap) -> Result<(GameId, Look), WireError> {
    let key = key_of(headers)?;
    let (id, handle) = open(shared, id).await?;
    let (reply, answer) = oneshot::channel();
    handle.send(ToTable::Look { key, reply }).await.ok();
    let looked = answer.await.map_err(|_| table_is_away())?;
    looked
        .map(|look| (id, look))
        .ok_or_else(|| WireError::new(ErrorCode::BadKey, "the key opens nothing at this table"))
}

fn table_is_away() -> WireError {
    WireError::new(ErrorCode::NotStored, "the table is not there now")
}

async fn open(shared: &Arc<Shared>, id: String) -> Result<(GameId, Handle), WireError> {
    let id = GameId::try_from(id).map_err(|error| WireError::new(ErrorCode::NoSuchGame, error.to_string()))?;
    let handle = shared.tables.open(shared, &id).await?;
    Ok((id, handle))
}

/// The key of `Authorization: Bearer <key>`.
fn key_of(headers: &HeaderMap) -> Result<Option<SecretKey>, WireError> {
    // What is no text is no key either.
    bearer(headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default()))
}

// Answers.

const JSON: &str = "application/json";

fn respond(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, [(header::CONTENT_TYPE, JSON)], answer.body).into_response();
    if status == StatusCode::TOO_MANY_REQUESTS {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}

fn message_answer(message: &ServerMessage) -> Response {
    respond(Answer::message(message))
}

fn refusal(kind: Option<&str>, error: WireError) -> Response {
    respond(Answer::refusal(kind, error))
}

fn not_there() -> Response {
    refusal(None, WireError::new(ErrorCode::NotStored, "the table is not there now; try again"))
}

fn json_answer(value: &impl serde::Serialize) -> Response {
    respond(Answer::json(200, value))
}

// Around the tables.

async fn health(State(shared): App) -> Response {
    if shared.metrics.store_works.load(Ordering::Relaxed) {
        json_answer(&json!({ "status": "ok" }))
    } else {
        refusal(None, WireError::new(ErrorCode::NotStored, "the last commit failed"))
    }
}

async fn metrics(State(shared): App) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], shared.metrics.text()).into_response()
}
