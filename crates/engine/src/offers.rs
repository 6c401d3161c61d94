//! What may be done now, as a set of bits.
//!
//! A decision belongs to one part of the game and to one seat (but for agreements, which any seat may give), so every
//! action that can be offered in it has a fixed place in a word. To offer is to set a bit, to filter is to mask, to ask
//! whether an action is legal is to look at one bit: nothing is allocated, and a layer costs next to nothing.

use arrayvec::ArrayVec;
use serde::{Serialize, Serializer};
use texas42_phrases::Hint;
use texas42_vocab::{Action, Bid, BidKind, Domino, Hand, Phase, Seat, Trump};

/// More than any decision offers: the widest auction has 18 choices.
const MOST: usize = 24;

/// The marks that have a place; an auction ends long before them.
const MARKS: u8 = 8;
/// The lowest point bid, and how many there are.
const LOWEST: u8 = 30;
const POINT_BIDS: u8 = 12;

// Places in the auction.
const PASS: u8 = 0;
const POINTS: u8 = 1;
const MARK_BIDS: u8 = POINTS + POINT_BIDS;
const PLUNGES: u8 = MARK_BIDS + MARKS;
const SPLASHES: u8 = PLUNGES + MARKS;
const REDEAL: u8 = SPLASHES + MARKS;
// Places in play; the dominoes come first, by their numbers.
const CLAIM: u8 = Domino::COUNT as u8;
const COMPLETE: u8 = CLAIM + 1;
const AGREE_TRICK: u8 = COMPLETE + 1;
// Places when a hand is over.
const SCORE: u8 = 0;
const END: u8 = 1;
const AGREE_SCORE: u8 = 2;

/// The actions that may be taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    phase: Phase,
    player: Seat,
    bits: u64,
}

impl Offers {
    /// Nothing is offered yet in a decision of this seat.
    pub const fn to(player: Seat, phase: Phase) -> Self {
        Self { phase, player, bits: 0 }
    }

    /// Offers an action. One that has no place here (undo, a bid beyond the ladder, another seat's move) is left out.
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

    /// Offers every point bid from this one up to 41.
    pub fn push_points_from(&mut self, lowest: u8) {
        debug_assert_eq!(self.phase, Phase::Bidding);
        let place = POINTS + lowest.clamp(LOWEST, LOWEST + POINT_BIDS) - LOWEST;
        self.bits |= (1 << MARK_BIDS) - (1 << place);
    }

    /// Takes an action away.
    pub fn remove(&mut self, action: Action) {
        self.bits &= !self.bit(action);
    }

    /// Keeps the actions that pass.
    pub fn retain(&mut self, mut keep: impl FnMut(Action) -> bool) {
        let mut kept = *self;
        for action in self.iter().filter(|action| !keep(*action)) {
            kept.remove(action);
        }
        *self = kept;
    }

    /// Leaves only this action.
    pub fn replace_all(&mut self, action: Action) {
        self.bits = self.bit(action);
    }

