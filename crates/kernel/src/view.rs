//! Builds views field by field. Nothing is copied as a whole and then redacted.

use alloc::{sync::Arc, vec::Vec};

use arrayvec::ArrayVec;
use compact_str::CompactString;
use texas42_engine::{
    Annotated, Authority, Context, Goal, HAND_TRICKS, HandResult, Offer, Outcome, State, Trick, apply, legal, suit_name,
};
use texas42_protocol::{
    Blocked, Call, Capability, ChallengeView, ClaimView, Composition, ContractView, Derived, GameView, HandSummary,
    IntentView, Metadata, OutcomeView, PlayView, PlayerHand, PlayerView, StoryHand, TableView, TrickView, ValidAction,
};
use texas42_vocab::{Action, Config, Hand, Layer, Phase, Seat, SuitName};

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
pub fn view(ctx: &Context, state: &State, viewer: &Viewer, table: &TableMetadata) -> GameView {
    Scene::new(ctx, state, table).view(viewer)
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
    table: &'a TableMetadata,
}

impl<'a> Scene<'a> {
    /// The scene of a running game.
    pub fn new(ctx: &'a Context, state: &'a State, table: &'a TableMetadata) -> Self {
        Self { common: common_view(ctx, state, table), game: Some((ctx, state, ctx.annotated(state))), table }
    }

    /// The scene of a table that has not dealt yet.
    pub fn setup(config: &Config, table: &'a TableMetadata) -> Self {
        Self { common: setup_view(config, table), game: None, table }
    }

    /// The table as `viewer` sees it.
    pub fn view(&self, viewer: &Viewer) -> GameView {
        let mut view = self.common.clone();
        let Some((ctx, state, offers)) = &self.game else { return view };
        view.state.players = Seat::ALL.map(|seat| player_hand(state, viewer, seat));
        view.valid_actions = valid_actions(offers, viewer);
        view.derived.blocked = viewer.seat.map_or_else(Vec::new, |seat| blocked(ctx, state, seat));
        if viewer.full {
            view.state.log.clone_from(&self.table.log);
            view.derived.composition.clone_from(&self.table.composition);
        }
        if viewer.intents {
            view.derived.intents.clone_from(&self.table.intents);
        }
        view
    }
}

fn common_view(ctx: &Context, state: &State, table: &TableMetadata) -> GameView {
    GameView {
        state: table_view(ctx, state, table),
        valid_actions: Vec::new(),
        players: table.players.clone(),
        derived: derived(ctx, state),
        metadata: table.metadata.clone(),
    }
}

/// The view of a table that has not dealt yet; it is the same for every viewer.
pub fn setup_view(config: &Config, table: &TableMetadata) -> GameView {
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
            layers: layers_of(config),
            play_on: config.play_on,
            one_hand: is_one_hand(config),
            challenge: config.daily_challenge().map(ChallengeView::from),
            agreed: Vec::new(),
            log: Vec::new(),
        },
        valid_actions: Vec::new(),
        players: table.players.clone(),
        derived: Derived {
            to_act: None,
            led_suit: None,
            trick_winner: None,
            blocked: Vec::new(),
            winner: None,
            intents: Vec::new(),
            composition: None,
        },
        metadata: table.metadata.clone(),
    }
}

/// All layers in force, without what would let a player compute the deal. A hard daily challenge removes the special
/// contracts before it, so they are omitted.
fn layers_of(config: &Config) -> Vec<Layer> {
    let hard_at = config.layers.iter().rposition(Layer::cancels_earlier_contracts).unwrap_or(0);
    let is_listed = |(at, layer): &(usize, &Layer)| !layer.is_special_contract() || *at >= hard_at;
    config.layers.iter().enumerate().filter(is_listed).map(|(_, layer)| layer.with_deal(None)).collect()
}

fn is_one_hand(config: &Config) -> bool {
    config.layers.iter().any(Layer::is_one_hand)
}

const NO_HAND: PlayerHand = PlayerHand { hand: Hand::EMPTY, hand_count: 0 };

fn table_view(ctx: &Context, state: &State, table: &TableMetadata) -> TableView {
    TableView {
        phase: state.phase,
        hand_number: state.hand_number,
        events: table.events,
        shaker: Some(state.shaker),
        players: [NO_HAND; 4],
        auction: state.auction.calls().map(|(player, bid)| Call { player, bid }).collect(),
        contract: contract_view(ctx, state),
        trick: (state.phase == Phase::Playing).then(|| trick_view(&state.trick, state.trick_winner())),
        tricks: state.taken_by().map(|(trick, winner)| trick_view(trick, Some(winner))).collect(),
        points: state.tally.points,
        tricks_taken: tricks_taken(state),
        outcome: state.outcome.map(outcome_view),
        claim: state.claim.map(|claim| ClaimView { player: claim.seat, stands: claim.stands }),
        last_hand: state.last_hand.as_ref().map(hand_summary),
        score: state.score,
        target: ctx.config().target(),
        scoring: ctx.config().scoring,
        layers: layers_of(ctx.config()),
        play_on: ctx.config().play_on,
        one_hand: is_one_hand(ctx.config()),
        challenge: ctx.challenge().map(ChallengeView::from),
        agreed: state.agreed.seats().collect(),
        log: Vec::new(),
    }
}

