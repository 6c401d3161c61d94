//! The connection to a table: a Web Worker in this browser, or a WebSocket to the server that the page came from. Behind both
//! is the same [`GameClient`]; this file owns the connection and does what the client asks for.

use std::{
    cell::{OnceCell, RefCell},
    sync::Arc,
    time::Duration,
};

use leptos::prelude::*;
use texas42_client::{Entrance, GameClient, News, Ticket, close::DISPLACED};
use texas42_protocol::{ClientMessage, GameId, ServerMessage};
use texas42_vocab::Seat;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{CloseEvent, ErrorEvent, MessageEvent, WebSocket, Worker, WorkerOptions, WorkerType};

use crate::{
    app::{App, Screen},
    browser::{self, now},
    going_online, record,
    table_model::{Home, TableModel},
    turn_clock::TableClock,
};

/// How the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionState {
    /// No table.
    None,
    /// On the way.
    Connecting,
    /// The table looks for a hand that is as hard as wanted: how far it is, in percent.
    Looking(u8),
    /// At the table.
    Up,
    /// Gone, and tried again.
    Down,
    /// The game goes on in another tab, or the session on another device.
    Elsewhere(Home),
}

/// How many tries may fail before somebody who was never at the table is told that no server answers.
const MOST_TRIES: u32 = 2;

enum Transport {
    Worker(Worker),
    Socket(Option<WebSocket>),
}

struct Connection {
    client: GameClient,
    home: Home,
    transport: Transport,
    timer: Option<TimeoutHandle>,
    /// Which connection it is; an old connection's late messages are nobody's.
    number: u32,
}

thread_local! {
    static EXPERT: OnceCell<Worker> = const { OnceCell::new() };
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
    static NUMBERS: RefCell<u32> = const { RefCell::new(0) };
}

/// Goes to a table in this browser or on the server.
pub(crate) fn open(app: App, home: Home, entrance: Entrance) {
    begin(app, home, GameClient::new(entrance, browser::random()));
}

/// Goes back to a table.
pub(crate) fn resume(app: App, home: Home, ticket: Ticket) {
    begin(app, home, GameClient::resume(ticket, browser::random()));
}

/// Hangs up. The table stays as it is.
pub(crate) fn hang_up(app: App) {
    CONNECTION.with(|connection| connection.borrow_mut().take().map(close));
    app.forget_table();
    app.connection.set(ConnectionState::None);
}

/// Another tab has taken the game of this browser over: this one lets go, so that there is one game and not two.
pub(crate) fn yield_game(app: App) {
    let is_here = CONNECTION
        .with(|connection| connection.borrow().as_ref().is_some_and(|connection| connection.home == Home::Browser));
    if is_here {
        goes_on_elsewhere(app, Home::Browser);
    }
}

/// This page lets go of the table, and keeps the way back to it.
fn goes_on_elsewhere(app: App, home: Home) {
    hang_up(app);
    app.dialog.set(None);
    app.connection.set(ConnectionState::Elsewhere(home));
}

/// Does something with the client, then carries out what it asks for.
pub(crate) fn with_client<T>(app: App, work: impl FnOnce(&mut GameClient, u64) -> T) -> Option<T> {
    let done = CONNECTION
        .with(|connection| connection.borrow_mut().as_mut().map(|connection| work(&mut connection.client, now())));
    pump(app);
    done
}

fn close(connection: Connection) {
    if let Some(timer) = connection.timer {
        timer.clear();
    }
    match connection.transport {
        Transport::Worker(worker) => worker.terminate(),
        Transport::Socket(Some(socket)) => {
            socket.close().ok();
        }
        Transport::Socket(None) => {}
    }
}

fn begin(app: App, home: Home, client: GameClient) {
    hang_up(app);
    connect_to(app, home, client);
}

/// Goes over to the server with the table that is shown: the old one stays on the screen until the new one speaks.
pub(crate) fn change_over(app: App, ticket: Ticket) {
    CONNECTION.with(|connection| connection.borrow_mut().take().map(close));
    browser::keep("online", &serde_json::to_string(&ticket).unwrap_or_default());
    connect_to(app, Home::Server, GameClient::resume(ticket, browser::random()));
}

/// Asks the worker for the log of its table; it then holds still until it is released.
pub(crate) fn export() {
    say_to_worker(|game| format!("export {game}"));
}

/// Asks the worker for the record of its table.
pub(crate) fn ask_for_record() {
    say_to_worker(|game| format!("record {game}"));
}

