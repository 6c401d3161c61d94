//! Where a game stands: a small `Copy` value that is derived from the log and never stored as truth.
//!
//! Invariant: the 28 dominoes are always split over the four hands, the taken tricks and the trick on the table. Unused
//! slots keep their default, so that two states that mean the same are equal.

use texas42_vocab::{Bid, Domino, Hand, Phase, Seat};

use crate::terms::{Contract, Outcome, Terms};

/// The auction of one hand: at most one call a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Auction {
    first: Seat,
    calls: [Option<Bid>; 4],
    len: u8,
    highest: Option<Seat>,
}

impl Auction {
    pub(crate) const fn opened_by(first: Seat) -> Self {
        Self { first, calls: [None; 4], len: 0, highest: None }
    }

    /// The calls so far in order: who, and a bid or a pass.
    pub fn calls(&self) -> impl Iterator<Item = (Seat, Option<Bid>)> {
        self.first.round().zip(self.calls).take(self.len())
    }

    /// How many seats have spoken.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether nobody has spoken yet.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all four have spoken.
    pub const fn is_closed(&self) -> bool {
        self.len == 4
    }

    /// The standing bid and who made it.
    pub fn standing(&self) -> Option<(Seat, Bid)> {
        let seat = self.highest?;
        Some((seat, self.calls[self.place(seat)]?))
    }

    pub(crate) fn call(&mut self, seat: Seat, bid: Option<Bid>) {
        self.calls[self.len()] = bid;
        self.len += 1;
        if bid.is_some() {
            self.highest = Some(seat);
        }
    }

    const fn place(&self, seat: Seat) -> usize {
        (seat.index() + 4 - self.first.index()) & 3
    }
}

/// A trick: who led, and the dominoes in the order of play. A seat that sits out leaves no gap.
///
/// Who wins it follows from the terms of the hand, so it is not kept here. Five bytes, because a state has eight of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trick {
    dominoes: [Domino; 4],
    /// From the lowest bit: two for the leader, three for the seat that sits out (4 is nobody), three for the length.
    packed: u8,
}

const NO_DOMINO: Domino = Domino::from_index(0).expect("0 is a domino");
const NOBODY: u8 = 4;
const ONE_MORE: u8 = 1 << 5;

impl Trick {
    pub(crate) const fn led_by(leader: Seat, sits_out: Option<Seat>) -> Self {
        let sits_out = match sits_out {
            Some(seat) => seat.index() as u8,
            None => NOBODY,
        };
        Self { dominoes: [NO_DOMINO; 4], packed: leader.index() as u8 | sits_out << 2 }
    }

    /// Who led, or is to lead.
    pub const fn leader(&self) -> Seat {
        Seat::ALL[(self.packed & 3) as usize]
    }

    /// How many dominoes lie there.
    pub const fn len(&self) -> usize {
        (self.packed >> 5) as usize
    }

    /// Whether nothing lies there yet.
    pub const fn is_empty(&self) -> bool {
        self.packed < ONE_MORE
    }

    /// The domino that was led.
    pub const fn lead(&self) -> Option<Domino> {
        if self.is_empty() { None } else { Some(self.dominoes[0]) }
    }

    /// Who played what, in order.
    pub fn plays(&self) -> impl Iterator<Item = (Seat, Domino)> + use<> {
        let Self { dominoes, packed } = *self;
        let sits_out = packed >> 2 & 7;
        self.leader().round().filter(move |seat| seat.index() as u8 != sits_out).zip(dominoes).take(self.len())
    }

    /// The dominoes that lie there.
    pub fn dominoes(&self) -> Hand {
        self.dominoes[..self.len()].iter().copied().collect()
    }

    /// What the trick is worth: one, and its count.
    pub fn points(&self) -> u8 {
        1 + self.dominoes[..self.len()].iter().map(|domino| domino.count()).sum::<u8>()
    }

    pub(crate) fn add(&mut self, domino: Domino) {
        self.dominoes[self.len()] = domino;
        self.packed += ONE_MORE;
    }
}

