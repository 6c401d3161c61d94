//! The CPU time of a decision, by trick. `cargo bench -p texas42-ai -- expert 100 50` measures the expert with 100
//! worlds in 50 hands. The defaults are the strategy's own number of worlds, and 20 hands; `cargo test` plays one hand of a
//! beginner.

use std::time::Duration;

use cpu_time::ThreadTime;
use texas42_ai::{DecisionPoint, Strategy};
use texas42_room::HeadlessRoom;
use texas42_vocab::{Config, Phase};

fn main() {
    let (options, args): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg == "--bench");
    let (usual, usual_hands) = if options.is_empty() { (Strategy::Beginner, 1) } else { (Strategy::Expert, 20) };
    let strategy: Strategy = args.first().and_then(|name| name.parse().ok()).unwrap_or(usual);
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u32>().ok());
    let (worlds, hands) = (number(1).filter(|worlds| *worlds > 0), number(2).unwrap_or(usual_hands));
    let mut costs = [Cost::default(); 9];
    for hand in 0..hands {
        play(strategy, worlds, hand, &mut costs);
    }
    let effort = worlds.map_or_else(|| "its usual worlds".to_owned(), |worlds| format!("{worlds} worlds"));
    println!("{strategy} with {effort}, {hands} hands");
    for (place, cost) in costs.iter().enumerate().filter(|(_, cost)| cost.decisions > 0) {
        let mean = cost.time.as_secs_f64() * 1000.0 / f64::from(cost.decisions);
        let most = cost.most.as_secs_f64() * 1000.0;
        let what = match place {
            0 => "bid or trump".to_owned(),
            trick => format!("trick {trick}"),
        };
        println!("{what:<14} {:>6} decisions  mean {mean:>9.3} ms  most {most:>9.3} ms", cost.decisions);
    }
}

#[derive(Clone, Copy, Default)]
struct Cost {
    decisions: u32,
    time: Duration,
    most: Duration,
}

/// Plays one hand. Moves without a choice are not measured.
fn play(strategy: Strategy, worlds: Option<u32>, hand: u32, costs: &mut [Cost; 9]) {
    let seed = format!("bench-{hand}").parse().expect("a seed");
    let mut room = HeadlessRoom::new(&Config { seed: Some(seed), ..Config::default() }).expect("straight 42");
    while room.state().hand_number == 0 && room.state().phase != Phase::Scoring {
        let offers = room.legal();
        let Some(mut action) = offers.nth(0) else { return };
        if let Some(seat) = room.state().to_act().filter(|_| offers.len() > 1) {
            let view = room.view(seat);
            let point = DecisionPoint { worlds, ..DecisionPoint::new(&view, seat, u64::from(hand)) };
            let started = ThreadTime::now();
            action = strategy.decide(&point).expect("there is a choice").action;
            let time = started.elapsed();
            let place = if room.state().phase == Phase::Playing { 1 + room.state().taken().len() } else { 0 };
            let cost = &mut costs[place];
            *cost = Cost { decisions: cost.decisions + 1, time: cost.time + time, most: cost.most.max(time) };
        }
        room.execute(action).expect("a decision is legal");
    }
}
