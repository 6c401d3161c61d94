//! `POST /api/games/import`: continues a game that was started in a browser, even in the middle of a hand.
//!
//! The table's id derives from the session key, as for tables created here, so a repeated import finds its table.
//! `Room::adopt` validates the imported log.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use texas42_hosting::{Creator, IMPORT, TableHost, id_of, import_key, rejoin_import_call, routes::Endpoint};
use texas42_phrases::Problem;
use texas42_protocol::{SecretKey, ServerMessage, WireError};

use super::{
    super::{creation, server::Shared},
    App, Peer, ask, authorization,
    body::{BufferedBody, Unread, check_declared},
    message_answer, refusal, set_up,
};

pub(super) async fn import(State(shared): App, Extension(peer): Extension<Peer>, request: Request) -> Response {
    // The body is long, so it is read last.
    if check_declared(request.headers(), Endpoint::Import.route().body.max_bytes()).is_err() {
        return too_long();
    }
    let key = match import_key(authorization(request.headers())) {
        Ok(key) => key,
        Err(error) => return refusal(Some(IMPORT), error),
    };
    if creation::has_table(&shared, &key).await {
        return ask(&shared, &id_of(&key), rejoin_import_call(key)).await;
    }
    if let Err(error) = creation::check_new_table(&shared, peer.0) {
        return refusal(Some(IMPORT), error);
    }
    let body = match BufferedBody::read(&shared, request).await {
        Ok(body) => body,
        Err(Unread::TooLong) => return too_long(),
        Err(unread) => return unread.answer(Some(IMPORT)),
    };
    match adopt(&shared, key, body).await {
        Ok(host) => set_up(&shared, host, IMPORT).await,
        Err(answer) => message_answer(&answer),
    }
}

/// Reading and replaying a long log takes a while, so it runs on a thinking thread, which keeps its permit and the body
/// until it is done, even if the client is gone.
async fn adopt(shared: &Arc<Shared>, key: SecretKey, body: BufferedBody) -> Result<TableHost, Box<ServerMessage>> {
    let permit = Arc::clone(&shared.thinking_permits).acquire_owned().await;
    let new = creation::new_host(shared, id_of(&key), Creator::Call);
    let replay = move || {
        let _permit = permit;
        texas42_hosting::import(&new, &key, body.bytes())
    };
    let failed = |_| Box::new(ServerMessage::refusal(Some(IMPORT), None, WireError::new(Problem::CannotAnswer)));
    tokio::task::spawn_blocking(replay).await.unwrap_or_else(|error| Err(failed(error)))
}

fn too_long() -> Response {
    let bytes = Endpoint::Import.route().body.max_bytes() as u32;
    let mut response = refusal(Some(IMPORT), WireError::new(Problem::LogTooLong { bytes }).at("log"));
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}
