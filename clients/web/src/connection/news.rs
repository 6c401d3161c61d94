//! Handles the events that the client reports.

use leptos::prelude::Set;
use texas42_client::ClientEvent;
use texas42_protocol::ClientMessage;

use super::{ConnectionState, ask, send};
use crate::{
    app::{App, Screen},
    browser::{self, TICKETS},
    table_model::Home,
};

/// After this many failed attempts, a person who has not joined yet is told that no server answers.
const MAX_ATTEMPTS: u32 = 2;

/// Handles one event.
pub(super) fn handle_news(app: App, news: ClientEvent) {
    match news {
        ClientEvent::Joined => joined(app),
        ClientEvent::Disconnected if should_give_up() => app.return_to_form(app.words().needs_server),
        ClientEvent::Disconnected => app.connection.set(ConnectionState::Down),
        ClientEvent::Refused { error, .. } => app.refused(&error),
        ClientEvent::Over { error } if has_never_joined() => app.handle_join_refused(&error),
        ClientEvent::Over { error } => {
            app.connection.set(ConnectionState::None);
            app.refused(&error);
            if let Some(home) = ask(|connection| connection.home) {
                TICKETS.forget(home);
            }
            app.go(Screen::Home);
        }
        ClientEvent::Invited { key: Some(key), .. } => {
            app.invitations.receive(app.with_table(|table| table.game.clone()), &key);
        }
        // In steps of ten percent, so that a screen reader can follow.
        ClientEvent::Progress { percent, .. } => app.connection.set(ConnectionState::Looking(percent / 10 * 10)),
        _ => {}
    }
}

/// Stores the ticket and sets the fragment, so that a reload rejoins the table.
fn joined(app: App) {
    app.connection.set(ConnectionState::Up);
    ask(|connection| {
        let Some(ticket) = connection.client.ticket() else { return };
        TICKETS.keep(connection.home, ticket);
        match connection.home {
            Home::Browser => browser::set_fragment("play"),
            Home::Server => {
                browser::set_fragment(&format!("table/{}", ticket.game_id));
                // The reply contains the table's time, which a person who joins in the middle of a turn needs.
                send(app, &connection.transport, &ClientMessage::Ping { nonce: 0 });
            }
        }
    });
}

fn has_never_joined() -> bool {
    ask(|connection| connection.client.ticket().is_none()) == Some(true)
}

/// Whether to give up connecting: no server answers, and the person has not joined yet. Everyone else keeps trying.
fn should_give_up() -> bool {
    has_never_joined()
        && ask(|connection| connection.home == Home::Server && connection.client.failed_attempts() >= MAX_ATTEMPTS)
            == Some(true)
}
