//! The task of one WebSocket connection: forwards client messages to the table. The table writes its messages itself,
//! through the connection's [`Outbox`]; this task writes only what the socket did not accept at once.
//!
//! Limits: the size of a message, the message rate, one table at a time, and the bounded buffer of the outbox.

use std::{
    future::poll_fn,
    io,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt};
use texas42_client::close;
use texas42_hosting::{
    Admission, RequestRef, Throttle, is_repeated, rate_limited_reply, read_frame, reply_without_table,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, MAX_MESSAGE_BYTES, ServerMessage, WireError};
use texas42_room::ConnectionId;
use tokio::{net::TcpStream, sync::mpsc};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message, Utf8Bytes,
        protocol::{CloseFrame, Role, WebSocketConfig},
    },
};

use super::{
    clock,
    creation::{self, CreationResult, PendingCreation},
    fragments::{FragmentLimit, TooManyFragments},
    outbox::{Outbox, Stall},
    server::Shared,
    table::{TableCommand, TableHandle},
};

/// How often a connection is checked within the longest silence.
const CHECKS_OF_SILENCE: u32 = 4;
/// Maximum number of frames that are read and discarded while a connection closes.
const MAX_DISCARDED: usize = 1024;

/// A WebSocket over the outbox of its connection.
type Frames = WebSocketStream<FragmentLimit<Outbox>>;

/// The state of one connection.
pub(crate) struct Socket {
    shared: Arc<Shared>,
    id: ConnectionId,
    guard: ConnectionGuard,
    /// Reads from the client, and writes control frames through the outbox.
    socket: Frames,
    /// The only table this connection may use, if the URL names one.
    required_game: Option<GameId>,
    is_browser: bool,
    outbox: Outbox,
    /// How long the client may still take to read the buffered bytes, if there are any.
    stall: Option<Stall>,
    /// The table this connection has joined.
    table: Option<(GameId, TableHandle)>,
    /// The table this connection is creating.
    pending_creation: Option<PendingCreation>,
    throttle: Throttle,
    last_heard: Instant,
}

/// What to do after handling a message.
enum Outcome {
    Continue,
    Reply(Box<ServerMessage>),
    Close(u16),
}

impl From<ServerMessage> for Outcome {
    fn from(reply: ServerMessage) -> Self {
        Self::Reply(Box::new(reply))
    }
}

/// An upgraded stream, and the bytes that the client sent after its request.
pub(crate) struct UpgradedStream {
    pub(crate) stream: TcpStream,
    pub(crate) read: Vec<u8>,
}

/// Small buffers, because most connections are idle most of the time.
fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES))
        .read_buffer_size(512)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
}

/// Runs a connection until it closes. Rare steps are boxed to keep the future of an idle connection small.
pub(crate) async fn run(
    shared: Arc<Shared>,
    address: IpAddr,
    required_game: Option<GameId>,
    upgraded: UpgradedStream,
    is_browser: bool,
) {
    let guard = ConnectionGuard::new(&shared, address);
    let outbox = Outbox::new(upgraded.stream);
    let stream = FragmentLimit::new(outbox.clone(), &upgraded.read);
    let socket = WebSocketStream::from_partially_read(stream, upgraded.read, Role::Server, Some(config()));
    let socket = Box::pin(socket).await;
    let mut state = Box::new(Socket {
        id: shared.next_connection(),
        guard,
        socket,
        required_game,
        is_browser,
        outbox,
        stall: None,
        table: None,
        pending_creation: None,
        throttle: Throttle::new(shared.settings.messages, clock::uptime()),
        last_heard: Instant::now(),
        shared,
    });
    state.run_loop().await;
}

/// Counts a connection until it is dropped.
struct ConnectionGuard {
    shared: Arc<Shared>,
    address: IpAddr,
}

impl ConnectionGuard {
    fn new(shared: &Arc<Shared>, address: IpAddr) -> Self {
        shared.metrics.connections.up();
        Self { shared: Arc::clone(shared), address }
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.shared.metrics.connections.down();
        self.shared.addresses.disconnect(self.address);
    }
}

