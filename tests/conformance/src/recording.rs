//! Wraps a host and records which messages and errors occur, so that a test can find those that no case covers.

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use serde_json::Value;

use crate::{Host, Line};

/// The types of messages in both directions, and the error codes.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Types of client messages.
    pub by_clients: BTreeSet<String>,
    /// Types of server messages.
    pub by_host: BTreeSet<String>,
    /// Error codes.
    pub errors: BTreeSet<String>,
}

/// A host that records its messages.
pub struct Recording<H> {
    host: H,
    said: Rc<RefCell<Said>>,
}

impl<H: Host> Recording<H> {
    /// Wraps a host and records into `said`.
    pub fn new(host: H, said: &Rc<RefCell<Said>>) -> Self {
        Self { host, said: Rc::clone(said) }
    }
}

struct RecordedLine {
    line: Box<dyn Line>,
    said: Rc<RefCell<Said>>,
}

fn text_at(value: &Value, path: &str) -> Option<String> {
    value.pointer(path).and_then(Value::as_str).map(str::to_owned)
}

impl Line for RecordedLine {
    fn send(&mut self, text: &str) {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        self.said.borrow_mut().by_clients.extend(text_at(&value, "/type"));
        self.line.send(text);
    }

    fn receive(&mut self) -> Option<Value> {
        let value = self.line.receive()?;
        let mut said = self.said.borrow_mut();
        said.by_host.extend(text_at(&value, "/type"));
        said.errors.extend(text_at(&value, "/error/code"));
        Some(value)
    }
}

impl<H: Host> Host for Recording<H> {
    fn connect(&mut self) -> Box<dyn Line> {
        Box::new(RecordedLine { line: self.host.connect(), said: Rc::clone(&self.said) })
    }

    fn restart(&mut self) {
        self.host.restart();
    }

    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)> {
        self.host.request(method, path, key, body)
    }
}
