//! Which domino belongs to which suit, what a lead calls, and which domino beats which.
//!
//! Twelve suit systems cover every contract. Each is a small table computed at compile time, so that following suit is
//! one mask and comparing two dominoes is one lookup.

use texas42_vocab::{Domino, Hand, Pip, Trump};

/// The number of a suit: 0 to 6 for the pips, [`DOUBLES`] for the doubles where they form a suit.
pub type Suit = u8;

/// The number of the suit of doubles.
pub const DOUBLES: Suit = 7;

const SUIT_COUNT: usize = 8;
const SYSTEM_COUNT: usize = 12;

/// The suit system of one hand: which dominoes form a suit, and which domino beats which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suits {
    /// Every domino with this pip is a trump and belongs to no other suit. Doubles are the highest of their suits.
    Trumps(Pip),
    /// The doubles are trumps, 6-6 high to 0-0 low, and belong to no pip suit.
    DoublesTrump,
    /// No trumps; doubles are the highest of their suits.
    DoublesHigh,
    /// No trumps; doubles are a suit of their own, 6-6 high to 0-0 low.
    DoublesOwn,
    /// No trumps; doubles are the lowest of their suits.
    DoublesLow,
    /// No suits. Each seat must play its domino nearest to seven pips, and the nearest wins.
    NearestSeven,
}

struct Table {
    /// The suit that each domino calls when it is led.
    called: [Suit; Domino::COUNT],
    /// The dominoes that follow each suit.
    members: [Hand; SUIT_COUNT],
    /// The strength of each domino under each called suit. 0 cannot win.
    power: [[u8; Domino::COUNT]; SUIT_COUNT],
}

static TABLES: [Table; SYSTEM_COUNT] = {
    let mut tables = [const { Table { called: [0; 28], members: [Hand::EMPTY; SUIT_COUNT], power: [[0; 28]; SUIT_COUNT] } };
        SYSTEM_COUNT];
    let mut index = 0;
    while index < SYSTEM_COUNT {
        tables[index] = table(SUIT_SYSTEMS[index]);
        index += 1;
    }
    tables
};

const SUIT_SYSTEMS: [Suits; SYSTEM_COUNT] = [
    Suits::Trumps(0),
    Suits::Trumps(1),
    Suits::Trumps(2),
    Suits::Trumps(3),
    Suits::Trumps(4),
    Suits::Trumps(5),
    Suits::Trumps(6),
    Suits::DoublesTrump,
    Suits::DoublesHigh,
    Suits::DoublesOwn,
    Suits::DoublesLow,
    Suits::NearestSeven,
];

/// The dominoes at each distance from seven pips, nearest first.
const BY_DISTANCE_FROM_SEVEN: [Hand; 8] = {
    let mut by_distance = [Hand::EMPTY; 8];
    let mut index = 0;
    while index < Domino::COUNT {
        let domino = domino_at(index);
        let distance = domino.pips().abs_diff(7) as usize;
        by_distance[distance] = by_distance[distance].with(domino);
        index += 1;
    }
    by_distance
};

/// Added to the power of trumps, so that the lowest trump beats the highest domino of a suit.
const ABOVE_EVERY_SUIT: u8 = 16;

const fn domino_at(index: usize) -> Domino {
    Domino::from_index(index as u8).expect("the index stays below 28")
}

const fn table(suits: Suits) -> Table {
    let mut table = Table { called: [0; 28], members: [Hand::EMPTY; SUIT_COUNT], power: [[0; 28]; SUIT_COUNT] };
    let mut index = 0;
    while index < Domino::COUNT {
        let domino = domino_at(index);
        table.called[index] = called(suits, domino);
        let mut suit = 0;
        while suit < SUIT_COUNT {
            if belongs(suits, domino, suit as Suit) {
                table.members[suit] = table.members[suit].with(domino);
            }
            table.power[suit][index] = power(suits, domino, suit as Suit);
            suit += 1;
        }
        index += 1;
    }
    table
}

