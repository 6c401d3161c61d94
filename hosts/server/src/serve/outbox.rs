//! The write side of a WebSocket, shared by its table and its connection task.
//!
//! A table appends messages with [`Outbox::send`] and writes them straight into the socket with [`Outbox::flush`]. The
//! connection task is not woken for that: it would only pass them on. What the socket does not take stays in the
//! buffer, and the task writes it as the client reads ([`Outbox::poll_drained`]).
//!
//! The buffer is bounded and a table never waits for it. When much is buffered, the table holds its updates back until the
//! client has read; a client whose buffer is filled by answers alone is disconnected.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU16, Ordering},
    },
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use futures_util::task::AtomicWaker;
use texas42_protocol::ServerMessage;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};
use tokio_tungstenite::tungstenite::protocol::frame::{
    Frame, FrameHeader,
    coding::{Data, OpCode},
};

/// The most bytes that an outbox buffers.
pub(crate) const CAPACITY: usize = 256 * 1024;
/// From this many buffered bytes on, a client gets answers to its own requests only. A hand takes about 25 KB.
pub(crate) const BACKLOG_THRESHOLD: usize = 64 * 1024;

/// The write side of a WebSocket. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Outbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    stream: TcpStream,
    buffer: Mutex<Buffer>,
    /// The code to close the connection with; 0 while it stays open.
    close_code: AtomicU16,
    close_waker: AtomicWaker,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// The table holds updates back until everything is written.
    is_behind: bool,
    /// A write failed: the client is gone.
    is_broken: bool,
    /// The connection task, which writes what the socket did not take.
    task: Option<Waker>,
}

/// How much a client has not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backlog {
    /// Little or nothing.
    Small,
    /// At least [`BACKLOG_THRESHOLD`] bytes.
    Large,
}

/// The buffer is full: the client does not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OutboxFull;

impl Outbox {
    pub(crate) fn new(stream: TcpStream) -> Self {
        let buffer = Mutex::default();
        Self(Arc::new(Inner { stream, buffer, close_code: AtomicU16::new(0), close_waker: AtomicWaker::new() }))
    }

    fn buffer(&self) -> MutexGuard<'_, Buffer> {
        self.0.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// For tables.
impl Outbox {
    /// Appends a text message, to be written with the next [`Outbox::flush`]. Says whether much is buffered already: then the
    /// connection task reports when everything is written.
    pub(crate) fn send(&self, text: &str) -> Result<Backlog, OutboxFull> {
        let header = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
        let mut buffer = self.buffer();
        let is_large = buffer.bytes.len() >= BACKLOG_THRESHOLD;
        buffer.reserve(header.len(text.len() as u64) + text.len())?;
        header.format(text.len() as u64, &mut buffer.bytes).expect("a vector takes every byte");
        buffer.bytes.extend_from_slice(text.as_bytes());
        buffer.is_behind |= is_large;
        Ok(if is_large { Backlog::Large } else { Backlog::Small })
    }

    /// Writes as much as the socket takes now and leaves the rest to the connection task.
    pub(crate) fn flush(&self) {
        let mut buffer = self.buffer();
        if !buffer.bytes.is_empty() && !buffer.write(&self.0.stream) {
            buffer.wake();
        }
    }

    /// Lets the connection task write everything, for tables that have too many connections to write to all of them.
    pub(crate) fn flush_later(&self) {
        self.buffer().wake();
    }

    /// Sends a message to this connection only.
    pub(crate) fn send_message(&self, message: &ServerMessage) -> Result<(), OutboxFull> {
        self.send(&texas42_protocol::to_json(message))?;
        self.flush();
        Ok(())
    }

    /// Ends the connection with this code; the first code counts.
    pub(crate) fn close(&self, code: u16) {
        self.0.close_code.compare_exchange(0, code, Ordering::AcqRel, Ordering::Relaxed).ok();
        self.0.close_waker.wake();
    }
}

// For the connection task.
impl Outbox {
    /// Sends a ping.
    pub(crate) fn ping(&self) -> Result<(), OutboxFull> {
        let mut frame = Vec::new();
        Frame::ping(Vec::new()).format(&mut frame).expect("a vector takes every byte");
        self.append(&frame)
    }

