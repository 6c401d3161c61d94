//! The HTTP side: table endpoints, health, metrics, the OpenAPI document, and the page.
//!
//! Keys travel in the `Authorization` header, never in a URL. Cross-origin requests need an allowed origin. Request
//! bodies are bounded.

use std::{
    net::IpAddr,
    sync::{Arc, LazyLock, atomic::Ordering},
};

use axum::{
    Extension, Router,
    body::Body,
    extract::{Path, RawQuery, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter, on},
};
use hyper::upgrade::OnUpgrade;
use serde_json::json;
use texas42_hosting::{
    Creator, HttpResponse, PREFLIGHT_HEADERS, RequestOrigin, TableCall, TableHost, cors_headers, parse_message,
    routes::{self, Access, Endpoint, HostKind, ROUTES, Route, TableEndpoint},
    state_path,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, LobbyCode, ServerMessage, WireError};
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

use super::{
    clock, creation,
    server::{self, Shared},
    socket,
    table::TableCommand,
    web,
};

mod body;
mod import;

use body::{BufferedBody, MaxBytes};

/// The address of the client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

type App = State<Arc<Shared>>;

/// Built once, because it takes longer than any other response.
static OPENAPI: LazyLock<serde_json::Value> = LazyLock::new(openapi);
static API_PAGE: LazyLock<String> = LazyLock::new(|| texas42_hosting::api_page(HostKind::Server));

/// The OpenAPI document of this server.
pub fn openapi() -> serde_json::Value {
    texas42_hosting::openapi(HostKind::Server)
}

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let api = routes_of(Access::Api).layer(middleware::from_fn_with_state(Arc::clone(&shared), check_origin));
    let pages = routes_of(Access::Page)
        .fallback(web::serve)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), limit_page_requests));
    Router::new()
        .merge(api)
        .merge(pages)
        .merge(routes_of(Access::Monitor))
        .layer(middleware::map_response(complete_response))
        .with_state(shared)
}

/// The routes with this access level, which share the same limits.
fn routes_of(access: Access) -> Router<Arc<Shared>> {
    let routes = ROUTES.iter().filter(|route| route.access == access && route.is_on(HostKind::Server));
    let bounded = |route: &Route| handler(route).layer(Extension(MaxBytes(route.body.max_bytes())));
    routes.fold(Router::new(), |router, route| router.route(route.path, bounded(route)))
}

/// The handler of a route.
fn handler(route: &Route) -> MethodRouter<Arc<Shared>> {
    let method = match route.method {
        routes::Method::Get => MethodFilter::GET,
        routes::Method::Post => MethodFilter::POST,
    };
    match route.endpoint {
        Endpoint::Create => on(method, create),
        Endpoint::Import => on(method, import::import),
        Endpoint::Code => on(method, look_up_code),
        Endpoint::Socket => on(method, open_socket),
        Endpoint::TableSocket => on(method, open_table_socket),
        Endpoint::Table(endpoint) => table(method, endpoint),
        Endpoint::OpenApi => on(method, || async { json_answer(&*OPENAPI) }),
        Endpoint::Page => on(method, || async { web::page(API_PAGE.as_str()) }),
        Endpoint::Health => on(method, health),
        Endpoint::Metrics => on(method, metrics),
    }
}

/// The handler of an endpoint that the table itself answers.
fn table(method: MethodFilter, endpoint: TableEndpoint) -> MethodRouter<Arc<Shared>> {
    on(method, move |app: App, id: Path<String>, query: RawQuery, headers: HeaderMap, body: BufferedBody| {
        call(endpoint, app, id, query, headers, body)
    })
}

/// Adds to a response what all have in common: a body for errors, and `nosniff`, which keeps browsers from guessing the
/// content type.
async fn complete_response(response: Response) -> Response {
    let mut response = add_error_body(response);
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Gives error responses without a body, such as those of axum, the same JSON body as all others.
fn add_error_body(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    let status = response.status();
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let mut error = respond(HttpResponse::refused_as(status.as_u16()));
    // Keeps the list of allowed methods of a 405 response.
    error.headers_mut().extend(response.headers().get(header::ALLOW).map(|allowed| (header::ALLOW, allowed.clone())));
    error
}

async fn check_origin(State(shared): App, Extension(peer): Extension<Peer>, request: Request, next: Next) -> Response {
    shared.metrics.requests.add(1);
    // A header that is not text matches no allowed origin.
    let origin = request.headers().get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or("?"));
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    match RequestOrigin::of(origin, host, shared.settings.origins.iter().map(String::as_str)) {
        RequestOrigin::Home => within_limits(&shared, peer, request, next).await,
        RequestOrigin::Allowed(origin) => {
            let origin = origin.to_owned();
            let mut response = within_limits(&shared, peer, request, next).await;
            response.headers_mut().extend(headers_of(cors_headers(&origin)));
            response
        }
        RequestOrigin::Refused => {
            shared.metrics.refused_origins.add(1);
            refusal(None, WireError::new(Problem::OriginNotAllowed))
        }
    }
}

