//! Moves an offline game to the server, even in the middle of a hand. The worker exports its log and pauses, the server
//! imports the log, and the page connects to the server. If that fails, the worker resumes and nothing has changed.

use serde::Serialize;
use texas42_client::Ticket;
use texas42_protocol::{GameId, SecretKey, ServerMessage, WireError};
use texas42_vocab::json::RawJson;
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::{App, Dialog},
    browser::{self, TICKETS, WITNESSES},
    connection,
    table_model::HostKind,
    words::fill,
};

/// The body of an import request.
#[derive(Serialize)]
struct Import<'a> {
    /// The stored events of the table, in order.
    log: Vec<RawJson<'a>>,
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
    app.show_notice(app.words().going_online);
    connection::export();
}

/// Sends the log to the server that served the page.
pub(crate) fn upload(app: App, log: Vec<String>) {
    let Some(ticket) = TICKETS.get(HostKind::Browser) else {
        connection::release();
        return;
    };
    spawn_local(async move {
        match import(&ticket.key, &log).await {
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
    TICKETS.forget(HostKind::Browser);
    connection::change_over(app, ticket);
    app.announcements.clear_notice();
    app.dialogs.open(Dialog::Invite);
}

fn stay(app: App, failure: &Failure) {
    connection::release();
    let words = app.words();
    app.show_notice(match failure {
        Failure::NoServer => words.needs_server.to_owned(),
        Failure::Refused(error) => fill(words.stays_offline, &[&error.sentence(words)]),
    });
}

async fn import(key: &SecretKey, log: &[String]) -> Result<GameId, Failure> {
    let body = texas42_protocol::to_json(&Import { log: log.iter().map(|event| RawJson(event)).collect() });
    let answer = browser::ask_server(Some(key), "api/games/import", Some(&body)).await.ok_or(Failure::NoServer)?;
    match texas42_protocol::read(&answer) {
        Ok(ServerMessage::GameCreated { game_id, .. } | ServerMessage::Joined { game_id, .. }) => Ok(game_id),
        Ok(ServerMessage::Error { error, .. }) => Err(Failure::Refused(Box::new(error))),
        _ => Err(Failure::NoServer),
    }
}
