//! Setting up a table: limits, the search for a deal, the task of the new table, and the way back for a client that asks for
//! the same table again.

use std::{net::IpAddr, pin::Pin, sync::Arc};

use texas42_hosting::{back_to_own, id_of, look_for, readable_id};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, Name, RequestId, SecretKey, ServerMessage, WireError};
use texas42_room::{ConnectionId, Creation, NewTable, Room, Step};

use super::{
    clock,
    server::Shared,
    table::{self, Handle, TableTask},
};

/// The request that sets up a table.
pub(crate) const CREATE: &str = "CREATE_GAME";

/// The table that a connection is setting up. The connection is heard while a deal is searched for. Dropping this stops the
/// search and leaves nothing behind.
pub(crate) struct Pending {
    request: Option<RequestId>,
    key: Option<SecretKey>,
    work: Pin<Box<dyn Future<Output = Result<Room, ServerMessage>> + Send>>,
}

impl Pending {
    /// Begins to set up the table that a message asks for. Poll it with [`finished`].
    pub(crate) fn new(
        shared: &Arc<Shared>,
        address: IpAddr,
        connection: ConnectionId,
        message: ClientMessage,
        progress: impl Fn(ServerMessage) + Send + 'static,
    ) -> Self {
        let request = message.request_id().cloned();
        let key = match &message {
            ClientMessage::CreateGame { session_key, .. } => session_key.clone(),
            _ => None,
        };
        let work = Box::pin(create(Arc::clone(shared), address, connection, message, progress));
        Self { request, key, work }
    }

    /// Whether a message asks for this very table, as a client does that has heard nothing for a while.
    pub(crate) fn is_for(&self, message: &ClientMessage) -> bool {
        let ClientMessage::CreateGame { session_key: Some(key), .. } = message else { return false };
        self.key.as_ref() == Some(key)
    }

    /// The answer to the request when the client has asked for something else in the meantime.
    pub(crate) fn given_up(self) -> ServerMessage {
        let error = WireError::new(Problem::TableGivenUp);
        ServerMessage::refusal(Some(CREATE), self.request, error)
    }
}

/// Waits for the table that is being set up, and takes it; for ever where there is none.
pub(crate) async fn finished(pending: &mut Option<Pending>) -> (Option<RequestId>, Result<Room, ServerMessage>) {
    let Some(table) = pending else { return std::future::pending().await };
    let made = table.work.as_mut().await;
    (pending.take().and_then(|table| table.request), made)
}

/// Sets up a table, telling of progress where that takes long. Whoever drops it stops the search.
pub(crate) async fn create(
    shared: Arc<Shared>,
    address: IpAddr,
    connection: ConnectionId,
    message: ClientMessage,
    progress: impl Fn(ServerMessage),
) -> Result<Room, ServerMessage> {
    let (kind, request) = (message.name(), message.request_id().cloned());
    check_new_table(&shared, address).map_err(|error| ServerMessage::refusal(Some(kind), request.clone(), error))?;
    let id = match &message {
        ClientMessage::CreateGame { session_key: Some(key), .. } => id_of(key),
        _ => readable_id(&clock::random::<12>()),
    };
    let new = NewTable { id, randomness: clock::random(), connection };
    let mut creation = Creation::new(clock::now(), new, message, look_for);
    loop {
        let step = if creation.is_searching() {
            let slice = look(&shared, creation).await;
            let lost = || WireError::new(Problem::NoHandFound);
            let Some(slice) = slice else { return Err(ServerMessage::refusal(Some(kind), request, lost())) };
            creation = slice.0;
            slice.1
        } else {
            creation.poll()
        };
        match step {
            Step::Progress(message) => progress(*message),
            Step::Ready(room) => return Ok(*room),
            Step::Refused(answer) => return Err(*answer),
        }
    }
}

/// One slice of a search. It is thinking, so it is done where programs think and not where messages are handled. It keeps its
/// place to its end, also when nobody waits for it any more.
async fn look(shared: &Shared, mut creation: Creation) -> Option<(Creation, Step)> {
    let place = Arc::clone(&shared.thinkers).acquire_owned().await;
    let slice = tokio::task::spawn_blocking(move || {
        let _place = place;
        let step = creation.poll();
        (creation, step)
    });
    slice.await.ok()
}

/// Whether an address may set up a table now, and the server holds one more.
pub(crate) fn check_new_table(shared: &Shared, address: IpAddr) -> Result<(), WireError> {
    if !shared.addresses.may_create(address) {
        shared.metrics.rate_limited.add(1);
        return Err(WireError::new(Problem::TooManyTables));
    }
    shared.tables.check_room(shared)
}

/// Starts the task of a new table; nothing when the same table is being set up already.
pub(crate) fn spawn(shared: &Arc<Shared>, room: Room, prepare: impl FnOnce(TableTask) -> TableTask) -> Option<Handle> {
    let (handle, inbox) = table::channel();
    if !shared.tables.add_new(room.id(), &handle) {
        return None;
    }
    shared.metrics.tables_created.add(1);
    let task = TableTask::new(Arc::clone(shared), room, &handle, inbox);
    tokio::spawn(prepare(task).run());
    Some(handle)
}

pub(crate) fn set_up_twice() -> WireError {
    WireError::new(Problem::SetUpTwice)
}

/// A creation that came before, with the same key, is not done again: its maker comes back to the table that stands.
pub(crate) async fn come_back_instead(shared: &Arc<Shared>, message: &ClientMessage) -> Option<ClientMessage> {
    let ClientMessage::CreateGame { request_id, name, session_key: Some(key), .. } = message else { return None };
    come_back_to_own(shared, key, request_id.clone(), name.clone()).await
}

/// The way back to the table that the holder of a key has set up, if there is one.
pub(crate) async fn come_back_to_own(
    shared: &Arc<Shared>,
    key: &SecretKey,
    request_id: Option<RequestId>,
    name: Name,
) -> Option<ClientMessage> {
    shared.tables.open(shared, &id_of(key)).await.ok()?;
    Some(back_to_own(key, request_id, name))
}
