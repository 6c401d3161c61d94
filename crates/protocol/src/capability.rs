//! Capabilities: tokens for what a session may do and see. Authorization checks capabilities, never identities.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_vocab::Seat;

/// One thing that a session may do or see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Capability {
    /// Act for a seat.
    ActAsPlayer {
        /// The seat.
        player_index: Seat,
    },
    /// Hand a seat over to a bot, or take it over from one.
    ReplaceAi,
    /// Manage the table: invite, revoke, start a rematch.
    ConfigureVariant,
    /// Request an undo, and agree to one.
    UndoActions,
    /// See the hand of the session's seat.
    ObserveOwnHand,
    /// See the hand of one seat.
    ObserveHand {
        /// The seat.
        player_index: Seat,
    },
    /// See every hand.
    ObserveAllHands,
    /// See the full state of the game, including its log.
    ObserveFullState,
    /// See hints.
    SeeHints,
    /// See the bots' reasons for their actions.
    SeeAiIntent,
}

/// A role at the table. Each role has a standard set of capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A person at a seat.
    Player,
    /// A person at a seat who learns, with hints.
    Student,
    /// A bot at a seat.
    Ai,
    /// A spectator.
    Spectator,
    /// Sees one seat's hand and the hints for it.
    Coach,
    /// Sees and changes everything, for debugging.
    Admin,
}

impl Role {
    /// Whether the role occupies a seat.
    pub const fn is_seated(self) -> bool {
        matches!(self, Self::Player | Self::Student | Self::Ai)
    }

    /// The role's standard set of capabilities. For a coach, `seat` is the student's.
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
    fn a_spectator_has_no_capabilities_by_default() {
        assert!(Role::Spectator.capabilities(None).is_empty());
    }

    #[test]
    fn capabilities_serialize_as_tagged_objects() {
        let json = serde_json::to_value(Role::Ai.capabilities(Seat::new(2))).unwrap();
        assert_eq!(json, serde_json::json!([{"type":"act-as-player","playerIndex":2},{"type":"observe-own-hand"}]));
    }
}
