//! Cross-origin access: which origins may use a host, and the CORS headers for them.
//!
//! Only browsers send an `Origin` header. It must then be the host's own or an allowed one. Cookies are never used, so
//! a page has only the keys that it was given.

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOrigin<'a> {
    /// A client that is not a browser, or the host's own page.
    Home,
    /// A page of another origin that is allowed.
    Allowed(&'a str),
    /// A page of another origin that is not allowed.
    Refused,
}

impl<'a> RequestOrigin<'a> {
    /// Classifies a request by its `Origin` and `Host` headers; `*` allows every origin.
    pub fn of<'b>(origin: Option<&'a str>, host: Option<&str>, mut allowed: impl Iterator<Item = &'b str>) -> Self {
        match origin {
            None => Self::Home,
            Some(origin) if is_own(origin, host) => Self::Home,
            Some(origin) if allowed.any(|allowed| allowed == origin || allowed == "*") => Self::Allowed(origin),
            Some(_) => Self::Refused,
        }
    }
}

fn is_own(origin: &str, host: Option<&str>) -> bool {
    let own = origin.split_once("://").map(|(_, rest)| rest);
    own.is_some() && own == host
}

/// The CORS headers of a response to an allowed origin.
pub const fn cors_headers(origin: &str) -> [(&'static str, &str); 3] {
    [
        ("access-control-allow-origin", origin),
        ("access-control-expose-headers", "location, retry-after"),
        ("vary", "origin"),
    ]
}

/// The additional headers of a response to a preflight request.
pub const PREFLIGHT_HEADERS: [(&str, &str); 3] = [
    ("access-control-allow-methods", "GET, POST"),
    ("access-control-allow-headers", "authorization, content-type"),
    ("access-control-max-age", "600"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_home_allowed_or_refused() {
        let check = |origin, host| RequestOrigin::of(origin, host, ["https://friend.example"].into_iter());
        assert_eq!(check(None, None), RequestOrigin::Home);
        assert_eq!(check(Some("https://game.example"), Some("game.example")), RequestOrigin::Home);
        assert_eq!(check(Some("https://friend.example"), Some("x")), RequestOrigin::Allowed("https://friend.example"));
        assert_eq!(check(Some("https://evil.example"), Some("game.example")), RequestOrigin::Refused);
        assert_eq!(check(Some("null"), None), RequestOrigin::Refused);
        assert_eq!(RequestOrigin::of(Some("null"), None, ["*"].into_iter()), RequestOrigin::Allowed("null"));
    }

    /// Without `vary`, a cache could give one page the response that allows another.
    #[test]
    fn a_response_allows_the_origin_that_asked_and_no_other() {
        let headers = cors_headers("https://friend.example");
        assert!(headers.contains(&("access-control-allow-origin", "https://friend.example")));
        assert!(headers.contains(&("vary", "origin")));
        assert!(headers.contains(&("access-control-expose-headers", "location, retry-after")));
    }
}
