//! The constant part of a search: the deal, the order of play, and the goals of the teams.
//!
//! A seat holds the intersection of what it was dealt and what is left, so a position between two tricks is one set and
//! a leader.

use texas42_engine::{Goal, Suits};
use texas42_vocab::{Domino, Hand, Seat};

use crate::position::Position;

/// The constant part of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    pub(crate) dealt: [u32; 4],
    pub(crate) suits: Suits,
    /// How many dominoes make a trick.
    pub(crate) size: usize,
    /// Whether static bounds apply: both teams want tricks, there are suits, and no two dominoes are equally strong.
    pub(crate) plain: bool,
    next: [u8; 4],
    /// The parity of the team that maximizes the result, and of the team whose tricks count.
    wants: usize,
    collects: usize,
    fives: u32,
    tens: u32,
    counts: [u8; 32],
    owners: [u8; 32],
}

impl Board {
    pub(crate) fn new(position: &Position) -> Self {
        let terms = position.terms();
        let mut counts = [0; 32];
        Domino::all().for_each(|domino| counts[domino.index()] = position.count(domino));
        let mut owners = [0; 32];
        for seat in Seat::ALL {
            position.hands()[seat.index()].into_iter().for_each(|domino| owners[domino.index()] = seat.index() as u8);
        }
        let worth = |count: u8| Domino::all().filter(|d| position.count(*d) == count).collect::<Hand>().bits();
        Self {
            dealt: position.hands().map(Hand::bits),
            suits: terms.suits,
            size: terms.trick_size(),
            plain: terms.goal != Goal::NoTrick && terms.suits != Suits::NearestSeven,
            next: Seat::ALL.map(|seat| terms.next_player(seat).index() as u8),
            wants: terms.bidder.index() & 1,
            collects: (terms.bidder.index() & 1) ^ usize::from(!position.collects(terms.bidder)),
            fives: worth(5),
            tens: worth(10),
            counts,
            owners,
        }
    }

    /// Whether `later` is a later position of the same hand, so that bounds found here hold there.
    pub(crate) fn covers(&self, later: &Self) -> bool {
        let held = self.dealt.iter().zip(later.dealt).all(|(ours, theirs)| theirs & !ours == 0);
        held && Self { dealt: self.dealt, owners: self.owners, ..*later } == *self
    }

    #[inline(always)]
    pub(crate) fn hand(&self, left: u32, seat: usize) -> u32 {
        self.dealt[seat & 3] & left
    }

    /// The seat that was dealt a domino.
    #[inline(always)]
    pub(crate) fn owner(&self, domino: usize) -> usize {
        usize::from(self.owners[domino & 31] & 3)
    }

    #[inline(always)]
    pub(crate) fn next(&self, seat: usize) -> usize {
        usize::from(self.next[seat & 3])
    }

    #[inline(always)]
    pub(crate) fn wants(&self, seat: usize) -> bool {
        (seat ^ self.wants) & 1 == 0
    }

    #[inline(always)]
    pub(crate) fn collects(&self, seat: usize) -> bool {
        (seat ^ self.collects) & 1 == 0
    }

    #[inline(always)]
    pub(crate) fn count(&self, domino: usize) -> i32 {
        i32::from(self.counts[domino & 31])
    }

    #[inline(always)]
    pub(crate) fn counts(&self, set: u32) -> i32 {
        (5 * (set & self.fives).count_ones() + 10 * (set & self.tens).count_ones()) as i32
    }

    /// The maximum count of `dominoes` dominoes of a set.
    #[inline(always)]
    pub(crate) fn richest(&self, set: u32, dominoes: u32) -> i32 {
        let tens = (set & self.tens).count_ones().min(dominoes);
        let fives = (set & self.fives).count_ones().min(dominoes - tens);
        (10 * tens + 5 * fives) as i32
    }

    /// Dominoes that count the same as this one.
    #[inline(always)]
    pub(crate) fn same_count(&self, domino: usize) -> u32 {
        let bit = 1 << domino;
        if self.fives & bit != 0 {
            self.fives
        } else if self.tens & bit != 0 {
            self.tens
        } else {
            !(self.fives | self.tens)
        }
    }
}

/// The dominoes of a set, by ascending index.
#[inline(always)]
pub(crate) fn each(mut set: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let domino = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(domino)
    })
}
