//! Whatever a table says in a game, and whatever programs say of their choices, is said in Spanish to those who read Spanish.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::collections::BTreeSet;

use texas42_ai::{Ask, Strategy, hints};
use texas42_engine::{Context, Game, OutcomeReason};
use texas42_kernel::{Around, Viewer, view};
use texas42_protocol::GameView;
use texas42_vocab::{Config, Layer, Scoring, Seat};
use texas42_web::{
    presets::Preset,
    words::{Language, capitalised},
};

fn is_spanish(sentence: &str) -> bool {
    Language::Spanish.words().of_the_table(sentence) != capitalised(sentence)
}

/// Everything that a view says in sentences.
fn sentences(view: &GameView) -> impl Iterator<Item = String> {
    let hints = view.valid_actions.iter().filter_map(|valid| valid.hint.clone());
    let blocked = view.derived.blocked.iter().map(|blocked| blocked.reason.clone());
    let outcome = view.state.outcome.iter().map(|outcome| outcome.text.clone());
    hints.chain(blocked).chain(outcome).collect::<Vec<_>>().into_iter()
}

/// What is said to all seats in a game with everything in it, in which everybody takes some offer or other.
fn said_in(seed: usize) -> BTreeSet<String> {
    let layers: Vec<Layer> = Preset::Family.layers();
    let config = Config { layers, seed: format!("spanish-{seed}").parse().ok(), ..Config::default() };
    let mut game = Game::new(Context::compose(&config).unwrap());
    let mut said = BTreeSet::new();
    for number in 0..400 {
        for seat in Seat::ALL {
            let viewer = Viewer { hints: true, ..Viewer::player(seat) };
            said.extend(sentences(&view(game.ctx(), game.state(), &viewer, &Around::default())));
        }
        let offers = game.legal();
        let Some(action) = offers.nth((number * 31 + seed * 17) % offers.len().max(1)) else { break };
        game.apply(action).unwrap();
    }
    said
}

#[test]
fn what_a_table_says_is_said_in_spanish() {
    let said: BTreeSet<String> = (0..12).flat_map(said_in).collect();
    assert!(said.len() > 12, "a good deal is said: {said:?}");
    let english: Vec<_> = said.iter().filter(|sentence| !is_spanish(sentence)).collect();
    assert!(english.is_empty(), "{english:#?}");
}

#[test]
fn every_end_of_a_hand_is_explained_in_spanish() {
    use OutcomeReason::{BidOutOfReach, BidReached, ClaimFailed, ClaimStood, PlayedOut, TrickLost, TrickTaken};
    for reason in [BidReached, BidOutOfReach, TrickLost, TrickTaken, PlayedOut, ClaimStood, ClaimFailed] {
        assert!(is_spanish(reason.sentence()), "{}", reason.sentence());
    }
}

/// What programs of every strength say of their choices in a game, as intents and as hints.
fn said_by_programs(seed: usize, scoring: Scoring) -> BTreeSet<String> {
    let layers = if scoring == Scoring::Marks { Preset::Family.layers() } else { Vec::new() };
    let config = Config { layers, scoring, seed: format!("talk-{seed}").parse().ok(), ..Config::default() };
    let mut game = Game::new(Context::compose(&config).unwrap());
    let players = [Strategy::Random, Strategy::Beginner, Strategy::Intermediate, Strategy::Sampler];
    let mut said = BTreeSet::new();
    for number in 0..200 {
        let offers = game.legal();
        let Some(first) = offers.nth(0) else { break };
        let decision = game.state().to_act().and_then(|seat| {
            let view = view(game.ctx(), game.state(), &Viewer::player(seat), &Around::default());
            let ask = Ask { worlds: Some(8), ..Ask::new(&view, seat, number) };
            said.extend(hints(&ask).into_iter().map(|remark| remark.text));
            players[(seed + number as usize) % 4].decide(&ask)
        });
        said.extend(decision.as_ref().map(|decision| decision.why.clone()));
        game.apply(decision.map_or(first, |decision| decision.action)).unwrap();
    }
    said
}

#[test]
fn what_programs_say_is_said_in_spanish() {
    let marks = (0..8).flat_map(|seed| said_by_programs(seed, Scoring::Marks));
    let said: BTreeSet<String> = marks.chain(said_by_programs(8, Scoring::Points)).collect();
    assert!(said.len() > 200, "a good deal is said: {}", said.len());
    let english: Vec<_> = said.iter().filter(|sentence| !is_spanish(sentence)).collect();
    assert!(english.is_empty(), "{english:#?}");
}
