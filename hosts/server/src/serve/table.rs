//! One table as a task around its [`TableHost`]: it takes messages in the order in which they come, and carries out what the
//! host gives. Many messages are taken together, with one commit for all of them.
//!
//! When the store fails, or the table has a fault, the task ends: those who asked are told, every connection is closed with
//! a code that says "come back", and whoever comes back finds the table as it is stored.

use std::{
    collections::{BTreeMap, HashMap},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt;
use texas42_client::{Answer as Decision, close};
use texas42_hosting::{Answer, Call, CallId, Output, TableHost, Ticket};
use texas42_protocol::{ClientMessage, GameId};
use texas42_room::{ConnectionId, Stored};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{
    clock,
    outbox::{Backlog, Full, Outbox},
    server::Shared,
    store::{StoreError, Tail},
    tables::Tables,
    thinking,
};

/// So many messages wait for a table at most; whoever comes then waits, and with it only its own connection.
const MOST_WAITING: usize = 128;
/// So many are taken together, with one commit for all of them.
const MOST_TOGETHER: usize = 64;
/// A table writes to so many connections itself; behind a crowd, each connection's task writes, on any thread.
const MOST_WRITTEN_DIRECTLY: usize = 16;

/// What a table is told. Small, because a queue has room for some of them however few wait in it.
#[derive(Debug)]
pub(crate) enum ToTable {
    /// Somebody is there now.
    Connect { from: ConnectionId, outbox: Outbox },
    /// Somebody says something.
    Message { from: ConnectionId, message: Box<ClientMessage> },
    /// Somebody is there no more.
    Disconnect { from: ConnectionId },
    /// Somebody for whom too much waited has read all of it.
    CaughtUp { from: ConnectionId },
    /// A single request without a connection.
    Call { call: Box<Call>, reply: oneshot::Sender<Answer> },
    /// What was decided for a bot; nothing when that failed.
    Decided { ticket: Ticket, decision: Option<Box<Decision>> },
    /// The server ends.
    Stop,
    /// Something in the table is broken.
    #[cfg(test)]
    Fault,
}

/// The way to a table.
pub(crate) type Handle = mpsc::Sender<ToTable>;

/// A new way to a table.
pub(crate) fn channel() -> (Handle, mpsc::Receiver<ToTable>) {
    mpsc::channel(MOST_WAITING)
}

pub(crate) struct TableTask {
    shared: Arc<Shared>,
    host: TableHost,
    tail: Option<Tail>,
    inbox: mpsc::Receiver<ToTable>,
    /// Weak, so that a table does not keep itself alive.
    own: mpsc::WeakSender<ToTable>,
    outboxes: BTreeMap<ConnectionId, Outbox>,
    calls: HashMap<CallId, oneshot::Sender<Answer>>,
    /// The connections that have messages in their outboxes which are not written yet.
    unwritten: Vec<ConnectionId>,
    counted_bots: u64,
    quiet_since: Option<Instant>,
}

/// Why a table ends.
enum End {
    /// Nobody is there.
    Quiet,
    /// The server stops.
    Stop,
    /// It could not be written down.
    NotStored(StoreError),
    /// A fault of ours: it begins again from what is stored, and no other table notices.
    Fault,
}

// Being made.
impl TableTask {
    /// A table that is stored up to its tail, or not at all yet.
    pub(crate) fn around(
        shared: Arc<Shared>,
        host: TableHost,
        tail: Option<Tail>,
        own: &Handle,
        inbox: mpsc::Receiver<ToTable>,
    ) -> Self {
        Self {
            shared,
            host,
            tail,
            inbox,
            own: own.downgrade(),
            outboxes: BTreeMap::new(),
            calls: HashMap::new(),
            unwritten: Vec::new(),
            counted_bots: 0,
            quiet_since: Some(Instant::now()),
        }
    }

    /// The table was set up for this connection.
    pub(crate) fn for_connection(mut self, from: ConnectionId, outbox: Outbox) -> Self {
        self.connect(from, outbox);
        self
    }

    /// The table was set up for a call, which waits for the answer.
    pub(crate) fn for_call(mut self, reply: oneshot::Sender<Answer>) -> Self {
        self.calls.insert(CallId::CREATION, reply);
        self
    }
}

// Running.
impl TableTask {
    /// Runs until nobody is there, the server stops, or the store fails.
    pub(crate) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let _counted = shared.metrics.rooms.enter();
        let end = AssertUnwindSafe(self.live()).catch_unwind().await.unwrap_or(End::Fault);
        self.count_bots(0);
        // Boxed, or the task would be twice as large all its life.
        Box::pin(self.finish(end)).await;
    }

    async fn live(&mut self) -> End {
        if let Err(error) = self.settle().await {
            return End::NotStored(error);
        }
        loop {
            // Made anew each time: a table that waits keeps no room for what may come.
            let mut batch = Vec::new();
            let wake = self.wake_at();
            tokio::select! {
                taken = self.inbox.recv_many(&mut batch, MOST_TOGETHER) => if taken == 0 { return End::Quiet },
                () = sleep_until(wake) => {
                    if self.is_quiet() { return End::Quiet; }
                    self.host.handle_time(clock::now());
                }
            }
            for message in batch {
                if matches!(message, ToTable::Stop) {
                    return End::Stop;
                }
                self.take(message);
            }
            if let Err(error) = self.settle().await {
                return End::NotStored(error);
            }
        }
    }

    /// The table's own time, or the time at which the table is put away.
    fn wake_at(&self) -> Option<Instant> {
        let host =
            self.host.wake_at().map(|at| Instant::now() + Duration::from_millis(at.saturating_sub(clock::now())));
        let quiet = self.quiet_since.map(|since| since + self.shared.settings.evict_after);
        host.into_iter().chain(quiet).min()
    }

    fn is_quiet(&self) -> bool {
        self.quiet_since.is_some_and(|since| since.elapsed() >= self.shared.settings.evict_after)
    }

    fn take(&mut self, message: ToTable) {
        let now = clock::now();
        match message {
            ToTable::Connect { from, outbox } => self.connect(from, outbox),
            ToTable::Message { from, message } => self.host.handle_message(now, from, *message),
            ToTable::Disconnect { from } => self.disconnect(from),
            ToTable::CaughtUp { from } => self.host.handle_caught_up(now, from),
            ToTable::Call { call, reply } => {
                let call = self.host.handle_call(now, *call);
                self.calls.insert(call, reply);
            }
            ToTable::Decided { ticket, decision } => self.host.handle_decision(now, ticket, decision.as_deref()),
            ToTable::Stop => {}
            #[cfg(test)]
            ToTable::Fault => panic!("a fault"),
        }
    }

    fn connect(&mut self, from: ConnectionId, outbox: Outbox) {
        self.quiet_since = None;
        self.outboxes.insert(from, outbox);
        self.host.handle_connected(clock::now(), from);
    }

    fn disconnect(&mut self, from: ConnectionId) {
        self.outboxes.remove(&from);
        self.host.handle_closed(clock::now(), from);
        if self.quiet_since.is_none() && self.host.is_deserted() {
            self.quiet_since = Some(Instant::now());
        }
    }

    /// Lets bots think elsewhere, and carries out what the host gives.
    async fn settle(&mut self) -> Result<(), StoreError> {
        while let Some(thought) = self.host.poll_thought() {
            thinking::think(&self.shared, thought, self.own.clone());
        }
        while let Some(output) = self.host.poll_output() {
            match output {
                Output::Store { events, .. } => {
                    self.write();
                    self.store(&events).await?;
                }
                Output::Send { to, text, is_refusal } => self.send(to, &text, is_refusal),
                Output::Answer { call, answer } => self.answer(call, answer),
                Output::Close { to, code } => self.close(to, code),
                // No connection outlives its server.
                Output::Bind(_) => {}
            }
        }
        self.write();
        self.count_bots(self.host.bots() as u64);
        self.let_go_of_memory();
        Ok(())
    }

    async fn store(&mut self, events: &[Stored]) -> Result<(), StoreError> {
        let (store, now) = (&self.shared.store, clock::now());
        let tail = match self.tail {
            Some(tail) => store.append(tail, now, events).await?,
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
            Ok(Backlog::Crowded) => self.host.handle_backlog(to),
            Err(Full) => {
                // Answers alone fill it: a client that asks and does not read. Its connection ends, its session stays.
                self.shared.metrics.slow_clients.add(1);
                outbox.close(close::TOO_SLOW);
                return self.disconnect(to);
            }
        }
        if self.unwritten.last() != Some(&to) {
            self.unwritten.push(to);
        }
    }

    /// Writes what was sent to each connection since the last time, together.
    fn write(&mut self) {
        let is_crowd = self.outboxes.len() > MOST_WRITTEN_DIRECTLY;
        for to in self.unwritten.drain(..) {
            match self.outboxes.get(&to) {
                Some(outbox) if is_crowd => outbox.flush_later(),
                Some(outbox) => outbox.flush(),
                None => {}
            }
        }
    }

    fn answer(&mut self, call: CallId, answer: Answer) {
        self.shared.metrics.messages_out.add(1);
        if let Some(reply) = self.calls.remove(&call) {
            reply.send(answer).ok();
        }
    }

    fn close(&mut self, to: ConnectionId, code: u16) {
        self.write();
        if let Some(outbox) = self.outboxes.remove(&to) {
            outbox.close(code);
        }
    }

    fn count_bots(&mut self, bots: u64) {
        self.shared.metrics.programs.change(self.counted_bots, bots);
        self.counted_bots = bots;
    }

    /// A table at which nobody is waits for a while, perhaps beside many others.
    fn let_go_of_memory(&mut self) {
        if self.outboxes.is_empty() {
            self.unwritten = Vec::new();
            self.calls.shrink_to_fit();
        }
    }
}

