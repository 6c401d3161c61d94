//! What a session sees of a table: a type of its own, filled field by field, so that a forgotten field cannot leak.
//!
//! It says everything that a client needs to draw a table and to act, so that a client computes no rule.

use alloc::{string::String, sync::Arc, vec::Vec};

use arrayvec::ArrayVec;
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use texas42_phrases::{Hint, OutcomeReason, Refusal};
use texas42_vocab::{
    Action, Bid, Control, Date, Deal, Difficulty, Domino, Hand, Layer, Phase, Scoring, Seat, SeedText, SuitName, Team,
    Trump,
};

use crate::{
    bounded::{Name, PlayerId},
    capability::Capability,
    intent::Intent,
    message::TableOptions,
};

/// A table as one session sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GameView {
    /// Where the table stands.
    pub state: TableView,
    /// What this session may do now.
    pub valid_actions: Vec<ValidAction>,
    /// Who is at the table. Shared, because every viewer of a table sees the same.
    pub players: Arc<Vec<PlayerView>>,
    /// What follows from the state, worked out for clients that know no rules.
    pub derived: Derived,
    /// What is known about the table beside the game.
    pub metadata: Arc<Metadata>,
}

impl GameView {
    /// The people at the table who have not said that it may begin, while a table waits for that.
    pub fn not_ready(&self) -> impl Iterator<Item = Seat> {
        let waits = self.state.phase == Phase::Setup && self.metadata.table.ready;
        let people = self.players.iter().filter(move |player| waits && player.control_type == Control::Human);
        people.filter_map(|player| player.player_index).filter(|seat| !self.metadata.ready.contains(seat))
    }
}

/// Somebody at the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlayerView {
    /// The public id.
    pub player_id: PlayerId,
    /// The seat, for those who sit.
    pub player_index: Option<Seat>,
    /// The name.
    pub name: Name,
    /// Who moves the seat.
    pub control_type: Control,
    /// Whether somebody is there now.
    pub is_connected: bool,
    /// What the session may do and see.
    pub capabilities: Vec<Capability>,
}

/// What is known about the table beside the game. Everything in it is the same for everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The fairness of the deal, for tables with secret deals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deal: Option<Arc<DealProof>>,
    /// Somebody asks to take back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoView>,
    /// Who has said that it may begin, while a table waits for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Seat>,
    /// When the present decision is taken over by a program, in milliseconds of the table's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// How the game ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultView>,
    /// How many games were played at this table before.
    #[serde(default)]
    pub game_number: u32,
    /// How the table is run.
    #[serde(default)]
    pub table: TableOptions,
}

/// What proves that the deals were not chosen: hashes first, what was hashed afterwards. 64 hexadecimal digits each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DealProof {
    /// The hash of the table's secret, shown with the first view of the table.
    pub secret_commitment: String,
    /// The hash of the present hand's share of the secret, shown before the hand is dealt.
    pub hand_commitment: String,
    /// The hash of the secret of the next game at this table, shown before anybody gives randomness for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_commitment: Option<String>,
    /// The last hand that is over, with what it was dealt from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revealed: Option<RevealedHand>,
    /// The secret itself, once the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// What a hand was dealt from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RevealedHand {
    /// Which hand, counted from 0.
    pub hand_number: u32,
    /// The hand's share of the secret, whose hash was shown before.
    pub share: String,
    /// The players' randomness, hashed together.
    pub entropy: String,
}

/// A hand as somebody saw it, with what was promised before and shown after: enough to deal it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandWitness {
    /// Which hand, counted from 0.
    pub hand_number: u32,
    /// The hash of the hand's share, as it was shown before the hand was dealt.
    pub commitment: String,
    /// The share, as it was shown afterwards.
    pub share: String,
    /// The players' randomness, hashed together.
    pub entropy: String,
    /// What everybody was dealt.
    pub dealt: Deal,
}

/// Somebody asks to take back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoView {
    /// To how many events of the game.
    pub to: u16,
    /// Who has agreed.
    pub agreed: Vec<Seat>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    /// The winning team.
    pub winner: Option<Team>,
    /// The score.
    pub score: [u16; 2],
    /// The public seed, for tables that have one: play it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<SeedText>,
    /// The code of the whole game, for a link, where its deals follow from a public seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The stars of a daily challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stars: Option<u8>,
    /// The daily challenge that was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeView>,
    /// The story of the game: its hands in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<StoryHand>,
}

/// A daily challenge: what a client needs for a line to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChallengeView {
    /// Of which day.
    pub date: Date,
    /// How hard it is.
    pub difficulty: Difficulty,
}

/// Where the table stands, as far as the session may know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TableView {
    /// The part of the game.
    pub phase: Phase,
    /// The hand that is played, counted from 0.
    pub hand_number: u32,
    /// How many events the game has had; an undo counts in them.
    pub events: u16,
    /// Who shook this hand; nobody before the first deal.
    pub shaker: Option<Seat>,
    /// What each seat holds.
    pub players: [PlayerHand; 4],
    /// The calls so far.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Call>"))]
    pub auction: ArrayVec<Call, 4>,
    /// What was bid and named.
    pub contract: Option<ContractView>,
    /// The trick on the table.
    pub trick: Option<TrickView>,
    /// The tricks that were taken in this hand, by their number, counted from 1. Numbered, so that a patch says only the
    /// new one.
    #[serde(with = "crate::numbered")]
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, TrickView>"))]
    pub tricks: Vec<TrickView>,
    /// Points that each team took in this hand.
    pub points: [u8; 2],
    /// Tricks that each team took in this hand.
    pub tricks_taken: [u8; 2],
    /// How the hand was decided.
    pub outcome: Option<OutcomeView>,
    /// The claim that ended the hand.
    pub claim: Option<ClaimView>,
    /// The hand that was scored last.
    pub last_hand: Option<HandSummary>,
    /// The score of each team.
    pub score: [u16; 2],
    /// The score that ends the game.
    pub target: u16,
    /// Marks or points.
    pub scoring: Scoring,
    /// The layers that say what may be bid and named and how a hand is played, in their order. The others, which may name a
    /// deal, are not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Whether a decided hand is played to its last trick.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub play_on: bool,
    /// Whether the game is over after one hand, whatever the score.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub one_hand: bool,
    /// Seats that have agreed to go on.
    pub agreed: Vec<Seat>,
    /// What happened since the hand began, by number, counted from 1; only for those who may see everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::numbered")]
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, Action>"))]
    pub log: Vec<Action>,
}

