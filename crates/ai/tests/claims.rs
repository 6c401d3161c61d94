//! Compares the engine's decisions about claims with two independent methods. By the solver, a correct claim must win
//! the rest in every layout. An exhaustive search over everything that the other seats may hold and play must agree
//! with every decision.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use texas42_ai::{DecisionPoint, Knowledge, Random, Strategy, Worlds};
use texas42_engine::{Context, Goal, State, advance, claim, legal};
use texas42_room::HeadlessRoom;
use texas42_solver::{Position, Solver};
use texas42_vocab::{Action, Config, Hand, Phase, Seat, Team};

/// Positions with more layouts than this are skipped.
const MAX_LAYOUTS: u64 = 1700;

fn table(json: &str, seed: &str) -> HeadlessRoom {
    let config: Config = serde_json::from_str(json).unwrap();
    HeadlessRoom::new(&Config { seed: Some(seed.parse().unwrap()), ..config }).unwrap()
}

/// Whether the claimant's team gets all of the rest in a layout with perfect play. A correct claim implies this: it
/// requires that the claimant alone takes the rest.
fn gets_the_rest(solver: &mut Solver, room: &HeadlessRoom, hands: [Hand; 4], claimant: Seat) -> bool {
    let state = room.state();
    let terms = state.terms.unwrap();
    let trick: Vec<_> = state.trick.plays().map(|(_, domino)| domino).collect();
    let position = Position::new(&terms, hands, state.trick.leader(), &trick, &state.tally).unwrap();
    let value = solver.value(&position);
    let bidders = terms.bidder.team();
    match terms.goal {
        Goal::NoTrick => value.tricks() == Some(state.tally.tricks[bidders.index()]),
        _ if claimant.team() == bidders => value.points() == Some(42 - state.tally.points[other(bidders)]),
        _ => value.points() == Some(state.tally.points[bidders.index()]),
    }
}

fn other(team: Team) -> usize {
    team.other().index()
}

#[test]
fn a_correct_claim_wins_in_every_layout() {
    let tables = [
        r#"{"playOn":true}"#,
        r#"{"playOn":true,"layers":[{"type":"nello"},{"type":"sevens"},{"type":"forced-bid"}]}"#,
    ];
    let (mut stood, mut layouts, mut refused) = (0, 0_u64, 0);
    let mut solver = Solver::new();
    for number in 0..60 {
        let mut room = table(tables[number % 2], &format!("claims-{number}"));
        let mut random = Random::new(number as u64);
        for _ in 0..300 {
            let offers = room.legal();
            if offers.is_empty() {
                break;
            }
            if let Some(Action::Claim { player }) = offers.claim() {
                let knowledge = Knowledge::new(&room.view(player), player).unwrap();
                let worlds = Worlds::new(&knowledge);
                if worlds.count() <= MAX_LAYOUTS {
                    if claim::stands(room.state(), player) {
                        stood += 1;
                        layouts += worlds.count();
                        for world in 0..worlds.count() {
                            assert!(
                                gets_the_rest(&mut solver, &room, worlds.world(world), player),
                                "{number} {player}"
                            );
                        }
                    } else {
                        refused += 1;
                    }
                }
            }
            // Never pick the claim, which is the last offer of a seat.
            let count = offers.len() - usize::from(offers.claim().is_some());
            room.execute(offers.nth(random.below(count as u64) as usize).unwrap()).unwrap();
        }
    }
    assert!(stood > 60 && refused > 100 && layouts > 1000, "{stood} stood in {layouts} layouts, {refused} did not");
}

