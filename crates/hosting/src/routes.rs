//! The HTTP endpoints of a host, declared once. The native server's router, the Worker of the edge, the OpenAPI document
//! and the page at `/api` are made from [`ROUTES`].
//!
//! A path is compared with the table once, where the request comes in. From there on the request is an [`Endpoint`]. Hosts
//! match on it exhaustively, and [`Call::read`](crate::Call::read) on [`TableEndpoint`], so an endpoint without a handler
//! does not compile.

use serde::{Deserialize, Serialize};
use texas42_protocol::MOST_MESSAGE_BYTES;

/// The largest log that can be imported: some dozens of games.
const MOST_IMPORT_BYTES: usize = 4 << 20;

/// The method of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`, and therefore `HEAD`.
    Get,
    /// `POST`.
    Post,
}

impl Method {
    /// The value of the `Allow` header for a path that has this method only.
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET,HEAD",
            Self::Post => "POST",
        }
    }

    /// Its name, as in a request line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    fn accepts(self, method: &str) -> bool {
        self.allow().split(',').any(|name| name == method)
    }
}

/// Who may use an endpoint, and which limits apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Programs and pages of allowed origins, within the limits of requests.
    Api,
    /// Everybody, within the limits of page loads.
    Page,
    /// Whoever monitors the host, at any time.
    Monitor,
}

/// The body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// None.
    Empty,
    /// The fields of this message without `type` and `gameId`.
    Message(&'static str),
    /// The log of a table in a browser.
    Log,
}

impl Body {
    /// How long it may be. Every host takes its limits from here.
    pub const fn most_bytes(self) -> usize {
        match self {
            Self::Empty | Self::Message(_) => MOST_MESSAGE_BYTES,
            Self::Log => MOST_IMPORT_BYTES,
        }
    }
}

/// The answer to a request that succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with a message of this type.
    Message(&'static str),
    /// 201 with `GAME_CREATED` and the place of the table; 200 with `JOINED` where the same key has made it before.
    Created,
    /// The actions that are legal for the session.
    ValidActions,
    /// The record of the game.
    Record,
    /// A WebSocket.
    Socket,
    /// Something that is no message, described by the summary.
    Plain,
}

/// The hosts that serve HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// The native server.
    Server,
    /// The Worker with its Durable Objects.
    Edge,
}

const EVERYWHERE: &[HostKind] = &[HostKind::Server, HostKind::Edge];

/// One endpoint: how it is asked for, and what it answers.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Which.
    pub endpoint: Endpoint,
    /// Its method.
    pub method: Method,
    /// Its path; `{id}` stands for the id of a table.
    pub path: &'static str,
    /// What it is for, in a line.
    pub summary: &'static str,
    /// What goes in.
    pub body: Body,
    /// What comes out.
    pub reply: Reply,
    /// Whether the request carries a key in its `Authorization` header.
    pub has_key: bool,
    /// Who may use it.
    pub access: Access,
    /// The hosts that have it.
    pub hosts: &'static [HostKind],
}

impl Route {
    /// Whether a host has it.
    pub fn is_on(&self, host: HostKind) -> bool {
        self.hosts.contains(&host)
    }

    /// Whether a path is its path, and the id in it.
    fn read<'a>(&self, path: &'a str) -> Option<Option<&'a str>> {
        let Some((before, behind)) = self.path.split_once("{id}") else { return (path == self.path).then_some(None) };
        let id = path.strip_prefix(before)?.strip_suffix(behind)?;
        (!id.is_empty() && !id.contains('/')).then_some(Some(id))
    }
}

