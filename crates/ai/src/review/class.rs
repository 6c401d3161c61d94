//! How good a choice was: its distance to the best, the error of that distance, its class, and the accuracy of a seat.

use alloc::vec::Vec;

use texas42_protocol::review::{MoveClass, ReviewedChoice, ReviewedDecision};

use super::lens::{Weighed, mean};

/// The limits of the classes, as a loss in the chance to win one mark. They are those that chess.com uses for expected
/// points: beyond 5, 10 and 20 percentage points a choice is an inaccuracy, a mistake, a blunder.
pub const GOOD_UP_TO: f64 = 0.05;
/// See [`GOOD_UP_TO`].
pub const INACCURACY_UP_TO: f64 = 0.10;
/// See [`GOOD_UP_TO`].
pub const MISTAKE_UP_TO: f64 = 0.20;
/// A difference within this many standard errors is too close to call: at two, one in twenty is called by luck.
pub const ERRORS: f64 = 2.0;
/// Equally good plays that differ by fewer points are called equal.
pub const POINTS_THAT_MATTER: f64 = 1.0;

/// How fast the accuracy falls: `100 / (1 + 2.5 * loss)²` is within two points of the curve of lichess up to a loss of a
/// quarter, and needs no exponential, which hosts may round differently.
const ACCURACY_STEEPNESS: f64 = 2.5;
/// The least weight of a decision. A decision weighs as much as there was to lose, so that plays that hardly matter do not
/// hide those that do.
const LEAST_WEIGHT: f64 = 0.02;
/// Differences below this are rounding.
const ROUNDING: f64 = 1e-9;

/// Whether a difference is no difference.
pub(super) fn is_tied(difference: f64) -> bool {
    difference <= ROUNDING
}

/// The class of a choice from its distance to the best.
pub fn class_of(behind: f64, error: f64) -> MoveClass {
    match behind {
        behind if is_tied(behind) => MoveClass::Best,
        behind if behind <= ERRORS * error => MoveClass::TooClose,
        behind if behind <= GOOD_UP_TO => MoveClass::Good,
        behind if behind <= INACCURACY_UP_TO => MoveClass::Inaccuracy,
        behind if behind <= MISTAKE_UP_TO => MoveClass::Mistake,
        _ => MoveClass::Blunder,
    }
}

/// Rates choices, which are sorted best first. `exact`: every possible world was looked at.
pub(super) fn rated(weighed: &[Weighed], exact: bool) -> Vec<ReviewedChoice> {
    let Some(best) = weighed.first() else { return Vec::new() };
    let mut choices: Vec<ReviewedChoice> = weighed.iter().map(|of| compared(best, of, exact)).collect();
    let others_are_errors = choices.iter().skip(1).all(|choice| choice.class.is_error());
    if choices.len() > 1 && others_are_errors {
        choices[0].class = MoveClass::OnlyMove;
    }
    choices
}

fn compared(best: &Weighed, of: &Weighed, exact: bool) -> ReviewedChoice {
    let behind = ((best.choice.marks - of.choice.marks) / 2.0).max(0.0);
    let error = if exact { 0.0 } else { paired_error(best, of) / 2.0 };
    let mut class = class_of(behind, error);
    if class == MoveClass::Best && has_fewer_points(best, of, exact) {
        class = MoveClass::Good;
    }
    let points = (!of.points.is_empty()).then(|| mean(&of.points));
    let crate::Choice { action, chance, marks } = of.choice;
    ReviewedChoice { action, chance, marks, behind, error, points, class, open: None }
}

/// The standard error of the difference in marks between two choices in the same worlds.
///
/// One more world, in which they differ either way, keeps a sample without a difference from proving that there is none.
fn paired_error(one: &Weighed, other: &Weighed) -> f64 {
    let worlds = one.ends_well.len().max(other.ends_well.len());
    if worlds == 0 || core::ptr::eq(one, other) {
        return 0.0;
    }
    let value = |of: &Weighed, world: usize| of.slope * f64::from(u8::from(of.ends_well.get(world) == Some(&true)));
    let differences: Vec<f64> = (0..worlds).map(|world| value(one, world) - value(other, world)).collect();
    let most = one.slope.abs().max(other.slope.abs());
    standard_error(&differences, most * most)
}

/// Whether an equally good choice takes fewer points for the seat's team, by more than the error.
fn has_fewer_points(best: &Weighed, of: &Weighed, exact: bool) -> bool {
    let differences: Vec<f64> = best.points.iter().zip(&of.points).map(|(best, of)| best - of).collect();
    let error = if exact { 0.0 } else { standard_error(&differences, 0.0) };
    mean(&differences).abs() > (ERRORS * error).max(POINTS_THAT_MATTER)
}

