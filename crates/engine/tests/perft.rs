//! Golden numbers: the number of ways to play a number of steps (perft), and the final hashes of fixed games. They are
//! the same on every host and change only when the rules change.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use support::*;
use texas42_engine::{Context, State, apply, state_hash};
use texas42_vocab::{Action, Phase};

/// The number of ways to play exactly `steps` steps from a state; 0 if the game ends earlier.
fn ways(ctx: &Context, state: &State, steps: usize) -> u64 {
    let moves = moves_in(ctx, state);
    if steps == 1 {
        return moves.len() as u64;
    }
    moves.into_iter().map(|action| ways(ctx, &apply(ctx, state, action).unwrap(), steps - 1)).sum()
}

/// Layers, and the number of ways for one step, two steps and so on from the first deal of the seed `perft`.
const FROM_THE_DEAL: [(&str, &[u64]); 6] = [
    ("", &[15, 121, 697, 3214, 28918, 231351]),
    ("forced-bid", &[15, 121, 697, 3213, 28917, 231336]),
    ("tournament consensus speed hints", &[15, 121, 697, 3214, 28918, 231351]),
    ("nello sevens", &[15, 121, 697, 3214, 31706, 245291]),
    ("plunge splash", &[17, 125, 705, 3230, 29062, 232503]),
    ("nello plunge splash sevens forced-bid consensus one-hand", &[17, 125, 705, 3229, 31877, 246568]),
];

fn context_of(names: &str) -> Context {
    let names: Vec<&str> = names.split_whitespace().collect();
    let mut config = config(&with_layers(&names));
    config.seed = Some("perft".parse().unwrap());
    compose(&config)
}

#[test]
fn perft_from_the_deal_is_unchanged() {
    let mut found = Vec::new();
    for (names, _) in FROM_THE_DEAL {
        let ctx = context_of(names);
        found.push((names, (1..=6).map(|steps| ways(&ctx, &ctx.first_state(), steps)).collect::<Vec<_>>()));
    }
    let expected: Vec<_> = FROM_THE_DEAL.iter().map(|(names, ways)| (*names, ways.to_vec())).collect();
    assert_eq!(found, expected);
}

/// The declaration, and the number of ways to play the last four tricks of a hand without claims.
const LAST_TRICKS: [(&str, u64); 7] = [
    ("sixes", 7860),
    ("fives", 3640),
    ("blanks", 13832),
    ("doubles", 6852),
    ("follow-me", 6736),
    ("nello", 264),
    ("sevens", 8),
];

#[test]
fn perft_of_the_last_tricks_is_unchanged() {
    let found = LAST_TRICKS.map(|(declared, _)| (declared, ways_to_the_end(declared)));
    assert_eq!(found, LAST_TRICKS);
}

fn ways_to_the_end(declared: &str) -> u64 {
    let mut game = game(r#"{"seed":"perft","playOn":true,"layers":[{"type":"nello"},{"type":"sevens"}]}"#);
    drive(&mut game, "bid 1 mark; pass; pass; pass");
    drive(&mut game, &format!("trump {declared}"));
    while game.state().tally.tricks_played() < 3 {
        let first = sorted_by_text(moves(&game)).into_iter().find(|action| !is_claim(*action)).unwrap();
        game.apply(first).unwrap();
    }
    ways_to_finish(game.ctx(), game.state())
}

fn ways_to_finish(ctx: &Context, state: &State) -> u64 {
    if state.phase != Phase::Playing {
        return 1;
    }
    let moves = moves_in(ctx, state).into_iter().filter(|action| !is_claim(*action));
    moves.map(|action| ways_to_finish(ctx, &apply(ctx, state, action).unwrap())).sum()
}

/// Sorts moves by their text, so that the numbers do not depend on the order of the offers.
fn sorted_by_text(mut moves: Vec<Action>) -> Vec<Action> {
    moves.sort_by_key(ToString::to_string);
    moves
}

/// Layers, and the final hashes of the random games with seeds 0, 1 and 2.
const FINAL_HASHES: [(&str, [u64; 3]); 6] = [
    ("", [0xb82c_30b9_bacd_89f0, 0x1fb8_798b_9762_d898, 0x5407_1193_9119_e0b4]),
    ("forced-bid", [0xb82c_30b9_bacd_89f0, 0x1fb8_798b_9762_d898, 0x5407_1193_9119_e0b4]),
    ("tournament consensus speed hints", [0x6d0a_0c8c_79b4_ce27, 0x8608_985b_1369_7b27, 0x18f4_a01e_faca_d23f]),
    ("nello sevens", [0xb9a6_07ba_a1e8_8978, 0x44fd_9658_4836_cbb0, 0x9520_8de0_a2c6_1acf]),
    ("plunge splash", [0xf191_158b_2cb6_07b4, 0x62a6_8351_eef2_a9fc, 0x07c7_c8c5_dbbd_031b]),
    (
        "nello plunge splash sevens forced-bid consensus one-hand",
        [0x76e3_0136_7e0a_cfab, 0xde3e_d2d1_2ee8_4eb5, 0x292c_a952_f456_c8ee],
    ),
];

#[test]
fn final_hashes_are_unchanged() {
    let found = FINAL_HASHES.map(|(names, _)| (names, [0, 1, 2].map(|seed| final_hash(names, seed))));
    assert_eq!(found, FINAL_HASHES, "{found:#018x?}");
}

fn final_hash(names: &str, seed: u64) -> u64 {
    let ctx = context_of(names);
    let (mut state, mut rng) = (ctx.first_state(), Rng::new(seed));
    while !state.phase.is_over() {
        let mut moves = sorted_by_text(moves_in(&ctx, &state));
        if !rng.once_in(50) {
            moves.retain(|action| !is_claim(*action));
        }
        state = apply(&ctx, &state, rng.pick(&moves)).unwrap();
    }
    state_hash(&state)
}
