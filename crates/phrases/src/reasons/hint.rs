//! Hints about a choice, for players who turned hints on.

use serde::{Deserialize, Serialize};

/// A hint about a choice, based only on the seat's own dominoes and the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Hint {
    /// It is the only choice.
    OnlyChoice,
    /// No unseen domino can beat it.
    CannotBeBeaten,
    /// It beats the trick on the table.
    BeatsTheTable,
    /// The partner has the trick so far, and it carries count.
    CountToPartner,
    /// It cannot win this trick and gives away count.
    GivesCountAway,
    /// It cannot win this trick and costs nothing.
    Safe,
    /// The seat holds this many of the suit, with its double or without.
    SuitLength {
        /// How many.
        held: u8,
        /// Whether the double is one of them.
        with_double: bool,
    },
    /// This many tricks look certain with the best trumps.
    SureTricks {
        /// How many.
        tricks: u8,
    },
    /// The rest is this seat's in every layout.
    RestIsYours,
    /// The rest is not certain.
    RestIsOpen,
}
