//! Tables in a browser: the same Room as on a server, in a Web Worker, with its programs and its storage beside it.
//!
//! The page talks to it in the messages of `texas42-worker-protocol`. `tables` is the host without a browser:
//! rooms, programs, what to store and to send, tested natively. `worker` and `store` are the browser around it.

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
