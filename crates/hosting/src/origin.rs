//! Pages of other origins: which of them may use a host, and what their browsers are told.
//!
//! Programs send no origin. Browsers do, and then it must be the host's own or an allowed one. No cookie is ever used, so
//! a page has only the keys that it was given.

/// From where somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit<'a> {
    /// From a program, or from the page of the host itself.
    Home,
    /// From a page of another origin that may.
    Allowed(&'a str),
    /// From a page of another origin that may not.
    Refused,
}

impl<'a> Visit<'a> {
    /// Who asks, by the `Origin` and the `Host` of the request; `*` allows every page.
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

/// What the browser of an allowed page is told beside each answer.
pub const fn shown_to(origin: &str) -> [(&'static str, &str); 3] {
    [
        ("access-control-allow-origin", origin),
        ("access-control-expose-headers", "location, retry-after"),
        ("vary", "origin"),
    ]
}

/// What it is told when it asks before a request (a preflight of CORS).
pub const PREFLIGHT: [(&str, &str); 3] = [
    ("access-control-allow-methods", "GET, POST"),
    ("access-control-allow-headers", "authorization, content-type"),
    ("access-control-max-age", "600"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_the_host_or_allowed_or_refused() {
        let visit = |origin, host| Visit::of(origin, host, ["https://friend.example"].into_iter());
        assert_eq!(visit(None, None), Visit::Home);
        assert_eq!(visit(Some("https://game.example"), Some("game.example")), Visit::Home);
        assert_eq!(visit(Some("https://friend.example"), Some("x")), Visit::Allowed("https://friend.example"));
        assert_eq!(visit(Some("https://evil.example"), Some("game.example")), Visit::Refused);
        assert_eq!(visit(Some("null"), None), Visit::Refused);
        assert_eq!(Visit::of(Some("null"), None, ["*"].into_iter()), Visit::Allowed("null"));
    }
}
