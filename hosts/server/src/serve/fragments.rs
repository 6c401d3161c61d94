//! Limits the frames of a WebSocket message. Frames that complete no message never reach the rate limit, because the
//! WebSocket implementation collects them, even empty ones.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Maximum number of frames before the last one of a message. Clients send a message of this size in one frame.
pub(crate) const MAX_FRAGMENTS: u32 = 64;

/// The longest head of a frame: two bytes, the length and the mask.
const MAX_HEAD: usize = 14;

/// Counts the frames in the bytes that a client sends.
#[derive(Debug, Default)]
struct FrameCounter {
    head: [u8; MAX_HEAD],
    /// How many bytes of the head have arrived.
    read: usize,
    /// How many bytes of the payload have not arrived.
    payload: u64,
    /// The frames of the current message so far.
    fragments: u32,
}

impl FrameCounter {
    /// Counts the frames that begin in these bytes. Returns whether all messages are within the limit.
    fn count(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() && self.fragments <= MAX_FRAGMENTS {
            let skipped = usize::try_from(self.payload).unwrap_or(usize::MAX).min(bytes.len());
            self.payload -= skipped as u64;
            bytes = &bytes[skipped..];
            if let Some((first, rest)) = bytes.split_first() {
                self.head[self.read] = *first;
                self.read += 1;
                bytes = rest;
                self.end_head();
            }
        }
        self.fragments <= MAX_FRAGMENTS
    }

    /// Notes a frame once its head is complete.
    fn end_head(&mut self) {
        let Some(length) = payload_length(&self.head[..self.read]) else { return };
        let (is_final, is_control) = (self.head[0] & 0x80 != 0, self.head[0] & 0x08 != 0);
        (self.read, self.payload) = (0, length);
        match (is_final, is_control) {
            (_, true) => {}
            (true, false) => self.fragments = 0,
            (false, false) => self.fragments += 1,
        }
    }
}

/// The length of the payload, once the head of the frame is complete.
fn payload_length(head: &[u8]) -> Option<u64> {
    let second = *head.get(1)?;
    let more = match second & 0x7f {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mask = if second & 0x80 == 0 { 0 } else { 4 };
    if head.len() < 2 + more + mask {
        return None;
    }
    match more {
        0 => Some(u64::from(second & 0x7f)),
        more => Some(head[2..2 + more].iter().fold(0, |length, byte| (length << 8) | u64::from(*byte))),
    }
}

/// A stream of frames that fails when a message has too many of them.
#[derive(Debug)]
pub(crate) struct FragmentLimit<S> {
    stream: S,
    counter: FrameCounter,
    is_exceeded: bool,
}

/// The error of a stream whose client exceeded the limit.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a message has too many frames")]
pub(crate) struct TooManyFragments;

impl<S> FragmentLimit<S> {
    /// `read` are bytes that the client sent before the stream was upgraded.
    pub(crate) fn new(stream: S, read: &[u8]) -> Self {
        let mut counter = FrameCounter::default();
        let is_exceeded = !counter.count(read);
        Self { stream, counter, is_exceeded }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FragmentLimit<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        if !self.is_exceeded {
            ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
            self.is_exceeded = !self.counter.count(&into.filled()[before..]);
        }
        Poll::Ready(if self.is_exceeded { Err(io::Error::other(TooManyFragments)) } else { Ok(()) })
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FragmentLimit<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A masked frame.
    fn frame(first: u8, length: usize) -> Vec<u8> {
        let mut frame = vec![first];
        match length {
            0..126 => frame.push(0x80 | length as u8),
            126..65_536 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            _ => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend([0xff; 4]);
        frame.resize(frame.len() + length, 0);
        frame
    }

    #[test]
    fn counts_the_frames_of_a_message_however_they_arrive() {
        let most = MAX_FRAGMENTS as usize;
        for length in [0, 1, 125, 126, 300, 70_000] {
            let message = [frame(0x01, length), frame(0x00, length).repeat(most - 1)].concat();
            // A ping in between belongs to no message.
            let allowed = [&message[..], &frame(0x89, 5), &frame(0x80, length), &message, &frame(0x80, 0)].concat();
            let refused = [&allowed[..], &message, &frame(0x00, 0)].concat();
            for size in [1, 7, 1_000_000] {
                let is_within = |bytes: &[u8]| {
                    let mut counter = FrameCounter::default();
                    bytes.chunks(size).all(|chunk| counter.count(chunk))
                };
                assert!(is_within(&allowed) && !is_within(&refused), "{length} bytes in chunks of {size}");
            }
        }
    }
}
