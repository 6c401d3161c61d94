//! The connection to the server: opens a WebSocket and handles its events.

use texas42_client::{GameClient, close::DISPLACED};

use super::{
    Connection, change, goes_on_elsewhere, hear, is_current,
    transport::{SocketEvent, Transport, open_socket},
    with_client,
};
use crate::{app::App, browser, table_model::Home};

/// Opens the socket of a connection that has none.
pub(super) fn connect(app: App, connection: &mut Connection) {
    let number = connection.number;
    let socket = open_socket(&socket_url(&connection.client), move |event| {
        if is_current(number) {
            hear_socket(app, event);
        }
    });
    if socket.is_some() {
        connection.transport = Transport::Socket(socket);
    }
}

fn hear_socket(app: App, event: SocketEvent) {
    match event {
        SocketEvent::Opened => {
            with_client(app, GameClient::handle_connected);
        }
        SocketEvent::Frame(text) => hear(app, &text),
        SocketEvent::Closed(DISPLACED) => goes_on_elsewhere(app, Home::Server),
        SocketEvent::Closed(code) => {
            change(|connection| connection.transport = Transport::Socket(None));
            with_client(app, |client, now| client.handle_disconnected(now, Some(code)));
        }
    }
}

/// The WebSocket URL. It names the table if it is known, so that a host with many machines can route the connection.
fn socket_url(client: &GameClient) -> String {
    let base = browser::address().replacen("http", "ws", 1);
    match client.game_id() {
        Some(game) => format!("{base}api/games/{game}/ws"),
        None => format!("{base}api/ws"),
    }
}
