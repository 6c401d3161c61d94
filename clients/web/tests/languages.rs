//! Everything that a table or a bot says is rendered in the reader's language.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::collections::BTreeSet;

use texas42_ai::{DecisionPoint, Strategy, hints};
use texas42_engine::{Context, Game};
use texas42_house_rules::Preset;
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_protocol::GameView;
use texas42_vocab::{Config, Layer, Scoring, Seat};
use texas42_web::words::{Language, Remark, Words};

/// A text in English, Spanish and the pseudo-locale.
type Translations = [String; 3];

fn in_every_language(say: impl Fn(&Words) -> String) -> Translations {
    [Language::English, Language::Spanish, Language::Pseudo].map(|language| say(language.words()))
}

/// Spanish differs from English, and the pseudo-locale has no ASCII letters, which would come from outside the
/// catalogue.
fn check(texts: &BTreeSet<Translations>) {
    for [english, spanish, pseudo] in texts {
        assert!(!english.is_empty() && english != spanish, "{english:?} {spanish:?}");
        assert!(!pseudo.contains(|letter: char| letter.is_ascii_alphabetic()), "{english:?} {pseudo:?}");
        let numbers = |text: &str| {
            let mut numbers: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
            numbers.sort_unstable();
            numbers
        };
        assert_eq!(numbers(english), numbers(spanish), "a parameter is missing: {english:?} {spanish:?}");
    }
}

/// All reasons in a view.
fn reasons(view: &GameView) -> Vec<Translations> {
    let hints = view.valid_actions.iter().filter_map(|valid| valid.hint);
    let blocked = view.derived.blocked.iter().map(|blocked| blocked.reason);
    let outcome = view.state.outcome.iter().map(|outcome| outcome.reason);
    hints
        .map(|hint| in_every_language(|words| words.hint(hint)))
        .chain(blocked.map(|refusal| in_every_language(|words| words.refusal(refusal))))
        .chain(outcome.map(|reason| in_every_language(|words| words.outcome(reason).to_owned())))
        .collect()
}

/// All reasons for all seats in a game with every layer of the family preset and arbitrary legal actions.
fn reasons_in_game(seed: usize) -> BTreeSet<Translations> {
    let layers: Vec<Layer> = Preset::Family.rules().layers().to_vec();
    let config = Config { layers, seed: format!("spanish-{seed}").parse().ok(), ..Config::default() };
    let mut game = Game::new(Context::compose(&config).unwrap());
    let mut texts = BTreeSet::new();
    for number in 0..400 {
        for seat in Seat::ALL {
            let viewer = Viewer { hints: true, ..Viewer::player(seat) };
            texts.extend(reasons(&view(game.ctx(), game.state(), &viewer, &TableMetadata::default())));
        }
        let offers = game.legal();
        let Some(action) = offers.nth((number * 31 + seed * 17) % offers.len().max(1)) else { break };
        game.apply(action).unwrap();
    }
    texts
}

#[test]
fn reasons_of_a_table_are_translated() {
    let texts: BTreeSet<Translations> = (0..12).flat_map(reasons_in_game).collect();
    assert!(texts.len() > 12, "too few texts to be a useful test: {texts:?}");
    check(&texts);
}

/// What bots of every level say about their choices in a game, as intents and as hints.
fn remarks_in_game(seed: usize, scoring: Scoring) -> BTreeSet<Translations> {
    let layers = if scoring == Scoring::Marks { Preset::Family.rules().layers().to_vec() } else { Vec::new() };
    let config = Config { layers, scoring, seed: format!("talk-{seed}").parse().ok(), ..Config::default() };
    let mut game = Game::new(Context::compose(&config).unwrap());
    let bots = [Strategy::Random, Strategy::Beginner, Strategy::Intermediate, Strategy::Sampler];
    let mut texts = BTreeSet::new();
    let mut say = |why: &[Remark]| {
        texts.insert(in_every_language(|words| words.remarks(why)));
    };
    for number in 0..200 {
        let offers = game.legal();
        let Some(first) = offers.nth(0) else { break };
        let decision = game.state().to_act().and_then(|seat| {
            let view = view(game.ctx(), game.state(), &Viewer::player(seat), &TableMetadata::default());
            let ask = DecisionPoint { worlds: Some(8), ..DecisionPoint::new(&view, seat, number) };
            hints(&ask).iter().for_each(|advice| say(&advice.why));
            bots[(seed + number as usize) % 4].decide(&ask)
        });
        decision.iter().for_each(|decision| say(&decision.why));
        game.apply(decision.map_or(first, |decision| decision.action)).unwrap();
    }
    texts
}

#[test]
fn remarks_of_bots_are_translated() {
    let marks = (0..8).flat_map(|seed| remarks_in_game(seed, Scoring::Marks));
    let texts: BTreeSet<Translations> = marks.chain(remarks_in_game(8, Scoring::Points)).collect();
    assert!(texts.len() > 200, "too few texts to be a useful test: {}", texts.len());
    check(&texts);
}
