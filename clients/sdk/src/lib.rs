//! Clients of Texas 42 tables, for native programs: bots, services, and applications that embed a table. For browsers and Node
//! there is the JavaScript client in `clients/js`, with the same calls.
//!
//! [`GameClient`] creates or joins a table and plays at it. [`Mode`] says where the table is; the calls are the same everywhere:
//!
//! | [`Mode`] | the table is |
//! |---|---|
//! | `WebSocket` | on a server, which reports every change at once |
//! | `Http` | on a server, which is asked at regular intervals |
//! | `InProcess` | in this process, with computer players |
//! | `Worker` | on its own thread in this process, with computer players |
//!
//! ```
//! use texas42_sdk::{BotSettings, GameClient, MemoryStore, Mode, Pace, Strategy, TableOptions, vocab::{Config, Control}};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bots = BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Beginner, adviser: Strategy::Beginner, worlds: None };
//! let client = GameClient::new(Mode::InProcess { store: Box::new(MemoryStore::default()), bots });
//! let players = [Control::Human, Control::Ai, Control::Ai, Control::Ai];
//! let session = client.create_game("Ann".try_into()?, Config { players, ..Config::default() }, TableOptions::default()).await?;
//! let table = client.state().expect("the client has joined");
//! assert_eq!(table.view.players[0].player_id, session.player_id);
//! client.leave_game().await?;
//! assert_eq!(client.state(), None);
//! # Ok(())
//! # }
//! ```
//!
//! `examples/bot.rs` is a bot for any server, and `examples/embedded_table.rs` a program with its own table. Programs with
//! their own event loop drive a [`ClientSession`], as [`GameClient`] does in the background. All of it is built on
//! `texas42-client`, the same client without I/O.
//!
//! Errors are [`ClientError`]: a request that the table refuses has had no effect, and its reason is data that
//! `texas42-phrases` renders as a sentence.

/// Compiles the Rust examples of the document.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/clients.md")]
struct DocumentExamples;

mod address;
mod connection;
mod game_client;
mod http;
mod in_process;
mod invite_link;
mod mode;
mod platform;
mod task;
mod web_socket;
mod worker;

pub use address::{LinkError, ServerAddress};
pub use connection::{ClientSession, Connection, ConnectionError, ConnectionEvent};
pub use game_client::{
    ClientError, GameClient, Invite, JoinedSession, Listener, SaidPhrase, Subscription, VersionedView,
};
pub use http::{FoundLobby, HttpConnection, find_lobby};
pub use in_process::{GameStore, InProcessTable, MemoryStore, SavedGame};
pub use invite_link::{DEFAULT_SERVER, InviteLink, Target, link as invite_url};
pub use mode::Mode;
pub use texas42_ai::Strategy;
pub use texas42_client::{Credentials, Lobby, Pace, Ticket};
pub use texas42_hosting::BotSettings;
pub use texas42_phrases::Phrase;
pub use texas42_protocol::{self as protocol, Grant, Role, TableOptions};
pub use texas42_room::StoredEvent;
pub use texas42_vocab as vocab;
pub use web_socket::WebSocketConnection;
pub use worker::WorkerTable;
