//! The solver finds what slow and simple searches on the engine find.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use support::{Random, Table, gained_by, kinds};
use texas42_solver::{OutOfNodes, Position, Solver};
use texas42_vocab::{Action, Hand};

#[test]
fn endings_by_brute_force() {
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

/// Whoever asks only about some points is told the same there, and no more than which side of them it is elsewhere.
#[test]
fn points_within_are_the_value_where_it_lies_there() {
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

/// Each move is worth what the position after it is worth, to a solver that knows nothing else.
#[test]
fn moves_are_worth_what_they_lead_to() {
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

/// Which plays make the contract is found at once as it is one by one, also when only some of them are asked about.
#[test]
fn the_plays_that_make_it_are_found_together() {
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

/// What a solver that knows nothing else says.
fn makes(position: &Position) -> bool {
    Solver::new().makes(position)
}

/// A line is legal for the engine too, and ends in the value.
#[test]
fn lines_end_in_the_value() {
    let kinds = kinds();
    let mut solver = Solver::new();
    for seed in 0..100_u64 {
        let mut table = Table::new(&kinds[seed as usize % kinds.len()], seed);
        let position = Position::from_state(&table.state).unwrap();
        let value = solver.value(&position);
        for (player, domino) in solver.line(&position) {
            table.act(Action::Play { player, domino });
            if table.state.is_trick_complete() {
                table.act(Action::CompleteTrick);
            }
        }
        assert_eq!(table.brute_force(&table.state), (gained_by(value), value.makes()), "{seed}");
    }
}

#[test]
fn a_stopped_search_leaves_nothing_wrong_behind() {
    let kinds = kinds();
    let mut solver = Solver::new();
    for seed in 0..40_u64 {
        let table = Table::new(&kinds[seed as usize % kinds.len()], seed);
        let position = Position::from_state(&table.state).unwrap();
        let expected = Solver::new().value(&position);
        let stopped = (0..20).filter(|n| solver.with_budget(n * 50).value(&position) == Err(OutOfNodes)).count();
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
    assert_eq!(asked.value(&long.unwrap()), Err(OutOfNodes));
}
