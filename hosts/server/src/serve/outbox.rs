//! The way from a table to whoever sits at the other end. It is bounded, and a table never waits for it: a client that
//! does not read is let go, not waited for.

use std::sync::{
    Arc,
    atomic::{AtomicU16, Ordering},
};

use axum::extract::ws::Utf8Bytes;
use texas42_protocol::ServerMessage;
use tokio::sync::{Notify, mpsc};

/// So many messages wait for a client at most. A hand has about forty events.
pub(crate) const MOST_WAITING: usize = 256;

/// How a connection is told to end.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    code: AtomicU16,
    wake: Notify,
}

impl Closing {
    /// Ends the connection with this code; the first code counts.
    pub(crate) fn close(&self, code: u16) {
        self.code.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed).ok();
        self.wake.notify_one();
    }

    /// Waits until it is to end.
    pub(crate) async fn closed(&self) -> u16 {
        loop {
            match self.code.load(Ordering::Relaxed) {
                0 => self.wake.notified().await,
                code => return code,
            }
        }
    }
}

/// Where the messages of a connection go.
#[derive(Clone, Debug)]
pub(crate) enum Outbox {
    /// To a socket, as text.
    Socket {
        /// What is to be sent.
        texts: mpsc::Sender<Utf8Bytes>,
        /// How it ends.
        closing: Arc<Closing>,
    },
    /// To a program in this process.
    Local(mpsc::Sender<Arc<ServerMessage>>),
}

/// The other end does not read, or is gone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stuck;

impl Outbox {
    /// A way to a socket, and its other end.
    pub(crate) fn socket() -> (Self, mpsc::Receiver<Utf8Bytes>, Arc<Closing>) {
        let (texts, receiver) = mpsc::channel(MOST_WAITING);
        let closing = Arc::new(Closing::default());
        (Self::Socket { texts, closing: Arc::clone(&closing) }, receiver, closing)
    }

    /// A way to a program.
    pub(crate) fn local() -> (Self, mpsc::Receiver<Arc<ServerMessage>>) {
        let (messages, receiver) = mpsc::channel(MOST_WAITING);
        (Self::Local(messages), receiver)
    }

    pub(crate) const fn is_program(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    pub(crate) fn send(&self, letter: &mut Letter) -> Result<(), Stuck> {
        match self {
            Self::Socket { texts, .. } => texts.try_send(letter.text()).map_err(|_| Stuck),
            Self::Local(messages) => messages.try_send(letter.message()).map_err(|_| Stuck),
        }
    }

    pub(crate) fn close(&self, code: u16) {
        if let Self::Socket { closing, .. } = self {
            closing.close(code);
        }
    }
}

/// A message that is written as text once, however many it goes to.
#[derive(Debug)]
pub(crate) struct Letter {
    message: Arc<ServerMessage>,
    text: Option<Utf8Bytes>,
}

impl Letter {
    pub(crate) const fn new(message: Arc<ServerMessage>) -> Self {
        Self { message, text: None }
    }

    /// Whether it is this message, and not one that only reads like it: the room shares what several see.
    pub(crate) fn is(&self, message: &Arc<ServerMessage>) -> bool {
        Arc::ptr_eq(&self.message, message)
    }

    pub(crate) fn message(&self) -> Arc<ServerMessage> {
        Arc::clone(&self.message)
    }

    pub(crate) fn text(&mut self) -> Utf8Bytes {
        self.text.get_or_insert_with(|| text_of(&self.message)).clone()
    }
}

/// A message as it goes over the wire.
fn text_of(message: &ServerMessage) -> Utf8Bytes {
    serde_json::to_string(message).expect("a message has only text keys").into()
}
