//! The Web Worker: handles one input at a time and stores events before it sends messages.
//!
//! While a store is in progress, inputs wait in a queue, so events happen in the order of the log.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};

use js_sys::{Date, Function, Uint8Array};
use texas42_client::{Pace, SteadyClock};
use texas42_hosting::Output;
use texas42_protocol::GameId;
use texas42_room::ConnectionId;
use texas42_worker_protocol::{FromWorker, OfflineBotSettings, ToWorker};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::spawn_local;
use web_sys::WorkerGlobalScope;

use crate::{Tables, store::Store};

/// Number of channels of a page: one for each person who can play on a device.
const MAX_CHANNELS: usize = 4;

/// Inputs that are handled in order.
enum Input {
    Frame { channel: u8, text: String },
    Time,
    Export(GameId),
}

struct Host {
    tables: RefCell<Tables>,
    /// The page's connections, by channel.
    channels: [ConnectionId; MAX_CHANNELS],
    store: Option<Store>,
    inputs: RefCell<VecDeque<Input>>,
    is_busy: Cell<bool>,
    /// Set while a table is being exported to a server; inputs wait.
    is_held: Cell<bool>,
    send: Function,
    later: Function,
}

/// The exports for the worker's script.
#[wasm_bindgen]
pub struct Worker(Rc<Host>);

#[wasm_bindgen]
impl Worker {
    /// Opens the database. `send(text)` posts a [`FromWorker`] to the page; `later(milliseconds)` calls `wake` after a
    /// delay.
    pub async fn open(send: Function, later: Function) -> Self {
        let store = Store::open().await.ok();
        let mut tables = Tables::new(random);
        let channels = core::array::from_fn(|_| tables.connect());
        let (tables, inputs) = (RefCell::new(tables), RefCell::default());
        let (is_busy, is_held) = (Cell::default(), Cell::default());
        let host = Host { tables, channels, store, inputs, is_busy, is_held, send, later };
        if host.store.is_none() {
            host.post(&FromWorker::StorageUnavailable);
        }
        Self(Rc::new(host))
    }

    /// Handles a message of the page: a [`ToWorker`] as text. Replies to anything else with [`FromWorker::Unreadable`].
    pub fn receive(&self, message: &JsValue) {
        let read = message.as_string().ok_or_else(|| "not a text".to_owned());
        match read.and_then(|text| ToWorker::read(&text).map_err(|error| error.to_string())) {
            Ok(message) => self.handle(message),
            Err(error) => self.0.post(&FromWorker::Unreadable { error }),
        }
    }

    /// Called after the delay that `later` was given.
    pub fn wake(&self) {
        self.enqueue(Input::Time);
    }

    fn handle(&self, message: ToWorker) {
        match message {
            ToWorker::Frame { channel, text } => self.enqueue(Input::Frame { channel, text }),
            ToWorker::ConfigureBots(bots) => self.0.configure_bots(&bots),
            ToWorker::Export { game_id } => self.enqueue(Input::Export(game_id)),
            ToWorker::Release => self.release(),
            ToWorker::Record { game_id } => {
                let record = self.0.tables.borrow().record(game_id.as_str());
                self.0.post(&FromWorker::Recorded { record });
            }
            ToWorker::Verify { witnesses, draw } => {
                self.0.post(&FromWorker::Verified(crate::verify(&witnesses, draw.as_ref())));
            }
            ToWorker::Advise { version, seat, view } => {
                self.0.post(&FromWorker::Advised { version, advice: crate::advise(seat, &view) });
            }
        }
    }

    /// Resumes after an export.
    fn release(&self) {
        self.0.is_held.set(false);
        self.start_work();
    }

    /// Queues an input.
    fn enqueue(&self, input: Input) {
        self.0.inputs.borrow_mut().push_back(input);
        self.start_work();
    }

    /// Starts to process the queue, unless that is already happening or an export is in progress.
    fn start_work(&self) {
        if !self.0.is_held.get() && !self.0.is_busy.replace(true) {
            spawn_local(work(self.0.clone()));
        }
    }
}

