//! Wraps a host and records which messages and errors occur, so that a test can find those that no case covers.

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use serde_json::Value;

use crate::{Connection, Host};

/// The types of messages in both directions, and the error codes.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Types of client messages.
    pub client_messages: BTreeSet<String>,
    /// Types of server messages.
    pub server_messages: BTreeSet<String>,
    /// Error codes.
    pub error_codes: BTreeSet<String>,
}

/// A host that records its messages.
pub struct Recording<H> {
    host: H,
    coverage: Rc<RefCell<Coverage>>,
}

impl<H: Host> Recording<H> {
    /// Wraps a host and records into `coverage`.
    pub fn new(host: H, coverage: &Rc<RefCell<Coverage>>) -> Self {
        Self { host, coverage: Rc::clone(coverage) }
    }
}

struct RecordedConnection {
    connection: Box<dyn Connection>,
    coverage: Rc<RefCell<Coverage>>,
}

fn text_at(value: &Value, path: &str) -> Option<String> {
    value.pointer(path).and_then(Value::as_str).map(str::to_owned)
}

impl Connection for RecordedConnection {
    fn send(&mut self, text: &str) {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        self.coverage.borrow_mut().client_messages.extend(text_at(&value, "/type"));
        self.connection.send(text);
    }

    fn receive(&mut self) -> Option<Value> {
        let value = self.connection.receive()?;
        let mut coverage = self.coverage.borrow_mut();
        coverage.server_messages.extend(text_at(&value, "/type"));
        coverage.error_codes.extend(text_at(&value, "/error/code"));
        Some(value)
    }
}

impl<H: Host> Host for Recording<H> {
    fn connect(&mut self) -> Box<dyn Connection> {
        Box::new(RecordedConnection { connection: self.host.connect(), coverage: Rc::clone(&self.coverage) })
    }

    fn restart(&mut self) {
        self.host.restart();
    }

    fn advance(&mut self, milliseconds: u64) -> bool {
        self.host.advance(milliseconds)
    }

    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)> {
        let answer = self.host.request(method, path, key, body)?;
        self.coverage.borrow_mut().server_messages.extend(text_at(&answer.1, "/type"));
        Some(answer)
    }
}
