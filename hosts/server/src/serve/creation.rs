//! Setting up a table: limits, the search for a deal, the task of the new table, and the way back for a client that asks for
//! the same table again.

use std::{net::IpAddr, pin::Pin, sync::Arc};

use texas42_hosting::{Founder, NewHost, Setup, SetupStep, TableHost, id_for, id_of};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, RequestId, SecretKey, ServerMessage, WireError};
use texas42_room::ConnectionId;

use super::{
    clock,
    server::Shared,
    table::{self, Handle, TableTask},
};

/// The request that sets up a table.
pub(crate) const CREATE: &str = "CREATE_GAME";

/// A table that was set up and is not stored yet, or the answer that refuses it.
pub(crate) type Made = Result<Box<TableHost>, ServerMessage>;

/// The table that a connection is setting up. The connection is heard while a deal is searched for. Dropping this stops the
/// search and leaves nothing behind.
pub(crate) struct Pending {
    request: Option<RequestId>,
    key: Option<SecretKey>,
    work: Pin<Box<dyn Future<Output = Made> + Send>>,
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
        let work = Box::pin(create(Arc::clone(shared), address, Founder::Connection(connection), message, progress));
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
pub(crate) async fn finished(pending: &mut Option<Pending>) -> (Option<RequestId>, Made) {
    let Some(table) = pending else { return std::future::pending().await };
    let made = table.work.as_mut().await;
    (pending.take().and_then(|table| table.request), made)
}

/// Sets up a table, telling of progress where that takes long. Whoever drops it stops the search.
pub(crate) async fn create(
    shared: Arc<Shared>,
    address: IpAddr,
    founder: Founder,
    message: ClientMessage,
    progress: impl Fn(ServerMessage),
) -> Made {
    let (kind, request) = (message.name(), message.request_id().cloned());
    check_new_table(&shared, address).map_err(|error| ServerMessage::refusal(Some(kind), request.clone(), error))?;
    let mut setup = Setup::new(new_host(&shared, id_for(&message, clock::random()), founder), message);
    loop {
        let step = if setup.is_searching() {
            let slice = look(&shared, setup).await;
            let lost = || WireError::new(Problem::NoHandFound);
            let Some(slice) = slice else { return Err(ServerMessage::refusal(Some(kind), request, lost())) };
            setup = slice.0;
            slice.1
        } else {
            setup.poll()
        };
        match step {
            SetupStep::Progress(message) => progress(*message),
            SetupStep::Ready(host) => return Ok(host),
            SetupStep::Refused(answer) => return Err(*answer),
        }
    }
}

/// What this server brings along for a new table.
pub(crate) fn new_host(shared: &Shared, id: GameId, founder: Founder) -> NewHost {
    let (randomness, seed) = (clock::random(), clock::random());
    NewHost { now: clock::now(), id, founder, bots: shared.settings.bots(), randomness, seed }
}

/// One slice of a search. It is thinking, so it is done where bots think and not where messages are handled. It keeps its
/// place to its end, also when nobody waits for it any more.
async fn look(shared: &Shared, mut setup: Setup) -> Option<(Setup, SetupStep)> {
    let place = Arc::clone(&shared.thinkers).acquire_owned().await;
    let slice = tokio::task::spawn_blocking(move || {
        let _place = place;
        let step = setup.poll();
        (setup, step)
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
pub(crate) fn spawn(
    shared: &Arc<Shared>,
    host: TableHost,
    prepare: impl FnOnce(TableTask) -> TableTask,
) -> Option<Handle> {
    let (handle, inbox) = table::channel();
    if !shared.tables.add_new(host.id(), &handle) {
        return None;
    }
    shared.metrics.tables_created.add(1);
    let task = TableTask::around(Arc::clone(shared), host, None, &handle, inbox);
    tokio::spawn(prepare(task).run());
    Some(handle)
}

pub(crate) fn set_up_twice() -> WireError {
    WireError::new(Problem::SetUpTwice)
}

/// A creation that came before, with the same key, is not done again: its maker comes back to the table that stands.
pub(crate) async fn come_back_instead(shared: &Arc<Shared>, message: &ClientMessage) -> Option<ClientMessage> {
    let back = texas42_hosting::come_back_instead(message)?;
    shared.tables.open(shared, back.game_id()?).await.ok()?;
    Some(back)
}

/// Whether the holder of a key has set a table up.
pub(crate) async fn has_table(shared: &Arc<Shared>, key: &SecretKey) -> bool {
    shared.tables.open(shared, &id_of(key)).await.is_ok()
}
