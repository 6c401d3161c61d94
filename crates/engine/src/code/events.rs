//! The events of a code of format `b`: what happened, not which of the legal actions it was.
//!
//! The coder predicts events from the phase, the trick on the table, the hands and whose turn it is, but any event can
//! follow any other. A later version can therefore read a code even if it offers other actions in the same place.

use alloc::{vec, vec::Vec};

use texas42_vocab::{Action, ActionKind, Bid, BidKind, Phase, Seat, Trump};

use super::{
    bits::{Bits, EVEN_CHANCE, walk_number},
    legal_events::walk_control,
};
use crate::state::State;

/// The kinds of events by number. A pass is numbered like a bid. New kinds go to the end; at most 16.
const KINDS: [ActionKind; 12] = [
    ActionKind::Bid,
    ActionKind::SelectTrump,
    ActionKind::Play,
    ActionKind::AgreeCompleteTrick,
    ActionKind::CompleteTrick,
    ActionKind::AgreeScoreHand,
    ActionKind::ScoreHand,
    ActionKind::Redeal,
    ActionKind::Claim,
    ActionKind::EndGame,
    ActionKind::Undo,
    ActionKind::SetControl,
];
const KIND_BITS: u32 = 4;
/// The number of declarations a code can represent, including room for future ones.
const MAX_TRUMPS: usize = 16;
/// The kinds of bids by number.
const BID_KINDS: [BidKind; 4] = [BidKind::Points, BidKind::Marks, BidKind::Plunge, BidKind::Splash];
/// The lowest bid in points. Bids of points below it are written as if they were above 255.
const LOWEST_POINTS: u8 = 30;
/// The chance that an event comes from another seat than the one to act.
const OTHER_SEAT_CHANCE: u16 = 1 << 8;
/// The chance of a bid that is not of points, and of a number outside of the usual range.
const UNUSUAL_CHANCE: u16 = 1 << 13;

/// Walks over the events of a game in order.
pub(super) struct Events {
    /// The chance of each bit of the next kind, by phase, length of the trick, and the kind before.
    chances: Vec<u16>,
    last_kind: usize,
    last_seat: Seat,
}

impl Events {
    const TRICK_LENGTHS: usize = 5;

    pub(super) fn new() -> Self {
        let contexts = Phase::ALL.len() * Self::TRICK_LENGTHS * KINDS.len();
        Self { chances: vec![EVEN_CHANCE; contexts << KIND_BITS], last_kind: 0, last_seat: Seat::ALL[3] }
    }

    /// Codes the event at index `at`. When reading, `None` if the code is not an event of this state.
    pub(super) fn walk(
        &mut self,
        bits: &mut impl Bits,
        state: &State,
        at: usize,
        event: Option<Action>,
    ) -> Option<Action> {
        let kind = self.walk_kind(bits, state, event);
        let walked = match *KINDS.get(kind)? {
            ActionKind::Bid | ActionKind::Pass => self.walk_call(bits, state, event),
            ActionKind::SelectTrump => self.walk_trump(bits, state, event)?,
            ActionKind::Play => self.walk_play(bits, state, event)?,
            ActionKind::AgreeCompleteTrick => Action::AgreeCompleteTrick { player: self.walk_seat(bits, state, event) },
            ActionKind::CompleteTrick => Action::CompleteTrick,
            ActionKind::AgreeScoreHand => Action::AgreeScoreHand { player: self.walk_seat(bits, state, event) },
            ActionKind::ScoreHand => Action::ScoreHand,
            ActionKind::Redeal => Action::Redeal,
            ActionKind::Claim => Action::Claim { player: self.walk_seat(bits, state, event) },
            ActionKind::EndGame => Action::EndGame,
            ActionKind::Undo => walk_undo(bits, at, event),
            ActionKind::SetControl => walk_control(bits, event),
        };
        self.last_kind = kind;
        Some(walked)
    }

