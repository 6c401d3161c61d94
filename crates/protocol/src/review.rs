//! The review of a game: what each choice was worth, as data. `texas42-ai` computes it; programs and pages show it.
//!
//! Two lenses stand side by side. *What you could know*: chances over deals that were possible for the seat. *All hands
//! open*: the result with the true hands and perfect play, in the fields named `open`.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_phrases::Remark;
use texas42_vocab::{Action, Bid, Domino, Scoring, Seat, Trump};

/// How good a choice was, by what the seat could know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveClass {
    /// The best choice, or as good as the best.
    Best,
    /// The only choice that was not at least an inaccuracy.
    OnlyMove,
    /// Behind the best by less than the error of the sample: too close to call.
    TooClose,
    /// Behind by little.
    Good,
    /// A small error.
    Inaccuracy,
    /// A clear error.
    Mistake,
    /// A grave error.
    Blunder,
}

impl MoveClass {
    /// Every class, best first.
    pub const ALL: [Self; 7] =
        [Self::Best, Self::OnlyMove, Self::TooClose, Self::Good, Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// Its name in English, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::OnlyMove => "only move",
            Self::TooClose => "too close to call",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// Whether something better was known to exist and it mattered: an inaccuracy or worse.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Inaccuracy | Self::Mistake | Self::Blunder)
    }

    /// Whether a person who looks for a better choice has found one: everything but an error.
    pub const fn is_acceptable(self) -> bool {
        !self.is_error()
    }
}

/// The result of a choice with all hands open and perfect play. For a bid, with the best trump for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpenResult {
    /// Whether the contract is made.
    pub made: bool,
    /// The points of the bidders; `None` in nello.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u8>,
}

/// An evaluated choice of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedChoice {
    /// The action.
    pub action: Action,
    /// The chance that the hand ends well for the seat's team, by what the seat knew.
    pub chance: f64,
    /// The expected marks, weighted by what they are worth at this score, by what the seat knew.
    pub marks: f64,
    /// How far behind the best choice it is: half the difference in marks. For a contract of one mark that is the
    /// difference in the chance.
    pub behind: f64,
    /// The standard error of `behind`, from the worlds that both choices share; 0 if every world was looked at.
    pub error: f64,
    /// The expected points of the bidders. Only if choices are equally good, where points decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// How good it is.
    pub class: MoveClass,
    /// With all hands open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenResult>,
}

/// The review of one decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedDecision {
    /// The number of the event in the log, from 0.
    pub event: u32,
    /// The hand, counted from 0.
    pub hand_number: u32,
    /// Who decided.
    pub seat: Seat,
    /// The action taken.
    pub done: Action,
    /// The best action by what the seat could know.
    pub best: Action,
    /// The class of the action taken.
    pub class: MoveClass,
    /// The reasons for the best action.
    pub why: Vec<Remark>,
    /// The evaluated choices, best first. A claim is included only if the seat made it.
    pub choices: Vec<ReviewedChoice>,
    /// The marks given away, by what the seat knew.
    pub regret: f64,
    /// Whether the action turned the hand: with all hands open it loses the contract, and another action wins it.
    pub turned: bool,
    /// Whether an error was punished: the hand ended badly for the seat's team. `None` if it was no error, or the hand has
    /// no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub punished: Option<bool>,
    /// The number of worlds looked at.
    pub worlds: u32,
    /// Whether these were all that were possible. Then the numbers have no error.
    pub exact: bool,
}

impl ReviewedDecision {
    /// The evaluation of the action taken.
    pub fn taken(&self) -> Option<&ReviewedChoice> {
        self.choice(self.done)
    }

    /// The evaluation of an action.
    pub fn choice(&self, action: Action) -> Option<&ReviewedChoice> {
        self.choices.iter().find(|choice| choice.action == action)
    }
}

/// The chance to make the contract at one moment of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartPoint {
    /// The number of the event after which it is the chance.
    pub event: u32,
    /// That event: a bid, the naming of trumps, the end of a trick, a claim.
    pub action: Action,
    /// The tricks taken so far.
    pub tricks: u8,
    /// Who has the highest bid.
    pub bidder: Seat,
    /// The chance that the bid is made, over the deals that its bidder considers possible, with perfect play from here.
    pub chance: f64,
    /// Whether it is made with the true hands and perfect play from here.
    pub open: bool,
}

/// A reviewed hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedHand {
    /// The hand, counted from 0.
    pub hand_number: u32,
    /// Whether the contract was made; `None` if the hand has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<bool>,
    /// The chance to make the contract after each bid and trick.
    pub chart: Vec<ChartPoint>,
    /// The event that turned the hand or gave most away, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turning_point: Option<u32>,
}

/// How well a seat played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeatAccuracy {
    /// The decisions with a choice.
    pub decisions: u32,
    /// The decisions that gave nothing away.
    pub good: u32,
    /// Marks given away.
    pub regret: f64,
    /// The accuracy from 0 to 100; `None` without decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// The number of decisions of each class, in the order of [`MoveClass::ALL`].
    pub classes: [u32; MoveClass::ALL.len()],
}

/// The review of a game, or of the part that has been reviewed so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameReview {
    /// What the game counts. With points scoring, one mark in the review stands for 40 points.
    pub scoring: Scoring,
    /// The number of worlds for a decision, and the seed that they were drawn with.
    pub worlds: u32,
    /// The seed of the worlds.
    pub seed: u64,
    /// The decisions in the order of play.
    pub decisions: Vec<ReviewedDecision>,
    /// For each hand, the event that turned it or gave most away, if there is one.
    pub turning_points: Vec<u32>,
    /// The hands in the order of play.
    pub hands: Vec<ReviewedHand>,
    /// How well each seat played.
    pub seats: [SeatAccuracy; 4],
}

/// What follows from a choice with all hands open, if everybody plays perfectly from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PunishedLine {
    /// The plays after the choice, until the contract is decided or the hand is over.
    pub plays: Vec<LinePlay>,
    /// The result.
    pub result: OpenResult,
    /// Whether it ends badly for the team that made the choice.
    pub punished: bool,
}

/// One play of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePlay {
    /// Who plays.
    pub seat: Seat,
    /// What.
    pub domino: Domino,
}

/// The chance to make each bid with each trump, for the hand as its seat knew it when it was to bid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BidGrid {
    /// The number of the event at which the seat was to bid.
    pub event: u32,
    /// One row for each trump.
    pub rows: Vec<GridRow>,
    /// The number of worlds looked at.
    pub worlds: u32,
}

/// The bids with one trump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridRow {
    /// The trump; `None` if the partner names it, after a plunge or a splash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trump: Option<Trump>,
    /// The bids that can be made with it.
    pub cells: Vec<GridCell>,
}

/// One bid with one trump.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridCell {
    /// The bid.
    #[serde(flatten)]
    pub bid: Bid,
    /// The chance to make it at the table.
    pub chance: f64,
    /// The expected marks, weighted by what they are worth at this score.
    pub marks: f64,
    /// Whether the seat was allowed to bid it.
    pub legal: bool,
}
