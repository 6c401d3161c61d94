//! A table on its own thread: the native counterpart of a table in a Web Worker. The table continues while the program is
//! busy, and its work never delays the program.
//!
//! Every connection has a number, and every event the number of its connection, so that a client never gets an event of an
//! earlier connection.

use std::thread;

use texas42_client::ClientCore;
use texas42_hosting::BotSettings;
use texas42_protocol::ClientMessage;
use tokio::sync::{mpsc, oneshot};

use crate::{
    connection::ConnectionEvent,
    in_process::{GameStore, InProcessTable},
    platform::sleep_until,
};

/// The name of the thread, for debuggers.
const THREAD: &str = "texas42-table";

/// What the client asks of the thread.
#[derive(Debug)]
enum Request {
    /// Open the connection with this number.
    Connect(u64),
    /// Pass a message to the table.
    Message(Box<ClientMessage>),
    /// Store what is left to store, answer, and wait for the next connection.
    Close(oneshot::Sender<()>),
}

/// A table on its own thread, and its client's connection to it. The thread ends when this value is dropped.
#[derive(Debug)]
pub struct WorkerTable {
    requests: mpsc::UnboundedSender<Request>,
    events: mpsc::UnboundedReceiver<(u64, ConnectionEvent)>,
    /// The number of the current connection.
    connection: u64,
    is_connecting: bool,
}

impl WorkerTable {
    /// A table that is kept in this store; see [`InProcessTable::new`].
    pub fn new(store: Box<dyn GameStore>, bots: BotSettings) -> Self {
        let (requests, received) = mpsc::unbounded_channel();
        let (sender, events) = mpsc::unbounded_channel();
        // A thread that cannot start drops its end of the channels, and the client learns that the table is unreachable.
        drop(thread::Builder::new().name(THREAD.to_owned()).spawn(move || run(store, bots, received, &sender)));
        Self { requests, events, connection: 0, is_connecting: false }
    }

    /// Waits for the next event. Cancel-safe: dropping the future loses nothing.
    pub async fn next_event(&mut self, client: &ClientCore) -> ConnectionEvent {
        if let Some(at) = client.connect_at().filter(|_| !self.is_connecting) {
            sleep_until(Some(at)).await;
            self.connection += 1;
            self.is_connecting = true;
            self.requests.send(Request::Connect(self.connection)).ok();
        }
        let wakes = client.wake_at().filter(|_| !self.is_connecting);
        loop {
            tokio::select! {
                event = self.events.recv() => match event {
                    Some((connection, _)) if connection != self.connection => {}
                    Some((_, event)) => {
                        self.is_connecting = false;
                        return event;
                    }
                    None => {
                        self.is_connecting = false;
                        return ConnectionEvent::Unreachable("the thread of the table has ended".to_owned());
                    }
                },
                () = sleep_until(wakes) => return ConnectionEvent::Timer,
            }
        }
    }

    /// Passes a message of the person to the table.
    pub(crate) fn send(&self, message: &ClientMessage) {
        self.requests.send(Request::Message(Box::new(message.clone()))).ok();
    }

    /// Returns when the table has stored what was left to store.
    pub(crate) async fn close(&mut self) {
        let (done, is_done) = oneshot::channel();
        self.is_connecting = false;
        if self.requests.send(Request::Close(done)).is_ok() {
            is_done.await.ok();
        }
    }
}

/// Runs the table on the current thread until the client is dropped.
fn run(
    store: Box<dyn GameStore>,
    bots: BotSettings,
    requests: mpsc::UnboundedReceiver<Request>,
    events: &mpsc::UnboundedSender<(u64, ConnectionEvent)>,
) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
    let mut table = InProcessTable::new(store, bots);
    runtime.block_on(serve(&mut table, requests, events));
    table.close();
    // A bot may still be thinking.
    runtime.shutdown_background();
}

async fn serve(
    table: &mut InProcessTable,
    mut requests: mpsc::UnboundedReceiver<Request>,
    events: &mpsc::UnboundedSender<(u64, ConnectionEvent)>,
) {
    // Without a connection, the table rests, as a table in this process does.
    let mut connection = None;
    loop {
        while let Some((number, event)) = connection.and_then(|number| Some((number, table.poll_event()?))) {
            events.send((number, event)).ok();
        }
        let request = tokio::select! {
            request = requests.recv() => request,
            _ = table.wait(None), if connection.is_some() => continue,
        };
        match request {
            Some(Request::Connect(number)) => {
                connection = Some(number);
                events.send((number, table.connect())).ok();
            }
            Some(Request::Message(message)) => table.send(&message),
            Some(Request::Close(done)) => {
                connection = None;
                table.close();
                done.send(()).ok();
            }
            None => return,
        }
    }
}
