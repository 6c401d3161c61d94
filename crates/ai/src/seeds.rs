//! Deals for one-hand games: finds seeds whose first hand has a given difficulty for a seat.
//!
//! The difficulty is the chance that an expert makes 30, or a given contract, at the table. The same prefix gives the
//! same seed. The search goes candidate by candidate, so that a host can show progress, interleave other work, or stop.

use alloc::format;

use arrayvec::ArrayVec;
use texas42_engine::{
    Tally,
    deal::{self, seed_root},
};
pub use texas42_solver::par;
use texas42_vocab::{Bid, Config, Difficulty, Hand, Seat, SeedText, Trump};

use crate::{
    calibration::{Aim, table_chance},
    expert::{Effort, OpenHandChance, aim},
    knowledge::Knowledge,
};

/// The bid to make if no contract is given.
const BID: u8 = 30;
/// The number of deals after which the search settles for the nearest.
const MAX_DEALS: u32 = 200;
/// The number of worlds for a quick estimate, and for a reliable one.
const QUICK_WORLDS: u32 = 24;
const FULL_WORLDS: u32 = 200;
/// A deal whose quick estimate misses by more than this is evaluated again only if it is the nearest so far.
const FAR_OFF: f64 = 0.05;

/// The range of chances of a difficulty.
const fn band(difficulty: Difficulty) -> (f64, f64) {
    match difficulty {
        Difficulty::Easy => (0.75, 1.0),
        Difficulty::Medium => (0.50, 0.75),
        Difficulty::Hard => (0.25, 0.50),
    }
}

/// The chance that an expert in this seat makes 30 with the first hand of a seed.
pub fn chance_of(seed: &SeedText, seat: Seat) -> f64 {
    chance_in(FULL_WORLDS, seed, seat, None)
}

/// The chance estimated from `worlds` worlds, with the given contract if there is one. The number of worlds also seeds
/// the sample.
fn chance_in(worlds: u32, seed: &SeedText, seat: Seat, contract: Option<(Bid, Trump)>) -> f64 {
    let hands = deal::deal(&deal::hand_key(&seed_root(seed), 0));
    let knowledge = dealt(hands[seat.index()], seat);
    let (effort, random) = (Effort { bid_worlds: worlds, ..Effort::SAMPLER }, u64::from(worlds));
    match contract {
        Some((bid, trump)) => {
            table_chance(aim(bid), OpenHandChance::of_contract(&knowledge, bid, trump, effort, random))
        }
        None => OpenHandChance::of_points(&knowledge, BID, effort, random)
            .map_or(0.0, |open| table_chance(Aim::Points, open.chance)),
    }
}

/// The distance of a chance from the range of a difficulty.
fn missed(difficulty: Difficulty, chance: f64) -> f64 {
    let (low, high) = band(difficulty);
    (low - chance).max(chance - high).max(0.0)
}

/// A seed with a number appended. If it would be too long, a hash replaces the words.
pub fn numbered(words: &SeedText, number: u32) -> SeedText {
    let [a, b, c, d, ..] = seed_root(words);
    let short = || format!("hand-{:08x}-{number}", u32::from_be_bytes([a, b, c, d])).parse();
    format!("{words}-{number}").parse().or_else(|_| short()).expect("a short word and two numbers form a seed")
}

/// The knowledge of a seat that was just dealt a hand and speaks first.
fn dealt(hand: Hand, seat: Seat) -> Knowledge {
    let mut shown = [None; 4];
    shown[seat.index()] = Some(hand);
    Knowledge {
        seat,
        rules: Config::default(),
        hand,
        shown,
        counts: [Hand::DEALT; 4],
        auction: ArrayVec::new(),
        contract: None,
        terms: None,
        tricks: ArrayVec::new(),
        tally: Tally::default(),
        lacks: [Hand::EMPTY; 4],
        score: [0; 2],
    }
}

/// The result of a [`Search`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The seed.
    pub seed: SeedText,
    /// The number appended to the words of the search.
    pub number: u32,
    /// The chance to make 30, or the given contract, with its first hand.
    pub chance: f64,
}

/// A search for a seed whose first hand has a given difficulty.
///
/// Call [`Search::advance`] until [`Search::found`] returns a result. Each search ends after a bounded number of deals.
///
/// ```
/// use texas42_ai::seeds::{Search, chance_of};
/// use texas42_vocab::{Difficulty, Seat};
///
/// let mut search = Search::new("doctest".parse().unwrap(), Difficulty::Hard, Seat::ALL[0]);
/// while search.found().is_none() {
///     search.advance(1);
/// }
/// let found = search.found().unwrap();
/// assert_eq!(chance_of(&found.seed, Seat::ALL[0]), found.chance);
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    words: SeedText,
    difficulty: Difficulty,
    seat: Seat,
    contract: Option<(Bid, Trump)>,
    examined: u32,
    nearest: Option<(f64, Found)>,
}

impl Search {
    /// A search through the seeds that begin with these words.
    pub fn new(words: SeedText, difficulty: Difficulty, seat: Seat) -> Self {
        Self { words, difficulty, seat, contract: None, examined: 0, nearest: None }
    }

