//! The workload of `cargo xtask bench`: random games on the bare engine, and replays.
//!
//! `record SET GAMES` plays games and prints the number of actions. `play SET GAMES` does the same and then runs all of
//! them again, with `legal` and `advance` (`apply` in place) for each action; `copy SET GAMES` uses `legal` and
//! `apply`. Under an instruction counter, the difference to `record` is the cost of the engine alone, without that of
//! choosing. `time SET GAMES` and `replay RUNS` measure time. Without arguments (`cargo bench`), it prints all of them.
//! `cargo test` does the same with a hundredth of the work.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its arguments")]

use std::{hint::black_box, time::Instant};

use texas42_engine::{Context, Game, State, advance, apply, legal, replay};
use texas42_room::RandomPlayer;
use texas42_vocab::{Action, Config, Layer};

fn main() {
    let (options, args): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg == "--bench");
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["record", set, games] => println!("{}", recorded(set, number(games)).1.len()),
        ["play", set, games] => println!("{}", play(set, number(games), run)),
        ["copy", set, games] => println!("{}", play(set, number(games), run_copying)),
        ["time", set, games] => time(set, number(games)),
        ["allocations", set, games] => allocations(set, number(games)),
        ["replay", runs] => time_replay(number(runs)),
        ["state"] => println!("{}", size_of::<State>()),
        [] if options.is_empty() => everything(1),
        [] => everything(100),
        _ => panic!("play|time|allocations straight|all GAMES, replay RUNS, or state"),
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn everything(scale: u64) {
    println!("size of a state: {} bytes", size_of::<State>());
    for set in ["straight", "all"] {
        time(set, 200 * scale);
        allocations(set, 10 * scale);
    }
    time_replay(10 * scale);
}

/// Straight 42, or all layers that can be combined for a whole game. (Tournament excludes the special contracts, and
/// the two one-hand layers would end each game after a hand.)
fn layers(set: &str) -> Vec<Layer> {
    let whole_game = |layer: &Layer| !layer.forbids_special_contracts();
    match set {
        "straight" => Vec::new(),
        "all" => Layer::house_rules().filter(whole_game).collect(),
        _ => panic!("straight or all"),
    }
}

fn context(set: &str, number: u64) -> Context {
    let seed = format!("bench-{number}").parse().ok();
    Context::compose(&Config { layers: layers(set), seed, ..Config::default() }).expect("a playable table")
}

/// The actions of consecutive random games. A new game starts whenever one is over.
fn recorded(set: &str, games: u64) -> (Context, Vec<Action>) {
    let ctx = context(set, 0);
    let mut actions = Vec::new();
    for game in 0..games {
        let mut player = RandomPlayer::without_claims(game);
        let mut state = ctx.first_state();
        while let Some(action) = player.pick(&legal(&ctx, &state)) {
            state = apply(&ctx, &state, action).expect("a legal action");
            actions.push(action);
        }
    }
    (ctx, actions)
}

/// Runs recorded games with `legal` and `advance` for each action.
fn run(ctx: &Context, actions: &[Action]) {
    let first = ctx.first_state();
    let mut state = first;
    for action in actions {
        black_box(legal(ctx, &state));
        advance(ctx, &mut state, *action).expect("a recorded action");
        if state.phase.is_over() {
            state = first;
        }
    }
    black_box(state);
}

/// The same with a new state for each action.
fn run_copying(ctx: &Context, actions: &[Action]) {
    let first = ctx.first_state();
    let mut state = first;
    for action in actions {
        black_box(legal(ctx, &state));
        state = apply(ctx, &state, *action).expect("a recorded action");
        if state.phase.is_over() {
            state = first;
        }
    }
    black_box(state);
}

fn play(set: &str, games: u64, run: fn(&Context, &[Action])) -> usize {
    let (ctx, actions) = recorded(set, games);
    run(&ctx, &actions);
    actions.len()
}

fn time(set: &str, games: u64) {
    let (ctx, actions) = recorded(set, games);
    let started = Instant::now();
    run(&ctx, &actions);
    println!("time {set} {} {:.6}", actions.len(), started.elapsed().as_secs_f64());
}

fn allocations(set: &str, games: u64) {
    let (ctx, actions) = recorded(set, games);
    let counted = allocation_counter::measure(|| run(&ctx, &actions));
    println!("allocations {set} {} {}", actions.len(), counted.count_total);
}

/// A whole game of seven marks, replayed from its log.
fn time_replay(runs: u64) {
    let mut game = Game::new(context("straight", 7));
    let mut player = RandomPlayer::without_claims(7);
    while let Some(action) = player.pick(&game.legal()) {
        game.apply(action).expect("a legal action");
    }
    let started = Instant::now();
    for _ in 0..runs {
        black_box(replay(game.ctx(), game.log()).expect("the log of a game"));
    }
    let each = started.elapsed().as_secs_f64() / runs as f64;
    println!("replay {} {:.9}", game.log().len(), each);
}
