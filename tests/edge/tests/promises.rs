//! Tests that a table survives everything the platform may do: kills, deploys, hibernation, repeated alarms and panics.

#![allow(clippy::unwrap_used, reason = "a failing test should panic where it fails")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use texas42_client::close;
use texas42_conformance::{
    Connection, Host,
    native::{
        SocketConnection, bodies_are_bounded_as_declared, exchange, http, only_a_friend_uses_the_endpoints,
        responses_have_safe_headers, routes_are_as_declared,
    },
    player::{Player, catch_up, play_until, seat_grant},
};
use texas42_edge_tests::{DirectHost, Workerd, play_alone, watched};
use texas42_hosting::routes::HostKind;
use texas42_protocol::SecretKey;
use texas42_vocab::Phase;

fn get(host: &Workerd, path: &str) -> (u16, Value) {
    let (status, text) = http(host.address(), "GET", path, &[], "");
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

fn counted(host: &Workerd, what: &str) -> u64 {
    get(host, "/test/counts").1[what].as_u64().unwrap_or(0)
}

/// Ann and Bob with two bots, both connected directly to the object.
fn two_people(host: &mut Workerd) -> (Player, Player) {
    let mut ann = Player::create(host, "haha", 7);
    let (key, _) = ann.invite(seat_grant(2));
    let game = ann.game().to_string();
    let mut direct = DirectHost { host, game };
    let bob = Player::join(&mut direct, &ann.game(), Some(key), "Bob");
    ann.reconnect(&mut direct);
    ann.wait("the game to start", |ann| ann.view().state.phase != Phase::Setup);
    (ann, bob)
}

fn plays_on_table(player: &Player) -> usize {
    player.view().state.trick.as_ref().map_or(0, |trick| trick.plays.len())
}

/// Acknowledged actions survive a kill immediately after the acknowledgement.
#[test]
fn a_kill_after_an_acknowledgement_loses_nothing() {
    let mut host = Workerd::new();
    let (mut ann, mut bob) = two_people(&mut host);
    let game = ann.game().to_string();
    let mut in_tricks = 0;
    for _ in 0..40 {
        play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some() || players[0].is_over());
        if ann.is_over() {
            ann.client.rematch(0, None).unwrap();
            ann.wait("another game", |ann| !ann.is_over());
            continue;
        }
        let choice = ann.choice().unwrap();
        ann.act(choice);
        host.kill();
        let (version, state) = (ann.version(), ann.view().state.clone());
        in_tricks += usize::from(plays_on_table(&ann) > 0);
        host.start_again();
        let mut direct = DirectHost { host: &mut host, game: game.clone() };
        ann.reconnect(&mut direct);
        bob.reconnect(&mut direct);
        assert!(ann.version() >= version, "version {} after {version}", ann.version());
        if ann.version() == version {
            assert_eq!(ann.view().state, state);
        }
        if in_tricks == 3 {
            return;
        }
    }
    panic!("no kill happened in the middle of a trick");
}

/// A request that is in flight during a restart is executed once.
#[test]
fn play_continues_after_a_deploy_disconnects_everybody() {
    let mut host = Workerd::new();
    let (mut ann, mut bob) = two_people(&mut host);
    let game = ann.game().to_string();
    for _ in 0..3 {
        play_until(&mut [&mut ann, &mut bob], |players| {
            players[1].is_over() || players[1].view().state.phase == Phase::Playing && players[1].choice().is_some()
        });
        if bob.is_over() {
            return;
        }
        let (version, hand) = (bob.version(), bob.view().state.players[2].hand_count);
        let choice = bob.choice().unwrap();
        bob.client.execute(0, choice).unwrap();
        bob.send();
        host.restart();
        let mut direct = DirectHost { host: &mut host, game: game.clone() };
        ann.reconnect(&mut direct);
        bob.reconnect(&mut direct);
        bob.wait("the answer", |bob| !bob.client.is_waiting());
        catch_up(&mut [&mut ann, &mut bob]);
        assert!(bob.version() > version);
        let now = bob.view().state.players[2].hand_count;
        assert!(now + 1 == hand || bob.view().state.hand_number > 0, "one domino was played: {hand}, then {now}");
    }
}

