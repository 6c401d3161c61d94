//! Builds views field by field. Nothing is copied as a whole and then redacted.

use alloc::{sync::Arc, vec::Vec};

use arrayvec::ArrayVec;
use compact_str::CompactString;
use texas42_engine::{
    Annotated, Authority, Context, HandResult, Offer, Outcome, State, Trick, apply, legal, suit_name,
};
use texas42_protocol::{
    Blocked, Call, Capability, ClaimView, Composition, ContractView, Derived, GameView, HandSummary, IntentView,
    Metadata, OutcomeView, PlayView, PlayerHand, PlayerView, StoryHand, TableView, TrickView, ValidAction,
};
use texas42_vocab::{Action, Config, Difficulty, Hand, Layer, Phase, Seat, SuitName};

use crate::label;

/// What a viewer may see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    /// The seat that the viewer may act for.
    pub seat: Option<Seat>,
    /// The seats whose hands the viewer may see, besides those that are open to all.
    pub sees: [bool; 4],
    /// Whether the viewer sees hints.
    pub hints: bool,
    /// The seats that the viewer coaches: their offered actions are shown, but cannot be taken.
    pub advises: [bool; 4],
    /// Whether the viewer sees the actions offered to every seat, and the log.
    pub full: bool,
    /// Whether the viewer sees the bots' reasons.
    pub intents: bool,
}

impl Viewer {
    /// A player, who sees the hand of this seat.
    pub fn player(seat: Seat) -> Self {
        let mut sees = [false; 4];
        sees[seat.index()] = true;
        Self { seat: Some(seat), sees, ..Self::default() }
    }

    /// A viewer without a seat, who sees every hand.
    pub fn all_hands() -> Self {
        Self { sees: [true; 4], ..Self::default() }
    }

    /// A viewer without a seat, who sees only what is public.
    pub fn spectator() -> Self {
        Self::default()
    }

    /// The viewer with these capabilities and this seat.
    pub fn with(capabilities: &[Capability], seat: Option<Seat>) -> Self {
        let acts = |seat: &Seat| capabilities.contains(&Capability::ActAsPlayer { player_index: *seat });
        let all =
            capabilities.contains(&Capability::ObserveAllHands) || capabilities.contains(&Capability::ObserveFullState);
        let own = |of: Seat| seat == Some(of) && capabilities.contains(&Capability::ObserveOwnHand);
        let one = |of: Seat| capabilities.contains(&Capability::ObserveHand { player_index: of });
        let hints = capabilities.contains(&Capability::SeeHints);
        let sees = Seat::ALL.map(|of| all || own(of) || one(of));
        Self {
            // The actions offered to a seat reveal its hand.
            seat: seat.filter(|seat| acts(seat) && sees[seat.index()]),
            sees,
            hints,
            advises: Seat::ALL.map(|of| hints && one(of)),
            full: capabilities.contains(&Capability::ObserveFullState),
            intents: capabilities.contains(&Capability::SeeAiIntent),
        }
    }
}

/// The parts of a view that are not part of the game. They are the same for every viewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableMetadata {
    /// Everybody at the table.
    pub players: Arc<Vec<PlayerView>>,
    /// Facts about the table.
    pub metadata: Arc<Metadata>,
    /// The number of events in the game so far.
    pub events: u16,
    /// The actions since the hand began, for viewers of the full state.
    pub log: Vec<Action>,
    /// The bots' reasons for their last actions, for viewers who may see them.
    pub intents: Vec<IntentView>,
    /// Which layer decides what, for viewers of the full state.
    pub composition: Option<Arc<Composition>>,
}

/// The table as a viewer sees it. For several viewers of the same state, use a [`Scene`].
pub fn view(ctx: &Context, state: &State, viewer: &Viewer, around: &TableMetadata) -> GameView {
    Scene::new(ctx, state, around).view(viewer)
}

/// A state of a table for several viewers: what they have in common is computed once.
///
/// Create one per state with [`Scene::new`] (or [`Scene::setup`] before the first deal) and call [`Scene::view`] once
/// per viewer.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The view without anything that depends on the viewer.
    common: GameView,
    /// The game, once it has started.
    game: Option<(&'a Context, &'a State, Annotated)>,
    around: &'a TableMetadata,
}

impl<'a> Scene<'a> {
    /// The scene of a running game.
    pub fn new(ctx: &'a Context, state: &'a State, around: &'a TableMetadata) -> Self {
        Self { common: common_view(ctx, state, around), game: Some((ctx, state, ctx.annotated(state))), around }
    }

    /// The scene of a table that has not dealt yet.
    pub fn setup(config: &Config, around: &'a TableMetadata) -> Self {
        Self { common: setup_view(config, around), game: None, around }
    }

