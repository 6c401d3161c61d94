//! One WebSocket: what it says goes to its table, what the table says goes to it. Reading and writing are one task.
//!
//! Bounds: a message has so many bytes, a connection says so much a second and sits at one table at a time, and what waits
//! for it is bounded by its [`Outbox`].

use std::{net::IpAddr, sync::Arc, time::Instant};

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use futures_util::{SinkExt, StreamExt};
use texas42_client::close;
use texas42_hosting::{Admitted, Throttle, too_fast, unreadable};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, RequestId, ServerMessage, WireError};
use texas42_room::ConnectionId;
use tokio::sync::mpsc;

use super::{
    clock,
    creation::{self, CREATE, Made, Pending},
    outbox::{Closing, Outbox},
    server::Shared,
    table::{Handle, ToTable},
};

pub(crate) struct Socket {
    shared: Arc<Shared>,
    id: ConnectionId,
    counted: Counted,
    socket: WebSocket,
    /// The table of the address, where the address names one.
    only: Option<GameId>,
    outbox: Outbox,
    /// The other end of the outbox.
    texts: mpsc::Receiver<Utf8Bytes>,
    closing: Arc<Closing>,
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

/// Runs a connection to its end. Most connections are silent most of the time, so this is no `async fn`, which would keep its
/// arguments twice, and what happens now and then is boxed: a waiting connection keeps no room for it.
pub(crate) fn run(
    shared: Arc<Shared>,
    address: IpAddr,
    only: Option<GameId>,
    socket: WebSocket,
) -> impl Future<Output = ()> + Send {
    let (outbox, texts, closing) = Outbox::socket();
    let throttle = Throttle::new(shared.settings.messages, clock::uptime());
    let mut state = Socket {
        id: shared.next_connection(),
        counted: Counted::new(&shared, address),
        socket,
        only,
        outbox,
        texts,
        closing,
        table: None,
        setting_up: None,
        throttle,
        heard: Instant::now(),
        shared,
    };
    async move { state.live().await }
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
        let pings = self.shared.settings.idle / 3;
        let mut ping = tokio::time::interval_at(tokio::time::Instant::now() + pings, pings);
        let code = loop {
            tokio::select! {
                biased;
                text = self.texts.recv() => {
                    let Some(text) = text else { break None };
                    // A client that reads nothing must not hold the task in a write for ever.
                    let patience = self.shared.settings.slow;
                    match tokio::time::timeout(patience, write(&mut self.socket, text, &mut self.texts)).await {
                        Ok(Ok(())) => self.catch_up().await,
                        Ok(Err(_)) => break None,
                        Err(_) => {
                            self.shared.metrics.slow_clients.add(1);
                            break Some(close::TOO_SLOW);
                        }
                    }
                }
                code = self.closing.closed() => break Some(code),
                _ = ending.changed() => break Some(close::GOING_AWAY),
                // Before anything more is heard: a table that needs no search stands at once.
                made = creation::finished(&mut self.setting_up) => {
                    let done = Box::pin(self.sit_down(made)).await;
                    if let Some(code) = self.finish(done) { break Some(code) }
                }
                message = self.socket.next() => {
                    let message = match message {
                        Some(Ok(message)) => message,
                        Some(Err(error)) => break code_of(error),
                        None => break None,
                    };
                    let done = Box::pin(self.hear(message)).await;
                    if let Some(code) = self.finish(done) { break Some(code) }
                }
                _ = ping.tick() => {
                    if self.heard.elapsed() >= self.shared.settings.idle { break Some(close::IDLE) }
                    let sent = self.socket.send(Message::Ping(Default::default()));
                    if !matches!(tokio::time::timeout(self.shared.settings.slow, sent).await, Ok(Ok(()))) { break None }
                }
            }
        };
        self.part().await;
        if let Some(code) = code {
            Box::pin(say_last_words(&mut self.socket, &mut self.texts, code)).await;
        }
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
            Message::Ping(_) | Message::Pong(_) => Done::Fine,
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
        if self.closing.has_caught_up()
            && let Some((_, handle)) = &self.table
        {
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

/// Sends a text and everything that waits behind it with as few calls of the system as possible.
async fn write(
    socket: &mut WebSocket,
    first: Utf8Bytes,
    texts: &mut mpsc::Receiver<Utf8Bytes>,
) -> Result<(), axum::Error> {
    socket.feed(Message::Text(first)).await?;
    while let Ok(text) = texts.try_recv() {
        socket.feed(Message::Text(text)).await?;
    }
    socket.flush().await
}

/// What waits is still sent, unless the client does not read; then the code says why it ends.
async fn say_last_words(socket: &mut WebSocket, texts: &mut mpsc::Receiver<Utf8Bytes>, code: u16) {
    let last_words = async {
        while let Ok(text) = texts.try_recv() {
            socket.feed(Message::Text(text)).await?;
        }
        let reason = Utf8Bytes::from_static(close::reason(code));
        socket.send(Message::Close(Some(CloseFrame { code, reason }))).await?;
        // Closing over something unread would throw away what was just sent.
        while let Some(Ok(_)) = socket.next().await {}
        Ok::<(), axum::Error>(())
    };
    tokio::time::timeout(std::time::Duration::from_secs(2), last_words).await.ok();
}

/// The code for a frame that cannot be read, where the client did more wrong than to go away.
fn code_of(error: axum::Error) -> Option<u16> {
    use tokio_tungstenite::tungstenite::Error;
    match error.into_inner().downcast_ref::<Error>()? {
        Error::Capacity(_) => Some(close::TOO_LONG),
        Error::Utf8(_) => Some(close::NOT_TEXT),
        Error::Protocol(_) => Some(close::NOT_A_FRAME),
        _ => None,
    }
}

fn answer(kind: Option<&str>, request_id: Option<RequestId>, error: WireError) -> Done {
    Done::Answer(Box::new(ServerMessage::refusal(kind, request_id, error)))
}
