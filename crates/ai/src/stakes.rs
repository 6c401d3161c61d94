//! The value of marks at the current score, from the chance to win the game.
//!
//! The model assumes equal teams that play for one mark per hand. The chance to win from each score follows by backward
//! induction. At six all only the next mark matters; a team far behind may well stake two.

use alloc::{vec, vec::Vec};

use texas42_vocab::{Action, Bid, BidKind, Config, Scoring};

use crate::decision::Choice;

/// The approximate worth of a hand with points scoring: the counterpart of one mark.
pub const POINTS_PER_HAND: u16 = 40;
/// With points scoring, the defenders who set a bid score the bid and what they took. Together that is typically this
/// much more than 42.
const SET_BY: u16 = 6;
/// The model treats scores farther than this many marks from the target alike.
const FAR: usize = 20;

/// The chance to win from every score.
#[derive(Clone, Debug)]
pub(crate) struct Stakes {
    /// Indexed by the marks that each team still needs, 0 to [`FAR`], the seat's own team first.
    chances: Vec<f64>,
    needs: [usize; 2],
    scoring: Scoring,
}

/// The gain of a made contract and the cost of a set one, in marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stake {
    made: f64,
    set: f64,
}

impl Stake {
    /// The same number of marks to win and to lose.
    pub(crate) fn even(marks: u8) -> Self {
        Self { made: f64::from(marks), set: f64::from(marks) }
    }
}

impl Stakes {
    /// The stakes at this score, the seat's own team first.
    pub(crate) fn new(rules: &Config, score: [u16; 2]) -> Self {
        let unit = match rules.scoring {
            Scoring::Marks => 1,
            Scoring::Points => POINTS_PER_HAND,
        };
        let need = |score: u16| usize::from(rules.target().saturating_sub(score).div_ceil(unit)).clamp(1, FAR);
        Self { chances: chances(), needs: score.map(need), scoring: rules.scoring }
    }

    /// The chance to win the game after this many marks go to our team or to the other.
    pub(crate) fn after(&self, ours: bool, marks: u16) -> f64 {
        let mut needs = self.needs;
        let need = &mut needs[usize::from(!ours)];
        *need = need.saturating_sub(usize::from(marks));
        self.chances[needs[0] * (FAR + 1) + needs[1]]
    }

    /// The chance to win the game after `marks`, which may be fractional, go to our team, or to the other if negative.
    fn with(&self, marks: f64) -> f64 {
        let (ours, whole) = (marks >= 0.0, marks.abs() as u16);
        let (less, more) = (self.after(ours, whole), self.after(ours, whole + 1));
        less + (marks.abs() - f64::from(whole)) * (more - less)
    }

    /// The stake of a bid. With points scoring, a made point bid scores about what was bid, and a set one costs more.
    pub(crate) fn of(&self, bid: Bid) -> Stake {
        let hands = |points: u16| f64::from(points) / f64::from(POINTS_PER_HAND);
        match (self.scoring, bid.kind) {
            (Scoring::Marks, _) => Stake::even(bid.stake()),
            (Scoring::Points, BidKind::Points) => Stake { made: hands(bid.worth()), set: hands(Bid::HAND + SET_BY) },
            (Scoring::Points, _) => Stake { made: hands(bid.worth()), set: hands(bid.worth()) },
        }
    }

    /// The stake of a bid from the side of the bidders or of the defenders: what one loses, the other wins.
    pub(crate) fn as_seen(&self, bid: Bid, by_bidders: bool) -> Stake {
        let Stake { made, set } = self.of(bid);
        if by_bidders { Stake { made, set } } else { Stake { made: set, set: made } }
    }

    /// The chance to win the game with a contract that ends well for our team with this chance.
    fn contract(&self, chance: f64, stake: Stake) -> f64 {
        chance * self.with(stake.made) + (1.0 - chance) * self.with(-stake.set)
    }

    /// The certain number of marks that is equivalent, at this score, to this chance to win the game. If the next mark
    /// decides the game, a second one adds nothing; a team that is far behind prefers to stake two at once.
    pub(crate) fn in_marks(&self, chance: f64) -> f64 {
        let ours = chance >= self.after(true, 0);
        let sign = if ours { 1.0 } else { -1.0 };
        let after = |marks| sign * self.after(ours, marks);
        let whole = (0..FAR as u16).take_while(|marks| after(marks + 1) < sign * chance).count() as u16;
        let (less, more) = (after(whole), after(whole + 1));
        let part = if less < more { (sign * chance - less) / (more - less) } else { 0.0 };
        sign * (f64::from(whole) + part)
    }

    /// Evaluates an action after which the contract ends well for our team with this chance.
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
    fn chances_are_symmetric_and_the_last_mark_decides() {
        let even = at([3, 3]);
        assert!((even.after(true, 1) + even.after(false, 1) - 1.0).abs() < 1e-12);
        assert_eq!((at([6, 6]).after(true, 1), at([6, 6]).after(false, 3)), (1.0, 0.0));
    }

    #[test]
    fn in_marks_inverts_the_chance_to_win() {
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
    fn with_points_scoring_a_set_costs_more_than_a_made_bid_gains() {
        let stakes = Stakes::new(&Config { scoring: Scoring::Points, ..Config::default() }, [0; 2]);
        let worth = |chance| stakes.in_marks(stakes.contract(chance, stakes.of(Bid::points(32))));
        assert!(worth(0.55) < 0.0 && worth(0.65) > 0.0, "{} {}", worth(0.55), worth(0.65));
    }

    #[test]
    fn a_team_far_behind_prefers_higher_stakes() {
        let even = |score, marks| at(score).contract(0.5, Stake::even(marks));
        let gains = |score| even(score, 2) - even(score, 1);
        assert!(gains([0, 6]) > 0.0 && gains([6, 0]) < 0.0);
    }
}
