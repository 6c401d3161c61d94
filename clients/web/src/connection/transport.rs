//! Transports frames: to the worker of this browser, or over a WebSocket to the server.

use texas42_worker_protocol::ToWorker;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{CloseEvent, MessageEvent, WebSocket};

use super::worker_link::WorkerLink;
use crate::browser;

/// A channel to a table.
pub(super) enum Transport {
    /// A worker; lives as long as the transport.
    Worker(WorkerLink),
    /// A WebSocket, if one is open or opening.
    Socket(Option<WebSocket>),
}

/// An event of a WebSocket.
pub(super) enum SocketEvent {
    /// It is open.
    Opened,
    /// A frame.
    Frame(String),
    /// It was closed with this code.
    Closed(u16),
}

impl Transport {
    /// Whether a socket has to be opened before frames can be sent.
    pub(super) const fn is_disconnected(&self) -> bool {
        matches!(self, Self::Socket(None))
    }

    /// The worker, if this is one.
    pub(super) const fn worker(&self) -> Option<&WorkerLink> {
        match self {
            Self::Worker(worker) => Some(worker),
            Self::Socket(_) => None,
        }
    }

    /// Sends a frame. Without a socket the frame is dropped; the client resends what is not acknowledged.
    /// A socket has one channel.
    pub(super) fn send(&self, channel: u8, frame: String) {
        match self {
            Self::Worker(worker) => worker.post(&ToWorker::Frame { channel, text: frame }),
            Self::Socket(Some(socket)) => {
                socket.send_with_str(&frame).ok();
            }
            Self::Socket(None) => {}
        }
    }

    /// Asks the socket to close; it reports when it has. Does nothing to a worker.
    pub(super) fn close_socket(&self) {
        if let Self::Socket(Some(socket)) = self {
            socket.close().ok();
        }
    }

    /// Closes the transport.
    pub(super) fn close(&self) {
        self.close_socket();
        if let Self::Worker(worker) = self {
            worker.terminate();
        }
    }
}

/// Opens a WebSocket; `None` if the browser rejects the URL.
pub(super) fn open_socket(url: &str, on_event: impl Fn(SocketEvent) + Clone + 'static) -> Option<WebSocket> {
    let socket = WebSocket::new(url).ok()?;
    let on_open = Closure::<dyn FnMut()>::new({
        let on_event = on_event.clone();
        move || on_event(SocketEvent::Opened)
    });
    socket.set_onopen(Some(on_open.into_js_value().unchecked_ref()));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
        let on_event = on_event.clone();
        move |event: MessageEvent| match event.data().as_string() {
            Some(text) => on_event(SocketEvent::Frame(text)),
            None => browser::log_error("the server sent a frame that is not text"),
        }
    });
    socket.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    let on_close =
        Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| on_event(SocketEvent::Closed(event.code())));
    socket.set_onclose(Some(on_close.into_js_value().unchecked_ref()));
    Some(socket)
}
