//! A domino of the double-six set. Each of the 28 has an index from 0 to 27, so that a set of dominoes is a bit mask.
//!
//! The index of `high-low` is `high * (high + 1) / 2 + low`: 0-0 is 0, 1-0 is 1, 1-1 is 2, …, 6-6 is 27.

use core::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ParseError;

/// The number of dots on one end, 0 to 6.
pub type Pip = u8;

/// One of the 28 dominoes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domino(u8);

const ENDS: [(Pip, Pip); Domino::COUNT] = {
    let mut ends = [(0, 0); Domino::COUNT];
    let (mut high, mut index) = (0, 0);
    while high <= 6 {
        let mut low = 0;
        while low <= high {
            ends[index] = (high, low);
            index += 1;
            low += 1;
        }
        high += 1;
    }
    ends
};

/// The text of each domino. Precomputed, because a table serializes dozens of them after every play.
static TEXTS: [&str; Domino::COUNT] = {
    let mut texts = [""; Domino::COUNT];
    let mut index = 0;
    while index < Domino::COUNT {
        texts[index] = match core::str::from_utf8(&ASCII_TEXTS[index]) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        };
        index += 1;
    }
    texts
};

static ASCII_TEXTS: [[u8; 3]; Domino::COUNT] = {
    let mut texts = [*b"0-0"; Domino::COUNT];
    let mut index = 0;
    while index < Domino::COUNT {
        texts[index] = [b'0' + ENDS[index].0, b'-', b'0' + ENDS[index].1];
        index += 1;
    }
    texts
};

/// What each domino counts. The count dominoes are exactly those with five or ten pips in total.
const COUNTS: [u8; Domino::COUNT] = {
    let mut counts = [0; Domino::COUNT];
    let mut index = 0;
    while index < Domino::COUNT {
        let pips = ENDS[index].0 + ENDS[index].1;
        if pips == 5 || pips == 10 {
            counts[index] = pips;
        }
        index += 1;
    }
    counts
};

impl Domino {
    /// How many dominoes there are.
    pub const COUNT: usize = 28;

    /// The domino with these ends, in either order.
    pub const fn new(one: Pip, other: Pip) -> Option<Self> {
        let (high, low) = if one >= other { (one, other) } else { (other, one) };
        if high > 6 { None } else { Some(Self(high * (high + 1) / 2 + low)) }
    }

    /// The domino with this index, 0 to 27.
    pub const fn from_index(index: u8) -> Option<Self> {
        if (index as usize) < Self::COUNT { Some(Self(index)) } else { None }
    }

    /// All 28, from 0-0 to 6-6.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The index of this domino, 0 to 27.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The end with more dots.
    pub const fn high(self) -> Pip {
        ENDS[self.index()].0
    }

    /// The end with fewer dots.
    pub const fn low(self) -> Pip {
        ENDS[self.index()].1
    }

    /// Whether both ends are the same.
    pub const fn is_double(self) -> bool {
        self.high() == self.low()
    }

    /// Whether either end shows `pip`.
    pub const fn has(self, pip: Pip) -> bool {
        self.high() == pip || self.low() == pip
    }

    /// The total number of dots.
    pub const fn pips(self) -> u8 {
        self.high() + self.low()
    }

    /// What this domino counts for the team that takes it: 10 for 5-5 and 6-4, 5 for 5-0, 4-1 and 3-2, otherwise 0.
    pub const fn count(self) -> u8 {
        COUNTS[self.index()]
    }

    /// The text of this domino, higher end first: `6-4`.
    pub const fn text(self) -> &'static str {
        TEXTS[self.index()]
    }
}

impl fmt::Display for Domino {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl fmt::Debug for Domino {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Domino {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let digit = |byte: u8| byte.is_ascii_digit().then(|| byte - b'0');
        match text.as_bytes() {
            [one, b'-', other] => {
                digit(*one).zip(digit(*other)).and_then(|(one, other)| Self::new(one, other)).ok_or(ParseError::Domino)
            }
            _ => Err(ParseError::Domino),
        }
    }
}

impl Serialize for Domino {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Serialized like a unit variant, so that writers need not look for characters to escape.
        serializer.serialize_unit_variant("Domino", self.0.into(), self.text())
    }
}

impl<'de> Deserialize<'de> for Domino {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text::parse(deserializer, "a domino like \"6-4\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_distinct_and_cover_28_dominoes() {
        for (index, domino) in Domino::all().enumerate() {
            assert_eq!(domino.index(), index);
            assert_eq!(Domino::new(domino.low(), domino.high()), Some(domino));
        }
        assert_eq!(Domino::all().len(), 28);
        assert_eq!(Domino::new(7, 0), None);
        assert_eq!(Domino::from_index(28), None);
    }

    #[test]
    fn the_count_dominoes_total_35() {
        let of = |value| Domino::all().filter(move |domino| domino.count() == value);
        assert!(of(10).map(|d| (d.high(), d.low())).eq([(5, 5), (6, 4)]));
        assert!(of(5).map(|d| (d.high(), d.low())).eq([(3, 2), (4, 1), (5, 0)]));
        assert_eq!(Domino::all().map(Domino::count).sum::<u8>(), 35);
    }

    #[test]
    fn parses_ends_in_either_order() {
        assert_eq!("4-6".parse(), Ok(Domino::new(6, 4).unwrap()));
        for wrong in ["", "6", "6-7", "64", "6-4 ", "-6-4", "a-b", "6–4"] {
            assert_eq!(wrong.parse::<Domino>(), Err(ParseError::Domino), "{wrong:?}");
        }
    }
}