/// The tricks of each team, including those that a claim gave to one of them without playing. After a false claim in
/// nello, nobody knows how many there would have been.
fn tricks_taken(state: &State) -> [u8; 2] {
    let mut tricks = state.tally.tricks;
    let Some((claim, terms)) = state.claim.zip(state.terms) else { return tricks };
    let claimants = claim.seat.team();
    let takers = match (terms.goal, claim.stands) {
        (Goal::NoTrick, false) => return tricks,
        (Goal::NoTrick, true) | (Goal::Points(_) | Goal::EveryTrick, false) => claimants.other(),
        (Goal::Points(_) | Goal::EveryTrick, true) => claimants,
    };
    tricks[takers.index()] += HAND_TRICKS - state.tally.tricks_played();
    tricks
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
        let acts_or_advises = |player: Seat| viewer.seat == Some(player) || viewer.advises[player.index()];
        let is_own = offer.action.player().is_some_and(acts_or_advises);
        viewer.full || (is_own && offer.meta.authority == Authority::Player)
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

/// The suit that was led, or `None` in a contract without suits.
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
    use texas42_engine::Game;
    use texas42_vocab::{Bid, DailyChallenge, Difficulty, Domino, Nello, OneHand, Speed, Trump};

    use super::*;

    /// A hand in which seat 0 holds all sixes and declares, after these actions.
    fn declared(trump: Trump, actions: impl IntoIterator<Item = Action>) -> Game {
        let mut dominoes =
            (0..=6).rev().flat_map(|high| (0..=high).rev().filter_map(move |low| Domino::new(high, low)));
        let deal = [(); 4].map(|()| dominoes.by_ref().take(Hand::DEALT).collect::<Hand>());
        let config = Config { deals: [deal].into(), shaker: Seat::new(3), ..Config::default() };
        let mut game = Game::new(Context::compose(&config).unwrap());
        let [zero, others @ ..] = Seat::ALL;
        let bid = Action::Bid { player: zero, bid: Bid::marks(1) };
        let passes = others.map(|player| Action::Pass { player });
        let opening = [bid].into_iter().chain(passes).chain([Action::SelectTrump { player: zero, trump }]);
        for action in opening.chain(actions) {
            game.apply(action).unwrap();
        }
        game
    }

    fn play(seat: usize, high: u8, low: u8) -> Action {
        Action::Play { player: Seat::ALL[seat], domino: Domino::new(high, low).unwrap() }
    }

    #[test]
    fn a_claim_gives_the_tricks_that_are_left_to_the_side_that_wins_it() {
        let trick = [play(0, 6, 6), play(1, 5, 5), play(2, 4, 3), play(3, 3, 0), Action::CompleteTrick];
        let claim = Action::Claim { player: Seat::ALL[0] };
        let taken = |game: &Game| tricks_taken(game.state());
        assert_eq!(taken(&declared(Trump::Sixes, trick)), [1, 0]);
        assert_eq!(taken(&declared(Trump::Sixes, trick.into_iter().chain([claim]))), [7, 0]);
        assert_eq!(taken(&declared(Trump::Fives, [claim])), [0, 7], "seat 1 has trumps");
    }

    #[test]
    fn only_who_is_to_play_learns_what_may_not_be_played() {
        let game = declared(Trump::Fives, [play(0, 6, 5)]);
        let blocked = |seat: usize| blocked(game.ctx(), game.state(), Seat::ALL[seat]);
        let four = Domino::new(4, 4).unwrap();
        assert_eq!(blocked(1).iter().map(|blocked| blocked.domino).collect::<Vec<_>>(), [four], "fives were led");
        assert!([0, 2, 3].iter().all(|seat| super::blocked(game.ctx(), game.state(), Seat::ALL[*seat]).is_empty()));
    }

    fn listed(layers: impl Into<Vec<Layer>>) -> Vec<Layer> {
        layers_of(&Config { layers: layers.into(), ..Config::default() })
    }

    #[test]
    fn every_layer_is_listed_with_its_parameters() {
        assert_eq!(listed(Layer::every()), Layer::every());
        let speed = Layer::Speed(Speed { delay: 70 });
        assert_eq!(listed([speed]), [speed]);
    }

    #[test]
    fn the_seed_and_the_number_of_a_deal_are_not_listed() {
        let one_hand = OneHand { difficulty: Some(Difficulty::Easy), ..OneHand::default() };
        let seeded = OneHand { seed: "lesson-1".parse().ok(), ..one_hand };
        assert_eq!(listed([Layer::OneHand(seeded)]), [Layer::OneHand(one_hand)]);
        let daily = DailyChallenge { star_thresholds: [20, 30, 40], ..DailyChallenge::default() };
        let dealt = DailyChallenge { deal: Some(7), ..daily };
        assert_eq!(listed([Layer::DailyChallenge(dealt)]), [Layer::DailyChallenge(daily)]);
    }

    /// Otherwise players would bid on contracts that nobody may name.
    #[test]
    fn a_hard_daily_challenge_hides_the_special_contracts_it_removes() {
        let nello = Layer::Nello(Nello::default());
        let daily = |difficulty| Layer::DailyChallenge(DailyChallenge { difficulty, ..DailyChallenge::default() });
        let (hard, easy) = (daily(Difficulty::Hard), daily(Difficulty::Easy));
        assert_eq!(listed([nello, hard]), [hard]);
        assert_eq!(listed([nello, easy]), [nello, easy]);
        assert_eq!(listed([hard, nello]), [hard, nello], "a later layer overrides the challenge");
    }
}
