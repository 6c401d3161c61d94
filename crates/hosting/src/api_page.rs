//! The page at `/api`, for developers of clients.

use alloc::{format, string::String};

use crate::routes::{Body, HostKind, ROUTES, Route};

/// The page about the endpoints of a host, generated from [`ROUTES`].
pub fn api_page(host: HostKind) -> String {
    let rows: String = ROUTES.iter().filter(|route| route.is_on(host)).map(row).collect();
    include_str!("api.html").replace("{routes}", &rows)
}

fn row(route: &Route) -> String {
    let (method, path, summary) = (route.method.name(), route.path, route.summary);
    let body = match route.body {
        Body::Empty | Body::Log => String::new(),
        Body::Message(kind) => format!(": the fields of <code>{kind}</code>"),
    };
    format!("<tr><td><code>{method} {path}</code><td>{summary}{body}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_endpoint_of_its_host() {
        let (server, edge) = (api_page(HostKind::Server), api_page(HostKind::Edge));
        for route in ROUTES {
            let named = format!("<code>{} {}</code>", route.method.name(), route.path);
            assert_eq!(server.contains(&named), route.is_on(HostKind::Server), "{named}");
            assert_eq!(edge.contains(&named), route.is_on(HostKind::Edge), "{named}");
        }
        assert!(!server.contains("{routes}"));
    }
}
