//! Everything that can happen in a game. The log of a game is a list of actions.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bid, Domino, Seat, Trump};

/// Who controls a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// A person.
    Human,
    /// A bot.
    Ai,
}

/// The kind of an action, without its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActionKind {
    /// [`Action::Bid`].
    Bid,
    /// [`Action::Pass`].
    Pass,
    /// [`Action::SelectTrump`].
    SelectTrump,
    /// [`Action::Play`].
    Play,
    /// [`Action::AgreeCompleteTrick`].
    AgreeCompleteTrick,
    /// [`Action::CompleteTrick`].
    CompleteTrick,
    /// [`Action::AgreeScoreHand`].
    AgreeScoreHand,
    /// [`Action::ScoreHand`].
    ScoreHand,
    /// [`Action::Redeal`].
    Redeal,
    /// [`Action::Claim`].
    Claim,
    /// [`Action::EndGame`].
    EndGame,
    /// [`Action::Undo`].
    Undo,
    /// [`Action::SetControl`].
    SetControl,
}

crate::tagged! {
    "Action": tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase", expecting = "an action";
    /// One event of a game. Unknown fields are ignored.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[strum(serialize_all = "kebab-case")]
    pub enum Action {
        /// A seat bids.
        Bid {
            /// Who.
            player: Seat,
            /// What.
            #[serde(flatten)]
            bid: Bid,
        },
        /// A seat passes.
        Pass {
            /// Who.
            player: Seat,
        },
        /// The declarer names trumps.
        SelectTrump {
            /// Who.
            player: Seat,
            /// What.
            trump: Trump,
        },
        /// A seat plays a domino.
        Play {
            /// Who.
            player: Seat,
            /// What.
            domino: Domino,
        },
        /// A seat has seen the trick.
        AgreeCompleteTrick {
            /// Who.
            player: Seat,
        },
        /// The trick is taken in.
        CompleteTrick,
        /// A seat has seen the result of the hand.
        AgreeScoreHand {
            /// Who.
            player: Seat,
        },
        /// The hand is scored, and the next one is dealt or the game is over.
        ScoreHand,
        /// Everybody passed: the next seat shakes.
        Redeal,
        /// A seat lays its hand down and claims the rest.
        Claim {
            /// Who.
            player: Seat,
        },
        /// The only hand of the game is scored.
        EndGame,
        /// The table returns to the state after the first `to` events.
        Undo {
            /// The number of events that stay in effect.
            to: u16,
        },
        /// A seat changes between a person and a bot.
        SetControl {
            /// Which seat.
            player: Seat,
            /// Who moves it from now on.
            control_type: Control,
        },
    }
}

impl Action {
    /// The acting seat, or `None` for actions of the table itself.
    pub const fn player(self) -> Option<Seat> {
        match self {
            Self::Bid { player, .. }
            | Self::Pass { player }
            | Self::SelectTrump { player, .. }
            | Self::Play { player, .. }
            | Self::AgreeCompleteTrick { player }
            | Self::AgreeScoreHand { player }
            | Self::Claim { player }
            | Self::SetControl { player, .. } => Some(player),
            Self::CompleteTrick | Self::ScoreHand | Self::Redeal | Self::EndGame | Self::Undo { .. } => None,
        }
    }

    /// Whether this is a move of the game, as opposed to an event of the table around it (undo, change of control).
    pub const fn is_move(self) -> bool {
        !matches!(self, Self::Undo { .. } | Self::SetControl { .. })
    }

    /// The kind of this action, without its parameters.
    pub const fn kind(self) -> ActionKind {
        match self {
            Self::Bid { .. } => ActionKind::Bid,
            Self::Pass { .. } => ActionKind::Pass,
            Self::SelectTrump { .. } => ActionKind::SelectTrump,
            Self::Play { .. } => ActionKind::Play,
            Self::AgreeCompleteTrick { .. } => ActionKind::AgreeCompleteTrick,
            Self::CompleteTrick => ActionKind::CompleteTrick,
            Self::AgreeScoreHand { .. } => ActionKind::AgreeScoreHand,
            Self::ScoreHand => ActionKind::ScoreHand,
            Self::Redeal => ActionKind::Redeal,
            Self::Claim { .. } => ActionKind::Claim,
            Self::EndGame => ActionKind::EndGame,
            Self::Undo { .. } => ActionKind::Undo,
            Self::SetControl { .. } => ActionKind::SetControl,
        }
    }

    /// The name of this action in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(player) = self.player() {
            write!(f, "{player}: ")?;
        }
        match self {
            Self::Bid { bid, .. } => write!(f, "bid {bid}"),
            Self::SelectTrump { trump, .. } => write!(f, "select-trump {trump}"),
            Self::Play { domino, .. } => write!(f, "play {domino}"),
            Self::Undo { to } => write!(f, "undo to {to}"),
            Self::SetControl { control_type: Control::Human, .. } => f.write_str("set-control human"),
            Self::SetControl { control_type: Control::Ai, .. } => f.write_str("set-control ai"),
            _ => f.write_str(self.name()),
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_tagged_and_flat() {
        let seat = Seat::ALL[1];
        let cases = [
            (Action::Bid { player: seat, bid: Bid::marks(2) }, r#"{"type":"bid","player":1,"bid":"marks","value":2}"#),
            (
                Action::SelectTrump { player: seat, trump: Trump::FollowMe },
                r#"{"type":"select-trump","player":1,"trump":"follow-me"}"#,
            ),
            (Action::CompleteTrick, r#"{"type":"complete-trick"}"#),
            (Action::Undo { to: 7 }, r#"{"type":"undo","to":7}"#),
            (
                Action::SetControl { player: seat, control_type: Control::Ai },
                r#"{"type":"set-control","player":1,"controlType":"ai"}"#,
            ),
        ];
        for (action, json) in cases {
            assert_eq!(serde_json::to_string(&action).unwrap(), json);
            assert_eq!(serde_json::from_str::<Action>(json).unwrap(), action);
        }
    }

    #[test]
    fn fits_in_four_bytes() {
        assert_eq!(size_of::<Action>(), 4);
    }
}
