//! A Web Worker that exchanges texts with the page.

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::browser;

/// A running worker.
#[derive(Clone)]
pub struct WorkerScript(Worker);

impl WorkerScript {
    /// Starts a script of this version of the page as a worker. `on_text` is called with each of its messages.
    pub fn spawn(script: &str, mut on_text: impl FnMut(&Self, String) + 'static) -> Self {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&browser::file_url(script), &options)
            .expect("browsers with WebAssembly have workers");
        let link = Self(worker.clone());
        let handler = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            on_text(&link, event.data().as_string().unwrap_or_default());
        });
        worker.set_onmessage(Some(handler.into_js_value().unchecked_ref()));
        Self(worker)
    }

    /// Calls `fail` when the worker crashes or cannot be loaded.
    pub fn on_error(&self, fail: impl FnMut() + 'static) {
        let on_error = Closure::<dyn FnMut()>::new(fail);
        self.0.set_onerror(Some(on_error.into_js_value().unchecked_ref()));
    }

    /// Sends a message.
    pub fn post(&self, text: String) {
        self.0.post_message(&text.into()).ok();
    }

    /// Ends the worker.
    pub fn terminate(&self) {
        self.0.terminate();
    }
}
