//! Laws that hold for every input: the bodies of the fuzz targets, and reproducible inputs for them.
//!
//! Each [`Law`] is a function of bytes that panics if the law is violated. `fuzz/` runs them under libFuzzer with
//! coverage guidance. `cargo xtask fuzz` and the tests of this crate run them on random, almost valid and valid inputs
//! that derive from a seed, so that they run on any machine and a failure can be reproduced.

mod actions;
mod choices;
mod code;
mod headless;
mod inputs;
mod record;
mod tables;

pub use actions::actions_apply_exactly_when_legal;
pub use code::code_leads_to_one_game;
pub use headless::headless_answers_every_line;
pub use record::record_replays_or_is_refused;
pub use tables::tables_keep_their_promises;
use texas42_room::RandomPlayer;

/// A law and a generator of valid inputs for it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The name of its function and its fuzz target.
    pub name: &'static str,
    /// Panics if the law is violated.
    pub check: fn(&[u8]),
    /// Generates a valid, or almost valid, input.
    sample: fn(&mut RandomPlayer) -> Vec<u8>,
}

/// All laws.
pub const LAWS: [Law; 5] = [
    Law { name: "record_replays_or_is_refused", check: record_replays_or_is_refused, sample: record::sample },
    Law { name: "headless_answers_every_line", check: headless_answers_every_line, sample: headless::sample },
    Law { name: "actions_apply_exactly_when_legal", check: actions_apply_exactly_when_legal, sample: actions::sample },
    Law { name: "code_leads_to_one_game", check: code_leads_to_one_game, sample: code::sample },
    Law { name: "tables_keep_their_promises", check: tables_keep_their_promises, sample: tables::sample },
];

impl Law {
    /// Finds a law by name.
    pub fn named(name: &str) -> Option<Self> {
        LAWS.into_iter().find(|law| law.name == name)
    }

    /// The input that derives from a seed.
    pub fn input(&self, seed: u64) -> Vec<u8> {
        let mut dice = RandomPlayer::new(seed);
        match dice.below(8) {
            0 => inputs::noise(&mut dice, 400),
            1 => (self.sample)(&mut dice),
            2 | 3 => inputs::mutate_json(&(self.sample)(&mut dice), &mut dice),
            _ => inputs::damaged((self.sample)(&mut dice), &mut dice),
        }
    }
}
