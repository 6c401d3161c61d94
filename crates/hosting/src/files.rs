//! The files of the page: which one an address means, of what type it is, how long it is kept, what it may do.

/// What a page may do: everything from its own host, nothing from elsewhere.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                          font-src 'self'; connect-src 'self' ws: wss:; worker-src 'self'; manifest-src 'self'; \
                          base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The file that an address means. A link to a table or a replay is a page of the client, so it is the page; a missing
/// file is missing.
pub fn file_of(path: &str, exists: impl Fn(&str) -> bool) -> Option<&str> {
    match path.trim_start_matches('/') {
        "" => Some("index.html"),
        path if path.starts_with("api/") => None,
        path if exists(path) => Some(path),
        path if !path.contains('.') => Some("index.html"),
        _ => None,
    }
}

/// Files under `a/` carry the hash of the whole bundle in their address, so they never change.
pub fn kept(path: &str) -> &'static str {
    if path.starts_with("a/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

/// The type of a file by its name.
pub fn type_of(path: &str) -> &'static str {
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

    #[test]
    fn an_address_is_a_file_or_the_page() {
        let exists = |path: &str| path == "a/1/app.js";
        for (path, file) in [
            ("/", Some("index.html")),
            ("/table/abc", Some("index.html")),
            ("/a/1/app.js", Some("a/1/app.js")),
            ("/a/1/other.js", None),
            ("/api/nothing", None),
        ] {
            assert_eq!(file_of(path, exists), file, "{path}");
        }
    }
}
