//! The review of games: exact values, no hidden information in the lens of knowledge, every contract, determinism.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeSet;

use texas42_ai::{
    DecisionPoint, Knowledge, Random, Strategy, Worlds,
    review::{Review, ReviewOptions, bid_grid, punished_line},
};
use texas42_engine::{Context, State, advance, legal};
use texas42_phrases::Language;
use texas42_protocol::review::{GameReview, MoveClass, ReviewedDecision};
use texas42_room::HeadlessRoom;
use texas42_solver::Solver;
use texas42_vocab::{Action, Bid, BidKind, Config, Hand, Phase, Trump};

/// Tables with every contract and every way to score.
const TABLES: [&str; 5] = [
    r#"{}"#,
    r#"{"layers":[{"type":"forced-bid"},{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"}]}"#,
    r#"{"layers":[{"type":"nello","doubles":"low","lead":"left"}],"playOn":true}"#,
    r#"{"scoring":"points"}"#,
    r#"{"layers":[{"type":"consensus"},{"type":"forced-bid"}],"target":2}"#,
];

fn table(json: &str, seed: &str) -> HeadlessRoom {
    let config: Config = serde_json::from_str(json).unwrap();
    HeadlessRoom::new(&Config { seed: Some(seed.parse().unwrap()), ..config }).unwrap()
}

/// Plays until `enough`, with random choices among which a bid or a declaration of `wanted` comes first.
fn play(room: &mut HeadlessRoom, seed: u64, wanted: impl Fn(&Action) -> bool, enough: impl Fn(&State) -> bool) {
    let mut number = 0;
    while !enough(room.state()) {
        number += 1;
        let Some(seat) = room.state().to_act() else {
            let Some(action) = room.legal().nth(0) else { return };
            room.execute(action).unwrap();
            continue;
        };
        let view = room.view(seat);
        let point = DecisionPoint::new(&view, seat, seed * 1000 + number);
        let action = point.valid().find(|action| wanted(action));
        let player = if seed.is_multiple_of(2) { Strategy::Random } else { Strategy::Beginner };
        let decide = || player.decide(&point).map(|decision| decision.action);
        let action = action.or_else(decide).or_else(|| room.legal().nth(0));
        room.execute(action.unwrap()).unwrap();
    }
}

fn reviewed(room: &HeadlessRoom, worlds: u32) -> GameReview {
    let mut review = Review::new(room.game(), ReviewOptions { worlds, ..ReviewOptions::default() });
    let mut solver = Solver::new();
    while review.step_with(room.game(), &mut solver).is_some() {}
    assert_eq!(review.done(), review.total());
    review.report()
}

/// One game for each contract: the contract, and the game of at least one hand.
fn games_of_every_contract() -> Vec<(String, HeadlessRoom)> {
    let is_trump = |trump: Trump| move |action: &Action| matches!(action, Action::SelectTrump { trump: named, .. } if *named == trump);
    let is_bid = |kind: BidKind| move |action: &Action| matches!(action, Action::Bid { bid, .. } if bid.kind == kind);
    let after_one_hand = |state: &State| state.last_hand.is_some() || state.phase.is_over();
    let mut games = Vec::new();
    for trump in Trump::ALL {
        let mut room = table(TABLES[1], &format!("contract-{trump:?}"));
        // Nello and sevens need a bid in marks. A bid of 30 is decided late.
        let is_straight = Trump::STRAIGHT.contains(&trump);
        let bid = if is_straight { Bid::points(30) } else { Bid::marks(1) };
        let is_wanted = |action: &Action| matches!(action, Action::Bid { bid: made, .. } if *made == bid);
        play(&mut room, 3, |action| is_trump(trump)(action) || is_wanted(action), after_one_hand);
        games.push((format!("{trump:?}"), room));
    }
    for kind in [BidKind::Plunge, BidKind::Splash] {
        let found = (0..400).find_map(|seed| {
            let mut room = table(TABLES[1], &format!("doubles-{seed}"));
            play(&mut room, 5, is_bid(kind), after_one_hand);
            room.game().log().iter().any(is_bid(kind)).then_some(room)
        });
        games.push((format!("{kind:?}"), found.unwrap()));
    }
    for (number, json) in TABLES.iter().enumerate() {
        let mut room = table(json, &format!("table-{number}"));
        play(&mut room, 7 + number as u64, |_| false, |state| state.hand_number >= 2 || state.phase.is_over());
        games.push(((*json).to_owned(), room));
    }
    games
}

