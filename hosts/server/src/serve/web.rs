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
    serve_from(BUNDLE, &method, &uri, &headers)
}

/// Files by their paths, in order.
type Files = &'static [(&'static str, &'static [u8])];

fn serve_from(files: Files, method: &Method, uri: &Uri, headers: &HeaderMap) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    if path.starts_with("api/") {
        return not_found();
    }
    match (find(files, path), files.is_empty(), path) {
        (Some(file), _, _) => answer(files, path, file, headers),
        (None, true, "index.html") => page(SMALL_PAGE),
        (None, true, "page.js") => with_type(Body::from(SMALL_SCRIPT), "text/javascript; charset=utf-8"),
        // A link to a table or a replay is a page of the client; a missing file is missing.
        (None, false, _) if !path.contains('.') => {
            find(files, "index.html").map_or_else(not_found, |file| answer(files, "index.html", file, headers))
        }
        _ => not_found(),
    }
}

fn find(files: Files, path: &str) -> Option<&'static [u8]> {
    files.binary_search_by(|(name, _)| (*name).cmp(path)).ok().map(|at| files[at].1)
}

/// The best form of a file that the browser reads.
fn answer(files: Files, path: &str, plain: &'static [u8], headers: &HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    let packed = [("br", ".br"), ("gzip", ".gz")].into_iter().find_map(|(name, end)| {
        let file = find(files, &format!("{path}{end}"))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: Files = &[
        ("a/1f/app.js", b"plain"),
        ("a/1f/app.js.br", b"brotli"),
        ("a/1f/app.js.gz", b"gzip"),
        ("index.html", b"page"),
    ];

    fn get(path: &str, accepts: &'static str) -> (u16, Option<String>, Option<String>) {
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepts))]);
        let response = serve_from(FILES, &Method::GET, &path.parse().unwrap(), &headers);
        let text = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), text(header::CONTENT_ENCODING), text(header::CACHE_CONTROL))
    }

    #[test]
    fn a_bundle_is_served_packed_and_kept_for_ever_where_its_address_says_so() {
        let (status, packed, kept) = get("/a/1f/app.js", "gzip, br");
        assert_eq!((status, packed.as_deref()), (200, Some("br")));
        assert!(kept.unwrap().contains("immutable"));
        assert_eq!(get("/a/1f/app.js", "gzip").1.as_deref(), Some("gzip"));
        assert_eq!(get("/a/1f/app.js", "").1, None);
        assert_eq!(get("/", "br"), (200, None, Some("no-cache".to_owned())));
    }

    #[test]
    fn a_page_of_the_client_is_the_page_and_a_missing_file_is_missing() {
        assert_eq!(get("/table/abc", "").0, 200);
        assert_eq!(get("/a/1f/other.js", "").0, 404);
        assert_eq!(get("/api/nothing", "").0, 404);
        let post = serve_from(FILES, &Method::POST, &"/".parse().unwrap(), &HeaderMap::new());
        assert_eq!(post.status().as_u16(), 405);
    }
}
