//! The page. The bundle of the web client is inside the binary when it was built with one; without it there is a small
//! page on which a person can set up a table and watch it.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

const SMALL_PAGE: &str = include_str!("page.html");
const SMALL_SCRIPT: &str = include_str!("page.js");

/// What a page may do: everything from this server, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self' ws: wss:; worker-src 'self'; manifest-src 'self'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// A file of the bundle, or the small page where there is none.
pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    if path.starts_with("api/") {
        return not_found();
    }
    match (find(path), BUNDLE.is_empty(), path) {
        (Some(file), _, _) => answer(path, file, &headers),
        (None, true, "index.html") => page(SMALL_PAGE),
        (None, true, "page.js") => with_type(Body::from(SMALL_SCRIPT), "text/javascript; charset=utf-8"),
        // A link to a table or a replay is a page of the client; a missing file is missing.
        (None, false, _) if !path.contains('.') => {
            find("index.html").map_or_else(not_found, |file| answer("index.html", file, &headers))
        }
        _ => not_found(),
    }
}

fn find(path: &str) -> Option<&'static [u8]> {
    BUNDLE.binary_search_by(|(name, _)| (*name).cmp(path)).ok().map(|at| BUNDLE[at].1)
}

/// The best form of a file that the browser reads.
fn answer(path: &str, plain: &'static [u8], headers: &HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    let packed = [("br", ".br"), ("gzip", ".gz")].into_iter().find_map(|(name, end)| {
        let file = find(&format!("{path}{end}"))?;
        accepted.contains(name).then_some((name, file))
    });
    let mut response = with_type(Body::from(packed.map_or(plain, |(_, file)| file)), type_of(path));
    let set = response.headers_mut();
    set.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some((name, _)) = packed {
        set.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    // Files under `a/` carry the hash of the whole bundle in their address, so they never change.
    let keep = if path.starts_with("a/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    set.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    response
}

/// A page that is inside the binary.
pub(crate) fn page(html: &'static str) -> Response {
    let mut response = with_type(Body::from(html), "text/html; charset=utf-8");
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn with_type(body: Body, kind: &'static str) -> Response {
    let mut response = Response::new(body);
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing here\n").into_response()
}

fn type_of(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