/// Lets the worker go on.
pub(crate) fn release() {
    say_to_worker(|_| "release".to_owned());
}

fn say_to_worker(text: impl FnOnce(&GameId) -> String) {
    CONNECTION.with(|connection| {
        if let Some(Connection { client, transport: Transport::Worker(worker), .. }) = connection.borrow().as_ref()
            && let Some(game) = client.game_id()
        {
            worker.post_message(&text(game).into()).ok();
        }
    });
}

fn connect_to(app: App, home: Home, client: GameClient) {
    app.connection.set(ConnectionState::Connecting);
    app.table_clock.set_value(TableClock::default());
    let number = NUMBERS.with(|numbers| {
        *numbers.borrow_mut() += 1;
        *numbers.borrow()
    });
    let transport = match home {
        Home::Browser => {
            browser::dispatch("texas42-here");
            Transport::Worker(new_worker(app, number))
        }
        Home::Server => Transport::Socket(None),
    };
    CONNECTION.with(|connection| {
        *connection.borrow_mut() = Some(Connection { client, home, transport, timer: None, number })
    });
    if home == Home::Browser {
        with_client(app, GameClient::handle_connected);
    } else {
        pump(app);
    }
}

fn is_current(number: u32) -> bool {
    CONNECTION.with(|connection| connection.borrow().as_ref().is_some_and(|connection| connection.number == number))
}

/// Asks a worker of its own whether hands were dealt as promised.
pub(crate) fn verify(app: App, witnesses: &str, mut hear: impl FnMut(&str) + 'static) {
    let worker = load_worker(move |worker, text| {
        if let Some(verdict) = text.strip_prefix("verified ") {
            worker.terminate();
            hear(verdict);
        }
    });
    let on_error = Closure::<dyn FnMut()>::new(move || app.tell(app.words().worker_failed));
    worker.set_onerror(Some(on_error.into_js_value().unchecked_ref()));
    worker.post_message(&format!("verify {witnesses}").into()).ok();
}

/// Asks a worker of its own what an expert would do: the tables of this browser go on meanwhile.
pub(crate) fn ask_expert(app: App, seen: &TableModel) {
    let Ok(view) = serde_json::to_string(&seen.view) else { return };
    let question = format!("advise {} {} {view}", seen.version, seen.bottom.index());
    let new_expert = || {
        load_worker(move |_, text| {
            let answer = text.strip_prefix("advised ").and_then(|answer| answer.split_once(' '));
            if let Some((version, advice)) = answer
                && let Ok(version) = version.parse()
            {
                app.advised(version, advice);
            }
        })
    };
    EXPERT.with(|expert| expert.get_or_init(new_expert).post_message(&question.into()).ok());
}

/// A worker, and what to do with what it says. Its address stands in the page, because it carries the hash of the build.
fn load_worker(mut hear: impl FnMut(&Worker, &str) + 'static) -> Worker {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let url = document()
        .query_selector("link[data-worker]")
        .ok()
        .flatten()
        .and_then(|link| link.get_attribute("href"))
        .unwrap_or_default();
    let worker = Worker::new_with_options(&url, &options).expect("a browser that runs this has workers");
    let itself = worker.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(text) = event.data().as_string() {
            hear(&itself, &text);
        }
    });
    worker.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    worker
}

/// The worker with the tables of this browser.
fn new_worker(app: App, number: u32) -> Worker {
    let worker = load_worker(move |_, text| {
        if is_current(number) {
            hear_worker(app, text);
        }
    });
    let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |_| {
        if is_current(number) {
            begin_again(app);
        }
    });
    worker.set_onerror(Some(on_error.into_js_value().unchecked_ref()));
    let (least, most) = app.settings.get_untracked().pace.program_wait();
    let level = app.settings.get_untracked().level;
    worker.post_message(&format!("pace {least} {most} {level}").into()).ok();
    worker
}

/// A worker that stumbled is not to be trusted: a new one begins from what was written down.
fn begin_again(app: App) {
    let again = CONNECTION
        .with(|connection| connection.borrow().as_ref().and_then(|connection| connection.client.ticket().cloned()));
    app.tell(app.words().worker_failed);
    match again {
        Some(ticket) => resume(app, Home::Browser, ticket),
        None => app.go(Screen::Home),
    }
}

