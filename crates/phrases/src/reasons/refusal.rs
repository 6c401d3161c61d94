//! Why the rules refuse a move. A refusal reveals nothing that is hidden from the acting seat.

use core::fmt;

use texas42_vocab::{ActionKind, Bid, Domino, Phase, Seat, SuitName, Trump};

use super::tagged::tagged;
use crate::Language;

tagged! {
    tag = "rule";

    /// Why an action is not accepted.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Refusal {
        /// The game is over.
        GameOver,
        /// The action is not possible in the current phase.
        WrongPhase {
            /// The refused action.
            action: ActionKind,
            /// The current phase.
            phase: Phase,
        },
        /// Another seat is to act.
        NotYourTurn {
            /// The seat whose turn it is.
            turn: Seat,
        },
        /// Every seat has played; the trick must be completed first.
        TrickComplete,
        /// The trick is not complete yet.
        TrickIncomplete,
        /// The bid does not beat the highest bid.
        BidTooLow {
            /// The highest bid.
            standing: Bid,
        },
        /// This seat cannot make the bid now.
        BidNotOffered {
            /// The refused bid.
            bid: Bid,
        },
        /// This seat has to bid.
        MustBid,
        /// The declaration is not possible with this bid at this table.
        TrumpNotOffered {
            /// The refused declaration.
            trump: Trump,
        },
        /// The seat does not hold the domino.
        NotInHand {
            /// The acting seat.
            player: Seat,
            /// The domino.
            domino: Domino,
        },
        /// The seat holds the called suit and has to follow it.
        MustFollow {
            /// The called suit.
            suit: SuitName,
        },
        /// The seat holds something nearer to seven and has to play it.
        MustPlayNearest,
        /// Only the bidder can claim in this contract.
        OnlyBidderClaims,
        /// The seat has already agreed, or no agreement is needed.
        NoAgreementWanted {
            /// The acting seat.
            player: Seat,
        },
        /// People have to agree first.
        WaitingForAgreement,
        /// It is an event of the table, not a move.
        NotAMove {
            /// The refused action.
            action: ActionKind,
        },
        /// The log has no such position.
        NoSuchEvent {
            /// The number of events.
            events: u32,
        },
        /// The seat is already controlled that way.
        SameControl {
            /// The seat.
            player: Seat,
        },
        /// The log has reached its maximum length.
        LogFull,
        /// Too many claims were undone.
        TooManyClaims,
        /// The layers of this table do not offer it now.
        NotOffered,
    }
}

/// Formats the reason in English, for logs. Clients render it in the reader's language.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Language::English.words().refusal(*self))
    }
}

impl core::error::Error for Refusal {}
