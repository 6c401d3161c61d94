//! The connection to the server: opens a WebSocket and handles its events.

use texas42_client::{ClientCore, close::DISPLACED};

use super::{
    Connection, ask, change, goes_on_elsewhere, handle_frame, is_current,
    transport::{SocketEvent, Transport, open_socket},
    with_client,
};
use crate::{app::App, browser, table_model::HostKind};

/// How long an attempt to connect may take, in milliseconds.
const CONNECT_TIMEOUT: u64 = 10_000;

/// Opens the socket of a connection that has none.
pub(super) fn connect(app: App, connection: &mut Connection) {
    connection.socket += 1;
    let (number, socket_number) = (connection.number, connection.socket);
    let is_open = move || is_current(number) && ask(|connection| connection.socket) == Some(socket_number);
    let socket = open_socket(&socket_url(&connection.client), move |event| {
        if is_open() {
            handle_socket_event(app, event);
        }
    });
    if socket.is_some() {
        connection.transport = Transport::Socket(socket);
        connection.connect_by = Some(browser::now() + CONNECT_TIMEOUT);
    }
}

fn handle_socket_event(app: App, event: SocketEvent) {
    match event {
        SocketEvent::Opened => {
            change(|connection| connection.connect_by = None);
            with_client(app, ClientCore::handle_connected);
        }
        SocketEvent::Frame(text) => handle_frame(app, 0, &text),
        SocketEvent::Closed(DISPLACED) => goes_on_elsewhere(app, HostKind::Server),
        SocketEvent::Closed(code) => {
            change(|connection| {
                connection.transport = Transport::Socket(None);
                connection.connect_by = None;
            });
            with_client(app, |client, now| client.handle_disconnected(now, Some(code)));
        }
    }
}

/// The WebSocket URL. It names the table if it is known, so that a host with many machines can route the connection.
fn socket_url(client: &ClientCore) -> String {
    let base = browser::address().replacen("http", "ws", 1);
    match client.game_id() {
        Some(game) => format!("{base}api/games/{game}/ws"),
        None => format!("{base}api/ws"),
    }
}