    /// Ready with the code when the connection is to end.
    pub(crate) fn poll_closed(&self, cx: &Context<'_>) -> Poll<u16> {
        self.0.close_waker.register(cx.waker());
        match self.0.close_code.load(Ordering::Acquire) {
            0 => Poll::Pending,
            code => Poll::Ready(code),
        }
    }

    /// Writes what is buffered as the client reads. Ready when a table that holds updates back is to hear that everything is
    /// written; an error when the client is gone, or takes longer than `patience` for what is buffered.
    pub(crate) fn poll_drained(
        &self,
        cx: &mut Context<'_>,
        stall: &mut Option<Stall>,
        patience: Duration,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut buffer = self.buffer();
            buffer.remember(cx.waker());
            if buffer.is_broken {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            if buffer.bytes.is_empty() {
                *stall = None;
                let has_caught_up = std::mem::take(&mut buffer.is_behind);
                return if has_caught_up { Poll::Ready(Ok(())) } else { Poll::Pending };
            }
            let before = buffer.bytes.len();
            buffer.write(&self.0.stream);
            let stall = stall.get_or_insert_with(|| Stall::new(before, patience));
            stall.note(before - buffer.bytes.len(), buffer.bytes.len(), patience);
            if buffer.bytes.is_empty() || buffer.is_broken {
                continue;
            }
            drop(buffer);
            if stall.timer.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            ready!(self.0.stream.poll_write_ready(cx))?;
        }
    }

    fn append(&self, bytes: &[u8]) -> Result<(), OutboxFull> {
        let mut buffer = self.buffer();
        buffer.reserve(bytes.len())?;
        buffer.bytes.extend_from_slice(bytes);
        drop(buffer);
        self.flush();
        Ok(())
    }
}

impl Buffer {
    fn reserve(&mut self, bytes: usize) -> Result<(), OutboxFull> {
        if !self.bytes.is_empty() && self.bytes.len() + bytes > CAPACITY {
            return Err(OutboxFull);
        }
        self.bytes.reserve(bytes);
        Ok(())
    }

    /// Writes as much as the socket takes now; says whether nothing is left to do for the connection task.
    fn write(&mut self, stream: &TcpStream) -> bool {
        let mut written = 0;
        while written < self.bytes.len() && !self.is_broken {
            match stream.try_write(&self.bytes[written..]) {
                Ok(0) => self.is_broken = true,
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.is_broken = true,
            }
        }
        if written == self.bytes.len() {
            // Most connections are silent most of the time and keep no buffer.
            self.bytes = Vec::new();
        } else {
            self.bytes.drain(..written);
        }
        self.bytes.is_empty() && !self.is_broken && !self.is_behind
    }

    fn remember(&mut self, task: &Waker) {
        match &mut self.task {
            Some(known) => known.clone_from(task),
            None => self.task = Some(task.clone()),
        }
    }

    fn wake(&self) {
        if let Some(task) = &self.task {
            task.wake_by_ref();
        }
    }
}

/// A client that has not read everything yet, and how long it may still take.
#[derive(Debug)]
pub(crate) struct Stall {
    /// How many bytes the client has to take before the timer fires.
    awaited: usize,
    timer: Pin<Box<Sleep>>,
}

impl Stall {
    fn new(awaited: usize, patience: Duration) -> Self {
        Self { awaited, timer: Box::pin(sleep(patience)) }
    }

