//! The Web Worker of the screens that study a game.

use std::cell::RefCell;

use js_sys::Function;
use texas42_worker_protocol::FromStudyWorker;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::Desk;

/// The exports for the worker's script.
#[wasm_bindgen]
pub struct StudyWorker {
    desk: RefCell<Desk>,
    send: Function,
}

#[wasm_bindgen]
impl StudyWorker {
    /// Starts a worker. `send(text)` posts a [`FromStudyWorker`] to the page.
    #[wasm_bindgen(constructor)]
    pub fn new(send: Function) -> Self {
        Self { desk: RefCell::default(), send }
    }

    /// Handles a message of the page: a `ToStudyWorker` as text.
    pub fn receive(&self, message: &JsValue) {
        let answer = match message.as_string() {
            Some(text) => self.desk.borrow_mut().answer(&text),
            None => FromStudyWorker::Unreadable { error: "not a text".to_owned() },
        };
        // Fails only if the page is gone, and then nobody listens.
        self.send.call1(&JsValue::NULL, &answer.write().into()).ok();
    }
}
