//! One table as a task: it takes messages in the order in which they come, lets the room decide, and does what the room
//! wants in the order in which the room wants it. Nothing that follows from an event leaves before the event is stored.
//!
//! When the store fails, or the table has a fault, the task ends: those who asked are told, every connection is closed with
//! a code that says "come back", and whoever comes back finds the table as it is stored.

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;

use texas42_client::close;
use texas42_protocol::{
    ClientMessage, ErrorCode, GameId, GameView, PlayerId, RequestId, SecretKey, ServerMessage, WireError,
};
use texas42_room::{ConnectionId, Effect, Room, Stored};
use texas42_vocab::Seat;
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{
    clock,
    outbox::{Letter, Outbox},
    program,
    server::Shared,
    store::{StoreError, Tail},
    tables::Tables,
};

/// So many messages wait for a table at most; whoever comes then waits, and with it only its own connection.
const MOST_WAITING: usize = 128;
/// So many are taken together, with one commit for all of them.
const MOST_TOGETHER: usize = 64;

/// What a table is told.
#[derive(Debug)]
pub(crate) enum ToTable {
    /// Somebody is there now.
    Connect { from: ConnectionId, outbox: Outbox },
    /// Somebody says something.
    Message { from: ConnectionId, message: ClientMessage },
    /// Somebody is there no more.
    Disconnect { from: ConnectionId },
    /// A single request without a connection.
    Call { key: Option<SecretKey>, message: ClientMessage, reply: oneshot::Sender<ServerMessage> },
    /// How does the table stand for the session with this key?
    Look { key: Option<SecretKey>, reply: oneshot::Sender<Option<Look>> },
    /// What is the record of the game, for the session with this key?
    Record { key: Option<SecretKey>, reply: oneshot::Sender<Result<String, WireError>> },
    /// The server ends.
    Stop,
    /// Something in the table is broken.
    #[cfg(test)]
    Fault,
}

/// How a table stands for somebody.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) player: Option<PlayerId>,
    pub(crate) version: u64,
    pub(crate) view: GameView,
}

/// The way to a table.
pub(crate) type Handle = mpsc::Sender<ToTable>;

/// A new way to a table.
pub(crate) fn channel() -> (Handle, mpsc::Receiver<ToTable>) {
    mpsc::channel(MOST_WAITING)
}

/// A request of which the answer is not sent yet.
struct Asked {
    from: ConnectionId,
    kind: &'static str,
    request: Option<RequestId>,
}

pub(crate) struct TableTask {
    shared: Arc<Shared>,
    id: GameId,
    room: Room,
    tail: Option<Tail>,
    inbox: mpsc::Receiver<ToTable>,
    /// Weak, so that a table does not keep itself alive.
    own: mpsc::WeakSender<ToTable>,
    outboxes: HashMap<ConnectionId, Outbox>,
    players: HashMap<PlayerId, ConnectionId>,
    calls: HashMap<ConnectionId, oneshot::Sender<ServerMessage>>,
    programs: HashMap<Seat, ConnectionId>,
    asked: Vec<Asked>,
    last: Option<Letter>,
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

impl TableTask {
    pub(crate) fn new(
        shared: Arc<Shared>,
        room: Room,
        tail: Option<Tail>,
        own: &Handle,
        inbox: mpsc::Receiver<ToTable>,
    ) -> Self {
        Self {
            shared,
            id: room.id().clone(),
            room,
            tail,
            inbox,
            own: own.downgrade(),
            outboxes: HashMap::new(),
            players: HashMap::new(),
            calls: HashMap::new(),
            programs: HashMap::new(),
            asked: Vec::new(),
            last: None,
            quiet_since: Some(Instant::now()),
        }
    }

    /// Somebody who is there from the beginning.
    pub(crate) fn with(mut self, from: ConnectionId, outbox: Outbox) -> Self {
        self.connect(from, outbox);
        self
    }

    /// The request that the table was set up for: its maker is told when that cannot be written down.
    pub(crate) fn asked(mut self, from: ConnectionId, kind: &'static str, request: Option<RequestId>) -> Self {
        self.asked.push(Asked { from, kind, request });
        self
    }

    /// A creator over HTTP waits for the answer.
    pub(crate) fn with_call(mut self, from: ConnectionId, reply: oneshot::Sender<ServerMessage>) -> Self {
        self.calls.insert(from, reply);
        self
    }

    /// Runs until nobody is there, the server stops, or the store fails.
    pub(crate) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let _counted = shared.metrics.rooms.enter();
        let end = AssertUnwindSafe(self.live()).catch_unwind().await.unwrap_or(End::Fault);
        self.finish(&end).await;
    }

