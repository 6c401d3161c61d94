//! A player without a plan, who picks any legal action: for simulations, benchmarks and tests. The same seed picks the
//! same.

use texas42_engine::Offers;
use texas42_vocab::Action;

/// Once in so many chances to claim, it usually claims. A random claim nearly always fails and ends the hand, so a fair
/// share would leave no hand to be played.
const CLAIMS_ONCE_IN: u64 = 100;

/// Picks at random, reproducibly.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    state: u64,
    claims_once_in: Option<u64>,
}

impl RandomPlayer {
    /// A player whose choices follow from the seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed, claims_once_in: Some(CLAIMS_ONCE_IN) }
    }

    /// A player who plays every hand out.
    pub const fn without_claims(seed: u64) -> Self {
        Self { state: seed, claims_once_in: None }
    }

    /// A number below `bound` (`splitmix64`, and a multiplication instead of a division).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * u128::from(bound)) >> 64) as u64
    }

    /// One of the offered actions, if there is one.
    pub fn pick(&mut self, offers: &Offers) -> Option<Action> {
        let count = offers.len() as u64;
        match offers.claim() {
            Some(claim) if self.claims() => Some(claim),
            // The claim is the last of what a seat is offered.
            Some(_) => offers.nth(self.below(count - 1) as usize),
            None => offers.nth(self.below(count) as usize),
        }
    }

    fn claims(&mut self) -> bool {
        self.claims_once_in.is_some_and(|once_in| self.below(once_in) == 0)
    }
}
