//! The cost of the solver in time and in nodes, which are the same on every machine.
//!
//! Solves random full deals with a sensible trump: the bidder's longest suit, or the stronger of two. `cargo bench -p
//! texas42-solver -- 1000` sets the number of deals; `-- count 1000` prints only the nodes of exact values. `cargo test`
//! solves one deal.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its arguments")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use texas42_engine::{Goal, Suits, Tally, Terms, deal};
use texas42_solver::{Position, Solver};
use texas42_vocab::{Hand, Pip, Seat};

const USUAL_DEALS: u32 = 1000;

fn main() {
    let has = |word: &str| std::env::args().any(|arg| arg == word);
    let given = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let deals = given.unwrap_or(if has("--bench") { USUAL_DEALS } else { 1 });
    if has("count") {
        return count(deals);
    }
    println!("{deals} full deals, a sensible trump, everything forgotten before each");
    println!("{:<20} {:>9} {:>9} {:>9} {:>11} {:>11}", "", "mean", "median", "p99", "mean ms", "p99 ms");
    row("exact value", deals, 30, |solver, position| {
        black_box(solver.value(position));
    });
    row("make 30, yes or no", deals, 30, |solver, position| {
        black_box(solver.makes(position));
    });
    row("make 42, yes or no", deals, 42, |solver, position| {
        black_box(solver.makes(position));
    });
    row("all leads exactly", deals, 30, |solver, position| {
        black_box(solver.moves(position));
    });
    row("line of best play", deals, 30, |solver, position| {
        black_box(solver.principal_variation(position));
    });
}

/// Computes exact values and prints the nodes, without timing, for instruction counters.
fn count(deals: u32) {
    let mut solver = Solver::new();
    for number in 0..deals {
        solver.forget();
        black_box(solver.value(&position(number, 30)));
    }
    println!("{}", solver.nodes());
}

/// A full deal in which the bidder leads and its longest suit is trumps.
fn position(number: u32, goal: u8) -> Position {
    let hands = deal::deal(&deal::hand_key(&[1; 32], number));
    let bidder = Seat::ALL[0];
    let terms = Terms {
        bidder,
        leader: bidder,
        sits_out: None,
        suits: Suits::Trumps(sensible_trump(hands[0])),
        goal: Goal::Points(goal),
        worth: u16::from(goal),
        scoring: Default::default(),
        play_on: false,
    };
    Position::new(&terms, hands, bidder, &[], &Tally::default()).expect("a full deal")
}

fn sensible_trump(hand: Hand) -> Pip {
    let of = |pip: Pip| hand.into_iter().filter(move |domino| domino.has(pip));
    let strength = |pip: Pip| of(pip).map(|domino| Suits::Trumps(pip).power(pip, domino)).map(u32::from).sum::<u32>();
    (0..=6).max_by_key(|pip| (of(*pip).count(), strength(*pip))).expect("there are seven suits")
}

fn row(name: &str, deals: u32, goal: u8, ask: impl Fn(&mut Solver, &Position)) {
    let mut solver = Solver::new();
    let (mut nodes, mut times) = (Vec::new(), Vec::new());
    for number in 0..deals {
        let position = position(number, goal);
        solver.forget();
        let (before, started) = (solver.nodes(), Instant::now());
        ask(&mut solver, &position);
        times.push(started.elapsed());
        nodes.push(solver.nodes() - before);
    }
    nodes.sort_unstable();
    times.sort_unstable();
    let mean = nodes.iter().sum::<u64>() / nodes.len() as u64;
    let mean_time = times.iter().sum::<Duration>() / deals;
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    println!(
        "{name:<20} {mean:>9} {:>9} {:>9} {:>11.3} {:>11.3}",
        at(&nodes, 50),
        at(&nodes, 99),
        ms(mean_time),
        ms(at(&times, 99))
    );
}

fn at<T: Copy>(sorted: &[T], percent: usize) -> T {
    sorted[(sorted.len() - 1) * percent / 100]
}