/// What a seat holds: the dominoes where they may be seen, and always their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlayerHand {
    /// The dominoes, empty when they are hidden.
    pub hand: Hand,
    /// How many there are.
    pub hand_count: u8,
}

/// One call of the auction; no bid is a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Call {
    /// Who.
    pub player: Seat,
    /// What; absent for a pass.
    #[serde(flatten)]
    pub bid: Option<Bid>,
}

/// What was bid and named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContractView {
    /// Who won the auction.
    pub bidder: Seat,
    /// With what.
    #[serde(flatten)]
    pub bid: Bid,
    /// The marks at stake.
    pub stake: u8,
    /// Who names trumps.
    pub declarer: Seat,
    /// What was named, once it is.
    pub trump: Option<Trump>,
    /// Who sits this hand out.
    pub sits_out: Option<Seat>,
}

/// A domino on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayView {
    /// Who played it.
    pub player: Seat,
    /// What.
    pub domino: Domino,
}

/// A trick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrickView {
    /// The dominoes in the order of play.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PlayView>"))]
    pub plays: ArrayVec<PlayView, 4>,
    /// Who has it so far, or took it.
    pub winner: Option<Seat>,
    /// What it is worth so far.
    pub points: u8,
}

/// How a hand was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeView {
    /// Whether the contract was made.
    pub made: bool,
    /// Why.
    pub reason: OutcomeReason,
    /// The trick that decided it, counted from 1.
    pub trick: u8,
}

/// A claim that ended a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimView {
    /// Who claimed.
    pub player: Seat,
    /// Whether it stood.
    pub stands: bool,
}

/// A scored hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandSummary {
    /// What was played.
    pub contract: ContractView,
    /// How it ended.
    pub outcome: OutcomeView,
    /// Points that each team took.
    pub points: [u8; 2],
    /// What each team gained.
    pub gained: [u16; 2],
}

/// A hand in the story of a game: as much as a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoryHand {
    /// Who won the auction.
    pub bidder: Seat,
    /// With what.
    #[serde(flatten)]
    pub bid: Bid,
    /// What was named.
    pub trump: Trump,
    /// Whether the contract was made; left out when it was set.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub made: bool,
    /// Points that each team took.
    pub points: [u8; 2],
    /// What each team gained.
    pub gained: [u16; 2],
}

/// Something that may be done now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidAction {
    /// What to send.
    pub action: Action,
    /// What to write on the button.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub label: CompactString,
    /// The key that does it, different for every action of a view.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub shortcut: CompactString,
    /// Which buttons belong together.
    pub group: ActionGroup,
    /// What a friend would say, for sessions that may see hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// It is done by itself after `delay`.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub auto_execute: bool,
    /// Milliseconds before it is done by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<u16>,
    /// Why it is done by itself: `only-legal-action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<CompactString>,
}

/// Actions whose buttons belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActionGroup {
    /// Bids and passing.
    Bid,
    /// What can be named as trumps.
    Trump,
    /// Dominoes, and a claim.
    Play,
    /// What goes on around the play: agreeing, scoring.
    Table,
}

/// What follows from the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Derived {
    /// Whose decision it is, if it is one seat's alone.
    pub to_act: Option<Seat>,
    /// The suit that was led.
    pub led_suit: Option<SuitName>,
    /// Who has the trick as it lies.
    pub trick_winner: Option<Seat>,
    /// The session's own dominoes that it may not play although it is its turn, and why; all others it may.
    pub blocked: Vec<Blocked>,
    /// Who won the game, once somebody has.
    pub winner: Option<Team>,
    /// What programs had in mind with their last moves of this hand; only for those who may see it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<IntentView>,
    /// Which layer decides what; only for those who may see everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composition: Option<Arc<Composition>>,
}

/// Which layer of the rules decides what at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Composition {
    /// The layers in the order in which they are asked; a later one has the last word.
    pub layers: Vec<String>,
    /// The answer to each rule, and the layer that gave it.
    pub rulings: Vec<RulingView>,
    /// What each layer does to what is offered, in typical decisions.
    pub effects: Vec<EffectView>,
}

/// The answer to one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RulingView {
    /// The rule.
    pub rule: String,
    /// In which case; empty in every case.
    pub case: String,
    /// The answer; empty where it is nobody's to read.
    pub answer: String,
    /// The layer that has the last word.
    pub decided_by: String,
}

/// What one layer does to one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EffectView {
    /// The decision.
    pub decision: String,
    /// The layer.
    pub layer: String,
    /// What it adds, removes or says.
    pub effect: String,
}

/// What a program had in mind with its last move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntentView {
    /// The seat that it moves.
    pub player: Seat,
    /// What it had in mind.
    pub intent: Intent,
}

/// A domino that may not be played now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Blocked {
    /// Which.
    pub domino: Domino,
    /// Why not.
    pub reason: Refusal,
}
