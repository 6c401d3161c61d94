//! The value of marks at the current score, from the chance to win the game.
//!
//! The model assumes equal teams that play for one mark per hand. The chance to win from each score follows by backward
//! induction. At six all only the next mark matters; a team far behind may well stake two.

use alloc::{vec, vec::Vec};

use texas42_vocab::{Action, Bid, BidKind, Config, Scoring};

use crate::decision::Choice;

/// A hand is worth about so many points in the older game: what is a mark in the usual one.
pub const POINTS_PER_HAND: u16 = 40;
/// Who is set in the older game pays what was bid and what the others took; they took more than the bid left them,
/// usually by so much.
const SET_BY: u16 = 6;
/// Beyond so many marks from the end one mark is as good as another.
const FAR: usize = 20;

/// The chance to win from every score.
#[derive(Clone, Debug)]
pub(crate) struct Stakes {
    /// By the marks that each side still needs, 1 to [`FAR`], the own side first.
    chances: Vec<f64>,
    needs: [usize; 2],
    scoring: Scoring,
}

/// What a contract brings when it is made, and what it costs when it is set, in marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stake {
    made: f64,
    set: f64,
}

impl Stake {
    /// As much to win as to lose.
    pub(crate) fn even(marks: u8) -> Self {
        Self { made: f64::from(marks), set: f64::from(marks) }
    }
}

impl Stakes {
    /// Where the game stands; the own side first.
    pub(crate) fn new(rules: &Config, score: [u16; 2]) -> Self {
        let unit = match rules.scoring {
            Scoring::Marks => 1,
            Scoring::Points => POINTS_PER_HAND,
        };
        let need = |score: u16| usize::from(rules.target().saturating_sub(score).div_ceil(unit)).clamp(1, FAR);
        Self { chances: chances(), needs: score.map(need), scoring: rules.scoring }
    }

    /// The chance to win the game after this many marks went to one of the sides.
    pub(crate) fn after(&self, ours: bool, marks: u16) -> f64 {
        let mut needs = self.needs;
        let need = &mut needs[usize::from(!ours)];
        *need = need.saturating_sub(usize::from(marks));
        self.chances[needs[0] * (FAR + 1) + needs[1]]
    }

    /// The chance to win the game when so many marks, or a part of one, go to our side, or below 0 to the other.
    fn with(&self, marks: f64) -> f64 {
        let (ours, whole) = (marks >= 0.0, marks.abs() as u16);
        let (less, more) = (self.after(ours, whole), self.after(ours, whole + 1));
        less + (marks.abs() - f64::from(whole)) * (more - less)
    }

    /// What is at stake with a bid. In the older game a side that makes points keeps what it took, and so do the
    /// others: that is about what was bid. A side that is set pays more.
    pub(crate) fn of(&self, bid: Bid) -> Stake {
        let hands = |points: u16| f64::from(points) / f64::from(POINTS_PER_HAND);
        match (self.scoring, bid.kind) {
            (Scoring::Marks, _) => Stake::even(bid.stake()),
            (Scoring::Points, BidKind::Points) => Stake { made: hands(bid.worth()), set: hands(Bid::HAND + SET_BY) },
            (Scoring::Points, _) => Stake { made: hands(bid.worth()), set: hands(bid.worth()) },
        }
    }

    /// The same for one of the sides: what the bidders lose, the others win.
    pub(crate) fn as_seen(&self, bid: Bid, by_bidders: bool) -> Stake {
        let Stake { made, set } = self.of(bid);
        if by_bidders { Stake { made, set } } else { Stake { made: set, set: made } }
    }

    /// The chance to win the game with a contract that ends well for our side with this chance.
    fn contract(&self, chance: f64, stake: Stake) -> f64 {
        chance * self.with(stake.made) + (1.0 - chance) * self.with(-stake.set)
    }

    /// How many marks for certain are as good, at this score, as this chance to win the game. So much is what a choice
    /// brings: where the next mark decides, a second one brings nothing, and whoever is far behind wants two at once.
    pub(crate) fn in_marks(&self, chance: f64) -> f64 {
        let ours = chance >= self.after(true, 0);
        let sign = if ours { 1.0 } else { -1.0 };
        let after = |marks| sign * self.after(ours, marks);
        let whole = (0..FAR as u16).take_while(|marks| after(marks + 1) < sign * chance).count() as u16;
        let (less, more) = (after(whole), after(whole + 1));
        let part = if less < more { (sign * chance - less) / (more - less) } else { 0.0 };
        sign * (f64::from(whole) + part)
    }

    /// Something after which the contract ends well for our side with this chance.
    pub(crate) fn weighed(&self, action: Action, chance: f64, stake: Stake) -> Choice {
        Choice { action, chance, marks: self.in_marks(self.contract(chance, stake)) }
    }
}

fn chances() -> Vec<f64> {
    let side = FAR + 1;
    let mut chances = vec![0.0; side * side];
    for ours in 0..side {
        for theirs in 0..side {
            chances[ours * side + theirs] = match (ours, theirs) {
                (0, _) => 1.0,
                (_, 0) => 0.0,
                _ => (chances[(ours - 1) * side + theirs] + chances[ours * side + theirs - 1]) / 2.0,
            };
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(score: [u16; 2]) -> Stakes {
        Stakes::new(&Config::default(), score)
    }

    #[test]
    fn equal_scores_are_equal_chances_and_the_last_mark_is_all() {
        let even = at([3, 3]);
        assert!((even.after(true, 1) + even.after(false, 1) - 1.0).abs() < 1e-12);
        assert_eq!((at([6, 6]).after(true, 1), at([6, 6]).after(false, 3)), (1.0, 0.0));
    }

    #[test]
    fn a_chance_is_worth_the_marks_that_lead_to_it() {
        for (score, made, stake, marks) in [
            ([0, 0], 0.75, 1, 0.5),
            ([6, 2], 0.25, 1, -0.5),
            ([2, 3], 1.0, 2, 2.0),
            ([2, 3], 0.0, 3, -3.0),
            ([6, 6], 1.0, 4, 1.0),
            ([6, 6], 0.0, 4, -1.0),
        ] {
            let stakes = at(score);
            let worth = stakes.in_marks(stakes.contract(made, Stake::even(stake)));
            assert!((worth - marks).abs() < 1e-9, "{score:?} {made} {stake}: {worth}");
        }
        let of = |score, stake| at(score).in_marks(at(score).contract(0.5, Stake::even(stake)));
        assert!(of([0, 6], 2) > of([0, 6], 1) && of([6, 0], 2) < of([6, 0], 1));
    }

    #[test]
    fn in_the_older_game_to_be_set_costs_more_than_to_make_it_brings() {
        let stakes = Stakes::new(&Config { scoring: Scoring::Points, ..Config::default() }, [0; 2]);
        let worth = |chance| stakes.in_marks(stakes.contract(chance, stakes.of(Bid::points(32))));
        assert!(worth(0.55) < 0.0 && worth(0.65) > 0.0, "{} {}", worth(0.55), worth(0.65));
    }

    #[test]
    fn who_is_far_behind_stakes_more() {
        let even = |score, marks| at(score).contract(0.5, Stake::even(marks));
        let gains = |score| even(score, 2) - even(score, 1);
        assert!(gains([0, 6]) > 0.0 && gains([6, 0]) < 0.0);
    }
}
