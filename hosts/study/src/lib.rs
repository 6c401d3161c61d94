//! The rules behind the screens that study a game, in a Web Worker of their own: `replay` steps through a finished game,
//! `review` reviews it.
//!
//! The screens (`clients/study`) and the worker exchange the messages of `texas42-worker-protocol`. [`Desk`] answers them; it uses no
//! browser APIs, so its tests run natively. `worker` is the adapter to the browser.

#![forbid(unsafe_code)]

mod desk;
mod replay;
mod review;

pub use desk::Desk;
pub use replay::Replay;

#[cfg(target_arch = "wasm32")]
mod worker;
