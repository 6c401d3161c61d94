//! Hands to solve, and two slow reference solvers that use only the engine.

#![allow(dead_code, unreachable_pub, reason = "each test and the command use a part of it")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeMap;

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use texas42_engine::{Context, Goal, State, advance, deal, legal};
use texas42_solver::Value;
use texas42_vocab::{
    Action, Bid, BidKind, Config, Deal, Domino, Doubles, Hand, Layer, Lead, Nello, Phase, Plunge, Seat, Sevens, Splash,
    Trump,
};

/// A seeded generator.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A contract, and the layer it needs.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub layer: Option<Layer>,
    pub bid: Bid,
    pub trump: Trump,
    /// The number of doubles that the bidder needs.
    pub doubles: usize,
}

/// Every contract with every option: nine trumps for points and for marks, nello in six ways, plunge, splash, sevens.
pub fn kinds() -> Vec<Kind> {
    let kind = |bid, trump| Kind { layer: None, bid, trump, doubles: 0 };
    let straight = Trump::STRAIGHT.into_iter();
    let mut kinds: Vec<Kind> = straight
        .flat_map(|t| [30, 34, 41].map(Bid::points).into_iter().chain([Bid::marks(1)]).map(move |b| kind(b, t)))
        .collect();
    for doubles in [Doubles::Own, Doubles::High, Doubles::Low] {
        for lead in [Lead::Bidder, Lead::Left] {
            let layer = Some(Layer::Nello(Nello { minimum: 1, lead, doubles }));
            kinds.extend([0; 2].map(|_| Kind { layer, ..kind(Bid::marks(1), Trump::Nello) }));
        }
    }
    kinds.extend([0; 2].map(|_| Kind { layer: Some(Layer::Sevens(Sevens {})), ..kind(Bid::marks(1), Trump::Sevens) }));
    for trump in Trump::STRAIGHT {
        let plunge = Bid { kind: BidKind::Plunge, value: 4 };
        let splash = Bid { kind: BidKind::Splash, value: 2 };
        kinds.push(Kind { layer: Some(Layer::Plunge(Plunge {})), doubles: 4, ..kind(plunge, trump) });
        kinds.push(Kind { layer: Some(Layer::Splash(Splash {})), doubles: 3, ..kind(splash, trump) });
    }
    kinds
}

/// A hand that is about to be played, and its rules. It is played to the last trick, so that every point counts.
pub struct Table {
    pub ctx: Context,
    pub state: State,
}

impl Table {
    pub fn new(kind: &Kind, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let shaker = random.pick(&Seat::ALL);
        let bidder = shaker.left();
        let deal = dealt(&mut random, bidder, kind.doubles);
        let config = Config {
            layers: kind.layer.into_iter().collect(),
            deals: vec![deal],
            shaker: Some(shaker),
            play_on: true,
            ..Config::default()
        };
        let ctx = Context::compose(&config).unwrap();
        let state = ctx.first_state();
        let mut table = Self { ctx, state };
        table.act(Action::Bid { player: bidder, bid: kind.bid });
        bidder.round().skip(1).for_each(|player| table.act(Action::Pass { player }));
        let player = table.state.turn;
        table.act(Action::SelectTrump { player, trump: kind.trump });
        table
    }

    pub fn act(&mut self, action: Action) {
        advance(&self.ctx, &mut self.state, action).unwrap();
    }

    /// Plays at random until at most `dominoes` are left in the hands of the playing seats, or the hand is over.
    pub fn play_down_to(&mut self, dominoes: usize, random: &mut Random) {
        while self.in_hands() > dominoes && self.state.phase == Phase::Playing {
            let plays: Vec<Action> = self.moves(&self.state).collect();
            self.act(random.pick(&plays));
        }
    }

    fn in_hands(&self) -> usize {
        let sits_out = self.state.terms.unwrap().sits_out;
        let playing = Seat::ALL.into_iter().filter(|seat| sits_out != Some(*seat));
        playing.map(|seat| self.state.hands[seat.index()].len()).sum()
    }

