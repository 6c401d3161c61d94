//! Capabilities: tokens that say what a session may do and see. Nothing is decided by who somebody is.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_vocab::Seat;

/// One thing that a session may do or see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Capability {
    /// Move a seat.
    ActAsPlayer {
        /// Which.
        player_index: Seat,
    },
    /// Put a program on a seat, or take its place.
    ReplaceAi,
    /// Change the table: invite, revoke, play again.
    ConfigureVariant,
    /// Ask to take back, and agree to it.
    UndoActions,
    /// See the hand of the own seat.
    ObserveOwnHand,
    /// See the hand of one seat.
    ObserveHand {
        /// Which.
        player_index: Seat,
    },
    /// See every hand.
    ObserveAllHands,
    /// See everything that the table knows about the game, its log included.
    ObserveFullState,
    /// See hints.
    SeeHints,
    /// See what programs have in mind.
    SeeAiIntent,
}

/// What somebody comes to the table as. Each role stands for a standard set of capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A person on a seat.
    Player,
    /// A person on a seat who learns, with hints.
    Student,
    /// A program on a seat.
    Ai,
    /// Somebody who watches.
    Spectator,
    /// Somebody who sees one seat's hand and the hints for it.
    Coach,
    /// Somebody who may see and change everything, to find a fault.
    Admin,
}

impl Role {
    /// Whether the role sits at the table.
    pub const fn is_seated(self) -> bool {
        matches!(self, Self::Player | Self::Student | Self::Ai)
    }

    /// The standard set of the role. A coach's seat is the student's.
    pub fn capabilities(self, seat: Option<Seat>) -> Vec<Capability> {
        use Capability::{
            ActAsPlayer, ConfigureVariant, ObserveAllHands, ObserveFullState, ObserveHand, ObserveOwnHand, ReplaceAi,
            SeeAiIntent, SeeHints, UndoActions,
        };
        let act = seat.map(|player_index| ActAsPlayer { player_index });
        let own = |more: &[Capability]| act.into_iter().chain([ObserveOwnHand]).chain(more.iter().copied()).collect();
        match self {
            Self::Player => own(&[ReplaceAi, UndoActions]),
            Self::Student => own(&[ReplaceAi, UndoActions, SeeHints]),
            Self::Ai => own(&[]),
            Self::Spectator => Vec::new(),
            Self::Coach => {
                seat.map(|player_index| ObserveHand { player_index }).into_iter().chain([SeeHints]).collect()
            }
            Self::Admin => Vec::from([
                ReplaceAi,
                ConfigureVariant,
                UndoActions,
                ObserveAllHands,
                ObserveFullState,
                SeeHints,
                SeeAiIntent,
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_spectator_sees_no_hand_and_does_nothing() {
        assert!(Role::Spectator.capabilities(None).is_empty());
    }

    #[test]
    fn capabilities_are_tagged_as_in_the_message_flows() {
        let json = serde_json::to_value(Role::Ai.capabilities(Seat::new(2))).unwrap();
        assert_eq!(json, serde_json::json!([{"type":"act-as-player","playerIndex":2},{"type":"observe-own-hand"}]));
    }
}