    /// Whether an action is offered.
    #[inline(always)]
    pub fn contains(&self, action: &Action) -> bool {
        self.bits & self.bit(*action) != 0
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether nothing can be done.
    pub const fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// The actions in a fixed order: pass, bids, dominoes and trumps from low to high, a claim, what the table does.
    pub fn iter(&self) -> impl Iterator<Item = Action> + Clone + use<> {
        let Self { phase, player, mut bits } = *self;
        core::iter::from_fn(move || {
            let place = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (place < u64::BITS).then(|| action_at(phase, place as u8, player))
        })
    }

    /// The action with this number in the order of [`Offers::iter`].
    pub fn nth(&self, number: usize) -> Option<Action> {
        let bits = (0..number).fold(self.bits, |bits, _| bits & bits.wrapping_sub(1));
        (bits != 0).then(|| action_at(self.phase, bits.trailing_zeros() as u8, self.player))
    }

    /// The claim, where one is offered.
    pub fn claim(&self) -> Option<Action> {
        let claim = Action::Claim { player: self.player };
        self.contains(&claim).then_some(claim)
    }

    /// The set bit of an action, or no bit when it has no place in this decision.
    #[inline(always)]
    fn bit(&self, action: Action) -> u64 {
        match place(action) {
            Some((phase, place)) if phase == self.phase && self.concerns(action) => 1 << place,
            _ => 0,
        }
    }

    /// Agreements are any seat's, and what the table does is nobody's; everything else is the deciding seat's.
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
const fn place(action: Action) -> Option<(Phase, u8)> {
    Some(match action {
        Action::Play { domino, .. } => (Phase::Playing, domino.index() as u8),
        Action::CompleteTrick => (Phase::Playing, COMPLETE),
        Action::Claim { .. } => (Phase::Playing, CLAIM),
        Action::AgreeCompleteTrick { player } => (Phase::Playing, AGREE_TRICK + player.index() as u8),
        Action::Pass { .. } => (Phase::Bidding, PASS),
        Action::Redeal => (Phase::Bidding, REDEAL),
        Action::Bid { bid, .. } => match bid_place(bid) {
            Some(place) => (Phase::Bidding, place),
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
const fn bid_place(bid: Bid) -> Option<u8> {
    let (first, lowest, count) = match bid.kind {
        BidKind::Points => (POINTS, LOWEST, POINT_BIDS),
        BidKind::Marks => (MARK_BIDS, 1, MARKS),
        BidKind::Plunge => (PLUNGES, 1, MARKS),
        BidKind::Splash => (SPLASHES, 1, MARKS),
    };
    let step = bid.value.wrapping_sub(lowest);
    if step < count { Some(first + step) } else { None }
}

/// The inverse of [`place`].
fn action_at(phase: Phase, place: u8, player: Seat) -> Action {
    let seat = |first: u8| Seat::ALL[usize::from(place - first) & 3];
    match (phase, place) {
        (Phase::Playing, CLAIM) => Action::Claim { player },
        (Phase::Playing, COMPLETE) => Action::CompleteTrick,
        (Phase::Playing, AGREE_TRICK..) => Action::AgreeCompleteTrick { player: seat(AGREE_TRICK) },
        (Phase::Playing, domino) => {
            let domino = Domino::from_index(domino).expect("the places below the claim are dominoes");
            Action::Play { player, domino }
        }
        (Phase::TrumpSelection, trump) => Action::SelectTrump { player, trump: Trump::ALL[usize::from(trump)] },
        (Phase::Scoring, SCORE) => Action::ScoreHand,
        (Phase::Scoring, END) => Action::EndGame,
        (Phase::Scoring, _) => Action::AgreeScoreHand { player: seat(AGREE_SCORE) },
        (_, PASS) => Action::Pass { player },
        (_, REDEAL) => Action::Redeal,
        (_, place) => Action::Bid { player, bid: bid_at(place) },
    }
}

const fn bid_at(place: u8) -> Bid {
    let (kind, value) = match place {
        ..MARK_BIDS => (BidKind::Points, place - POINTS + LOWEST),
        MARK_BIDS..PLUNGES => (BidKind::Marks, place - MARK_BIDS + 1),
        PLUNGES..SPLASHES => (BidKind::Plunge, place - PLUNGES + 1),
        SPLASHES.. => (BidKind::Splash, place - SPLASHES + 1),
    };
    Bid { kind, value }
}

/// Who may start an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Authority {
    /// The seat that it names.
    #[default]
    Player,
    /// The table itself: nobody can send it.
    System,
}

/// What is said about an offered action. It never changes what the action does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Meta {
    /// Do it without being asked, after [`Meta::delay`].
    pub auto_execute: bool,
    /// Milliseconds.
    pub delay: u16,
    /// Why it is done without being asked, as a code.
    pub reason: Option<&'static str>,
    /// What a friend would say, for those who may see hints.
    pub hint: Option<Hint>,
    /// Who may start it.
    pub authority: Authority,
}

/// An offered action with what is said about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What may be done.
    pub action: Action,
    /// What is said about it.
    pub meta: Meta,
}

/// The offered actions with what the layers say about them.
pub type Annotated = ArrayVec<Offer, MOST>;

/// The one thing that a seat can do, when there is only one. A claim is a favour that nobody has to ask for: it does not
/// make a forced play a choice.
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
    fn every_place_is_one_action() {
        let player = Seat::ALL[2];
        let places = [
            (Phase::Bidding, REDEAL + 1),
            (Phase::TrumpSelection, 11),
            (Phase::Playing, AGREE_TRICK + 4),
            (Phase::Scoring, 6),
        ];
        for (phase, number) in places.into_iter().flat_map(|(phase, count)| (0..count).map(move |n| (phase, n))) {
            let action = action_at(phase, number, player);
            assert_eq!(place(action), Some((phase, number)), "{action}");
            let mut offers = Offers::to(player, phase);
            offers.push(action);
            assert!(offers.contains(&action) && offers.iter().eq([action]));
            assert_eq!((offers.len(), offers.nth(0), offers.nth(1)), (1, Some(action), None));
        }
    }

    #[test]
    fn what_has_no_place_is_left_out() {
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
