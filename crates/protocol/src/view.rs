//! What one session may see of a table.
//!
//! A view is a separate type that the kernel fills field by field, so that a new field of the game state cannot leak by
//! accident. It contains everything that a client needs to render the table and to act: clients compute no rules.

use alloc::{string::String, sync::Arc, vec::Vec};

use arrayvec::ArrayVec;
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use texas42_phrases::{Hint, OutcomeReason, Refusal};
use texas42_vocab::{
    Action, Bid, Control, DailyChallenge, Date, Deal, Difficulty, Domino, Hand, Layer, Phase, Scoring, Seat, SeedText,
    SuitName, Team, Trump,
};

use crate::{
    bounded::{Name, PlayerId},
    capability::Capability,
    intent::Intent,
    message::TableOptions,
};

/// A table as one session sees it.
///
/// Clients receive a full view when they join or subscribe, and a patch for each later version. To act, a client sends
/// one of `validActions` back unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GameView {
    /// The state of the game.
    pub state: TableView,
    /// What this session may do now.
    pub valid_actions: Vec<ValidAction>,
    /// Everybody at the table. Shared between views, because it is the same for every viewer.
    pub players: Arc<Vec<PlayerView>>,
    /// Facts derived from the state, for clients that know no rules.
    pub derived: Derived,
    /// Facts about the table that are not part of the game.
    pub metadata: Arc<Metadata>,
}

impl GameView {
    /// The people whom a table in setup still waits for, if it starts only when all are ready.
    pub fn not_ready(&self) -> impl Iterator<Item = Seat> {
        let waits = self.state.phase == Phase::Setup && self.metadata.table.ready;
        let people = self.players.iter().filter(move |player| waits && player.control_type == Control::Human);
        people.filter_map(|player| player.player_index).filter(|seat| !self.metadata.ready.contains(seat))
    }
}

impl GameView {
    /// Whether the table has other rules or options in the other view.
    pub fn has_other_rules(&self, other: &Self) -> bool {
        let rules =
            |TableView { scoring, target, play_on, one_hand, .. }: &TableView| (*scoring, *target, *play_on, *one_hand);
        rules(&self.state) != rules(&other.state)
            || self.state.layers != other.state.layers
            || self.metadata.table != other.metadata.table
    }
}

impl GameView {
    /// The seats that the table waits for: to be taken or to be ready before the first game, to decide or to agree in it.
    /// After a long wait, the others may ask for a bot there.
    pub fn waits_for(&self) -> impl Iterator<Item = Seat> {
        let sits = |seat: Seat| self.players.iter().find(|player| player.player_index == Some(seat));
        let is_persons = move |seat: Seat| sits(seat).is_some_and(|player| player.control_type == Control::Human);
        let agrees = self.state.layers.iter().any(Layer::asks_for_agreement);
        let is_awaited = move |seat: &Seat| match (self.state.phase, self.derived.to_act) {
            (Phase::Setup, _) => sits(*seat).is_none() || self.not_ready().any(|unready| unready == *seat),
            (phase, _) if phase.is_over() => false,
            (_, Some(to_act)) => to_act == *seat && is_persons(*seat),
            (_, None) => agrees && is_persons(*seat) && !self.state.agreed.contains(seat),
        };
        Seat::ALL.into_iter().filter(is_awaited)
    }
}

/// A session at the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlayerView {
    /// The public id.
    pub player_id: PlayerId,
    /// The seat, if the session has one.
    pub player_index: Option<Seat>,
    /// The name.
    pub name: Name,
    /// Who controls the seat.
    pub control_type: Control,
    /// Whether the session is connected.
    pub is_connected: bool,
    /// Whether a bot plays the seat until the next deal, because the session took it too late for this one, whose hands
    /// could be known, or left it to a bot in a rated game.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub waits_for_deal: bool,
    /// What the session may do and see.
    pub capabilities: Vec<Capability>,
}

