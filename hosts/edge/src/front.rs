//! The stateless Worker in front of the tables. It forwards each request to the Durable Object named by the game id,
//! creates tables and serves the page.

use texas42_hosting::{
    HttpResponse, IMPORT, PREFLIGHT_HEADERS, RequestOrigin, api_page, cache_control, content_type, cors_headers,
    file_of, id_for, id_of, import_key, parse_message,
    routes::{self, Access, Endpoint, HostKind, RouteMatch},
    state_path,
};
use texas42_phrases::Problem;
use texas42_protocol::{GameId, LobbyCode, WireError};
use worker::{Context, Env, Headers, Method, Request, Response, Result, Stub, event, web_sys::RequestInit};

use crate::{
    ObjectRequest, Settings,
    body::{BufferedBody, CLIENT_ADDRESS, is_declared_longer},
    code_object::ask,
    codes::{CodeRequest, object_of_client, object_of_code},
    object::{AddressedRequest, answer, random, variable},
    relay,
};

const OPENAPI: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

#[event(fetch)]
async fn fetch(req: Request, env: Env, _: Context) -> Result<Response> {
    let response = respond(req, &env).await;
    response.or_else(|error| {
        worker::console_error!("{error}");
        let error = WireError::new(Problem::TableUnavailable);
        answer(&HttpResponse::refusal(None, error))
    })
}

async fn respond(req: Request, env: &Env) -> Result<Response> {
    let path = req.path();
    let matched = RouteMatch::of(HostKind::Edge, req.method().as_ref(), &path);
    match matched {
        RouteMatch::Unknown if !path.starts_with("/api/") => return file(req, env).await,
        RouteMatch::Found { route, .. } if route.access != Access::Api => return dispatch(req, matched, env).await,
        _ => {}
    }
    let (origin, host) = (req.headers().get("origin")?, req.headers().get("host")?);
    let allowed = variable(env, "ORIGINS").unwrap_or_default();
    match RequestOrigin::of(origin.as_deref(), host.as_deref(), allowed.split_whitespace()) {
        RequestOrigin::Home => dispatch(req, matched, env).await,
        RequestOrigin::Allowed(origin) if is_preflight(&req)? => {
            with_headers(Response::empty()?.with_status(204), &PREFLIGHT_HEADERS, origin)
        }
        RequestOrigin::Allowed(origin) => with_headers(dispatch(req, matched, env).await?, &[], origin),
        RequestOrigin::Refused => answer(&HttpResponse::refusal(None, WireError::new(Problem::OriginNotAllowed))),
    }
}

/// Whether this is a CORS preflight request.
fn is_preflight(req: &Request) -> Result<bool> {
    Ok(req.method() == Method::Options && req.headers().has("access-control-request-method")?)
}

/// Adds the CORS headers for `origin`. A WebSocket upgrade (101) is returned unchanged.
fn with_headers(response: Response, more: &[(&str, &str)], origin: &str) -> Result<Response> {
    if response.status_code() == 101 {
        return Ok(response);
    }
    let headers = Headers::from_iter(response.headers().entries());
    more.iter().chain(&cors_headers(origin)).try_for_each(|(name, value)| headers.set(name, value))?;
    Ok(response.with_headers(headers))
}

