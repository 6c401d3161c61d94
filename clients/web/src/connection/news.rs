//! Handles the events that the client reports.

use leptos::prelude::Set;
use texas42_client::ClientEvent;
use texas42_protocol::ClientMessage;

use super::{ConnectionState, ask, hot_seat, send};
use crate::{
    app::{App, Screen},
    browser::{self, TICKETS},
    table_model::HostKind,
};

/// After this many failed attempts, the page reports to a person who has not joined yet that no server answers.
const MAX_ATTEMPTS: u32 = 2;

/// Handles one event.
pub(super) fn handle_news(app: App, news: ClientEvent) {
    match news {
        ClientEvent::Joined => joined(app),
        ClientEvent::Disconnected if should_give_up() => app.return_to_form(app.words().needs_server),
        ClientEvent::Disconnected => app.connection.set(ConnectionState::Down { is_waiting: false }),
        ClientEvent::Refused { error, .. } => {
            app.table.sent.set(None);
            app.refused(&error);
        }
        ClientEvent::Over { error } if has_never_joined() => app.handle_join_refused(&error),
        ClientEvent::Over { error } => {
            app.connection.set(ConnectionState::None);
            app.refused(&error);
            if let Some(home) = ask(|connection| connection.home) {
                TICKETS.forget(home);
            }
            app.go(Screen::Home);
        }
        // The page asks for invites to a table in this browser only for people at this device.
        ClientEvent::Invited { key: Some(key), .. } if is_here() => hot_seat::join(app, key),
        ClientEvent::Invited { invite, key: Some(key), .. } => {
            app.invites.receive(app.with_table(|table| table.game.clone()), invite, &key);
        }
        ClientEvent::Invited { invite, key: None, .. } => {
            app.invites.remove(app.with_table(|table| table.game.clone()).as_ref(), invite);
            app.show_notice(app.words().revoked);
        }
        ClientEvent::Waiting => app.connection.set(ConnectionState::Connecting),
        ClientEvent::LobbyChanged { .. } => {
            app.show_lobby(ask(|connection| connection.client.lobby().clone()).unwrap_or_default());
        }
        ClientEvent::Said { player, phrase, domino, .. } => app.hear(&player, phrase, domino),
        // In steps of ten percent, so that a screen reader can follow.
        ClientEvent::Progress { percent, .. } => app.connection.set(ConnectionState::SearchingDeal(percent / 10 * 10)),
        _ => {}
    }
}

/// Stores the ticket and sets the fragment, so that a reload rejoins the table.
fn joined(app: App) {
    app.connection.set(ConnectionState::Up);
    let joined = ask(|connection| connection.client.ticket().map(|ticket| (connection.home, ticket.clone())));
    match joined.flatten() {
        Some((HostKind::Browser, ticket)) => {
            app.keep_game(&ticket);
            browser::set_fragment("play");
        }
        Some((HostKind::Server, ticket)) => {
            TICKETS.keep(HostKind::Server, &ticket);
            app.invites.recall(&ticket.game_id);
            browser::set_fragment(&format!("table/{}", ticket.game_id));
            // The reply contains the table's time, which a person who joins in the middle of a turn needs.
            ask(|connection| send(app, &connection.transport, connection.channel, &ClientMessage::Ping { nonce: 0 }));
        }
        None => {}
    }
    if is_here() {
        hot_seat::note_shown_seat(app);
        hot_seat::invite_next(app);
    }
}

/// Whether the table is in this browser.
fn is_here() -> bool {
    ask(|connection| connection.home == HostKind::Browser) == Some(true)
}

fn has_never_joined() -> bool {
    ask(|connection| connection.client.ticket().is_none()) == Some(true)
}

/// Whether to give up connecting: no server answers, and the person has not joined yet. Everyone else keeps trying.
fn should_give_up() -> bool {
    has_never_joined()
        && ask(|connection| connection.home == HostKind::Server && connection.client.failed_attempts() >= MAX_ATTEMPTS)
            == Some(true)
}