/// Facts about the table that are not part of the game. They are the same for every viewer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The proof that the deals are fair, for tables with secret deals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deal: Option<Arc<DealProof>>,
    /// The pending undo request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoView>,
    /// The seat that declined the last undo request, until the next request or action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_declined: Option<Seat>,
    /// Who created the invite, in the view that somebody with it has before joining.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by: Option<PlayerId>,
    /// The seats that have declared themselves ready, at a table that waits for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Seat>,
    /// The seats whose players do not let their coaches talk to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coach_off: Vec<Seat>,
    /// When a bot takes over the current decision, or the seat of an absent person whom the table waits for, in
    /// milliseconds of the table's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// The result, once the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultView>,
    /// How many games were played at this table before this one.
    #[serde(default)]
    pub game_number: u32,
    /// Whether somebody could choose or know the deals of this game or of an earlier one at this table: the
    /// configuration contains them, they come from a public seed, or a player's device dealt them.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub known_deals: bool,
    /// When the table was created, in milliseconds of its clock. Absent for tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<u64>,
    /// The minute in which the last event of a game happened, in milliseconds; at least `createdAt`. Absent in delayed
    /// views and for tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_action_at: Option<u64>,
    /// How the table is run.
    #[serde(default)]
    pub table: TableOptions,
}

/// The proof that nobody chose the deals: commitments first, the committed values later. Each is 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DealProof {
    /// The hash of the table's secret, shown from the first view on.
    pub secret_commitment: String,
    /// The hash of the current hand's share of the secret, shown before the hand is dealt.
    pub hand_commitment: String,
    /// The hash of the next game's secret, shown before players contribute randomness for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_commitment: Option<String>,
    /// What the last finished hand was dealt from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revealed: Option<RevealedHand>,
    /// The secret, once the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether the first shaker is drawn from the secret too. Not so if the rules name the shaker, and in games that an
    /// earlier version started, which draw from the players' randomness alone.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub secret_draw: bool,
    /// For a game that was imported: which hands are dealt here, and from what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later: Option<LaterProof>,
}

/// The proof for the hands of an imported game that the table deals itself, from a secret that the device does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LaterProof {
    /// The number of the first of these hands, starting at 0. The device dealt those before.
    pub from_hand: u32,
    /// The hash of their secret, shown from the import on.
    pub secret_commitment: String,
    /// Their secret, once the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// What a hand was dealt from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RevealedHand {
    /// The number of the hand, starting at 0.
    pub hand_number: u32,
    /// The hand's share of the secret, whose hash was shown before.
    pub share: String,
    /// The hash of the players' combined randomness.
    pub entropy: String,
}

/// Everything that is needed to verify a hand: the commitment, the revealed values, and the dominoes that were dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandWitness {
    /// The number of the hand, starting at 0.
    pub hand_number: u32,
    /// The hash of the hand's share, as shown before the deal.
    pub commitment: String,
    /// The share, as revealed afterwards.
    pub share: String,
    /// The hash of the players' combined randomness.
    pub entropy: String,
    /// The dominoes that each seat was dealt.
    pub dealt: Deal,
}

/// Everything that is needed to verify the draw for the first shaker of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawWitness {
    /// The hash of the table's secret, as shown during the first hand.
    pub commitment: String,
    /// The secret, as revealed at the end.
    pub secret: String,
    /// The hash of the players' combined randomness.
    pub entropy: String,
    /// Who shook first.
    pub shaker: Seat,
}

/// A pending undo request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoView {
    /// The number of events of the game to go back to.
    pub to: u16,
    /// The seats that have agreed.
    pub agreed: Vec<Seat>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    /// The winning team.
    pub winner: Option<Team>,
    /// The final score.
    pub score: [u16; 2],
    /// The public seed, if the table has one. It can be used to play the same deals again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<SeedText>,
    /// The whole game as a code for a link, if its deals come from a public seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The link that replays the game: the part of the page's URL from `#` on, with the version of the rules and the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_link: Option<String>,
    /// The stars earned in a daily challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stars: Option<u8>,
    /// The daily challenge that was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeView>,
    /// The result of a daily challenge as an English sentence to share, for clients without a catalogue of texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_text: Option<String>,
    /// A summary of each hand, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<StoryHand>,
}

