//! Tables on Cloudflare: a Worker in front, and behind it one Durable Object for each game, with the same Room as on a
//! server, its log in the object's own SQLite, and its programs beside it.
//!
//! `home` is an object without Cloudflare: frames, requests, the log and the time go in, outputs come out; it is tested
//! natively. `front`, `line` and `object` are the platform around it, and `shim.js` is what the runtime loads.

#![forbid(unsafe_code)]

mod home;
mod settings;

pub use home::{Attachment, Home, ObjectRequest, Request};
pub use settings::Settings;

#[cfg(target_arch = "wasm32")]
mod front;
#[cfg(target_arch = "wasm32")]
mod object;
#[cfg(target_arch = "wasm32")]
mod relay;
