//! The Cloudflare host: a Worker that routes requests, and one Durable Object per game. Each object runs the same Room as
//! the native server, stores its log in its own SQLite database and runs its bots.
//!
//! `home` is the platform-independent part of an object. It takes frames, requests, the log and the time, and returns
//! outputs, so it is tested natively, and so is `codes`. `front`, `relay`, `object` and `code_object` adapt them to the
//! platform; the runtime loads `shim.js`.

#![forbid(unsafe_code)]

#[cfg(any(test, target_arch = "wasm32"))]
mod body_memory;
mod codes;
mod home;
mod settings;

pub use codes::{CodeAnswer, CodeEntry, CodeRequest, object_of_client, object_of_code};
pub use home::{Attachment, Home, HomeRequest, ObjectRequest};
pub use settings::Settings;

#[cfg(target_arch = "wasm32")]
mod body;
#[cfg(target_arch = "wasm32")]
mod code_object;
#[cfg(target_arch = "wasm32")]
mod front;
#[cfg(target_arch = "wasm32")]
mod object;
#[cfg(target_arch = "wasm32")]
mod relay;