    async fn live(&mut self) -> End {
        if let Err(error) = self.settle().await {
            return End::NotStored(error);
        }
        let mut batch = Vec::new();
        loop {
            let wake = self.wake_at();
            tokio::select! {
                taken = self.inbox.recv_many(&mut batch, MOST_TOGETHER) => if taken == 0 { return End::Quiet },
                () = sleep_until(wake) => {
                    if self.is_quiet() { return End::Quiet; }
                    self.room.handle_time(clock::now());
                }
            }
            for message in batch.drain(..) {
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

    /// The room's own time, or the time at which the table is put away.
    fn wake_at(&self) -> Option<Instant> {
        let room =
            self.room.wake_at().map(|at| Instant::now() + Duration::from_millis(at.saturating_sub(clock::now())));
        let quiet = self.quiet_since.map(|since| since + self.shared.settings.evict_after);
        room.into_iter().chain(quiet).min()
    }

    fn is_quiet(&self) -> bool {
        self.quiet_since.is_some_and(|since| since.elapsed() >= self.shared.settings.evict_after)
    }

    fn take(&mut self, message: ToTable) {
        let now = clock::now();
        match message {
            ToTable::Connect { from, outbox } => self.connect(from, outbox),
            ToTable::Message { from, message } => {
                let (kind, request) = (message.name(), message.request_id().cloned());
                self.asked.push(Asked { from, kind, request });
                self.room.handle_message(now, from, message);
            }
            ToTable::Disconnect { from } => self.disconnect(from),
            ToTable::Call { key, message, reply } => {
                let from = self.shared.next_connection();
                self.asked.push(Asked { from, kind: message.name(), request: message.request_id().cloned() });
                self.calls.insert(from, reply);
                self.room.handle_call(now, from, key.as_ref(), message);
            }
            ToTable::Look { key, reply } => {
                let version = self.room.version();
                let look = self.room.view_with_key(key.as_ref());
                reply.send(look.map(|(player, view)| Look { player, version, view })).ok();
            }
            ToTable::Record { key, reply } => {
                reply.send(self.room.record_with_key(key.as_ref())).ok();
            }
            ToTable::Stop => {}
            #[cfg(test)]
            ToTable::Fault => panic!("a fault"),
        }
    }

    fn connect(&mut self, from: ConnectionId, outbox: Outbox) {
        if !outbox.is_program() {
            self.quiet_since = None;
        }
        self.outboxes.insert(from, outbox);
    }

    fn disconnect(&mut self, from: ConnectionId) {
        self.outboxes.remove(&from);
        self.players.retain(|_, connection| *connection != from);
        self.room.handle_disconnect(clock::now(), from);
        self.note_quiet();
    }

    fn note_quiet(&mut self) {
        if self.quiet_since.is_none() && self.outboxes.values().all(Outbox::is_program) {
            self.quiet_since = Some(Instant::now());
        }
    }

    /// Does what the room wants: everything that is to be stored in one commit, then the rest in its order.
    async fn settle(&mut self) -> Result<(), StoreError> {
        loop {
            let (events, rest) = self.wanted();
            if events.is_empty() && rest.is_empty() {
                self.asked.clear();
                self.last = None;
                // A call that the room had nothing to say to is answered by closing it.
                self.calls.clear();
                return Ok(());
            }
            if !events.is_empty() {
                self.store(&events).await?;
            }
            rest.into_iter().for_each(|effect| self.do_effect(effect));
        }
    }

    fn wanted(&mut self) -> (Vec<Stored>, Vec<Effect>) {
        let (mut events, mut rest) = (Vec::new(), Vec::new());
        while let Some(effect) = self.room.poll_effect() {
            match effect {
                Effect::Store(more) if events.is_empty() => events = more,
                Effect::Store(more) => events.extend(more),
                other => rest.push(other),
            }
        }
        (events, rest)
    }

    async fn store(&mut self, events: &[Stored]) -> Result<(), StoreError> {
        let (store, now) = (&self.shared.store, clock::now());
        let tail = match self.tail {
            Some(tail) => store.append(tail, now, events).await?,
            None => store.create(&self.id, now, events).await?,
        };
        self.tail = Some(tail);
        Ok(())
    }

    fn do_effect(&mut self, effect: Effect) {
        match effect {
            Effect::Store(_) => unreachable!("what is to be stored was taken out before"),
            Effect::Send { to, message } => self.send(to, message),
            Effect::WantAi { seat, key } => self.call_program(seat, key),
            Effect::ReleaseAi { seat } => self.release_program(seat),
        }
    }

    fn send(&mut self, to: ConnectionId, message: Arc<ServerMessage>) {
        self.shared.metrics.messages_out.add(1);
        match &*message {
            ServerMessage::Error { .. } => self.shared.metrics.errors.add(1),
            ServerMessage::GameCreated { player_id, .. } | ServerMessage::Joined { player_id, .. } => {
                self.displace(player_id.clone(), to);
            }
            _ => {}
        }
        if let Some(reply) = self.calls.remove(&to) {
            reply.send(Arc::unwrap_or_clone(message)).ok();
            return;
        }
        // Those who see the same get the same text: it is written once.
        let letter = match self.last.take() {
            Some(letter) if letter.is(&message) => self.last.insert(letter),
            _ => self.last.insert(Letter::new(message)),
        };
        let is_stuck = self.outboxes.get(&to).is_some_and(|outbox| outbox.send(letter).is_err());
        if is_stuck {
            self.let_go(to);
        }
    }

    /// A client that does not read: its connection ends, its session stays.
    fn let_go(&mut self, from: ConnectionId) {
        self.shared.metrics.slow_clients.add(1);
        if let Some(outbox) = self.outboxes.get(&from) {
            outbox.close(close::TOO_SLOW);
        }
        self.disconnect(from);
    }

    /// One connection a session: the older one is told to end, so that it does not come back and fight.
    fn displace(&mut self, player: PlayerId, by: ConnectionId) {
        if self.calls.contains_key(&by) {
            return;
        }
        if let Some(old) = self.players.insert(player, by).filter(|old| *old != by)
            && let Some(outbox) = self.outboxes.remove(&old)
        {
            outbox.close(close::DISPLACED);
        }
    }

    fn call_program(&mut self, seat: Seat, key: SecretKey) {
        self.release_program(seat);
        let Some(own) = self.own.upgrade() else { return };
        let from = self.shared.next_connection();
        let (outbox, heard) = Outbox::local();
        self.outboxes.insert(from, outbox);
        self.programs.insert(seat, from);
        let seated = program::Seated { game: self.id.clone(), seat, key, connection: from };
        tokio::spawn(program::run(Arc::clone(&self.shared), seated, own.downgrade(), heard));
    }

    /// The program notices that nobody speaks to it any more, and ends.
    fn release_program(&mut self, seat: Seat) {
        if let Some(from) = self.programs.remove(&seat) {
            self.outboxes.remove(&from);
            self.players.retain(|_, connection| *connection != from);
        }
    }

    async fn finish(mut self, end: &End) {
        self.shared.tables.forget(&self.id);
        match end {
            End::NotStored(error) => {
                tracing::error!(table = %self.id, %error, "the table could not be stored and begins again");
                self.tell_not_stored(error);
            }
            End::Fault => tracing::error!(table = %self.id, "the table broke and begins again from what is stored"),
            End::Quiet | End::Stop => {}
        }
        let code = if matches!(end, End::Stop) { close::GOING_AWAY } else { close::RESTORED };
        self.outboxes.values().for_each(|outbox| outbox.close(code));
        self.inbox.close();
        let mut late = Vec::new();
        while let Some(message) = self.inbox.recv().await {
            late.push(message);
        }
        if matches!(end, End::Quiet) {
            self.pass_on(late).await;
        }
    }

    /// Those who came while the table was put away are led to the one that is built again.
    async fn pass_on(self, late: Vec<ToTable>) {
        if late.iter().all(|message| matches!(message, ToTable::Disconnect { .. })) {
            return;
        }
        if let Ok(handle) = Tables::open_again(self.shared, self.id).await {
            for message in late {
                handle.send(message).await.ok();
            }
        }
    }

    fn tell_not_stored(&mut self, error: &StoreError) {
        for Asked { from, kind, request } in std::mem::take(&mut self.asked) {
            let message = not_stored(kind, request, error);
            match self.calls.remove(&from) {
                Some(reply) => drop(reply.send(message)),
                None => {
                    if let Some(outbox) = self.outboxes.get(&from) {
                        outbox.send(&mut Letter::new(Arc::new(message))).ok();
                    }
                }
            }
        }
    }
}

/// The answer to a request that could not be written down.
pub(crate) fn not_stored(kind: &str, request_id: Option<RequestId>, error: &StoreError) -> ServerMessage {
    let text = format!("nothing has happened, because it could not be written down: {error}");
    ServerMessage::refusal(Some(kind), request_id, WireError::new(ErrorCode::NotStored, text))
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

    use super::*;
    use crate::serve::{creation, server::Settings};

    #[tokio::test]
    async fn a_table_that_breaks_sends_everybody_back_to_what_is_stored() {
        let folder = std::env::temp_dir().join(format!("texas42-{:x}", u64::from_le_bytes(clock::random())));
        let (_ending, heard) = tokio::sync::watch::channel(false);
        let shared = Shared::open(Settings::new(([127, 0, 0, 1], 0).into(), folder.clone()), heard).unwrap();
        let create = serde_json::from_str(r#"{"type":"CREATE_GAME","name":"Ann"}"#).unwrap();
        let room =
            creation::create(Arc::clone(&shared), IpAddr::V4(Ipv4Addr::LOCALHOST), 7, create, |_| {}).await.unwrap();
        let (id, (outbox, mut texts, closing)) = (room.id().clone(), Outbox::socket());
        let handle = creation::spawn(&shared, room, |task| task.with(7, outbox)).unwrap();
        assert!(texts.recv().await.unwrap().contains("GAME_CREATED"));

        handle.send(ToTable::Fault).await.unwrap();
        assert_eq!(closing.closed().await, close::RESTORED);

        let again = shared.tables.open(&shared, &id).await.unwrap();
        let (reply, look) = oneshot::channel();
        again.send(ToTable::Look { key: None, reply }).await.unwrap();
        assert!(look.await.is_ok(), "the table is there again");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
