//! The only source of randomness in a world.

use texas42_room::RandomPlayer;

/// A seeded random number generator.
pub(crate) struct Dice(RandomPlayer);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(RandomPlayer::new(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Picks one item uniformly.
    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        [(); N].map(|()| self.below(256) as u8)
    }
}