/// A daily challenge: what is played, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChallengeView {
    /// The date of the challenge.
    pub date: Date,
    /// The difficulty.
    pub difficulty: Difficulty,
    /// The points that the team needs for one, two and three stars. Zeros in views of version 0.1.0.
    #[serde(default)]
    pub star_thresholds: [u8; 3],
    /// The team that earns the stars: that of the person who plays.
    #[serde(default)]
    pub team: Team,
}

impl From<&DailyChallenge> for ChallengeView {
    fn from(daily: &DailyChallenge) -> Self {
        Self {
            date: daily.date,
            difficulty: daily.difficulty,
            star_thresholds: daily.star_thresholds,
            team: daily.team(),
        }
    }
}

/// The state of the game, as far as the session may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TableView {
    /// The phase of the game.
    pub phase: Phase,
    /// The number of the current hand, starting at 0.
    pub hand_number: u32,
    /// The number of events in the game so far, undos included.
    pub events: u16,
    /// Who shook this hand. Absent before the first deal.
    pub shaker: Option<Seat>,
    /// The hand of each seat.
    pub players: [PlayerHand; 4],
    /// The bids and passes so far.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Call>"))]
    pub auction: ArrayVec<Call, 4>,
    /// The winning bid and the trump.
    pub contract: Option<ContractView>,
    /// The current trick.
    pub trick: Option<TrickView>,
    /// The completed tricks of this hand, keyed by number starting at 1, so that a patch contains only the new one.
    #[serde(with = "crate::numbered")]
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, TrickView>"))]
    pub tricks: Vec<TrickView>,
    /// The points that each team has taken in this hand.
    pub points: [u8; 2],
    /// The tricks that each team has taken in this hand.
    pub tricks_taken: [u8; 2],
    /// How the hand was decided.
    pub outcome: Option<OutcomeView>,
    /// The claim that ended the hand.
    pub claim: Option<ClaimView>,
    /// The last scored hand.
    pub last_hand: Option<HandSummary>,
    /// The score of each team.
    pub score: [u16; 2],
    /// The score that ends the game.
    pub target: u16,
    /// Whether the game is scored in marks or in points.
    pub scoring: Scoring,
    /// The layers of the table in order, with their parameters. The seed or number of a deal is omitted, and so are the
    /// special contracts that a hard daily challenge removes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Whether a decided hand is played to its last trick.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub play_on: bool,
    /// Whether the game ends after one hand, regardless of the score.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub one_hand: bool,
    /// The daily challenge, if the table is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeView>,
    /// The seats that have agreed to continue.
    pub agreed: Vec<Seat>,
    /// The actions since the hand began, keyed by number starting at 1. Only for sessions that may see the full state.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::numbered")]
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, Action>"))]
    pub log: Vec<Action>,
}

/// A seat's hand: the number of dominoes, and the dominoes themselves if the viewer may see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlayerHand {
    /// The dominoes; empty if they are hidden.
    pub hand: Hand,
    /// The number of dominoes.
    pub hand_count: u8,
}

/// A bid or a pass in the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Call {
    /// The seat.
    pub player: Seat,
    /// The bid; absent for a pass.
    #[serde(flatten)]
    pub bid: Option<Bid>,
}

/// The winning bid and the trump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContractView {
    /// Who won the auction.
    pub bidder: Seat,
    /// The winning bid.
    #[serde(flatten)]
    pub bid: Bid,
    /// The marks at stake.
    pub stake: u8,
    /// Who names trumps.
    pub declarer: Seat,
    /// The trump, once it is named.
    pub trump: Option<Trump>,
    /// Who sits out this hand.
    pub sits_out: Option<Seat>,
}

/// A domino played to a trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayView {
    /// Who played it.
    pub player: Seat,
    /// The domino.
    pub domino: Domino,
}

