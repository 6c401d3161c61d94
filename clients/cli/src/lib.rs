//! The parts of the `texas42` program that tools and tests use as well: a game in JSON lines, a table as text, a client's
//! WebSocket, a table without a server, and the full-screen terminal.

pub mod connection;
pub mod headless;
pub mod house_rules;
pub mod invite_link;
pub mod offline;
pub mod show;
pub mod tui;
pub mod wire;
