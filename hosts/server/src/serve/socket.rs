//! The task of one WebSocket: passes on what the client says to its table. What the table says is written by the table
//! itself, through the [`Outbox`] of the connection; this task writes only what the socket did not take at once.
//!
//! The size of a message, the rate of messages, the number of tables (one at a time) and the buffer are bounded.

use std::{future::poll_fn, io, net::IpAddr, sync::Arc, time::Instant};

use futures_util::{SinkExt, StreamExt};
use texas42_client::close;
use texas42_hosting::{Admitted, Throttle, too_fast, unreadable};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, MOST_MESSAGE_BYTES, RequestId, ServerMessage, WireError};
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
    creation::{self, CREATE, Made, Pending},
    outbox::{Outbox, Stall},
    server::Shared,
    table::{Handle, ToTable},
};

pub(crate) struct Socket {
    shared: Arc<Shared>,
    id: ConnectionId,
    counted: Counted,
    /// Reads from the client, and writes control frames through the outbox.
    socket: WebSocketStream<Outbox>,
    /// The table of the address, where the address names one.
    only: Option<GameId>,
    outbox: Outbox,
    /// How long the client may still take for what is buffered, if anything is.
    stall: Option<Stall>,
    /// The table at which this connection is.
    table: Option<(GameId, Handle)>,
    /// The table that it is setting up.
    setting_up: Option<Pending>,
    throttle: Throttle,
    heard: Instant,
}

/// What became of a message.
enum Done {
    Fine,
    Answer(Box<ServerMessage>),
    Close(u16),
}

/// An upgraded stream, and what the client had sent behind its request.
pub(crate) struct Upgraded {
    pub(crate) stream: TcpStream,
    pub(crate) read: Vec<u8>,
}

/// Small buffers: most connections are silent most of the time.
fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MOST_MESSAGE_BYTES))
        .max_frame_size(Some(MOST_MESSAGE_BYTES))
        .read_buffer_size(512)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
}

/// Runs a connection to its end.
pub(crate) async fn run(shared: Arc<Shared>, address: IpAddr, only: Option<GameId>, upgraded: Upgraded) {
    let counted = Counted::new(&shared, address);
    let outbox = Outbox::new(upgraded.stream);
    let socket = WebSocketStream::from_partially_read(outbox.clone(), upgraded.read, Role::Server, Some(config()));
    let socket = Box::pin(socket).await;
    let mut state = Box::new(Socket {
        id: shared.next_connection(),
        counted,
        socket,
        only,
        outbox,
        stall: None,
        table: None,
        setting_up: None,
        throttle: Throttle::new(shared.settings.messages, clock::uptime()),
        heard: Instant::now(),
        shared,
    });
    state.live().await;
}

/// A connection counts until this is dropped, however it ends.
struct Counted {
    shared: Arc<Shared>,
    address: IpAddr,
}

impl Counted {
    fn new(shared: &Arc<Shared>, address: IpAddr) -> Self {
        shared.metrics.connections.up();
        Self { shared: Arc::clone(shared), address }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.shared.metrics.connections.down();
        self.shared.addresses.disconnect(self.address);
    }
}

impl Socket {
    async fn live(&mut self) {
        let mut ending = self.shared.ending.clone();
        let mut ended = std::pin::pin!(ending.changed());
        let pings = self.shared.settings.idle / 3;
        let mut ping = tokio::time::interval_at(tokio::time::Instant::now() + pings, pings);
        let (outbox, patience) = (self.outbox.clone(), self.shared.settings.slow);
        let code = loop {
            tokio::select! {
                biased;
                code = poll_fn(|cx| outbox.poll_closed(cx)) => break Some(code),
                drained = poll_fn(|cx| outbox.poll_drained(cx, &mut self.stall, patience)) => match drained {
                    Ok(()) => self.catch_up().await,
                    Err(error) => break self.code_of_failed_write(&error),
                },
                _ = ended.as_mut() => break Some(close::GOING_AWAY),
                // Before anything more is heard: a table that needs no search stands at once.
                made = creation::finished(&mut self.setting_up) => {
                    let done = Box::pin(self.sit_down(made)).await;
                    if let Some(code) = self.finish(done) { break Some(code) }
                }
                message = self.socket.next() => {
                    let message = match message {
                        Some(Ok(message)) => message,
                        Some(Err(error)) => break code_of(&error),
                        None => break None,
                    };
                    let done = Box::pin(self.hear(message)).await;
                    if let Some(code) = self.finish(done) { break Some(code) }
                }
                _ = ping.tick() => {
                    if self.heard.elapsed() >= self.shared.settings.idle { break Some(close::IDLE) }
                    if self.outbox.ping().is_err() { break Some(close::TOO_SLOW) }
                }
            }
        };
        self.part().await;
        if let Some(code) = code {
            Box::pin(say_last_words(&mut self.socket, code)).await;
        }
    }

