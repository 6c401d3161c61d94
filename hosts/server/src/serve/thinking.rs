//! Runs bot decisions on blocking threads, limited by a semaphore.

use std::{sync::Arc, time::Duration};

use texas42_ai::Strategy;
use texas42_hosting::{DecisionRequest, HintRequest};
use tokio::sync::{OwnedSemaphorePermit, mpsc::WeakSender};

use super::{DecideFn, server::Shared, table::TableCommand};
use crate::strategies;

/// How long a decision waits for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Computes a decision and sends it to the table. If the strategy panics, it sends `None`, and the bot falls back.
///
/// Decisions may take long, so they run outside of the table's task, and their number is limited. A bot that gets no
/// permit in time uses the beginner strategy, which costs next to nothing: load makes bots weaker, not games slower. At
/// seeded tables bots wait for a permit, because everyone who plays the same hand must face the same opponents.
pub(crate) fn think(shared: &Arc<Shared>, request: DecisionRequest, table: WeakSender<TableCommand>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let permit = acquire_permit(&shared, request.is_seeded()).await;
        let strategy = strategy_for(&shared, request.level(), permit.is_some());
        let id = request.id;
        let decided = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            strategy(&request.question.view, request.question.seat, request.seed)
        });
        let decision = decided.await.ok().map(Box::new);
        if let Some(table) = table.upgrade() {
            table.send(TableCommand::Decided { id, decision }).await.ok();
        }
    });
}

/// Computes hints and sends them to the table. Without a permit in time there are none for this decision: load makes
/// hints rarer, not games slower.
pub(crate) fn advise(shared: &Arc<Shared>, request: HintRequest, table: WeakSender<TableCommand>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let Some(permit) = acquire_permit(&shared, request.is_seeded()).await else { return };
        let point = request.point;
        let computed = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            request.compute()
        });
        let Ok(hints) = computed.await else { return };
        if let Some(table) = table.upgrade() {
            table.send(TableCommand::Hinted(Box::new((point, hints)))).await.ok();
        }
    });
}

/// The strategy of the level that the table chose, or of the server. Without a permit, a strategy that searches is
/// replaced by the quick one.
fn strategy_for(shared: &Shared, level: Option<Strategy>, may_search: bool) -> DecideFn {
    let named = |name| strategies::by_name(name).expect("every level and QUICK have a name");
    match level {
        Some(level) if may_search || level.effort().is_none() => named(level.name()),
        None if may_search => Arc::clone(&shared.settings.strategy),
        _ => named(strategies::QUICK),
    }
}

/// Acquires a permit. Waits as long as it takes if `waits`, otherwise up to [`PERMIT_TIMEOUT`].
async fn acquire_permit(shared: &Arc<Shared>, waits: bool) -> Option<OwnedSemaphorePermit> {
    let permit = Arc::clone(&shared.thinking_permits).acquire_owned();
    if waits {
        return permit.await.ok();
    }
    tokio::time::timeout(PERMIT_TIMEOUT, permit).await.ok()?.ok()
}
