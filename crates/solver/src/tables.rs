//! A suit system as masks over 28 bits, compiled from the engine's [`Suits`].
//!
//! Every entry is computed by the engine: what a lead calls, what follows, what beats what. So the search cannot
//! disagree with the engine about a trick. Invariant: nothing here depends on the hands.

use arrayvec::ArrayVec;
use texas42_engine::Suits;
use texas42_vocab::{Domino, Hand, sort_by_rank};

use crate::order::{MOVE_KINDS, MoveKind, ranked, score};

/// The number of suits that can be called.
const SUITS: usize = 8;

/// Rows are padded to a power of two, so that a masked index needs no check.
pub(crate) const ROW: usize = 32;

/// The masks of one suit system.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    suits: Suits,
    /// The suit that each domino calls when it is led.
    called: [u8; ROW],
    /// The dominoes that call each suit when they are led.
    calling: [u32; SUITS],
    /// The dominoes that follow each suit.
    members: [u32; SUITS],
    /// The dominoes that beat a domino, for each called suit.
    above: [[u32; ROW]; SUITS],
    /// The strength of each domino, for each called suit.
    power: [[u8; ROW]; SUITS],
    /// The dominoes that differ from a domino only in rank: they follow and call the same suits.
    same_suits: [u32; ROW],
    /// The dominoes that have such a counterpart.
    has_equivalents: u32,
    /// The dominoes with their scores, for each kind of move.
    ranked: [[u16; ROW]; MOVE_KINDS],
    /// The dominoes that win against suits to which they do not belong.
    trumps: u32,
    /// The trumps from the highest to the lowest.
    ladder: ArrayVec<Domino, 7>,
    /// Whether the legal plays depend on the hand alone ([`Suits::NearestSeven`]).
    nearest: bool,
}

impl Tables {
    pub(crate) fn new(suits: Suits) -> Self {
        let nearest = suits == Suits::NearestSeven;
        let mut tables = Self {
            suits,
            called: [0; ROW],
            calling: core::array::from_fn(|suit| set(|domino| usize::from(suits.called(domino)) == suit)),
            members: core::array::from_fn(|suit| suits.members(suit as u8).bits()),
            above: [[0; ROW]; SUITS],
            power: [[0; ROW]; SUITS],
            same_suits: [0; ROW],
            has_equivalents: 0,
            ranked: [[0; ROW]; MOVE_KINDS],
            trumps: 0,
            ladder: ArrayVec::new(),
            nearest,
        };
        Domino::all().for_each(|domino| tables.fill_powers(domino));
        Domino::all().for_each(|domino| tables.fill(domino));
        tables.fill_scores();
        tables.ladder = Hand::from_bits(tables.trumps).into_iter().collect();
        sort_by_rank(&mut tables.ladder, |domino| (u8::MAX - suits.power(0, *domino)).into());
        tables
    }

    fn fill_powers(&mut self, domino: Domino) {
        let index = domino.index();
        self.called[index] = self.suits.called(domino);
        for (suit, powers) in self.power.iter_mut().enumerate() {
            powers[index] = self.suits.power(suit as u8, domino);
        }
    }

    fn fill(&mut self, domino: Domino) {
        let index = domino.index();
        for suit in 0..SUITS {
            let powers = &self.power[suit];
            let power = powers[index];
            self.above[suit][index] = set(|other| powers[other.index()] > power);
            if !self.nearest && power > 0 && self.members[suit] >> index & 1 == 0 {
                self.trumps |= 1 << index;
            }
        }
        self.same_suits[index] = set(|other| other != domino && self.have_same_suits(index, other.index()));
        self.has_equivalents |= u32::from(self.same_suits[index] != 0) << index;
    }

    /// Whether two dominoes belong to the same suits and call the same suit. If there are no suits, whether they have
    /// the same strength.
    fn have_same_suits(&self, one: usize, other: usize) -> bool {
        if self.nearest {
            return self.power[0][one] == self.power[0][other];
        }
        let belong_alike = |members: &u32| (members >> one ^ members >> other) & 1 == 0;
        self.called[one] == self.called[other] && self.members.iter().all(belong_alike)
    }

