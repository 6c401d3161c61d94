//! The open tables by id. A table that is not open is restored from its log on demand.

use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    sync::{Arc, Mutex},
};

use texas42_hosting::TableHost;
use texas42_phrases::Problem;
use texas42_protocol::{GameId, WireError};

use super::{
    clock,
    server::Shared,
    store::{Store, StoreError},
    table::{self, TableCommand, TableHandle, TableTask},
};

/// The tables in memory.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    open: Mutex<HashMap<GameId, TableHandle>>,
    /// Serializes restores, so that no table is restored twice.
    restore_lock: tokio::sync::Mutex<()>,
}

impl Tables {
    /// Returns the handle of a table; restores it from the store if it is not open.
    pub(crate) async fn open(&self, shared: &Arc<Shared>, id: &GameId) -> Result<TableHandle, WireError> {
        if let Some(handle) = self.get(id) {
            return Ok(handle);
        }
        let _guard = self.restore_lock.lock().await;
        if let Some(handle) = self.get(id) {
            return Ok(handle);
        }
        self.restore(shared, id).await
    }

    /// [`open`](Self::open) as a boxed future, because an evicted table's own task calls it.
    pub(crate) fn reopen(
        shared: Arc<Shared>,
        id: GameId,
    ) -> Pin<Box<dyn Future<Output = Result<TableHandle, WireError>> + Send>> {
        Box::pin(async move { shared.tables.open(&shared, &id).await })
    }

    async fn restore(&self, shared: &Arc<Shared>, id: &GameId) -> Result<TableHandle, WireError> {
        let read = shared.store.load(id).await.map_err(|error| {
            tracing::error!(table = %id, %error, "the table could not be read from the store");
            match error {
                StoreError::DamagedTable(_) => WireError::new(Problem::LogLost),
                error => WireError::new(Problem::NotRead { detail: error.summary().to_owned() }),
            }
        })?;
        let Some((tail, log)) = read else {
            return Err(WireError::new(Problem::NoSuchGame));
        };
        let bots = shared.settings.bots();
        let host =
            TableHost::restore(clock::now(), id.clone(), &log, [], bots, clock::random()).inspect_err(|error| {
                tracing::error!(table = %id, error = error.message, "the table could not be restored from its log");
            })?;
        let host = host.with_code(shared.codes.of_table(id));
        self.check_capacity(shared)?;
        shared.metrics.rooms_restored.add(1);
        let (handle, inbox) = table::channel();
        let task = TableTask::new(Arc::clone(shared), host, Some(tail), &handle, inbox);
        self.add(id, &handle);
        tokio::spawn(task.run());
        Ok(handle)
    }

    /// Checks that the server may open one more table.
    pub(crate) fn check_capacity(&self, shared: &Shared) -> Result<(), WireError> {
        let count = self.open.lock().map_or(usize::MAX, |open| open.len());
        if count < shared.settings.max_tables {
            return Ok(());
        }
        Err(WireError::new(Problem::ServerFull))
    }

    fn add(&self, id: &GameId, handle: &TableHandle) {
        if let Ok(mut open) = self.open.lock() {
            open.insert(id.clone(), handle.clone());
        }
    }

    /// Adds a table unless it is already open; returns whether it was added.
    pub(crate) fn add_new(&self, id: &GameId, handle: &TableHandle) -> bool {
        let Ok(mut open) = self.open.lock() else { return false };
        let is_new = open.get(id).is_none_or(TableHandle::is_closed);
        if is_new {
            open.insert(id.clone(), handle.clone());
        }
        is_new
    }

    /// The handle of an open table. A task that panicked leaves a closed handle behind, which counts as not open.
    fn get(&self, id: &GameId) -> Option<TableHandle> {
        self.open.lock().ok()?.get(id).filter(|handle| !handle.is_closed()).cloned()
    }

    /// Deletes closed tables last written before `before`. Holds the restore lock, so that no table is restored while
    /// it is deleted.
    pub(crate) async fn delete_untouched(&self, store: &Store, before: u64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let _guard = self.restore_lock.lock().await;
            let open: HashSet<GameId> = self.open.lock().map(|open| open.keys().cloned().collect()).unwrap_or_default();
            match store.delete_untouched(before, open).await? {
                0 => return Ok(deleted),
                more => deleted += more,
            }
        }
    }

    pub(crate) fn remove(&self, id: &GameId) {
        if let Ok(mut open) = self.open.lock() {
            open.remove(id);
        }
    }

    /// Tells every table that the server is shutting down.
    pub(crate) async fn stop(&self) {
        let all: Vec<TableHandle> = self.open.lock().map(|open| open.values().cloned().collect()).unwrap_or_default();
        for handle in all {
            handle.send(TableCommand::Stop).await.ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_whose_task_died_is_not_open_and_can_be_added_again() {
        let (tables, id) = (Tables::default(), GameId::try_from("table").unwrap());
        let (handle, inbox) = table::channel();
        assert!(tables.add_new(&id, &handle));
        assert!(tables.get(&id).is_some());
        drop(inbox);
        assert!(tables.get(&id).is_none(), "a closed handle must not be returned");
        let (handle, _inbox) = table::channel();
        assert!(tables.add_new(&id, &handle), "a closed handle must not block a new table");
    }
}
