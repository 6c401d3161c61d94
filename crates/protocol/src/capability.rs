//! Capabilities: tokens for what a session may do and see. Authorization checks capabilities, never identities.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_vocab::Seat;

texas42_vocab::tagged! {
    "Capability": tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase", expecting = "a capability";
    /// One thing that a session may do or see.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Capability {
        /// Act for a seat.
        ActAsPlayer {
            /// The seat.
            player_index: Seat,
        },
        /// Marks the seat of a bot that a person can take. People do not have it: a person who let a bot play takes their own
        /// seat back without it. A bot of the host has it unless it only stands in for somebody who keeps the seat, or a
        /// person plays at a table with known deals, where nobody else may. An invited bot has it unless it joins with
        /// `capabilities` that leave it out; while that bot is away, a person can take its seat.
        ReplaceAi,
        /// Manage the table: change its rules and options between games, invite, revoke, start a rematch, hand the seats of
        /// absent people to bots. While all hosts are absent, another person has it.
        ConfigureVariant,
        /// Request an undo, agree to one, or decline one. While a person without it plays, nothing that needs that person's
        /// consent is undone.
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
        /// See the full state of the game: every hand, the actions offered to every seat, and the log.
        ObserveFullState,
        /// See hints.
        SeeHints,
        /// See the bots' reasons for their actions.
        SeeAiIntent,
    }
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
    /// Sees everything and manages the table, for debugging. Without a seat, it neither plays nor undoes moves.
    Admin,
}

impl Capability {
    /// The seat that a session with these capabilities coaches.
    pub fn coached_seat(capabilities: &[Self]) -> Option<Seat> {
        capabilities.iter().find_map(|capability| match capability {
            Self::ObserveHand { player_index } => Some(*player_index),
            _ => None,
        })
    }
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
            Self::Player => own(&[UndoActions]),
            Self::Student => own(&[UndoActions, SeeHints]),
            Self::Ai => own(&[ReplaceAi]),
            Self::Spectator => Vec::new(),
            Self::Coach => {
                seat.map(|player_index| ObserveHand { player_index }).into_iter().chain([SeeHints]).collect()
            }
            Self::Admin => Vec::from([ConfigureVariant, ObserveAllHands, ObserveFullState, SeeHints, SeeAiIntent]),
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
        let expected = serde_json::json!([
            {"type":"act-as-player","playerIndex":2}, {"type":"observe-own-hand"}, {"type":"replace-ai"},
        ]);
        assert_eq!(json, expected);
    }

    /// Playing, undoing moves and making room for a person need a seat.
    #[test]
    fn roles_without_a_seat_get_only_what_works_without_one() {
        for role in [Role::Spectator, Role::Coach, Role::Admin] {
            let granted = role.capabilities(Seat::new(1));
            let needs_seat = |capability: &Capability| {
                matches!(
                    capability,
                    Capability::ActAsPlayer { .. }
                        | Capability::ObserveOwnHand
                        | Capability::ReplaceAi
                        | Capability::UndoActions
                )
            };
            assert!(!granted.iter().any(needs_seat), "{granted:?}");
        }
    }
}