/// What each team has taken in this hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Points, count and tricks together.
    pub points: [u8; 2],
    /// Tricks.
    pub tricks: [u8; 2],
}

impl Tally {
    /// How many tricks are taken.
    pub const fn tricks_played(&self) -> u8 {
        self.tricks[0] + self.tricks[1]
    }
}

/// A claim of the rest, decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Who claimed, and so shows the hand.
    pub seat: Seat,
    /// Whether it stood.
    pub stands: bool,
}

/// The result of the last scored hand: what each team gained, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HandResult {
    /// What was played.
    pub contract: Contract,
    /// Who sat it out.
    pub sits_out: Option<Seat>,
    /// How it ended.
    pub outcome: Outcome,
    /// Points that each team took.
    pub points: [u8; 2],
    /// What each team gained.
    pub gained: [u16; 2],
}

/// Which seats are meant, as four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// Whether this seat is meant.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 == 1
    }

    /// The set with or without a seat.
    #[must_use]
    pub const fn set(self, seat: Seat, member: bool) -> Self {
        let bit = 1 << seat.index();
        Self(if member { self.0 | bit } else { self.0 & !bit })
    }

    /// Those of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether no seat is meant.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats that are meant.
    pub fn seats(self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(move |seat| self.contains(*seat))
    }

    /// As four bits, seat 0 lowest.
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The part of the game.
    pub phase: Phase,
    /// The hand that is played, counted from 0 and including hands that were thrown in.
    pub hand_number: u32,
    /// Who shook this hand.
    pub shaker: Seat,
    /// Whose decision it is, while it is somebody's.
    pub turn: Seat,
    /// What each seat holds.
    pub hands: [Hand; 4],
    /// The auction of this hand.
    pub auction: Auction,
    /// What was bid and named, once it is.
    pub contract: Option<Contract>,
    /// How the hand is played, once trumps are named.
    pub terms: Option<Terms>,
    /// The trick on the table.
    pub trick: Trick,
    /// The tricks that are taken, in order; slots beyond the tally are empty.
    pub taken: [Trick; 7],
    /// What each team has taken.
    pub tally: Tally,
    /// How the hand is decided, once it is.
    pub outcome: Option<Outcome>,
    /// The claim that ended the hand, if one did.
    pub claim: Option<Claim>,
    /// The score of the game by team.
    pub score: [u16; 2],
    /// The last hand that was scored.
    pub last_hand: Option<HandResult>,
    /// Seats that have agreed to go on.
    pub agreed: SeatSet,
    /// Seats moved by people.
    pub humans: SeatSet,
}

impl State {
    /// The tricks that are taken, in order.
    pub fn taken(&self) -> &[Trick] {
        &self.taken[..usize::from(self.tally.tricks_played())]
    }

    /// The tricks that are taken and who took them: whoever leads to the next one.
    pub fn taken_by(&self) -> impl Iterator<Item = (&Trick, Seat)> {
        let next = self.taken().iter().skip(1).chain([&self.trick]);
        self.taken().iter().zip(next.map(Trick::leader))
    }

    /// Who has the trick on the table as it lies.
    pub fn trick_winner(&self) -> Option<Seat> {
        self.terms?.trick_winner(&self.trick)
    }

    /// Whether the trick on the table waits to be taken in.
    pub fn is_trick_complete(&self) -> bool {
        self.terms.is_some_and(|terms| terms.is_trick_complete(&self.trick))
    }

    /// Everything that lies or has lain face up in this hand.
    pub fn seen(&self) -> Hand {
        self.taken().iter().fold(self.trick.dominoes(), |seen, trick| seen | trick.dominoes())
    }

    /// Whose decision it is, if it is one seat's alone.
    pub fn to_act(&self) -> Option<Seat> {
        match self.phase {
            Phase::Bidding if self.auction.is_closed() => None,
            Phase::Playing if self.is_trick_complete() => None,
            Phase::Bidding | Phase::TrumpSelection | Phase::Playing => Some(self.turn),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_small() {
        // Up to 128 bytes a copy is a handful of instructions instead of a call.
        assert!(size_of::<State>() <= 128, "{}", size_of::<State>());
    }
}
