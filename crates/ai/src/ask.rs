//! The question that a player is asked, its answer, and the players by name.

use alloc::{vec, vec::Vec};
use core::{fmt, str::FromStr};

use serde::Serialize;
use texas42_phrases::Remark;
use texas42_protocol::GameView;
use texas42_solver::Solver;
use texas42_vocab::{Action, Domino, Seat};

use crate::{
    beginner,
    mind::{Effort, Mind},
    random::Random,
    sight::Sight,
};

/// A decision that is due.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// What the seat sees.
    pub view: &'a GameView,
    /// Whose decision it is.
    pub seat: Seat,
    /// Where chance comes from. The same question with the same seed has the same answer.
    pub seed: u64,
    /// How many worlds to look at; without it, as many as the strategy usually does.
    pub worlds: Option<u32>,
}

impl<'a> Ask<'a> {
    /// A question with the usual effort.
    pub const fn new(view: &'a GameView, seat: Seat, seed: u64) -> Self {
        Self { view, seat, seed, worlds: None }
    }

    /// What the seat may do now.
    pub fn valid(&self) -> impl Iterator<Item = Action> + use<'a> {
        let seat = self.seat;
        let actions = self.view.valid_actions.iter().map(|valid| valid.action);
        actions.filter(move |action| action.player() == Some(seat))
    }
}

/// What a player does, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// What it does.
    pub action: Action,
    /// Why, in parts.
    pub why: Vec<Remark>,
    /// What it thinks of each thing it could do, the best first; empty for players who do not weigh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// Something that could be done, weighed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// What.
    pub action: Action,
    /// The chance that the hand ends well for the seat's side: the contract is made, or set.
    pub chance: f64,
    /// The marks that it brings on average, as they count at this score; in the older game hands of 40 points.
    pub marks: f64,
}

impl Decision {
    /// A decision that was not weighed.
    pub(crate) fn plain(action: Action, why: Remark) -> Self {
        Self { action, why: vec![why], choices: Vec::new() }
    }
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// Anything that is allowed.
    Random,
    /// Rules of thumb, and now and then a slip.
    Beginner,
    /// Looks at a few deals that fit to what it sees.
    Intermediate,
    /// Looks at hundreds of them, and at all when they are few.
    Sampler,
    /// The same, and plays out what looks about equal.
    Expert,
}

impl Strategy {
    /// Everybody who sits at tables, the weakest first. The sampler is only there to be measured against.
    pub const ALL: [Self; 4] = [Self::Random, Self::Beginner, Self::Intermediate, Self::Expert];

    /// Everybody who can be called by name.
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

    /// What it does; none when the seat has nothing to decide.
    pub fn decide(self, ask: &Ask<'_>) -> Option<Decision> {
        let valid: Vec<Action> = ask.valid().collect();
        let [first, rest @ ..] = &valid[..] else { return None };
        if rest.is_empty() {
            return Some(Decision::plain(*first, Remark::NothingElse));
        }
        let mut random = Random::new(ask.seed);
        if self == Self::Random {
            return Some(at_random(&valid, &mut random));
        }
        let sight = Sight::new(ask.view, ask.seat)?;
        let decision = match self.effort() {
            None => beginner::decide(&sight, &valid, &mut random),
            Some(effort) => {
                let effort = ask.worlds.map_or(effort, |worlds| effort.with_worlds(worlds));
                Mind::new(&sight, effort, ask.seed, &mut Solver::new()).decide(&valid)
            }
        };
        Some(decision.unwrap_or_else(|| Decision::plain(*first, Remark::Something)))
    }

    /// How much it thinks, if it does.
    pub const fn effort(self) -> Option<Effort> {
        match self {
            Self::Random | Self::Beginner => None,
            Self::Intermediate => Some(Effort::INTERMEDIATE),
            Self::Sampler => Some(Effort::SAMPLER),
            Self::Expert => Some(Effort::EXPERT),
        }
    }
}

/// The domino of a play.
pub(crate) fn played(action: Action) -> Option<Domino> {
    match action {
        Action::Play { domino, .. } => Some(domino),
        _ => None,
    }
}

/// A claim that fails costs the hand, so nobody claims for fun.
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

/// There is no player of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownStrategy;

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no such player; the players are")?;
        Strategy::named().try_for_each(|strategy| write!(f, " {strategy}"))
    }
}

impl core::error::Error for UnknownStrategy {}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Self::named().find(|strategy| strategy.name() == name).ok_or(UnknownStrategy)
    }
}