#[test]
fn bots_make_only_correct_claims() {
    let (mut claims, mut plays) = (0, 0);
    for number in 0..5 {
        let mut room = table(r#"{"playOn":true,"layers":[{"type":"forced-bid"}]}"#, &format!("lay-down-{number}"));
        for _ in 0..400 {
            let offers = room.legal();
            let Some(mut action) = offers.nth(0) else { break };
            if let Some(seat) = room.state().to_act() {
                let view = room.view(seat);
                action = Strategy::Intermediate.decide(&DecisionPoint::new(&view, seat, number)).unwrap().action;
                if let Action::Claim { player } = action {
                    assert!(claim::stands(room.state(), player));
                    claims += 1;
                }
                plays += u32::from(room.state().phase == Phase::Playing);
            }
            room.execute(action).unwrap();
        }
    }
    assert!(claims > 3 && plays > 100, "{claims} claims in {plays} plays");
}

/// Whether the claimant has an answer to everything that the other seats may hold and play. `states` are the layouts
/// that are still possible. They agree in all public information, so the claimant makes the same choice in all of them.
/// The partner counts as an opponent, because a claim must not depend on it.
fn has_the_rest(ctx: &Context, states: &[State], claimant: Seat) -> bool {
    let state = states[0];
    if state.phase != Phase::Playing {
        return true;
    }
    if state.is_trick_complete() {
        let takes_none = state.terms.unwrap().goal == Goal::NoTrick;
        return (state.trick_winner() == Some(claimant)) != takes_none
            && has_the_rest(ctx, &after(ctx, states, Action::CompleteTrick), claimant);
    }
    let turn = state.to_act().unwrap();
    let mut plays: Vec<Action> = states.iter().flat_map(|state| plays_of(ctx, state)).collect();
    plays.sort_unstable_by_key(|action| domino_of(*action));
    plays.dedup();
    let mut goes_on = plays.into_iter().map(|play| has_the_rest(ctx, &after(ctx, states, play), claimant));
    if turn == claimant { goes_on.any(|well| well) } else { goes_on.all(|well| well) }
}

fn plays_of(ctx: &Context, state: &State) -> Vec<Action> {
    legal(ctx, state).iter().filter(|action| matches!(action, Action::Play { .. })).collect()
}

fn domino_of(action: Action) -> Option<usize> {
    match action {
        Action::Play { domino, .. } => Some(domino.index()),
        _ => None,
    }
}

/// The states after an action, for those layouts in which it is legal.
fn after(ctx: &Context, states: &[State], action: Action) -> Vec<State> {
    let possible =
        states.iter().filter(|state| action == Action::CompleteTrick || plays_of(ctx, state).contains(&action));
    possible
        .map(|state| {
            let mut next = *state;
            advance(ctx, &mut next, action).unwrap();
            next
        })
        .collect()
}

/// In both directions: no opponent can break an accepted claim, and some opponent can break a rejected one.
#[test]
fn claim_decisions_agree_with_exhaustive_search() {
    let tables = [
        r#"{"playOn":true}"#,
        r#"{"playOn":true,"layers":[{"type":"nello","doubles":"low"},{"type":"forced-bid"}]}"#,
        r#"{"playOn":true,"layers":[{"type":"nello","lead":"left"},{"type":"sevens"},{"type":"forced-bid"}]}"#,
    ];
    let mut verdicts = [0; 2];
    for number in 0..150 {
        let mut room = table(tables[number % tables.len()], &format!("verdicts-{number}"));
        let mut random = Random::new(number as u64);
        for _ in 0..120 {
            let offers = room.legal();
            if offers.is_empty() {
                break;
            }
            if let Some(Action::Claim { player }) = offers.claim() {
                let knowledge =
                    Knowledge { auction: Default::default(), ..Knowledge::new(&room.view(player), player).unwrap() };
                let worlds = Worlds::new(&knowledge);
                if knowledge.hand.len() < 3 && worlds.count() <= MAX_LAYOUTS {
                    let layouts =
                        (0..worlds.count()).map(|world| State { hands: worlds.world(world), ..*room.state() });
                    let layouts: Vec<State> = layouts.collect();
                    let verdict = claim::stands(room.state(), player);
                    assert_eq!(
                        has_the_rest(room.game().ctx(), &layouts, player),
                        verdict,
                        "{number} {player} {knowledge:?}"
                    );
                    verdicts[usize::from(verdict)] += 1;
                }
            }
            let count = offers.len() - usize::from(offers.claim().is_some());
            room.execute(offers.nth(random.below(count as u64) as usize).unwrap()).unwrap();
        }
    }
    assert!(verdicts.iter().all(|count| *count > 50), "{verdicts:?}");
}
