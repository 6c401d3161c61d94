//! The connection to a table: a Web Worker in this browser, or the server that served the page. Both carry the same
//! frames to the same [`GameClient`]; this module owns the connection and carries out the client's requests.

mod news;
mod offline;
mod online;
mod transport;
mod worker_link;

use std::{cell::RefCell, sync::Arc, time::Duration};

use leptos::prelude::*;
use texas42_client::{Credentials, GameClient, Ticket};
use texas42_protocol::{ClientMessage, ServerMessage};

use self::transport::Transport;
pub(crate) use self::{
    offline::{ask_for_record, export, release},
    worker_link::WorkerLink,
};
use crate::{
    app::App,
    browser::{self, TICKETS, now},
    table_model::{Home, TableModel},
};

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionState {
    /// No table.
    None,
    /// Connecting.
    Connecting,
    /// The table searches for a deal of the requested difficulty; progress in percent.
    Looking(u8),
    /// Joined.
    Up,
    /// Lost; reconnecting.
    Down,
    /// The game continues in another tab, or the session on another device.
    Elsewhere(Home),
}

struct Connection {
    client: GameClient,
    home: Home,
    transport: Transport,
    timer: Option<TimeoutHandle>,
    /// Distinguishes it from earlier connections, whose late messages are ignored.
    number: u32,
}

thread_local! {
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
    static NUMBERS: RefCell<u32> = const { RefCell::new(0) };
}

/// Reads something of the current connection.
fn ask<T>(ask: impl FnOnce(&Connection) -> T) -> Option<T> {
    CONNECTION.with(|connection| connection.borrow().as_ref().map(ask))
}

/// Changes something of the current connection.
fn change<T>(change: impl FnOnce(&mut Connection) -> T) -> Option<T> {
    CONNECTION.with(|connection| connection.borrow_mut().as_mut().map(change))
}

fn is_current(number: u32) -> bool {
    ask(|connection| connection.number == number) == Some(true)
}

/// Creates or joins a table in this browser or on the server.
pub(crate) fn open(app: App, home: Home, entrance: Credentials) {
    hang_up(app);
    connect_to(app, home, GameClient::new(entrance, browser::random()));
}

/// Rejoins a table.
pub(crate) fn resume(app: App, home: Home, ticket: Ticket) {
    hang_up(app);
    connect_to(app, home, GameClient::resume(ticket, browser::random()));
}

/// Moves the shown table to the server. It stays on the screen until the server has sent its view.
pub(crate) fn change_over(app: App, ticket: Ticket) {
    close();
    TICKETS.keep(Home::Server, &ticket);
    connect_to(app, Home::Server, GameClient::resume(ticket, browser::random()));
}

/// Disconnects and clears the shown table. The table itself is unaffected.
pub(crate) fn hang_up(app: App) {
    close();
    app.forget_table();
    app.connection.set(ConnectionState::None);
}

/// Another tab has taken over the game of this browser: disconnects, so that only one tab plays it.
pub(crate) fn yield_game(app: App) {
    if ask(|connection| connection.home == Home::Browser) == Some(true) {
        goes_on_elsewhere(app, Home::Browser);
    }
}

/// Disconnects, but keeps the ticket.
fn goes_on_elsewhere(app: App, home: Home) {
    hang_up(app);
    app.dialogs.close();
    app.connection.set(ConnectionState::Elsewhere(home));
}

fn close() {
    let Some(connection) = CONNECTION.with(|connection| connection.borrow_mut().take()) else { return };
    if let Some(timer) = connection.timer {
        timer.clear();
    }
    connection.transport.close();
}

fn connect_to(app: App, home: Home, client: GameClient) {
    app.connection.set(ConnectionState::Connecting);
    app.table.reset_clock();
    let number = NUMBERS.with(|numbers| {
        *numbers.borrow_mut() += 1;
        *numbers.borrow()
    });
    let transport = match home {
        Home::Browser => {
            browser::dispatch("texas42-here");
            Transport::Worker(offline::start_worker(app, number))
        }
        Home::Server => Transport::Socket(None),
    };
    CONNECTION.with(|connection| {
        *connection.borrow_mut() = Some(Connection { client, home, transport, timer: None, number });
    });
    match home {
        Home::Browser => {
            with_client(app, GameClient::handle_connected);
        }
        Home::Server => pump(app),
    }
}

/// Calls the client, then carries out its requests.
pub(crate) fn with_client<T>(app: App, work: impl FnOnce(&mut GameClient, u64) -> T) -> Option<T> {
    let done = change(|connection| work(&mut connection.client, now()));
    pump(app);
    done
}

fn hear(app: App, frame: &str) {
    app.frame_log.note('←', frame);
    match texas42_protocol::read::<ServerMessage>(frame) {
        Ok(message) => {
            if let ServerMessage::Pong { time: Some(time), .. } = message {
                app.table.note_time(time);
            }
            with_client(app, |client, now| client.handle_message(now, &message));
        }
        Err(error) => browser::log_error(&format!("unreadable frame: {error}")),
    }
}

/// Carries out the client's requests: connect, send, report, wait.
fn pump(app: App) {
    let news = change(|connection| {
        if connection.client.poll_close() {
            connection.transport.close_socket();
        }
        if connection.transport.is_disconnected() && connection.client.connect_at().is_some_and(|at| at <= now()) {
            online::connect(app, connection);
        }
        while let Some(frame) = connection.client.poll_frame() {
            send(app, &connection.transport, &frame);
        }
        core::iter::from_fn(|| connection.client.poll_event()).collect::<Vec<_>>()
    })
    .unwrap_or_default();
    let has_news = !news.is_empty();
    for item in news {
        news::handle_news(app, item);
    }
    if has_news {
        show(app);
    }
    schedule(app);
}

fn send(app: App, transport: &Transport, frame: &ClientMessage) {
    let text = texas42_protocol::to_json(frame);
    app.frame_log.note('→', &text);
    transport.send(text);
}

/// Sets the timer to the client's next deadline.
fn schedule(app: App) {
    change(|connection| {
        if let Some(timer) = connection.timer.take() {
            timer.clear();
        }
        let connects = connection.client.connect_at().filter(|_| connection.transport.is_disconnected());
        // A worker never drops its connection, so it needs no pings.
        let wakes = connection.client.wake_at().filter(|_| connection.home == Home::Server);
        let Some(at) = connects.into_iter().chain(wakes).min() else { return };
        let wait = Duration::from_millis(at.saturating_sub(now()).max(1));
        let wake = move || {
            with_client(app, GameClient::handle_time);
        };
        connection.timer = set_timeout_with_handle(wake, wait).ok();
    });
}

/// Shows the current view.
fn show(app: App) {
    let table = ask(|connection| TableModel::of_client(&connection.client, connection.home)).flatten();
    if let Some(table) = table {
        app.show(Arc::new(table));
    }
}