/// The standard error of a mean, with the square of one more value, whose sign is unknown.
fn standard_error(values: &[f64], one_more: f64) -> f64 {
    let (count, mean) = (values.len().max(1) as f64, mean(values));
    let squares = values.iter().map(|value| value * value).sum::<f64>() + one_more;
    square_root((squares / (count + 1.0) - mean * mean).max(0.0) / count)
}

/// The square root by Newton's method: the same on every host, and without the standard library.
pub(super) fn square_root(square: f64) -> f64 {
    if square <= 0.0 {
        return 0.0;
    }
    let mut root = square.max(1.0);
    for _ in 0..64 {
        let next = (root + square / root) / 2.0;
        if next >= root {
            break;
        }
        root = next;
    }
    root
}

/// What a decision counts for the accuracy: the accuracy of the choice from 0 to 100, and its weight.
pub(super) fn accuracy(decision: &ReviewedDecision) -> Option<(f64, f64)> {
    let taken = decision.taken()?;
    let loss = match taken.class {
        MoveClass::Best | MoveClass::OnlyMove | MoveClass::TooClose => 0.0,
        MoveClass::Good | MoveClass::Inaccuracy | MoveClass::Mistake | MoveClass::Blunder => taken.behind,
    };
    let at_stake = decision.choices.iter().map(|choice| choice.behind).fold(LEAST_WEIGHT, f64::max);
    let base = 1.0 + ACCURACY_STEEPNESS * loss;
    Some((100.0 / (base * base), at_stake))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use texas42_vocab::{Action, Seat};

    use super::*;
    use crate::Choice;

    fn weighed(marks: f64, ends_well: &[bool]) -> Weighed {
        let choice = Choice { action: Action::Pass { player: Seat::ALL[0] }, chance: 0.5, marks };
        Weighed::for_tests(choice, ends_well.to_vec(), 2.0)
    }

    #[test]
    fn classes_follow_the_loss_unless_it_is_within_the_error() {
        let classes = [0.0, 0.03, 0.05, 0.051, 0.1, 0.15, 0.2, 0.21].map(|behind| class_of(behind, 0.0));
        use MoveClass::{Best, Blunder, Good, Inaccuracy, Mistake, TooClose};
        assert_eq!(classes, [Best, Good, Good, Inaccuracy, Inaccuracy, Mistake, Mistake, Blunder]);
        assert_eq!([0.0, 0.1, 0.2, 0.21].map(|behind| class_of(behind, 0.1)), [Best, TooClose, TooClose, Blunder]);
    }

    /// Two choices that differ in few worlds have a small error, however uncertain each of them is.
    #[test]
    fn the_error_is_that_of_the_paired_difference() {
        let half: Vec<bool> = (0..100).map(|world| world % 2 == 0).collect();
        let other_half: Vec<bool> = half.iter().map(|good| !good).collect();
        let mut nearly = half.clone();
        nearly[0] = false;
        let error = |other: &[bool]| compared(&weighed(0.0, &half), &weighed(-0.02, other), false).error;
        assert!((0.005..0.02).contains(&error(&nearly)), "{}", error(&nearly));
        assert!((error(&other_half) - 0.1).abs() < 0.001, "{}", error(&other_half));
        assert!(error(&half) > 0.005, "an equal sample does not prove equality");
        assert_eq!(compared(&weighed(0.0, &half), &weighed(-0.02, &other_half), true).error, 0.0, "all worlds");
    }

    #[test]
    fn the_only_choice_that_is_no_error_is_an_only_move() {
        let all = [true; 100];
        let classes = |second: f64| {
            let choices = rated(&[weighed(1.0, &all), weighed(second, &all), weighed(-1.0, &[false; 100])], true);
            choices.iter().map(|choice| choice.class).collect::<Vec<_>>()
        };
        assert_eq!(classes(-0.5), [MoveClass::OnlyMove, MoveClass::Blunder, MoveClass::Blunder]);
        assert_eq!(classes(0.95), [MoveClass::Best, MoveClass::Good, MoveClass::Blunder]);
        assert_eq!(classes(1.0), [MoveClass::Best, MoveClass::Best, MoveClass::Blunder]);
    }

    #[test]
    fn fewer_points_make_an_equal_play_good_at_most() {
        let with = |points: f64| Weighed { points: vec![points; 20], ..weighed(1.0, &[true; 100]) };
        let classes = |points| rated(&[with(40.0), with(points)], false)[1].class;
        assert_eq!([40.0, 39.5, 38.0].map(classes), [MoveClass::Best, MoveClass::Best, MoveClass::Good]);
    }

    #[test]
    fn square_roots_are_exact_enough() {
        for square in [0.0, 1e-12, 0.01, 0.25, 1.0, 2.0, 100.0] {
            let root = square_root(square);
            assert!((root * root - square).abs() <= 1e-12 * square.max(1.0), "{square}: {root}");
        }
    }
}
