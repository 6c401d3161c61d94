//! Tests the server under attack and failure: floods, foreign origins, clients that do not read, full disks and damaged
//! files. Each case gets a clear error, and no action is applied partially.

#![allow(clippy::unwrap_used, reason = "a failing test should panic where it fails")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};
use texas42_client::close;
use texas42_conformance::{
    Connection, Host,
    native::{
        Native, SocketConnection, bodies_are_bounded_as_declared, exchange, http, only_a_friend_uses_the_endpoints,
        responses_have_safe_headers, routes_are_as_declared, settings,
    },
    player::{Player, play_until, seat_grant},
    scratch::Scratch,
    wait::{TIMEOUT, wait_until},
};
use texas42_hosting::routes::{HostKind, ROUTES};
use texas42_server::serve::{AddressLimits, BodyLimits, Rate, Retention, Server, file_in};

fn start_error(data: &Scratch) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { Server::start(settings(data)).await.unwrap_err().to_string() })
}

// Limits.

#[test]
fn a_flood_is_rate_limited_and_then_disconnected() {
    let native = Native::with(|settings| settings.messages = Rate { burst: 5.0, per_second: 0.001 });
    let mut connection = SocketConnection::open(native.address(), "/api/ws").unwrap();
    let mut codes = Vec::new();
    for nonce in 0..300 {
        connection.send(&json!({ "type": "PING", "nonce": nonce }).to_string());
    }
    while let Some(message) = connection.receive() {
        codes.push(message["error"]["code"].as_str().map(str::to_owned));
    }
    assert_eq!(codes.iter().filter(|code| code.is_none()).count(), 5);
    assert!(codes[5..].iter().all(|code| code.as_deref() == Some("rate-limited")) && codes.len() > 100);
    assert_eq!(connection.closed, Some(close::FLOODED));
    assert!(native.metrics().contains("texas42_rate_limited_total 2"));
}

/// A frame of a WebSocket with an empty payload.
fn empty_frame(first: u8) -> [u8; 6] {
    [first, 0x80, 1, 2, 3, 4]
}

/// Frames that complete no message are limited per message. Pings and pongs count like messages.
#[test]
fn empty_frames_are_limited() {
    const MAX_FRAGMENTS: usize = 64;
    let open = |native: &Native| {
        let mut stream = TcpStream::connect(native.address()).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let head = "GET /api/ws HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\
                    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        stream
    };
    let begin = |stream: &mut TcpStream, frames: usize| {
        stream.write_all(&empty_frame(0x01)).unwrap();
        stream.write_all(&empty_frame(0x00).repeat(frames - 1)).unwrap();
    };
    let close_code = |mut stream: TcpStream| {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).ok();
        let close =
            rest.windows(4).rev().find(|bytes| bytes[0] == 0x88).map(|bytes| u16::from_be_bytes([bytes[2], bytes[3]]));
        close.unwrap_or_else(|| panic!("{rest:?}"))
    };
    let native = Native::with(|settings| settings.messages = Rate { burst: 5.0, per_second: 0.001 });
    // As many as are allowed: the message is read, and a ping after it is answered.
    let mut stream = open(&native);
    begin(&mut stream, MAX_FRAGMENTS);
    stream.write_all(&empty_frame(0x80)).unwrap();
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(head[0], 0x81, "the empty message gets an error");
    // One more.
    let mut stream = open(&native);
    begin(&mut stream, MAX_FRAGMENTS + 1);
    assert_eq!(close_code(stream), close::FLOODED);
    for kind in [0x89, 0x8a] {
        let mut stream = open(&native);
        stream.write_all(&empty_frame(kind).repeat(5 + 201)).unwrap();
        assert_eq!(close_code(stream), close::FLOODED, "{kind:x}");
    }
}

