//! The native server: one task per table, one store for all tables, HTTP and WebSocket in front.
//!
//! Each table runs in one task, events are stored before they are acknowledged, and every resource has a limit.

mod clock;
mod creation;
mod http;
mod limits;
mod metrics;
mod outbox;
mod server;
mod socket;
mod store;
mod table;
mod tables;
mod thinking;
mod web;
mod write_timeout;

pub use axum::http::HeaderName;
pub use clock::{now, random, seed_random};
pub use http::openapi;
pub use limits::AddressLimits;
pub use metrics::Metrics;
pub use server::{Server, Settings, StartError, Strategy};
pub use store::{Store, StoreError, StoreSettings, file_in};
pub use texas42_hosting::Rate;
