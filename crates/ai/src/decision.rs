//! The input and output of a bot, and the bots by name.

use alloc::{vec, vec::Vec};
use core::{fmt, str::FromStr};

use serde::Serialize;
use texas42_phrases::Remark;
use texas42_protocol::{BotLevel, GameView};
use texas42_solver::Solver;
use texas42_vocab::{Action, Domino, Seat};

use crate::{
    beginner,
    expert::{Effort, Expert},
    knowledge::Knowledge,
    random::Random,
};

/// A decision that a bot has to make. [`Strategy::decide`] answers it.
#[derive(Clone, Copy, Debug)]
pub struct DecisionPoint<'a> {
    /// What the seat sees.
    pub view: &'a GameView,
    /// The seat to decide for.
    pub seat: Seat,
    /// The seed of all randomness. The same view and seed give the same decision.
    pub seed: u64,
    /// The number of worlds to sample; `None` for the default of the strategy.
    pub worlds: Option<u32>,
}

impl<'a> DecisionPoint<'a> {
    /// A decision with the default number of worlds.
    pub const fn new(view: &'a GameView, seat: Seat, seed: u64) -> Self {
        Self { view, seat, seed, worlds: None }
    }

    /// The legal actions of the seat.
    pub fn valid(&self) -> impl Iterator<Item = Action> + use<'a> {
        let seat = self.seat;
        let actions = self.view.valid_actions.iter().map(|valid| valid.action);
        actions.filter(move |action| action.player() == Some(seat))
    }
}

/// What a bot does, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// The chosen action.
    pub action: Action,
    /// The reasons.
    pub why: Vec<Remark>,
    /// The evaluated choices, best first; empty for bots that do not evaluate choices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// An evaluated action.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The action.
    pub action: Action,
    /// The chance that the hand ends well for the seat's team: the contract is made, or set.
    pub chance: f64,
    /// The expected marks, weighted by what they are worth at this score; with points scoring, in units of 40 points.
    pub marks: f64,
}

impl Decision {
    /// A decision without evaluated choices.
    pub(crate) fn plain(action: Action, why: Remark) -> Self {
        Self { action, why: vec![why], choices: Vec::new() }
    }
}

/// A bot, by strength.
///
/// A strategy is stateless: [`Strategy::decide`] is a pure function of the [`DecisionPoint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// Plays a random legal action, but never claims.
    Random,
    /// Plays by rules of thumb, with occasional mistakes.
    Beginner,
    /// Samples a few deals that are consistent with its view.
    Intermediate,
    /// Samples hundreds of deals, or enumerates them if there are few.
    Sampler,
    /// Like the sampler, but also plays out choices that look about equal.
    Expert,
}

impl Strategy {
    /// The bots that play at tables, weakest first. The sampler exists only as a baseline.
    pub const ALL: [Self; 4] = [Self::Random, Self::Beginner, Self::Intermediate, Self::Expert];

    /// All bots that can be selected by name.
    fn named() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain([Self::Sampler])
    }

    /// The name, as on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Beginner => "beginner",
            Self::Intermediate => "intermediate",
            Self::Sampler => "sampler",
            Self::Expert => "expert",
        }
    }

    /// The decision of this bot; `None` if the seat has no legal action.
    pub fn decide(self, point: &DecisionPoint<'_>) -> Option<Decision> {
        let valid: Vec<Action> = point.valid().collect();
        let [first, rest @ ..] = &valid[..] else { return None };
        if rest.is_empty() {
            return Some(Decision::plain(*first, Remark::NothingElse));
        }
        let mut random = Random::new(point.seed);
        if self == Self::Random {
            return Some(at_random(&valid, &mut random));
        }
        let knowledge = Knowledge::new(point.view, point.seat)?;
        let decision = match self.effort() {
            None => beginner::decide(&knowledge, &valid, &mut random),
            Some(effort) => {
                let effort = point.worlds.map_or(effort, |worlds| effort.with_worlds(worlds));
                Expert::new(&knowledge, effort, point.seed, &mut Solver::new()).decide(&valid)
            }
        };
        Some(decision.unwrap_or_else(|| Decision::plain(*first, Remark::Something)))
    }

    /// The search effort; `None` for bots that do not search.
    pub const fn effort(self) -> Option<Effort> {
        match self {
            Self::Random | Self::Beginner => None,
            Self::Intermediate => Some(Effort::INTERMEDIATE),
            Self::Sampler => Some(Effort::SAMPLER),
            Self::Expert => Some(Effort::EXPERT),
        }
    }
}

impl From<BotLevel> for Strategy {
    fn from(level: BotLevel) -> Self {
        match level {
            BotLevel::Random => Self::Random,
            BotLevel::Beginner => Self::Beginner,
            BotLevel::Intermediate => Self::Intermediate,
            BotLevel::Expert => Self::Expert,
        }
    }
}

/// The domino of a play, or `None` for other actions.
pub(crate) fn played(action: Action) -> Option<Domino> {
    match action {
        Action::Play { domino, .. } => Some(domino),
        _ => None,
    }
}

/// A random action. Excludes claims, because a false claim costs the hand.
fn at_random(valid: &[Action], random: &mut Random) -> Decision {
    let sane: Vec<Action> = valid.iter().copied().filter(|action| !matches!(action, Action::Claim { .. })).collect();
    let action = random.pick(&sane).unwrap_or(valid[0]);
    Decision::plain(action, Remark::ShotInTheDark)
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no strategy with this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownStrategy;

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Strategy::named().map(Strategy::name).collect();
        write!(f, "there is no such player; the players are {}", names.join(", "))
    }
}

impl core::error::Error for UnknownStrategy {}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Self::named().find(|strategy| strategy.name() == name).ok_or(UnknownStrategy)
    }
}
