//! The legal actions as a bit set.
//!
//! A decision belongs to one phase and one seat (except agreements, which any seat may give), so every action that it
//! can offer has a fixed bit in one word. Offering sets a bit, filtering masks, and checking legality tests one bit.
//! Nothing is allocated, and a layer costs next to nothing.

use arrayvec::ArrayVec;
use serde::{Serialize, Serializer};
use texas42_phrases::Hint;
use texas42_vocab::{Action, Bid, BidKind, Domino, Hand, Phase, Seat, Trump};

/// Capacity of [`Annotated`]. The widest decision, an auction with special bids, has 18 choices.
const MAX_OFFERS: usize = 24;

/// The number of mark bids with a bit. An auction ends long before reaching it.
const MARKS: u8 = 8;
/// The lowest point bid.
const LOWEST_POINTS: u8 = 30;
/// The number of point bids, 30 to 41.
const POINT_BIDS: u8 = 12;

// Bits in the auction.
const PASS: u8 = 0;
const POINTS: u8 = 1;
const MARK_BIDS: u8 = POINTS + POINT_BIDS;
const PLUNGES: u8 = MARK_BIDS + MARKS;
const SPLASHES: u8 = PLUNGES + MARKS;
const REDEAL: u8 = SPLASHES + MARKS;
// Bits in play. The dominoes come first, by index.
const CLAIM: u8 = Domino::COUNT as u8;
const COMPLETE: u8 = CLAIM + 1;
const AGREE_TRICK: u8 = COMPLETE + 1;
// Bits when a hand is over.
const SCORE: u8 = 0;
const END: u8 = 1;
const AGREE_SCORE: u8 = 2;

/// The set of legal actions of one decision.
///
/// Get one from [`legal`](crate::legal()) or [`Game::legal`](crate::Game::legal). Layers edit it in
/// [`Rules::offer`](crate::Rules::offer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    phase: Phase,
    player: Seat,
    bits: u64,
}

impl Offers {
    /// An empty set for a decision of `player` in `phase`.
    pub const fn to(player: Seat, phase: Phase) -> Self {
        Self { phase, player, bits: 0 }
    }

    /// Offers an action. Ignores actions that cannot belong to this decision (undo, a bid out of range, another seat's
    /// move).
    #[inline(always)]
    pub fn push(&mut self, action: Action) {
        self.bits |= self.bit(action);
    }

    /// Offers to play each of these dominoes.
    pub fn push_plays(&mut self, dominoes: Hand) {
        debug_assert_eq!(self.phase, Phase::Playing);
        self.bits |= u64::from(dominoes.bits());
    }

    /// Offers the nine trumps of straight 42.
    pub fn push_straight_trumps(&mut self) {
        debug_assert_eq!(self.phase, Phase::TrumpSelection);
        self.bits |= (1 << Trump::STRAIGHT.len()) - 1;
    }

    /// Offers every point bid from `lowest` up to 41.
    pub fn push_points_from(&mut self, lowest: u8) {
        debug_assert_eq!(self.phase, Phase::Bidding);
        let bit = POINTS + lowest.clamp(LOWEST_POINTS, LOWEST_POINTS + POINT_BIDS) - LOWEST_POINTS;
        self.bits |= (1 << MARK_BIDS) - (1 << bit);
    }

    /// Removes an action.
    pub fn remove(&mut self, action: Action) {
        self.bits &= !self.bit(action);
    }

