//! The native server: one task per table, one store for all tables, HTTP and WebSocket in front.
//!
//! Each table runs in one task, events are stored before they are acknowledged, and every resource has a limit.

mod clock;
mod codes;
mod creation;
mod fragments;
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
pub use clock::{advance_clock, hold_clock, now, random, seed_random, set_wall_clock_back};
pub use http::openapi;
pub use limits::{AddressLimits, BodyLimits};
pub use metrics::Metrics;
pub use server::{DecideFn, Server, Settings, StartError};
pub use store::{
    DamagedTable, DataReport, Findings, Store, StoreError, StoreSettings, accept_loss, backup, file_in, verify,
};
pub use texas42_hosting::{Rate, Retention};
