//! Reasons as data: why a move is refused, hints about a choice, how a hand ended, what is wrong with a request.
//!
//! Each reason is a code with parameters. It is sent as data, and the client turns it into a sentence in the reader's
//! language ([`crate::Words`]). No code parses such a sentence.

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;
use texas42_vocab::read_value;

use crate::Language;

mod hint;
mod outcome;
mod problem;
mod refusal;
mod remark;
mod tagged;

pub use hint::Hint;
pub use outcome::OutcomeReason;
pub use problem::Problem;
pub use refusal::Refusal;
pub use remark::{Chance, Dominoes, Gain, Neighbor, Neighbors, Remark};

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Reason {
    /// The rules of the game do not allow the move. Written with the field `rule`.
    Rule(Refusal),
    /// Something else is wrong with the request. Written with the field `code`.
    Request(Problem),
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let reason = match value.get("rule") {
            Some(_) => read_value(value).map(Self::Rule),
            None => read_value(value).map(Self::Request),
        };
        reason.map_err(D::Error::custom)
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        Self::Rule(refusal)
    }
}

impl From<Problem> for Reason {
    fn from(problem: Problem) -> Self {
        Self::Request(problem)
    }
}

/// Formats the reason in English, for logs. Clients render it in the reader's language.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Language::English.words().reason(self))
    }
}
