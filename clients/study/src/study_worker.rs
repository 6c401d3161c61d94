//! The worker behind the screens of this module, and the messages to and from it.

use texas42_display::{browser, worker_script::WorkerScript};
use texas42_worker_protocol::{FromStudyWorker, ToStudyWorker};

/// A running worker.
pub(crate) struct StudyWorkerLink(WorkerScript);

impl StudyWorkerLink {
    /// Starts a worker. `on_message` is called with each of its messages; those that either side cannot read are logged. `on_error` is
    /// called when it crashes or cannot be loaded.
    pub(crate) fn spawn(
        mut on_message: impl FnMut(FromStudyWorker) + 'static,
        on_error: impl FnMut() + 'static,
    ) -> Self {
        let worker = WorkerScript::spawn("study-worker.js", move |_, text| match FromStudyWorker::read(&text) {
            Ok(FromStudyWorker::Unreadable { error }) => {
                browser::log_error(&format!("unreadable to the worker: {error}"));
            }
            Ok(message) => on_message(message),
            Err(error) => browser::log_error(&format!("unreadable from the worker: {error}")),
        });
        worker.on_error(on_error);
        Self(worker)
    }

    /// Sends a message.
    pub(crate) fn post(&self, message: &ToStudyWorker) {
        self.0.post(message.write());
    }
}

impl Drop for StudyWorkerLink {
    fn drop(&mut self) {
        self.0.terminate();
    }
}