fn hear_worker(app: App, text: &str) {
    match text.split_once(' ') {
        None if text == "not-stored" => begin_again(app),
        None if text == "not-kept" => app.tell(app.words().not_kept),
        Some(("exported", log)) => going_online::upload(app, log.to_owned()),
        Some(("recorded", text)) => record::save(app, text),
        _ => hear(app, text),
    }
}

fn hear(app: App, text: &str) {
    app.note_frame('←', text);
    let Ok(message) = texas42_protocol::read::<ServerMessage>(text) else { return };
    if let ServerMessage::Pong { time: Some(time), .. } = message {
        app.note_time(time);
    }
    with_client(app, |client, now| client.handle_message(now, &message));
}

fn connect(app: App, connection: &mut Connection) {
    let number = connection.number;
    let Ok(socket) = WebSocket::new(&socket_address(&connection.client)) else { return };
    let on_open = Closure::<dyn FnMut()>::new(move || {
        if is_current(number) {
            with_client(app, GameClient::handle_connected);
        }
    });
    socket.set_onopen(Some(on_open.into_js_value().unchecked_ref()));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(text) = event.data().as_string().filter(|_| is_current(number)) {
            hear(app, &text);
        }
    });
    socket.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    let on_close = Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| {
        if is_current(number) && event.code() == DISPLACED {
            goes_on_elsewhere(app, Home::Server);
        } else if is_current(number) {
            CONNECTION.with(|connection| {
                if let Some(Connection { transport: Transport::Socket(socket), .. }) = connection.borrow_mut().as_mut()
                {
                    *socket = None;
                }
            });
            with_client(app, |client, now| client.handle_disconnected(now, Some(event.code())));
        }
    });
    socket.set_onclose(Some(on_close.into_js_value().unchecked_ref()));
    connection.transport = Transport::Socket(Some(socket));
}

/// One socket serves creating and joining; a table that is known is named in the address, so that a host with many
/// machines can lead the way.
fn socket_address(client: &GameClient) -> String {
    let base = browser::address().replacen("http", "ws", 1);
    match client.game_id() {
        Some(game) => format!("{base}api/games/{game}/ws"),
        None => format!("{base}api/ws"),
    }
}

/// Carries out what the client asks for: connect, send, tell, wait.
fn pump(app: App) {
    let news = CONNECTION.with(|connection| {
        let mut connection = connection.borrow_mut();
        let Some(connection) = connection.as_mut() else { return Vec::new() };
        if connection.client.poll_hang_up()
            && let Transport::Socket(Some(socket)) = &connection.transport
        {
            socket.close().ok();
        }
        if matches!(connection.transport, Transport::Socket(None))
            && connection.client.connect_at().is_some_and(|at| at <= now())
        {
            connect(app, connection);
        }
        while let Some(frame) = connection.client.poll_frame() {
            send(app, &connection.transport, &frame);
        }
        core::iter::from_fn(|| connection.client.poll_news()).collect()
    });
    let has_news = !news.is_empty();
    for item in news {
        take_in(app, item);
    }
    if has_news {
        show(app);
    }
    schedule(app);
}

fn send(app: App, transport: &Transport, frame: &ClientMessage) {
    let Ok(text) = serde_json::to_string(frame) else { return };
    app.note_frame('→', &text);
    match transport {
        Transport::Worker(worker) => {
            worker.post_message(&text.into()).ok();
        }
        Transport::Socket(Some(socket)) => {
            socket.send_with_str(&text).ok();
        }
        Transport::Socket(None) => {}
    }
}

fn schedule(app: App) {
    CONNECTION.with(|connection| {
        let mut connection = connection.borrow_mut();
        let Some(connection) = connection.as_mut() else { return };
        if let Some(timer) = connection.timer.take() {
            timer.clear();
        }
        let connects =
            connection.client.connect_at().filter(|_| matches!(connection.transport, Transport::Socket(None)));
        // The connection inside a browser does not drop, so nobody has to be asked whether it is there.
        let wakes = connection.client.wake_at().filter(|_| connection.home == Home::Server);
        let Some(at) = connects.into_iter().chain(wakes).min() else { return };
        let wait = Duration::from_millis(at.saturating_sub(now()).max(1));
        let wake = move || {
            with_client(app, GameClient::handle_time);
        };
        connection.timer = set_timeout_with_handle(wake, wait).ok();
    });
}

