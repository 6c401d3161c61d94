//! An offline game becomes an online one, in the middle of a hand. The worker hands out what it has written down and then
//! holds still; the server goes on from there, and the page changes its line. When that does not work the worker goes on,
//! and nothing has happened.

use leptos::prelude::Set;
use texas42_client::Ticket;
use texas42_protocol::{SecretKey, ServerMessage};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortSignal, Headers, RequestInit, Response, window};

use crate::{
    app::{App, Dialog},
    browser, line,
    seen::Home,
    words::fill,
};

/// How long the server may take, in milliseconds.
const PATIENCE: u32 = 15_000;

/// Why a game stays where it is.
enum Failure {
    /// Nobody answers, or somebody who knows no games.
    NoServer,
    /// The server says why not.
    Refused(String),
}

/// Asks the worker for its log; [`upload`] goes on with it.
pub(crate) fn begin(app: App) {
    app.dialog.set(None);
    app.tell(app.words().going_online);
    line::export();
}

/// Takes the log to the server that the page came from.
pub(crate) fn upload(app: App, log: String) {
    let Some(ticket) = line::ticket(Home::Browser) else {
        line::release();
        return;
    };
    spawn_local(async move {
        match import(&ticket.key, &log).await {
            Ok(game_id) => arrive(app, Ticket { game_id, ..ticket }),
            Err(failure) => stay(app, &failure),
        }
    });
}

/// The table is there: the page goes over to it, and shows how a friend gets in.
fn arrive(app: App, ticket: Ticket) {
    app.move_memories(&ticket.game_id);
    browser::forget("offline");
    line::change_over(app, ticket);
    app.notice.set(None);
    app.dialog.set(Some(Dialog::Invite));
}

fn stay(app: App, failure: &Failure) {
    line::release();
    let words = app.words();
    app.tell(match failure {
        Failure::NoServer => words.needs_server.to_owned(),
        Failure::Refused(why) => fill(words.stays_offline, &[&words.of_the_table(why)]),
    });
}

async fn import(key: &SecretKey, log: &str) -> Result<texas42_protocol::GameId, Failure> {
    let answer = post(key, &format!("{{\"log\":{log}}}")).await.map_err(|_| Failure::NoServer)?;
    match texas42_protocol::read(&answer) {
        Ok(ServerMessage::GameCreated { game_id, .. } | ServerMessage::Joined { game_id, .. }) => Ok(game_id),
        Ok(ServerMessage::Error { error, .. }) => Err(Failure::Refused(error.message)),
        _ => Err(Failure::NoServer),
    }
}

async fn post(key: &SecretKey, body: &str) -> Result<String, JsValue> {
    let headers = Headers::new()?;
    headers.set("authorization", &format!("Bearer {}", String::from(key.clone())))?;
    headers.set("content-type", "application/json")?;
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_headers(&headers);
    request.set_body(&body.into());
    request.set_signal(Some(&AbortSignal::timeout_with_u32(PATIENCE)));
    let url = format!("{}api/games/import", browser::address());
    let fetching = window().ok_or("there is no window")?.fetch_with_str_and_init(&url, &request);
    let response: Response = JsFuture::from(fetching).await?.unchecked_into();
    JsFuture::from(response.text()?).await?.as_string().ok_or_else(|| "no text".into())
}
