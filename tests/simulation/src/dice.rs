//! The only source of randomness in a world: a seed, or the bytes of a fuzzer.

use std::collections::VecDeque;

use texas42_room::RandomPlayer;

/// Takes numbers from given bytes, then from a seeded random number generator.
pub(crate) struct Dice {
    given: VecDeque<u8>,
    random: RandomPlayer,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { given: VecDeque::new(), random: RandomPlayer::new(seed) }
    }

    /// Dice that show these bytes first.
    pub(crate) fn given(bytes: &[u8]) -> Self {
        let seed = bytes.iter().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(*byte)));
        Self { given: bytes.iter().copied().collect(), random: RandomPlayer::new(seed) }
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let Some(first) = self.given.pop_front() else { return self.random.below(bound) };
        let more = (1..8).take_while(|byte| bound > 1 << (8 * byte)).count();
        let rest = self.given.drain(..more.min(self.given.len()));
        rest.fold(u64::from(first), |number, byte| (number << 8) | u64::from(byte)) % bound
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_bytes_come_first_and_small_numbers_take_one() {
        let mut dice = Dice::given(&[7, 255, 1, 2]);
        assert_eq!((dice.below(5), dice.below(256), dice.below(257), dice.below(1)), (2, 255, 258 % 257, 0));
        let rest: Vec<u64> = (0..4).map(|_| dice.below(1000)).collect();
        let mut again = Dice::given(&[7, 255, 1, 2]);
        assert_eq!([5, 256, 257, 1].map(|bound| again.below(bound)), [2, 255, 1, 0]);
        assert_eq!((0..4).map(|_| again.below(1000)).collect::<Vec<_>>(), rest);
    }
}
