//! Functions that are built natively and for WebAssembly, to show that both builds compute the same games.
//!
//! `tests/same_as_native.rs` compares their results. Browsers and the edge run the engine as WebAssembly, servers run
//! it natively, and a game may move between them, so a difference would break it.

use texas42_ai::{DecisionPoint, HandEstimate, Strategy};
use texas42_engine::{Contract, Tally, deal, state_hash, terms_under};
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_solver::{Position, Solver};
use texas42_vocab::{Bid, Config, Layer, Seat, SeedText};

/// A digest of `games` games that derive from `seed`; compared by the tests.
#[expect(unsafe_code, reason = "a host finds the function by this name; no other function of ours has it")]
#[unsafe(no_mangle)]
pub extern "C" fn probe(seed: u32, games: u32) -> u64 {
    digest(seed, games)
}

/// A digest of the values of full deals and of the nodes searched; compared by the tests and timed by the benchmark.
#[expect(unsafe_code, reason = "a host finds the function by this name; no other function of ours has it")]
#[unsafe(no_mangle)]
pub extern "C" fn solve(seed: u32, deals: u32) -> u64 {
    let mut digest = Digest::default();
    let mut solver = Solver::new();
    for number in 0..deals {
        let value = solver.value(&full_deal(seed, number));
        digest.add(&[value.points().unwrap_or(0)]);
        digest.add(&solver.nodes().to_le_bytes());
    }
    digest.0
}

/// A hand about to be played for 30, with the most promising trumps.
fn full_deal(seed: u32, number: u32) -> Position {
    let text: SeedText = format!("solve-{seed}-{number}").parse().expect("letters, digits and dashes");
    let hands = deal::deal(&deal::hand_key(&deal::seed_root(&text), 0));
    let bidder = Seat::ALL[0];
    let contract =
        Contract { bidder, bid: Bid::points(30), declarer: bidder, trump: HandEstimate::best(hands[0]).trump };
    let terms = terms_under(&Config::default(), &contract);
    Position::new(&terms, hands, bidder, &[], &Tally::default()).expect("a full deal")
}

/// A digest of the expert's decisions; compared by the tests.
#[expect(unsafe_code, reason = "a host finds the function by this name; no other function of ours has it")]
#[unsafe(no_mangle)]
pub extern "C" fn think(seed: u32, worlds: u32, decisions: u32) -> u64 {
    let text: SeedText = format!("think-{seed}").parse().expect("letters, digits and dashes");
    let mut room = HeadlessRoom::new(&Config { seed: Some(text), ..Config::default() }).expect("straight 42");
    let mut digest = Digest::default();
    for number in 0..decisions {
        let Some(mut action) = room.legal().nth(0) else { break };
        if let Some(seat) = room.state().to_act() {
            let view = room.view(seat);
            let ask = DecisionPoint { worlds: Some(worlds), ..DecisionPoint::new(&view, seat, u64::from(number)) };
            let decision = Strategy::Expert.decide(&ask).expect("somebody is to act");
            digest.add(format!("{:?}", decision.why).as_bytes());
            action = decision.action;
        }
        room.execute(action).expect("a legal action is accepted");
    }
    digest.0
}

/// A digest of every state of every game, the number of legal actions in it, and the game codes. Straight 42 alternates
/// with a table that has every layer.
fn digest(seed: u32, games: u32) -> u64 {
    let mut digest = Digest::default();
    for number in 0..games {
        let text: SeedText = format!("probe-{seed}-{number}").parse().expect("letters, digits and dashes");
        add_shuffles(&mut digest, &text);
        let layers = if number % 2 == 0 { Vec::new() } else { every_layer() };
        play(
            &mut digest,
            &Config { seed: Some(text), layers, ..Config::default() },
            u64::from(seed) << 32 | u64::from(number),
        );
    }
    digest.0
}

/// Adds the first hands of a seed and the last possible one.
fn add_shuffles(digest: &mut Digest, seed: &SeedText) {
    let root = deal::seed_root(seed);
    digest.add(&[deal::draw_first_shaker(&root).into()]);
    for number in [0, 1, 2, u32::MAX] {
        let dominoes = deal::shuffle(&deal::hand_key(&root, number));
        digest.add(&dominoes.map(|domino| domino.index() as u8));
    }
}

/// All layers that can be combined for a whole game. Tournament excludes the special contracts, and the two one-hand
/// layers would end the game early.
fn every_layer() -> Vec<Layer> {
    Layer::house_rules().filter(|layer| !layer.forbids_special_contracts()).collect()
}

fn play(digest: &mut Digest, config: &Config, seed: u64) {
    let mut room = HeadlessRoom::new(config).expect("the table can be played");
    let mut player = RandomPlayer::new(seed);
    digest.add(&state_hash(room.state()).to_le_bytes());
    while let Some(action) = player.pick(&room.legal()) {
        digest.add(&[room.legal().len() as u8]);
        let state = room.execute(action).expect("a legal action is accepted");
        digest.add(&state_hash(state).to_le_bytes());
    }
    digest.add(room.code().as_bytes());
}

/// FNV-1a: short, portable, and good enough to tell two sequences apart.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