/// Declares [`Endpoint`], [`TableEndpoint`] and [`ROUTES`] together. The doc comment of an endpoint is its summary.
macro_rules! routes {
    (
        games { $(#[doc = $new_summary:literal] $new:ident: { $($new_route:tt)* };)* }
        one_table { $(#[doc = $summary:literal] $name:ident: { $($route:tt)* };)* }
        service { $(#[doc = $around_summary:literal] $around:ident: { $($around_route:tt)* };)* }
    ) => {
        /// What can be asked for over HTTP.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Endpoint {
            $(#[doc = $new_summary] $new,)*
            /// One table answers it.
            Table(TableEndpoint),
            $(#[doc = $around_summary] $around,)*
        }

        /// What one table answers, to a single request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum TableEndpoint {
            $(#[doc = $summary] $name,)*
        }

        /// Every endpoint, in the order of the documents.
        pub const ROUTES: &[Route] = &[
            $(route!(Endpoint::$new, $new_summary, $($new_route)*),)*
            $(route!(Endpoint::Table(TableEndpoint::$name), $summary, $($route)*),)*
            $(route!(Endpoint::$around, $around_summary, $($around_route)*),)*
        ];
    };
}

macro_rules! route {
    ($endpoint:expr, $summary:literal, $method:ident $path:literal,
        $body:ident $(($takes:literal))? => $reply:ident $(($gives:literal))?, key: $has_key:literal, $access:ident, $hosts:expr
    ) => {
        Route {
            endpoint: $endpoint,
            method: Method::$method,
            path: $path,
            summary: $summary.trim_ascii(),
            body: Body::$body $(($takes))?,
            reply: Reply::$reply $(($gives))?,
            has_key: $has_key,
            access: Access::$access,
            hosts: $hosts,
        }
    };
}

routes! {
    games {
        /// Set up a table and take its first seat
        Create: { Post "/api/games", Message("CREATE_GAME") => Created, key: false, Api, EVERYWHERE };
        /// Go on with a game that was begun in a browser, in the middle of a hand
        Import: { Post "/api/games/import", Log => Created, key: true, Api, EVERYWHERE };
        /// Set up a table, or join any, and follow it
        Socket: { Get "/api/ws", Empty => Socket, key: false, Api, EVERYWHERE };
        /// Join and follow one table
        TableSocket: { Get "/api/games/{id}/ws", Empty => Socket, key: false, Api, EVERYWHERE };
    }
    one_table {
        /// The table as the session sees it; with an invitation to play, who sits where
        State: { Get "/api/games/{id}/state", Empty => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// What the session may do now
        Actions: { Get "/api/games/{id}/actions", Empty => ValidActions, key: true, Api, EVERYWHERE };
        /// The game as far as its hands are over, as a file for the tools
        Record: { Get "/api/games/{id}/record", Empty => Record, key: true, Api, EVERYWHERE };
        /// Do something
        Act: { Post "/api/games/{id}/action", Message("EXECUTE_ACTION") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Come to a table with an invitation, or come back
        Join: { Post "/api/games/{id}/join", Message("JOIN_GAME") => Message("JOINED"), key: true, Api, EVERYWHERE };
        /// Give the seat up for good
        Leave: { Post "/api/games/{id}/leave", Message("LEAVE_GAME") => Message("LEFT"), key: true, Api, EVERYWHERE };
    }
    service {
        /// This description for programs
        OpenApi: { Get "/api/openapi.json", Empty => Plain, key: false, Api, EVERYWHERE };
        /// This description for people
        Page: { Get "/api", Empty => Plain, key: false, Page, EVERYWHERE };
        /// Whether the server can store; 503 when it cannot
        Health: { Get "/healthz", Empty => Plain, key: false, Monitor, EVERYWHERE };
        /// Numbers for Prometheus
        Metrics: { Get "/metrics", Empty => Plain, key: false, Api, &[HostKind::Server] };
    }
}

impl Endpoint {
    /// Its line of the table.
    pub fn route(self) -> &'static Route {
        ROUTES.iter().find(|route| route.endpoint == self).expect("an endpoint is declared together with its route")
    }
}

/// What a request asks for.
#[derive(Clone, Copy, Debug)]
pub enum RouteMatch<'a> {
    /// An endpoint.
    Found {
        /// Which.
        route: &'static Route,
        /// The id in its path, where the path has one. It is not checked yet.
        game: Option<&'a str>,
    },
    /// A path that has another method: this one.
    WrongMethod(Method),
    /// A path that no endpoint has.
    Unknown,
}

impl<'a> RouteMatch<'a> {
    /// Looks a request up in the table.
    pub fn of(host: HostKind, method: &str, path: &'a str) -> Self {
        let mut routes = ROUTES.iter().filter(|route| route.is_on(host));
        let Some((route, game)) = routes.find_map(|route| Some((route, route.read(path)?))) else {
            return Self::Unknown;
        };
        if route.method.accepts(method) { Self::Found { route, game } } else { Self::WrongMethod(route.method) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    /// The path of a route with an id in it.
    fn example(route: &Route) -> alloc::string::String {
        route.path.replace("{id}", "abc")
    }

    #[test]
    fn every_route_is_found_by_its_method_and_path() {
        for route in ROUTES {
            let path = example(route);
            for method in route.method.allow().split(',') {
                let RouteMatch::Found { route: found, game } = RouteMatch::of(route.hosts[0], method, &path) else {
                    panic!("{method} {path} is not found");
                };
                assert_eq!(found.endpoint, route.endpoint);
                assert_eq!(game, route.path.contains("{id}").then_some("abc"));
            }
        }
    }

    #[test]
    fn another_method_is_named_and_another_path_is_nothing() {
        let host = HostKind::Server;
        for route in ROUTES {
            let path = example(route);
            for method in ["PUT", "DELETE", "get"] {
                assert!(
                    matches!(RouteMatch::of(host, method, &path), RouteMatch::WrongMethod(method) if method == route.method)
                );
            }
            assert!(matches!(RouteMatch::of(host, route.method.name(), &(path + "/")), RouteMatch::Unknown));
        }
        for path in ["/", "/api/", "/api/games/", "/api/games/abc", "/api/games//state", "/api/games/a/b/state"] {
            assert!(matches!(RouteMatch::of(host, "GET", path), RouteMatch::Unknown), "{path}");
        }
        assert!(matches!(RouteMatch::of(HostKind::Edge, "GET", "/metrics"), RouteMatch::Unknown));
    }

    /// One method a path, so that [`Method::allow`] says all that is allowed there.
    #[test]
    fn no_path_is_declared_twice() {
        let paths: BTreeSet<&str> = ROUTES.iter().map(|route| route.path).collect();
        assert_eq!(paths.len(), ROUTES.len());
    }
}
