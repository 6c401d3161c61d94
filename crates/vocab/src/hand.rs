//! A set of dominoes, with one bit per domino.

use core::{
    fmt,
    ops::{BitAnd, BitOr, BitOrAssign, Not, Sub},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Domino;

/// A set of dominoes: a seat's hand, the dominoes of a trick, or those not seen yet.
///
/// A `Hand` is a 28-bit mask: `Copy`, with constant-time set operations (`&`, `|`, `-`, `!`). It iterates in the order
/// of [`Domino::index`].
///
/// ```
/// use texas42_vocab::{Domino, Hand};
///
/// let double_six = Domino::new(6, 6).unwrap();
/// let hand: Hand = [double_six, Domino::new(6, 4).unwrap()].into_iter().collect();
/// assert_eq!((hand.len(), hand.count(), hand.doubles()), (2, 10, 1));
/// assert!(!(Hand::FULL - hand).contains(double_six));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u32);

impl Hand {
    /// How many dominoes a seat is dealt.
    pub const DEALT: usize = 7;
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// The whole set of 28.
    pub const FULL: Self = Self((1 << Domino::COUNT) - 1);

    /// The set with these bits. Bits beyond the 28th are ignored.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::FULL.0)
    }

    /// The set as bits: bit `i` is set when the domino with index `i` is in the set.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How many dominoes are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this domino is in the set.
    pub const fn contains(self, domino: Domino) -> bool {
        self.0 >> domino.index() & 1 == 1
    }

    /// The set with this domino.
    #[must_use]
    pub const fn with(self, domino: Domino) -> Self {
        Self(self.0 | 1 << domino.index())
    }

    /// The set without this domino.
    #[must_use]
    pub const fn without(self, domino: Domino) -> Self {
        Self(self.0 & !(1 << domino.index()))
    }

    /// What the dominoes of the set count for the team that takes them.
    pub fn count(self) -> u8 {
        self.into_iter().map(Domino::count).sum()
    }

    /// How many doubles are in the set.
    pub const fn doubles(self) -> usize {
        const DOUBLES: u32 = 1 | 1 << 2 | 1 << 5 | 1 << 9 | 1 << 14 | 1 << 20 | 1 << 27;
        (self.0 & DOUBLES).count_ones() as usize
    }
}

/// The dominoes of a [`Hand`], by ascending index.
#[derive(Clone, Debug)]
pub struct Iter(u32);

impl Iterator for Iter {
    type Item = Domino;

    fn next(&mut self) -> Option<Domino> {
        let domino = Domino::from_index(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(domino)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Iter {
    fn next_back(&mut self) -> Option<Domino> {
        let index = 31_u32.checked_sub(self.0.leading_zeros())?;
        self.0 &= !(1 << index);
        Domino::from_index(index as u8)
    }
}

impl ExactSizeIterator for Iter {}

impl IntoIterator for Hand {
    type Item = Domino;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        Iter(self.0)
    }
}

impl FromIterator<Domino> for Hand {
    fn from_iter<I: IntoIterator<Item = Domino>>(dominoes: I) -> Self {
        dominoes.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl BitAnd for Hand {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Hand {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Hand {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Sub for Hand {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for Hand {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0 & Self::FULL.0)
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

impl Serialize for Hand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(*self)
    }
}

impl<'de> Deserialize<'de> for Hand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(HandVisitor)
    }
}

struct HandVisitor;

impl<'de> de::Visitor<'de> for HandVisitor {
    type Value = Hand;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of dominoes, each once")
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut dominoes: A) -> Result<Hand, A::Error> {
        let mut hand = Hand::EMPTY;
        while let Some(domino) = dominoes.next_element::<Domino>()? {
            if hand.contains(domino) {
                return Err(de::Error::custom(format_args!("{domino} appears twice in one hand")));
            }
            hand = hand.with(domino);
        }
        Ok(hand)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn behaves_as_a_set() {
        let all: Hand = Domino::all().collect();
        assert_eq!(all, Hand::FULL);
        assert_eq!((all.len(), all.doubles(), all.count()), (28, 7, 35));
        let six_four = Domino::new(6, 4).unwrap();
        assert!(!all.without(six_four).contains(six_four));
        assert_eq!(!all, Hand::EMPTY);
        assert!(all.into_iter().rev().eq(Domino::all().rev()));
        assert_eq!(Hand::EMPTY.into_iter().next_back(), None);
    }

    #[test]
    fn rejects_a_duplicate_domino_by_name() {
        let error = serde_json::from_str::<Hand>(r#"["6-4","1-0","4-6"]"#).unwrap_err();
        assert!(error.to_string().starts_with("6-4 appears twice"), "{error}");
    }
}