#[test]
fn every_decision_of_every_contract_is_reviewed() {
    let mut contracts = BTreeSet::new();
    for (name, room) in games_of_every_contract() {
        let report = reviewed(&room, 6);
        for (event, action) in room.game().log().iter().enumerate() {
            let before = room.game().state_at(event).unwrap();
            contracts.extend(before.contract.map(|contract| format!("{:?}", contract.trump)));
            let choices = legal(room.game().ctx(), &before);
            let is_choice = |action: &Action| !matches!(action, Action::Claim { .. }) && action.player().is_some();
            let is_decision = matches!(
                action,
                Action::Bid { .. } | Action::Pass { .. } | Action::SelectTrump { .. } | Action::Play { .. }
            ) && choices.iter().filter(is_choice).count() > 1;
            let decision = report.decisions.iter().find(|decision| decision.event as usize == event);
            if is_decision || matches!(action, Action::Claim { .. }) {
                check(decision.unwrap_or_else(|| panic!("{name}: event {event} is missing")), &name);
            }
        }
        let chart: usize = report.hands.iter().map(|hand| hand.chart.len()).sum();
        assert!(chart > 0 && report.seats.iter().any(|seat| seat.decisions > 0), "{name}");
        let is_valid = |accuracy: f64| (0.0..=100.0).contains(&accuracy);
        assert!(report.seats.iter().all(|seat| seat.accuracy.is_some() == (seat.decisions > 0)), "{name}");
        assert!(report.seats.iter().all(|seat| seat.accuracy.is_none_or(is_valid)), "{name}");
    }
    assert_eq!(contracts.len(), Trump::ALL.len(), "{contracts:?}");
}

fn check(decision: &ReviewedDecision, name: &str) {
    let ReviewedDecision { done, best, choices, class, .. } = decision;
    assert!(choices.is_sorted_by(|one, other| one.marks >= other.marks), "{name}: {decision:?}");
    assert!(choices.iter().all(|choice| (0.0..=1.0).contains(&choice.chance) && choice.error >= 0.0), "{decision:?}");
    assert_eq!((choices[0].action, decision.taken().unwrap().class), (*best, *class), "{name}");
    assert!(matches!(choices[0].class, MoveClass::Best | MoveClass::OnlyMove), "{name}: {decision:?}");
    assert!(choices.iter().any(|choice| choice.action == *done) && !decision.why.is_empty(), "{name}: {decision:?}");
    assert!(class.is_error() || decision.punished.is_none(), "{name}: {decision:?}");
    for choice in choices {
        assert_eq!(choice.open.is_none(), matches!(choice.action, Action::Pass { .. }), "{name}: {choice:?}");
    }
}

/// Whether the contract is made with perfect play, by trying every play with the engine.
fn makes_by_brute_force(ctx: &Context, state: &State) -> bool {
    if let Some(outcome) = state.outcome {
        return outcome.made;
    }
    let moves = legal(ctx, state);
    let plays: Vec<Action> = moves.iter().filter(|action| matches!(action, Action::Play { .. })).collect();
    let after = |action: Action| {
        let mut next = *state;
        advance(ctx, &mut next, action).unwrap();
        makes_by_brute_force(ctx, &next)
    };
    let Some(Action::Play { player, .. }) = plays.first().copied() else { return after(moves.nth(0).unwrap()) };
    let ours = player.team() == state.contract.unwrap().bidder.team();
    plays.into_iter().any(|play| after(play) == ours) == ours
}

