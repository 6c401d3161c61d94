//! What an expert thinks of an action, for sessions that may see hints.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_phrases::Remark;
use texas42_vocab::Action;

/// An expert's opinion of one valid action, computed by the host from what the seat to act may see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionHint {
    /// The action.
    pub action: Action,
    /// Whether the expert would choose it. True for exactly one action.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub recommended: bool,
    /// The chance that the hand ends well for the seat's team, in thousandths, if evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<u16>,
    /// The expected marks in thousandths, weighted by what they are worth at this score, if evaluated. With points
    /// scoring, a mark stands for 40 points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_marks: Option<i32>,
    /// The reasons.
    pub reasons: Vec<Remark>,
}
