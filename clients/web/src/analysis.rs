//! Requests to separate workers, so that the tables of this browser keep running: what an expert would do, and whether
//! hands were dealt fairly.

use std::cell::OnceCell;

use texas42_protocol::HandWitness;
use texas42_worker_protocol::{FromWorker, ToWorker, Verdict};

use crate::{app::App, connection::WorkerLink, table_model::TableModel};

thread_local! {
    static EXPERT: OnceCell<WorkerLink> = const { OnceCell::new() };
}

/// Asks for the expert's advice, which is then added to the shown table.
pub(crate) fn ask_expert(app: App, table: &TableModel) {
    let question = ToWorker::Advise { version: table.version, seat: table.bottom, view: Box::new(table.view.clone()) };
    let spawn = || {
        WorkerLink::spawn(move |_, message| {
            if let FromWorker::Advised { version, advice } = message {
                app.table.advised(version, &advice);
            }
        })
    };
    EXPERT.with(|expert| expert.get_or_init(spawn).post(&question));
}

/// Verifies that hands were dealt as committed.
pub(crate) fn verify(app: App, witnesses: Vec<HandWitness>, hear: impl Fn(Verdict) + 'static) {
    let worker = WorkerLink::spawn(move |worker, message| {
        if let FromWorker::Verified(verdict) = message {
            worker.terminate();
            hear(verdict);
        }
    });
    worker.on_error(move || app.tell(app.words().worker_failed));
    worker.post(&ToWorker::Verify { witnesses });
}
