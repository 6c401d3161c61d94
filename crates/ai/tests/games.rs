//! Every strategy plays every table to the end, legally and deterministically.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use serde_json::json;
use texas42_ai::{DecisionPoint, Knowledge, Strategy, Worlds, hints};
use texas42_phrases::Language;
use texas42_protocol::Intent;
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, Bid, Config, Domino, Hand, Phase, Seat, Trump};

/// Tables with every contract and every option that a bot must know.
const TABLES: [&str; 7] = [
    r#"{}"#,
    r#"{"layers":[{"type":"forced-bid"},{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"}]}"#,
    r#"{"layers":[{"type":"forced-bid","who":"first","minimum":31},{"type":"nello","doubles":"low","lead":"left"}],"playOn":true}"#,
    r#"{"layers":[{"type":"nello","doubles":"high","minimum":2},{"type":"consensus"}],"target":3}"#,
    r#"{"scoring":"points"}"#,
    r#"{"layers":[{"type":"tournament"},{"type":"one-hand"},{"type":"speed"},{"type":"hints"}]}"#,
    r#"{"layers":[{"type":"splash"},{"type":"daily-challenge","difficulty":"easy"}],"target":10}"#,
];

fn table(json: &str, seed: &str) -> HeadlessRoom {
    let config: Config = serde_json::from_str(json).unwrap();
    HeadlessRoom::new(&Config { seed: Some(seed.parse().unwrap()), ..config }).unwrap()
}

/// Plays at most `most` events of a game, with `decide` for the seats.
fn play(room: &mut HeadlessRoom, most: usize, mut decide: impl FnMut(&HeadlessRoom, Seat, u64) -> Action) {
    for number in 0..most {
        let action = match room.state().to_act() {
            Some(seat) => decide(room, seat, number as u64),
            None => match room.legal().iter().next() {
                Some(action) => action,
                None => return,
            },
        };
        room.execute(action).unwrap();
    }
}

/// What a player can remember: one sentence, without the numbers behind it.
#[test]
fn a_hint_is_one_sentence_without_decimals() {
    let is_decimal = |text: &str| {
        text.as_bytes()
            .windows(3)
            .any(|part| part[0].is_ascii_digit() && matches!(part[1], b'.' | b',') && part[2].is_ascii_digit())
    };
    let mut hinted = 0;
    for (number, json) in TABLES.iter().enumerate() {
        play(&mut table(json, &format!("hints-{number}")), 120, |room, seat, seed| {
            let view = room.view(seat);
            let point = DecisionPoint { worlds: Some(3), ..DecisionPoint::new(&view, seat, seed) };
            for advice in hints(&point) {
                for language in [Language::English, Language::Spanish] {
                    let text = language.words().remarks(&advice.why);
                    let sentence = text.strip_suffix('.').unwrap_or_else(|| panic!("{text}"));
                    assert!(!sentence.contains(['.', ';']) && !is_decimal(sentence), "{text}");
                    assert!(sentence.chars().count() <= 120, "too long: {text}");
                    hinted += 1;
                }
            }
            Strategy::Beginner.decide(&point).unwrap().action
        });
    }
    assert!(hinted > 1000, "{hinted}");
}

#[test]
fn every_strategy_plays_every_table() {
    for strategy in Strategy::ALL {
        for (number, json) in TABLES.iter().enumerate() {
            let mut room = table(json, &format!("games-{number}"));
            play(&mut room, 20_000, |room, seat, seed| {
                let view = room.view(seat);
                let point = DecisionPoint { worlds: Some(3), ..DecisionPoint::new(&view, seat, seed) };
                let decision = strategy.decide(&point).unwrap();
                if seed % 5 == 0 {
                    assert_eq!(
                        strategy.decide(&point).unwrap(),
                        decision,
                        "the same decision point gives the same decision"
                    );
                }
                assert!((1..=Intent::MAX_REMARKS).contains(&decision.why.len()), "{:?}", decision.why);
                decision.action
            });
            assert!(room.state().phase.is_over(), "{strategy} {json}");
        }
    }
}

/// Every world is possible, too.
#[test]
fn the_true_hands_are_always_among_the_worlds() {
    for (number, json) in TABLES.iter().enumerate() {
        let mut room = table(json, &format!("worlds-{number}"));
        play(&mut room, 400, |room, seat, seed| {
            let view = room.view(seat);
            let knowledge = Knowledge::new(&view, seat).unwrap();
            let worlds = Worlds::new(&knowledge);
            assert!(worlds.count() > 0);
            let truth = room.state().hands;
            if worlds.count() < 3000 {
                assert!((0..worlds.count()).any(|number| worlds.world(number) == truth));
            }
            for world in worlds.sample(5, &mut texas42_ai::Random::new(seed)) {
                is_possible(&knowledge, world);
            }
            Strategy::Random.decide(&DecisionPoint::new(&view, seat, seed)).unwrap().action
        });
    }
}

