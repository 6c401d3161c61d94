//! Deterministic simulation testing. A world consists of tables, players, attackers, an unreliable network, crashing hosts,
//! failing stores and jumping clocks, all in virtual time. A seed determines its world byte for byte, so a seed reproduces
//! a failure.
//!
//! [`run_world`] plays one world and checks the invariants after every step: nothing is sent before it is stored, a request
//! is executed once, hidden information stays hidden, an invalid message changes nothing, and all live state can be rebuilt
//! from the store.
//!
//! - `setup`: creates tables as hosts do. `host`: an adapter of the shared table host with a store, which performs outputs
//!   in order and may crash between any two of them. `http`: HTTP requests.
//! - `network`: delays, loses, duplicates and reorders messages. `client`: players and spectators. `lies`: invalid
//!   messages.
//! - `audit`: an independent model of the table, derived from its log alone. `checks`: what a message may reveal to its
//!   receiver.
//! - `world`: the clock and the event queue.

mod audit;
mod checks;
mod client;
mod dice;
mod host;
mod http;
mod lies;
mod network;
mod report;
mod setup;
mod tables;
mod trace;
mod world;

pub use report::{Failure, Report};
pub use world::{run_world, run_worlds};