// The end.
impl TableTask {
    async fn finish(mut self, end: End) {
        let id = self.host.id().clone();
        self.shared.tables.forget(&id);
        match &end {
            End::NotStored(error) => {
                tracing::error!(table = %id, %error, "the table could not be stored and begins again");
                self.host.handle_not_stored(&error.to_string());
            }
            End::Fault => {
                tracing::error!(table = %id, "the table broke and begins again from what is stored");
                self.close_all(close::RESTORED);
            }
            End::Quiet => self.close_all(close::RESTORED),
            End::Stop => self.close_all(close::GOING_AWAY),
        }
        if matches!(end, End::NotStored(_)) {
            // Nothing is left to be stored.
            self.settle().await.ok();
            self.close_all(close::RESTORED);
        }
        self.inbox.close();
        let mut late = Vec::new();
        while let Some(message) = self.inbox.recv().await {
            late.push(message);
        }
        if matches!(end, End::Quiet) {
            pass_on(self.shared, id, late).await;
        }
    }

    fn close_all(&mut self, code: u16) {
        self.write();
        self.outboxes.values().for_each(|outbox| outbox.close(code));
    }
}

/// Those who came while the table was put away are led to the one that is built again.
async fn pass_on(shared: Arc<Shared>, id: GameId, late: Vec<ToTable>) {
    let is_over = |message: &ToTable| {
        matches!(message, ToTable::Disconnect { .. } | ToTable::CaughtUp { .. } | ToTable::Decided { .. })
    };
    if late.iter().all(is_over) {
        return;
    }
    if let Ok(handle) = Tables::open_again(shared, id).await {
        for message in late.into_iter().filter(|message| !matches!(message, ToTable::Decided { .. })) {
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

    use texas42_hosting::Founder;
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::serve::{creation, server::Settings};

    #[tokio::test]
    async fn a_table_that_breaks_sends_everybody_back_to_what_is_stored() {
        let folder = std::env::temp_dir().join(format!("texas42-{:x}", u64::from_le_bytes(clock::random())));
        let (_ending, heard) = tokio::sync::watch::channel(false);
        let shared = Shared::open(Settings::new(([127, 0, 0, 1], 0).into(), folder.clone()), heard).unwrap();
        let create = serde_json::from_str(r#"{"type":"CREATE_GAME","name":"Ann"}"#).unwrap();
        let (address, founder) = (IpAddr::V4(Ipv4Addr::LOCALHOST), Founder::Connection(77));
        let host = creation::create(Arc::clone(&shared), address, founder, create, |_| {}).await.unwrap();
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut client = tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (id, outbox) = (host.id().clone(), Outbox::new(listener.accept().await.unwrap().0));
        let handle = creation::spawn(&shared, *host, |task| task.for_connection(77, outbox.clone())).unwrap();
        let mut heard = String::new();
        while !heard.contains("GAME_CREATED") {
            let mut bytes = [0; 4096];
            let count = client.read(&mut bytes).await.unwrap();
            heard.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }

        handle.send(ToTable::Fault).await.unwrap();
        assert_eq!(std::future::poll_fn(|cx| outbox.poll_closed(cx)).await, close::RESTORED);

        let again = shared.tables.open(&shared, &id).await.unwrap();
        let (reply, look) = oneshot::channel();
        again.send(ToTable::Call { call: Box::new(Call::State(None)), reply }).await.unwrap();
        assert!(look.await.is_ok(), "the table is there again");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