    /// Removes all actions for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(Action) -> bool) {
        let mut kept = *self;
        for action in self.iter().filter(|action| !keep(*action)) {
            kept.remove(action);
        }
        *self = kept;
    }

    /// Makes this action the only one.
    pub fn replace_all(&mut self, action: Action) {
        self.bits = self.bit(action);
    }

    /// Whether an action is offered.
    #[inline(always)]
    pub fn contains(&self, action: &Action) -> bool {
        self.bits & self.bit(*action) != 0
    }

    /// The number of actions.
    pub const fn len(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether no action is offered.
    pub const fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// The actions in a fixed order: pass, bids, dominoes and trumps from low to high, a claim, actions of the table.
    pub fn iter(&self) -> impl Iterator<Item = Action> + Clone + use<> {
        let Self { phase, player, mut bits } = *self;
        core::iter::from_fn(move || {
            let bit = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (bit < u64::BITS).then(|| action_at(phase, bit as u8, player))
        })
    }

    /// The action at this position in the order of [`Offers::iter`].
    pub fn nth(&self, number: usize) -> Option<Action> {
        let bits = (0..number).fold(self.bits, |bits, _| bits & bits.wrapping_sub(1));
        (bits != 0).then(|| action_at(self.phase, bits.trailing_zeros() as u8, self.player))
    }

    /// The claim, if it is offered.
    pub fn claim(&self) -> Option<Action> {
        let claim = Action::Claim { player: self.player };
        self.contains(&claim).then_some(claim)
    }

    /// The mask of an action, or 0 if the action cannot belong to this decision.
    #[inline(always)]
    fn bit(&self, action: Action) -> u64 {
        match bit_index(action) {
            Some((phase, bit)) if phase == self.phase && self.concerns(action) => 1 << bit,
            _ => 0,
        }
    }

    /// Whether an action can belong to this decision: agreements of any seat, actions of the table, and moves of the
    /// deciding seat.
    #[inline(always)]
    const fn concerns(&self, action: Action) -> bool {
        match action {
            Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. } => true,
            _ => match action.player() {
                Some(player) => player.index() == self.player.index(),
                None => true,
            },
        }
    }
}

impl Serialize for Offers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[inline(always)]
const fn bit_index(action: Action) -> Option<(Phase, u8)> {
    Some(match action {
        Action::Play { domino, .. } => (Phase::Playing, domino.index() as u8),
        Action::CompleteTrick => (Phase::Playing, COMPLETE),
        Action::Claim { .. } => (Phase::Playing, CLAIM),
        Action::AgreeCompleteTrick { player } => (Phase::Playing, AGREE_TRICK + player.index() as u8),
        Action::Pass { .. } => (Phase::Bidding, PASS),
        Action::Redeal => (Phase::Bidding, REDEAL),
        Action::Bid { bid, .. } => match bid_bit(bid) {
            Some(bit) => (Phase::Bidding, bit),
            None => return None,
        },
        Action::SelectTrump { trump, .. } => (Phase::TrumpSelection, trump as u8),
        Action::ScoreHand => (Phase::Scoring, SCORE),
        Action::EndGame => (Phase::Scoring, END),
        Action::AgreeScoreHand { player } => (Phase::Scoring, AGREE_SCORE + player.index() as u8),
        Action::Undo { .. } | Action::SetControl { .. } => return None,
    })
}

#[inline(always)]
const fn bid_bit(bid: Bid) -> Option<u8> {
    let (first, lowest, count) = match bid.kind {
        BidKind::Points => (POINTS, LOWEST_POINTS, POINT_BIDS),
        BidKind::Marks => (MARK_BIDS, 1, MARKS),
        BidKind::Plunge => (PLUNGES, 1, MARKS),
        BidKind::Splash => (SPLASHES, 1, MARKS),
    };
    let step = bid.value.wrapping_sub(lowest);
    if step < count { Some(first + step) } else { None }
}

/// The inverse of [`bit_index`].
fn action_at(phase: Phase, bit: u8, player: Seat) -> Action {
    let seat = |first: u8| Seat::ALL[usize::from(bit - first) & 3];
    match (phase, bit) {
        (Phase::Playing, CLAIM) => Action::Claim { player },
        (Phase::Playing, COMPLETE) => Action::CompleteTrick,
        (Phase::Playing, AGREE_TRICK..) => Action::AgreeCompleteTrick { player: seat(AGREE_TRICK) },
        (Phase::Playing, domino) => {
            let domino = Domino::from_index(domino).expect("the bits below the claim are dominoes");
            Action::Play { player, domino }
        }
        (Phase::TrumpSelection, trump) => Action::SelectTrump { player, trump: Trump::ALL[usize::from(trump)] },
        (Phase::Scoring, SCORE) => Action::ScoreHand,
        (Phase::Scoring, END) => Action::EndGame,
        (Phase::Scoring, _) => Action::AgreeScoreHand { player: seat(AGREE_SCORE) },
        (_, PASS) => Action::Pass { player },
        (_, REDEAL) => Action::Redeal,
        (_, bit) => Action::Bid { player, bid: bid_at(bit) },
    }
}