async fn within_limits(shared: &Shared, peer: Peer, mut request: Request, next: Next) -> Response {
    let address = client_address(shared, peer.0, request.headers());
    request.extensions_mut().insert(Peer(address));
    if !shared.addresses.may_request(address) {
        return too_many(shared);
    }
    if is_preflight(&request) {
        return (StatusCode::NO_CONTENT, HeaderMap::from_iter(headers_of(PREFLIGHT_HEADERS))).into_response();
    }
    // A body that arrives one byte at a time must not hold a connection forever.
    let Ok(mut response) = tokio::time::timeout(shared.settings.request, next.run(request)).await else {
        return respond(HttpResponse::refused_as(408));
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Limits the rate of page requests per client address.
async fn limit_page_requests(
    State(shared): App,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let address = client_address(&shared, peer.0, request.headers());
    if shared.addresses.may_load_page(address) { next.run(request).await } else { too_many(&shared) }
}

fn too_many(shared: &Shared) -> Response {
    shared.metrics.rate_limited.add(1);
    refusal(None, WireError::new(Problem::TooManyRequests))
}

/// Whether this is a CORS preflight request.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn headers_of<const N: usize>(named: [(&'static str, &str); N]) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let header = |(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?));
    named.map(header).into_iter().flatten()
}

/// The client's address. Behind a reverse proxy it comes from the header that the proxy sets.
fn client_address(shared: &Shared, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let Some(name) = &shared.settings.address_header else { return peer };
    // A proxy appends to the last header line or adds a line; earlier entries may be forged by the client.
    let last = headers
        .get_all(name)
        .into_iter()
        .next_back()
        .and_then(|value| value.to_str().ok())
        .and_then(|list| list.rsplit(',').next());
    last.and_then(|text| text.trim().parse().ok()).unwrap_or(peer)
}

// WebSockets.

async fn open_socket(State(shared): App, Extension(peer): Extension<Peer>, request: Request) -> Response {
    upgrade(&shared, peer.0, None, request)
}

async fn open_table_socket(
    State(shared): App,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    match GameId::try_from(id) {
        Ok(id) => upgrade(&shared, peer.0, Some(id), request),
        Err(_) => refusal(None, WireError::new(Problem::NoSuchGame)),
    }
}

/// Answers the handshake and runs the connection in its own task.
fn upgrade(shared: &Arc<Shared>, address: IpAddr, required_game: Option<GameId>, request: Request) -> Response {
    let (mut head, _) = request.into_parts();
    let is_browser = head.headers.contains_key(header::ORIGIN);
    let upgrading = head.extensions.remove::<OnUpgrade>();
    let response = create_response_with_body(&Request::from_parts(head, ()), Body::empty);
    let (Some(upgrading), Ok(response)) = (upgrading, response) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if !shared.addresses.connect(address) {
        shared.metrics.rate_limited.add(1);
        return refusal(None, WireError::new(Problem::TooManyConnections));
    }
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        match Box::pin(upgrading).await.ok().and_then(server::stream_of) {
            Some(upgraded) => socket::run(shared, address, required_game, upgraded, is_browser).await,
            None => shared.addresses.disconnect(address),
        }
    });
    response
}

// Single requests.

async fn create(State(shared): App, Extension(peer): Extension<Peer>, body: BufferedBody) -> Response {
    let message = match parse_message("CREATE_GAME", None, body.bytes()) {
        Ok(message) => message,
        Err(error) => return respond(HttpResponse::unreadable(Some("CREATE_GAME"), body.bytes(), error)),
    };
    drop(body);
    if let Some(message) = creation::rejoin_instead(&shared, &message).await {
        return rejoin(&shared, message).await;
    }
    match creation::create(Arc::clone(&shared), peer.0, Creator::Call, message, |_| {}).await {
        Ok(host) => set_up(&shared, *host, creation::CREATE).await,
        Err(refused) => message_answer(&refused),
    }
}

/// Starts a new table and answers its creator once it is stored.
async fn set_up(shared: &Arc<Shared>, host: TableHost, kind: &str) -> Response {
    let (reply, answer) = oneshot::channel();
    let location = state_path(host.id());
    if creation::spawn(shared, host, |task| task.for_call(reply)).is_none() {
        return refusal(Some(kind), creation::already_creating());
    }
    let mut response = wait_for_answer(answer).await;
    if response.status() == StatusCode::CREATED {
        response.headers_mut().extend(HeaderValue::try_from(location).ok().map(|value| (header::LOCATION, value)));
    }
    response
}

/// Answers a repeated create request: rejoins its creator to the table.
async fn rejoin(shared: &Arc<Shared>, message: ClientMessage) -> Response {
    let ClientMessage::JoinGame { game_id, session_key, .. } = &message else { return table_unavailable() };
    let (key, game) = (session_key.clone(), game_id.clone());
    ask(shared, &game, TableCall::Message { key, message }).await
}