#[test]
fn a_rate_limited_request_is_refused_with_its_request_id() {
    let native = Native::with(|settings| settings.messages = Rate { burst: 1.0, per_second: 0.001 });
    let mut connection = SocketConnection::open(native.address(), "/api/ws").unwrap();
    for _ in 0..2 {
        connection
            .send(&json!({ "type": "JOIN_GAME", "gameId": "x", "requestId": "again", "name": "Ann" }).to_string());
    }
    assert_eq!(connection.receive().unwrap()["error"]["code"], "no-such-game");
    let limited = connection.receive().unwrap();
    assert_eq!(limited["error"]["code"], "rate-limited");
    assert_eq!((limited["requestType"].as_str(), limited["requestId"].as_str()), (Some("JOIN_GAME"), Some("again")));
}

#[test]
fn limits_tables_requests_and_connections_per_address() {
    let rate = Rate { burst: 3.0, per_second: 0.001 };
    let mut native = Native::with(|settings| {
        settings.per_address = AddressLimits {
            connections: 1,
            streams: 100,
            tables: Rate { burst: 1.0, ..rate },
            requests: rate,
            codes: rate,
        };
    });
    let create = json!({ "name": "Ann", "config": { "players": ["human", "ai", "ai", "ai"] } });
    let status = |native: &mut Native| native.request("POST", "/api/games", None, &create).unwrap();
    assert_eq!(status(&mut native).0, 201);
    let (code, body) = status(&mut native);
    assert_eq!((code, body["error"]["code"].as_str()), (429, Some("rate-limited")));
    let first = SocketConnection::open(native.address(), "/api/ws").unwrap();
    assert!(SocketConnection::open(native.address(), "/api/ws").is_err(), "the request limit is exhausted");
    drop(first);
    let mut second = Native::with(|settings| settings.per_address.connections = 1);
    let first = SocketConnection::open(second.address(), "/api/ws").unwrap();
    assert!(SocketConnection::open(second.address(), "/api/ws").is_err(), "the limit is one connection");
    drop(first);
    wait_until("the slot of the closed connection", || SocketConnection::open(second.address(), "/api/ws").is_ok());
    assert!(second.request("GET", "/healthz", None, &Value::Null).unwrap().0 == 200);
}

/// Codes have a limit of their own, so that they cannot be guessed with the generous one for requests.
#[test]
fn an_address_looks_up_a_few_codes_in_a_row() {
    let mut native = Native::with(|settings| settings.per_address.codes = Rate { burst: 3.0, per_second: 0.001 });
    let look_up = |native: &mut Native| native.request("GET", "/api/codes/BCDFGH", None, &Value::Null).unwrap();
    for _ in 0..3 {
        assert_eq!(look_up(&mut native).1["error"]["reason"]["code"], "unknown-code");
    }
    let (status, limited) = look_up(&mut native);
    assert_eq!((status, limited["error"]["reason"]["code"].as_str()), (429, Some("too-many-codes")));
    assert_eq!(native.request("GET", "/healthz", None, &Value::Null).unwrap().0, 200, "other requests are not limited");
}

#[test]
fn bodies_and_messages_are_bounded() {
    let native = Native::new();
    let long = format!("{{\"name\":\"{}\"}}", "x".repeat(100_000));
    assert_eq!(http(native.address(), "POST", "/api/games", &[], &long).0, 413);
    let mut connection = SocketConnection::open(native.address(), "/api/ws").unwrap();
    connection.send(&long);
    assert!(connection.receive().is_none());
    assert_eq!(connection.closed, Some(1009), "1009 is the code for a message that is too big");
}

