//! Runs bot decisions on blocking threads, limited by a semaphore.

use std::{sync::Arc, time::Duration};

use texas42_hosting::DecisionRequest;
use tokio::sync::{OwnedSemaphorePermit, mpsc::WeakSender};

use super::{server::Shared, table::TableCommand};
use crate::strategies;

/// How long a decision waits for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Computes a decision and sends it to the table. If the strategy panics, it sends `None`, and the bot falls back.
///
/// Decisions may take long, so they run outside of the table's task, and their number is limited. A bot that gets no
/// permit in time uses the beginner strategy, which costs next to nothing: load makes bots weaker, not games slower. At
/// seeded tables bots wait for a permit, because everyone who plays the same hand must face the same opponents.
pub(crate) fn think(shared: &Arc<Shared>, thought: DecisionRequest, table: WeakSender<TableCommand>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let permit = acquire_permit(&shared, thought.is_seeded()).await;
        let strategy = match &permit {
            Some(_) => Arc::clone(&shared.settings.strategy),
            None => strategies::by_name(strategies::QUICK).expect("QUICK is in NAMES"),
        };
        let ticket = thought.ticket;
        let decided = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            strategy(&thought.question.view, thought.question.seat, thought.seed)
        });
        let decision = decided.await.ok().map(Box::new);
        if let Some(table) = table.upgrade() {
            table.send(TableCommand::Decided { ticket, decision }).await.ok();
        }
    });
}

async fn acquire_permit(shared: &Arc<Shared>, is_patient: bool) -> Option<OwnedSemaphorePermit> {
    let permit = Arc::clone(&shared.thinking_permits).acquire_owned();
    if is_patient {
        return permit.await.ok();
    }
    tokio::time::timeout(PERMIT_TIMEOUT, permit).await.ok()?.ok()
}