/// Forwards a request to the table.
async fn call(
    endpoint: TableEndpoint,
    State(shared): App,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: BufferedBody,
) -> Response {
    let game = match GameId::try_from(id) {
        Ok(game) => game,
        Err(_) => return refusal(None, WireError::new(Problem::NoSuchGame)),
    };
    let (query, key) = (query.as_deref().unwrap_or(""), authorization(&headers));
    let request = texas42_hosting::HttpRequest { endpoint, query, key, body: body.bytes() };
    match TableCall::read(&game, &request) {
        Ok(call) => ask(&shared, &game, call).await,
        Err(answer) => respond(answer),
    }
}

/// Answers which table a code leads to.
async fn look_up_code(State(shared): App, Extension(peer): Extension<Peer>, Path(code): Path<String>) -> Response {
    if !shared.addresses.may_look_up_code(peer.0) {
        shared.metrics.rate_limited.add(1);
        return refusal(None, WireError::new(Problem::TooManyCodes));
    }
    let found = LobbyCode::typed(&code).and_then(|code| Some((code, shared.codes.table(clock::now(), code)?)));
    match found {
        Some((code, game)) => ask(&shared, &game, TableCall::Lobby(code)).await,
        None => refusal(None, WireError::new(Problem::UnknownCode)),
    }
}

async fn ask(shared: &Arc<Shared>, game: &GameId, call: TableCall) -> Response {
    let handle = match shared.tables.open(shared, game).await {
        Ok(handle) => handle,
        Err(error) => return respond(call.refusal(error)),
    };
    let (reply, answer) = oneshot::channel();
    handle.send(TableCommand::Call { call: Box::new(call), reply }).await.ok();
    wait_for_answer(answer).await
}

async fn wait_for_answer(answer: oneshot::Receiver<HttpResponse>) -> Response {
    answer.await.map_or_else(|_| table_unavailable(), respond)
}

/// The `Authorization` header; empty if it is not text.
fn authorization(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default())
}

// Answers.

const JSON: &str = "application/json";

fn respond(answer: HttpResponse) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, [(header::CONTENT_TYPE, JSON)], answer.body).into_response();
    if status == StatusCode::TOO_MANY_REQUESTS {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}

fn message_answer(message: &ServerMessage) -> Response {
    respond(HttpResponse::message(message))
}

fn refusal(kind: Option<&str>, error: WireError) -> Response {
    respond(HttpResponse::refusal(kind, error))
}

fn table_unavailable() -> Response {
    refusal(None, WireError::new(Problem::TableUnavailable))
}

fn json_answer(value: &impl serde::Serialize) -> Response {
    respond(HttpResponse::json(200, value))
}

/// 200 if everything that was stored is there and more can be stored; otherwise 503. Only the operator is told which tables
/// are damaged and what else is wrong.
async fn health(State(shared): App, Extension(peer): Extension<Peer>, headers: HeaderMap) -> Response {
    // Without a token, the endpoint has no limit; with one, guesses are limited as everywhere.
    let is_guess = headers.contains_key(header::AUTHORIZATION);
    if is_guess && !shared.addresses.may_request(client_address(&shared, peer.0, &headers)) {
        return too_many(&shared);
    }
    health_answer(&shared, is_operator(&shared, &headers))
}

fn health_answer(shared: &Shared, is_operator: bool) -> Response {
    let mut damage = shared.store.damage();
    let is_storing = shared.metrics.store_works.load(Ordering::Relaxed);
    if !is_storing {
        damage.problems.insert(0, Problem::CommitFailed.to_string());
    }
    if damage.is_empty() {
        return json_answer(&json!({ "status": "ok" }));
    }
    let mut body = if is_operator { json!(damage) } else { json!({ "damagedTables": damage.damaged_tables }) };
    body["status"] = json!(if is_storing { "degraded" } else { "failing" });
    respond(HttpResponse::json(503, &body))
}

/// The metrics, for requests with the operator's token.
async fn metrics(State(shared): App, headers: HeaderMap) -> Response {
    if is_operator(&shared, &headers) {
        return metrics_text(&shared);
    }
    refusal(None, WireError::new(Problem::MetricsArePrivate))
}

/// Whether a request has the operator's token.
fn is_operator(shared: &Shared, headers: &HeaderMap) -> bool {
    let token = shared.settings.metrics_token.as_deref().zip(bearer_token(headers));
    token.is_some_and(|(token, sent)| is_same(token, sent))
}

fn metrics_text(shared: &Shared) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], shared.metrics.text()).into_response()
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = authorization(headers)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
}

/// Compares secrets in a time that depends on their lengths alone.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

/// The endpoints at [`Settings::metrics_address`](server::Settings::metrics_address).
pub(crate) fn metrics_router(shared: Arc<Shared>) -> Router {
    let metrics = |State(shared): App| async move { metrics_text(&shared) };
    let health = |State(shared): App| async move { health_answer(&shared, true) };
    let routes = Router::new()
        .route(Endpoint::Metrics.route().path, on(MethodFilter::GET, metrics))
        .route(Endpoint::Health.route().path, on(MethodFilter::GET, health));
    routes.layer(middleware::map_response(complete_response)).with_state(shared)
}