    /// The table as `viewer` sees it.
    pub fn view(&self, viewer: &Viewer) -> GameView {
        let mut view = self.common.clone();
        let Some((ctx, state, offers)) = &self.game else { return view };
        view.state.players = Seat::ALL.map(|seat| player_hand(state, viewer, seat));
        view.valid_actions = valid_actions(offers, viewer);
        view.derived.blocked = viewer.seat.map_or_else(Vec::new, |seat| blocked(ctx, state, seat));
        if viewer.full {
            view.state.log.clone_from(&self.around.log);
            view.derived.composition.clone_from(&self.around.composition);
        }
        if viewer.intents {
            view.derived.intents.clone_from(&self.around.intents);
        }
        view
    }
}

fn common_view(ctx: &Context, state: &State, around: &TableMetadata) -> GameView {
    GameView {
        state: table_view(ctx, state, around),
        valid_actions: Vec::new(),
        players: around.players.clone(),
        derived: derived(ctx, state),
        metadata: around.metadata.clone(),
    }
}

/// The view of a table that has not dealt yet; it is the same for every viewer.
pub fn setup_view(config: &Config, around: &TableMetadata) -> GameView {
    GameView {
        state: TableView {
            phase: Phase::Setup,
            hand_number: 0,
            events: 0,
            shaker: None,
            players: [NO_HAND; 4],
            auction: ArrayVec::new(),
            contract: None,
            trick: None,
            tricks: Vec::new(),
            points: [0; 2],
            tricks_taken: [0; 2],
            outcome: None,
            claim: None,
            last_hand: None,
            score: [0; 2],
            target: config.target(),
            scoring: config.scoring,
            layers: rules_of(config),
            play_on: config.play_on,
            one_hand: is_one_hand(config),
            agreed: Vec::new(),
            log: Vec::new(),
        },
        valid_actions: Vec::new(),
        players: around.players.clone(),
        derived: Derived {
            to_act: None,
            led_suit: None,
            trick_winner: None,
            blocked: Vec::new(),
            winner: None,
            intents: Vec::new(),
            composition: None,
        },
        metadata: around.metadata.clone(),
    }
}

/// The layers that players need to know. Omits layers that name a deal or only affect the course of the game. A hard
/// daily challenge removes the special contracts before it, so they are omitted too.
fn rules_of(config: &Config) -> Vec<Layer> {
    let hard_at = config.layers.iter().rposition(removes_special_contracts).unwrap_or(0);
    let is_listed = |(at, layer): &(usize, &Layer)| match layer {
        Layer::Nello(_) | Layer::Plunge(_) | Layer::Splash(_) | Layer::Sevens(_) => *at >= hard_at,
        Layer::Tournament(_) | Layer::ForcedBid(_) => true,
        Layer::Speed(_) | Layer::Hints(_) | Layer::Consensus(_) | Layer::OneHand(_) | Layer::DailyChallenge(_) => false,
    };
    config.layers.iter().enumerate().filter(is_listed).map(|(_, layer)| *layer).collect()
}

fn removes_special_contracts(layer: &Layer) -> bool {
    match layer {
        Layer::DailyChallenge(daily) => daily.difficulty == Difficulty::Hard,
        Layer::Nello(_)
        | Layer::Plunge(_)
        | Layer::Splash(_)
        | Layer::Sevens(_)
        | Layer::Tournament(_)
        | Layer::ForcedBid(_)
        | Layer::Speed(_)
        | Layer::Hints(_)
        | Layer::Consensus(_)
        | Layer::OneHand(_) => false,
    }
}

fn is_one_hand(config: &Config) -> bool {
    config.layers.iter().any(Layer::is_one_hand)
}

const NO_HAND: PlayerHand = PlayerHand { hand: Hand::EMPTY, hand_count: 0 };

fn table_view(ctx: &Context, state: &State, around: &TableMetadata) -> TableView {
    TableView {
        phase: state.phase,
        hand_number: state.hand_number,
        events: around.events,
        shaker: Some(state.shaker),
        players: [NO_HAND; 4],
        auction: state.auction.calls().map(|(player, bid)| Call { player, bid }).collect(),
        contract: contract_view(ctx, state),
        trick: (state.phase == Phase::Playing).then(|| trick_view(&state.trick, state.trick_winner())),
        tricks: state.taken_by().map(|(trick, winner)| trick_view(trick, Some(winner))).collect(),
        points: state.tally.points,
        tricks_taken: state.tally.tricks,
        outcome: state.outcome.map(outcome_view),
        claim: state.claim.map(|claim| ClaimView { player: claim.seat, stands: claim.stands }),
        last_hand: state.last_hand.as_ref().map(hand_summary),
        score: state.score,
        target: ctx.config().target(),
        scoring: ctx.config().scoring,
        layers: rules_of(ctx.config()),
        play_on: ctx.config().play_on,
        one_hand: is_one_hand(ctx.config()),
        agreed: state.agreed.seats().collect(),
        log: Vec::new(),
    }
}

/// All hands are open once the hand is over.
const fn hands_are_open(state: &State) -> bool {
    matches!(state.phase, Phase::Scoring | Phase::GameEnd | Phase::OneHandComplete)
}

fn player_hand(state: &State, viewer: &Viewer, seat: Seat) -> PlayerHand {
    let hand = state.hands[seat.index()];
    let visible = viewer.sees[seat.index()] || hands_are_open(state);
    PlayerHand { hand: if visible { hand } else { Hand::EMPTY }, hand_count: hand.len() as u8 }
}