/// Processes the queued inputs one after another.
async fn work(host: Rc<Host>) {
    while !host.is_held.get() {
        let next = host.inputs.borrow_mut().pop_front();
        let Some(input) = next else { break };
        match input {
            Input::Frame { channel, text } => host.handle_frame(channel, &text),
            Input::Time => host.tables.borrow_mut().handle_time(now()),
            Input::Export(game) => host.export(&game).await,
        }
        host.carry_out().await;
    }
    host.is_busy.set(false);
    host.sleep();
}

impl Host {
    fn handle_frame(&self, channel: u8, text: &str) {
        match self.channels.get(usize::from(channel)) {
            Some(from) => self.tables.borrow_mut().handle_text(now(), *from, text),
            None => self.post(&FromWorker::Unreadable { error: format!("there is no channel {channel}") }),
        }
    }

    /// Carries out all outputs and loads the requested logs.
    async fn carry_out(&self) {
        loop {
            let next = self.tables.borrow_mut().poll_output();
            if let Some(output) = next {
                self.carry_out_one(output).await;
                continue;
            }
            let next = self.tables.borrow_mut().poll_load();
            let Some(game) = next else { return };
            let log = match &self.store {
                Some(store) => store.log(&game).await.unwrap_or_default(),
                None => Vec::new(),
            };
            self.tables.borrow_mut().handle_log(now(), &game, &log);
        }
    }

    async fn carry_out_one(&self, output: Output) {
        match output {
            Output::Send { to, text, .. } => {
                if let Some(channel) = self.channels.iter().position(|id| *id == to) {
                    self.post(&FromWorker::Frame { channel: channel as u8, text: (*text).to_owned() });
                }
            }
            Output::Store { game, first, events } => {
                let Some(store) = &self.store else { return };
                if store.add(&game, first, &events).await.is_err() {
                    // A message must not announce what is not stored: the page restarts from the stored log.
                    self.post(&FromWorker::StorageFailed);
                    self.tables.borrow_mut().handle_store_failure(&game, "the browser's storage failed");
                }
            }
            // The page lives as long as the worker, there are no HTTP requests, and no code leads to a table.
            Output::Close { .. }
            | Output::Bind(_)
            | Output::Answer { .. }
            | Output::ClaimCode(_)
            | Output::ReleaseCode(_) => {}
        }
    }

    fn configure_bots(&self, bots: &OfflineBotSettings) {
        let pace = Pace { min: bots.min_delay.into(), max: bots.max_delay.into() };
        self.tables.borrow_mut().set_bots(pace, &bots.level);
    }

    /// Sends the log of a table to the page and pauses until the page releases it.
    async fn export(&self, game: &GameId) {
        let log = match &self.store {
            Some(store) => store.texts(game).await.unwrap_or_default(),
            None => Vec::new(),
        };
        self.is_held.set(true);
        self.post(&FromWorker::Exported { log });
    }

    fn post(&self, message: &FromWorker) {
        // Fails only if the page is gone, and then nobody listens.
        self.send.call1(&JsValue::NULL, &message.write().into()).ok();
    }

    /// Schedules the next wake-up.
    fn sleep(&self) {
        if let Some(at) = self.tables.borrow().wake_at() {
            let wait = at.saturating_sub(now()) as f64;
            self.later.call1(&JsValue::NULL, &wait.into()).ok();
        }
    }
}

thread_local! {
    static CLOCK: Cell<Option<SteadyClock>> = const { Cell::new(None) };
}

/// Milliseconds since the Unix epoch. Never goes back, not even when the wall clock of the device does.
fn now() -> u64 {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let elapsed = scope.performance().map_or(0.0, |performance| performance.now()) as u64;
    let wall = Date::now() as u64;
    let mut clock = CLOCK.get().unwrap_or(SteadyClock::new(wall, elapsed));
    let now = clock.now(wall, elapsed);
    CLOCK.set(Some(clock));
    now
}

fn random() -> [u8; 32] {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let bytes = Uint8Array::new_with_length(32);
    let crypto = scope.crypto().expect("every browser with WebAssembly has `crypto`");
    crypto.get_random_values_with_array_buffer_view(&bytes).expect("32 bytes are within the limit");
    let mut random = [0; 32];
    bytes.copy_to(&mut random);
    random
}