const fn called(suits: Suits, domino: Domino) -> Suit {
    match suits {
        Suits::Trumps(trump) if domino.has(trump) => trump,
        Suits::DoublesTrump | Suits::DoublesOwn if domino.is_double() => DOUBLES,
        _ => domino.high(),
    }
}

const fn belongs(suits: Suits, domino: Domino, suit: Suit) -> bool {
    match suits {
        Suits::Trumps(trump) if domino.has(trump) => suit == trump,
        Suits::DoublesTrump | Suits::DoublesOwn if domino.is_double() => suit == DOUBLES,
        Suits::NearestSeven => false,
        _ => domino.has(suit),
    }
}

const fn power(suits: Suits, domino: Domino, led: Suit) -> u8 {
    if let Suits::NearestSeven = suits {
        return 8 - domino.pips().abs_diff(7);
    }
    let is_trump = match suits {
        Suits::Trumps(trump) => domino.has(trump),
        Suits::DoublesTrump => domino.is_double(),
        _ => false,
    };
    if is_trump {
        ABOVE_EVERY_SUIT + rank(suits, domino, called(suits, domino))
    } else if belongs(suits, domino, led) {
        rank(suits, domino, led)
    } else {
        0
    }
}

/// The rank of a domino within a suit that it belongs to, 1 to 9.
const fn rank(suits: Suits, domino: Domino, suit: Suit) -> u8 {
    if suit == DOUBLES {
        return domino.high() + 2;
    }
    if domino.is_double() {
        return if let Suits::DoublesLow = suits { 1 } else { 9 };
    }
    let other_end = if domino.high() == suit { domino.low() } else { domino.high() };
    other_end + 2
}

impl Suits {
    /// The suit system of one of the nine trumps of straight 42; without trumps for the others.
    pub fn straight(trump: Trump) -> Self {
        match (trump.pip(), trump) {
            (Some(pip), _) => Self::Trumps(pip),
            (None, Trump::Doubles) => Self::DoublesTrump,
            (None, _) => Self::DoublesHigh,
        }
    }

    #[inline(always)]
    const fn table(self) -> &'static Table {
        let index = match self {
            Self::Trumps(pip) => pip as usize,
            Self::DoublesTrump => 7,
            Self::DoublesHigh => 8,
            Self::DoublesOwn => 9,
            Self::DoublesLow => 10,
            Self::NearestSeven => 11,
        };
        &TABLES[index]
    }

    /// The suit that a led domino calls.
    #[inline(always)]
    pub fn called(self, led: Domino) -> Suit {
        self.table().called[led.index()]
    }

    /// The dominoes that follow a suit.
    #[inline(always)]
    pub fn members(self, suit: Suit) -> Hand {
        self.table().members[suit as usize]
    }

    /// The strength of a domino in a trick that called `led`. The highest wins, the first played of equals; 0 cannot
    /// win.
    #[inline(always)]
    pub fn power(self, led: Suit, domino: Domino) -> u8 {
        self.table().power[led as usize][domino.index()]
    }

    /// The suits that a domino belongs to, by ascending number. Empty for [`Suits::NearestSeven`].
    pub fn suits_of(self, domino: Domino) -> impl Iterator<Item = Suit> {
        (0..SUIT_COUNT as Suit).filter(move |suit| self.members(*suit).contains(domino))
    }

    /// The dominoes that a hand may play to the called suit, or lead if nothing was called.
    #[inline(always)]
    pub fn playable(self, hand: Hand, called: Option<Suit>) -> Hand {
        match (self, called) {
            (Self::NearestSeven, _) => nearest(hand),
            (_, None) => hand,
            (_, Some(suit)) => {
                let follows = hand & self.members(suit);
                if follows.is_empty() { hand } else { follows }
            }
        }
    }

    /// The dominoes that a seat can no longer hold after it plays `domino`, inferred from public information.
    ///
    /// A seat that does not follow suit has none of it. Under [`Suits::NearestSeven`] it has nothing nearer to seven.
    pub fn ruled_out(self, called: Suit, domino: Domino) -> Hand {
        match self {
            Self::NearestSeven => BY_DISTANCE_FROM_SEVEN[..domino.pips().abs_diff(7) as usize]
                .iter()
                .fold(Hand::EMPTY, |nearer, distance| nearer | *distance),
            _ if self.members(called).contains(domino) => Hand::EMPTY,
            _ => self.members(called),
        }
    }
}