async fn dispatch(req: Request, matched: RouteMatch<'_>, env: &Env) -> Result<Response> {
    let (route, parameter) = match matched {
        RouteMatch::Found { route, parameter } => (route, parameter),
        RouteMatch::WrongMethod(method) => return wrong_method(method),
        RouteMatch::Unknown => return not_found(),
    };
    let game = parameter.and_then(|id| GameId::try_from(id).ok());
    match route.endpoint {
        Endpoint::Code => look_up_code(req, parameter.unwrap_or_default(), env).await,
        Endpoint::Create => create(req, env).await,
        Endpoint::Import => import(req, env).await,
        Endpoint::Socket | Endpoint::TableSocket if !is_upgrade(&req)? => answer(&HttpResponse::refused_as(400)),
        Endpoint::Socket => relay::open(&req, env),
        Endpoint::TableSocket => forward(req, game, ObjectRequest::Socket { may_create: false }, env).await,
        Endpoint::Table(endpoint) => forward(req, game, ObjectRequest::Call(endpoint), env).await,
        Endpoint::OpenApi => answer(&HttpResponse { status: 200, body: OPENAPI.to_owned() }),
        Endpoint::Page => page(&api_page(HostKind::Edge)),
        Endpoint::Health => answer(&HttpResponse::json(200, &serde_json::json!({ "status": "ok" }))),
        Endpoint::Metrics => not_found(),
    }
}

fn wrong_method(method: routes::Method) -> Result<Response> {
    let response = answer(&HttpResponse::refused_as(405))?;
    response.headers().set("allow", method.allow())?;
    Ok(response)
}

/// Returns the stub of a game's Durable Object. The object's name is the game id, so no lookup is needed.
pub(crate) fn table(env: &Env, game: &GameId) -> Result<Stub> {
    env.durable_object("TABLES")?.get_by_name(game.as_str())
}

async fn forward(req: Request, game: Option<GameId>, kind: ObjectRequest, env: &Env) -> Result<Response> {
    let Some(game) = game else { return not_found() };
    let stub = table(env, &game)?;
    let mut forwarded = req.clone_mut()?;
    AddressedRequest { game, kind }.write(forwarded.headers_mut()?)?;
    stub.fetch_with_request(forwarded).await
}

/// Answers which table a code leads to, within the limit for the client's network.
async fn look_up_code(req: Request, text: &str, env: &Env) -> Result<Response> {
    let refuse = |problem| answer(&HttpResponse::refusal(None, WireError::new(problem)));
    let client = object_of_client(req.headers().get(CLIENT_ADDRESS)?.as_deref());
    let burst = Settings::read(|name| variable(env, name)).lookups;
    if !ask(env, &client, &CodeRequest::Count { burst }).await?.is_granted {
        return refuse(Problem::TooManyCodes);
    }
    let Some(code) = LobbyCode::typed(text) else { return refuse(Problem::UnknownCode) };
    match ask(env, &object_of_code(code), &CodeRequest::Find).await?.game {
        Some(game) => forward(req, Some(game), ObjectRequest::Lobby(code), env).await,
        None => refuse(Problem::UnknownCode),
    }
}

fn is_upgrade(req: &Request) -> Result<bool> {
    req.headers().has("upgrade")
}

async fn create(mut req: Request, env: &Env) -> Result<Response> {
    let body = match BufferedBody::read(&mut req, ObjectRequest::Create.max_bytes()).await? {
        Ok(body) => body,
        Err(refused) => return answer(&refused),
    };
    let game = match parse_message("CREATE_GAME", None, &body.bytes) {
        Ok(message) => id_for(&message, random()),
        Err(error) => return answer(&HttpResponse::unreadable(Some("CREATE_GAME"), &body.bytes, error)),
    };
    let request = post_request(&game, ObjectRequest::Create, &body.bytes, None)?;
    with_location(table(env, &game)?.fetch_with_request(request).await?, &game)
}

/// Builds a POST request from the Worker to a table's object.
fn post_request(game: &GameId, kind: ObjectRequest, body: &[u8], key: Option<&str>) -> Result<Request> {
    let headers = Headers::new();
    AddressedRequest { game: game.clone(), kind }.write(&headers)?;
    key.map_or(Ok(()), |key| headers.set("authorization", key))?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_body(&worker::js_sys::Uint8Array::from(body).into());
    request("/", &headers, &init)
}

/// Builds an internal request. It uses `web_sys` directly because the `worker` wrappers add code that is not needed.
pub(crate) fn request(path: &str, headers: &Headers, init: &RequestInit) -> Result<Request> {
    init.set_headers(headers.as_ref());
    Ok(worker::web_sys::Request::new_with_str_and_init(&format!("https://table{path}"), init)?.into())
}