    /// What was awaited is written: what was buffered meanwhile gets as much time.
    fn note(&mut self, written: usize, left: usize, patience: Duration) {
        self.awaited = self.awaited.saturating_sub(written);
        if self.awaited == 0 {
            *self = Self::new(left, patience);
        }
    }
}

/// The stream that the WebSocket reads from. The frames that it writes by itself, pongs and the reply to a close, go through the
/// buffer like all others, each as a whole.
impl AsyncRead for Outbox {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.stream.poll_read_ready(cx))?;
            match self.0.stream.try_read(into.initialize_unfilled()) {
                Ok(count) => {
                    into.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Outbox {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let full = |_| io::Error::from(io::ErrorKind::TimedOut);
        Poll::Ready(self.append(bytes).map(|()| bytes.len()).map_err(full))
    }

    /// Ready when everything is written, what tables said included.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut buffer = self.buffer();
            buffer.write(&self.0.stream);
            if buffer.is_broken {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            if buffer.bytes.is_empty() {
                return Poll::Ready(Ok(()));
            }
            drop(buffer);
            ready!(self.0.stream.poll_write_ready(cx))?;
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The stream is closed when the last clone is dropped.
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::{io::AsyncReadExt, net::TcpListener};

    use super::*;

    /// Both ends of a connection.
    async fn connected() -> (Outbox, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Outbox::new(listener.accept().await.unwrap().0), client)
    }

    /// Sends to a client that does not read until the outbox is crowded.
    fn crowd(outbox: &Outbox) {
        let text = "x".repeat(10_000);
        while outbox.send(&text).unwrap() == Backlog::Small {
            outbox.flush();
        }
    }

    #[tokio::test]
    async fn messages_of_a_table_arrive_as_frames_without_the_task() {
        let (outbox, mut client) = connected().await;
        outbox.send("one").unwrap();
        outbox.send("two").unwrap();
        outbox.flush();
        let mut read = [0; 10];
        client.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"\x81\x03one\x81\x03two");
    }

    #[tokio::test]
    async fn a_crowded_outbox_is_reported_once_when_the_client_has_read() {
        let (outbox, mut client) = connected().await;
        crowd(&outbox);
        let mut stall = None;
        let patience = Duration::from_secs(3600);
        let mut is_drained =
            tokio_test_poll(|cx| outbox.poll_drained(cx, &mut stall, patience).map(|drained| drained.unwrap()));
        assert!(is_drained.is_pending());
        let reading = tokio::spawn(async move { tokio::io::copy(&mut client, &mut tokio::io::sink()).await });
        poll_fn(|cx| outbox.poll_drained(cx, &mut stall, patience)).await.unwrap();
        is_drained =
            tokio_test_poll(|cx| outbox.poll_drained(cx, &mut stall, patience).map(|drained| drained.unwrap()));
        assert!(is_drained.is_pending() && outbox.send("more") == Ok(Backlog::Small));
        reading.abort();
    }

    #[tokio::test]
    async fn a_client_that_never_reads_is_given_up_after_a_while() {
        let (outbox, _client) = connected().await;
        crowd(&outbox);
        let mut stall = None;
        let given_up = poll_fn(|cx| outbox.poll_drained(cx, &mut stall, Duration::ZERO)).await;
        assert_eq!(given_up.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_full_buffer_refuses_more() {
        let (outbox, _client) = connected().await;
        crowd(&outbox);
        let text = "x".repeat(10_000);
        let sent = (0..100).map(|_| outbox.send(&text)).take_while(Result::is_ok).count();
        assert!((10..30).contains(&sent), "{sent}");
        assert_eq!(outbox.ping(), Ok(()), "there is room for a few bytes");
    }

    #[tokio::test]
    async fn the_first_code_closes() {
        let (outbox, _client) = connected().await;
        assert!(tokio_test_poll(|cx| outbox.poll_closed(cx)).is_pending());
        outbox.close(4001);
        outbox.close(4002);
        assert_eq!(poll_fn(|cx| outbox.poll_closed(cx)).await, 4001);
    }

    /// Polls once.
    fn tokio_test_poll<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        poll(&mut Context::from_waker(Waker::noop()))
    }
}