impl Socket {
    async fn run_loop(&mut self) {
        let mut shutdown = self.shared.shutdown.clone();
        let mut shut_down = std::pin::pin!(shutdown.changed());
        let checks = self.longest_silence() / CHECKS_OF_SILENCE;
        let mut check = tokio::time::interval_at(tokio::time::Instant::now() + checks, checks);
        let (outbox, limit) = (self.outbox.clone(), self.shared.settings.slow);
        let code = loop {
            tokio::select! {
                biased;
                code = poll_fn(|cx| outbox.poll_closed(cx)) => break Some(code),
                drained = poll_fn(|cx| outbox.poll_drained(cx, &mut self.stall, limit)) => match drained {
                    Ok(()) => self.catch_up().await,
                    Err(error) => break self.write_error_code(&error),
                },
                _ = shut_down.as_mut() => break Some(close::GOING_AWAY),
                // Before the next message: a table that needs no deal search is ready immediately.
                created = creation::completed(&mut self.pending_creation) => {
                    let outcome = Box::pin(self.join_created_table(created)).await;
                    if let Some(code) = self.finish(outcome) { break Some(code) }
                }
                message = self.socket.next() => {
                    let message = match message {
                        Some(Ok(message)) => message,
                        Some(Err(error)) => break close_code(&error),
                        None => break None,
                    };
                    let outcome = Box::pin(self.handle_frame(message)).await;
                    if let Some(code) = self.finish(outcome) { break Some(code) }
                }
                _ = check.tick() => if let Some(code) = self.check_silence() { break Some(code) }
            }
        };
        self.leave_table().await;
        if let Some(code) = code {
            Box::pin(flush_and_close(&mut self.socket, code)).await;
        }
    }

    /// How long this client may be silent.
    fn longest_silence(&self) -> Duration {
        let settings = &self.shared.settings;
        if self.is_browser { settings.browser_idle.min(settings.idle) } else { settings.idle }
    }

    /// Pings a client that is silent. Returns the close code if it has been silent for too long.
    fn check_silence(&self) -> Option<u16> {
        let (silence, longest) = (self.last_heard.elapsed(), self.longest_silence());
        if silence >= longest {
            return Some(close::IDLE);
        }
        let is_silent = silence >= longest / CHECKS_OF_SILENCE;
        (is_silent && self.outbox.ping().is_err()).then_some(close::TOO_SLOW)
    }

    /// The close code for a client that does not read; `None` if it merely disconnected.
    fn write_error_code(&self, error: &io::Error) -> Option<u16> {
        let is_slow = error.kind() == io::ErrorKind::TimedOut;
        self.shared.metrics.slow_clients.add(u64::from(is_slow));
        is_slow.then_some(close::TOO_SLOW)
    }

    /// Sends the reply, if any. Returns the close code if the connection must be closed.
    fn finish(&mut self, outcome: Outcome) -> Option<u16> {
        match outcome {
            Outcome::Continue => None,
            Outcome::Close(code) => Some(code),
            Outcome::Reply(reply) => {
                self.shared.metrics.messages_out.add(1);
                // Uses the bounded outbox, so that a client gets no replies faster than it reads them.
                if self.outbox.send_message(&reply).is_ok() {
                    return None;
                }
                self.shared.metrics.slow_clients.add(1);
                Some(close::TOO_SLOW)
            }
        }
    }

    async fn handle_frame(&mut self, message: Message) -> Outcome {
        self.last_heard = Instant::now();
        // Every frame counts toward the rate limit, even an empty one.
        match self.throttle.admit(self.shared.settings.messages, clock::uptime()) {
            Admission::Yes => {}
            Admission::Warned => return self.warn(message.to_text().unwrap_or("")),
            Admission::Cut => return Outcome::Close(close::FLOODED),
        }
        match message {
            Message::Text(text) => self.handle_text(text.as_str()).await,
            Message::Binary(_) => ServerMessage::refusal(None, None, WireError::new(Problem::NotText)).into(),
            Message::Close(_) => Outcome::Close(1000),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Outcome::Continue,
        }
    }

    async fn handle_text(&mut self, text: &str) -> Outcome {
        self.shared.metrics.messages_in.add(1);
        match read_frame(text) {
            Err(reply) => Outcome::Reply(reply),
            Ok(ping @ ClientMessage::Ping { .. }) => reply_without_table(clock::now(), &ping).into(),
            Ok(message) if self.is_pending_creation(&message) => Outcome::Continue,
            Ok(message) => {
                self.cancel_creation();
                self.dispatch(message).await
            }
        }
    }

    async fn dispatch(&mut self, message: ClientMessage) -> Outcome {
        match message {
            ClientMessage::CreateGame { .. } => self.create(message).await,
            message => self.forward(message).await,
        }
    }

    /// Whether `message` repeats the pending create request.
    fn is_pending_creation(&self, message: &ClientMessage) -> bool {
        self.pending_creation.as_ref().is_some_and(|pending| is_repeated(&pending.message, message))
    }

    /// Cancels a pending creation; called when the client sends a different request.
    fn cancel_creation(&mut self) {
        if let Some(pending) = self.pending_creation.take() {
            self.send(&pending.cancelled());
        }
    }

    fn warn(&self, text: &str) -> Outcome {
        self.shared.metrics.rate_limited.add(1);
        rate_limited_reply(read_frame(text).ok().as_ref()).into()
    }

