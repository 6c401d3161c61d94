//! The law of whole tables: a table keeps its promises regardless of what people, bots, networks and hosts do.
//!
//! The bytes decide what happens in a simulated world, and an independent model of the table checks all of it. In particular:
//! before a hand is over, no person has seen a hand beyond what the table declares for them (coach, admin, open hands). Some
//! present person can always continue. Two tables with the same public data and different secrets have different deals.

use texas42_room::RandomPlayer;

use crate::inputs;

/// The length of a typical input. Afterwards, a random number generator decides.
const MAX_LENGTH: u64 = 2000;

/// Plays the world that the bytes decide.
///
/// # Panics
/// If a table breaks a promise.
pub fn tables_keep_their_promises(bytes: &[u8]) {
    if let Err(what) = texas42_simulation::run_world_of(bytes) {
        panic!("{what}");
    }
}

/// Random decisions. All are valid.
pub(crate) fn sample(dice: &mut RandomPlayer) -> Vec<u8> {
    inputs::noise(dice, MAX_LENGTH)
}