/// The server uses the last `X-Forwarded-For` value, which the proxy adds, so a client cannot forge its address.
#[test]
fn a_forged_address_does_not_lift_a_limit() {
    let native = Native::with(|settings| {
        settings.address_header = Some("x-forwarded-for".into());
        settings.per_address.tables = Rate { burst: 1.0, per_second: 0.001 };
    });
    let create = |number: u8| {
        let lines = [format!("X-Forwarded-For: 10.0.0.{number}"), "X-Forwarded-For: 192.0.2.1".to_owned()];
        http(native.address(), "POST", "/api/games", &lines, r#"{"name":"Ann"}"#).0
    };
    assert_eq!((create(1), create(2)), (201, 429));
}

#[test]
fn an_endless_request_head_times_out() {
    let native = Native::with(|settings| settings.head = Duration::from_millis(100));
    let mut stream = TcpStream::connect(native.address()).unwrap();
    write!(stream, "GET / HTTP/1.1\r\n").unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[test]
fn an_endless_request_body_times_out() {
    let native = Native::with(|settings| settings.request = Duration::from_millis(100));
    for path in ["/api/games", "/api/games/import", "/api/games/x/action"] {
        let mut stream = start_post(&native, path, 1, 1000);
        write!(stream, "{{").unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408") && answer.contains(r#""code":"bad-message""#), "{path}: {answer}");
    }
}

/// A key that could be random.
fn random_key(first: u8) -> String {
    texas42_protocol::SecretKey::new(core::array::from_fn(|at| first.wrapping_add(at as u8))).into()
}

/// The head of a request with a key, from an address behind a proxy.
fn start_post(native: &Native, path: &str, address: u8, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(native.address()).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let key = random_key(address);
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.{address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Length: {length}\r\n\r\n"
    )
    .unwrap();
    stream
}

fn wait_for_metric(native: &Native, line: &str) {
    wait_until(line, || native.metrics().contains(line));
}

/// The client sends no byte of the body, so an answer shows that the server waits for none.
#[test]
fn an_import_without_a_key_is_refused_before_its_body_is_read() {
    let native = Native::new();
    for key in ["", "Authorization: Bearer short\r\n", "Authorization: Basic QQ\r\n"] {
        let mut stream = TcpStream::connect(native.address()).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let length = 4 << 20;
        write!(stream, "POST /api/games/import HTTP/1.1\r\nHost: x\r\n{key}Content-Length: {length}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 401"), "{key}: {answer}");
    }
}

#[test]
fn bodies_in_memory_are_bounded_for_an_address_and_for_all() {
    const MIB: usize = 1 << 20;
    let native = Native::with(|settings| {
        settings.address_header = Some("x-forwarded-for".into());
        settings.bodies = BodyLimits { per_address: 2 * MIB, total: 3 * MIB };
    });
    let mut open = Vec::new();
    let mut send = |address: u8, expected: usize| {
        let mut stream = start_post(&native, "/api/games/import", address, 4 * MIB);
        stream.write_all(&vec![b' '; MIB]).unwrap();
        wait_for_metric(&native, &format!("texas42_body_bytes {expected}\n"));
        open.push(stream);
    };
    let refusal = |address: u8| {
        let mut stream = start_post(&native, "/api/games/import", address, 4 * MIB);
        stream.write_all(b" ").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
        answer
    };
    send(1, MIB);
    send(1, 2 * MIB);
    assert!(refusal(1).contains("too-many-requests"), "the address has reached its limit");
    send(2, 3 * MIB);
    assert!(refusal(3).contains("server-full"), "the server has reached its limit");
    drop(open);
    wait_for_metric(&native, "texas42_body_bytes 0\n");
}

/// Responses that a client does not read fill the socket buffers and block further writes.
#[test]
fn a_client_that_never_reads_its_responses_is_disconnected() {
    let native = Native::with(|settings| {
        settings.request = Duration::from_millis(200);
        settings.head = Duration::from_secs(3600);
    });
    let mut stream = TcpStream::connect(native.address()).unwrap();
    let request = "GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
    stream.write_all(request.repeat(2000).as_bytes()).unwrap();
    stream.read_exact(&mut [0; 8]).unwrap();
    wait_for_metric(&native, "texas42_streams 0\n");
}

const METRICS_TOKEN: &str = "a-token-for-tests";

#[test]
fn files_and_metrics_are_rate_limited() {
    let native = Native::with(|settings| {
        settings.per_address.requests = Rate { burst: 2.0, per_second: 0.001 };
        settings.metrics_token = Some(METRICS_TOKEN.into());
    });
    let token = [format!("Authorization: Bearer {METRICS_TOKEN}")];
    let statuses = |path: &str, times| -> Vec<u16> {
        (0..times).map(|_| http(native.address(), "GET", path, &token, "").0).collect()
    };
    assert_eq!(statuses("/metrics", 3), [200, 200, 429]);
    // Files have a larger burst, because a page loads many at once.
    let files = statuses("/", 17);
    assert!(files[..16].iter().all(|status| *status == 200) && files[16] == 429, "{files:?}");
    assert_eq!(http(native.address(), "GET", "/healthz", &[], "").0, 200);
    // With a token, which could be a guess, it has the limit of other requests.
    assert_eq!(statuses("/healthz", 1), [429]);
}

#[test]
fn limits_streams_per_address() {
    let native = Native::with(|settings| settings.per_address.streams = 2);
    let streams: Vec<_> = (0..2).map(|_| TcpStream::connect(native.address()).unwrap()).collect();
    let is_limited = || http(native.address(), "GET", "/healthz", &[], "").0 != 200;
    wait_until("the limit", is_limited);
    drop(streams);
    wait_until("a free stream", || !is_limited());
}

/// Malformed requests get an error or a closed connection, and the server keeps serving.
#[test]
fn malformed_requests_do_no_harm() {
    let native = Native::new();
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(5_000));
    let malformed = [
        "\0\0\0\0\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET http://[::1]:1/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /../../../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST /api/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nzz\r\n",
        "GET /api/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /api/games/%0a%0d%1b[31m/state HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        &long,
        &many,
    ];
    for request in malformed {
        let mut stream = TcpStream::connect(native.address()).unwrap();
        stream.write_all(request.as_bytes()).ok();
        stream.shutdown(std::net::Shutdown::Write).ok();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let is_accepted = answer.starts_with("HTTP/1.1 101") || answer.starts_with("HTTP/1.1 201");
        assert!(!is_accepted && !answer.contains("root:"), "{request:.60}: {answer:.200}");
        assert_eq!(http(native.address(), "GET", "/healthz", &[], "").0, 200, "{request:.60}");
    }
}

