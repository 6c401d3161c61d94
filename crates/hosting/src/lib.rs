//! The parts that all adapters share: the host loop of a table, its bots, table creation, HTTP endpoints, rate limits,
//! and the files of the web page.
//!
//! The crate performs no I/O. An adapter provides the sockets, the clock, the randomness and the storage.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod answer;
mod api_page;
mod client_network;
mod connection_ids;
mod creation;
mod deals;
mod files;
mod host;
#[cfg(feature = "schema")]
mod openapi;
mod origin;
mod rate;
mod reception;
mod request;
mod retention;
pub mod routes;
mod throttle;

pub use answer::HttpResponse;
pub use api_page::api_page;
pub use client_network::client_network;
pub use connection_ids::ConnectionIds;
pub use creation::{
    Creator, IMPORT, NewHost, Setup, SetupStep, id_for, id_of, import, import_key, is_repeated, rejoin_import_call,
    rejoin_message, state_path,
};
pub use files::{CONTENT_SECURITY_POLICY, cache_control, content_type, file_of};
pub use host::{
    Binding, BotSettings, CallId, DecisionId, DecisionRequest, DecisionTiming, HintRequest, HttpRequest, Output,
    TableCall, TableHost, bot_name,
};
#[cfg(feature = "schema")]
pub use openapi::openapi;
pub use origin::{PREFLIGHT_HEADERS, RequestOrigin, cors_headers};
pub use rate::{Bucket, Rate};
pub use reception::{RequestRef, read_frame, reply_without_table};
pub use request::{bearer, parse_call, parse_message, text_of};
pub use retention::Retention;
pub use throttle::{Admission, Throttle, rate_limited_reply};
