//! An offline game becomes an online one, in the middle of a hand. The worker hands out what it has written down and then
//! holds still; the server goes on from there, and the page changes its line. When that does not work the worker goes on,
//! and nothing has happened.

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
    /// The events of the table, in order, as they are stored.
    log: Vec<Box<RawValue>>,
}

/// Why a game stays where it is.
enum Failure {
    /// Nobody answers, or somebody who knows no games.
    NoServer,
    /// The server says why not.
    Refused(Box<WireError>),
}

/// Asks the worker for its log; [`upload`] goes on with it.
pub(crate) fn begin(app: App) {
    app.dialogs.close();
    app.tell(app.words().going_online);
    connection::export();
}

/// Takes the log to the server that the page came from.
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

/// The table is there: the page goes over to it, and shows how a friend gets in.
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
