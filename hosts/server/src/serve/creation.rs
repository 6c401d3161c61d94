//! Table creation: limits, the search for a deal, and the task of the new table. A repeated request rejoins the table
//! that the first one created.

use std::{net::IpAddr, pin::Pin, sync::Arc};

use texas42_hosting::{Creator, NewHost, RequestRef, Setup, SetupStep, TableHost, id_for, id_of};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, SecretKey, ServerMessage, WireError};
use texas42_room::ConnectionId;

use super::{
    clock,
    server::Shared,
    table::{self, TableHandle, TableTask},
};

/// The type of the message that creates a table.
pub(crate) const CREATE: &str = "CREATE_GAME";

/// A created table that is not stored yet, or the refusal to send.
pub(crate) type CreationResult = Result<Box<TableHost>, ServerMessage>;

/// A table that a connection is creating. The connection keeps receiving messages during the deal search. Dropping this
/// value cancels the search without side effects.
pub(crate) struct PendingCreation {
    /// The request.
    pub(crate) message: ClientMessage,
    work: Pin<Box<dyn Future<Output = CreationResult> + Send>>,
}

impl PendingCreation {
    /// Starts to create the table that a message requests. Wait for it with [`completed`].
    pub(crate) fn new(
        shared: &Arc<Shared>,
        address: IpAddr,
        connection: ConnectionId,
        message: ClientMessage,
        progress: impl Fn(ServerMessage) + Send + 'static,
    ) -> Self {
        let creator = Creator::Connection(connection);
        let work = Box::pin(create(Arc::clone(shared), address, creator, message.clone(), progress));
        Self { message, work }
    }

    /// The reply to the request after the client has sent a different one.
    pub(crate) fn cancelled(&self) -> ServerMessage {
        RequestRef::of(&self.message).refuse(WireError::new(Problem::TableClosed))
    }
}

/// Waits for the pending table and takes it. Never completes if there is none.
pub(crate) async fn completed(pending: &mut Option<PendingCreation>) -> (RequestRef, CreationResult) {
    let Some(table) = pending else { return std::future::pending().await };
    let result = table.work.as_mut().await;
    let request = RequestRef::of(&table.message);
    *pending = None;
    (request, result)
}

/// Creates a table and reports the progress of a long deal search. Dropping the future cancels the search.
pub(crate) async fn create(
    shared: Arc<Shared>,
    address: IpAddr,
    creator: Creator,
    message: ClientMessage,
    progress: impl Fn(ServerMessage),
) -> CreationResult {
    let request = RequestRef::of(&message);
    check_new_table(&shared, address).map_err(|error| request.clone().refuse(error))?;
    let mut setup = Setup::new(new_host(&shared, id_for(&message, clock::random()), creator), message);
    loop {
        let step = if setup.is_searching() {
            let slice = search_slice(&shared, setup).await;
            let Some(slice) = slice else { return Err(request.refuse(WireError::new(Problem::NoHandFound))) };
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

/// The inputs that this server provides for a new table.
pub(crate) fn new_host(shared: &Shared, id: GameId, creator: Creator) -> NewHost {
    let (randomness, seed) = (clock::random(), clock::random());
    NewHost { now: clock::now(), id, creator, bots: shared.settings.bots(), randomness, seed }
}

/// Runs one slice of a deal search on a thinking thread, like a bot's decision. The slice keeps its permit until it is
/// done, even if its caller is gone.
async fn search_slice(shared: &Shared, mut setup: Setup) -> Option<(Setup, SetupStep)> {
    let permit = Arc::clone(&shared.thinking_permits).acquire_owned().await;
    let slice = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let step = setup.poll();
        (setup, step)
    });
    slice.await.ok()
}

/// Checks the address's rate limit and the server's capacity.
pub(crate) fn check_new_table(shared: &Shared, address: IpAddr) -> Result<(), WireError> {
    if !shared.addresses.may_create(address) {
        shared.metrics.rate_limited.add(1);
        return Err(WireError::new(Problem::TooManyTables));
    }
    shared.tables.check_capacity(shared)
}

/// Starts the task of a new table; `None` if a table with this id is already open.
pub(crate) fn spawn(
    shared: &Arc<Shared>,
    host: TableHost,
    prepare: impl FnOnce(TableTask) -> TableTask,
) -> Option<TableHandle> {
    let (handle, inbox) = table::channel();
    if !shared.tables.add_new(host.id(), &handle) {
        return None;
    }
    shared.metrics.tables_created.add(1);
    let task = TableTask::new(Arc::clone(shared), host, None, &handle, inbox);
    tokio::spawn(prepare(task).run());
    Some(handle)
}

pub(crate) fn already_creating() -> WireError {
    WireError::new(Problem::SetUpTwice)
}

/// For a repeated create request with the same key: the message that rejoins the table it created.
pub(crate) async fn rejoin_instead(shared: &Arc<Shared>, message: &ClientMessage) -> Option<ClientMessage> {
    let rejoin = texas42_hosting::rejoin_message(message)?;
    shared.tables.open(shared, rejoin.game_id()?).await.ok()?;
    Some(rejoin)
}

/// Whether the table created with this key exists.
pub(crate) async fn has_table(shared: &Arc<Shared>, key: &SecretKey) -> bool {
    shared.tables.open(shared, &id_of(key)).await.is_ok()
}
