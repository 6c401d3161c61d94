//! The Web Worker: one thing after the other, what is to be stored before what is to be said.
//!
//! While the disk writes, messages wait in a queue; nothing of them is looked at before, so the order of events is the
//! order of the log.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};

use js_sys::{Date, Function, Uint8Array};
use texas42_client::Pace;
use texas42_protocol::GameId;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::spawn_local;
use web_sys::WorkerGlobalScope;

use crate::{Chore, PAGE, Tables, store::Store};

/// What the page can hear beside the frames of a table: the storage failed. It is no message of the protocol.
const NOT_STORED: &str = "not-stored";
/// Before the log of a table that was asked for.
const EXPORTED: &str = "exported";

enum Input {
    Text(String),
    Time,
    /// Hand out the log of a table, and let nothing happen at it before the page says so.
    Export(GameId),
}

struct Host {
    tables: RefCell<Tables>,
    store: Option<Store>,
    inputs: RefCell<VecDeque<Input>>,
    is_busy: Cell<bool>,
    /// The table is on its way to a server: what comes in waits.
    is_held: Cell<bool>,
    send: Function,
    later: Function,
}

/// The tables of this browser, for the script of the worker.
#[wasm_bindgen]
pub struct Worker(Rc<Host>);

#[wasm_bindgen]
impl Worker {
    /// Opens the storage. `send(text)` sends a frame to the page; `later(milliseconds)` calls `wake` then.
    pub async fn open(send: Function, later: Function) -> Self {
        let store = Store::open().await.ok();
        let tables = RefCell::new(Tables::new(random));
        let (inputs, is_busy, is_held) = (RefCell::default(), Cell::default(), Cell::default());
        Self(Rc::new(Host { tables, store, inputs, is_busy, is_held, send, later }))
    }

    /// Whether what happens will be there after a reload.
    pub fn keeps(&self) -> bool {
        self.0.store.is_some()
    }

    /// How long programs wait before they move, in milliseconds, and how well they play.
    pub fn pace(&self, least: u32, most: u32, level: &str) {
        self.0.tables.borrow_mut().set_bots(Pace { least: least.into(), most: most.into() }, level);
    }

    /// A frame of the page.
    pub fn receive(&self, text: String) {
        self.take_in(Input::Text(text));
    }

    /// The time has come.
    pub fn wake(&self) {
        self.take_in(Input::Time);
    }

    /// Says `exported` and the log of a table, as a list of its events; then everything waits for [`Worker::release`].
    pub fn export(&self, game: &str) {
        if let Ok(game) = GameId::try_from(game) {
            self.take_in(Input::Export(game));
        }
    }

    /// The table stays here after all: it goes on.
    pub fn release(&self) {
        self.0.is_held.set(false);
        self.begin();
    }

    /// What happened at a table in the hands that are over, as JSON.
    pub fn record(&self, game: &str) -> Option<String> {
        self.0.tables.borrow().record(game)
    }

    /// Whether hands were dealt as promised; see [`crate::verify`].
    pub fn verify(&self, witnesses: &str) -> Option<String> {
        crate::verify(witnesses)
    }

    /// What an expert would say; see [`crate::advise`].
    pub fn advise(&self, question: &str) -> Option<String> {
        crate::advise(question)
    }

    fn take_in(&self, input: Input) {
        self.0.inputs.borrow_mut().push_back(input);
        self.begin();
    }

    fn begin(&self) {
        if !self.0.is_held.get() && !self.0.is_busy.replace(true) {
            spawn_local(work(self.0.clone()));
        }
    }
}

async fn work(host: Rc<Host>) {
    while !host.is_held.get() {
        let next = host.inputs.borrow_mut().pop_front();
        let Some(input) = next else { break };
        match input {
            Input::Text(text) => host.tables.borrow_mut().handle_text(now(), PAGE, &text),
            Input::Time => host.tables.borrow_mut().handle_time(now()),
            Input::Export(game) => host.hand_out(&game).await,
        }
        host.do_chores().await;
    }
    host.is_busy.set(false);
    host.sleep();
}

impl Host {
    async fn do_chores(&self) {
        loop {
            let next = self.tables.borrow_mut().poll_chore();
            let Some(chore) = next else { return };
            match chore {
                Chore::Send { text, .. } => self.say(&text),
                // The page is there as long as the worker is.
                Chore::Close { .. } => {}
                Chore::Load(game) => {
                    let log = match &self.store {
                        Some(store) => store.log(&game).await.unwrap_or_default(),
                        None => Vec::new(),
                    };
                    self.tables.borrow_mut().handle_log(now(), &game, &log);
                }
                Chore::Store { game, first, events } => {
                    let Some(store) = &self.store else { continue };
                    if store.add(&game, first, &events).await.is_err() {
                        // Nothing that was not written down may be said: the page begins again from what was.
                        self.say(NOT_STORED);
                        self.tables.borrow_mut().handle_not_stored(&game, "the browser's storage failed");
                    }
                }
            }
        }
    }

    async fn hand_out(&self, game: &GameId) {
        let log = match &self.store {
            Some(store) => store.texts(game).await.unwrap_or_default(),
            None => Vec::new(),
        };
        self.is_held.set(true);
        self.say(&format!("{EXPORTED} [{}]", log.join(",")));
    }

    fn say(&self, text: &str) {
        // The page is there as long as the worker is; if it is not, nobody listens.
        self.send.call1(&JsValue::NULL, &text.into()).ok();
    }

    fn sleep(&self) {
        if let Some(at) = self.tables.borrow().wake_at() {
            let wait = at.saturating_sub(now()) as f64;
            self.later.call1(&JsValue::NULL, &wait.into()).ok();
        }
    }
}

fn now() -> u64 {
    Date::now() as u64
}

fn random() -> [u8; 32] {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let bytes = Uint8Array::new_with_length(32);
    let crypto = scope.crypto().expect("every browser with WebAssembly has random numbers");
    crypto.get_random_values_with_array_buffer_view(&bytes).expect("32 bytes are not too many");
    let mut random = [0; 32];
    bytes.copy_to(&mut random);
    random
}
