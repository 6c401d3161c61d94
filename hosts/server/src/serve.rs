//! The native server: rooms as tasks, one store for all of them, HTTP and WebSocket in front. SPEC: one home for each table,
//! nothing acknowledged before it is stored, bounds on everything.

mod clock;
mod creation;
mod http;
mod limits;
mod metrics;
mod outbox;
mod patient;
mod server;
mod socket;
mod store;
mod table;
mod tables;
mod thinking;
mod web;

pub use axum::http::HeaderName;
pub use clock::{now, random, seed_random};
pub use http::openapi;
pub use limits::AddressLimits;
pub use metrics::Metrics;
pub use server::{Server, Settings, StartError, Strategy};
pub use store::{Store, StoreError, StoreSettings, file_in};
pub use texas42_hosting::Rate;
