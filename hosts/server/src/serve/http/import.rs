//! `POST /api/games/import`: continues a game that was started in a browser, even in the middle of a hand.
//!
//! The table's id derives from the session key, as for tables created here, so a repeated import finds its table.
//! `Room::adopt` validates the imported log.

use std::{net::IpAddr, sync::Arc};

use axum::{
    Extension,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use texas42_hosting::{Creator, IMPORT, TableHost, id_of, import_key, rejoin_import_call, routes::Endpoint};
use texas42_phrases::Problem;
use texas42_protocol::{SecretKey, ServerMessage, WireError};

use super::{
    super::{creation, server::Shared},
    App, Peer, ask, authorization, message_answer, refusal, set_up,
};

pub(super) async fn import(
    State(shared): App,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let Ok(body) = body else { return too_long() };
    let key = match import_key(authorization(&headers)) {
        Ok(key) => key,
        Err(error) => return refusal(Some(IMPORT), error),
    };
    if creation::has_table(&shared, &key).await {
        return ask(&shared, &id_of(&key), rejoin_import_call(key)).await;
    }
    match adopt(&shared, peer.0, key, body.to_vec()).await {
        Ok(host) => set_up(&shared, host, IMPORT).await,
        Err(answer) => message_answer(&answer),
    }
}

/// Reading and replaying a long log takes a while, so it runs on a thinking thread.
async fn adopt(
    shared: &Arc<Shared>,
    address: IpAddr,
    key: SecretKey,
    body: Vec<u8>,
) -> Result<TableHost, Box<ServerMessage>> {
    let refuse = |error| Box::new(ServerMessage::refusal(Some(IMPORT), None, error));
    creation::check_new_table(shared, address).map_err(refuse)?;
    let _permit = shared.thinking_permits.acquire().await;
    let new = creation::new_host(shared, id_of(&key), Creator::Call);
    let replay = move || texas42_hosting::import(&new, &key, &body);
    let failed = |error: tokio::task::JoinError| {
        refuse(WireError::new(Problem::LogUnreadable { detail: error.to_string() }).at("log"))
    };
    tokio::task::spawn_blocking(replay).await.unwrap_or_else(|error| Err(failed(error)))
}

fn too_long() -> Response {
    let bytes = Endpoint::Import.route().body.max_bytes() as u32;
    let mut response = refusal(Some(IMPORT), WireError::new(Problem::LogTooLong { bytes }).at("log"));
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}
