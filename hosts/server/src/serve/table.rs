//! One table as a task around its [`TableHost`]: feeds it messages in order of arrival and carries out its outputs.
//! Messages are handled in batches with one commit per batch.
//!
//! When the store fails or the table panics, the task replies to pending requests with an error, closes every
//! connection with a code that asks clients to reconnect, and ends. Clients that reconnect get the table as it is
//! stored.

use std::{
    collections::{BTreeMap, HashMap},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use futures_util::FutureExt;
use texas42_client::{BotDecision, close};
use texas42_hosting::{CallId, DecisionId, HttpResponse, Output, TableCall, TableHost};
use texas42_protocol::{ActionHint, ClientMessage, GameId};
use texas42_room::{ConnectionId, HintPoint, StoredEvent};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{
    clock,
    outbox::{Backlog, Outbox, OutboxFull},
    server::Shared,
    store::{StoreError, Tail},
    tables::Tables,
    thinking,
};

/// Capacity of a table's message queue. When it is full, senders wait; each sender serves only one connection.
const QUEUE_CAPACITY: usize = 128;
/// Maximum number of messages per batch; a batch is stored with one commit.
const MAX_BATCH: usize = 64;
/// With more connections than this, each connection's task writes its own messages, in parallel.
const MAX_DIRECT_WRITES: usize = 16;

/// A message to a table's task. Kept small, because queues allocate room for several even when they are empty.
#[derive(Debug)]
pub(crate) enum TableCommand {
    /// A connection opened.
    Connect { from: ConnectionId, outbox: Outbox },
    /// A client sent a message.
    Message { from: ConnectionId, message: Box<ClientMessage> },
    /// A connection closed.
    Disconnect { from: ConnectionId },
    /// A client whose outbox had a backlog has read all of it.
    CaughtUp { from: ConnectionId },
    /// A single HTTP request, without a connection.
    Call { call: Box<TableCall>, reply: oneshot::Sender<HttpResponse> },
    /// The decision for a bot; `None` if it failed.
    Decided { id: DecisionId, decision: Option<Box<BotDecision>> },
    /// The hints for a decision; empty if there are none.
    Hinted(Box<(HintPoint, Vec<ActionHint>)>),
    /// The server is shutting down.
    Stop,
    /// Makes the task panic.
    #[cfg(test)]
    Panic,
}

/// Sends messages to a table's task.
pub(crate) type TableHandle = mpsc::Sender<TableCommand>;

/// Creates the queue of a table.
pub(crate) fn channel() -> (TableHandle, mpsc::Receiver<TableCommand>) {
    mpsc::channel(QUEUE_CAPACITY)
}

/// The state of a table's task.
pub(crate) struct TableTask {
    shared: Arc<Shared>,
    host: TableHost,
    tail: Option<Tail>,
    inbox: mpsc::Receiver<TableCommand>,
    /// Weak, so that a table does not keep itself alive.
    self_handle: mpsc::WeakSender<TableCommand>,
    outboxes: BTreeMap<ConnectionId, Outbox>,
    calls: HashMap<CallId, oneshot::Sender<HttpResponse>>,
    /// The connections whose outboxes hold messages that are not flushed yet.
    unflushed: Vec<ConnectionId>,
    counted_bots: u64,
    deserted_since: Option<Instant>,
}

/// Why a table's task ends.
enum EndReason {
    /// The table has been deserted for [`Settings::evict_after`](super::server::Settings::evict_after).
    Evicted,
    /// The server is shutting down.
    Stop,
    /// The table's events could not be stored.
    StoreFailed(StoreError),
    /// A bug in our code: the table restarts from the store, and no other table is affected.
    Panicked,
}

impl TableTask {
    /// A task for a table that is stored up to `tail`, or not stored yet.
    pub(crate) fn new(
        shared: Arc<Shared>,
        host: TableHost,
        tail: Option<Tail>,
        self_handle: &TableHandle,
        inbox: mpsc::Receiver<TableCommand>,
    ) -> Self {
        Self {
            shared,
            host,
            tail,
            inbox,
            self_handle: self_handle.downgrade(),
            outboxes: BTreeMap::new(),
            calls: HashMap::new(),
            unflushed: Vec::new(),
            counted_bots: 0,
            deserted_since: Some(Instant::now()),
        }
    }

    /// Connects the client that created the table.
    pub(crate) fn for_connection(mut self, from: ConnectionId, outbox: Outbox) -> Self {
        self.connect(from, outbox);
        self
    }

    /// Registers the HTTP request that created the table; `reply` receives its answer.
    pub(crate) fn for_call(mut self, reply: oneshot::Sender<HttpResponse>) -> Self {
        self.calls.insert(CallId::CREATION, reply);
        self
    }
}

impl TableTask {
    /// Runs until the table is evicted, the server stops, or the store fails.
    pub(crate) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let _counted = shared.metrics.rooms.track();
        let end = AssertUnwindSafe(self.run_loop()).catch_unwind().await.unwrap_or(EndReason::Panicked);
        self.count_bots(0);
        // Boxed, because otherwise the task would reserve memory for this future all its life.
        Box::pin(self.finish(end)).await;
    }

    async fn run_loop(&mut self) -> EndReason {
        if let Err(error) = self.carry_out_outputs().await {
            return EndReason::StoreFailed(error);
        }
        loop {
            // Created each time, so that an idle table holds no buffer.
            let mut batch = Vec::new();
            let wake = self.wake_at();
            tokio::select! {
                taken = self.inbox.recv_many(&mut batch, MAX_BATCH) => if taken == 0 { return EndReason::Evicted },
                () = sleep_until(wake) => {
                    if self.is_due_for_eviction() { return EndReason::Evicted; }
                    self.host.handle_time(clock::finish_wait(self.host.wake_at()));
                }
            }
            for message in batch {
                if matches!(message, TableCommand::Stop) {
                    return EndReason::Stop;
                }
                self.handle(message);
            }
            if let Err(error) = self.carry_out_outputs().await {
                return EndReason::StoreFailed(error);
            }
        }
    }

    /// The next time at which the host has work, or at which the table is evicted.
    fn wake_at(&self) -> Option<Instant> {
        let host = self.host.wake_at().map(|at| Instant::now() + clock::wait_until(at));
        let eviction = self.deserted_since.map(|since| since + self.shared.settings.evict_after);
        host.into_iter().chain(eviction).min()
    }

    fn is_due_for_eviction(&self) -> bool {
        self.deserted_since.is_some_and(|since| since.elapsed() >= self.shared.settings.evict_after)
    }

    fn handle(&mut self, message: TableCommand) {
        let now = clock::now();
        match message {
            TableCommand::Connect { from, outbox } => self.connect(from, outbox),
            TableCommand::Message { from, message } => self.host.handle_message(now, from, *message),
            TableCommand::Disconnect { from } => self.disconnect(from),
            TableCommand::CaughtUp { from } => self.host.handle_caught_up(now, from),
            TableCommand::Call { call, reply } => {
                let call = self.host.handle_call(now, *call);
                self.calls.insert(call, reply);
            }
            TableCommand::Decided { id, decision } => self.host.handle_decision(now, id, decision.as_deref()),
            TableCommand::Hinted(hinted) => {
                let (point, hints) = *hinted;
                self.host.handle_hints(now, point, hints);
            }
            TableCommand::Stop => {}
            #[cfg(test)]
            TableCommand::Panic => panic!("a simulated bug"),
        }
    }

    fn connect(&mut self, from: ConnectionId, outbox: Outbox) {
        self.deserted_since = None;
        self.outboxes.insert(from, outbox);
        self.host.handle_connected(clock::now(), from);
    }

    fn disconnect(&mut self, from: ConnectionId) {
        self.outboxes.remove(&from);
        self.host.handle_closed(clock::now(), from);
        if self.deserted_since.is_none() && self.host.is_deserted() {
            self.deserted_since = Some(Instant::now());
        }
    }

    /// Starts the bots' decisions on the thinking threads and carries out the host's outputs.
    async fn carry_out_outputs(&mut self) -> Result<(), StoreError> {
        while let Some(request) = self.host.poll_decision_request() {
            thinking::think(&self.shared, request, self.self_handle.clone());
        }
        if let Some(request) = self.host.poll_hint_request() {
            thinking::advise(&self.shared, request, self.self_handle.clone());
        }
        while let Some(output) = self.host.poll_output() {
            match output {
                Output::Store { events, .. } => {
                    self.flush();
                    self.store(&events).await?;
                }
                Output::Send { to, text, is_refusal } => self.send(to, &text, is_refusal),
                Output::Answer { call, answer } => self.answer(call, answer),
                Output::Close { to, code } => self.close(to, code),
                Output::ClaimCode(code) => {
                    let claim = self.shared.codes.claim(clock::now(), self.host.id(), code);
                    self.host.handle_claim(claim);
                }
                Output::ReleaseCode(code) => self.shared.codes.release(self.host.id(), code),
                // No connection survives a restart of this server.
                Output::Bind(_) => {}
            }
        }
        self.flush();
        self.count_bots(self.host.bots() as u64);
        self.release_memory();
        Ok(())
    }

    async fn store(&mut self, events: &[StoredEvent]) -> Result<(), StoreError> {
        let (store, now) = (&self.shared.store, clock::now());
        let tail = match self.tail {
            Some(tail) => store.append(self.host.id(), tail, now, events).await?,
            None => store.create(self.host.id(), now, events).await?,
        };
        self.tail = Some(tail);
        Ok(())
    }

    fn send(&mut self, to: ConnectionId, text: &str, is_refusal: bool) {
        self.shared.metrics.messages_out.add(1);
        self.shared.metrics.errors.add(u64::from(is_refusal));
        let Some(outbox) = self.outboxes.get(&to) else { return };
        match outbox.send(text) {
            Ok(Backlog::Small) => {}
            Ok(Backlog::Large) => self.host.handle_backlog(to),
            Err(OutboxFull) => {
                // Replies alone filled the outbox: the client sends requests and does not read. The session remains.
                self.shared.metrics.slow_clients.add(1);
                outbox.close(close::TOO_SLOW);
                return self.disconnect(to);
            }
        }
        if self.unflushed.last() != Some(&to) {
            self.unflushed.push(to);
        }
    }

    /// Writes the messages of each connection since the last flush with one system call.
    fn flush(&mut self) {
        let is_crowd = self.outboxes.len() > MAX_DIRECT_WRITES;
        for to in self.unflushed.drain(..) {
            match self.outboxes.get(&to) {
                Some(outbox) if is_crowd => outbox.flush_later(),
                Some(outbox) => outbox.flush(),
                None => {}
            }
        }
    }

    fn answer(&mut self, call: CallId, answer: HttpResponse) {
        self.shared.metrics.messages_out.add(1);
        if let Some(reply) = self.calls.remove(&call) {
            reply.send(answer).ok();
        }
    }

    fn close(&mut self, to: ConnectionId, code: u16) {
        self.flush();
        if let Some(outbox) = self.outboxes.remove(&to) {
            outbox.close(code);
        }
    }

    fn count_bots(&mut self, bots: u64) {
        self.shared.metrics.bots.change(self.counted_bots, bots);
        self.counted_bots = bots;
    }

    /// Frees memory of a deserted table, which stays open for a while, possibly with many others.
    fn release_memory(&mut self) {
        if self.outboxes.is_empty() {
            self.unflushed = Vec::new();
            self.calls.shrink_to_fit();
        }
    }
}

