//! Moves an offline game to the server, even in the middle of a hand. The worker exports its log and pauses, the server
//! imports the log, and the page connects to the server. If that fails, the worker resumes and nothing has changed.

use serde::Serialize;
use serde_json::value::RawValue;
use texas42_client::Ticket;
use texas42_protocol::{GameId, SecretKey, ServerMessage, WireError};
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::{App, Dialog},
    browser::{self, TICKETS, WITNESSES},
    connection,
    table_model::Home,
    words::fill,
};

/// The body of an import request.
#[derive(Serialize)]
struct Import {
    /// The stored events of the table, in order.
    log: Vec<Box<RawValue>>,
}

/// Why a game stays offline.
enum Failure {
    /// No server answered, or one that is not a Texas 42 server.
    NoServer,
    /// The server refused.
    Refused(Box<WireError>),
}

/// Requests the worker's log; [`upload`] continues with it.
pub(crate) fn begin(app: App) {
    app.dialogs.close();
    app.tell(app.words().going_online);
    connection::export();
}

/// Sends the log to the server that served the page.
pub(crate) fn upload(app: App, log: Vec<Box<RawValue>>) {
    let Some(ticket) = TICKETS.get(Home::Browser) else {
        connection::release();
        return;
    };
    spawn_local(async move {
        match import(&ticket.key, log).await {
            Ok(game_id) => arrive(app, Ticket { game_id, ..ticket }),
            Err(failure) => stay(app, &failure),
        }
    });
}

/// Connects to the table on the server and shows the invite dialog.
fn arrive(app: App, ticket: Ticket) {
    if let Some(table) = app.table.now() {
        WITNESSES.move_to(&table, &ticket.game_id);
    }
    TICKETS.forget(Home::Browser);
    connection::change_over(app, ticket);
    app.announcements.clear_notice();
    app.dialogs.open(Dialog::Invite);
}

fn stay(app: App, failure: &Failure) {
    connection::release();
    let words = app.words();
    app.tell(match failure {
        Failure::NoServer => words.needs_server.to_owned(),
        Failure::Refused(error) => fill(words.stays_offline, &[&error.said(words)]),
    });
}

async fn import(key: &SecretKey, log: Vec<Box<RawValue>>) -> Result<GameId, Failure> {
    let body = serde_json::to_string(&Import { log }).unwrap_or_default();
    let answer = browser::ask_server(key, "api/games/import", Some(&body)).await.ok_or(Failure::NoServer)?;
    match texas42_protocol::read(&answer) {
        Ok(ServerMessage::GameCreated { game_id, .. } | ServerMessage::Joined { game_id, .. }) => Ok(game_id),
        Ok(ServerMessage::Error { error, .. }) => Err(Failure::Refused(Box::new(error))),
        _ => Err(Failure::NoServer),
    }
}