fn is_possible(knowledge: &Knowledge, world: [Hand; 4]) {
    assert_eq!(world[knowledge.seat.index()], knowledge.hand);
    let all = world.iter().fold(knowledge.seen(), |all, hand| all | *hand);
    assert_eq!(all, Hand::FULL);
    for seat in Seat::ALL {
        assert_eq!(world[seat.index()].len(), knowledge.counts[seat.index()]);
        assert!((world[seat.index()] & knowledge.lacks[seat.index()]).is_empty());
    }
}

#[test]
fn knowledge_has_the_terms_of_the_table() {
    let mut hands = 0;
    for (number, json) in TABLES.iter().enumerate() {
        let mut room = table(json, &format!("terms-{number}"));
        play(&mut room, 600, |room, seat, seed| {
            let view = room.view(seat);
            let knowledge = Knowledge::new(&view, seat).unwrap();
            if room.state().phase == Phase::Playing {
                assert_eq!((knowledge.terms, knowledge.contract), (room.state().terms, room.state().contract));
                assert_eq!(knowledge.best_on_table().map(|(seat, _)| seat), room.state().trick_winner());
                hands += 1;
            }
            Strategy::Random.decide(&DecisionPoint::new(&view, seat, seed)).unwrap().action
        });
    }
    assert!(hands > 300, "{hands}");
}

/// Hints take a view, so the types rule out that they reveal hidden dominoes.
#[test]
fn hints_cover_every_choice_and_recommend_one() {
    let mut room = table(TABLES[1], "hints");
    let mut spoken = 0;
    play(&mut room, 60, |room, seat, seed| {
        let view = room.view(seat);
        let point = DecisionPoint { worlds: Some(8), ..DecisionPoint::new(&view, seat, seed) };
        let remarks = texas42_ai::hints(&point);
        assert_eq!(remarks.iter().map(|remark| remark.action).collect::<Vec<_>>(), point.valid().collect::<Vec<_>>());
        assert!(remarks.iter().all(|remark| (1..=Intent::MAX_REMARKS).contains(&remark.why.len())), "{remarks:?}");
        assert_eq!(remarks.iter().filter(|remark| remark.recommended).count(), 1);
        assert!(remarks.iter().all(|remark| remark.chance.is_none_or(|chance| (0.0..=1.0).contains(&chance))));
        spoken += remarks.len();
        remarks.iter().find(|remark| remark.recommended).unwrap().action
    });
    assert!(spoken > 60, "{spoken}");
}

/// Choices are sorted by marks, even at a score where two marks are worth no more than one. Once a contract is decided,
/// every play has a chance of 0 or 1.
#[test]
fn choices_are_sorted_and_decided_contracts_are_certain() {
    let mut decided = [0; 2];
    for number in 0..4 {
        let mut room = table(TABLES[2], &format!("order-{number}"));
        play(&mut room, 2_000, |room, seat, seed| {
            let view = room.view(seat);
            let decision = Strategy::Expert
                .decide(&DecisionPoint { worlds: Some(3), ..DecisionPoint::new(&view, seat, seed) })
                .unwrap();
            let choices = &decision.choices;
            assert!(choices.is_sorted_by(|one, other| one.marks >= other.marks), "{decision:?}");
            if let Some(outcome) = room.state().outcome {
                let ours = outcome.made == (room.state().contract.unwrap().bidder.team() == seat.team());
                assert!(choices.iter().all(|choice| choice.chance == f64::from(u8::from(ours))), "{decision:?}");
                decided[usize::from(ours)] += choices.len();
            }
            decision.action
        });
    }
    assert!(decided.iter().all(|weighed| *weighed > 20), "{decided:?}");
}

/// The hands of the other seats are exchanged, which the seat to act cannot see.
#[test]
fn hints_do_not_depend_on_hidden_hands() {
    let dealt = table("{}", "hidden").state().hands;
    let [own, left, partner, right] = dealt.map(|hand| hand.into_iter().collect::<Vec<_>>());
    let hints_with = |left: &[Domino], partner: &[Domino], right: &[Domino]| {
        let config = json!({ "shaker": 3, "deals": [[own, left, partner, right]] });
        let mut room = HeadlessRoom::new(&serde_json::from_value(config).unwrap()).unwrap();
        let bid = room.view(Seat::ALL[0]);
        let first = hints(&DecisionPoint::new(&bid, Seat::ALL[0], 1));
        bid_and_lead(&mut room);
        let lead = room.view(Seat::ALL[0]);
        (first, hints(&DecisionPoint::new(&lead, Seat::ALL[0], 1)))
    };
    let (bids, leads) = hints_with(&left, &partner, &right);
    assert!(bids.len() > 10 && leads.len() >= 7, "{} {}", bids.len(), leads.len());
    assert_eq!(hints_with(&right, &left, &partner), (bids, leads));
}

/// Seat 0 bids and names trumps, so that it has to lead.
fn bid_and_lead(room: &mut HeadlessRoom) {
    let [first, others @ ..] = Seat::ALL;
    room.execute(Action::Bid { player: first, bid: Bid::points(30) }).unwrap();
    for player in others {
        room.execute(Action::Pass { player }).unwrap();
    }
    room.execute(Action::SelectTrump { player: first, trump: Trump::Fives }).unwrap();
}
