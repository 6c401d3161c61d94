//! The files of the web page: path, content type, caching and content security policy.

/// The content security policy of the page: only resources of its own host. `'self'` covers its WebSockets, too.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                          font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
                          base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The file for a path. Paths of tables and replays, which have no extension, return the page itself.
pub fn file_of(path: &str, exists: impl Fn(&str) -> bool) -> Option<&str> {
    match path.trim_start_matches('/') {
        "" => Some("index.html"),
        path if path.starts_with("api/") => None,
        path if exists(path) => Some(path),
        path if !path.contains('.') => Some("index.html"),
        _ => None,
    }
}

/// The `Cache-Control` header of a file. Paths under `a/` contain the hash of the bundle, so these files never change.
pub fn cache_control(path: &str) -> &'static str {
    if path.starts_with("a/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

/// The content type of a file, by its extension.
pub fn content_type(path: &str) -> &'static str {
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
    fn a_path_is_a_file_or_the_page() {
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

    /// Browsers run scripts and modules, and install the page, only if the files have these types.
    #[test]
    fn the_extension_decides_the_content_type() {
        for (path, expected) in [
            ("index.html", "text/html; charset=utf-8"),
            ("a/1/app.js", "text/javascript; charset=utf-8"),
            ("a/1/app.mjs", "text/javascript; charset=utf-8"),
            ("a/1/style.css", "text/css; charset=utf-8"),
            ("a/1/app_bg.wasm", "application/wasm"),
            ("a/1/phrases.json", "application/json"),
            ("a/1/app.js.map", "application/json"),
            ("app.webmanifest", "application/manifest+json"),
            ("icon.svg", "image/svg+xml"),
            ("icon.png", "image/png"),
            ("favicon.ico", "image/x-icon"),
            ("a/1/font.woff2", "font/woff2"),
            ("robots.txt", "text/plain; charset=utf-8"),
            ("LICENSE", "application/octet-stream"),
        ] {
            assert_eq!(content_type(path), expected, "{path}");
        }
    }

    #[test]
    fn only_files_with_a_hash_in_their_path_are_cached_for_good() {
        assert!(cache_control("a/1/app.js").contains("immutable"));
        assert_eq!(["index.html", "app.js", "data/a/app.js"].map(cache_control), ["no-cache"; 3]);
    }
}