    /// A client that reads nothing is disconnected with a code of its own; one that is gone needs none.
    fn code_of_failed_write(&self, error: &io::Error) -> Option<u16> {
        let is_slow = error.kind() == io::ErrorKind::TimedOut;
        self.shared.metrics.slow_clients.add(u64::from(is_slow));
        is_slow.then_some(close::TOO_SLOW)
    }

    /// Answers; says with which code the connection ends, where it does.
    fn finish(&mut self, done: Done) -> Option<u16> {
        match done {
            Done::Fine => None,
            Done::Close(code) => Some(code),
            Done::Answer(answer) => {
                self.shared.metrics.messages_out.add(1);
                // Through the same bounded way, so that nobody is answered faster than it reads.
                if self.outbox.say(&answer).is_ok() {
                    return None;
                }
                self.shared.metrics.slow_clients.add(1);
                Some(close::TOO_SLOW)
            }
        }
    }

    async fn hear(&mut self, message: Message) -> Done {
        self.heard = Instant::now();
        // Every frame is work, also one that says nothing.
        match self.throttle.admit(self.shared.settings.messages, clock::uptime()) {
            Admitted::Yes => {}
            Admitted::Warned => return self.warn(message.to_text().unwrap_or("")),
            Admitted::Cut => return Done::Close(close::FLOODED),
        }
        match message {
            Message::Text(text) => self.hear_text(text.as_str()).await,
            Message::Binary(_) => answer(None, None, WireError::new(Problem::NotText)),
            Message::Close(_) => Done::Close(1000),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Done::Fine,
        }
    }

