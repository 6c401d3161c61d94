//! The native server behind real sockets, and test clients for HTTP and WebSocket.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use serde_json::Value;
use texas42_client::Pace;
use texas42_hosting::routes::{HostKind, Method, ROUTES};
use texas42_protocol::SecretKey;
use texas42_server::serve::{AddressLimits, Rate, Server, Settings};
use tokio::runtime::Runtime;
use tungstenite::{Message, WebSocket, client::IntoClientRequest};

use crate::{Connection, Host, scratch::Scratch, wait::TIMEOUT};

/// Limits that no test reaches.
pub fn unlimited() -> (Rate, AddressLimits) {
    let rate = Rate { burst: 1e6, per_second: 1e6 };
    (rate, AddressLimits { connections: 100_000, streams: 100_000, tables: rate, requests: rate, codes: rate })
}

/// Settings for tests: any port, bots that move at once, no limits.
pub fn settings(data: &Scratch) -> Settings {
    let (messages, per_address) = unlimited();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    Settings { messages, per_address, pace: Pace::IMMEDIATE, ..Settings::new(address, data.path().to_owned()) }
}

/// A server with a temporary data folder.
pub struct Native {
    runtime: Runtime,
    settings: Settings,
    server: Option<Server>,
    has_clock: bool,
    _data: Scratch,
}

impl Native {
    /// Starts a server.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// Starts a server with changed settings.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let data = Scratch::new();
        let mut settings = settings(&data);
        change(&mut settings);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let server = runtime.block_on(Server::start(settings.clone())).unwrap();
        Self { runtime, settings, server: Some(server), has_clock: false, _data: data }
    }

    /// Starts a server whose clock can be advanced, and with it the clock of every server of the process.
    pub fn with_clock() -> Self {
        let mut native = Self::new();
        native.has_clock = true;
        native
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.server.as_ref().unwrap().address()
    }

    /// The address that serves its metrics.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.server.as_ref().unwrap().metrics_address()
    }

    /// Its data folder.
    pub fn folder(&self) -> &std::path::Path {
        &self.settings.data
    }

    /// Its metrics in Prometheus format.
    pub fn metrics(&self) -> String {
        self.server.as_ref().unwrap().metrics().text()
    }
}

impl Default for Native {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }
}

impl Host for Native {
    fn connect(&mut self) -> Box<dyn Connection> {
        Box::new(SocketConnection::open(self.address(), "/api/ws").unwrap())
    }

    fn restart(&mut self) {
        let server = self.server.take().unwrap();
        self.settings.address = server.address();
        self.runtime.block_on(server.stop());
        self.server = Some(self.runtime.block_on(Server::start(self.settings.clone())).unwrap());
    }

    fn advance(&mut self, milliseconds: u64) -> bool {
        if self.has_clock {
            texas42_server::serve::advance_clock(milliseconds);
        }
        self.has_clock
    }

    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)> {
        let headers: Vec<String> = key.map(|key| format!("Authorization: Bearer {key}")).into_iter().collect();
        let (status, text) = http(self.address(), method, path, &headers, &body.to_string());
        Some((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }
}

/// Sends an HTTP request; returns status and body.
pub fn http(address: SocketAddr, method: &str, path: &str, headers: &[String], body: &str) -> (u16, String) {
    let answer = exchange(address, method, path, headers, body);
    (answer.status, answer.body)
}

/// An HTTP response.
#[derive(Debug)]
pub struct ReceivedResponse {
    /// The status; 0 if no response came.
    pub status: u16,
    head: String,
    /// The body.
    pub body: String,
}

impl ReceivedResponse {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &&str| line.split_once(':').is_some_and(|(other, _)| other.eq_ignore_ascii_case(name));
        self.head.lines().find(named).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
    }
}

/// Sends an HTTP request; returns the whole response.
pub fn exchange(address: SocketAddr, method: &str, path: &str, headers: &[String], body: &str) -> ReceivedResponse {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let body = if method == "GET" { "" } else { body };
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    headers.iter().for_each(|header| head += &format!("{header}\r\n"));
    // A server that rejects a long body may close the connection before reading it.
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    ReceivedResponse { status, head: head.to_owned(), body: body.to_owned() }
}

