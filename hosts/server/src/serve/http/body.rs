//! The bodies of requests. A body is read in pieces, and every piece counts toward the memory of its client address and
//! of the server, until the request has been handled.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
    response::Response,
};
use futures_util::StreamExt;
use texas42_hosting::HttpResponse;
use texas42_phrases::Problem;
use texas42_protocol::WireError;

use super::{
    super::{limits::OverLimit, server::Shared},
    Peer, refusal, respond,
};

/// The size limit of the body, as declared by the route.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaxBytes(pub(super) usize);

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is longer than its route allows.
    TooLong,
    /// The bodies in memory have reached a limit.
    NoMemory(OverLimit),
    /// The client ended it early, or its encoding is invalid.
    Broken,
}

impl Unread {
    pub(super) fn answer(self, kind: Option<&str>) -> Response {
        match self {
            Self::TooLong => respond(HttpResponse::refused_as(413)),
            Self::Broken => respond(HttpResponse::refused_as(400)),
            Self::NoMemory(OverLimit::Address) => refusal(kind, WireError::new(Problem::TooManyRequests)),
            Self::NoMemory(OverLimit::Server) => refusal(kind, WireError::new(Problem::ServerFull)),
        }
    }
}

/// A body in memory. Its bytes count until it is dropped.
pub(super) struct BufferedBody {
    shared: Arc<Shared>,
    address: IpAddr,
    bytes: Vec<u8>,
    counted: usize,
}

impl BufferedBody {
    /// Reads the body of a request.
    pub(super) async fn read(shared: &Arc<Shared>, request: Request) -> Result<Self, Unread> {
        let most = request.extensions().get::<MaxBytes>().map_or(0, |most| most.0);
        let Some(Peer(address)) = request.extensions().get::<Peer>().copied() else { return Err(Unread::Broken) };
        check_declared(request.headers(), most)?;
        let mut body = Self { shared: Arc::clone(shared), address, bytes: Vec::new(), counted: 0 };
        let mut pieces = request.into_body().into_data_stream();
        while let Some(piece) = pieces.next().await {
            body.append(&piece.map_err(|_| Unread::Broken)?, most)?;
        }
        Ok(body)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn append(&mut self, piece: &[u8], most: usize) -> Result<(), Unread> {
        let length = self.bytes.len() + piece.len();
        if length > most {
            return Err(Unread::TooLong);
        }
        if length > self.bytes.capacity() {
            self.reserve(length.next_power_of_two().min(most))?;
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// Counts memory before it is allocated.
    fn reserve(&mut self, capacity: usize) -> Result<(), Unread> {
        let more = capacity - self.counted;
        self.shared.addresses.buffer(self.address, more).map_err(Unread::NoMemory)?;
        self.shared.metrics.body_bytes.change(self.counted as u64, capacity as u64);
        self.counted = capacity;
        self.bytes.reserve_exact(capacity - self.bytes.len());
        Ok(())
    }
}

impl Drop for BufferedBody {
    fn drop(&mut self) {
        self.shared.metrics.body_bytes.change(self.counted as u64, 0);
        self.shared.addresses.release_buffer(self.address, self.counted);
    }
}

/// Reads the whole body before the handler runs, for requests with short bodies.
impl FromRequest<Arc<Shared>> for BufferedBody {
    type Rejection = Response;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, Response> {
        Self::read(shared, request).await.map_err(|unread| unread.answer(None))
    }
}

/// Refuses a body that is declared to be too long before any of it is read.
pub(super) fn check_declared(headers: &HeaderMap, most: usize) -> Result<(), Unread> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > most) { Err(Unread::TooLong) } else { Ok(()) }
}