impl TableTask {
    async fn finish(mut self, end: EndReason) {
        let id = self.host.id().clone();
        self.shared.tables.remove(&id);
        match &end {
            EndReason::StoreFailed(error) => {
                tracing::error!(table = %id, %error, "events could not be stored; the table restarts from the store");
                self.host.handle_store_failure(error.summary());
            }
            EndReason::Panicked => {
                tracing::error!(table = %id, "the table panicked and restarts from the store");
                self.close_all(close::RESTORED);
            }
            EndReason::Evicted => self.close_all(close::RESTORED),
            EndReason::Stop => self.close_all(close::GOING_AWAY),
        }
        if matches!(end, EndReason::StoreFailed(_)) {
            // There are no events left to store.
            self.carry_out_outputs().await.ok();
            self.close_all(close::RESTORED);
        }
        self.inbox.close();
        let mut late = Vec::new();
        while let Some(message) = self.inbox.recv().await {
            late.push(message);
        }
        if matches!(end, EndReason::Evicted) {
            forward_late_messages(self.shared, id, late).await;
        }
    }

    fn close_all(&mut self, code: u16) {
        self.flush();
        self.outboxes.values().for_each(|outbox| outbox.close(code));
    }
}

/// Forwards messages that arrived during eviction to the reopened table.
async fn forward_late_messages(shared: Arc<Shared>, id: GameId, late: Vec<TableCommand>) {
    let is_obsolete = |message: &TableCommand| {
        matches!(
            message,
            TableCommand::Disconnect { .. }
                | TableCommand::CaughtUp { .. }
                | TableCommand::Decided { .. }
                | TableCommand::Hinted(_)
        )
    };
    if late.iter().all(is_obsolete) {
        return;
    }
    let is_result = |message: &TableCommand| matches!(message, TableCommand::Decided { .. } | TableCommand::Hinted(_));
    if let Ok(handle) = Tables::reopen(shared, id).await {
        for message in late.into_iter().filter(|message| !is_result(message)) {
            handle.send(message).await.ok();
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use texas42_hosting::Creator;
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::serve::{creation, server::Settings};

    #[tokio::test]
    async fn a_panicking_table_restarts_from_the_store() {
        let folder = std::env::temp_dir().join(format!("texas42-{:x}", u64::from_le_bytes(clock::random())));
        let (_ending, heard) = tokio::sync::watch::channel(false);
        let shared = Shared::open(Settings::new(([127, 0, 0, 1], 0).into(), folder.clone()), heard).unwrap();
        let create = serde_json::from_str(r#"{"type":"CREATE_GAME","name":"Ann"}"#).unwrap();
        let (address, creator) = (IpAddr::V4(Ipv4Addr::LOCALHOST), Creator::Connection(77));
        let host = creation::create(Arc::clone(&shared), address, creator, create, |_| {}).await.unwrap();
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut client = tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (id, outbox) = (host.id().clone(), Outbox::new(listener.accept().await.unwrap().0));
        let handle = creation::spawn(&shared, *host, |task| task.for_connection(77, outbox.clone())).unwrap();
        let mut received = String::new();
        while !received.contains("GAME_CREATED") {
            let mut bytes = [0; 4096];
            let count = client.read(&mut bytes).await.unwrap();
            received.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }

        handle.send(TableCommand::Panic).await.unwrap();
        assert_eq!(std::future::poll_fn(|cx| outbox.poll_closed(cx)).await, close::RESTORED);

        let again = shared.tables.open(&shared, &id).await.unwrap();
        let (reply, answer) = oneshot::channel();
        again.send(TableCommand::Call { call: Box::new(TableCall::State(None)), reply }).await.unwrap();
        assert!(answer.await.is_ok(), "the table must be open again");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
