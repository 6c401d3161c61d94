//! Why an action is refused: the one error of [`crate::apply`]. It tells nothing that the acting seat may not know.

use serde::Serialize;
use texas42_vocab::{Action, Bid, Domino, Phase, Seat};

use crate::{
    state::State,
    suits::{DOUBLES, Suit},
};

/// Why an action is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, thiserror::Error)]
#[serde(tag = "rule", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Refusal {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The action belongs to another part of the game.
    #[error("{action} is not possible while the table is at {phase}")]
    WrongPhase {
        /// What was tried.
        action: &'static str,
        /// Where the table is.
        phase: Phase,
    },
    /// Another seat is to act.
    #[error("it is seat {turn}'s turn")]
    NotYourTurn {
        /// Whose turn it is.
        turn: Seat,
    },
    /// Everybody has played; the trick has to be taken in first.
    #[error("the trick is complete and has to be taken in first")]
    TrickComplete,
    /// The trick still waits for dominoes.
    #[error("the trick is not complete yet")]
    TrickIncomplete,
    /// The bid does not beat the standing one.
    #[error("the bid has to beat {standing}")]
    BidTooLow {
        /// What has to be beaten.
        standing: Bid,
    },
    /// The bid is not one that this seat can make now.
    #[error("a bid of {bid} cannot be made here and now")]
    BidNotOffered {
        /// What was tried.
        bid: Bid,
    },
    /// This seat has to bid.
    #[error("this seat may not pass: everybody else has passed, or the rules make it bid")]
    MustBid,
    /// The declaration is not open to this bid at this table.
    #[error("{trump} cannot be named with this bid at this table")]
    TrumpNotOffered {
        /// What was tried.
        trump: texas42_vocab::Trump,
    },
    /// The seat does not hold the domino.
    #[error("seat {player} does not hold {domino}")]
    NotInHand {
        /// Who tried.
        player: Seat,
        /// What.
        domino: Domino,
    },
    /// The seat holds the called suit and has to follow it.
    #[error("{suit} were called and have to be followed", suit = suit_name(*.suit))]
    MustFollow {
        /// The called suit: 0 to 6, or 7 for doubles.
        suit: Suit,
    },
    /// The seat holds something nearer to seven and has to play it.
    #[error("the domino nearest to seven has to be played")]
    MustPlayNearest,
    /// Only the bidder has something to claim here.
    #[error("only the bidder can claim in this contract")]
    OnlyBidderClaims,
    /// The seat has agreed already, or nobody is asked.
    #[error("no agreement of seat {player} is waited for")]
    NoAgreementWanted {
        /// Who tried.
        player: Seat,
    },
    /// People have to agree first.
    #[error("the table waits for everybody to agree")]
    WaitingForAgreement,
    /// It is an event of the table, not a move.
    #[error("{action} is an event of the table, not a move of the game")]
    NotAMove {
        /// What was tried.
        action: &'static str,
    },
    /// A place in the log that does not exist.
    #[error("there are only {events} events to go back over")]
    NoSuchEvent {
        /// How many events there are.
        events: u32,
    },
    /// The seat is controlled so already.
    #[error("seat {player} is controlled like that already")]
    SameControl {
        /// Which seat.
        player: Seat,
    },
    /// The log is as long as a log may be.
    #[error("the game has as many events as a game may have")]
    LogFull,
    /// More claims were taken back than a game of people ever takes back.
    #[error("too many claims have been taken back; play the hand out")]
    TooManyClaims,
    /// The layers of this table do not offer it now.
    #[error("the rules of this table do not offer that now")]
    NotOffered,
}

/// The called suit in the players' words.
pub fn suit_name(suit: Suit) -> &'static str {
    ["blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "doubles"][usize::from(suit.min(DOUBLES))]
}

/// The reason for which an action that is not offered is not offered.
#[cold]
pub(crate) fn why_not(state: &State, action: Action) -> Refusal {
    if !action.is_move() {
        return Refusal::NotAMove { action: action.name() };
    }
    if state.phase.is_over() {
        return Refusal::GameOver;
    }
    if !belongs_to(action, state.phase) {
        return Refusal::WrongPhase { action: action.name(), phase: state.phase };
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

/// Whether somebody could still agree; where agreement is not asked for, the rules of the table say no.
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

/// It is this seat's turn and the right part of the game, and still the action is not offered.
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
        (Some(terms), Some(suit)) if terms.can_follow(hand, suit) => Refusal::MustFollow { suit },
        (Some(terms), _) if !terms.is_valid_play(hand, &state.trick, domino) => Refusal::MustPlayNearest,
        _ => Refusal::NotOffered,
    }
}
