//! The HTTP endpoints of a host, declared once. The native server's router, the edge Worker, the OpenAPI document and
//! the page at `/api` are derived from [`ROUTES`].
//!
//! A path is looked up once, when the request arrives. From then on, the request is an [`Endpoint`]. Hosts match on
//! it exhaustively, and [`TableCall::read`](crate::TableCall::read) on [`TableEndpoint`], so an endpoint without a
//! handler does not compile.

use serde::{Deserialize, Serialize};
use texas42_protocol::MAX_MESSAGE_BYTES;

/// The size limit of an imported log: several dozen games.
const MAX_IMPORT_BYTES: usize = 4 << 20;

/// The method of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`, and therefore `HEAD`.
    Get,
    /// `POST`.
    Post,
}

impl Method {
    /// The value of the `Allow` header for a path with only this method.
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET,HEAD",
            Self::Post => "POST",
        }
    }

    /// The name of the method.
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

/// Who may use an endpoint, and which rate limits apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Clients and pages of allowed origins, within the limits for requests.
    Api,
    /// Everybody, within the limits for page loads.
    Page,
    /// Monitoring, without limits.
    Monitor,
}

/// The body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// No body.
    Empty,
    /// The fields of this message without `type` and `gameId`.
    Message(&'static str),
    /// The log of a table in a browser.
    Log,
}

impl Body {
    /// The size limit in bytes. Every host takes its limits from here.
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::Empty | Self::Message(_) => MAX_MESSAGE_BYTES,
            Self::Log => MAX_IMPORT_BYTES,
        }
    }
}

/// The reply to a successful request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with a message of this type.
    Message(&'static str),
    /// 201 with `GAME_CREATED` and the location of the table, or 200 with `JOINED` if the same key has created it
    /// before.
    Created,
    /// The valid actions of the session.
    ValidActions,
    /// The record of the game.
    Record,
    /// A WebSocket.
    Socket,
    /// A reply that is not a message; the summary describes it.
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

/// One endpoint: its request and its reply.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The method.
    pub method: Method,
    /// The path. It may have one parameter: `{id}` is the id of a table, `{code}` the code of a lobby.
    pub path: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// The body of the request.
    pub body: Body,
    /// The reply.
    pub reply: Reply,
    /// Whether the request has a key in its `Authorization` header.
    pub has_key: bool,
    /// Who may use it.
    pub access: Access,
    /// The hosts that provide it.
    pub hosts: &'static [HostKind],
}

impl Route {
    /// Whether a host provides it.
    pub fn is_on(&self, host: HostKind) -> bool {
        self.hosts.contains(&host)
    }

    /// The name of the parameter in the path.
    pub fn parameter(&self) -> Option<&'static str> {
        self.parts().map(|(_, name, _)| name)
    }

    /// The path before the parameter, the name of the parameter, and the path after it.
    fn parts(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let (prefix, rest) = self.path.split_once('{')?;
        let (name, suffix) = rest.split_once('}')?;
        Some((prefix, name, suffix))
    }

    /// Whether `path` matches, and the parameter in it.
    fn read<'a>(&self, path: &'a str) -> Option<Option<&'a str>> {
        let Some((prefix, _, suffix)) = self.parts() else { return (path == self.path).then_some(None) };
        let value = path.strip_prefix(prefix)?.strip_suffix(suffix)?;
        (!value.is_empty() && !value.contains('/')).then_some(Some(value))
    }
}

