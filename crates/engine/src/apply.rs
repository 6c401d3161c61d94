//! One step of the game: a state and an action give a new state or a refusal.
//!
//! Invariants: [`apply`] accepts exactly what [`legal`] offers. No code here names a contract; it asks the composed
//! rules and the [`Terms`](crate::Terms) of the hand.

use texas42_phrases::Refusal;
use texas42_vocab::{Action, Bid, Deal, Domino, Phase, Seat, Trump};

use crate::{
    claim,
    context::Context,
    legal::legal,
    refusal::why_not,
    state::{Auction, Claim, HandResult, SeatSet, State, Tally, Trick},
    terms::{Contract, Terms},
};

/// Applies an action and returns the new state.
///
/// # Errors
/// Returns the reason if the action is not legal.
///
/// ```
/// # use texas42_engine::{Context, Refusal, apply, legal};
/// # use texas42_vocab::{Action, Bid};
/// let ctx = Context::compose(&Default::default()).unwrap();
/// let state = ctx.first_state();
/// let state = apply(&ctx, &state, Action::Bid { player: state.turn, bid: Bid::points(34) }).unwrap();
/// let too_low = Action::Bid { player: state.turn, bid: Bid::points(33) };
/// assert_eq!(apply(&ctx, &state, too_low), Err(Refusal::BidTooLow { standing: Bid::points(34) }));
/// ```
#[inline]
pub fn apply(ctx: &Context, state: &State, action: Action) -> Result<State, Refusal> {
    let mut next = *state;
    advance(ctx, &mut next, action)?;
    Ok(next)
}

/// Like [`apply`], but in place. A refused action leaves the state unchanged.
///
/// # Errors
/// Same as [`apply`].
pub fn advance(ctx: &Context, state: &mut State, action: Action) -> Result<(), Refusal> {
    if !legal(ctx, state).contains(&action) {
        return Err(why_not(state, action));
    }
    execute(ctx, state, action);
    Ok(())
}

/// Executes an action without checking that it is legal.
pub(crate) fn execute(ctx: &Context, state: &mut State, action: Action) {
    match action {
        Action::Bid { player, bid } => call(ctx, state, player, Some(bid)),
        Action::Pass { player } => call(ctx, state, player, None),
        Action::SelectTrump { player, trump } => select_trump(ctx, state, player, trump),
        Action::Play { player, domino } => play(state, player, domino),
        Action::CompleteTrick => complete_trick(state),
        Action::Claim { player } => claim_rest(state, player),
        Action::AgreeCompleteTrick { player } | Action::AgreeScoreHand { player } => {
            state.agreed = state.agreed.set(player, true);
        }
        Action::ScoreHand | Action::EndGame => score_hand(ctx, state),
        Action::Redeal => next_hand(ctx, state),
        Action::Undo { .. } | Action::SetControl { .. } => unreachable!("not a move, so never offered"),
    }
}

fn call(ctx: &Context, state: &mut State, player: Seat, bid: Option<Bid>) {
    state.auction.call(player, bid);
    state.turn = player.left();
    if !state.auction.is_closed() {
        return;
    }
    if let Some((bidder, bid)) = state.auction.standing() {
        state.turn = ctx.declarer(bidder, bid);
        state.phase = Phase::TrumpSelection;
    }
}

fn select_trump(ctx: &Context, state: &mut State, declarer: Seat, trump: Trump) {
    let (bidder, bid) = state.auction.standing().expect("trumps are named only after a bid");
    let contract = Contract { bidder, bid, declarer, trump };
    let terms = ctx.terms(&contract);
    state.contract = Some(contract);
    state.terms = Some(terms);
    state.phase = Phase::Playing;
    lead(state, &terms, terms.leader);
}

fn lead(state: &mut State, terms: &Terms, leader: Seat) {
    state.trick = Trick::led_by(leader, terms.sits_out);
    state.turn = leader;
}

fn play(state: &mut State, player: Seat, domino: Domino) {
    let terms = terms_of(state);
    let hand = &mut state.hands[player.index()];
    *hand = hand.without(domino);
    state.trick.add(domino);
    state.turn = terms.next_player(player);
}

fn terms_of(state: &State) -> Terms {
    state.terms.expect("a hand in play has terms")
}

