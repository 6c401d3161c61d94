//! The engine decides claims from what is public; the solver knows what every layout is worth. A claim that stands wins
//! the rest in every layout that fits to what was public, and players claim only what stands.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use texas42_ai::{Ask, Random, Sight, Strategy, Worlds};
use texas42_engine::{Goal, claim};
use texas42_room::HeadlessRoom;
use texas42_solver::{Position, Solver};
use texas42_vocab::{Action, Config, Hand, Phase, Seat, Team};

/// Where there are more layouts than this, a position is left out.
const MOST_LAYOUTS: u64 = 1700;

fn table(json: &str, seed: &str) -> HeadlessRoom {
    let config: Config = serde_json::from_str(json).unwrap();
    HeadlessRoom::new(&Config { seed: Some(seed.parse().unwrap()), ..config }).unwrap()
}

/// Whether the claimant's side gets all of the rest in a layout, with best play of everybody. It is less than a claim
/// asks for (the claimant alone, whatever the partner does), so that a claim that stands implies it.
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
fn a_claim_that_stands_wins_in_every_layout() {
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
                let sight = Sight::new(&room.view(player), player).unwrap();
                let worlds = Worlds::new(&sight);
                if worlds.count() <= MOST_LAYOUTS {
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
            // Not the claim itself, which is the last of what a seat is offered.
            let count = offers.len() - usize::from(offers.claim().is_some());
            room.execute(offers.nth(random.below(count as u64) as usize).unwrap()).unwrap();
        }
    }
    assert!(stood > 60 && refused > 100 && layouts > 1000, "{stood} stood in {layouts} layouts, {refused} did not");
}

#[test]
fn players_claim_what_is_theirs_and_nothing_else() {
    let (mut claims, mut plays) = (0, 0);
    for number in 0..5 {
        let mut room = table(r#"{"playOn":true,"layers":[{"type":"forced-bid"}]}"#, &format!("lay-down-{number}"));
        for _ in 0..400 {
            let offers = room.legal();
            let Some(mut action) = offers.nth(0) else { break };
            if let Some(seat) = room.state().to_act() {
                let view = room.view(seat);
                action = Strategy::Intermediate.decide(&Ask::new(&view, seat, number)).unwrap().action;
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
