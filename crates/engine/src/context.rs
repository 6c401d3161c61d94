//! Composition: turns a configuration into a [`Context`].
//!
//! Only `crates/room` composes; everything else receives a context. Invalid configurations are rejected here, with an
//! error that names the field and what to change.

use alloc::{boxed::Box, vec::Vec};

use texas42_phrases::Problem;
use texas42_vocab::{Bid, Config, Control, DailyChallenge, Deal, Hand, Layer, Phase, Scoring, Seat, SeedText, Team};

use crate::{
    deal::{DealSource, Dealer, seed_root},
    layers::{self, Base, daily_seed},
    offers::{Annotated, Offers},
    rules::Rules,
    state::{SeatSet, State},
    terms::{Contract, Terms},
};

/// Why a configuration is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ConfigError {
    /// The invalid field.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: Problem,
}

impl ConfigError {
    /// An error about one field.
    pub const fn new(field: &'static str, problem: Problem) -> Self {
        Self { field, problem }
    }
}

/// Upper bounds for configurations.
pub mod limits {
    /// The maximum number of layers.
    pub const LAYERS: usize = 16;
    /// The maximum number of explicit deals.
    pub const DEALS: usize = 100;
    /// The highest target in marks.
    pub const TARGET_MARKS: u16 = 100;
    /// The highest target in points.
    pub const TARGET_POINTS: u16 = 5000;
}

/// The default seed.
pub(crate) fn default_seed() -> SeedText {
    "texas-42".parse().expect("the default seed is valid")
}

/// The composed rules of a game: straight 42 with the layers of a [`Config`] on top.
///
/// A `Context` is immutable and holds no game state. Compose it once, then pass it to [`legal`](crate::legal()),
/// [`apply`](crate::apply()) and [`replay`](crate::replay), or move it into a [`Game`](crate::Game).
///
/// ```
/// use texas42_engine::{Context, apply, legal};
/// use texas42_vocab::Config;
///
/// let ctx = Context::compose(&Config::default()).unwrap();
/// let state = ctx.first_state();
/// let pass = legal(&ctx, &state).nth(0).unwrap();
/// assert_eq!(apply(&ctx, &state, pass).unwrap().turn, state.turn.left());
/// ```
#[derive(Debug)]
pub struct Context {
    config: Config,
    base: Base,
    layers: Vec<Box<dyn Rules>>,
    /// For each phase, the indexes of the layers that offer and annotate actions in it.
    offering: [Vec<u8>; Phase::ALL.len()],
    annotating: [Vec<u8>; Phase::ALL.len()],
    seed: SeedText,
    dealer: Dealer,
    shaker: Seat,
}

impl Context {
    /// Checks a configuration and composes it.
    ///
    /// # Errors
    /// Fails if layers are incompatible, a parameter is out of range or a deal is invalid.
    pub fn compose(config: &Config) -> Result<Self, ConfigError> {
        Self::compose_all(config, Vec::new(), None)
    }

    /// Composes a configuration whose hands come from `source` instead of its seed.
    ///
    /// # Errors
    /// Same as [`Context::compose`].
    pub fn compose_with_source(config: &Config, source: DealSource) -> Result<Self, ConfigError> {
        Self::compose_all(config, Vec::new(), Some(source))
    }

    /// Composes a configuration with extra layers on top of its own, to try out layers that a [`Config`] cannot name
    /// yet.
    ///
    /// # Errors
    /// Same as [`Context::compose`].
    pub fn compose_with(config: &Config, extra: Vec<Box<dyn Rules>>) -> Result<Self, ConfigError> {
        Self::compose_all(config, extra, None)
    }

