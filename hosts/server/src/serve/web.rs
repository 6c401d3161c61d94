//! Serves the page: the bundle of the web client if the binary contains one, otherwise a minimal page on which a person
//! can create a table and play.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use texas42_hosting::{CONTENT_SECURITY_POLICY, cache_control, content_type, file_of, routes};

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

const MINIMAL_PAGE: &str = include_str!("page.html");
const MINIMAL_SCRIPT: &str = include_str!("page.js");

/// Serves a file of the bundle, or the minimal page if there is no bundle.
pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    serve_from(BUNDLE, &method, &uri, &headers)
}

/// Paths and contents, sorted by path.
type Files = &'static [(&'static str, &'static [u8])];

fn serve_from(files: Files, method: &Method, uri: &Uri, headers: &HeaderMap) -> Response {
    if uri.path().starts_with("/api/") {
        return not_found();
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, routes::Method::Get.allow())]).into_response();
    }
    if files.is_empty() {
        return minimal(uri.path());
    }
    let file = file_of(uri.path(), |path| find(files, path).is_some());
    file.and_then(|path| Some((path, find(files, path)?)))
        .map_or_else(not_found, |(path, file)| answer(files, path, file, headers))
}

/// Serves the minimal page.
fn minimal(path: &str) -> Response {
    match path {
        "/" | "/index.html" => page(MINIMAL_PAGE),
        "/page.js" => with_type(Body::from(MINIMAL_SCRIPT), content_type(path)),
        _ => not_found(),
    }
}

fn find(files: Files, path: &str) -> Option<&'static [u8]> {
    files.binary_search_by(|(name, _)| (*name).cmp(path)).ok().map(|at| files[at].1)
}

/// Serves the best encoding of a file that the browser accepts.
fn answer(files: Files, path: &str, plain: &'static [u8], headers: &HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    let packed = [("br", ".br"), ("gzip", ".gz")].into_iter().find_map(|(name, end)| {
        let file = find(files, &format!("{path}{end}"))?;
        accepted.contains(name).then_some((name, file))
    });
    let mut response = with_type(Body::from(packed.map_or(plain, |(_, file)| file)), content_type(path));
    let set = response.headers_mut();
    set.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some((name, _)) = packed {
        set.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    set.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control(path)));
    response
}

/// Serves an HTML page from the binary.
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
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn not_found() -> Response {
    StatusCode::NOT_FOUND.into_response()
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
    fn serves_compressed_files_and_caches_hashed_paths_forever() {
        let (status, packed, cached) = get("/a/1f/app.js", "gzip, br");
        assert_eq!((status, packed.as_deref()), (200, Some("br")));
        assert!(cached.unwrap().contains("immutable"));
        assert_eq!(get("/a/1f/app.js", "gzip").1.as_deref(), Some("gzip"));
        assert_eq!(get("/a/1f/app.js", "").1, None);
        assert_eq!(get("/", "br"), (200, None, Some("no-cache".to_owned())));
    }

    #[test]
    fn client_routes_serve_the_page_and_missing_files_are_not_found() {
        assert_eq!(get("/table/abc", "").0, 200);
        assert_eq!(get("/a/1f/other.js", "").0, 404);
        assert_eq!(get("/api/nothing", "").0, 404);
        let post = serve_from(FILES, &Method::POST, &"/".parse().unwrap(), &HeaderMap::new());
        assert_eq!(post.status().as_u16(), 405);
        assert_eq!(post.headers()[header::ALLOW], "GET,HEAD");
    }
}
