//! A Web Worker that runs tables, and the messages to and from it.

use texas42_worker_protocol::{FromWorker, ToWorker};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::browser;

/// A running worker.
#[derive(Clone)]
pub(crate) struct WorkerLink(Worker);

impl WorkerLink {
    /// Starts a worker. `on_message` is called with each of its messages; those that either side cannot read are logged.
    pub(crate) fn spawn(mut on_message: impl FnMut(&Self, FromWorker) + 'static) -> Self {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&browser::file_url("worker.js"), &options)
            .expect("browsers with WebAssembly have workers");
        let link = Self(worker.clone());
        let handler = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match FromWorker::read(&event.data().as_string().unwrap_or_default()) {
                Ok(FromWorker::Unreadable { error }) => {
                    browser::log_error(&format!("unreadable to the worker: {error}"));
                }
                Ok(message) => on_message(&link, message),
                Err(error) => browser::log_error(&format!("unreadable from the worker: {error}")),
            }
        });
        worker.set_onmessage(Some(handler.into_js_value().unchecked_ref()));
        Self(worker)
    }

    /// Calls `fail` when the worker crashes or cannot be loaded.
    pub(crate) fn on_error(&self, fail: impl FnMut() + 'static) {
        let on_error = Closure::<dyn FnMut()>::new(fail);
        self.0.set_onerror(Some(on_error.into_js_value().unchecked_ref()));
    }

    /// Sends a message.
    pub(crate) fn post(&self, message: &ToWorker) {
        self.0.post_message(&message.write().into()).ok();
    }

    /// Ends the worker.
    pub(crate) fn terminate(&self) {
        self.0.terminate();
    }
}