/// An import may have a longer body than other requests, but it is limited too.
#[test]
fn imports_are_size_limited_and_count_as_new_tables() {
    let native = Native::with(|settings| settings.per_address.tables = Rate { burst: 1.0, per_second: 0.001 });
    let key = vec![format!("Authorization: Bearer {}", random_key(0))];
    let post = |body: &str| http(native.address(), "POST", "/api/games/import", &key, body);
    let (status, answer) = post(&format!("{{\"log\":[{}]}}", " ".repeat(5 << 20)));
    assert!(status == 413 || status == 0, "{status} {answer}");
    let (status, answer) = post("{\"log\":[]}");
    assert!(status == 409 && answer.contains("not-started"), "{status} {answer}");
    assert_eq!(post("{\"log\":[]}").0, 429);
}

#[test]
fn other_origins_are_refused_unless_allowed() {
    let native = Native::with(|settings| settings.origins = vec!["https://friend.example".into()]);
    let own = format!("http://{}", native.address());
    for (origin, is_allowed) in
        [("https://evil.example", false), ("null", false), ("https://friend.example", true), (&own, true)]
    {
        let opened = SocketConnection::open_from(native.address(), "/api/ws", Some(origin));
        assert_eq!(opened.is_ok(), is_allowed, "{origin}");
        let body = json!({ "name": "Ann" }).to_string();
        let (status, _) = http(native.address(), "POST", "/api/games", &[format!("Origin: {origin}")], &body);
        assert_eq!(status, if is_allowed { 201 } else { 403 }, "{origin}");
    }
}

/// Pages of allowed origins get CORS headers; others do not.
#[test]
fn only_allowed_origins_can_use_the_endpoints() {
    let native = Native::with(|settings| settings.origins = vec!["https://friend.example".into()]);
    only_a_friend_uses_the_endpoints(native.address(), "https://friend.example");
}