/// Hands of every contract that are undecided when three dominoes are left.
fn long_hands() -> Vec<(String, HeadlessRoom)> {
    let is_long = |state: &State| {
        let held = state.hands[state.turn.index()].len();
        state.phase == Phase::Playing && state.outcome.is_none() && held == 3
    };
    let found = |name: String, bid: Bid, trump: Option<Trump>, json: &str| {
        let long = (0..4000).find_map(|seed| {
            let mut room = table(json, &format!("long-{seed}"));
            let is_bid = |action: &Action| matches!(action, Action::Bid { bid: made, .. } if *made == bid);
            play(&mut room, 1, is_bid, |state| state.auction.standing().is_some() || state.hand_number > 0);
            let follows = |action: &Action| match action {
                Action::Pass { .. } => true,
                Action::SelectTrump { trump: named, .. } => trump.is_none_or(|trump| trump == *named),
                _ => false,
            };
            play(&mut room, 1, follows, |state| is_long(state) || state.hand_number > 0 || state.phase.is_over());
            let is_right = room
                .state()
                .contract
                .is_some_and(|contract| contract.bid == bid && trump.is_none_or(|trump| trump == contract.trump));
            (is_right && is_long(room.state())).then(|| {
                play(&mut room, 1, |_| false, |state| state.hand_number > 0 || state.phase.is_over());
                room
            })
        });
        let long = long.unwrap_or_else(|| panic!("no long hand of {name}"));
        (name, long)
    };
    let mut hands: Vec<_> = [Trump::Blanks, Trump::Fives, Trump::Doubles, Trump::FollowMe]
        .map(|trump| found(format!("{trump:?}"), Bid::points(30), Some(trump), TABLES[1]))
        .into();
    let special = |trump: Trump| found(format!("{trump:?}"), Bid::marks(1), Some(trump), TABLES[1]);
    hands.extend([Trump::Nello, Trump::Sevens].map(special));
    let splash = Bid { kind: BidKind::Splash, value: 2 };
    let plunge = Bid { kind: BidKind::Plunge, value: 4 };
    hands.extend(
        [("splash", splash), ("plunge", plunge)].map(|(name, bid)| found(name.to_owned(), bid, None, TABLES[1])),
    );
    hands.push(found("marks".to_owned(), Bid::marks(1), Some(Trump::Sixes), TABLES[0]));
    hands.push(found("nello low".to_owned(), Bid::marks(1), Some(Trump::Nello), TABLES[2]));
    hands.push(found("points".to_owned(), Bid::points(31), Some(Trump::Sixes), TABLES[3]));
    hands
}

/// In small endings every world can be tried: both lenses give the exact numbers.
#[test]
fn values_agree_with_brute_force_in_small_endings() {
    let mut compared = BTreeSet::new();
    let mut count = 0;
    for (name, room) in long_hands() {
        let game = room.game();
        for decision in reviewed(&room, 2).decisions {
            let before = game.state_at(decision.event as usize).unwrap();
            let is_small = before.phase == Phase::Playing && before.hands[decision.seat.index()].len() <= 3;
            if !is_small || before.outcome.is_some() || !decision.exact {
                continue;
            }
            let view = texas42_kernel::view(
                game.ctx(),
                &before,
                &texas42_kernel::Viewer::player(decision.seat),
                &texas42_kernel::TableMetadata::default(),
            );
            let worlds = Worlds::new(&Knowledge::new(&view, decision.seat).unwrap()).all();
            assert_eq!(worlds.len(), decision.worlds as usize);
            let ours = before.contract.unwrap().bidder.team() == decision.seat.team();
            let made = |hands: [Hand; 4], action: Action| {
                let mut state = State { hands, ..before };
                advance(game.ctx(), &mut state, action).unwrap();
                makes_by_brute_force(game.ctx(), &state)
            };
            for choice in decision.choices.iter().filter(|choice| matches!(choice.action, Action::Play { .. })) {
                let good = worlds.iter().filter(|hands| made(**hands, choice.action) == ours).count();
                let chance = good as f64 / worlds.len() as f64;
                assert!((choice.chance - chance).abs() < 1e-12, "{name}: {decision:?} {chance}");
                assert_eq!(choice.open.unwrap().made, made(before.hands, choice.action), "{name}: {decision:?}");
                assert_eq!(choice.error, 0.0);
                count += 1;
            }
            compared.insert(name.clone());
        }
    }
    assert!(compared.len() >= 10 && count > 40, "{compared:?} {count}");
}

