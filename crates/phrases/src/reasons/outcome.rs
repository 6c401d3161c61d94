//! What decided a hand.

use serde::{Deserialize, Serialize};

/// What decided a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeReason {
    /// The bidders have the points they bid.
    BidReached,
    /// The bidders can no longer get the points they bid.
    BidOutOfReach,
    /// The bidders lost a trick where they needed them all.
    TrickLost,
    /// The bidder took a trick where none was allowed.
    TrickTaken,
    /// The last trick was played, and the contract is made.
    PlayedOut,
    /// A claim of the rest was correct.
    ClaimStood,
    /// A claim of the rest was false.
    ClaimFailed,
}
