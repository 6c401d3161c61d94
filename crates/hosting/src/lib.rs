//! What all hosts of tables share: the host loop of a table, its bots, table creation, HTTP endpoints, rate limits, and
//! the files of the web page.
//!
//! The crate performs no I/O. A host provides the sockets, the clock, the randomness and the storage.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod answer;
mod api_page;
mod connection_ids;
mod creation;
mod deals;
mod files;
mod host;
#[cfg(feature = "schema")]
mod openapi;
mod origin;
mod rate;
mod request;
pub mod routes;
mod throttle;

pub use answer::Answer;
pub use api_page::api_page;
pub use connection_ids::ConnectionIds;
pub use creation::{
    Creator, IMPORT, NewHost, Setup, SetupStep, id_for, id_of, import, import_key, rejoin_import_call, rejoin_message,
    state_path,
};
pub use files::{POLICY, file_of, kept, type_of};
pub use host::{
    Binding, BotSettings, Call, CallId, DecisionId, DecisionRequest, DecisionTiming, Output, Request, TableHost,
    bot_name,
};
#[cfg(feature = "schema")]
pub use openapi::openapi;
pub use origin::{PREFLIGHT, RequestOrigin, cors_headers};
pub use rate::{Bucket, Rate};
pub use request::{bearer, parse_call, parse_message, text_of, unreadable_reply};
pub use throttle::{Admission, Throttle, rate_limited_reply};
