//! Deterministic simulation testing. A world consists of tables, players, attackers, an unreliable network, crashing hosts,
//! failing stores and jumping clocks, all in virtual time. A seed determines its world byte for byte, so a seed reproduces
//! a failure.
//!
//! [`run_world`] plays one world and checks the invariants after every step: nothing is sent before it is stored, a request
//! is executed once, hidden information stays hidden, an invalid message changes nothing, and all live state can be rebuilt
//! from the store. [`run_world_of`] plays a world that the bytes of a fuzzer decide.
//!
//! - `setup`: creates tables as hosts do. `host`: an adapter of the shared table host with a store, which performs outputs
//!   in order and may crash between any two of them. `http`: HTTP requests.
//! - `network`: delays, loses, duplicates and reorders messages. `client`: players and spectators. `invalid_messages`: invalid
//!   messages.
//! - `audit`: an independent model of the table, derived from its log alone. `checks`: what a message may reveal to its
//!   receiver.
//! - `liveness`: checks that a table can continue when any of its people are silent or have vanished.
//! - `secrets`: checks that the public data of a table does not determine its deals.
//! - `world`: the clock and the event queue.

mod audit;
mod checks;
mod client;
mod dice;
mod host;
mod http;
mod invalid_messages;
mod liveness;
mod network;
mod report;
mod secrets;
mod setup;
mod tables;
mod trace;
mod world;

pub use report::{Failure, Report};
pub use world::{run_world, run_world_of, run_worlds};
