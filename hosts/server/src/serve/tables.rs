//! The tables that are in memory, by their ids. A table that is not there is built again from its log when somebody comes.

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
    table::{self, Handle, TableTask, ToTable},
};

/// The tables in memory.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    open: Mutex<HashMap<GameId, Handle>>,
    /// One table is read from the store at a time by one task: two must not build the same one.
    reading: tokio::sync::Mutex<()>,
}

impl Tables {
    /// The way to a table; it is read from the store when it is not in memory.
    pub(crate) async fn open(&self, shared: &Arc<Shared>, id: &GameId) -> Result<Handle, WireError> {
        if let Some(handle) = self.known(id) {
            return Ok(handle);
        }
        let _one_at_a_time = self.reading.lock().await;
        if let Some(handle) = self.known(id) {
            return Ok(handle);
        }
        self.restore(shared, id).await
    }

    /// The same as a future of its own: a table that ends opens the one that follows it.
    pub(crate) fn open_again(
        shared: Arc<Shared>,
        id: GameId,
    ) -> Pin<Box<dyn Future<Output = Result<Handle, WireError>> + Send>> {
        Box::pin(async move { shared.tables.open(&shared, &id).await })
    }

    async fn restore(&self, shared: &Arc<Shared>, id: &GameId) -> Result<Handle, WireError> {
        let read = shared.store.load(id).await.map_err(|error| {
            tracing::error!(table = %id, %error, "a table could not be read");
            WireError::new(Problem::NotRead { detail: error.to_string() })
        })?;
        let Some((tail, log)) = read else {
            return Err(WireError::new(Problem::NoSuchGame));
        };
        let bots = shared.settings.bots();
        let host =
            TableHost::restore(clock::now(), id.clone(), &log, [], bots, clock::random()).inspect_err(|error| {
                tracing::error!(table = %id, error = error.message, "a log does not make a table");
            })?;
        self.check_room(shared)?;
        shared.metrics.rooms_restored.add(1);
        let (handle, inbox) = table::channel();
        let task = TableTask::around(Arc::clone(shared), host, Some(tail), &handle, inbox);
        self.add(id, &handle);
        tokio::spawn(task.run());
        Ok(handle)
    }

    /// Whether there is room for one more.
    pub(crate) fn check_room(&self, shared: &Shared) -> Result<(), WireError> {
        let count = self.open.lock().map_or(usize::MAX, |open| open.len());
        if count < shared.settings.most_tables {
            return Ok(());
        }
        Err(WireError::new(Problem::ServerFull))
    }

    fn add(&self, id: &GameId, handle: &Handle) {
        if let Ok(mut open) = self.open.lock() {
            open.insert(id.clone(), handle.clone());
        }
    }

    /// Adds a table that was not there; says whether it could.
    pub(crate) fn add_new(&self, id: &GameId, handle: &Handle) -> bool {
        let Ok(mut open) = self.open.lock() else { return false };
        let is_new = open.get(id).is_none_or(Handle::is_closed);
        if is_new {
            open.insert(id.clone(), handle.clone());
        }
        is_new
    }

    /// A table that ended without a word, because of a fault, is not there: whoever comes next builds it again.
    fn known(&self, id: &GameId) -> Option<Handle> {
        self.open.lock().ok()?.get(id).filter(|handle| !handle.is_closed()).cloned()
    }

    /// Removes tables at which nothing happened since then, and which nobody has open. No table is read meanwhile, so
    /// none that is being removed comes back.
    pub(crate) async fn forget_old(&self, store: &Store, before: u64) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let _nobody_reads = self.reading.lock().await;
            let open: HashSet<GameId> = self.open.lock().map(|open| open.keys().cloned().collect()).unwrap_or_default();
            match store.forget(before, open).await? {
                0 => return Ok(forgotten),
                more => forgotten += more,
            }
        }
    }

    pub(crate) fn forget(&self, id: &GameId) {
        if let Ok(mut open) = self.open.lock() {
            open.remove(id);
        }
    }

    /// Tells every table that the server ends.
    pub(crate) async fn stop(&self) {
        let all: Vec<Handle> = self.open.lock().map(|open| open.values().cloned().collect()).unwrap_or_default();
        for handle in all {
            handle.send(ToTable::Stop).await.ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_whose_task_died_is_not_there_and_makes_room_for_the_next() {
        let (tables, id) = (Tables::default(), GameId::try_from("table").unwrap());
        let (handle, inbox) = table::channel();
        assert!(tables.add_new(&id, &handle));
        assert!(tables.known(&id).is_some());
        drop(inbox);
        assert!(tables.known(&id).is_none(), "whoever comes builds it again");
        let (handle, _inbox) = table::channel();
        assert!(tables.add_new(&id, &handle), "and nothing stands in the way");
    }
}
