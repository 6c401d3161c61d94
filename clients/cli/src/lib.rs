//! The parts of the `texas42` program that tools and tests use as well: a game in JSON lines, a table as text, and a client's
//! WebSocket.

pub mod headless;
pub mod show;
pub mod wire;