/// The `Location` of a new table leads to its state. The `Bearer` scheme is case-insensitive.
#[test]
fn the_location_of_a_new_table_leads_to_its_state() {
    let native = Native::new();
    let response = exchange(native.address(), "POST", "/api/games", &[], r#"{"name":"Ann"}"#);
    let location = response.header("Location").expect("the response has a Location header").to_owned();
    let created: Value = serde_json::from_str(&response.body).unwrap();
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let key = [format!("Authorization: {scheme} {}", created["key"].as_str().unwrap())];
        let (status, state) = http(native.address(), "GET", &location, &key, "");
        let state: Value = serde_json::from_str(&state).unwrap();
        assert_eq!((status, &state["gameId"]), (200, &created["gameId"]), "{scheme} {location}");
    }
}

#[test]
fn a_key_in_the_query_string_is_ignored() {
    let mut native = Native::new();
    let ann = Player::create(&mut native, "haaa", 7);
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    let path = format!("/api/games/{}/state?key={key}&sessionKey={key}", ann.game());
    assert_eq!(native.request("GET", &path, None, &Value::Null).unwrap().0, 401);
    assert_eq!(native.request("GET", &path, Some(&key), &Value::Null).unwrap().0, 200);
}

// Clients.

#[test]
fn a_slow_client_is_disconnected_and_may_reconnect() {
    let mut native = Native::with(|settings| settings.slow = Duration::from_millis(100));
    let mut ann = Player::create(&mut native, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(&mut native, &ann.game(), Some(key), "Bob");
    let ticket = bob.client.ticket().unwrap().clone();
    // Bob subscribes again and again and reads nothing.
    let subscribe = json!({ "type": "SUBSCRIBE", "gameId": bob.game() });
    let is_disconnected = (0..200_000).any(|round| {
        bob.say(&subscribe);
        round % 100 == 0 && !native.metrics().contains("texas42_slow_clients_total 0")
    });
    assert!(is_disconnected, "the output queue of a client is unbounded");
    ann.wait("the status of Bob", |ann| ann.heard.iter().any(|m| m["status"] == "disconnected"));
    let again = Player::resume(&mut native, ticket);
    assert_eq!(again.seat().index(), 1);
    drop(bob);
}

#[test]
fn a_newer_connection_of_a_session_displaces_the_older_one() {
    let mut native = Native::new();
    let mut connection = SocketConnection::open(native.address(), "/api/ws").unwrap();
    connection.send(&json!({ "type": "CREATE_GAME", "name": "Ann" }).to_string());
    let created = connection.receive().unwrap();
    let join = json!({ "type": "JOIN_GAME", "gameId": created["gameId"], "key": created["key"], "name": "Ann" });
    let mut newer = native.connect();
    newer.send(&join.to_string());
    assert_eq!(newer.receive().unwrap()["type"], "JOINED");
    while connection.receive().is_some() {}
    assert_eq!(connection.closed, Some(close::DISPLACED));
}

/// A `CREATE_GAME` for a very rare hand, so that the search for its deal takes long.
fn long_search(request: &str) -> String {
    let script = json!({ "player": 0, "bid": "marks", "value": 2, "trump": "blanks" });
    json!({
        "type": "CREATE_GAME", "name": "Ann", "requestId": request, "table": { "deal": "seeded" },
        "sessionKey": "AbCdEfGhIjKlMnOpQrStUw",
        "config": {
            "layers": [{ "type": "one-hand", "difficulty": "easy", "script": script }],
            "players": ["human", "ai", "ai", "ai"],
        },
    })
    .to_string()
}

fn tables_created(native: &Native) -> String {
    let text = native.metrics();
    text.lines().find(|line| line.starts_with("texas42_tables_created_total")).unwrap().to_owned()
}

/// A search stops when its client disconnects or sends another request, and creates no table.
#[test]
fn a_deal_search_stops_when_its_client_leaves_or_moves_on() {
    let mut native = Native::new();
    let mut connection = native.connect();
    connection.send(&long_search("1"));
    assert_eq!(connection.receive().unwrap()["progress"], 0);
    drop(connection);
    let mut connection = native.connect();
    connection.send(&long_search("2"));
    assert_eq!(connection.receive().unwrap()["type"], "PROGRESS");
    connection.send(&json!({ "type": "JOIN_GAME", "gameId": "nowhere", "name": "Ann" }).to_string());
    let mut rest = std::iter::from_fn(|| connection.receive()).filter(|message| message["type"] != "PROGRESS");
    let (cancelled, refused) = (rest.next().unwrap(), rest.next().unwrap());
    assert_eq!((&cancelled["requestId"], &cancelled["error"]["code"]), (&json!("2"), &json!("not-stored")));
    assert_eq!(refused["error"]["code"], "no-such-game");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(tables_created(&native), "texas42_tables_created_total 0");
}

/// A ping or a repeated request does not cancel the search, and the table is created once.
#[test]
fn a_deal_search_survives_pings_and_repeated_requests() {
    let mut native = Native::new();
    let mut connection = native.connect();
    connection.send(&long_search("1"));
    assert_eq!(connection.receive().unwrap()["type"], "PROGRESS");
    connection.send(&json!({ "type": "PING", "nonce": 7 }).to_string());
    connection.send(&long_search("1"));
    let mut kinds = Vec::new();
    while kinds.last() != Some(&json!("GAME_CREATED")) {
        let kind = connection.receive().unwrap()["type"].clone();
        kinds.extend((kind != "PROGRESS").then_some(kind));
    }
    assert_eq!(kinds, ["PONG", "GAME_CREATED"]);
    assert_eq!(tables_created(&native), "texas42_tables_created_total 1");
}

#[test]
fn a_silent_connection_is_closed() {
    let native = Native::with(|settings| settings.idle = Duration::from_millis(90));
    let mut connection = SocketConnection::open(native.address(), "/api/ws").unwrap();
    // The client reads nothing, so it answers no ping.
    std::thread::sleep(Duration::from_millis(400));
    while connection.receive().is_some() {}
    assert!(matches!(connection.closed, Some(close::IDLE | 1006)), "{:?}", connection.closed);
}

/// A network that fails closes no socket. Only the silence shows that the person is away, and the others see it soon.
#[test]
fn a_silent_browser_is_away_for_the_others() {
    // The limit for programs is 90 seconds, so only that for browsers can end the connection while this test waits.
    let mut native = Native::with(|settings| settings.browser_idle = Duration::from_secs(2));
    let mut ann = Player::create(&mut native, "hhaa", 1);
    let (key, _) = ann.invite(seat_grant(1));
    let origin = format!("http://{}", native.address());
    let mut bob = SocketConnection::open_from(native.address(), "/api/ws", Some(&origin)).unwrap();
    let join = json!({ "type": "JOIN_GAME", "gameId": ann.game(), "requestId": "1", "name": "Bob", "key": key });
    bob.send(&join.to_string());
    // Bob's network fails: from now on nobody reads or answers for him, pings included.
    for status in ["joined", "disconnected"] {
        let is_bobs = |message: &Value| message["status"] == status && message["player"]["name"] == "Bob";
        ann.wait(status, |ann| ann.heard.iter().any(is_bobs));
    }
    drop(bob);
}

#[test]
fn a_deserted_table_is_evicted_and_restored_on_demand() {
    let mut native = Native::with(|settings| settings.evict_after = Duration::from_millis(30));
    let mut ann = Player::create(&mut native, "haaa", 7);
    play_until(&mut [&mut ann], |players| players[0].choice().is_some());
    let (ticket, version) = (ann.client.ticket().unwrap().clone(), ann.version());
    drop(ann);
    wait_for_metric(&native, "texas42_rooms 0\n");
    let again = Player::resume(&mut native, ticket);
    assert!(again.version() >= version);
    assert!(native.metrics().contains("texas42_rooms_restored_total 1"));
}

// The store.

#[test]
fn a_full_disk_is_reported_and_nothing_is_stored_partially() {
    let mut native = Native::with(|settings| settings.max_bytes = Some(96 * 1024));
    let mut tables = Vec::new();
    let refused = (0..400).find_map(|_| {
        let mut connection = native.connect();
        let create = json!({ "type": "CREATE_GAME", "name": "Ann", "config": { "players": ["human", "human", "human", "human"] } });
        connection.send(&create.to_string());
        let answer = connection.receive().unwrap();
        let is_created = answer["type"] == "GAME_CREATED";
        if is_created {
            tables.push(answer.clone());
        }
        (!is_created).then_some(answer)
    });
    let refused = refused.expect("the size limit is reached");
    assert_eq!(refused["error"]["code"], "not-stored", "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("full"), "{refused}");
    assert_eq!(native.request("GET", "/healthz", None, &Value::Null).unwrap().0, 503);
    // Everything that was acknowledged survives a restart.
    assert!(!tables.is_empty());
    native.restart();
    for created in &tables {
        let path = format!("/api/games/{}/state", created["gameId"].as_str().unwrap());
        let (status, state) = native.request("GET", &path, created["key"].as_str(), &Value::Null).unwrap();
        assert_eq!((status, &state["version"]), (200, &created["version"]), "{state}");
    }
}

#[test]
fn refuses_a_data_folder_in_use() {
    let data = Scratch::new();
    let native = Native::with(|settings| settings.data = data.path().to_owned());
    let error = start_error(&data);
    assert!(error.contains("another server uses it"), "{error}");
    assert_eq!(http(native.address(), "GET", "/healthz", &[], "").0, 200);
}

#[test]
fn removes_only_inactive_tables() {
    let mut native = Native::with(|settings| {
        settings.keep = Retention::of(Duration::from_millis(300));
        settings.evict_after = Duration::from_millis(20);
    });
    let inactive = Player::create(&mut native, "hhaa", 7);
    let (game, key) = (inactive.game(), String::from(inactive.client.ticket().unwrap().key.clone()));
    let active = Player::create(&mut native, "hhaa", 7);
    drop(inactive);
    let state = |native: &mut Native| {
        native.request("GET", &format!("/api/games/{game}/state"), Some(&key), &Value::Null).unwrap().0
    };
    wait_for_metric(&native, "texas42_tables_forgotten_total 1\n");
    assert_eq!(state(&mut native), 404);
    let path = format!("/api/games/{}/state", active.game());
    let key = String::from(active.client.ticket().unwrap().key.clone());
    assert_eq!(native.request("GET", &path, Some(&key), &Value::Null).unwrap().0, 200, "a table in use is kept");
    assert!(native.metrics().contains("texas42_tables_forgotten_total 1\n"));
}

#[test]
fn refuses_to_start_with_a_damaged_or_foreign_file() {
    let data = Scratch::new();
    std::fs::write(file_in(data.path()), "this is no database, and it is long enough to be looked at".repeat(100))
        .unwrap();
    assert!(start_error(&data).contains("damaged"), "{}", start_error(&data));
    let other = Scratch::new();
    {
        let mut native = Native::with(|settings| settings.data = other.path().to_owned());
        for _ in 0..40 {
            Player::create(&mut native, "hhhh", 7);
        }
    }
    let path = file_in(other.path());
    for journal in ["texas42.sqlite-wal", "texas42.sqlite-shm"] {
        std::fs::remove_file(other.path().join(journal)).ok();
    }
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    assert!(start_error(&other).contains("damaged"), "{}", start_error(&other));
}

#[test]
fn refuses_a_database_of_another_program() {
    let data = Scratch::new();
    let foreign = rusqlite::Connection::open(file_in(data.path())).unwrap();
    foreign.execute_batch("CREATE TABLE games (name TEXT)").unwrap();
    drop(foreign);
    assert!(start_error(&data).contains("another program"), "{}", start_error(&data));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_journal() {
    use std::os::unix::fs::PermissionsExt;
    let data = Scratch::new();
    let mut native = Native::with(|settings| settings.data = data.path().join("inside"));
    Player::create(&mut native, "haaa", 1);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = data.path().join("inside");
    assert_eq!((mode(&folder), mode(&file_in(&folder))), (0o700, 0o600));
    assert_eq!(mode(&folder.join("texas42.sqlite-wal")), 0o600);
}

// Other endpoints.

#[test]
fn serves_the_page_the_metrics_and_the_api_description() {
    let native = Native::new();
    let get = |path: &str| http(native.address(), "GET", path, &[], "");
    assert_eq!(get("/healthz").0, 200);
    let (status, page) = get("/");
    assert!(status == 200 && page.contains("Texas 42"));
    let (status, page) = get("/api");
    assert!(status == 200 && page.contains("EXECUTE_ACTION"));
    assert_eq!(get("/no-such-file.js").0, 404);
    assert_eq!(get("/api/nothing").0, 404);
    let (status, document) = get("/api/openapi.json");
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((status, document["openapi"].as_str()), (200, Some("3.1.0")));
    check_references(&document, &document);
    for route in ROUTES {
        let described = &document["paths"][route.path][route.method.name().to_ascii_lowercase()];
        assert_eq!(described["summary"], route.summary, "{}", route.path);
    }
    assert_eq!(document["paths"].as_object().unwrap().len(), ROUTES.len());
    let manual = include_str!("../../../docs/server.md");
    for route in ROUTES {
        let named = format!("`{} {}`", route.method.name(), route.path);
        assert!(manual.contains(&named), "docs/server.md lacks {named}");
    }
    routes_are_as_declared(native.address(), HostKind::Server);
    bodies_are_bounded_as_declared(native.address(), HostKind::Server);
}

#[test]
fn responses_are_safe_for_browsers() {
    responses_have_safe_headers(Native::new().address());
    let native = Native::with(|settings| settings.per_address.streams = 0);
    let refused = exchange(native.address(), "GET", "/healthz", &[], "");
    assert_eq!((refused.status, refused.header("X-Content-Type-Options")), (429, Some("nosniff")));
}

/// Metrics are for the operator: behind a token, or at a separate address.
#[test]
fn the_metrics_are_not_public() {
    let ask = |address, headers: &[String]| http(address, "GET", "/metrics", headers, "");
    let token = |token: &str| [format!("Authorization: Bearer {token}")];
    let native = Native::new();
    for headers in [vec![], token("").to_vec(), token(METRICS_TOKEN).to_vec()] {
        let (status, answer) = ask(native.address(), &headers);
        assert!(status == 401 && answer.contains("metrics-are-private"), "{headers:?}: {status} {answer}");
    }
    let native = Native::with(|settings| {
        settings.metrics_token = Some(METRICS_TOKEN.into());
        settings.metrics_address = Some(([127, 0, 0, 1], 0).into());
    });
    for wrong in [vec![], token("").to_vec(), token("a-token-for-other").to_vec(), token("a-token").to_vec()] {
        assert_eq!(ask(native.address(), &wrong).0, 401, "{wrong:?}");
    }
    let separate = native.metrics_address().unwrap();
    for (address, headers) in [(native.address(), token(METRICS_TOKEN).to_vec()), (separate, vec![])] {
        let (status, numbers) = ask(address, &headers);
        assert!(status == 200 && numbers.contains("texas42_commits_total"), "{status} {numbers}");
    }
    assert_eq!(http(separate, "GET", "/healthz", &[], "").0, 200);
    for path in ["/", "/api", "/api/games/x/state"] {
        assert_eq!(http(separate, "GET", path, &[], "").0, 404, "{path}: the address serves nothing else");
    }
}

/// A client without a key learns nothing about the database from an error.
#[test]
fn errors_do_not_describe_the_database() {
    let mut native = Native::with(|settings| settings.evict_after = Duration::from_millis(20));
    let ann = Player::create(&mut native, "hhaa", 7);
    let game = ann.game();
    drop(ann);
    wait_for_metric(&native, "texas42_rooms 0\n");
    let database = rusqlite::Connection::open(file_in(native.folder())).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    assert!(database.execute("DELETE FROM log", []).unwrap() > 0);
    let (status, answer) = http(native.address(), "GET", &format!("/api/games/{game}/state"), &[], "");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("not-stored")), "{answer}");
    assert_eq!(answer["error"]["reason"], json!({ "code": "log-lost" }));
}

fn check_references(document: &Value, part: &Value) {
    match part {
        Value::Object(fields) => {
            if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
            }
            fields.values().for_each(|value| check_references(document, value));
        }
        Value::Array(items) => items.iter().for_each(|value| check_references(document, value)),
        _ => {}
    }
}
