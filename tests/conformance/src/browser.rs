//! The tables of a browser, driven natively in virtual time: what runs in a Web Worker, with a disk in memory.

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use serde_json::Value;
use texas42_browser::{Chore, PAGE, Tables};
use texas42_client::Pace;
use texas42_protocol::GameId;
use texas42_room::{ConnectionId, Stored};

use crate::{Host, Line};

/// The worker, its disk, and what waits for each connection.
struct Worker {
    now: u64,
    links: ConnectionId,
    tables: Tables,
    disk: BTreeMap<GameId, Vec<String>>,
    waiting: BTreeMap<ConnectionId, VecDeque<Value>>,
    closed: BTreeMap<ConnectionId, u16>,
}

/// A browser without a page.
pub struct Browser {
    worker: Rc<RefCell<Worker>>,
    dice: u8,
    level: &'static str,
}

impl Default for Browser {
    fn default() -> Self {
        Self::new()
    }
}

impl Browser {
    /// A browser without tables, whose bots play at random.
    pub fn new() -> Self {
        Self::with("random")
    }

    /// The same with other bots.
    pub fn with(level: &'static str) -> Self {
        let worker = Worker {
            now: 1_000_000,
            links: PAGE,
            tables: tables(0, level),
            disk: BTreeMap::new(),
            waiting: BTreeMap::new(),
            closed: BTreeMap::new(),
        };
        Self { worker: Rc::new(RefCell::new(worker)), dice: 0, level }
    }
}

/// The tables of a worker that has just begun. Every worker throws other dice.
fn tables(dice: u8, level: &str) -> Tables {
    let mut number = u64::from(dice) << 32;
    let mut tables = Tables::new(move || {
        number += 1;
        std::array::from_fn(|at| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(at as u32 * 7) >> 24) as u8)
    });
    tables.set_bots(Pace::AT_ONCE, level);
    tables
}

struct Port {
    worker: Rc<RefCell<Worker>>,
    link: ConnectionId,
}

impl Host for Browser {
    fn connect(&mut self) -> Box<dyn Line> {
        let mut worker = self.worker.borrow_mut();
        worker.links += 1;
        let link = worker.links;
        worker.waiting.insert(link, VecDeque::new());
        Box::new(Port { worker: Rc::clone(&self.worker), link })
    }

    fn restart(&mut self) {
        self.dice += 1;
        let mut worker = self.worker.borrow_mut();
        worker.tables = tables(self.dice, self.level);
        worker.waiting.clear();
    }

    fn request(&mut self, _: &str, _: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        None
    }
}

impl Line for Port {
    fn send(&mut self, text: &str) {
        let mut worker = self.worker.borrow_mut();
        let now = worker.now;
        worker.tables.handle_text(now, self.link, text);
        worker.do_chores();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut worker = self.worker.borrow_mut();
        for _ in 0..2000 {
            let message = worker.waiting.get_mut(&self.link)?.pop_front();
            if message.is_some() {
                return message;
            }
            let at = worker.tables.wake_at()?;
            worker.now = worker.now.max(at);
            let now = worker.now;
            worker.tables.handle_time(now);
            worker.do_chores();
        }
        None
    }

    fn closed(&self) -> Option<u16> {
        self.worker.borrow().closed.get(&self.link).copied()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let mut worker = self.worker.borrow_mut();
        worker.waiting.remove(&self.link);
        let now = worker.now;
        worker.tables.handle_closed(now, self.link);
        worker.do_chores();
    }
}

impl Worker {
    /// Does everything that the tables want, like a browser with a perfect disk.
    fn do_chores(&mut self) {
        while let Some(chore) = self.tables.poll_chore() {
            match chore {
                Chore::Store { game, first, events } => {
                    let log = self.disk.entry(game).or_default();
                    assert_eq!(first, log.len() as u64, "the log has no gap");
                    log.extend(events);
                }
                Chore::Load(game) => {
                    let log = self.disk.get(&game).into_iter().flatten();
                    let log: Vec<Stored> = log.map(|event| serde_json::from_str(event).unwrap()).collect();
                    self.tables.handle_log(self.now, &game, &log);
                }
                Chore::Send { to, text } => {
                    if let Some(waiting) = self.waiting.get_mut(&to) {
                        waiting.push_back(serde_json::from_str(&text).unwrap());
                    }
                }
                Chore::Close { to, code } => drop(self.closed.insert(to, code)),
            }
        }
    }
}
