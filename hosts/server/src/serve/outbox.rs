//! The write side of a WebSocket, shared by its table and its connection task.
//!
//! A table appends messages with [`Outbox::send`] and writes them directly to the socket with [`Outbox::flush`], without
//! waking the connection task. Bytes that the socket does not accept stay in the buffer. The connection task writes them
//! as the client reads ([`Outbox::poll_drained`]).
//!
//! The buffer is bounded, and a table never waits for it. When the backlog is large, the table withholds updates until
//! the client has read everything. A client whose buffer is filled by replies alone is disconnected.

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

/// Maximum number of buffered bytes.
pub(crate) const CAPACITY: usize = 256 * 1024;
/// With at least this many buffered bytes, a client gets only replies to its own requests. A hand takes about 25 KB.
pub(crate) const BACKLOG_THRESHOLD: usize = 64 * 1024;

/// The write side of a WebSocket. Clones share the buffer and the socket.
#[derive(Clone, Debug)]
pub(crate) struct Outbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    stream: TcpStream,
    buffer: Mutex<Buffer>,
    /// The code to close the connection with; 0 while the connection stays open.
    close_code: AtomicU16,
    close_waker: AtomicWaker,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Whether the table withholds updates until everything is written.
    is_behind: bool,
    /// Whether a write failed because the client is gone.
    is_broken: bool,
    /// Wakes the connection task, which writes the bytes that the socket did not accept.
    task: Option<Waker>,
}

/// How much was buffered before a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backlog {
    /// Little or nothing.
    Small,
    /// At least [`BACKLOG_THRESHOLD`] bytes.
    Large,
}

