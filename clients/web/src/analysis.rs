//! Requests to separate workers, so that the tables of this browser keep running: what an expert would do, and whether
//! hands were dealt fairly.

use std::cell::OnceCell;

use texas42_protocol::{DrawWitness, HandWitness};
use texas42_worker_protocol::{DealVerification, FromWorker, ToWorker};

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
                tell_worth(app, version);
            }
        })
    };
    EXPERT.with(|expert| expert.get_or_init(spawn).post(&question));
}

/// Says what the hand is worth, if the person has asked: where the table gives hints, they are shown at the choices.
fn tell_worth(app: App, version: u64) {
    let Some(table) = app.table.now().filter(|table| table.version == version && table.may_ask_worth()) else { return };
    if let Some(worth) = table.worth(app.words()) {
        app.show_notice(worth);
    }
}

/// Verifies that hands were dealt, and the first shaker drawn, as committed.
pub(crate) fn verify(
    app: App,
    witnesses: Vec<HandWitness>,
    draw: Option<DrawWitness>,
    on_verdict: impl Fn(DealVerification) + 'static,
) {
    let worker = WorkerLink::spawn(move |worker, message| {
        if let FromWorker::Verified(verdict) = message {
            worker.terminate();
            on_verdict(verdict);
        }
    });
    worker.on_error(move || app.show_notice(app.words().calculation_failed));
    worker.post(&ToWorker::Verify { witnesses, draw });
}
