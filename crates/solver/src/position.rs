//! A hand in play with all hands open: the input of the solver.
//!
//! Invariant: the hands and the trick are disjoint, and every seat that plays holds as many dominoes as the trick
//! requires, so the search needs no checks.

use arrayvec::ArrayVec;
use texas42_engine::{Goal, HAND_TRICKS, State, Suits, Tally, Terms};
use texas42_vocab::{Domino, Hand, Phase, Seat};

/// A hand in play, all hands open, possibly in mid-trick.
///
/// ```
/// use texas42_engine::{Context, advance};
/// use texas42_solver::Position;
/// use texas42_vocab::{Action, Bid, Trump};
///
/// let ctx = Context::compose(&Default::default()).unwrap();
/// let mut state = ctx.first_state();
/// let player = state.turn;
/// assert!(Position::from_state(&state).is_none(), "nothing is played yet");
/// advance(&ctx, &mut state, Action::Bid { player, bid: Bid::points(30) }).unwrap();
/// for _ in 0..3 {
///     let player = state.turn;
///     advance(&ctx, &mut state, Action::Pass { player }).unwrap();
/// }
/// advance(&ctx, &mut state, Action::SelectTrump { player, trump: Trump::Fives }).unwrap();
/// let position = Position::from_state(&state).unwrap();
/// assert_eq!((position.to_play(), position.legal().len()), (Some(player), 7));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    terms: Terms,
    hands: [Hand; 4],
    leader: Seat,
    turn: Seat,
    trick: ArrayVec<Domino, 4>,
    /// The points of the bidding team so far, or in nello the tricks of the defenders.
    gained: u8,
}

impl Position {
    /// The position of a state in the playing phase; `None` in any other phase.
    pub fn from_state(state: &State) -> Option<Self> {
        let terms = state.terms.filter(|_| state.phase == Phase::Playing)?;
        let trick: ArrayVec<Domino, 4> = state.trick.plays().map(|(_, domino)| domino).collect();
        Self::new(&terms, state.hands, state.trick.leader(), &trick, &state.tally)
    }

    /// A position from its parts, with actual or assumed hands; `None` if the parts are inconsistent. `leader` leads
    /// the trick on the table, and `trick` has its dominoes in order.
    pub fn new(terms: &Terms, hands: [Hand; 4], leader: Seat, trick: &[Domino], tally: &Tally) -> Option<Self> {
        if trick.len() > terms.trick_size() || terms.sits_out == Some(leader) {
            return None;
        }
        let hands = without_sitting_out(terms, hands);
        let gained = gained(terms, tally);
        let start = Self { terms: *terms, hands, leader, turn: leader, trick: ArrayVec::new(), gained };
        let to_come = hands.iter().map(|hand| hand.len()).max().unwrap_or(0);
        if !start.fits(trick) || to_come + usize::from(tally.tricks_played()) > usize::from(HAND_TRICKS) {
            return None;
        }
        Some(trick.iter().fold(start, |position, domino| position.with_play(*domino)))
    }

    /// Whether the hands and the trick are consistent.
    fn fits(&self, trick: &[Domino]) -> bool {
        let on_table: Hand = trick.iter().copied().collect();
        let all = self.hands.iter().fold(on_table, |all, hand| all | *hand);
        let total = self.hands.iter().map(|hand| hand.len()).sum::<usize>() + trick.len();
        let longest = self.hands.iter().map(|hand| hand.len()).max().unwrap_or(0);
        let full = if trick.len() == self.terms.trick_size() { longest + 1 } else { longest };
        let mut seat = self.leader;
        let mut held = true;
        for place in 0..self.terms.trick_size() {
            held &= self.hands[seat.index()].len() + usize::from(place < trick.len()) == full;
            seat = self.terms.next_player(seat);
        }
        held && all.len() == total && full <= Hand::DEALT
    }

    /// The terms of the hand.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The four hands; empty for a seat that sits out.
    pub fn hands(&self) -> [Hand; 4] {
        self.hands
    }

    /// The seat to play; `None` after the last trick.
    pub fn to_play(&self) -> Option<Seat> {
        (!self.hands[self.turn.index()].is_empty()).then_some(self.turn)
    }

    /// The legal plays.
    pub fn legal(&self) -> Hand {
        let called = self.trick.first().map(|lead| self.terms.suits.called(*lead));
        self.terms.suits.playable(self.hands[self.turn.index()], called)
    }

    /// The position after a play; `None` if the play is not legal.
    #[must_use]
    pub fn play(&self, domino: Domino) -> Option<Self> {
        if !self.legal().contains(domino) {
            return None;
        }
        let mut next = self.clone();
        let hand = &mut next.hands[self.turn.index()];
        *hand = hand.without(domino);
        Some(next.with_play(domino))
    }

    /// Adds the domino to the trick and takes a complete trick.
    fn with_play(mut self, domino: Domino) -> Self {
        self.trick.push(domino);
        self.turn = self.terms.next_player(self.turn);
        if self.trick.len() == self.terms.trick_size()
            && let Some((winner, _)) = self.best()
        {
            if self.collects(winner) {
                self.gained += 1 + self.trick.iter().map(|domino| self.count(*domino)).sum::<u8>();
            }
            self.trick.clear();
            (self.leader, self.turn) = (winner, winner);
        }
        self
    }

    /// The seat that is winning the trick, and its domino. The first played of equals wins.
    pub(crate) fn best(&self) -> Option<(Seat, Domino)> {
        let called = self.terms.suits.called(*self.trick.first()?);
        let power = |domino| self.terms.suits.power(called, domino);
        let (mut seat, mut best) = (self.leader, None::<(Seat, Domino)>);
        for domino in &self.trick {
            if best.is_none_or(|(_, other)| power(*domino) > power(other)) {
                best = Some((seat, *domino));
            }
            seat = self.terms.next_player(seat);
        }
        best
    }

    pub(crate) fn trick(&self) -> &[Domino] {
        &self.trick
    }

    pub(crate) fn turn(&self) -> Seat {
        self.turn
    }

    pub(crate) fn gained(&self) -> i32 {
        i32::from(self.gained)
    }

    /// Whether tricks of this seat count on the scale of the search, which the bidding team maximizes.
    pub(crate) fn collects(&self, seat: Seat) -> bool {
        (seat.team() == self.terms.bidder.team()) != (self.terms.goal == Goal::NoTrick)
    }

    /// What a domino adds to a trick on the scale of the search.
    pub(crate) fn count(&self, domino: Domino) -> u8 {
        if self.terms.goal == Goal::NoTrick { 0 } else { domino.count() }
    }

    pub(crate) fn suits(&self) -> Suits {
        self.terms.suits
    }
}

fn without_sitting_out(terms: &Terms, mut hands: [Hand; 4]) -> [Hand; 4] {
    if let Some(seat) = terms.sits_out {
        hands[seat.index()] = Hand::EMPTY;
    }
    hands
}

fn gained(terms: &Terms, tally: &Tally) -> u8 {
    let bidders = terms.bidder.team();
    match terms.goal {
        Goal::NoTrick => tally.tricks[bidders.other().index()],
        Goal::Points(_) | Goal::EveryTrick => tally.points[bidders.index()],
    }
}
