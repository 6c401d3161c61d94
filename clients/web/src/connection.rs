//! The connection to a table: a Web Worker in this browser, or the server that served the page. Both carry the same
//! frames to the same [`ClientCore`]; this module owns the connection and carries out the client's requests.

mod hot_seat;
mod news;
mod offline;
mod online;
mod transport;
mod worker_link;

use std::{cell::RefCell, sync::Arc, time::Duration};

use leptos::prelude::*;
use texas42_client::{ClientCore, Credentials, Heartbeat, Ticket};
use texas42_protocol::{ClientMessage, ServerMessage};

use self::{hot_seat::HotSeatSession, transport::Transport};
pub(crate) use self::{
    hot_seat::show_person,
    offline::{ask_for_record, export, release},
    worker_link::WorkerLink,
};
use crate::{
    app::App,
    browser::{self, TICKETS, now},
    table_model::{HostKind, TableModel},
};

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionState {
    /// No table.
    None,
    /// Connecting.
    Connecting,
    /// The table searches for a deal of the requested difficulty; progress in percent.
    SearchingDeal(u8),
    /// Joined.
    Up,
    /// Lost; reconnecting.
    Down {
        /// Whether a request of the person waits to be sent.
        is_waiting: bool,
    },
    /// The game continues in another tab, or the session on another device.
    Elsewhere(HostKind),
}

struct Connection {
    /// The client of the person whose view is shown, and the channel of its frames.
    client: ClientCore,
    channel: u8,
    /// The sessions of the other people at this device.
    hot_seat: Vec<HotSeatSession>,
    home: HostKind,
    transport: Transport,
    /// Counts the sockets. What an earlier one still reports is ignored: without a network, a socket takes a minute to close.
    socket: u32,
    /// When an attempt to connect that gets no answer is given up.
    connect_by: Option<u64>,
    timer: Option<TimeoutHandle>,
    /// Distinguishes it from earlier connections, whose late messages are ignored.
    number: u32,
}

impl Connection {
    /// Drops a socket without waiting until it is closed. The client reconnects.
    fn drop_socket(&mut self) {
        self.transport.close_socket();
        self.transport = Transport::Socket(None);
        self.socket += 1;
        self.connect_by = None;
        self.client.handle_disconnected(now(), None);
    }

    /// Drops a socket that is dead, or that does not open.
    fn drop_dead_socket(&mut self) {
        let is_late = self.connect_by.is_some_and(|at| at <= now());
        if self.client.poll_close() || is_late {
            self.drop_socket();
        }
    }

