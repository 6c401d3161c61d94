//! `POST /api/games/import`: a game that was begun in a browser goes on here, in the middle of a hand.
//!
//! Its key names the table, as it does for a table that is set up here, so that an import whose answer was lost finds
//! its table again. What may be brought is decided by [`Room::adopt`].

use std::{net::IpAddr, sync::Arc};

use axum::{
    Extension,
    body::{Body, to_bytes},
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use texas42_hosting::{CallId, id_of, routes::MOST_IMPORT_BYTES};
use texas42_phrases::Problem;
use texas42_protocol::{Name, SecretKey, ServerMessage, WireError};
use texas42_room::{Brought, NewTable, Room};

use super::{
    super::{clock, creation, server::Shared},
    App, Peer, come_back, key_of, message_answer, refusal, set_up,
};

const KIND: &str = "IMPORT_GAME";

pub(super) async fn import(
    State(shared): App,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Ok(body) = to_bytes(body, MOST_IMPORT_BYTES).await else { return too_long() };
    let key = match key_of(&headers) {
        Ok(Some(key)) => key,
        Ok(None) => {
            return refusal(Some(KIND), WireError::new(Problem::KeyMissing));
        }
        Err(error) => return refusal(Some(KIND), error),
    };
    let nameless = Name::try_from("Guest").expect("this name is short");
    if let Some(back) = creation::come_back_to_own(&shared, &key, None, nameless).await {
        return come_back(&shared, back).await;
    }
    match adopt(&shared, peer.0, key, body.to_vec()).await {
        Ok((room, request)) => set_up(&shared, room, KIND, request).await,
        Err(answer) => message_answer(&answer),
    }
}

/// Reading and replaying a long log takes a while, so it is done where programs think.
async fn adopt(
    shared: &Arc<Shared>,
    address: IpAddr,
    key: SecretKey,
    body: Vec<u8>,
) -> Result<(Room, Option<texas42_protocol::RequestId>), Box<ServerMessage>> {
    let refuse = |error| Box::new(ServerMessage::refusal(Some(KIND), None, error));
    creation::check_new_table(shared, address).map_err(refuse)?;
    let _place = shared.thinkers.acquire().await;
    let new = NewTable { id: id_of(&key), randomness: clock::random(), connection: CallId::CREATION.connection() };
    let replay = move || {
        let brought: Brought = serde_json::from_slice(&body)
            .map_err(|error| refuse(WireError::new(Problem::Unreadable { detail: error.to_string() })))?;
        Ok((Room::adopt(clock::now(), new, &key, &brought)?, brought.request_id))
    };
    let failed = |error: tokio::task::JoinError| {
        refuse(WireError::new(Problem::LogUnreadable { detail: error.to_string() }).at("log"))
    };
    tokio::task::spawn_blocking(replay).await.unwrap_or_else(|error| Err(failed(error)))
}

fn too_long() -> Response {
    let mut response =
        refusal(Some(KIND), WireError::new(Problem::LogTooLong { bytes: MOST_IMPORT_BYTES as u32 }).at("log"));
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}
