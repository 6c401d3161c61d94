//! The bodies of requests. A body is read in pieces, and every piece counts toward the memory of its client address and of
//! the isolate until the request has been handled.

use std::{cell::RefCell, net::IpAddr};

use futures_util::StreamExt;
use texas42_hosting::{HttpResponse, client_network};
use texas42_phrases::Problem;
use texas42_protocol::WireError;
use worker::{Request, Result};

use crate::body_memory::{BodyMemory, OverLimit};

/// The header in which the platform passes the client's address. Clients cannot set it.
pub(crate) const CLIENT_ADDRESS: &str = "cf-connecting-ip";

thread_local! {
    static MEMORY: RefCell<BodyMemory> = const { RefCell::new(BodyMemory::new()) };
}

/// A body in memory. Its bytes count until it is dropped.
pub(crate) struct BufferedBody {
    pub(crate) bytes: Vec<u8>,
    client: Option<IpAddr>,
    counted: usize,
}

impl BufferedBody {
    /// Reads the body of a request of at most `limit` bytes. Returns the answer to send if it is too long, or if there
    /// is no memory for it.
    pub(crate) async fn read(req: &mut Request, limit: usize) -> Result<core::result::Result<Self, HttpResponse>> {
        if is_declared_longer(req, limit)? {
            return Ok(Err(HttpResponse::refused_as(413)));
        }
        let client = req.headers().get(CLIENT_ADDRESS)?.and_then(|address| address.parse().ok()).map(client_network);
        let mut body = Self { bytes: Vec::new(), client, counted: 0 };
        if req.inner().body().is_none() {
            return Ok(Ok(body));
        }
        let mut pieces = req.stream()?;
        while let Some(piece) = pieces.next().await {
            if let Err(refused) = body.append(&piece?, limit) {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(body))
    }

    fn append(&mut self, piece: &[u8], limit: usize) -> core::result::Result<(), HttpResponse> {
        if self.bytes.len() + piece.len() > limit {
            return Err(HttpResponse::refused_as(413));
        }
        MEMORY.with_borrow_mut(|memory| memory.take(self.client, piece.len())).map_err(|over| {
            let problem = match over {
                OverLimit::Client => Problem::TooManyRequests,
                OverLimit::Isolate => Problem::ServerFull,
            };
            HttpResponse::refusal(None, WireError::new(problem))
        })?;
        self.counted += piece.len();
        self.bytes.extend_from_slice(piece);
        Ok(())
    }
}

impl Drop for BufferedBody {
    fn drop(&mut self) {
        MEMORY.with_borrow_mut(|memory| memory.release(self.client, self.counted));
    }
}

/// Whether a request declares a longer body. Then none of it is read.
pub(crate) fn is_declared_longer(req: &Request, limit: usize) -> Result<bool> {
    let length = req.headers().get("content-length")?.and_then(|length| length.parse::<usize>().ok());
    Ok(length.is_some_and(|length| length > limit))
}
