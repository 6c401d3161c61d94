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

/// The points for one, two and three stars in a hand with this par: three for par, two for at most five points less (a
/// count domino), one for at most ten less. A par below 11 leaves no room for that, so the steps become smaller.
pub const fn star_thresholds(par: u8) -> [u8; 3] {
    const STEP: u8 = 5;
    let one = at_least(par.saturating_sub(2 * STEP), 1);
    let two = at_least(par.saturating_sub(STEP), one + 1);
    [one, two, at_least(par, two + 1)]
}

const fn at_least(points: u8, least: u8) -> u8 {
    if points < least { least } else { points }
}

/// The stars for a hand: one for each threshold that the challenger's team reached.
///
/// In nello no points are counted, so winning it is worth all 42.
pub fn stars(challenge: &DailyChallenge, result: &HandResult, goal: Goal) -> u8 {
    let team = challenge.team().index();
    let points = match goal {
        Goal::NoTrick if (result.gained[team] > 0) => HAND_POINTS,
        Goal::NoTrick => 0,
        Goal::Points(_) | Goal::EveryTrick => result.points[team],
    };
    challenge.star_thresholds.iter().filter(|threshold| points >= **threshold).count() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_follow_from_par_and_are_always_valid() {
        assert_eq!(star_thresholds(42), [32, 37, 42]);
        assert_eq!(star_thresholds(31), [21, 26, 31]);
        assert_eq!(star_thresholds(7), [1, 2, 7]);
        for par in 0..=HAND_POINTS {
            let daily = DailyChallenge { star_thresholds: star_thresholds(par), ..DailyChallenge::default() };
            assert_eq!(daily.check(&Config::default()), Ok(()), "{par}");
        }
    }
}
