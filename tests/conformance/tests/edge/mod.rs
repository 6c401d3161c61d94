//! One object of the edge, driven natively in virtual time. The tests in `tests/edge` run the same objects on workerd.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(unreachable_pub, reason = "a test module has no public interface")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use serde_json::Value;
use texas42_conformance::{Connection, Host};
use texas42_edge::{Home, Settings};
use texas42_hosting::Output;
use texas42_protocol::GameId;
use texas42_room::{CodeClaim, ConnectionId, OpenCode, StoredEvent};

/// An object, what it has stored, and the queued messages of each connection.
struct Object {
    now: u64,
    home: Home,
    settings: Settings,
    disk: Vec<StoredEvent>,
    /// The stored code of the lobby.
    code: Option<OpenCode>,
    /// How often the home was built.
    homes: u8,
    waiting: BTreeMap<ConnectionId, VecDeque<Value>>,
    closed: BTreeMap<ConnectionId, u16>,
}

/// A host of one table, which a client creates.
pub struct Edge(Rc<RefCell<Object>>);

impl Edge {
    /// An object without a table whose bots move at random.
    pub fn new() -> Self {
        Self::with("random")
    }

    /// An object without a table whose bots play at this level, with the number of worlds of a deployment.
    pub fn with(level: &str) -> Self {
        let variable = |name: &str| match name {
            "PACE" => Some("0-0".to_owned()),
            "PLAYER" => Some(level.to_owned()),
            "MESSAGES" => Some("1000000".to_owned()),
            // A test that waits for a message would otherwise wait until the table is deleted.
            "KEEP_DAYS" => Some("0".to_owned()),
            _ => None,
        };
        let (now, settings) = (1_000_000, Settings::read(variable));
        let home = home(now, &[], settings, 0);
        let (waiting, closed) = (BTreeMap::new(), BTreeMap::new());
        let disk = Vec::new();
        Self(Rc::new(RefCell::new(Object { now, home, settings, disk, code: None, homes: 1, waiting, closed })))
    }
}

impl Default for Edge {
    fn default() -> Self {
        Self::new()
    }
}

/// A home without sockets. `number` makes its random bytes differ from those of earlier homes.
fn home(now: u64, log: &[StoredEvent], settings: Settings, number: u8) -> Home {
    let mut drawn = number.wrapping_mul(50);
    let random = move || {
        drawn = drawn.wrapping_add(1);
        std::array::from_fn(|at| drawn.wrapping_mul(37).wrapping_add(at as u8))
    };
    Home::new(now, GameId::try_from("table").unwrap(), log, [], settings, random).unwrap()
}

impl Host for Edge {
    fn connect(&mut self) -> Box<dyn Connection> {
        let mut object = self.0.borrow_mut();
        let now = object.now;
        let id = object.home.handle_connected(now, true).connection;
        object.waiting.insert(id, VecDeque::new());
        Box::new(Socket { object: Rc::clone(&self.0), id })
    }

    fn restart(&mut self) {
        let mut object = self.0.borrow_mut();
        object.waiting.clear();
        object.home = home(object.now, &object.disk, object.settings, object.homes).with_code(object.code);
        object.homes += 1;
        object.act(|_, _| {});
    }

    fn advance(&mut self, milliseconds: u64) -> bool {
        self.0.borrow_mut().now += milliseconds;
        true
    }

    fn request(&mut self, _: &str, _: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        None
    }
}

/// A socket of a client.
struct Socket {
    object: Rc<RefCell<Object>>,
    id: ConnectionId,
}

impl Connection for Socket {
    fn send(&mut self, text: &str) {
        self.object.borrow_mut().act(|home, now| home.handle_text(now, self.id, text));
    }

    fn receive(&mut self) -> Option<Value> {
        let mut object = self.object.borrow_mut();
        for _ in 0..2000 {
            let message = object.waiting.get_mut(&self.id)?.pop_front();
            if message.is_some() {
                return message;
            }
            object.now = object.home.wake_at(object.now)?.max(object.now);
            // The platform has just answered a ping of every connection.
            object.act(|home, now| home.handle_time(now, |_| Some(now)));
        }
        None
    }

    fn closed(&self) -> Option<u16> {
        self.object.borrow().closed.get(&self.id).copied()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let mut object = self.object.borrow_mut();
        if object.waiting.remove(&self.id).is_some() {
            object.act(|home, now| home.handle_closed(now, self.id));
        }
    }
}

impl Object {
    /// Passes an input to the home and carries out its outputs.
    fn act(&mut self, act: impl FnOnce(&mut Home, u64)) {
        act(&mut self.home, self.now);
        while let Some(output) = self.home.poll_output() {
            match output {
                Output::Store { first, events, .. } => {
                    assert_eq!(first, self.disk.len() as u64, "the log must have no gap");
                    self.disk.extend(events);
                }
                Output::Send { to, text, .. } => {
                    let message = serde_json::from_str(&text).unwrap();
                    self.waiting.entry(to).and_modify(|waiting| waiting.push_back(message));
                }
                Output::Close { to, code } => drop(self.closed.insert(to, code)),
                Output::ClaimCode(code) => {
                    self.code = Some(code);
                    self.home.handle_claim(self.now, CodeClaim::Granted);
                }
                Output::ReleaseCode(_) => self.code = None,
                Output::Answer { .. } | Output::Bind(_) => {}
            }
        }
    }
}