    fn fill_scores(&mut self) {
        for domino in Domino::all() {
            let index = domino.index();
            let strength = self.power(self.called(index), index);
            let is_trump = self.trumps >> index & 1 == 1;
            for (kind, moves) in self.ranked.iter_mut().enumerate() {
                moves[index] = ranked(score(kind, domino.count(), strength, is_trump), index);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn suits(&self) -> Suits {
        self.suits
    }

    #[inline(always)]
    pub(crate) fn called(&self, domino: usize) -> usize {
        usize::from(self.called[domino & (ROW - 1)])
    }

    #[inline(always)]
    pub(crate) fn calling(&self, suit: usize) -> u32 {
        self.calling[suit & (SUITS - 1)]
    }

    #[inline(always)]
    pub(crate) fn members(&self, suit: usize) -> u32 {
        self.members[suit & (SUITS - 1)]
    }

    #[inline(always)]
    pub(crate) fn above(&self, suit: usize, domino: usize) -> u32 {
        self.above[suit & (SUITS - 1)][domino & (ROW - 1)]
    }

    /// The dominoes that beat each domino, for a called suit.
    #[inline(always)]
    pub(crate) fn all_above(&self, suit: usize) -> &[u32; ROW] {
        &self.above[suit & (SUITS - 1)]
    }

    #[inline(always)]
    pub(crate) fn power(&self, suit: usize, domino: usize) -> u8 {
        self.power[suit & (SUITS - 1)][domino & (ROW - 1)]
    }

    #[inline(always)]
    pub(crate) fn same_suits(&self, domino: usize) -> u32 {
        self.same_suits[domino & (ROW - 1)]
    }

    #[inline(always)]
    pub(crate) fn has_equivalents(&self) -> u32 {
        self.has_equivalents
    }

    #[inline(always)]
    pub(crate) fn ranked(&self, kind: MoveKind, domino: usize) -> u16 {
        self.ranked[kind as usize][domino & (ROW - 1)]
    }

    #[inline(always)]
    pub(crate) fn trumps(&self) -> u32 {
        self.trumps
    }

    /// The trumps from the highest to the lowest.
    #[inline(always)]
    pub(crate) fn ladder(&self) -> impl Iterator<Item = usize> {
        self.ladder.iter().map(|domino| domino.index())
    }

    /// The dominoes that a hand may lead.
    #[inline(always)]
    pub(crate) fn leads(&self, hand: u32) -> u32 {
        if self.nearest { self.nearest_of(hand) } else { hand }
    }

    /// The dominoes that a hand may play to a called suit.
    #[inline(always)]
    pub(crate) fn follows(&self, hand: u32, suit: usize) -> u32 {
        let follows = hand & self.members(suit);
        if follows != 0 {
            follows
        } else if self.nearest {
            self.nearest_of(hand)
        } else {
            hand
        }
    }

    fn nearest_of(&self, hand: u32) -> u32 {
        self.suits.playable(Hand::from_bits(hand), None).bits()
    }
}

fn set(includes: impl Fn(Domino) -> bool) -> u32 {
    Domino::all().filter(|domino| includes(*domino)).collect::<Hand>().bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_trumps_and_dominoes_that_differ_only_in_rank() {
        let fives = Tables::new(Suits::Trumps(5));
        assert_eq!((fives.trumps().count_ones(), fives.same_suits(20).count_ones(), fives.same_suits(27)), (7, 6, 0));
        let doubles = Tables::new(Suits::DoublesTrump);
        assert_eq!((doubles.trumps().count_ones(), doubles.same_suits(27).count_ones()), (7, 6));
        let own = Tables::new(Suits::DoublesOwn);
        assert_eq!((own.trumps(), own.same_suits(27).count_ones()), (0, 6));
        let sevens = Tables::new(Suits::NearestSeven);
        // 6-6 is as near to seven as 2-0 and 1-1.
        assert_eq!((sevens.trumps(), sevens.same_suits(27)), (0, 0b1100));
    }
}
