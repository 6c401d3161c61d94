//! The state of a game: a small `Copy` value, always derived from the log and never stored.
//!
//! Invariants: each of the 28 dominoes is in exactly one of the four hands, the taken tricks or the trick on the table.
//! Unused slots keep their default, so that equivalent states are equal.

use texas42_vocab::{Bid, Domino, Hand, Phase, Seat};

use crate::terms::{Contract, Outcome, Terms};

/// The auction of one hand. Each seat calls once: a bid or a pass.
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

    /// The calls so far, in order. `None` is a pass.
    pub fn calls(&self) -> impl Iterator<Item = (Seat, Option<Bid>)> {
        self.first.round().zip(self.calls).take(self.len())
    }

    /// The number of calls so far.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether no seat has called yet.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all four seats have called.
    pub const fn is_closed(&self) -> bool {
        self.len == 4
    }

    /// The highest bid so far and who made it.
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
/// The winner follows from the [`Terms`] of the hand and is not stored. A trick takes five bytes, because a state has
/// eight of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trick {
    dominoes: [Domino; 4],
    /// From the lowest bit: two bits for the leader, three for the seat that sits out (4 is none), three for the
    /// length.
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

    /// The seat that led, or is to lead.
    pub const fn leader(&self) -> Seat {
        Seat::ALL[(self.packed & 3) as usize]
    }

    /// The number of dominoes played.
    pub const fn len(&self) -> usize {
        (self.packed >> 5) as usize
    }

    /// Whether nothing has been played yet.
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

    /// The dominoes played, as a set.
    pub fn dominoes(&self) -> Hand {
        self.dominoes[..self.len()].iter().copied().collect()
    }

    /// The points of the trick: one, plus its count.
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
    /// Points by team: one per trick, plus count.
    pub points: [u8; 2],
    /// Tricks by team.
    pub tricks: [u8; 2],
}

impl Tally {
    /// The number of tricks taken by both teams.
    pub const fn tricks_played(&self) -> u8 {
        self.tricks[0] + self.tricks[1]
    }
}

/// A decided claim of the remaining tricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The claimant, whose hand is shown.
    pub seat: Seat,
    /// Whether the claim is correct.
    pub stands: bool,
}

/// The result of a scored hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HandResult {
    /// The contract.
    pub contract: Contract,
    /// The seat that sat out, if any.
    pub sits_out: Option<Seat>,
    /// How it ended.
    pub outcome: Outcome,
    /// The points that each team took.
    pub points: [u8; 2],
    /// What each team scored, in marks or points.
    pub gained: [u16; 2],
}

/// A set of seats, as four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// Whether the seat is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 == 1
    }

    /// The set with the seat added (`member`) or removed.
    #[must_use]
    pub const fn set(self, seat: Seat, member: bool) -> Self {
        let bit = 1 << seat.index();
        Self(if member { self.0 | bit } else { self.0 & !bit })
    }

    /// The seats of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats of the set, in order.
    pub fn seats(self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(move |seat| self.contains(*seat))
    }

    /// The set as four bits, seat 0 lowest.
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// The state of a game, with every hand visible.
///
/// A `State` follows from a [`Context`](crate::Context) and a log; get one from [`Game::state`](crate::Game::state) or
/// [`Context::first_state`](crate::Context::first_state), and the next one from [`apply`](crate::apply()). It
/// implements no serde traits on purpose: hosts store configuration and log, and send each viewer a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The phase of the game.
    pub phase: Phase,
    /// The number of this hand, counted from 0 and including hands that were thrown in.
    pub hand_number: u32,
    /// The shaker (dealer) of this hand.
    pub shaker: Seat,
    /// The seat to act. Meaningful only while [`State::to_act`] is `Some`.
    pub turn: Seat,
    /// What each seat holds.
    pub hands: [Hand; 4],
    /// The auction of this hand.
    pub auction: Auction,
    /// The contract, once trumps are named.
    pub contract: Option<Contract>,
    /// How the hand is played, once trumps are named.
    pub terms: Option<Terms>,
    /// The trick on the table.
    pub trick: Trick,
    /// The taken tricks, in order. Slots beyond the tally are empty; [`State::taken()`] omits them.
    pub taken: [Trick; 7],
    /// What each team has taken in this hand.
    pub tally: Tally,
    /// The outcome of the hand, once it is decided.
    pub outcome: Option<Outcome>,
    /// The claim that ended the hand, if one did.
    pub claim: Option<Claim>,
    /// The score of the game, by team.
    pub score: [u16; 2],
    /// The result of the last scored hand.
    pub last_hand: Option<HandResult>,
    /// The seats that have agreed to go on.
    pub agreed: SeatSet,
    /// The seats controlled by people.
    pub humans: SeatSet,
}

impl State {
    /// The taken tricks, in order.
    pub fn taken(&self) -> &[Trick] {
        &self.taken[..usize::from(self.tally.tricks_played())]
    }

    /// The taken tricks and who took them. The seat that takes a trick leads the next one.
    pub fn taken_by(&self) -> impl Iterator<Item = (&Trick, Seat)> {
        let next = self.taken().iter().skip(1).chain([&self.trick]);
        self.taken().iter().zip(next.map(Trick::leader))
    }

    /// The seat that is winning the trick on the table.
    pub fn trick_winner(&self) -> Option<Seat> {
        self.terms?.trick_winner(&self.trick)
    }

    /// Whether every seat has played to the trick on the table.
    pub fn is_trick_complete(&self) -> bool {
        self.terms.is_some_and(|terms| terms.is_trick_complete(&self.trick))
    }

    /// Every domino that has been played in this hand.
    pub fn seen(&self) -> Hand {
        self.taken().iter().fold(self.trick.dominoes(), |seen, trick| seen | trick.dominoes())
    }

    /// The seat whose decision it is, or `None` if the table or several seats act next.
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
    fn a_state_fits_in_128_bytes() {
        // Copies of up to 128 bytes compile to a few instructions instead of a call.
        assert!(size_of::<State>() <= 128, "{}", size_of::<State>());
    }

    #[test]
    fn a_seat_is_in_a_set_once_however_often_it_is_added_or_removed() {
        let [one, two] = [Seat::ALL[1], Seat::ALL[2]];
        let both = SeatSet::default().set(one, true).set(two, true).set(one, true);
        assert!(both.seats().eq([one, two]));
        assert!(both.set(one, false).set(one, false).seats().eq([two]));
        assert!(both.without(both).is_empty() && !both.contains(Seat::ALL[0]));
    }
}
