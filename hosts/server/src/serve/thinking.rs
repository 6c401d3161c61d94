//! Where bots think: beside the tables, so many at once.

use std::{sync::Arc, time::Duration};

use texas42_hosting::Thought;
use tokio::sync::{OwnedSemaphorePermit, mpsc::WeakSender};

use super::{server::Shared, table::ToTable};
use crate::strategies;

/// So long a bot waits for a place to think.
const PATIENCE: Duration = Duration::from_secs(1);

/// Decides, and tells the table. A decision that panics is told as none, and the bot goes on without it.
///
/// Thinking may take long, so it is not done where messages are handled, and only so many think at once. A bot that finds no
/// place in time goes by rules of thumb, which cost nothing: many tables make the players weaker and not the game slower. Only
/// at seeded tables a bot waits for its place, because everybody who plays the same hand meets the same players.
pub(crate) fn think(shared: &Arc<Shared>, thought: Thought, table: WeakSender<ToTable>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let place = place(&shared, thought.is_seeded()).await;
        let strategy = match &place {
            Some(_) => Arc::clone(&shared.settings.strategy),
            None => strategies::by_name(strategies::QUICK).expect("it is one of the names"),
        };
        let ticket = thought.ticket;
        let decided = tokio::task::spawn_blocking(move || {
            let _place = place;
            strategy(&thought.question.view, thought.question.seat, thought.seed)
        });
        let decision = decided.await.ok().map(Box::new);
        if let Some(table) = table.upgrade() {
            table.send(ToTable::Decided { ticket, decision }).await.ok();
        }
    });
}

async fn place(shared: &Arc<Shared>, is_patient: bool) -> Option<OwnedSemaphorePermit> {
    let place = Arc::clone(&shared.thinkers).acquire_owned();
    if is_patient {
        return place.await.ok();
    }
    tokio::time::timeout(PATIENCE, place).await.ok()?.ok()
}