/// Declares [`Endpoint`], [`TableEndpoint`] and [`ROUTES`] together. The doc comment of an endpoint is its summary.
macro_rules! routes {
    (
        games { $(#[doc = $new_summary:literal] $new:ident: { $($new_route:tt)* };)* }
        one_table { $(#[doc = $summary:literal] $name:ident: { $($route:tt)* };)* }
        service { $(#[doc = $service_summary:literal] $service:ident: { $($service_route:tt)* };)* }
    ) => {
        /// The HTTP endpoints of a host.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Endpoint {
            $(#[doc = $new_summary] $new,)*
            /// An endpoint of one table.
            Table(TableEndpoint),
            $(#[doc = $service_summary] $service,)*
        }

        /// The endpoints of one table, for single requests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum TableEndpoint {
            $(#[doc = $summary] $name,)*
        }

        /// All endpoints, in the order of the documentation.
        pub const ROUTES: &[Route] = &[
            $(route!(Endpoint::$new, $new_summary, $($new_route)*),)*
            $(route!(Endpoint::Table(TableEndpoint::$name), $summary, $($route)*),)*
            $(route!(Endpoint::$service, $service_summary, $($service_route)*),)*
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
        /// Create a table and take its first seat
        Create: { Post "/api/games", Message("CREATE_GAME") => Created, key: false, Api, EVERYWHERE };
        /// Import a game that was started in a browser, even in the middle of a hand
        Import: { Post "/api/games/import", Log => Created, key: true, Api, EVERYWHERE };
        /// The table that the code of a lobby leads to, as a stranger may know it
        Code: { Get "/api/codes/{code}", Empty => Message("LOBBY_FOUND"), key: false, Api, EVERYWHERE };
        /// Create a table, or join any table, and follow it
        Socket: { Get "/api/ws", Empty => Socket, key: false, Api, EVERYWHERE };
        /// Join one table and follow it
        TableSocket: { Get "/api/games/{id}/ws", Empty => Socket, key: false, Api, EVERYWHERE };
    }
    one_table {
        /// The table as the session sees it; with an unused invite, as a spectator sees it
        State: { Get "/api/games/{id}/state", Empty => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// The actions that the session may take now
        Actions: { Get "/api/games/{id}/actions", Empty => ValidActions, key: true, Api, EVERYWHERE };
        /// The finished hands of the game, as a file for tools
        Record: { Get "/api/games/{id}/record", Empty => Record, key: true, Api, EVERYWHERE };
        /// Execute an action
        Act: { Post "/api/games/{id}/action", Message("EXECUTE_ACTION") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Join a table with an invite, or rejoin it
        Join: { Post "/api/games/{id}/join", Message("JOIN_GAME") => Message("JOINED"), key: true, Api, EVERYWHERE };
        /// Change the rules and options of a table before its first game
        Configure: { Post "/api/games/{id}/configure", Message("CONFIGURE") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Create an invite, or revoke one
        Invite: { Post "/api/games/{id}/invite", Message("INVITE") => Message("INVITED"), key: true, Api, EVERYWHERE };
        /// Open the lobby of a table, or return its code and the guests who wait
        OpenLobby: { Post "/api/games/{id}/lobby", Message("OPEN_LOBBY") => Message("LOBBY"), key: true, Api, EVERYWHERE };
        /// Close the lobby
        CloseLobby: { Post "/api/games/{id}/close-lobby", Message("CLOSE_LOBBY") => Message("LOBBY"), key: true, Api, EVERYWHERE };
        /// Ask to be let in with a code; repeat it with the same key to see how it stands
        Knock: { Post "/api/games/{id}/knock", Message("KNOCK") => Message("KNOCKED"), key: true, Api, EVERYWHERE };
        /// Turn away a guest who waits in the lobby
        TurnAway: { Post "/api/games/{id}/turn-away", Message("TURN_AWAY") => Message("LOBBY"), key: true, Api, EVERYWHERE };
        /// Hand a seat over to a bot, or take it over from one
        Control: { Post "/api/games/{id}/control", Message("SET_PLAYER_CONTROL") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Declare the player ready, at a table that waits for everybody
        Ready: { Post "/api/games/{id}/ready", Message("READY") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Decline the pending undo request
        DeclineUndo: { Post "/api/games/{id}/decline-undo", Message("DECLINE_UNDO") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Say a phrase; a coach to the student, pointing at a domino or not
        Say: { Post "/api/games/{id}/say", Message("SAY") => Message("SAID"), key: true, Api, EVERYWHERE };
        /// Allow the coaches of the player to talk, or end it
        Coach: { Post "/api/games/{id}/coach", Message("ALLOW_COACH") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Start another game at the same table
        Rematch: { Post "/api/games/{id}/rematch", Message("REMATCH") => Message("STATE_UPDATE"), key: true, Api, EVERYWHERE };
        /// Leave the table; a player keeps the seat
        Leave: { Post "/api/games/{id}/leave", Message("LEAVE_GAME") => Message("LEFT"), key: true, Api, EVERYWHERE };
        /// Give up the seat for good
        GiveUp: { Post "/api/games/{id}/give-up", Message("GIVE_UP_SEAT") => Message("LEFT"), key: true, Api, EVERYWHERE };
    }
    service {
        /// This description in machine-readable form
        OpenApi: { Get "/api/openapi.json", Empty => Plain, key: false, Api, EVERYWHERE };
        /// This description as a page
        Page: { Get "/api", Empty => Plain, key: false, Page, EVERYWHERE };
        /// Whether the server can store events; 503 if it cannot
        Health: { Get "/healthz", Empty => Plain, key: false, Monitor, EVERYWHERE };
        /// Metrics for Prometheus, with the token of the server's operator
        Metrics: { Get "/metrics", Empty => Plain, key: true, Api, &[HostKind::Server] };
    }
}

impl Endpoint {
    /// Its entry in [`ROUTES`].
    pub fn route(self) -> &'static Route {
        ROUTES.iter().find(|route| route.endpoint == self).expect("an endpoint is declared together with its route")
    }
}

/// The result of looking up a request.
#[derive(Clone, Copy, Debug)]
pub enum RouteMatch<'a> {
    /// An endpoint.
    Found {
        /// The route.
        route: &'static Route,
        /// The parameter in the path, if there is one: a table id or a code. It is not validated yet.
        parameter: Option<&'a str>,
    },
    /// The path exists, but only with this method.
    WrongMethod(Method),
    /// No endpoint has this path.
    Unknown,
}

impl<'a> RouteMatch<'a> {
    /// Looks up a request.
    pub fn of(host: HostKind, method: &str, path: &'a str) -> Self {
        let mut routes = ROUTES.iter().filter(|route| route.is_on(host));
        let Some((route, parameter)) = routes.find_map(|route| Some((route, route.read(path)?))) else {
            return Self::Unknown;
        };
        if route.method.accepts(method) { Self::Found { route, parameter } } else { Self::WrongMethod(route.method) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    /// The path of a route with an example of its parameter.
    fn example(route: &Route) -> alloc::string::String {
        route.path.replace("{id}", "abc").replace("{code}", "abc")
    }

    #[test]
    fn every_route_is_found_by_its_method_and_path() {
        for route in ROUTES {
            let path = example(route);
            for method in route.method.allow().split(',') {
                let RouteMatch::Found { route: found, parameter } = RouteMatch::of(route.hosts[0], method, &path)
                else {
                    panic!("{method} {path} is not found");
                };
                assert_eq!(found.endpoint, route.endpoint);
                assert_eq!(parameter, route.path.contains('{').then_some("abc"));
            }
        }
    }

    #[test]
    fn rejects_other_methods_and_unknown_paths() {
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
        for path in
            ["/", "/api/", "/api/games/", "/api/games/abc", "/api/games//state", "/api/games/a/b/state", "/api/codes/"]
        {
            assert!(matches!(RouteMatch::of(host, "GET", path), RouteMatch::Unknown), "{path}");
        }
        assert!(matches!(RouteMatch::of(HostKind::Edge, "GET", "/metrics"), RouteMatch::Unknown));
    }

    /// An import contains a whole game; everything else is one message.
    #[test]
    fn only_an_import_may_be_longer_than_a_message() {
        for route in ROUTES {
            let limit = if route.endpoint == Endpoint::Import { 4 * 1_024 * 1_024 } else { MAX_MESSAGE_BYTES };
            assert_eq!(route.body.max_bytes(), limit, "{}", route.path);
        }
    }

    /// Each path has one method, so [`Method::allow`] is complete.
    #[test]
    fn no_path_is_declared_twice() {
        let paths: BTreeSet<&str> = ROUTES.iter().map(|route| route.path).collect();
        assert_eq!(paths.len(), ROUTES.len());
    }
}
