//! Why the rules refuse a move. A refusal reveals nothing that is hidden from the acting seat.

use core::fmt;

use serde::{Deserialize, Serialize};
use texas42_vocab::{ActionKind, Bid, Domino, Phase, Seat, SuitName, Trump};

use crate::Language;

/// Why an action is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "rule", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Refusal {
    /// The game is over.
    GameOver,
    /// The action belongs to another part of the game.
    WrongPhase {
        /// What was tried.
        action: ActionKind,
        /// Where the table is.
        phase: Phase,
    },
    /// Another seat is to act.
    NotYourTurn {
        /// Whose turn it is.
        turn: Seat,
    },
    /// Every seat has played; the trick must be completed first.
    TrickComplete,
    /// The trick is not complete yet.
    TrickIncomplete,
    /// The bid does not beat the standing one.
    BidTooLow {
        /// What has to be beaten.
        standing: Bid,
    },
    /// The bid is not one that this seat can make now.
    BidNotOffered {
        /// What was tried.
        bid: Bid,
    },
    /// This seat has to bid.
    MustBid,
    /// The declaration is not open to this bid at this table.
    TrumpNotOffered {
        /// What was tried.
        trump: Trump,
    },
    /// The seat does not hold the domino.
    NotInHand {
        /// Who tried.
        player: Seat,
        /// What.
        domino: Domino,
    },
    /// The seat holds the called suit and has to follow it.
    MustFollow {
        /// The called suit.
        suit: SuitName,
    },
    /// The seat holds something nearer to seven and has to play it.
    MustPlayNearest,
    /// Only the bidder has something to claim here.
    OnlyBidderClaims,
    /// The seat has already agreed, or no agreement is needed.
    NoAgreementWanted {
        /// Who tried.
        player: Seat,
    },
    /// People have to agree first.
    WaitingForAgreement,
    /// It is an event of the table, not a move.
    NotAMove {
        /// What was tried.
        action: ActionKind,
    },
    /// The log has no such position.
    NoSuchEvent {
        /// How many events there are.
        events: u32,
    },
    /// The seat is already controlled that way.
    SameControl {
        /// Which seat.
        player: Seat,
    },
    /// The log has reached its maximum length.
    LogFull,
    /// Too many claims were undone.
    TooManyClaims,
    /// The layers of this table do not offer it now.
    NotOffered,
}

/// Formats the reason in English, for logs. Clients render it in the reader's language.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Language::English.words().refusal(*self))
    }
}

impl core::error::Error for Refusal {}