/// An object that hibernated with open sockets continues as if it had not.
#[test]
fn clients_do_not_notice_hibernation() {
    let mut host = watched(&[]);
    let (mut ann, mut bob) = two_people(&mut host);
    let built = format!("built {}", ann.game());
    assert_eq!(counted(&host, &built), 1);
    for _ in 0..6 {
        play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some());
        catch_up(&mut [&mut ann, &mut bob]);
        // Unversioned messages may still be in flight; the pong arrives after them.
        bob.say(&json!({ "type": "PING", "nonce": 7 }));
        bob.next("PONG");
        let (heard, before) = (bob.heard.len(), counted(&host, &built));
        // The runtime evicts an object after ten seconds without an event. The object looks once for silent clients, 4.5
        // seconds after a message.
        sleep(Duration::from_secs(16));
        let choice = ann.choice().unwrap();
        ann.act(choice);
        catch_up(&mut [&mut ann, &mut bob]);
        let news = &bob.heard[heard..];
        assert!(news.iter().all(|message| message["type"] == "STATE_UPDATE" && message["view"].is_null()), "{news:?}");
        if counted(&host, &built) > before {
            return;
        }
    }
    panic!("the object never hibernated");
}

/// Bob's network fails without closing his socket. The clock of the platform decides, so the test has to wait.
#[test]
fn a_silent_page_is_away_within_five_seconds() {
    let mut host = watched(&[]);
    let mut ann = Player::create(&mut host, "haha", 7);
    let (key, _) = ann.invite(seat_grant(2));
    let mut bob = SocketConnection::open(host.address(), &format!("/api/games/{}/ws", ann.game())).unwrap();
    bob.send(&json!({ "type": "JOIN_GAME", "gameId": ann.game(), "key": key, "name": "Bob" }).to_string());
    ann.wait("Bob to join", |ann| ann.heard.iter().any(|message| message["player"]["name"] == "Bob"));
    let is_away = |ann: &Player| ann.heard.iter().any(|message| message["status"] == "disconnected");
    // Pings like the page, which is how the table recognizes a page.
    for _ in 0..5 {
        let sent = Instant::now();
        bob.send(r#"{"type":"PING","nonce":0}"#);
        sleep(Duration::from_secs(2));
        ann.say(&json!({ "type": "PING", "nonce": 7 }));
        ann.next("PONG");
        // On a machine that stood still, Bob was silent for too long.
        assert!(!is_away(&ann) || sent.elapsed() > Duration::from_secs(4), "Bob is there");
    }
    ann.wait("Bob to be away", is_away);
    // Only the table has closed the socket.
    while bob.receive().is_some() {}
    assert_eq!(bob.closed, Some(close::IDLE));
}

/// Every alarm runs twice, and bots still move once per turn.
#[test]
fn a_repeated_alarm_makes_one_move() {
    let mut host = watched(&[("PACE", "20-40")]);
    let mut ann = Player::create(&mut host, "haaa", 1);
    play_until(&mut [&mut ann], |players| players[0].is_over() || players[0].view().state.hand_number > 0);
    assert!(counted(&host, "alarms") > 3, "bots move by alarms");
    let versions: Vec<u64> = ann.heard.iter().filter_map(|message| message["version"].as_u64()).collect();
    assert!(versions.windows(2).all(|pair| pair[1] == pair[0] + 1), "{versions:?}");
    let plays: Vec<u64> = ann
        .heard
        .iter()
        .filter(|message| message["lastAction"]["type"] == "play")
        .map(|message| message["lastAction"]["player"].as_u64().unwrap())
        .collect();
    for trick in plays.chunks_exact(4) {
        let next: Vec<u64> = (0..4).map(|turn| (trick[0] + turn) % 4).collect();
        assert_eq!(trick, next, "everybody plays once a trick");
    }
}

/// The platform's alarm deletes a table, and the alarm that fires again finds nothing. Then its id can be used again.
#[test]
fn an_inactive_table_deletes_itself() {
    let mut host = watched(&[("KEEP_MILLISECONDS", "1")]);
    let key = String::from(SecretKey::new(std::array::from_fn(|at| at as u8 * 16 + 3)));
    let body = json!({ "name": "Ann", "sessionKey": key, "config": { "players": ["human", "ai", "ai", "ai"] } });
    for _ in 0..2 {
        let (status, created) = host.request("POST", "/api/games", None, &body).unwrap();
        assert_eq!((status, created["type"].as_str()), (201, Some("GAME_CREATED")), "{created}");
        let path = format!("/api/games/{}/state", created["gameId"].as_str().unwrap());
        let unknown = (0..100_000).find_map(|_| {
            let (status, answer) = host.request("GET", &path, Some(&key), &json!(null)).unwrap();
            (status != 200).then_some(answer)
        });
        assert_eq!(unknown.expect("the table is deleted")["error"]["code"], "no-such-game");
    }
    host.kill();
    assert_eq!(written(&host), (0, 0));
}

/// Failures are reported as JSON.
#[test]
fn a_corrupted_log_is_answered_with_an_error() {
    let mut host = watched(&[]);
    let player = Player::create(&mut host, "haaa", 7);
    let key = String::from(player.client.ticket().unwrap().key.clone());
    let path = format!("/api/games/{}/state", player.game());
    assert_eq!(host.request("GET", &path, Some(&key), &json!(null)).unwrap().0, 200);
    http(host.address(), "GET", &format!("{path}?corrupt"), &[], "");
    let (status, error) = host.request("GET", &path, Some(&key), &json!(null)).unwrap();
    assert_eq!((status, error["error"]["code"].as_str()), (503, Some("not-stored")), "{error}");
    let mut connection = SocketConnection::open(host.address(), &format!("/api/games/{}/ws", player.game())).unwrap();
    connection.send(&json!({ "type": "JOIN_GAME", "gameId": player.game(), "name": "Bob" }).to_string());
    while connection.receive().is_some() {}
    assert!(connection.closed.is_some(), "a connection to an unreadable table is closed");
}

/// After a real panic of the deployed module, the host answers the request and tells clients to reconnect, and every table
/// continues where it was.
#[test]
fn a_panic_is_answered_and_every_table_goes_on() {
    let mut host = watched(&[]);
    let mut neighbor = Player::create(&mut host, "haaa", 7);
    let (mut ann, mut bob) = two_people(&mut host);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some());
    let (game, state) = (ann.game().to_string(), ann.view().state.clone());
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    http(host.address(), "POST", "/test/take-randomness", &[], "");

    let fails = |host: &mut Workerd, method: &str, path: &str| {
        let before = counted(host, "panics");
        let (status, answer) = host.request(method, path, Some(&key), &json!({ "name": "Eve" })).unwrap();
        assert_eq!((status, answer["error"]["code"].as_str()), (503, Some("not-stored")), "{method} {path}: {answer}");
        assert!(counted(host, "panics") > before);
    };
    // A panic in the Worker while it draws a game id. Its relayed sockets are lost with the module's memory.
    fails(&mut host, "POST", "/api/games");
    assert_eq!(neighbor.closed(), Some(close::RESTORED));
    // A panic in an object while it is rebuilt, by a message and by a request.
    let before = counted(&host, "panics");
    bob.say(&json!({ "type": "PING", "nonce": 7 }));
    assert_eq!((bob.closed(), ann.closed()), (Some(close::RESTORED), Some(close::RESTORED)));
    assert!(counted(&host, "panics") > before);
    fails(&mut host, "GET", &format!("/api/games/{game}/state"));

    http(host.address(), "POST", "/test/give-randomness", &[], "");
    let mut direct = DirectHost { host: &mut host, game };
    ann.reconnect(&mut direct);
    bob.reconnect(&mut direct);
    assert_eq!(ann.view().state, state);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > state.hand_number);
    neighbor.reconnect(&mut host);
    play_until(&mut [&mut neighbor], |players| players[0].view().state.hand_number > 0);
}