const fn bid_at(bit: u8) -> Bid {
    let (kind, value) = match bit {
        ..MARK_BIDS => (BidKind::Points, bit - POINTS + LOWEST_POINTS),
        MARK_BIDS..PLUNGES => (BidKind::Marks, bit - MARK_BIDS + 1),
        PLUNGES..SPLASHES => (BidKind::Plunge, bit - PLUNGES + 1),
        SPLASHES.. => (BidKind::Splash, bit - SPLASHES + 1),
    };
    Bid { kind, value }
}

/// Who may initiate an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Authority {
    /// The seat that the action names.
    #[default]
    Player,
    /// The table itself. Clients cannot send it.
    System,
}

/// Annotations of an offered action. They never change what the action does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Meta {
    /// The table executes the action automatically, after [`Meta::delay`].
    pub auto_execute: bool,
    /// The delay in milliseconds.
    pub delay: u16,
    /// Why the action is automatic, as a code.
    pub reason: Option<&'static str>,
    /// A hint, for viewers who may see hints.
    pub hint: Option<Hint>,
    /// Who may initiate the action.
    pub authority: Authority,
}

/// An offered action with its annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The action.
    pub action: Action,
    /// The annotations of the layers.
    pub meta: Meta,
}

/// The offered actions with the annotations of the layers.
pub type Annotated = ArrayVec<Offer, MAX_OFFERS>;

/// The only choice of a seat, if it has exactly one. A claim is optional and does not count as a choice.
pub(crate) fn only_choice(offers: &mut [Offer], seat: Seat) -> Option<&mut Offer> {
    let is_choice =
        |offer: &&mut Offer| offer.action.player() == Some(seat) && !matches!(offer.action, Action::Claim { .. });
    let mut choices = offers.iter_mut().filter(is_choice);
    let only = choices.next()?;
    if choices.next().is_some() { None } else { Some(only) }
}

impl From<&Offers> for Annotated {
    fn from(offers: &Offers) -> Self {
        offers.iter().map(|action| Offer { action, meta: Meta::default() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_one_action() {
        let player = Seat::ALL[2];
        let bits_per_phase = [
            (Phase::Bidding, REDEAL + 1),
            (Phase::TrumpSelection, 11),
            (Phase::Playing, AGREE_TRICK + 4),
            (Phase::Scoring, 6),
        ];
        for (phase, number) in bits_per_phase.into_iter().flat_map(|(phase, count)| (0..count).map(move |n| (phase, n)))
        {
            let action = action_at(phase, number, player);
            assert_eq!(bit_index(action), Some((phase, number)), "{action}");
            let mut offers = Offers::to(player, phase);
            offers.push(action);
            assert!(offers.contains(&action) && offers.iter().eq([action]));
            assert_eq!((offers.len(), offers.nth(0), offers.nth(1)), (1, Some(action), None));
        }
    }

    #[test]
    fn ignores_actions_of_other_decisions() {
        let player = Seat::ALL[2];
        let mut offers = Offers::to(player, Phase::Bidding);
        offers.push(Action::Pass { player });
        assert!(!offers.contains(&Action::Pass { player: Seat::ALL[1] }));
        for bid in [Bid::points(29), Bid::points(42), Bid::marks(0), Bid::marks(9)] {
            offers.push(Action::Bid { player, bid });
        }
        offers.push(Action::ScoreHand);
        offers.push(Action::Undo { to: 0 });
        assert_eq!(offers.len(), 1);
    }
}
