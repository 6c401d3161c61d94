//! Tables in a browser: the same `Room` as on a server, in a Web Worker, with its bots and its storage.
//!
//! The page and the worker exchange the messages of `texas42-worker-protocol`. `tables` runs the tables and their bots and
//! returns what to store and send; it uses no browser APIs, so its tests run natively. `worker` and `store` are the adapter to
//! the browser. `advice` evaluates the choices of a seat, and `proof` verifies the deals of a finished game.

#![forbid(unsafe_code)]

mod advice;
mod proof;
mod tables;

pub use advice::advise;
pub use proof::verify;
pub use tables::Tables;

#[cfg(target_arch = "wasm32")]
mod store;
#[cfg(target_arch = "wasm32")]
mod worker;
