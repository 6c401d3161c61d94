//! The transposition table: bounds of positions between two tricks.
//!
//! Within one deal, the remaining dominoes and the leader identify a position, so a position is 30 bits and an entry is
//! one word. A generation number marks entries of earlier deals; clearing the table would cost more than a search.
//! Invariant: an entry that is found holds true bounds of the rest of the hand.

use alloc::{boxed::Box, vec};

/// 256 KiB fits into the cache of a small machine. More entries do not make searches faster.
const ENTRIES: usize = 1 << 15;

// From the lowest bit: 28 for the dominoes and 2 for the leader, 6 for each bound, 5 for the lead, 17 for the
// generation.
const LOWER: u32 = 30;
const UPPER: u32 = 36;
const LEAD: u32 = 42;
const GENERATION: u32 = 47;

/// The bits that identify an entry: the position and the generation.
const IDENTITY: u64 = ((1 << LOWER) - 1) | (u64::MAX << GENERATION);

/// The lead of an entry without a best lead.
pub(crate) const NO_LEAD: usize = 31;

/// Bounds of the rest of a hand, and the best lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
    pub(crate) lead: usize,
}

/// A transposition table of fixed size. A new entry replaces the old one in its slot.
#[derive(Clone, Debug)]
pub(crate) struct TranspositionTable {
    words: Box<[u64; ENTRIES]>,
    /// The generation number, shifted to its position in an entry.
    generation: u64,
}

impl TranspositionTable {
    pub(crate) fn new() -> Self {
        let words = vec![0; ENTRIES].into_boxed_slice().try_into().expect("the length is ENTRIES");
        Self { words, generation: 1 << GENERATION }
    }

    /// Invalidates all entries.
    pub(crate) fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1 << GENERATION);
        if self.generation == 0 {
            self.words.fill(0);
            self.generation = 1 << GENERATION;
        }
    }

    #[inline(always)]
    pub(crate) fn find(&self, left: u32, leader: usize) -> Option<Entry> {
        let word = self.words[slot(left, leader)];
        let field = |at: u32, bits: u32| (word >> at & ((1 << bits) - 1)) as i32;
        let same = (word ^ (key(left, leader) | self.generation)) & IDENTITY == 0;
        same.then(|| Entry { lower: field(LOWER, 6), upper: field(UPPER, 6), lead: field(LEAD, 5) as usize })
    }

    #[inline(always)]
    pub(crate) fn keep(&mut self, left: u32, leader: usize, entry: Entry) {
        let bounds = (entry.lower as u64) << LOWER | (entry.upper as u64) << UPPER;
        self.words[slot(left, leader)] = key(left, leader) | bounds | (entry.lead as u64) << LEAD | self.generation;
    }
}

const fn key(left: u32, leader: usize) -> u64 {
    left as u64 | (leader as u64) << 28
}

/// The slot of a position. The upper bits of the product are well mixed.
const fn slot(left: u32, leader: usize) -> usize {
    let mixed = key(left, leader).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 49) as usize & (ENTRIES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_entries_until_cleared() {
        let mut memory = TranspositionTable::new();
        let entry = Entry { lower: 3, upper: 42, lead: 27 };
        assert_eq!(memory.find(0, 0), None);
        memory.keep(0xfff_ffff, 3, entry);
        assert_eq!(memory.find(0xfff_ffff, 3), Some(entry));
        assert_eq!((memory.find(0xfff_ffff, 2), memory.find(0xfff_fffe, 3)), (None, None));
        memory.forget();
        assert_eq!(memory.find(0xfff_ffff, 3), None);
    }

    #[test]
    fn survives_a_generation_overflow() {
        let mut memory = TranspositionTable::new();
        memory.keep(1, 0, Entry { lower: 0, upper: 1, lead: NO_LEAD });
        (0..u64::MAX >> GENERATION).for_each(|_| memory.forget());
        assert_eq!(memory.find(1, 0), None);
    }
}
