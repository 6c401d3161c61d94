//! Finds out why an action is refused. A refusal reveals nothing that is hidden from the acting seat.

use texas42_phrases::Refusal;
use texas42_vocab::{Action, Domino, Phase, Seat, SuitName};

use crate::{
    state::State,
    suits::{DOUBLES, Suit},
};

/// The name of a suit.
pub fn suit_name(suit: Suit) -> SuitName {
    SuitName::ALL[usize::from(suit.min(DOUBLES))]
}

/// The reason why an action is not legal. Call it only for actions that are not offered.
#[cold]
pub(crate) fn why_not(state: &State, action: Action) -> Refusal {
    if !action.is_move() {
        return Refusal::NotAMove { action: action.kind() };
    }
    if state.phase.is_over() {
        return Refusal::GameOver;
    }
    if !belongs_to(action, state.phase) {
        return Refusal::WrongPhase { action: action.kind(), phase: state.phase };
    }
    match (action, state.to_act()) {
        (Action::AgreeCompleteTrick { .. }, Some(_)) => Refusal::TrickIncomplete,
        (Action::AgreeCompleteTrick { player } | Action::AgreeScoreHand { player }, _) => {
            Refusal::NoAgreementWanted { player }
        }
        (Action::CompleteTrick, Some(_)) => Refusal::TrickIncomplete,
        (Action::CompleteTrick | Action::ScoreHand | Action::EndGame, None) if is_waiting(state) => {
            Refusal::WaitingForAgreement
        }
        (Action::Play { .. } | Action::Claim { .. }, None) => Refusal::TrickComplete,
        (action, Some(turn)) if action.player().is_some_and(|player| player != turn) => Refusal::NotYourTurn { turn },
        (action, _) => why_not_now(state, action),
    }
}

/// Whether a person has not agreed yet.
fn is_waiting(state: &State) -> bool {
    !state.humans.without(state.agreed).is_empty()
}

const fn belongs_to(action: Action, phase: Phase) -> bool {
    match action {
        Action::Bid { .. } | Action::Pass { .. } | Action::Redeal => matches!(phase, Phase::Bidding),
        Action::SelectTrump { .. } => matches!(phase, Phase::TrumpSelection),
        Action::Play { .. } | Action::Claim { .. } | Action::CompleteTrick | Action::AgreeCompleteTrick { .. } => {
            matches!(phase, Phase::Playing)
        }
        Action::ScoreHand | Action::EndGame | Action::AgreeScoreHand { .. } => matches!(phase, Phase::Scoring),
        Action::Undo { .. } | Action::SetControl { .. } => false,
    }
}

/// The reason when turn and phase are right.
fn why_not_now(state: &State, action: Action) -> Refusal {
    match action {
        Action::Pass { .. } => Refusal::MustBid,
        Action::Bid { bid, .. } => match state.auction.standing() {
            Some((_, standing)) if bid.worth() <= standing.worth() => Refusal::BidTooLow { standing },
            _ => Refusal::BidNotOffered { bid },
        },
        Action::SelectTrump { trump, .. } => Refusal::TrumpNotOffered { trump },
        Action::Play { player, domino } => why_not_play(state, player, domino),
        Action::Claim { .. } => Refusal::OnlyBidderClaims,
        _ => Refusal::NotOffered,
    }
}

fn why_not_play(state: &State, player: Seat, domino: Domino) -> Refusal {
    let hand = state.hands[player.index()];
    match (state.terms, state.terms.and_then(|terms| terms.called(&state.trick))) {
        _ if !hand.contains(domino) => Refusal::NotInHand { player, domino },
        (Some(terms), Some(suit)) if terms.can_follow(hand, suit) => Refusal::MustFollow { suit: suit_name(suit) },
        (Some(terms), _) if !terms.is_valid_play(hand, &state.trick, domino) => Refusal::MustPlayNearest,
        _ => Refusal::NotOffered,
    }
}