/// Checks the endpoints that need no table, and the requests that are refused.
#[test]
fn the_worker_serves_its_endpoints_and_refuses_others() {
    let mut host = Workerd::new();
    assert_eq!(get(&host, "/healthz"), (200, json!({ "status": "ok" })));
    assert_eq!(get(&host, "/api/openapi.json"), (200, texas42_hosting::openapi(HostKind::Edge)));
    assert_eq!(get(&host, "/").0, 200);
    assert_eq!(get(&host, "/table/anything").0, 200);
    for (method, path, status) in [
        ("GET", "/a/missing.js", 404),
        ("GET", "/api/games/nobody/state", 404),
        ("POST", "/api/games/no%20id/action", 404),
    ] {
        let (found, answer) = host.request(method, path, None, &json!({ "name": "Ann" })).unwrap();
        assert_eq!(found, status, "{method} {path}: {answer}");
        assert!(!path.starts_with("/api") || answer["error"]["message"].is_string(), "{method} {path}: {answer}");
    }
    responses_have_safe_headers(host.address());
    routes_are_as_declared(host.address(), HostKind::Edge);
    bodies_are_bounded_as_declared(host.address(), HostKind::Edge);
    let elsewhere = ["Origin: https://elsewhere.example".to_owned()];
    assert_eq!(http(host.address(), "POST", "/api/games", &elsewhere, r#"{"name":"Ann"}"#).0, 403);
    let own = [format!("Origin: http://{}", host.address())];
    assert_eq!(http(host.address(), "POST", "/api/games", &own, r#"{"name":"Ann"}"#).0, 201);
    // The `Location` of a new table leads to its state.
    let made = exchange(host.address(), "POST", "/api/games", &[], r#"{"name":"Ann"}"#);
    let created: Value = serde_json::from_str(&made.body).unwrap();
    let key = [format!("Authorization: bearer {}", created["key"].as_str().unwrap())];
    assert_eq!(http(host.address(), "GET", made.header("Location").unwrap(), &key, "").0, 200);
    // A client cannot choose the id of a table.
    let mut connection = SocketConnection::open(host.address(), "/api/games/my-own-id/ws").unwrap();
    connection.send(&json!({ "type": "CREATE_GAME", "name": "Ann" }).to_string());
    assert_eq!(connection.receive().unwrap()["error"]["code"], "no-such-game");
}

/// Sends the head of an import and a part of its body.
fn start_import(host: &Workerd, headers: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(host.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!("POST /api/games/import HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n", 4 << 20);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    stream
}

/// The client sends no byte of the body, so an answer shows that the Worker waits for none.
#[test]
fn an_import_without_a_key_is_refused_before_its_body_is_read() {
    let host = Workerd::new();
    for key in ["", "Authorization: Bearer short\r\n", "Authorization: Basic QQ\r\n"] {
        let mut answer = [0; 12];
        start_import(&host, key, b"").read_exact(&mut answer).unwrap();
        assert_eq!(String::from_utf8_lossy(&answer), "HTTP/1.1 401", "{key}");
    }
}

/// Two imports of one address that do not end occupy all its memory. Another address has its own.
#[test]
fn the_memory_for_bodies_is_bounded_for_each_address() {
    let host = Workerd::new();
    let key = String::from(SecretKey::new([7; 16]));
    let headers = |address: u8| format!("Authorization: Bearer {key}\r\nCf-Connecting-Ip: 192.0.2.{address}\r\n");
    let piece = vec![b' '; (4 << 20) - 1];
    let _open = [1, 1].map(|address| start_import(&host, &headers(address), &piece));
    let status = |address: u8| {
        let headers: Vec<String> = headers(address).lines().map(str::to_owned).collect();
        http(host.address(), "POST", "/api/games/import", &headers, "not a log").0
    };
    assert!((0..100_000).any(|_| status(1) == 429), "the address never reaches its limit");
    assert_eq!(status(2), 400);
}

/// Pages of allowed origins get CORS headers; others do not.
#[test]
fn only_allowed_origins_can_use_the_endpoints() {
    let host = Workerd::with(&[("ORIGINS", "https://friend.example https://other.example")]);
    only_a_friend_uses_the_endpoints(host.address(), "https://friend.example");
    let opened = SocketConnection::open_from(host.address(), "/api/ws", Some("https://friend.example"));
    assert!(opened.is_ok());
}

/// Measures what Cloudflare bills for a game of one person and three bots; see docs/deploy.md.
#[test]
fn a_game_costs_one_write_for_each_move() {
    let mut host = watched(&[("PACE", "2-4"), ("PLAYER", "beginner")]);
    let mut ann = Player::create(&mut host, "haaa", 7);
    let requests = play_alone(&mut ann);
    let (events, alarms, hands) = (ann.version(), counted(&host, "alarms"), ann.view().state.hand_number + 1);
    let billed = counted(&host, "rows written");
    host.kill();
    let (rows, bytes) = written(&host);
    println!(
        "{hands} hands: {requests} requests, {alarms} alarms, {events} events in {rows} rows, {billed} billed, {bytes} bytes of log"
    );
    assert!(alarms > 3, "bots move by alarms");
    // Creating two SQL tables and inserting the game id are billed as five rows.
    assert_eq!(billed, rows + 5, "rows billed by the platform");
    // Creating the table is a write; an early alarm is not.
    assert!(rows <= requests + alarms + 2, "{rows} rows for {requests} requests and {alarms} alarms");
    assert!(rows < events, "automatic events share a write");
}

/// Returns the number of rows and bytes in the log of the only table.
fn written(host: &Workerd) -> (u64, u64) {
    let folders = std::fs::read_dir(host.folder()).unwrap().flatten().filter(|entry| entry.path().is_dir());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
    let count = "SELECT count(*), sum(length(events)) FROM log";
    let logs = files.filter(|file| file.path().extension().is_some_and(|end| end == "sqlite")).filter_map(|file| {
        let database = rusqlite::Connection::open(file.path()).unwrap();
        database.query_row(count, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).ok()
    });
    logs.fold((0, 0), |sum, log| (sum.0 + log.0.cast_unsigned(), sum.1 + log.1.cast_unsigned()))
}