fn complete_trick(state: &mut State) {
    let terms = terms_of(state);
    let trick = state.trick;
    let winner = terms.trick_winner(&trick).expect("a complete trick has a winner");
    state.taken[usize::from(state.tally.tricks_played())] = trick;
    state.tally.points[winner.team().index()] += trick.points();
    state.tally.tricks[winner.team().index()] += 1;
    state.agreed = SeatSet::default();
    lead(state, &terms, winner);
    // The first outcome stands: playing on can change only the points.
    state.outcome = state.outcome.or_else(|| terms.outcome(&state.tally));
    if terms.is_hand_over(state.outcome, &state.tally) {
        state.phase = Phase::Scoring;
    }
}

/// Decides a claim. A claim always ends the hand: a correct one gives the claimant's team the rest, a false one costs
/// it the hand.
///
/// Outlined because it is rare and large.
#[cold]
#[inline(never)]
fn claim_rest(state: &mut State, seat: Seat) {
    let claim = Claim { seat, stands: claim::stands(state, seat) };
    let earlier = state.outcome;
    state.outcome = Some(terms_of(state).settle(claim, earlier, &mut state.tally));
    state.claim = Some(claim);
    state.phase = Phase::Scoring;
}

fn score_hand(ctx: &Context, state: &mut State) {
    let terms = terms_of(state);
    let contract = state.contract.expect("a scored hand has a contract");
    let outcome = state.outcome.expect("a scored hand has an outcome");
    let gained = terms.score(outcome, &state.tally);
    for (score, gain) in state.score.iter_mut().zip(gained) {
        *score += gain;
    }
    state.last_hand =
        Some(HandResult { contract, sits_out: terms.sits_out, outcome, points: state.tally.points, gained });
    state.phase = ctx.phase_after_hand(state);
    if state.phase == Phase::Bidding {
        next_hand(ctx, state);
    }
}

/// Deals the next hand. The shake moves one seat clockwise, whether the hand was played or thrown in.
fn next_hand(ctx: &Context, state: &mut State) {
    let hand_number = state.hand_number + 1;
    let opening = State::opening(state.shaker.left(), ctx.deal(hand_number), state.humans);
    *state = State { hand_number, score: state.score, last_hand: state.last_hand, ..opening };
}

impl State {
    /// The state of a freshly dealt hand, with a score of zero.
    pub(crate) fn opening(shaker: Seat, hands: Deal, humans: SeatSet) -> Self {
        let empty_trick = Trick::led_by(Seat::ALL[0], None);
        Self {
            phase: Phase::Bidding,
            hand_number: 0,
            shaker,
            turn: shaker.left(),
            hands,
            auction: Auction::opened_by(shaker.left()),
            contract: None,
            terms: None,
            trick: empty_trick,
            taken: [empty_trick; 7],
            tally: Tally::default(),
            outcome: None,
            claim: None,
            score: [0; 2],
            last_hand: None,
            agreed: SeatSet::default(),
            humans,
        }
    }

    /// A hand in play, built from its parts. Bots use it to construct positions from a view and assumed hidden hands.
    ///
    /// Each of `tricks` is its leader and its dominoes; the last one is the trick on the table. The caller must make
    /// sure that the parts are consistent.
    pub fn in_play(contract: Contract, terms: Terms, hands: Deal, tricks: &[(Seat, &[Domino])], tally: Tally) -> Self {
        let to_trick = |(leader, dominoes): &(Seat, &[Domino])| {
            let mut trick = Trick::led_by(*leader, terms.sits_out);
            dominoes.iter().take(terms.trick_size()).for_each(|domino| trick.add(*domino));
            trick
        };
        let mut state = Self::opening(contract.bidder, hands, SeatSet::default());
        let (on_table, taken) = tricks
            .split_last()
            .map_or((Trick::led_by(terms.leader, terms.sits_out), tricks), |(last, taken)| (to_trick(last), taken));
        for (slot, trick) in state.taken.iter_mut().zip(taken) {
            *slot = to_trick(trick);
        }
        let turn = on_table.plays().fold(on_table.leader(), |seat, _| terms.next_player(seat));
        Self {
            phase: Phase::Playing,
            turn,
            contract: Some(contract),
            terms: Some(terms),
            trick: on_table,
            tally,
            ..state
        }
    }
}
