//! The Cloudflare host: a Worker that routes requests, and one Durable Object per game. Each object runs the same Room as
//! the native server, stores its log in its own SQLite database and runs its bots.
//!
//! `home` is the platform-independent part of an object. It takes frames, requests, the log and the time, and returns
//! outputs, so it is tested natively. `front`, `relay` and `object` adapt it to the platform; the runtime loads `shim.js`.

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
