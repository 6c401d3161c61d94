//! The hand of the day: one hand, the same for every player, rated with stars by points.
//!
//! The seed is `daily-DATE-DIFFICULTY`, or `daily-DATE-DIFFICULTY-N` if a host has searched the day's deals for one of
//! the right difficulty. "Hard" removes the special contracts of the layers before it.

use alloc::format;

use texas42_phrases::Problem;
use texas42_vocab::{Config, DailyChallenge, Difficulty, Phase, SeedText};

use super::{one_hand::end_instead_of_scoring, tournament::retain_straight};
use crate::{
    context::ConfigError,
    offers::Offers,
    rules::Rules,
    state::{HandResult, State},
    terms::{Goal, HAND_POINTS},
};

impl Rules for DailyChallenge {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, _config: &Config) -> Result<(), ConfigError> {
        let [one, two, three] = self.star_thresholds;
        if 0 < one && one < two && two < three && three <= HAND_POINTS {
            return Ok(());
        }
        Err(ConfigError::new("layers", Problem::StarThresholds))
    }

    fn seed(&self, _prev: SeedText) -> SeedText {
        daily_seed(self)
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection, Phase::Scoring]
    }

    fn offer(&self, _state: &State, offers: &mut Offers) {
        if self.difficulty == Difficulty::Hard {
            retain_straight(offers);
        }
        end_instead_of_scoring(offers);
    }

    fn after_hand(&self, _state: &State, _prev: Phase) -> Phase {
        Phase::OneHandComplete
    }
}

/// The seed of a daily challenge.
pub fn daily_seed(challenge: &DailyChallenge) -> SeedText {
    let (date, difficulty) = (challenge.date, challenge.difficulty.name());
    let seed = match challenge.deal {
        Some(number) => format!("daily-{date}-{difficulty}-{number}"),
        None => format!("daily-{date}-{difficulty}"),
    };
    seed.parse().expect("a date, a difficulty and a number make a valid seed")
}

/// The stars for a hand: one for each threshold that the challenger's team (seats 0 and 2) reached.
///
/// In nello no points are counted, so winning it is worth all 42.
pub fn stars(challenge: &DailyChallenge, result: &HandResult, goal: Goal) -> u8 {
    let points = match goal {
        Goal::NoTrick if (result.gained[0] > 0) => HAND_POINTS,
        Goal::NoTrick => 0,
        Goal::Points(_) | Goal::EveryTrick => result.points[0],
    };
    challenge.star_thresholds.iter().filter(|threshold| points >= **threshold).count() as u8
}
