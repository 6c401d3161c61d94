//! The client side of a table, sans-I/O: the common part of the web page, the terminal client and bots.
//!
//! [`ClientCore`] creates or joins a table, follows it, assigns request ids, repeats unanswered requests, and
//! reconnects after the connection is lost. [`Bot`] is a client whose decisions are made by its host. Both take
//! messages and the time, and return messages: the same code runs over a WebSocket, in a Web Worker and inside a
//! server.
//!
//! ```
//! use texas42_client::{Credentials, ClientCore};
//! use texas42_protocol::ClientMessage;
//!
//! let mut client = ClientCore::new(Credentials::create("Ann".try_into().unwrap()), core::array::from_fn(|at| at as u8));
//! assert_eq!(client.connect_at(), Some(0));
//! client.handle_connected(0);
//! assert!(matches!(client.poll_frame(), Some(ClientMessage::CreateGame { .. })));
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod backoff;
mod bot;
mod client;
mod clock;
pub mod close;
mod credentials;

pub use backoff::Backoff;
pub use bot::{Bot, BotDecision, Pace, Question};
pub use client::{ClientCore, ClientEvent, Heartbeat, Lobby};
pub use clock::SteadyClock;
pub use credentials::{Credentials, Ticket};
