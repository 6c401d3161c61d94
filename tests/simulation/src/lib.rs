//! Whole worlds from one number: tables, players, liars, a bad network, hosts that crash, stores that fail and clocks
//! that jump, all in virtual time. The same seed gives the same world, byte for byte, so a failure is a number.
//!
//! [`run_world`] plays one world and checks after every step what has to hold whatever happens: nothing is said before
//! it is stored, a request is done once, nobody is shown what is hidden, a lie changes nothing, and everything that is
//! live can be rebuilt from what is stored.
//!
//! - `setup`: new tables, made as hosts make them. `host`: an adapter of the shared table host with a store, which carries
//!   outputs out in order and may die between any two of them. `http`: requests without a connection.
//! - `network`: what becomes of a message on its way. `client`: people, programs and those who watch. `lies`: what
//!   nobody may send.
//! - `audit`: the table a second time, from its log alone, written apart from the room. `checks`: what a message may
//!   say to whom.
//! - `world`: the clock and the queue that move all of them.

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
