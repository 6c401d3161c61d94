//! A Web Worker that runs tables, and the messages to and from it.

use texas42_display::worker_script::WorkerScript;
use texas42_worker_protocol::{FromWorker, ToWorker};

use crate::browser;

/// A running worker.
#[derive(Clone)]
pub(crate) struct WorkerLink(WorkerScript);

impl WorkerLink {
    /// Starts a worker. `on_message` is called with each of its messages; those that either side cannot read are logged.
    pub(crate) fn spawn(mut on_message: impl FnMut(&Self, FromWorker) + 'static) -> Self {
        Self(WorkerScript::spawn("worker.js", move |worker, text| match FromWorker::read(&text) {
            Ok(FromWorker::Unreadable { error }) => browser::log_error(&format!("unreadable to the worker: {error}")),
            Ok(message) => on_message(&Self(worker.clone()), message),
            Err(error) => browser::log_error(&format!("unreadable from the worker: {error}")),
        }))
    }

    /// Calls `fail` when the worker crashes or cannot be loaded.
    pub(crate) fn on_error(&self, fail: impl FnMut() + 'static) {
        self.0.on_error(fail);
    }

    /// Sends a message.
    pub(crate) fn post(&self, message: &ToWorker) {
        self.0.post(message.write());
    }

    /// Ends the worker.
    pub(crate) fn terminate(&self) {
        self.0.terminate();
    }
}