    fn walk_kind(&mut self, bits: &mut impl Bits, state: &State, event: Option<Action>) -> usize {
        let kind = event.map_or(0, |event| number_of(event.kind()));
        let context = (state.phase as usize * Self::TRICK_LENGTHS + state.trick.len()) * KINDS.len() + self.last_kind;
        let chances = &mut self.chances[context << KIND_BITS..][..1 << KIND_BITS];
        let mut walked = 1;
        for place in (0..KIND_BITS).rev() {
            let chance = &mut chances[walked];
            let bit = bits.bit(kind >> place & 1 == 1, *chance);
            *chance = adapted(*chance, bit);
            walked = walked << 1 | usize::from(bit);
        }
        walked - (1 << KIND_BITS)
    }

    /// The acting seat: usually the one to act, or the one after the seat that acted before.
    fn walk_seat(&mut self, bits: &mut impl Bits, state: &State, event: Option<Action>) -> Seat {
        let expected = state.to_act().unwrap_or_else(|| self.last_seat.left());
        let actual = event.and_then(Action::player).unwrap_or(expected);
        let seat = match bits.bit(actual != expected, OTHER_SEAT_CHANCE) {
            true => Seat::ALL[walk_number(bits, actual.index(), Seat::ALL.len())],
            false => expected,
        };
        self.last_seat = seat;
        seat
    }

    fn walk_call(&mut self, bits: &mut impl Bits, state: &State, event: Option<Action>) -> Action {
        let player = self.walk_seat(bits, state, event);
        if bits.bit(matches!(event, Some(Action::Pass { .. })), EVEN_CHANCE) {
            return Action::Pass { player };
        }
        let bid = if let Some(Action::Bid { bid, .. }) = event { bid } else { Bid::points(LOWEST_POINTS) };
        Action::Bid { player, bid: walk_bid(bits, bid) }
    }

    fn walk_trump(&mut self, bits: &mut impl Bits, state: &State, event: Option<Action>) -> Option<Action> {
        let player = self.walk_seat(bits, state, event);
        let trump = if let Some(Action::SelectTrump { trump, .. }) = event { trump } else { Trump::Blanks };
        let trump = *Trump::ALL.get(walk_number(bits, trump as usize, MAX_TRUMPS))?;
        Some(Action::SelectTrump { player, trump })
    }

    fn walk_play(&mut self, bits: &mut impl Bits, state: &State, event: Option<Action>) -> Option<Action> {
        let player = self.walk_seat(bits, state, event);
        let hand = state.hands[player.index()];
        let played = if let Some(Action::Play { domino, .. }) = event { Some(domino) } else { None };
        let place = hand.into_iter().position(|domino| Some(domino) == played).unwrap_or(0);
        let domino = hand.into_iter().nth(walk_number(bits, place, hand.len().max(1)))?;
        Some(Action::Play { player, domino })
    }
}

fn number_of(kind: ActionKind) -> usize {
    let kind = if kind == ActionKind::Pass { ActionKind::Bid } else { kind };
    KINDS.iter().position(|other| *other == kind).expect("every kind has a number")
}

/// Adapts quickly, because the order of events hardly varies, but keeps a surprise below 8 bits.
fn adapted(chance: u16, bit: bool) -> u16 {
    let adapted = if bit { u16::MAX - (u16::MAX - chance) / 8 } else { chance / 8 };
    adapted.clamp(1 << 8, u16::MAX - (1 << 8))
}

fn walk_undo(bits: &mut impl Bits, at: usize, event: Option<Action>) -> Action {
    let to = if let Some(Action::Undo { to }) = event { to.into() } else { 0 };
    Action::Undo { to: walk_number(bits, to, at.max(1)) as u16 }
}

fn walk_bid(bits: &mut impl Bits, bid: Bid) -> Bid {
    let kind = match bits.bit(bid.kind != BidKind::Points, UNUSUAL_CHANCE) {
        true => BID_KINDS[walk_number(bits, bid.kind as usize, BID_KINDS.len())],
        false => BidKind::Points,
    };
    let (lowest, usual) = if kind == BidKind::Points { (LOWEST_POINTS, 12) } else { (1, 8) };
    let above = bid.value.wrapping_sub(lowest);
    let bound = if bits.bit(above >= usual, UNUSUAL_CHANCE) { 256 } else { usual.into() };
    let above = walk_number(bits, above.into(), bound) as u8;
    Bid { kind, value: lowest.wrapping_add(above) }
}
