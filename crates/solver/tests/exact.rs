//! Compares the solver with slow and simple searches on the engine.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use support::{Random, Table, gained_by, kinds};
use texas42_solver::{Position, SearchStopped, Solver};
use texas42_vocab::{Action, Hand};

#[test]
fn endgames_match_brute_force() {
    let kinds = kinds();
    let mut solver = Solver::new();
    let mut solved = 0;
    for seed in 0..1500_u64 {
        let kind = &kinds[seed as usize % kinds.len()];
        let mut table = Table::new(kind, seed);
        let mut random = Random::new(!seed);
        let dominoes = 1 + random.below(13);
        table.play_down_to(dominoes, &mut random);
        let Some(position) = Position::from_state(&table.state) else { continue };
        let expected = table.brute_force(&table.state);
        let value = solver.value(&position);
        assert_eq!((gained_by(value), value.makes()), expected, "{kind:?} {seed} {position:?}");
        solver.forget();
        assert_eq!(solver.makes(&position), expected.1, "{kind:?} {seed}");
        solved += 1;
    }
    assert!(solved > 1300, "{solved}");
}

#[test]
fn whole_hands_by_alpha_beta() {
    let kinds = kinds();
    let mut solver = Solver::new();
    for seed in 0..12_u64 {
        let kind = &kinds[seed as usize * 7 % kinds.len()];
        let table = Table::new(kind, seed);
        let position = Position::from_state(&table.state).unwrap();
        assert_eq!(gained_by(solver.value(&position)), table.alpha_beta(&table.state), "{kind:?} {seed}");
    }
}

#[test]
fn points_within_clamps_the_value() {
    let (mut solver, mut narrow) = (Solver::new(), Solver::new());
    for seed in 0..200_u64 {
        let mut random = Random::new(seed);
        let mut table = Table::new(&kinds()[0], seed);
        let dominoes = 4 + random.below(25);
        table.play_down_to(dominoes, &mut random);
        let Some(position) = Position::from_state(&table.state) else { continue };
        let points = solver.value(&position).points().unwrap();
        let least = 1 + random.below(42) as u8;
        let most = least + random.below(43 - usize::from(least)) as u8;
        let told = narrow.points_within(&position, least, most);
        assert_eq!(told, points.clamp(least - 1, most), "{seed}: {points} within {least} to {most}");
    }
}

/// A fresh solver finds the same value for the position after each move.
#[test]
fn move_values_are_the_values_of_the_next_positions() {
    let kinds = kinds();
    let mut solver = Solver::new();
    for seed in 0..150_u64 {
        let mut table = Table::new(&kinds[seed as usize % kinds.len()], seed);
        let mut random = Random::new(seed);
        let dominoes = 1 + random.below(20);
        table.play_down_to(dominoes, &mut random);
        let Some(position) = Position::from_state(&table.state) else { continue };
        let moves = solver.moves(&position);
        assert_eq!(moves.iter().map(|(domino, _)| *domino).collect::<Hand>(), position.legal());
        for (domino, value) in moves {
            let mut fresh = Solver::new();
            assert_eq!(fresh.value(&position.play(domino).unwrap()), value, "{seed} {domino}");
        }
    }
}

/// `making` agrees with one query per play, for all legal plays and for a subset.
#[test]
fn finds_all_making_plays_at_once() {
    let kinds = kinds();
    let (mut solver, mut split) = (Solver::new(), 0);
    for seed in 0..600_u64 {
        let mut random = Random::new(seed);
        let mut table = Table::new(&kinds[seed as usize % kinds.len()], seed);
        let dominoes = 4 + random.below(21);
        table.play_down_to(dominoes, &mut random);
        let Some(position) = Position::from_state(&table.state) else { continue };
        let making: Hand =
            position.legal().into_iter().filter(|domino| makes(&position.play(*domino).unwrap())).collect();
        assert_eq!(solver.making(&position, position.legal()), making, "{seed}");
        let some: Hand = position.legal().into_iter().filter(|_| random.below(2) == 0).collect();
        assert_eq!(solver.making(&position, some), making & some, "{seed} {some:?}");
        split += u32::from(!making.is_empty() && making != position.legal());
    }
    assert!(split > 30, "{split}");
}

/// The answer of a fresh solver.
fn makes(position: &Position) -> bool {
    Solver::new().makes(position)
}

/// A principal variation is legal for the engine and ends in the value.
#[test]
fn principal_variations_end_in_the_value() {
    let kinds = kinds();
    let mut solver = Solver::new();
    for seed in 0..100_u64 {
        let mut table = Table::new(&kinds[seed as usize % kinds.len()], seed);
        let position = Position::from_state(&table.state).unwrap();
        let value = solver.value(&position);
        for (player, domino) in solver.principal_variation(&position) {
            table.act(Action::Play { player, domino });
            if table.state.is_trick_complete() {
                table.act(Action::CompleteTrick);
            }
        }
        assert_eq!(table.brute_force(&table.state), (gained_by(value), value.makes()), "{seed}");
    }
}

#[test]
fn a_stopped_search_does_not_affect_later_results() {
    let kinds = kinds();
    let mut solver = Solver::new();
    for seed in 0..40_u64 {
        let table = Table::new(&kinds[seed as usize % kinds.len()], seed);
        let position = Position::from_state(&table.state).unwrap();
        let expected = Solver::new().value(&position);
        let stopped = (0..20).filter(|n| solver.with_budget(n * 50).value(&position) == Err(SearchStopped)).count();
        assert_eq!(solver.value(&position), expected, "{seed} {stopped}");
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let mut solver = Solver::new();
    let long = (0..).map(|seed| Table::new(&kinds()[0], seed)).find_map(|table| {
        let position = Position::from_state(&table.state)?;
        let before = solver.nodes();
        solver.value(&position);
        (solver.nodes() - before > 5000).then_some(position)
    });
    solver.forget();
    let mut cancelled = || true;
    let mut asked = solver.with_budget(u64::MAX).unless(&mut cancelled);
    assert_eq!(asked.value(&long.unwrap()), Err(SearchStopped));
}