/// What the seat could know, without the fields that come from the true hands.
fn as_known(mut decision: ReviewedDecision) -> ReviewedDecision {
    decision.choices.iter_mut().for_each(|choice| choice.open = None);
    ReviewedDecision { turned: false, punished: None, ..decision }
}

/// The game up to an event, with hidden dominoes where the seat to act also considers them possible.
fn with_other_hidden_hands(room: &HeadlessRoom, event: usize, seed: u64) -> Option<HeadlessRoom> {
    let log = &room.game().log()[..=event];
    let seat = log[event].player()?;
    let before = room.game().state_at(event)?;
    let view = room.view_after(event, Some(seat))?;
    let worlds = Worlds::new(&Knowledge::new(&view, seat)?);
    let world = worlds.sample(1, &mut Random::new(seed)).pop()?;
    let mut deal = world;
    for action in log {
        if let Action::Play { player, domino } = *action {
            deal[player.index()] = deal[player.index()].with(domino);
        }
    }
    if world == before.hands {
        return None;
    }
    let config = room.game().ctx().config();
    let config =
        Config { seed: None, deals: vec![deal], shaker: Some(room.game().state_at(0)?.shaker), ..config.clone() };
    Some(HeadlessRoom::replay(&config, log).unwrap())
}

#[test]
fn the_lens_of_knowledge_does_not_depend_on_hidden_hands() {
    let (mut swapped, mut open_differs) = (BTreeSet::new(), 0);
    let options = ReviewOptions { worlds: 12, ..ReviewOptions::default() };
    for (name, room) in games_of_every_contract() {
        for (event, action) in room.game().log().iter().enumerate() {
            if room.game().state_at(event).unwrap().hand_number > 0 {
                break;
            }
            if matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. }) {
                continue;
            }
            let Some(other) = with_other_hidden_hands(&room, event, event as u64) else { continue };
            let same = HeadlessRoom::replay(
                &Config { deals: vec![room.game().state_at(0).unwrap().hands], ..other.game().ctx().config().clone() },
                &room.game().log()[..=event],
            );
            let last = |room: &HeadlessRoom| {
                let review = Review::new(room.game(), options);
                let step = review.total() - 1;
                review.evaluate(room.game(), step, &mut Solver::new()).decision().cloned()
            };
            let (Some(one), Some(two)) = (last(&same.unwrap()), last(&other)) else { continue };
            open_differs += u32::from(one != two);
            assert_eq!(as_known(one), as_known(two), "{name}: event {event}");
            swapped.insert((name.clone(), action.name()));
        }
    }
    let kinds: BTreeSet<&str> = swapped.iter().map(|(_, kind)| *kind).collect();
    assert!(["bid", "play", "select-trump"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(swapped.len() > 30 && open_differs > 50, "{} {open_differs}", swapped.len());
}

/// Steps can be taken one by one, computed in any order by any solver, and repeated.
#[test]
fn a_review_is_deterministic_and_its_steps_are_independent() {
    let mut room = table(TABLES[1], "order");
    play(&mut room, 2, |_| false, |state| state.hand_number == 2);
    let game = room.game();
    let report = reviewed(&room, 10);
    let mut review = Review::new(game, ReviewOptions { worlds: 10, ..ReviewOptions::default() });
    assert!(review.report().decisions.is_empty());
    for step in (0..review.total()).rev() {
        let finding = review.evaluate(game, step, &mut Solver::new());
        review.insert(step, finding);
    }
    assert_eq!(review.report(), report);
    assert!(!review.step(game));
    let other = Review::new(game, ReviewOptions { worlds: 10, seed: 1, hand: None });
    let differs = |step: usize| {
        let one = other.evaluate(game, step, &mut Solver::new());
        one.decision().is_some_and(|one| report.decisions.iter().all(|two| one != two))
    };
    assert!((0..other.total()).any(differs), "another seed draws other worlds");
    let first = Review::new(game, ReviewOptions { worlds: 10, hand: Some(0), ..ReviewOptions::default() });
    assert!(first.total() < other.total());
}

/// A canceled review reports what it has, in order, and the same numbers as the finished one.
#[test]
fn a_review_can_stop_after_any_step() {
    let mut room = table("{}", "stop");
    play(&mut room, 3, |_| false, |state| state.hand_number == 1);
    let whole = reviewed(&room, 8);
    let mut review = Review::new(room.game(), ReviewOptions { worlds: 8, ..ReviewOptions::default() });
    for step in 1..=9 {
        assert!(review.step(room.game()));
        assert_eq!(review.done(), step);
    }
    let part = review.report();
    assert!(!part.decisions.is_empty() && part.decisions.len() < whole.decisions.len());
    assert_eq!(part.decisions[..], whole.decisions[..part.decisions.len()]);
}

/// The chart leads from the first bid to the result, and its turning point is a decision.
#[test]
fn the_chart_ends_with_the_result() {
    let mut ends = [0; 2];
    for (name, room) in games_of_every_contract() {
        let report = reviewed(&room, 6);
        for hand in report.hands.iter().filter(|hand| hand.made.is_some()) {
            let last = hand.chart.last().unwrap();
            let made = hand.made.unwrap();
            assert_eq!((last.chance, last.open), (f64::from(u8::from(made)), made), "{name}: {hand:?}");
            assert!(matches!(hand.chart[0].action, Action::Bid { .. }), "{name}: {hand:?}");
            assert!(hand.chart.iter().any(|point| matches!(point.action, Action::SelectTrump { .. })), "{name}");
            assert!(hand.chart.is_sorted_by_key(|point| (point.event, point.tricks)), "{name}: {hand:?}");
            ends[usize::from(made)] += 1;
            let decided = |event| report.decisions.iter().any(|decision| decision.event == event);
            assert!(hand.turning_point.is_none_or(decided), "{name}");
        }
        assert_eq!(
            report.turning_points,
            report.hands.iter().filter_map(|hand| hand.turning_point).collect::<Vec<_>>()
        );
    }
    assert!(ends.iter().all(|ends| *ends > 2), "{ends:?}");
}

/// A random bot gives marks away, turns hands, and is punished or not.
#[test]
fn errors_turn_hands_and_are_punished_by_the_result() {
    let (mut turned, mut punished) = (0, [0; 2]);
    let mut classes = BTreeSet::new();
    for number in 0..8 {
        let mut room = table("{}", &format!("review-{number}"));
        play(&mut room, 2 * number, |_| false, |state| state.hand_number == 2);
        for decision in reviewed(&room, 12).decisions {
            turned += u32::from(decision.turned);
            classes.insert(decision.class);
            let Some(is_punished) = decision.punished else { continue };
            punished[usize::from(is_punished)] += 1;
        }
    }
    assert!(turned > 0 && punished.iter().all(|times| *times > 3), "{turned} {punished:?}");
    assert!(classes.len() > 5, "{classes:?}");
}

/// The line after a play is legal and leads to the result that the play is said to have.
#[test]
fn the_line_after_a_play_leads_to_its_open_result() {
    let mut lines = [0; 2];
    for (name, room) in games_of_every_contract() {
        for decision in reviewed(&room, 4).decisions {
            let (event, solver) = (decision.event as usize, &mut Solver::new());
            for choice in &decision.choices {
                let line = punished_line(room.game(), event, choice.action, solver);
                let Some(line) = line else {
                    assert!(!matches!(choice.action, Action::Play { .. } | Action::SelectTrump { .. }), "{name}");
                    continue;
                };
                assert_eq!(Some(line.result), choice.open, "{name}: {choice:?}");
                let mut state = room.game().state_at(event).unwrap();
                advance(room.game().ctx(), &mut state, choice.action).unwrap();
                for play in &line.plays {
                    while state.to_act().is_none_or(|_| state.phase != Phase::Playing) {
                        let next = legal(room.game().ctx(), &state).nth(0).unwrap();
                        advance(room.game().ctx(), &mut state, next).unwrap();
                    }
                    let action = Action::Play { player: play.seat, domino: play.domino };
                    advance(room.game().ctx(), &mut state, action).unwrap();
                }
                if let Some(outcome) = state.outcome {
                    assert_eq!(outcome.made, line.result.made, "{name}: {line:?}");
                }
                lines[usize::from(line.punished)] += 1;
            }
        }
    }
    assert!(lines.iter().all(|lines| *lines > 50), "{lines:?}");
}

/// The grid and the review of a bid give the same chances for the same bid with the same trump.
#[test]
fn the_grid_of_bids_agrees_with_the_review() {
    let mut specials = 0;
    for (name, room) in games_of_every_contract().into_iter().rev().take(5) {
        let options = ReviewOptions { worlds: 12, ..ReviewOptions::default() };
        let report = reviewed(&room, 12);
        let bids = report
            .decisions
            .iter()
            .filter(|decision| matches!(decision.done, Action::Bid { .. } | Action::Pass { .. }));
        for decision in bids.take(3) {
            let mut builder = bid_grid(room.game(), decision.event as usize, options).unwrap();
            let mut solver = Solver::new();
            while builder.step(&mut solver) {}
            let grid = builder.grid();
            assert_eq!((grid.rows.len(), grid.worlds, grid.event), (builder.total(), decision.worlds, decision.event));
            assert_eq!(grid.rows[..9].iter().map(|row| row.cells.len()).collect::<Vec<_>>(), [13; 9]);
            specials += grid.rows.len() - 9;
            for choice in &decision.choices {
                let Action::Bid { bid, .. } = choice.action else { continue };
                if bid.kind == BidKind::Marks && bid.value > 1 {
                    continue;
                }
                let cells = grid.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.bid == bid);
                let chances: Vec<f64> = cells.clone().map(|cell| cell.chance).collect();
                assert!(chances.contains(&choice.chance), "{name}: {choice:?} {chances:?}");
                assert!(cells.clone().all(|cell| cell.legal), "{name}: {bid}");
            }
        }
        let play = room.game().log().iter().position(|action| matches!(action, Action::Play { .. })).unwrap();
        assert!(bid_grid(room.game(), play, options).is_none());
    }
    assert!(specials > 0);
}