/// Imports a game. Its id, and so its object, is derived from the creator's key. The body is long, so it is read last.
async fn import(mut req: Request, env: &Env) -> Result<Response> {
    let most = ObjectRequest::Import.max_bytes();
    if is_declared_longer(&req, most)? {
        return answer(&HttpResponse::refused_as(413));
    }
    let header = req.headers().get("authorization")?;
    let game = match import_key(header.as_deref()) {
        Ok(key) => id_of(&key),
        Err(error) => return answer(&HttpResponse::refusal(Some(IMPORT), error)),
    };
    let body = match BufferedBody::read(&mut req, most).await? {
        Ok(body) => body,
        Err(refused) => return answer(&refused),
    };
    let request = post_request(&game, ObjectRequest::Import, &body.bytes, header.as_deref())?;
    with_location(table(env, &game)?.fetch_with_request(request).await?, &game)
}

/// Adds a `Location` header with the table's state URL to a 201 response.
fn with_location(response: Response, game: &GameId) -> Result<Response> {
    if response.status_code() != 201 {
        return Ok(response);
    }
    let headers = Headers::from_iter(response.headers().entries());
    headers.set("location", &state_path(game))?;
    Ok(response.with_headers(headers))
}

/// Serves a file of the web bundle from the platform's static assets.
async fn file(req: Request, env: &Env) -> Result<Response> {
    if !matches!(req.method(), Method::Get | Method::Head) {
        return wrong_method(routes::Method::Get);
    }
    let path = req.path();
    let packed = req.headers().get("accept-encoding")?.is_some_and(|accepted| accepted.contains("br"));
    // In the bundle, every file name contains a dot and no folder name does.
    match file_of(&path, |name| name.contains('.')) {
        Some(name) => bundle_file(env, name, packed).await?.map_or_else(not_found, Ok),
        None => not_found(),
    }
}

fn not_found() -> Result<Response> {
    answer(&HttpResponse::refused_as(404))
}

/// Returns the named file, Brotli-compressed if a compressed copy exists and the browser accepts it.
async fn bundle_file(env: &Env, name: &str, packed: bool) -> Result<Option<Response>> {
    if packed && let Some(found) = asset(env, &format!("{name}.br")).await? {
        let response = with_file_headers(found, name)?;
        response.headers().set("content-encoding", "br")?;
        return Ok(Some(response.with_encode_body(worker::EncodeBody::Manual)));
    }
    asset(env, name).await?.map(|found| with_file_headers(found, name)).transpose()
}

async fn asset(env: &Env, name: &str) -> Result<Option<Response>> {
    let asset_request = request(&format!("/{name}"), &Headers::new(), &RequestInit::new())?;
    let found = env.assets("ASSETS")?.fetch_request(asset_request).await?;
    Ok((found.status_code() == 200).then_some(found))
}

fn with_file_headers(found: Response, name: &str) -> Result<Response> {
    let headers = Headers::new();
    set_file_headers(&headers, content_type(name), cache_control(name))?;
    Ok(Response::from_body(found.into_parts().1)?.with_headers(headers))
}

fn set_file_headers(headers: &Headers, kind: &str, caching: &str) -> Result<()> {
    headers.set("content-type", kind)?;
    headers.set("cache-control", caching)?;
    headers.set("vary", "accept-encoding")?;
    headers.set("x-content-type-options", "nosniff")?;
    headers.set("referrer-policy", "no-referrer")?;
    headers.set("content-security-policy", texas42_hosting::CONTENT_SECURITY_POLICY)
}

fn page(html: &str) -> Result<Response> {
    let response = Response::from_html(html)?;
    set_file_headers(response.headers(), "text/html; charset=utf-8", "no-cache")?;
    Ok(response)
}