fn nearest(hand: Hand) -> Hand {
    BY_DISTANCE_FROM_SEVEN
        .into_iter()
        .map(|distance| hand & distance)
        .find(|held| !held.is_empty())
        .unwrap_or(Hand::EMPTY)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn d(text: &str) -> Domino {
        text.parse().unwrap()
    }

    fn order(suits: Suits, suit: Suit) -> Vec<Domino> {
        let mut members: Vec<_> = suits.members(suit).into_iter().collect();
        members.sort_by_key(|domino| core::cmp::Reverse(suits.power(suit, *domino)));
        members
    }

    #[test]
    fn a_pip_trump_takes_its_dominoes_out_of_every_other_suit() {
        let suits = Suits::Trumps(5);
        assert_eq!(order(suits, 5), ["5-5", "6-5", "5-4", "5-3", "5-2", "5-1", "5-0"].map(d));
        assert_eq!(order(suits, 6), ["6-6", "6-4", "6-3", "6-2", "6-1", "6-0"].map(d));
        assert_eq!(suits.called(d("6-5")), 5);
        assert_eq!(suits.called(d("6-4")), 6);
        assert!(suits.power(6, d("5-0")) > suits.power(6, d("6-6")));
        assert_eq!(suits.power(6, d("4-4")), 0);
    }

    #[test]
    fn doubles_as_trumps_belong_to_no_pip_suit() {
        let suits = Suits::DoublesTrump;
        assert_eq!(order(suits, DOUBLES), ["6-6", "5-5", "4-4", "3-3", "2-2", "1-1", "0-0"].map(d));
        assert_eq!(order(suits, 6), ["6-5", "6-4", "6-3", "6-2", "6-1", "6-0"].map(d));
        assert!(suits.power(6, d("0-0")) > suits.power(6, d("6-5")));
    }

    #[test]
    fn without_trumps_doubles_are_high_low_or_a_suit() {
        assert_eq!(order(Suits::DoublesHigh, 3)[0], d("3-3"));
        assert_eq!(order(Suits::DoublesLow, 3)[6], d("3-3"));
        assert_eq!(order(Suits::DoublesOwn, 3).len(), 6);
        assert_eq!(order(Suits::DoublesOwn, DOUBLES)[6], d("0-0"));
        assert_eq!(Suits::DoublesOwn.power(3, d("6-6")), 0);
    }

    #[test]
    fn every_lead_belongs_to_the_suit_it_calls() {
        for suits in SUIT_SYSTEMS.into_iter().filter(|suits| *suits != Suits::NearestSeven) {
            for domino in Domino::all() {
                assert!(suits.members(suits.called(domino)).contains(domino), "{suits:?} {domino}");
                assert!(suits.power(suits.called(domino), domino) > 0);
            }
        }
    }

    #[test]
    fn the_nearest_to_seven_must_be_played() {
        let hand: Hand = ["6-2", "5-1", "0-0"].map(d).into_iter().collect();
        assert_eq!(Suits::NearestSeven.playable(hand, Some(0)), ["6-2", "5-1"].map(d).into_iter().collect());
        assert!(Suits::NearestSeven.ruled_out(0, d("6-2")).into_iter().all(|domino| domino.pips() == 7));
    }
}