    /// The legal moves except claims.
    pub fn moves(&self, state: &State) -> impl Iterator<Item = Action> + use<> {
        legal(&self.ctx, state).iter().filter(|action| !matches!(action, Action::Claim { .. }))
    }

    /// What the bidders gain with perfect play, and whether the contract is made. Each is searched separately and
    /// exhaustively.
    pub fn brute_force(&self, state: &State) -> (u8, bool) {
        if state.phase != Phase::Playing {
            return (gained(state), state.outcome.unwrap().made);
        }
        let results = self.moves(state).map(|action| {
            let mut next = *state;
            advance(&self.ctx, &mut next, action).unwrap();
            self.brute_force(&next)
        });
        let wants = wants(state);
        results.reduce(|a, b| if wants { (a.0.max(b.0), a.1 | b.1) } else { (a.0.min(b.0), a.1 & b.1) }).unwrap()
    }

    /// What the bidders gain, by alpha-beta with a table of positions between two tricks.
    pub fn alpha_beta(&self, state: &State) -> u8 {
        AlphaBeta { table: self, known: BTreeMap::new() }.solve(state, 0, u8::MAX)
    }
}

fn dealt(random: &mut Random, bidder: Seat, doubles: usize) -> Deal {
    loop {
        let number = random.below(1 << 30) as u32;
        let mut hands = deal::deal(&deal::hand_key(&[42; 32], number));
        if let Some(seat) = hands.iter().position(|hand| hand.doubles() >= doubles) {
            hands.swap(seat, bidder.index());
            return hands;
        }
    }
}

fn wants(state: &State) -> bool {
    state.turn.team() == state.terms.unwrap().bidder.team()
}

/// A value on the scale of [`gained`].
pub fn gained_by(value: Value) -> u8 {
    value.points().or(value.tricks().map(|tricks| 7 - tricks)).unwrap()
}

/// The points of the bidders, or in nello the tricks of the defenders.
fn gained(state: &State) -> u8 {
    let terms = state.terms.unwrap();
    let bidders = terms.bidder.team();
    match terms.goal {
        Goal::NoTrick => state.tally.tricks[bidders.other().index()],
        _ => state.tally.points[bidders.index()],
    }
}

struct AlphaBeta<'a> {
    table: &'a Table,
    /// Bounds of what is still to be gained, by the remaining dominoes and the leader.
    known: BTreeMap<u32, (u8, u8)>,
}

impl AlphaBeta<'_> {
    fn solve(&mut self, state: &State, alpha: u8, beta: u8) -> u8 {
        if state.phase != Phase::Playing {
            return gained(state);
        }
        if !state.trick.is_empty() {
            return self.search(state, alpha, beta);
        }
        let so_far = gained(state);
        let left = state.hands.iter().fold(Hand::EMPTY, |left, hand| left | *hand);
        let key = left.bits() | (state.turn.index() as u32) << Domino::COUNT;
        let (low, high) = self.known.get(&key).copied().unwrap_or((0, 42));
        let (low_now, high_now) = (low + so_far, high + so_far);
        if low_now >= beta || low == high {
            return low_now;
        }
        if high_now <= alpha {
            return high_now;
        }
        let value = self.search(state, alpha, beta);
        let rest = value - so_far;
        let low = if value > alpha { low.max(rest) } else { low };
        let high = if value < beta { high.min(rest) } else { high };
        self.known.insert(key, (low, high));
        value
    }

    fn search(&mut self, state: &State, mut alpha: u8, mut beta: u8) -> u8 {
        let wants = wants(state);
        let mut best = None::<u8>;
        for action in self.table.moves(state) {
            let mut next = *state;
            advance(&self.table.ctx, &mut next, action).unwrap();
            let value = self.solve(&next, alpha, beta);
            best = Some(best.map_or(value, |best| if wants { best.max(value) } else { best.min(value) }));
            if wants {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        best.unwrap()
    }
}