fn take_in(app: App, news: News) {
    match news {
        News::Joined => joined(app),
        News::Disconnected if is_in_vain() => app.turn_back(app.words().needs_server),
        News::Disconnected => app.connection.set(ConnectionState::Down),
        News::Refused { error, .. } => app.refused(&error),
        News::Over { error } if was_never_let_in() => app.turned_away(&error),
        News::Over { error } => {
            app.connection.set(ConnectionState::None);
            app.refused(&error);
            forget_ticket();
            app.go(Screen::Home);
        }
        News::Invited { key: Some(key), .. } => app.invited(&key),
        // Steps that can be listened to.
        News::Progress { percent, .. } => app.connection.set(ConnectionState::Looking(percent / 10 * 10)),
        _ => {}
    }
}

/// What brings a person back to a table is kept in this browser, and only there.
fn joined(app: App) {
    app.connection.set(ConnectionState::Up);
    CONNECTION.with(|connection| {
        let connection = connection.borrow();
        let Some(connection) = connection.as_ref() else { return };
        let Some(ticket) = connection.client.ticket() else { return };
        browser::keep(kept_name(connection.home), &serde_json::to_string(ticket).unwrap_or_default());
        // A reload leads back to the table.
        match connection.home {
            Home::Browser => browser::set_fragment("play"),
            Home::Server => browser::set_fragment(&format!("table/{}", ticket.game_id)),
        }
        // The answer tells the time there, for those who come in the middle of a turn.
        if connection.home == Home::Server {
            send(app, &connection.transport, &ClientMessage::Ping { nonce: 0 });
        }
    });
}

/// Whether there is a connection to a table that has not let anybody in.
fn was_never_let_in() -> bool {
    CONNECTION
        .with(|connection| connection.borrow().as_ref().is_some_and(|connection| connection.client.ticket().is_none()))
}

/// What led to the table of this connection leads there no more.
fn forget_ticket() {
    let home = CONNECTION.with(|connection| connection.borrow().as_ref().map(|connection| connection.home));
    if let Some(home) = home {
        browser::forget(kept_name(home));
    }
}

/// Whether nobody answers at all: somebody who was at the table comes back to it, but who never was need not wait for ever.
fn is_in_vain() -> bool {
    CONNECTION.with(|connection| {
        connection.borrow().as_ref().is_some_and(|connection| {
            connection.home == Home::Server
                && connection.client.ticket().is_none()
                && connection.client.failed_tries() >= MOST_TRIES
        })
    })
}

/// Remembers which game in this browser is over, so that the next one need not ask for its place.
pub(crate) fn note_end(before: Option<&TableModel>, after: &TableModel) {
    let is_over = |seen: &TableModel| seen.phase().is_over();
    if after.home == Home::Server || before.is_some_and(|before| is_over(before) == is_over(after)) {
        return;
    }
    match is_over(after) {
        true => browser::keep("over", after.game.as_str()),
        false => browser::forget("over"),
    }
}

/// Whether a game waits in this browser that is not over.
pub(crate) fn has_open_game() -> bool {
    ticket(Home::Browser).is_some_and(|ticket| browser::kept("over").as_deref() != Some(ticket.game_id.as_str()))
}

/// Under which name the ticket of a table is kept.
const fn kept_name(home: Home) -> &'static str {
    match home {
        Home::Browser => "offline",
        Home::Server => "online",
    }
}

/// The ticket that was kept for a table in this browser or on the server.
pub(crate) fn ticket(home: Home) -> Option<Ticket> {
    texas42_protocol::read(&browser::kept(kept_name(home))?).ok()
}

/// Hands the present view to the page.
fn show(app: App) {
    let seen = CONNECTION.with(|connection| {
        let connection = connection.borrow();
        let connection = connection.as_ref()?;
        let (version, view) = connection.client.table()?;
        let seat = connection.client.seat().or_else(|| own_seat(&connection.client));
        let mut seen = TableModel {
            game: connection.client.game_id()?.clone(),
            home: connection.home,
            version,
            view: view.clone(),
            player_id: connection.client.player_id().cloned(),
            seat,
            capabilities: connection.client.capabilities().to_vec(),
            bottom: seat.unwrap_or(Seat::ALL[0]),
            best: None,
        };
        // A coach sits behind the student.
        seen.bottom = seat.or(seen.student()).unwrap_or(seen.bottom);
        Some(seen)
    });
    if let Some(seen) = seen {
        app.show(Arc::new(seen));
    }
}

fn own_seat(client: &GameClient) -> Option<Seat> {
    let (_, view) = client.table()?;
    view.players.iter().find(|player| Some(&player.player_id) == client.player_id())?.player_index
}