/// A trick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrickView {
    /// The dominoes in order of play.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PlayView>"))]
    pub plays: ArrayVec<PlayView, 4>,
    /// Who is winning the trick, or has won it.
    pub winner: Option<Seat>,
    /// The points in the trick so far.
    pub points: u8,
}

/// How a hand was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeView {
    /// Whether the contract was made.
    pub made: bool,
    /// The reason.
    pub reason: OutcomeReason,
    /// The number of the deciding trick, starting at 1.
    pub trick: u8,
}

/// A claim that ended a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimView {
    /// Who claimed.
    pub player: Seat,
    /// Whether the claim stands.
    pub stands: bool,
}

/// A scored hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandSummary {
    /// The contract.
    pub contract: ContractView,
    /// The outcome.
    pub outcome: OutcomeView,
    /// The points that each team took.
    pub points: [u8; 2],
    /// What each team scored.
    pub gained: [u16; 2],
}

/// A one-line summary of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoryHand {
    /// Who won the auction.
    pub bidder: Seat,
    /// The winning bid.
    #[serde(flatten)]
    pub bid: Bid,
    /// The trump.
    pub trump: Trump,
    /// Whether the contract was made; omitted if it was set.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub made: bool,
    /// The points that each team took.
    pub points: [u8; 2],
    /// What each team scored.
    pub gained: [u16; 2],
}

/// An action that the session may take now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidAction {
    /// The action to send.
    pub action: Action,
    /// The label of the button.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub label: CompactString,
    /// The keyboard shortcut, unique within the view.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub shortcut: CompactString,
    /// The group that the button belongs to.
    pub group: ActionGroup,
    /// Advice, for sessions that may see hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Whether the table executes the action automatically after `delay`.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub auto_execute: bool,
    /// Milliseconds before automatic execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<u16>,
    /// Why the action is automatic: `only-legal-action` or `scripted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<CompactString>,
}

/// Groups of buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActionGroup {
    /// Bids and passing.
    Bid,
    /// Trumps to name.
    Trump,
    /// Dominoes, and a claim.
    Play,
    /// Everything around the play: agreeing, scoring.
    Table,
}

/// Facts derived from the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Derived {
    /// The seat to act, if exactly one seat has the decision.
    pub to_act: Option<Seat>,
    /// The suit that was led.
    pub led_suit: Option<SuitName>,
    /// Who is winning the current trick.
    pub trick_winner: Option<Seat>,
    /// The dominoes in the session's hand that it may not play on its turn, and why. All others may be played.
    pub blocked: Vec<Blocked>,
    /// The winner of the game, once there is one.
    pub winner: Option<Team>,
    /// The bots' reasons for their last actions in this hand. Only for sessions with `see-ai-intent`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<IntentView>,
    /// Which layer decides what. Only for sessions that may see the full state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composition: Option<Arc<Composition>>,
}

/// Which layer decides which rule at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Composition {
    /// The layers in order of application; later layers override earlier ones.
    pub layers: Vec<String>,
    /// The ruling on each rule, and the layer that made it.
    pub rulings: Vec<RulingView>,
    /// How each layer changes the offered actions in typical decisions.
    pub effects: Vec<EffectView>,
}

/// The ruling on one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RulingView {
    /// The rule.
    pub rule: String,
    /// The case it applies to; empty if it applies to all.
    pub case: String,
    /// The ruling; empty if the viewer may not see it.
    pub answer: String,
    /// The layer that decided.
    pub decided_by: String,
}

/// How one layer changes one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EffectView {
    /// The decision.
    pub decision: String,
    /// The layer.
    pub layer: String,
    /// What it adds, removes or annotates.
    pub effect: String,
}

/// A bot's reason for its last action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntentView {
    /// The bot's seat.
    pub player: Seat,
    /// The reason.
    pub intent: Intent,
}

/// A domino that may not be played now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Blocked {
    /// The domino.
    pub domino: Domino,
    /// Why it may not be played.
    pub reason: Refusal,
}