/// Checks CORS: pages of the origin `friend` may use the endpoints and read the responses; other origins may not.
pub fn only_a_friend_uses_the_endpoints(address: SocketAddr, friend: &str) {
    let ask = |method: &str, origin: &str| {
        let headers = [format!("Origin: {origin}"), "Access-Control-Request-Method: POST".to_owned()];
        exchange(address, method, "/api/games", &headers, r#"{"name":"Ann"}"#)
    };
    let asked = ask("OPTIONS", friend);
    assert_eq!((asked.status, asked.header("Access-Control-Allow-Origin")), (204, Some(friend)));
    assert_eq!(asked.header("Access-Control-Allow-Methods"), Some("GET, POST"));
    assert_eq!(asked.header("Access-Control-Allow-Headers"), Some("authorization, content-type"));
    let created = ask("POST", friend);
    assert_eq!((created.status, created.header("Access-Control-Allow-Origin")), (201, Some(friend)));
    assert_eq!(
        (created.header("Vary"), created.header("Access-Control-Expose-Headers").is_some()),
        (Some("origin"), true)
    );
    assert!(
        created.header("Location").is_some() && created.header("Content-Type") == Some("application/json"),
        "{created:?}"
    );
    for method in ["OPTIONS", "POST"] {
        let refused = ask(method, "https://evil.example");
        assert_eq!((refused.status, refused.header("Access-Control-Allow-Origin")), (403, None), "{method}");
    }
    let plain = exchange(address, "POST", "/api/games", &[], r#"{"name":"Ann"}"#);
    assert_eq!((plain.status, plain.header("Access-Control-Allow-Origin")), (201, None));
}

/// Checks that no browser may guess the type of a response, and that the page may connect to its own host only.
pub fn responses_have_safe_headers(address: SocketAddr) {
    for (method, path, status) in [
        ("POST", "/api/games", 201),
        ("GET", "/api/openapi.json", 200),
        ("GET", "/healthz", 200),
        ("GET", "/api", 200),
        ("GET", "/", 200),
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing.js", 404),
        ("GET", "/api/games/nobody/state", 404),
        ("POST", "/api/games/import", 401),
        ("PUT", "/api/games", 405),
    ] {
        let answer = exchange(address, method, path, &[], r#"{"name":"Ann"}"#);
        assert_eq!(
            (answer.status, answer.header("X-Content-Type-Options")),
            (status, Some("nosniff")),
            "{method} {path}"
        );
    }
    for path in ["/", "/api"] {
        let page = exchange(address, "GET", path, &[], "");
        let policy = page.header("Content-Security-Policy").unwrap();
        let connections = policy.split(';').find_map(|directive| directive.trim().strip_prefix("connect-src "));
        assert_eq!(connections, Some("'self'"), "{path}");
    }
}

/// Checks that the host has exactly the declared endpoints, and that it answers other methods with 405 and `Allow`.
pub fn routes_are_as_declared(address: SocketAddr, host: HostKind) {
    for route in ROUTES {
        let path = route.path.replace("{id}", "nobody").replace("{code}", "nobody");
        let asked = exchange(address, route.method.name(), &path, &[], "");
        let other = exchange(address, "PUT", &path, &[], "");
        if route.is_on(host) {
            let is_answered = asked.status != 405 && !asked.body.contains("there is nothing here");
            assert!(is_answered, "{path}: {asked:?}");
            assert_eq!((other.status, other.header("Allow")), (405, Some(route.method.allow())), "{path}");
        } else {
            // Outside of the API, undeclared paths belong to the page.
            let is_page = asked.header("Content-Type").is_some_and(|kind| kind.starts_with("text/html"));
            assert!(asked.status == 404 || is_page, "{path}: {asked:?}");
        }
    }
    for path in ["/api/", "/api/games/nobody", "/api/games/nobody/nothing", "/api/games/nobody/new"] {
        for method in ["GET", "POST", "PUT"] {
            assert_eq!(exchange(address, method, path, &[], "").status, 404, "{method} {path}");
        }
    }
    let page = exchange(address, "PUT", "/", &[], "");
    assert_eq!((page.status, page.header("Allow")), (405, Some("GET,HEAD")));
}

/// Checks that every endpoint accepts a body of the maximum length that its route declares, and rejects one byte more.
pub fn bodies_are_bounded_as_declared(address: SocketAddr, host: HostKind) {
    let declared = ROUTES.iter().filter(|route| route.is_on(host) && route.method == Method::Post);
    for route in declared {
        let path = route.path.replace("{id}", "nobody").replace("{code}", "nobody");
        // A key, because an import without one is refused before its body is read.
        let key = [format!("Authorization: Bearer {}", String::from(SecretKey::new(texas42_server::serve::random())))];
        let status = |bytes: usize| http(address, "POST", &path, &key, &" ".repeat(bytes)).0;
        let most = route.body.max_bytes();
        assert!(![0, 413].contains(&status(most)), "{path} takes {most} bytes");
        assert_eq!(status(most + 1), 413, "{path} takes {most} bytes and no more");
    }
}

/// A client's WebSocket.
pub struct SocketConnection {
    socket: WebSocket<TcpStream>,
    /// The code with which the server closed the connection.
    pub closed: Option<u16>,
    receive_timeout: Duration,
}

impl SocketConnection {
    /// Connects; fails if the server is not running.
    pub fn open(address: SocketAddr, path: &str) -> Result<Self, Box<dyn std::error::Error>> {
        Self::open_from(address, path, None)
    }

    /// Connects like a page of this origin.
    pub fn open_from(
        address: SocketAddr,
        path: &str,
        origin: Option<&str>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let mut request = format!("ws://{address}{path}").into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse()?);
        }
        let (socket, _) = tungstenite::client(request, stream).map_err(|error| error.to_string())?;
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(10)))?;
        Ok(Self { socket, closed: None, receive_timeout: TIMEOUT })
    }

    /// Changes how long [`Connection::receive`] waits.
    #[must_use]
    pub fn with_receive_timeout(self, receive_timeout: Duration) -> Self {
        Self { receive_timeout, ..self }
    }
}

impl Connection for SocketConnection {
    fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).ok();
    }

    fn receive(&mut self) -> Option<Value> {
        let deadline = Instant::now() + self.receive_timeout;
        while self.closed.is_none() && Instant::now() < deadline {
            match self.socket.read() {
                Ok(Message::Text(text)) => return serde_json::from_str(text.as_str()).ok(),
                Ok(Message::Close(frame)) => self.closed = Some(frame.map_or(1005, |frame| frame.code.into())),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
                Err(_) => self.closed = Some(1006),
            }
        }
        None
    }

    fn closed(&self) -> Option<u16> {
        self.closed
    }
}
