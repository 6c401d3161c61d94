//! How long the review of a game to seven marks takes. `cargo bench -p texas42-ai --bench review -- 100` reviews with 100
//! worlds for a decision; `cargo test` reviews one hand with two.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its arguments")]

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use texas42_ai::{
    DecisionPoint, Strategy,
    review::{Finding, Review, ReviewOptions},
};
use texas42_engine::Game;
use texas42_room::HeadlessRoom;
use texas42_solver::{Position, Solver};
use texas42_vocab::{Action, Config};

/// The games that are reviewed: straight 42, and with every special contract.
const TABLES: [&str; 2] =
    [r"{}", r#"{"layers":[{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"}]}"#];
/// The number of threads of a review, as on the machine that the limits are for.
const THREADS: usize = 2;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let worlds = args.first().and_then(|text| text.parse().ok());
    let (worlds, hands, tables) = worlds.map_or((2, 1, &TABLES[..1]), |worlds| (worlds, u32::MAX, &TABLES[..]));
    println!("review of a game of intermediate bots, {worlds} worlds for a decision");
    for table in tables {
        let room = played(table, hands);
        let options = ReviewOptions { worlds, ..ReviewOptions::default() };
        println!("{table}");
        println!("  hands, events                    {:>6} {:>6}", room.state().hand_number, room.game().log().len());
        println!("  all hands open, longest hand     {:>9.1} ms (at most 1000)", ms(exact(room.game())));
        let (whole, longest, first) = both(room.game(), options);
        println!("  both lenses, {THREADS} threads           {:>9.1} ms (at most 6000 for 100 worlds)", ms(whole));
        println!("  longest step                     {:>9.1} ms", ms(longest));
        println!("  first result                     {:>9.1} ms", ms(first));
    }
}

fn ms(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

/// A game of bots, or its first hands.
fn played(table: &str, hands: u32) -> HeadlessRoom {
    let config: Config = serde_json::from_str(table).expect("a configuration");
    let seed = "review-bench".parse().expect("a seed");
    let mut room = HeadlessRoom::new(&Config { seed: Some(seed), ..config }).expect("a playable configuration");
    while let Some(action) = next(&room).filter(|_| room.state().hand_number < hands) {
        room.execute(action).expect("a decision is legal");
    }
    room
}

fn next(room: &HeadlessRoom) -> Option<Action> {
    let Some(seat) = room.state().to_act() else { return room.legal().nth(0) };
    let view = room.view(seat);
    Strategy::Intermediate.decide(&DecisionPoint::new(&view, seat, 1)).map(|decision| decision.action)
}

/// The exact value of every play of a hand, for the hand that takes longest.
fn exact(game: &Game) -> Duration {
    let mut hands = std::collections::BTreeMap::<u32, Duration>::new();
    let mut solver = Solver::new();
    for event in 0..game.log().len() {
        let Some(state) = game.state_at(event) else { continue };
        let started = Instant::now();
        if let Some(position) = Position::from_state(&state) {
            solver.moves(&position);
        }
        *hands.entry(state.hand_number).or_default() += started.elapsed();
    }
    hands.into_values().max().unwrap_or_default()
}

/// The time of the whole review, of its longest step, and until the first result.
fn both(game: &Game, options: ReviewOptions) -> (Duration, Duration, Duration) {
    let review = Review::new(game, options);
    let (next, times) = (AtomicUsize::new(0), Mutex::new(Vec::<(Duration, Duration, Finding)>::new()));
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut solver = Solver::new();
                loop {
                    let step = next.fetch_add(1, Ordering::Relaxed);
                    if step >= review.total() {
                        return;
                    }
                    let begun = Instant::now();
                    let finding = review.evaluate(game, step, &mut solver);
                    times.lock().expect("no step panics").push((begun.elapsed(), started.elapsed(), finding));
                }
            });
        }
    });
    let whole = started.elapsed();
    let times = times.into_inner().expect("no step panics");
    let longest = times.iter().map(|(step, ..)| *step).max().unwrap_or_default();
    let found = times.iter().filter(|(.., finding)| finding.decision().is_some());
    (whole, longest, found.map(|(_, at, _)| *at).min().unwrap_or_default())
}