    /// The client whose frames travel on a channel.
    fn client_on(&mut self, channel: u8) -> Option<&mut ClientCore> {
        if self.channel == channel {
            return Some(&mut self.client);
        }
        self.hot_seat.iter_mut().find(|player| player.channel == channel).map(|player| &mut player.client)
    }
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
pub(crate) fn open(app: App, home: HostKind, credentials: Credentials) {
    hang_up(app);
    connect_to(app, home, ClientCore::new(credentials, browser::random()));
}

/// Rejoins a table.
pub(crate) fn resume(app: App, home: HostKind, ticket: Ticket) {
    hang_up(app);
    connect_to(app, home, ClientCore::resume(ticket.clone(), browser::random()));
    if home == HostKind::Browser {
        hot_seat::resume(app, &ticket);
    }
}

/// Moves the shown table to the server. It stays on the screen until the server has sent its view.
pub(crate) fn change_over(app: App, ticket: Ticket) {
    close();
    TICKETS.keep(HostKind::Server, &ticket);
    connect_to(app, HostKind::Server, ClientCore::resume(ticket, browser::random()));
}

/// Disconnects and clears the shown table. The table itself is unaffected.
pub(crate) fn hang_up(app: App) {
    close();
    app.forget_table();
    app.connection.set(ConnectionState::None);
}

/// Another tab has taken over the game of this browser: disconnects, so that only one tab plays it.
pub(crate) fn yield_game(app: App) {
    if ask(|connection| connection.home == HostKind::Browser) == Some(true) {
        goes_on_elsewhere(app, HostKind::Browser);
    }
}

/// Disconnects, but keeps the ticket.
fn goes_on_elsewhere(app: App, home: HostKind) {
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

fn connect_to(app: App, home: HostKind, client: ClientCore) {
    app.connection.set(ConnectionState::Connecting);
    app.table.reset_clock();
    let number = NUMBERS.with(|numbers| {
        *numbers.borrow_mut() += 1;
        *numbers.borrow()
    });
    let transport = match home {
        HostKind::Browser => {
            browser::dispatch("texas42-here");
            Transport::Worker(offline::start_worker(app, number))
        }
        HostKind::Server => Transport::Socket(None),
    };
    let connection = Connection {
        client: client.with_heartbeat(Heartbeat::QUICK),
        channel: 0,
        hot_seat: Vec::new(),
        home,
        transport,
        socket: 0,
        connect_by: None,
        timer: None,
        number,
    };
    CONNECTION.with(|current| *current.borrow_mut() = Some(connection));
    match home {
        HostKind::Browser => {
            with_client(app, ClientCore::handle_connected);
        }
        HostKind::Server => pump(app),
    }
}

/// Calls the client, then carries out its requests.
pub(crate) fn with_client<T>(app: App, work: impl FnOnce(&mut ClientCore, u64) -> T) -> Option<T> {
    let done = change(|connection| work(&mut connection.client, now()));
    pump(app);
    done
}

/// Handles a frame of the table on a channel.
fn handle_frame(app: App, channel: u8, frame: &str) {
    match texas42_protocol::read::<ServerMessage>(frame) {
        Ok(message) => {
            match message {
                ServerMessage::Pong { time: Some(time), .. } => app.table.note_time(time),
                ServerMessage::Pong { time: None, .. } => {}
                _ => app.frame_log.note('←', frame),
            }
            change(|connection| {
                if let Some(client) = connection.client_on(channel) {
                    client.handle_message(now(), &message);
                }
            });
            pump(app);
        }
        Err(error) => {
            app.frame_log.note('←', frame);
            browser::log_error(&format!("unreadable frame: {error}"));
        }
    }
}

/// Carries out the client's requests: connect, send, report, wait.
fn pump(app: App) {
    let news = change(|connection| {
        connection.drop_dead_socket();
        if connection.transport.is_disconnected() && connection.client.connect_at().is_some_and(|at| at <= now()) {
            online::connect(app, connection);
        }
        while let Some(frame) = connection.client.poll_frame() {
            send(app, &connection.transport, connection.channel, &frame);
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
    hot_seat::pump_all(app);
    show_waiting(app);
    schedule(app);
}

/// Shows whether a request waits for the connection.
fn show_waiting(app: App) {
    let is_waiting = ask(|connection| connection.client.is_waiting()) == Some(true);
    let down = ConnectionState::Down { is_waiting };
    if matches!(app.connection.get_untracked(), ConnectionState::Down { .. }) && app.connection.get_untracked() != down
    {
        app.connection.set(down);
    }
}

/// The device has lost its network.
pub(crate) fn lose_network(app: App) {
    let is_lost = change(|connection| {
        let has_socket = matches!(connection.transport, Transport::Socket(Some(_)));
        has_socket.then(|| connection.drop_socket())
    });
    if is_lost.flatten().is_some() {
        pump(app);
    }
}

/// The network may be back, or the person is: finds out now instead of later.
pub(crate) fn check_network(app: App) {
    if ask(|connection| connection.home == HostKind::Server) == Some(true) {
        with_client(app, ClientCore::handle_network_change);
    }
}

fn send(app: App, transport: &Transport, channel: u8, frame: &ClientMessage) {
    let text = texas42_protocol::to_json(frame);
    // The heartbeat would displace everything else.
    if !matches!(frame, ClientMessage::Ping { .. }) {
        app.frame_log.note('→', &text);
    }
    transport.send(channel, text);
}

/// Sets the timer to the client's next deadline.
fn schedule(app: App) {
    change(|connection| {
        if let Some(timer) = connection.timer.take() {
            timer.clear();
        }
        let connects = connection.client.connect_at().filter(|_| connection.transport.is_disconnected());
        // A worker never drops its connection, so it needs no pings.
        let wakes = connection.client.wake_at().filter(|_| connection.home == HostKind::Server);
        let Some(at) = connects.into_iter().chain(wakes).chain(connection.connect_by).min() else { return };
        let wait = Duration::from_millis(at.saturating_sub(now()).max(1));
        let wake = move || {
            with_client(app, ClientCore::handle_time);
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