    /// Searches for the difficulty of this contract instead of a bid of 30.
    #[must_use]
    pub fn for_contract(self, bid: Bid, trump: Trump) -> Self {
        Self { contract: Some((bid, trump)), ..self }
    }

    /// Evaluates up to `deals` more deals. Does nothing once the search is over.
    pub fn advance(&mut self, deals: u32) {
        for _ in 0..deals {
            if self.found().is_some() {
                return;
            }
            self.consider();
            self.examined += 1;
        }
    }

    fn consider(&mut self) {
        let (number, seed) = (self.examined, numbered(&self.words, self.examined));
        let chance_in = |worlds| chance_in(worlds, &seed, self.seat, self.contract);
        // Skip deals whose quick estimate is far off and no nearer than the best so far.
        let is_hopeless = |nearest: f64| {
            let quick_miss = missed(self.difficulty, chance_in(QUICK_WORLDS));
            quick_miss > FAR_OFF && quick_miss >= nearest
        };
        if self.nearest.is_some_and(|(nearest, _)| is_hopeless(nearest)) {
            return;
        }
        let chance = chance_in(FULL_WORLDS);
        let missed = missed(self.difficulty, chance);
        if self.nearest.is_none_or(|(nearest, _)| missed < nearest) {
            self.nearest = Some((missed, Found { seed, number, chance }));
        }
    }

    /// The progress in percent of the longest possible search.
    pub fn progress(&self) -> u8 {
        if self.found().is_some() { 100 } else { (self.examined * 100 / MAX_DEALS) as u8 }
    }

    /// The result, or `None` while the search is not over.
    pub fn found(&self) -> Option<Found> {
        let (missed, found) = self.nearest?;
        (missed == 0.0 || self.examined >= MAX_DEALS).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_deterministic_and_meets_the_difficulty() {
        for difficulty in [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard] {
            let find = |step| {
                let mut search = Search::new("a-test".parse().unwrap(), difficulty, Seat::ALL[2]);
                while search.found().is_none() {
                    search.advance(step);
                }
                search.found().unwrap()
            };
            let found = find(1);
            assert_eq!(find(7), found);
            let (low, high) = band(difficulty);
            assert!((low..=high).contains(&found.chance), "{difficulty:?} {found:?}");
        }
    }

    /// Evaluates the results with other worlds than those that selected them.
    #[test]
    fn results_hold_in_other_worlds() {
        for difficulty in [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard] {
            let mut off = 0.0;
            for number in 0..3 {
                let mut search = Search::new(numbered(&"luck".parse().unwrap(), number), difficulty, Seat::ALL[0]);
                search.advance(MAX_DEALS);
                let again = chance_in(300, &search.found().unwrap().seed, Seat::ALL[0], None);
                off += missed(difficulty, again) / 3.0;
            }
            assert!(off < 0.02, "{difficulty:?}: {off}");
        }
    }

    /// A hand that is easy for 30 with its best trump may be hard for a given contract.
    #[test]
    fn uses_the_given_contract() {
        let (seat, contract) = (Seat::ALL[1], (Bid::points(36), Trump::Twos));
        let mut search =
            Search::new("script".parse().unwrap(), Difficulty::Medium, seat).for_contract(contract.0, contract.1);
        search.advance(MAX_DEALS);
        let Found { seed, number, chance } = search.found().unwrap();
        assert_eq!(seed.as_str(), format!("script-{number}"));
        assert_eq!(chance, chance_in(FULL_WORLDS, &seed, seat, Some(contract)));
        assert_ne!(chance, chance_of(&seed, seat));
        assert_eq!(missed(Difficulty::Medium, chance), 0.0);
    }

    /// Hardly any hand takes every trick with doubles as trumps.
    #[test]
    fn settles_for_the_nearest_deal() {
        let (seat, contract) = (Seat::ALL[0], (Bid::marks(1), Trump::Doubles));
        let mut search =
            Search::new("w5".parse().unwrap(), Difficulty::Easy, seat).for_contract(contract.0, contract.1);
        search.advance(MAX_DEALS);
        let found = search.found().unwrap();
        let chance = |number| chance_in(QUICK_WORLDS, &numbered(&"w5".parse().unwrap(), number), seat, Some(contract));
        let best = (0..MAX_DEALS).map(chance).fold(0.0, f64::max);
        assert!(found.number > 0 && found.chance > 0.5 * best, "{found:?}, but the best quick estimate is {best}");
    }

    #[test]
    fn long_words_give_distinct_seeds() {
        let long = |letter: &str| letter.repeat(48).parse::<SeedText>().unwrap();
        assert_ne!(numbered(&long("a"), 1), numbered(&long("b"), 1));
        assert_ne!(numbered(&long("a"), 1), numbered(&long("a"), 2));
    }

    #[test]
    fn reports_progress() {
        let mut search = Search::new("progress".parse().unwrap(), Difficulty::Easy, Seat::ALL[0]);
        assert_eq!((search.progress(), search.found()), (0, None));
        search.advance(MAX_DEALS);
        assert_eq!(search.progress(), 100);
    }
}