/// Claims are reviewed, the correct ones as the best choice.
#[test]
fn claims_are_decisions() {
    let mut stood = [0; 2];
    for number in 0..60 {
        let mut room = table("{}", &format!("claim-{number}"));
        let most = if number % 2 == 0 { 1 } else { 5 };
        let has = |state: &State| state.to_act().is_some_and(|seat| state.hands[seat.index()].len() <= most);
        play(&mut room, 3, |_| false, |state| state.phase == Phase::Playing && has(state));
        let Some(seat) = room.state().to_act() else { continue };
        if room.execute(Action::Claim { player: seat }).is_err() {
            continue;
        }
        let stands = room.state().claim.unwrap().stands;
        let report = reviewed(&room, 10);
        let Some(claim) = report.decisions.iter().find(|decision| matches!(decision.done, Action::Claim { .. })) else {
            panic!("the claim is missing");
        };
        if stands {
            assert!(!claim.class.is_error(), "{claim:?}");
            assert!(claim.choices.len() == 1 || claim.taken().unwrap().behind == 0.0, "{claim:?}");
        }
        stood[usize::from(stands)] += 1;
    }
    assert!(stood.iter().all(|times| *times > 0), "{stood:?}");
}

/// The better choice has a reason in every language, also for calls.
#[test]
fn the_better_choice_has_a_reason_in_every_language() {
    let mut room = table(TABLES[1], "reasons");
    play(&mut room, 2, |_| false, |state| state.hand_number == 1);
    let mut explained = BTreeSet::new();
    for decision in reviewed(&room, 6).decisions {
        for language in [Language::English, Language::Spanish] {
            let text = language.words().remarks(&decision.why);
            assert!(text.ends_with('.') && text.len() > 5, "{text:?}");
        }
        if let Action::Play { domino, .. } = decision.best {
            let text = Language::English.words().remarks(&decision.why);
            assert!(text.contains(&domino.to_string()) || domino.count() > 0, "{text}");
        }
        explained.insert(decision.best.name());
    }
    assert!(explained.contains("play") && explained.len() > 2, "{explained:?}");
}
