//! The way from a table to a socket. It is bounded, and a table never waits for it: when much waits in it, the table holds its
//! updates back until the client has read, and when even answers fill it the client is let go.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU16, Ordering},
};

use axum::extract::ws::Utf8Bytes;
use texas42_protocol::ServerMessage;
use tokio::sync::{Notify, mpsc};

/// So many messages wait for a client at most.
pub(crate) const MOST_WAITING: usize = 256;
/// From so many on a client gets answers only. A hand has about forty events.
pub(crate) const CROWDED: usize = 128;

/// How a connection is told to end.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    code: AtomicU16,
    wake: Notify,
    /// The table holds its updates back until this connection has read what waits.
    is_behind: AtomicBool,
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

    /// Everything that waited is written: whether the table has to be told, because it holds updates back.
    pub(crate) fn has_caught_up(&self) -> bool {
        self.is_behind.swap(false, Ordering::SeqCst)
    }
}

/// Where the messages of a connection go.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    texts: mpsc::Sender<Utf8Bytes>,
    closing: Arc<Closing>,
}

/// The other end does not read, or is gone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stuck;

impl Outbox {
    /// A way to a socket, and its other end.
    pub(crate) fn socket() -> (Self, mpsc::Receiver<Utf8Bytes>, Arc<Closing>) {
        let (texts, receiver) = mpsc::channel(MOST_WAITING);
        let closing = Arc::new(Closing::default());
        (Self { texts, closing: Arc::clone(&closing) }, receiver, closing)
    }

    pub(crate) fn send(&self, text: Utf8Bytes) -> Result<(), Stuck> {
        self.texts.try_send(text).map_err(|_| Stuck)
    }

    /// A message that goes to this connection only.
    pub(crate) fn say(&self, message: &ServerMessage) -> Result<(), Stuck> {
        self.send(serde_json::to_string(message).expect("a message has only text keys").into())
    }

    /// Whether much waits. Then the other end says when it has written all of it, also what is sent right after this: the
    /// mark is set before, so it cannot be missed.
    pub(crate) fn is_crowded(&self) -> bool {
        let is_crowded = self.texts.capacity() <= MOST_WAITING - CROWDED;
        if is_crowded {
            self.closing.is_behind.store(true, Ordering::SeqCst);
        }
        is_crowded
    }

    pub(crate) fn close(&self, code: u16) {
        self.closing.close(code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_outbox_is_noticed_by_both_ends() {
        let (outbox, mut texts, closing) = Outbox::socket();
        for _ in 0..CROWDED {
            assert!(!outbox.is_crowded());
            outbox.send("x".into()).unwrap();
        }
        assert!(outbox.is_crowded(), "the table holds back from now on");
        for _ in CROWDED..MOST_WAITING {
            outbox.send("answer".into()).unwrap();
        }
        assert_eq!(outbox.send("answer".into()), Err(Stuck));
        while texts.try_recv().is_ok() {}
        assert!(closing.has_caught_up() && !closing.has_caught_up(), "and is told once");
        assert!(!outbox.is_crowded());
    }
}
