//! Every layer alone, in pairs, and all together; and every invalid configuration with its error.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use support::*;
use texas42_engine::{Authority, Context, Game, Goal, HandResult, Hint, State, code, record::Record, stars};
use texas42_vocab::{Action, Config, DailyChallenge, Hand, Hints, Layer, Phase, Seat};

/// Whether two layers are compatible.
fn compose_together(one: &Layer, other: &Layer) -> bool {
    !one.excludes(other) && one.name() != other.name()
}

/// Layers with non-default parameters.
fn non_default_layers() -> Vec<Layer> {
    let texts = [
        r#"{"type":"nello","minimum":2,"lead":"left","doubles":"low"}"#,
        r#"{"type":"plunge"}"#,
        r#"{"type":"splash"}"#,
        r#"{"type":"sevens"}"#,
        r#"{"type":"tournament"}"#,
        r#"{"type":"forced-bid","minimum":35,"who":"first"}"#,
        r#"{"type":"speed","delay":10000}"#,
        r#"{"type":"hints"}"#,
        r#"{"type":"consensus"}"#,
        r#"{"type":"one-hand","seed":"unusual","difficulty":"easy"}"#,
        r#"{"type":"daily-challenge","date":"2028-02-29","difficulty":"hard","starThresholds":[10,20,30],"deal":4294967295}"#,
    ];
    texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

#[test]
fn test_lists_contain_every_layer() {
    let names = |layers: &[Layer]| layers.iter().map(Layer::name).collect::<Vec<_>>();
    let every = names(&Layer::every());
    assert_eq!(names(&non_default_layers()), every);
    assert_eq!(names(&random_layers(&mut Rng::new(0))), every);
}

/// Plays a whole random game with these layers and checks what every game must be able to do.
fn plays_well(layers: &[Layer], seed: u64) {
    let names: Vec<&str> = layers.iter().map(Layer::name).collect();
    let mut config = config(&format!(r#"{{"seed":"matrix-{seed}","target":2,"players":["human","ai","human","ai"]}}"#));
    config.layers = layers.to_vec();
    let mut game = Game::new(Context::compose(&config).unwrap_or_else(|error| panic!("{names:?}: {error}")));
    let mut rng = Rng::new(seed);
    while !game.state().phase.is_over() {
        let annotated = game.ctx().annotated(game.state());
        assert!(annotated.iter().map(|offer| offer.action).eq(moves(&game)), "{names:?}");
        assert!(!annotated.is_empty(), "{names:?} is stuck in {:#?}", game.state());
        let action = random_action(&game, &mut rng);
        game.apply(action).unwrap();
    }
    let again = decode(&code::encode(&game)).unwrap_or_else(|error| panic!("{names:?}: {error}"));
    assert_eq!(again.state(), game.state(), "{names:?}");
    let record = Record::of(&game);
    assert_eq!(record.replay(compose(&config)).unwrap().state(), game.state(), "{names:?}");
}

#[test]
fn every_pair_of_layers_works_in_both_orders() {
    let mut pairs = 0;
    for layers in [Layer::every().to_vec(), non_default_layers()] {
        for one in &layers {
            for other in &layers {
                let list = if one == other { vec![*one] } else { vec![*one, *other] };
                if one == other || compose_together(one, other) {
                    (0..2).for_each(|seed| plays_well(&list, seed));
                    pairs += 1;
                }
            }
        }
    }
    assert_eq!(pairs, 2 * (11 * 11 - 2 * 4));
}

#[test]
fn all_layers_work_together() {
    for layers in [Layer::every().to_vec(), non_default_layers()] {
        for is_left_out in [Layer::forbids_special_contracts, Layer::is_special_contract] {
            let mut list: Vec<Layer> = layers.iter().copied().filter(|layer| !is_left_out(layer)).collect();
            for seed in 0..20 {
                plays_well(&list, seed);
                Rng::new(seed).shuffle(&mut list);
            }
            list.retain(|layer| !layer.is_one_hand());
            (0..10).for_each(|seed| plays_well(&list, seed));
        }
    }
}

#[test]
fn points_scoring_with_all_compatible_layers() {
    let mut config = config(r#"{"scoring":"points","seed":"older"}"#);
    config.layers =
        Layer::every().into_iter().filter(|layer| !layer.is_special_contract() && !layer.is_one_hand()).collect();
    let mut game = Game::new(compose(&config));
    play_out(&mut game, &mut Rng::new(1));
    assert!(game.state().score.iter().any(|score| *score >= 250));
}

/// The error names the field and says what to change.
#[test]
fn rejects_invalid_configurations_with_a_reason() {
    let layer = |json: &str| format!(r#"{{"layers":[{json}]}}"#);
    let script =
        |words: &str| layer(&format!(r#"{{"type":"one-hand","script":{{"player":0,{words},"trump":"fives"}}}}"#));
    let cases = [
        (
            layer(r#"{"type":"speed"},{"type":"hints"},{"type":"speed","delay":5}"#),
            "layers: speed is listed twice; leave one out",
        ),
        (layer(r#"{"type":"nello","minimum":0}"#), "layers: nello: minimum is a number of marks from 1 to 4"),
        (layer(r#"{"type":"nello","minimum":5}"#), "layers: nello: minimum is a number of marks from 1 to 4"),
        (layer(r#"{"type":"forced-bid","minimum":29}"#), "layers: forced-bid: minimum is a bid from 30 to 42"),
        (layer(r#"{"type":"forced-bid","minimum":43}"#), "layers: forced-bid: minimum is a bid from 30 to 42"),
        (layer(r#"{"type":"speed","delay":10001}"#), "layers: speed: delay is at most 10000 milliseconds"),
        (
            layer(r#"{"type":"daily-challenge","starThresholds":[0,1,2]}"#),
            "layers: daily-challenge: starThresholds are three increasing numbers of points from 1 to 42",
        ),
        (
            layer(r#"{"type":"daily-challenge","starThresholds":[10,10,20]}"#),
            "layers: daily-challenge: starThresholds are three increasing numbers of points from 1 to 42",
        ),
        (
            layer(r#"{"type":"daily-challenge","starThresholds":[10,20,43]}"#),
            "layers: daily-challenge: starThresholds are three increasing numbers of points from 1 to 42",
        ),
        (
            script(r#""bid":"points","value":42"#),
            "layers: one-hand: a script bids 30 to 41 points or 1 to 2 marks and names one of the nine trumps",
        ),
        (
            script(r#""bid":"plunge","value":4"#),
            "layers: one-hand: a script bids 30 to 41 points or 1 to 2 marks and names one of the nine trumps",
        ),
        (
            format!(r#"{{"layers":[{}]}}"#, vec![r#"{"type":"hints"}"#; 17].join(",")),
            "layers: a table has at most 16 layers",
        ),
        (r#"{"target":0}"#.into(), "target: 0 is out of range; the target is from 1 to 100"),
        (r#"{"target":101}"#.into(), "target: 101 is out of range; the target is from 1 to 100"),
        (r#"{"target":5001,"scoring":"points"}"#.into(), "target: 5001 is out of range; the target is from 1 to 5000"),
    ];
    for (json, sentence) in cases {
        assert_eq!(config_error(&json), sentence, "{json}");
    }
}

/// A layer that changes the auction is rejected next to a scripted auction, in either order. Otherwise a seat could be
/// left without a legal action.
#[test]
fn rejects_a_script_with_a_forced_bid() {
    let script = r#"{"type":"one-hand","script":{"player":2,"bid":"points","value":30,"trump":"fives"}}"#;
    let forced = r#"{"type":"forced-bid","minimum":31,"who":"first"}"#;
    for layers in [format!("{script},{forced}"), format!("{forced},{script}")] {
        assert_eq!(
            config_error(&format!(r#"{{"layers":[{layers}]}}"#)),
            "layers: one-hand: a scripted auction cannot force a bid; leave out forced-bid or the script"
        );
    }
}

/// The error names the deal and the domino.
#[test]
fn rejects_invalid_deals() {
    let sentence = |change: fn(&mut Config)| {
        let mut config = config("{}");
        config.deals = vec![deal(["", "", "", ""]); 2];
        change(&mut config);
        Context::compose(&config).map(|_| ()).unwrap_err().to_string()
    };
    let few = sentence(|config| config.deals[1][3] = config.deals[1][3].without(d("6-6")));
    assert_eq!(few, "deals: deal 2: seat 4 has 6 dominoes and needs 7");
    let twice = sentence(|config| config.deals[0][3] = config.deals[0][3].without(d("6-6")).with(d("0-0")));
    assert_eq!(twice, "deals: deal 1: 0-0 is dealt twice");
    let many = sentence(|config| config.deals = vec![config.deals[0]; 101]);
    assert_eq!(many, "deals: at most 100 deals can be given");
    let empty = sentence(|config| config.deals[0] = [Hand::EMPTY; 4]);
    assert_eq!(empty, "deals: deal 1: seat 1 has 0 dominoes and needs 7");
}

/// Unknown layers and parameters do not deserialize.
#[test]
fn rejects_unknown_names() {
    for json in [
        r#"{"layers":[{"type":"poker"}]}"#,
        r#"{"layers":[{"type":"plunge","marks":4}]}"#,
        r#"{"layers":[{"type":"nello","lead":"right"}]}"#,
        r#"{"layer":[]}"#,
        r#"{"layers":[{"type":"daily-challenge","date":"2026-02-30"}]}"#,
        r#"{"seed":"two words"}"#,
        r#"{"shaker":4}"#,
    ] {
        assert!(serde_json::from_str::<Config>(json).is_err(), "{json}");
    }
}

// Each layer alone: how it changes and annotates the offers. `rules.rs` tests the special contracts, tournament and
// forced bid.

/// The base layer marks the steps that the table executes automatically.
#[test]
fn base_marks_the_steps_of_the_table() {
    let mut game = dealt("{}", 3, &[["", "", "", ""]]);
    drive(&mut game, "pass; pass; pass; pass");
    let redeal = meta(&game.ctx().annotated(game.state()), "redeal");
    assert_eq!((redeal.authority, redeal.auto_execute), (Authority::System, true));
    drive(&mut game, "redeal");
    let pass = meta(&game.ctx().annotated(game.state()), "pass");
    assert_eq!((pass.authority, pass.auto_execute, pass.hint), (Authority::Player, false, None));
}

/// Speed marks the only choice of a seat, with its delay, and nothing if there are two. A claim is not a choice.
#[test]
fn speed_marks_a_forced_play() {
    let json = r#"{"layers":[{"type":"speed","delay":250}]}"#;
    let mut game = dealt(json, 3, &[["6-4 6-6", "6-1", "6-2 6-3", ""]]);
    drive(&mut game, "bid 30; pass; pass; pass; trump fives; play 6-4");
    let only = meta(&game.ctx().annotated(game.state()), "6-1");
    assert_eq!((only.auto_execute, only.delay, only.reason), (true, 250, Some("only-legal-action")));
    assert_eq!(only.authority, Authority::Player);
    assert!(!meta(&game.ctx().annotated(game.state()), "claim").auto_execute);
    drive(&mut game, "play 6-1");
    let annotated = game.ctx().annotated(game.state());
    assert!(annotated.iter().all(|offer| !offer.meta.auto_execute), "there are two sixes");
}

/// Hints annotate every choice of a seat, based on its own dominoes and the table.
#[test]
fn hints_cover_every_choice() {
    let json = with_layers(&["hints"]);
    let mut game = dealt(&json, 3, &[["6-6 6-5 6-4 6-3 5-5 4-4 1-0", "6-1 3-2 2-2", "6-2 5-0 3-3", ""]]);
    let hint = |game: &Game, word: &str| meta(&game.ctx().annotated(game.state()), word).hint;
    assert_eq!(hint(&game, "30"), Some(Hint::SureTricks { tricks: 6 }));
    drive(&mut game, "bid 30; pass; pass; pass");
    assert_eq!(hint(&game, "sixes"), Some(Hint::SuitLength { held: 4, with_double: true }));
    assert_eq!(hint(&game, "doubles"), Some(Hint::SuitLength { held: 3, with_double: true }));
    drive(&mut game, "trump sixes");
    assert_eq!(hint(&game, "6-6"), Some(Hint::CannotBeBeaten));
    assert_eq!(hint(&game, "1-0"), Some(Hint::BeatsTheTable));
    assert_eq!(hint(&game, "claim"), Some(Hint::RestIsOpen));
    drive(&mut game, "play 5-5");
    let annotated = game.ctx().annotated(game.state());
    assert!(annotated.iter().all(|offer| offer.meta.hint.is_some()));
    assert_eq!(hint(&game, "3-2"), Some(Hint::GivesCountAway));
    assert_eq!(hint(&game, "2-2"), Some(Hint::Safe));
    assert_eq!(hint(&game, "6-1"), Some(Hint::BeatsTheTable));
    drive(&mut game, "play 2-2");
    assert_eq!(hint(&game, "5-0"), Some(Hint::OnlyChoice), "the five has to be followed");
}

/// Neither the offers nor their annotations depend on the hidden hands.
#[test]
fn offers_and_hints_do_not_depend_on_hidden_hands() {
    let mut compared = 0;
    for seed in 0..120 {
        let mut rng = Rng::new(seed);
        let mut config = random_config(&mut rng);
        config.layers.retain(|layer| !layer.gives_hints());
        config.layers.push(Layer::Hints(Hints {}));
        let mut game = Game::new(compose(&config));
        for _ in 0..120 {
            if game.state().phase.is_over() {
                break;
            }
            if let Some(seat) = game.state().to_act() {
                let other = redealt(game.state(), seat, &mut rng);
                let (here, there) = (game.ctx().annotated(game.state()), game.ctx().annotated(&other));
                assert_eq!(format!("{here:?}"), format!("{there:?}"), "seat {seat} in {config:?}");
                compared += 1;
            }
            let action = random_action(&game, &mut rng);
            game.apply(action).unwrap();
        }
    }
    assert!(compared > 2000, "{compared}");
}

/// The same state for the seat, with the hidden dominoes redealt among the others.
fn redealt(state: &State, seat: Seat, rng: &mut Rng) -> State {
    let others: Vec<Seat> = seat.round().skip(1).collect();
    let mut hidden: Vec<_> = others.iter().flat_map(|other| state.hands[other.index()]).collect();
    rng.shuffle(&mut hidden);
    let mut other_state = *state;
    for other in others {
        let count = state.hands[other.index()].len();
        other_state.hands[other.index()] = hidden.drain(..count).collect();
    }
    other_state
}

const MIXED: &str = r#"{"layers":[{"type":"consensus"}],"players":["human","ai","human","ai"]}"#;
const SIXES: [&str; 4] = ["6-6 6-5 6-4 6-3 6-2 6-1 6-0", "", "", ""];

fn one_trick_played(json: &str) -> Game {
    let mut game = dealt(json, 3, &[SIXES]);
    drive(&mut game, "bid 1 mark; pass; pass; pass; trump sixes");
    for _ in 0..4 {
        let first = moves(&game)[0];
        game.apply(first).unwrap();
    }
    game
}

/// Consensus waits for every person and for no bot.
#[test]
fn consensus_waits_for_people() {
    let mut game = one_trick_played(MIXED);
    assert_eq!(offered(&game), "0 agrees, 2 agrees");
    assert_eq!(refused(&mut game, "take"), "the table is waiting for everybody to continue");
    assert_eq!(refused(&mut game, "1 agree"), "the table isn't waiting for seat 2 to agree");
    drive(&mut game, "2 agree");
    assert_eq!(offered(&game), "0 agrees");
    assert_eq!(refused(&mut game, "2 agree"), "the table isn't waiting for seat 3 to agree");
    drive(&mut game, "0 agree");
    assert_eq!(offered(&game), "complete-trick");
    drive(&mut game, "take; claim");
    assert_eq!(offered(&game), "0 agrees, 2 agrees", "the result is agreed on as well");
    drive(&mut game, "0 agree; 2 agree");
    assert_eq!(offered(&game), "score-hand");
    drive(&mut game, "score");
    assert_eq!(game.state().phase, Phase::Bidding);
}

/// A table of bots does not wait at all, and a change of control takes effect at once.
#[test]
fn consensus_follows_a_change_of_control() {
    let ais = r#"{"layers":[{"type":"consensus"}],"players":["ai","ai","ai","ai"]}"#;
    assert_eq!(offered(&one_trick_played(ais)), "complete-trick");
    let mut game = one_trick_played(MIXED);
    drive(&mut game, "0 agree; 2 ai");
    assert_eq!(offered(&game), "complete-trick", "the seat that was waited for is a bot now");
    drive(&mut game, "1 human");
    assert_eq!(offered(&game), "1 agrees", "and a person has come");
    drive(&mut game, "1 agree; take");
    assert!(game.state().agreed.is_empty(), "every trick needs new agreements");
}

/// The script runs the auction without asking the seats, and scoring ends the game.
#[test]
fn one_hand_follows_its_script() {
    let json = r#"{"layers":[{"type":"one-hand","seed":"lesson-1",
        "script":{"player":2,"bid":"marks","value":1,"trump":"doubles"}}],"shaker":3}"#;
    let mut game = game(json);
    assert_eq!(game.ctx().seed().as_str(), "lesson-1");
    assert_eq!(game.state().hands, context(r#"{"seed":"lesson-1"}"#).first_state().hands);
    for expected in ["pass", "pass", "1 mark", "pass", "doubles"] {
        assert_eq!(offered(&game), expected);
        let scripted = meta(&game.ctx().annotated(game.state()), expected);
        assert_eq!(
            (scripted.authority, scripted.auto_execute, scripted.reason),
            (Authority::System, true, Some("scripted"))
        );
        let only = moves(&game)[0];
        game.apply(only).unwrap();
    }
    assert_eq!((game.state().turn, game.state().phase), (seat(2), Phase::Playing));
    play_first_until(&mut game, Phase::Scoring);
    assert_eq!(offered(&game), "end-game");
    assert!(game.apply(Action::ScoreHand).is_err());
    drive(&mut game, "end");
    assert_eq!(game.state().phase, Phase::OneHandComplete);
}

/// A hand that is thrown in does not count: the next one is dealt.
#[test]
fn one_hand_is_the_first_played_hand() {
    let mut game = dealt(&with_layers(&["one-hand"]), 3, &[SIXES, SIXES]);
    drive(&mut game, "pass; pass; pass; pass; redeal");
    drive(&mut game, "pass; pass; pass; 0 bid 30; trump sixes; claim; end");
    assert_eq!(game.state().phase, Phase::OneHandComplete);
    assert_eq!(game.state().score, [1, 0]);
}

/// The daily challenge has its own seed, the same for every player, and ends after one hand. "Hard" is straight 42.
#[test]
fn daily_challenge_has_the_hand_of_the_day() {
    let daily = |difficulty: &str, more: &str| {
        format!(
            r#"{{"seed":"other","layers":[{more}{{"type":"daily-challenge","date":"2026-01-15","difficulty":"{difficulty}"}}]}}"#
        )
    };
    let mut game = game(&daily("medium", ""));
    assert_eq!(game.ctx().seed().as_str(), "daily-2026-01-15-medium");
    assert_ne!(game.state().hands, context(&daily("easy", "")).first_state().hands);
    drive(&mut game, "bid 30; pass; pass; pass; trump follow-me");
    play_first_until(&mut game, Phase::Scoring);
    assert_eq!(offered(&game), "end-game");
    drive(&mut game, "end");
    assert_eq!(game.state().phase, Phase::OneHandComplete);

    for (difficulty, nello) in [("easy", true), ("medium", true), ("hard", false)] {
        let mut game = support::game(&daily(difficulty, r#"{"type":"nello"},"#));
        drive(&mut game, "bid 1 mark; pass; pass; pass");
        assert_eq!(offered(&game).ends_with("nello"), nello, "{difficulty}");
    }
}

/// The number of the deal is part of the configuration. Without a number the seed has none, as in records written
/// before deals were numbered.
#[test]
fn daily_challenge_has_many_deals_a_day() {
    let day = |more: &str| {
        context(&format!(
            r#"{{"layers":[{{"type":"daily-challenge","date":"2026-01-15","difficulty":"easy"{more}}}]}}"#
        ))
    };
    let (plain, first, second) = (day(""), day(r#","deal":0"#), day(r#","deal":1"#));
    let seeds = [&plain, &first, &second].map(|day| day.seed().to_string());
    assert_eq!(seeds, ["daily-2026-01-15-easy", "daily-2026-01-15-easy-0", "daily-2026-01-15-easy-1"]);
    assert_ne!(plain.first_state().hands, first.first_state().hands);
    assert_ne!(first.first_state().hands, second.first_state().hands);
    assert_eq!(second.first_state().hands, context(r#"{"seed":"daily-2026-01-15-easy-1"}"#).first_state().hands);
}

/// The difficulty guides only the search for a seed.
#[test]
fn difficulty_does_not_change_the_deal() {
    let hands = |more: &str| context(&format!(r#"{{"layers":[{{"type":"one-hand"{more}}}]}}"#)).first_state().hands;
    assert_eq!(hands(r#","difficulty":"hard""#), hands(""));
    assert_eq!(hands(r#","difficulty":"hard","seed":"a""#), hands(r#","seed":"a""#));
}

/// One star for each threshold that the challenger's team reached; nello is worth all points or none.
#[test]
fn stars_follow_from_points() {
    let challenge = DailyChallenge::default();
    let mut game = dealt("{}", 3, &[SIXES]);
    drive(&mut game, "bid 30; pass; pass; pass; trump sixes; claim; score");
    let result = game.state().last_hand.unwrap();
    let with = |points: u8| HandResult { points: [points, 42 - points], ..result };
    for (points, expected) in [(0, 0), (24, 0), (25, 1), (34, 1), (35, 2), (41, 2), (42, 3)] {
        assert_eq!(stars(&challenge, &with(points), Goal::Points(30)), expected, "{points}");
    }
    assert_eq!(stars(&challenge, &HandResult { gained: [1, 0], ..with(0) }, Goal::NoTrick), 3);
    assert_eq!(stars(&challenge, &HandResult { gained: [0, 1], ..with(0) }, Goal::NoTrick), 0);
}

/// The last layer has the last word.
#[test]
fn the_last_layer_wins() {
    let seeds = |first: &str, second: &str| context(&format!(r#"{{"layers":[{first},{second}]}}"#)).seed().to_string();
    let (daily, lesson) =
        (r#"{"type":"daily-challenge","date":"2026-01-15"}"#, r#"{"type":"one-hand","seed":"lesson"}"#);
    assert_eq!(seeds(daily, lesson), "lesson");
    assert_eq!(seeds(lesson, daily), "daily-2026-01-15-medium");
    assert_eq!(seeds(daily, r#"{"type":"one-hand"}"#), "daily-2026-01-15-medium");
}
