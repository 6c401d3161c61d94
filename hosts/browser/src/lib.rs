//! Tables in a browser: the same `Room` as on a server, in a Web Worker, with its bots and its storage.
//!
//! The page talks to the worker in the messages of `texas42-worker-protocol`. `tables` is the host without browser APIs
//! (tables, bots, outputs to store and send), tested natively. `worker` and `store` connect it to the browser.

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