    async fn hear_text(&mut self, text: &str) -> Done {
        self.shared.metrics.messages_in.add(1);
        let message: ClientMessage = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => return Done::Answer(Box::new(unreadable(text, &error))),
        };
        match message {
            ClientMessage::Ping { nonce } => {
                Done::Answer(Box::new(ServerMessage::Pong { nonce, time: Some(clock::now()) }))
            }
            message if self.is_being_done(&message) => Done::Fine,
            message => {
                self.give_up_setting_up();
                self.obey(message).await
            }
        }
    }

    async fn obey(&mut self, message: ClientMessage) -> Done {
        match message {
            ClientMessage::CreateGame { .. } => self.create(message).await,
            message => self.forward(message).await,
        }
    }

    /// A client that hears nothing for a while asks again for the table that it is about to get.
    fn is_being_done(&self, message: &ClientMessage) -> bool {
        self.setting_up.as_ref().is_some_and(|pending| pending.is_for(message))
    }

    /// Whoever wants something else does not want the table any more.
    fn give_up_setting_up(&mut self) {
        if let Some(pending) = self.setting_up.take() {
            self.say(&pending.given_up());
        }
    }

    fn warn(&self, text: &str) -> Done {
        self.shared.metrics.rate_limited.add(1);
        Done::Answer(Box::new(too_fast(serde_json::from_str(text).ok().as_ref())))
    }

    async fn create(&mut self, message: ClientMessage) -> Done {
        let request = message.request_id().cloned();
        if self.only.is_some() {
            let error = WireError::new(Problem::AlreadySetUp);
            return answer(Some(CREATE), request, error);
        }
        if let Some(back) = creation::come_back_instead(&self.shared, &message).await {
            return self.forward(back).await;
        }
        let outbox = self.outbox.clone();
        let tell = move |progress| drop(outbox.say(&progress));
        self.setting_up = Some(Pending::new(&self.shared, self.counted.address, self.id, message, tell));
        Done::Fine
    }

    /// The table is made, or refused; its maker sits down.
    async fn sit_down(&mut self, (request, made): (Option<RequestId>, Made)) -> Done {
        let host = match made {
            Ok(host) => host,
            Err(refused) => return Done::Answer(Box::new(refused)),
        };
        self.part().await;
        let (id, outbox) = (host.id().clone(), self.outbox.clone());
        match creation::spawn(&self.shared, *host, |task| task.for_connection(self.id, outbox)) {
            Some(handle) => self.table = Some((id, handle)),
            None => return answer(Some(CREATE), request, creation::set_up_twice()),
        }
        Done::Fine
    }

    fn say(&self, message: &ServerMessage) {
        self.outbox.say(message).ok();
    }

    async fn forward(&mut self, message: ClientMessage) -> Done {
        let (kind, request) = (message.name(), message.request_id().cloned());
        let Some(game) = message.game_id().cloned() else {
            return answer(Some(kind), request, WireError::new(Problem::NoTableNamed));
        };
        if self.only.as_ref().is_some_and(|only| *only != game) {
            return answer(Some(kind), request, WireError::new(Problem::NoSuchGame));
        }
        let is_here = self.table.as_ref().is_some_and(|(id, _)| *id == game);
        if !is_here && !matches!(message, ClientMessage::JoinGame { .. }) {
            return answer(Some(kind), request, WireError::new(Problem::JoinFirst));
        }
        // A table that was put away in the meantime is built again, once.
        let mut told = ToTable::Message { from: self.id, message: Box::new(message) };
        for _ in 0..2 {
            let handle = match self.table_of(&game).await {
                Ok(handle) => handle,
                Err(error) => return answer(Some(kind), request, error),
            };
            match handle.send(told).await {
                Ok(()) => return Done::Fine,
                Err(mpsc::error::SendError(back)) => told = back,
            }
            self.table = None;
        }
        answer(Some(kind), request, WireError::new(Problem::TableAway))
    }

    /// The table, at which this connection is from now on.
    async fn table_of(&mut self, game: &GameId) -> Result<Handle, WireError> {
        if let Some((id, handle)) = &self.table
            && id == game
        {
            return Ok(handle.clone());
        }
        let handle = self.shared.tables.open(&self.shared, game).await?;
        self.part().await;
        let hello = ToTable::Connect { from: self.id, outbox: self.outbox.clone() };
        handle.send(hello).await.ok();
        self.table = Some((game.clone(), handle.clone()));
        Ok(handle)
    }

    /// Everything that waited is written. A table that holds its updates back shows how it stands now.
    async fn catch_up(&mut self) {
        if let Some((_, handle)) = &self.table {
            handle.send(ToTable::CaughtUp { from: self.id }).await.ok();
        }
    }

    /// Says good-bye to the table.
    async fn part(&mut self) {
        if let Some((_, handle)) = self.table.take() {
            handle.send(ToTable::Disconnect { from: self.id }).await.ok();
        }
    }
}

/// Sends the close code behind what is buffered, unless the client does not read.
async fn say_last_words(socket: &mut WebSocketStream<Outbox>, code: u16) {
    let last_words = async {
        let reason = Utf8Bytes::from_static(close::reason(code));
        socket.send(Message::Close(Some(CloseFrame { code: code.into(), reason }))).await?;
        // Closing over something unread would throw away what was just sent.
        while let Some(Ok(_)) = socket.next().await {}
        Ok::<(), tungstenite::Error>(())
    };
    tokio::time::timeout(std::time::Duration::from_secs(2), last_words).await.ok();
}

/// The code for a frame that cannot be read, where the client did more wrong than to go away.
fn code_of(error: &tungstenite::Error) -> Option<u16> {
    use tungstenite::Error;
    match error {
        Error::Capacity(_) => Some(close::TOO_LONG),
        Error::Utf8(_) => Some(close::NOT_TEXT),
        Error::Protocol(_) => Some(close::NOT_A_FRAME),
        _ => None,
    }
}

fn answer(kind: Option<&str>, request_id: Option<RequestId>, error: WireError) -> Done {
    Done::Answer(Box::new(ServerMessage::refusal(kind, request_id, error)))
}
