//! The browser host, driven natively in virtual time, with a disk in memory.

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use serde_json::Value;
use texas42_browser::Tables;
use texas42_client::Pace;
use texas42_hosting::Output;
use texas42_protocol::GameId;
use texas42_room::{ConnectionId, StoredEvent};

use crate::{Connection, Host};

/// The worker, its disk, and the queued messages of each connection.
struct Worker {
    now: u64,
    tables: Tables,
    disk: BTreeMap<GameId, Vec<String>>,
    waiting: BTreeMap<ConnectionId, VecDeque<Value>>,
    closed: BTreeMap<ConnectionId, u16>,
}

/// A browser without a page.
pub struct Browser {
    worker: Rc<RefCell<Worker>>,
    worker_number: u8,
    level: &'static str,
}

impl Default for Browser {
    fn default() -> Self {
        Self::new()
    }
}

impl Browser {
    /// A browser without tables whose bots play at random.
    pub fn new() -> Self {
        Self::with("random")
    }

    /// A browser without tables whose bots play at this level.
    pub fn with(level: &'static str) -> Self {
        let worker = Worker::new(1_000_000, 0, level);
        Self { worker: Rc::new(RefCell::new(worker)), worker_number: 0, level }
    }
}

/// The tables of a newly started worker. Each worker gets a different sequence of random bytes.
fn tables(worker_number: u8, level: &str) -> Tables {
    let mut number = u64::from(worker_number) << 32;
    let mut tables = Tables::new(move || {
        number += 1;
        std::array::from_fn(|at| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(at as u32 * 7) >> 24) as u8)
    });
    tables.set_bots(Pace::IMMEDIATE, level);
    tables
}

struct Port {
    worker: Rc<RefCell<Worker>>,
    id: ConnectionId,
}

impl Host for Browser {
    fn connect(&mut self) -> Box<dyn Connection> {
        let mut worker = self.worker.borrow_mut();
        let id = worker.tables.connect();
        worker.waiting.insert(id, VecDeque::new());
        Box::new(Port { worker: Rc::clone(&self.worker), id })
    }

    fn restart(&mut self) {
        self.worker_number += 1;
        let mut old = self.worker.borrow_mut();
        old.waiting.clear();
        let worker =
            Worker { disk: std::mem::take(&mut old.disk), ..Worker::new(old.now, self.worker_number, self.level) };
        drop(old);
        self.worker = Rc::new(RefCell::new(worker));
    }

    fn advance(&mut self, milliseconds: u64) -> bool {
        self.worker.borrow_mut().now += milliseconds;
        true
    }

    fn request(&mut self, _: &str, _: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        None
    }
}

impl Connection for Port {
    fn send(&mut self, text: &str) {
        let mut worker = self.worker.borrow_mut();
        let now = worker.now;
        worker.tables.handle_text(now, self.id, text);
        worker.carry_out();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut worker = self.worker.borrow_mut();
        for _ in 0..2000 {
            let message = worker.waiting.get_mut(&self.id)?.pop_front();
            if message.is_some() {
                return message;
            }
            let at = worker.tables.wake_at()?;
            worker.now = worker.now.max(at);
            let now = worker.now;
            worker.tables.handle_time(now);
            worker.carry_out();
        }
        None
    }

    fn closed(&self) -> Option<u16> {
        self.worker.borrow().closed.get(&self.id).copied()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let mut worker = self.worker.borrow_mut();
        worker.waiting.remove(&self.id);
        let now = worker.now;
        worker.tables.handle_closed(now, self.id);
        worker.carry_out();
    }
}

impl Worker {
    fn new(now: u64, worker_number: u8, level: &str) -> Self {
        Self {
            now,
            tables: tables(worker_number, level),
            disk: BTreeMap::new(),
            waiting: BTreeMap::new(),
            closed: BTreeMap::new(),
        }
    }

    /// Carries out all outputs, like a browser whose disk never fails.
    fn carry_out(&mut self) {
        loop {
            while let Some(output) = self.tables.poll_output() {
                self.carry_out_one(output);
            }
            let Some(game) = self.tables.poll_load() else { return };
            let log = self.disk.get(&game).into_iter().flatten();
            let log: Vec<StoredEvent> = log.map(|event| serde_json::from_str(event).unwrap()).collect();
            self.tables.handle_log(self.now, &game, &log);
        }
    }

    fn carry_out_one(&mut self, output: Output) {
        match output {
            Output::Store { game, first, events } => {
                let log = self.disk.entry(game).or_default();
                assert_eq!(first, log.len() as u64, "the log must have no gap");
                log.extend(events.iter().map(|event| serde_json::to_string(event).unwrap()));
            }
            Output::Send { to, text, .. } => {
                if let Some(waiting) = self.waiting.get_mut(&to) {
                    waiting.push_back(serde_json::from_str(&text).unwrap());
                }
            }
            Output::Close { to, code } => drop(self.closed.insert(to, code)),
            Output::Answer { .. } | Output::Bind(_) | Output::ClaimCode(_) | Output::ReleaseCode(_) => {}
        }
    }
}
