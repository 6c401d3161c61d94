//! What marks are worth where the game stands: the chance to win it.
//!
//! Two sides that are equally good play for a mark a hand; the chance to win from each score follows by counting back from
//! the end. At six all nothing is worth more than the next mark, and a side far behind may well stake two.

use alloc::{vec, vec::Vec};

use texas42_vocab::{Config, Scoring};

/// A hand is worth about so many points in the older game.
const POINTS_A_HAND: u16 = 40;
/// Beyond so many marks from the end one mark is as good as another.
const FAR: usize = 20;

/// The chance to win from every score.
#[derive(Clone, Debug)]
pub(crate) struct Stakes {
    /// By the marks that each side still needs, 1 to [`FAR`], the own side first.
    chances: Vec<f64>,
    needs: [usize; 2],
}

impl Stakes {
    /// Where the game stands; the own side first.
    pub(crate) fn new(rules: &Config, score: [u16; 2]) -> Self {
        let unit = match rules.scoring {
            Scoring::Marks => 1,
            Scoring::Points => POINTS_A_HAND,
        };
        let need = |score: u16| usize::from(rules.target().saturating_sub(score).div_ceil(unit)).clamp(1, FAR);
        Self { chances: chances(), needs: score.map(need) }
    }

    /// The chance to win the game after this many marks went to one of the sides.
    pub(crate) fn after(&self, ours: bool, marks: u8) -> f64 {
        let mut needs = self.needs;
        let need = &mut needs[usize::from(!ours)];
        *need = need.saturating_sub(usize::from(marks));
        self.chances[needs[0] * (FAR + 1) + needs[1]]
    }

    /// The chance to win the game with a contract of our side that is made with this chance.
    pub(crate) fn contract(&self, makes: f64, marks: u8) -> f64 {
        makes * self.after(true, marks) + (1.0 - makes) * self.after(false, marks)
    }

    /// The chance to win the game when a hand brings so many marks on average, between −1 and 1.
    pub(crate) fn average(&self, marks: f64) -> f64 {
        self.contract((1.0 + marks.clamp(-1.0, 1.0)) / 2.0, 1)
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
    fn who_is_far_behind_stakes_more() {
        let gains = |score| at(score).contract(0.5, 2) - at(score).contract(0.5, 1);
        assert!(gains([0, 6]) > 0.0 && gains([6, 0]) < 0.0);
    }
}