fn contract_view(ctx: &Context, state: &State) -> Option<ContractView> {
    let (bidder, bid) = state.auction.standing().filter(|_| state.auction.is_closed())?;
    Some(ContractView {
        bidder,
        bid,
        stake: bid.stake(),
        declarer: ctx.declarer(bidder, bid),
        trump: state.contract.map(|contract| contract.trump),
        sits_out: state.terms.and_then(|terms| terms.sits_out),
    })
}

fn trick_view(trick: &Trick, winner: Option<Seat>) -> TrickView {
    TrickView {
        plays: trick.plays().map(|(player, domino)| PlayView { player, domino }).collect(),
        winner,
        points: if trick.is_empty() { 0 } else { trick.points() },
    }
}

const fn outcome_view(outcome: Outcome) -> OutcomeView {
    OutcomeView { made: outcome.made, reason: outcome.reason, trick: outcome.trick }
}

/// The one-line summary of a scored hand.
pub const fn story_hand(result: &HandResult) -> StoryHand {
    let HandResult { contract, outcome, points, gained, .. } = *result;
    StoryHand { bidder: contract.bidder, bid: contract.bid, trump: contract.trump, made: outcome.made, points, gained }
}

fn hand_summary(result: &HandResult) -> HandSummary {
    let contract = result.contract;
    HandSummary {
        contract: ContractView {
            bidder: contract.bidder,
            bid: contract.bid,
            stake: contract.bid.stake(),
            declarer: contract.declarer,
            trump: Some(contract.trump),
            sits_out: result.sits_out,
        },
        outcome: outcome_view(result.outcome),
        points: result.points,
        gained: result.gained,
    }
}

/// The actions that the viewer may take itself, without those that the table performs. A coach also sees the student's
/// actions, and a viewer of the full state sees those of every seat.
fn valid_actions(offers: &Annotated, viewer: &Viewer) -> Vec<ValidAction> {
    let is_shown = |offer: &&Offer| {
        let own = |player: Seat| viewer.seat == Some(player) || viewer.advises[player.index()];
        let own = offer.action.player().is_some_and(own);
        viewer.full || (own && offer.meta.authority == Authority::Player)
    };
    offers.iter().filter(is_shown).map(|offer| valid_action(offer, viewer)).collect()
}

fn valid_action(offer: &Offer, viewer: &Viewer) -> ValidAction {
    let Offer { action, meta } = *offer;
    ValidAction {
        action,
        label: label::label(action),
        shortcut: label::shortcut(action),
        group: label::group(action),
        hint: meta.hint.filter(|_| viewer.hints),
        auto_execute: meta.auto_execute,
        delay: meta.auto_execute.then_some(meta.delay),
        reason: meta.reason.map(CompactString::const_new),
    }
}

fn derived(ctx: &Context, state: &State) -> Derived {
    Derived {
        to_act: state.to_act(),
        led_suit: led_suit(state),
        trick_winner: state.trick_winner().filter(|_| state.phase == Phase::Playing),
        blocked: Vec::new(),
        winner: ctx.winner(state),
        intents: Vec::new(),
        composition: None,
    }
}

/// The suit that was led. In a contract without suits, there is none.
fn led_suit(state: &State) -> Option<SuitName> {
    let terms = state.terms.as_ref().filter(|_| state.phase == Phase::Playing)?;
    let suit = terms.called(&state.trick)?;
    (!terms.suits.members(suit).is_empty()).then(|| suit_name(suit))
}

fn blocked(ctx: &Context, state: &State, seat: Seat) -> Vec<Blocked> {
    if state.phase != Phase::Playing || state.to_act() != Some(seat) {
        return Vec::new();
    }
    let offers = legal(ctx, state);
    let refusal = |domino| {
        let play = Action::Play { player: seat, domino };
        if offers.contains(&play) { None } else { apply(ctx, state, play).err() }
    };
    let hand = state.hands[seat.index()].into_iter();
    hand.filter_map(|domino| Some(Blocked { domino, reason: refusal(domino)? })).collect()
}

#[cfg(test)]
mod tests {
    use texas42_vocab::{DailyChallenge, Nello};

    use super::*;

    /// Otherwise players would bid on contracts that nobody may name.
    #[test]
    fn a_hard_daily_challenge_hides_the_special_contracts_it_removes() {
        let nello = Layer::Nello(Nello::default());
        let daily = |difficulty| Layer::DailyChallenge(DailyChallenge { difficulty, ..DailyChallenge::default() });
        let listed = |layers: [Layer; 2]| rules_of(&Config { layers: layers.to_vec(), ..Config::default() });
        assert_eq!(listed([nello, daily(Difficulty::Hard)]), []);
        assert_eq!(listed([nello, daily(Difficulty::Easy)]), [nello]);
        assert_eq!(listed([daily(Difficulty::Hard), nello]), [nello], "a later layer overrides the challenge");
    }
}