    async fn create(&mut self, message: ClientMessage) -> Outcome {
        if self.required_game.is_some() {
            return RequestRef::of(&message).refuse(WireError::new(Problem::AlreadySetUp)).into();
        }
        if let Some(rejoin) = creation::rejoin_instead(&self.shared, &message).await {
            return self.forward(rejoin).await;
        }
        let outbox = self.outbox.clone();
        let report = move |progress| drop(outbox.send_message(&progress));
        self.pending_creation = Some(PendingCreation::new(&self.shared, self.guard.address, self.id, message, report));
        Outcome::Continue
    }

    /// Joins the creator to the new table, or replies with the refusal.
    async fn join_created_table(&mut self, (request, created): (RequestRef, CreationResult)) -> Outcome {
        let host = match created {
            Ok(host) => host,
            Err(refused) => return refused.into(),
        };
        self.leave_table().await;
        let (id, outbox) = (host.id().clone(), self.outbox.clone());
        match creation::spawn(&self.shared, *host, |task| task.for_connection(self.id, outbox)) {
            Some(handle) => self.table = Some((id, handle)),
            None => return request.refuse(creation::already_creating()).into(),
        }
        Outcome::Continue
    }

    fn send(&self, message: &ServerMessage) {
        self.outbox.send_message(message).ok();
    }

    async fn forward(&mut self, message: ClientMessage) -> Outcome {
        let request = RequestRef::of(&message);
        let Some(game) = message.game_id().cloned() else {
            return request.refuse(WireError::new(Problem::NoTableNamed)).into();
        };
        if self.required_game.as_ref().is_some_and(|required_game| *required_game != game) {
            return request.refuse(WireError::new(Problem::NoSuchGame)).into();
        }
        let is_joined = self.table.as_ref().is_some_and(|(id, _)| *id == game);
        if !is_joined && !message.enters_table() {
            return reply_without_table(clock::now(), &message).into();
        }
        // If the table was evicted in the meantime, reopen it once.
        let mut command = TableCommand::Message { from: self.id, message: Box::new(message) };
        for _ in 0..2 {
            let handle = match self.table_of(&game).await {
                Ok(handle) => handle,
                Err(error) => return request.refuse(error).into(),
            };
            match handle.send(command).await {
                Ok(()) => return Outcome::Continue,
                Err(mpsc::error::SendError(unsent)) => command = unsent,
            }
            self.table = None;
        }
        request.refuse(WireError::new(Problem::TableUnavailable)).into()
    }

    /// Returns the table and moves this connection to it.
    async fn table_of(&mut self, game: &GameId) -> Result<TableHandle, WireError> {
        if let Some((id, handle)) = &self.table
            && id == game
        {
            return Ok(handle.clone());
        }
        let handle = self.shared.tables.open(&self.shared, game).await?;
        self.leave_table().await;
        let connect = TableCommand::Connect { from: self.id, outbox: self.outbox.clone() };
        handle.send(connect).await.ok();
        self.table = Some((game.clone(), handle.clone()));
        Ok(handle)
    }

    /// Tells the table that the backlog is written, so that it resumes updates.
    async fn catch_up(&mut self) {
        if let Some((_, handle)) = &self.table {
            handle.send(TableCommand::CaughtUp { from: self.id }).await.ok();
        }
    }

    /// Leaves the current table, if any.
    async fn leave_table(&mut self) {
        if let Some((_, handle)) = self.table.take() {
            handle.send(TableCommand::Disconnect { from: self.id }).await.ok();
        }
    }
}

/// Sends the buffered messages and a close frame, unless the client stops reading.
async fn flush_and_close(socket: &mut Frames, code: u16) {
    let closing = async {
        let reason = Utf8Bytes::from_static(close::reason(code));
        socket.send(Message::Close(Some(CloseFrame { code: code.into(), reason }))).await?;
        // Closing a TCP socket with unread input would discard what was just sent.
        for _ in 0..MAX_DISCARDED {
            let Some(Ok(_)) = socket.next().await else { break };
        }
        Ok::<(), tungstenite::Error>(())
    };
    tokio::time::timeout(Duration::from_secs(2), closing).await.ok();
}

/// The close code for a read error; `None` if the client merely disconnected.
fn close_code(error: &tungstenite::Error) -> Option<u16> {
    use tungstenite::Error;
    match error {
        Error::Capacity(_) => Some(close::TOO_LONG),
        Error::Utf8(_) => Some(close::NOT_TEXT),
        Error::Protocol(_) => Some(close::NOT_A_FRAME),
        Error::Io(error) if is_flood(error) => Some(close::FLOODED),
        _ => None,
    }
}

fn is_flood(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<TooManyFragments>)
}
