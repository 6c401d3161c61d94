//! The client side of a table, sans-I/O: what a person's page, a terminal and a program at a seat have in common.
//!
//! [`GameClient`] joins or sets up a table, follows it, numbers its requests, sends again what was not answered, and
//! comes back after the line dropped. [`Bot`] is such a client with somebody who decides for it. Both take frames and the
//! time, and give frames: the same code runs over a WebSocket, in a Web Worker and inside a server.
//!
//! ```
//! use texas42_client::{Entrance, GameClient};
//! use texas42_protocol::ClientMessage;
//!
//! let mut client = GameClient::new(Entrance::create("Ann".try_into().unwrap()), core::array::from_fn(|at| at as u8));
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
pub mod close;
mod entrance;

pub use backoff::Backoff;
pub use bot::{Answer, Bot, Pace, Question};
pub use client::{GameClient, News};
pub use entrance::{Entrance, Ticket};