/// The buffer is full because the client does not read.
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
    /// Appends a text message, to be written with the next [`Outbox::flush`]. After [`Backlog::Large`],
    /// [`Outbox::poll_drained`] reports when everything is written.
    pub(crate) fn send(&self, text: &str) -> Result<Backlog, OutboxFull> {
        let header = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
        let mut buffer = self.buffer();
        let is_large = buffer.bytes.len() >= BACKLOG_THRESHOLD;
        buffer.reserve(header.len(text.len() as u64) + text.len())?;
        header.format(text.len() as u64, &mut buffer.bytes).expect("writing to a vector cannot fail");
        buffer.bytes.extend_from_slice(text.as_bytes());
        buffer.is_behind |= is_large;
        Ok(if is_large { Backlog::Large } else { Backlog::Small })
    }

    /// Writes as much as the socket accepts now and leaves the rest to the connection task.
    pub(crate) fn flush(&self) {
        let mut buffer = self.buffer();
        if !buffer.bytes.is_empty() && !buffer.write(&self.0.stream) {
            buffer.wake();
        }
    }

    /// Leaves the write to the connection task. For tables with many connections, whose tasks write in parallel.
    pub(crate) fn flush_later(&self) {
        self.buffer().wake();
    }

    /// Sends a message and flushes it.
    pub(crate) fn send_message(&self, message: &ServerMessage) -> Result<(), OutboxFull> {
        self.send(&texas42_protocol::to_json(message))?;
        self.flush();
        Ok(())
    }

    /// Closes the connection with this code. Later calls have no effect.
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
        Frame::ping(Vec::new()).format(&mut frame).expect("writing to a vector cannot fail");
        self.append(&frame)
    }

    /// Ready with the close code once [`Outbox::close`] was called.
    pub(crate) fn poll_closed(&self, cx: &Context<'_>) -> Poll<u16> {
        self.0.close_waker.register(cx.waker());
        match self.0.close_code.load(Ordering::Acquire) {
            0 => Poll::Pending,
            code => Poll::Ready(code),
        }
    }

    /// Writes the buffered bytes as the client reads. Ready when everything is written and the table withholds updates, so
    /// that it can resume them. Fails when the client is gone, or takes longer than `timeout` to read the buffered bytes.
    pub(crate) fn poll_drained(
        &self,
        cx: &mut Context<'_>,
        stall: &mut Option<Stall>,
        timeout: Duration,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut buffer = self.buffer();
            buffer.register(cx.waker());
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
            let stall = stall.get_or_insert_with(|| Stall::new(before, timeout));
            stall.note(before - buffer.bytes.len(), buffer.bytes.len(), timeout);
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

    /// Writes as much as the socket accepts now. Returns whether the connection task has nothing left to do.
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
            // Frees the memory, because most connections are idle most of the time.
            self.bytes = Vec::new();
        } else {
            self.bytes.drain(..written);
        }
        self.bytes.is_empty() && !self.is_broken && !self.is_behind
    }

    fn register(&mut self, task: &Waker) {
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

/// The time limit of a client that has not read everything yet.
#[derive(Debug)]
pub(crate) struct Stall {
    /// How many bytes the client must read before the timer fires.
    awaited: usize,
    timer: Pin<Box<Sleep>>,
}

impl Stall {
    fn new(awaited: usize, timeout: Duration) -> Self {
        Self { awaited, timer: Box::pin(sleep(timeout)) }
    }

    /// Counts written bytes. Once the awaited bytes are written, restarts the timer for the bytes buffered meanwhile.
    fn note(&mut self, written: usize, left: usize, timeout: Duration) {
        self.awaited = self.awaited.saturating_sub(written);
        if self.awaited == 0 {
            *self = Self::new(left, timeout);
        }
    }
}

/// The stream of the WebSocket implementation. The frames that it writes itself, pongs and close frames, go through the
/// buffer as a whole, so they never interrupt another frame.
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

    /// Ready when everything is written, including the messages of tables.
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

    /// Sends to a client that does not read until the backlog is large.
    fn build_backlog(outbox: &Outbox) {
        let text = "x".repeat(10_000);
        while outbox.send(&text).unwrap() == Backlog::Small {
            outbox.flush();
        }
    }

    #[tokio::test]
    async fn messages_are_written_as_frames_without_the_connection_task() {
        let (outbox, mut client) = connected().await;
        outbox.send("one").unwrap();
        outbox.send("two").unwrap();
        outbox.flush();
        let mut read = [0; 10];
        client.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"\x81\x03one\x81\x03two");
    }

    #[tokio::test]
    async fn a_drained_backlog_is_reported_once() {
        let (outbox, mut client) = connected().await;
        build_backlog(&outbox);
        let mut stall = None;
        let timeout = Duration::from_secs(3600);
        let mut is_drained =
            poll_once(|cx| outbox.poll_drained(cx, &mut stall, timeout).map(|drained| drained.unwrap()));
        assert!(is_drained.is_pending());
        let reading = tokio::spawn(async move { tokio::io::copy(&mut client, &mut tokio::io::sink()).await });
        poll_fn(|cx| outbox.poll_drained(cx, &mut stall, timeout)).await.unwrap();
        is_drained = poll_once(|cx| outbox.poll_drained(cx, &mut stall, timeout).map(|drained| drained.unwrap()));
        assert!(is_drained.is_pending() && outbox.send("more") == Ok(Backlog::Small));
        reading.abort();
    }

    #[tokio::test]
    async fn a_client_that_never_reads_times_out() {
        let (outbox, _client) = connected().await;
        build_backlog(&outbox);
        let mut stall = None;
        let drained = poll_fn(|cx| outbox.poll_drained(cx, &mut stall, Duration::ZERO)).await;
        assert_eq!(drained.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn rejects_messages_when_the_buffer_is_full() {
        let (outbox, _client) = connected().await;
        build_backlog(&outbox);
        let text = "x".repeat(10_000);
        let sent = (0..100).map(|_| outbox.send(&text)).take_while(Result::is_ok).count();
        assert!((10..30).contains(&sent), "{sent}");
        assert_eq!(outbox.ping(), Ok(()), "a ping still fits");
    }

    #[tokio::test]
    async fn the_first_close_code_counts() {
        let (outbox, _client) = connected().await;
        assert!(poll_once(|cx| outbox.poll_closed(cx)).is_pending());
        outbox.close(4001);
        outbox.close(4002);
        assert_eq!(poll_fn(|cx| outbox.poll_closed(cx)).await, 4001);
    }

    /// Polls once.
    fn poll_once<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        poll(&mut Context::from_waker(Waker::noop()))
    }
}