    fn compose_all(
        config: &Config,
        extra: Vec<Box<dyn Rules>>,
        source: Option<DealSource>,
    ) -> Result<Self, ConfigError> {
        check_fields(config)?;
        let mut layers: Vec<Box<dyn Rules>> = config.layers.iter().map(layers::rules_of).collect();
        layers.extend(extra);
        layers.iter().try_for_each(|layer| layer.check(config))?;
        let configured_seed = config.seed.unwrap_or_else(default_seed);
        let seed = layers.iter().fold(configured_seed, |seed, layer| layer.seed(seed));
        let source = source.unwrap_or_else(|| DealSource::Seeded(seed_root(&seed)));
        let dealer = Dealer::new(source, config.deals.clone());
        let shaker = config.shaker.unwrap_or_else(|| dealer.first_shaker());
        let base = Base::new(config);
        let offering = Phase::ALL.map(|phase| layer_indexes(&layers, |layer| layer.offers_in().contains(&phase)));
        let annotating = Phase::ALL.map(|phase| layer_indexes(&layers, |layer| layer.annotates_in().contains(&phase)));
        Ok(Self { config: config.clone(), base, layers, offering, annotating, seed, dealer, shaker })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The seed from which the hands are dealt.
    pub fn seed(&self) -> &SeedText {
        &self.seed
    }

    /// The base layer and the configured layers, in the order in which they are called.
    pub fn layers(&self) -> impl Iterator<Item = &dyn Rules> {
        core::iter::once(&self.base as &dyn Rules).chain(self.layers.iter().map(|layer| &**layer))
    }

    /// The layers of the configuration, without the base layer.
    pub fn configured(&self) -> &[Layer] {
        &self.config.layers
    }

    /// The seat that names trumps if this bid wins the auction.
    pub fn declarer(&self, bidder: Seat, bid: Bid) -> Seat {
        self.layers.iter().fold(bidder, |prev, layer| layer.declarer(bidder, bid, prev))
    }

    /// The terms of a hand before any layer changes them.
    pub(crate) fn first_terms(&self, contract: &Contract) -> Terms {
        self.base.first_terms(contract)
    }

    /// The terms of a hand under this contract.
    pub fn terms(&self, contract: &Contract) -> Terms {
        self.layers.iter().fold(self.first_terms(contract), |prev, layer| layer.terms(contract, prev))
    }

    /// The phase after a scored hand.
    pub fn phase_after_hand(&self, state: &State) -> Phase {
        let base = self.base.after_hand(state, Phase::Bidding);
        self.layers.iter().fold(base, |prev, layer| layer.after_hand(state, prev))
    }

    /// The winning team, once the game is over. If both teams reach the target with the same hand, the higher score
    /// wins, and the bidding team wins a tie. A one-hand game is won by the team that scored.
    pub fn winner(&self, state: &State) -> Option<Team> {
        let bidders = state.last_hand.filter(|_| state.phase.is_over())?.contract.bidder.team();
        let [ours, theirs] = [bidders, bidders.other()].map(|team| state.score[team.index()]);
        Some(if ours >= theirs { bidders } else { bidders.other() })
    }

    /// The daily challenge, if this game deals its hand. A hand that somebody chose, with `deals` or another seed, is not the
    /// hand of the day and earns no stars.
    pub fn challenge(&self) -> Option<&DailyChallenge> {
        let is_dealt = |daily: &&DailyChallenge| self.config.deals.is_empty() && self.seed == daily_seed(daily);
        self.config.daily_challenge().filter(is_dealt)
    }

    /// The stars of a finished daily challenge.
    pub fn stars(&self, state: &State) -> Option<u8> {
        let result = state.last_hand.filter(|_| state.phase.is_over())?;
        let goal = self.terms(&result.contract).goal;
        self.challenge().map(|challenge| layers::stars(challenge, &result, goal))
    }

    /// The deal of the hand with this number, counted from 0.
    pub fn deal(&self, hand_number: u32) -> Deal {
        self.dealer.deal(hand_number)
    }

    /// The legal actions of a state. Callers outside of this crate use [`crate::legal`].
    #[inline(always)]
    pub(crate) fn offers(&self, state: &State) -> Offers {
        let mut offers = Offers::to(state.turn, state.phase);
        self.base.offer(state, &mut offers);
        for layer in &self.offering[state.phase as usize] {
            self.layers[usize::from(*layer)].offer(state, &mut offers);
        }
        offers
    }

    /// The legal actions of a state with the annotations of the layers.
    pub fn annotated(&self, state: &State) -> Annotated {
        let mut annotated = Annotated::from(&self.offers(state));
        self.base.annotate(state, &mut annotated);
        for layer in &self.annotating[state.phase as usize] {
            self.layers[usize::from(*layer)].annotate(state, &mut annotated);
        }
        annotated
    }

    /// The initial state, with the first hand dealt.
    pub fn first_state(&self) -> State {
        let humans = Seat::ALL
            .into_iter()
            .fold(SeatSet::default(), |set, seat| set.set(seat, self.config.players[seat.index()] == Control::Human));
        State::opening(self.shaker, self.deal(0), humans)
    }
}

/// The terms of a hand under a contract, like [`Context::terms`], for callers that know the configuration of a table
/// but do not run it. It does not validate the configuration.
pub fn terms_under(rules: &Config, contract: &Contract) -> Terms {
    let first = Base::new(rules).first_terms(contract);
    rules.layers.iter().map(layers::rules_of).fold(first, |prev, layer| layer.terms(contract, prev))
}

/// The seat that names trumps if this bid wins the auction, like [`Context::declarer`], without a context.
pub fn declarer_under(rules: &Config, bidder: Seat, bid: Bid) -> Seat {
    rules.layers.iter().map(layers::rules_of).fold(bidder, |prev, layer| layer.declarer(bidder, bid, prev))
}

/// The indexes of the layers for which `predicate` returns true.
fn layer_indexes(layers: &[Box<dyn Rules>], predicate: impl Fn(&dyn Rules) -> bool) -> Vec<u8> {
    (0..).zip(layers).filter(|(_, layer)| predicate(&***layer)).map(|(number, _)| number).collect()
}

fn check_fields(config: &Config) -> Result<(), ConfigError> {
    check_layers(&config.layers)?;
    check_target(config)?;
    if config.deals.len() > limits::DEALS {
        return Err(ConfigError::new("deals", Problem::TooManyDeals { most: limits::DEALS as u16 }));
    }
    (0..).zip(&config.deals).try_for_each(|(number, deal)| check_deal(number, deal))
}

fn check_layers(layers: &[Layer]) -> Result<(), ConfigError> {
    if layers.len() > limits::LAYERS {
        return Err(ConfigError::new("layers", Problem::TooManyLayers { most: limits::LAYERS as u16 }));
    }
    for (at, layer) in layers.iter().enumerate() {
        if layers[..at].iter().any(|earlier| earlier.name() == layer.name()) {
            return Err(ConfigError::new("layers", Problem::LayerTwice { layer: layer.name().into() }));
        }
    }
    Ok(())
}

fn check_target(config: &Config) -> Result<(), ConfigError> {
    let most = match config.scoring {
        Scoring::Marks => limits::TARGET_MARKS,
        Scoring::Points => limits::TARGET_POINTS,
    };
    let target = config.target();
    if (1..=most).contains(&target) {
        return Ok(());
    }
    Err(ConfigError::new("target", Problem::TargetOutOfRange { target, most }))
}

fn check_deal(deal: u16, hands: &Deal) -> Result<(), ConfigError> {
    let wrong = |problem| Err(ConfigError::new("deals", problem));
    let mut seen = Hand::EMPTY;
    for (seat, hand) in (0..).zip(hands) {
        if hand.len() != Hand::DEALT {
            return wrong(Problem::DealSize { deal, seat, dominoes: hand.len() as u8 });
        }
        if let Some(domino) = (seen & *hand).into_iter().next() {
            return wrong(Problem::DealtTwice { deal, domino });
        }
        seen |= *hand;
    }
    Ok(())
}
