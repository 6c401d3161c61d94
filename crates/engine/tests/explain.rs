//! The explanation of a table: the layer that decides each rule, and what each layer does to the offers.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use support::*;
use texas42_engine::{Explanation, explain};

/// The answer to a rule in a case, and who gave it.
fn ruling(explanation: &Explanation, rule: &str, case: &str) -> Option<String> {
    let ruling = explanation.rulings.iter().find(|ruling| (ruling.rule, &*ruling.case) == (rule, case))?;
    Some(format!("{} ({})", ruling.answer, ruling.decided_by))
}

/// What the layers do to a decision, in order.
fn effects(explanation: &Explanation, decision: &str) -> Vec<String> {
    let effects = explanation.effects.iter().filter(|effect| effect.decision == decision);
    effects.map(|effect| format!("{}: {}", effect.layer, effect.effect)).collect()
}

#[test]
fn each_rule_names_the_layer_that_changed_its_answer_last() {
    let explained = |names: &[&str]| explain(&context(&with_layers(names)));
    for (layers, rule, case, expected) in [
        (&["nello"][..], "after a hand", "", "the next hand, until a side has 7 marks (base)"),
        (&["nello", "one-hand"], "after a hand", "", "one-hand-complete (one-hand)"),
        (&["plunge", "splash"], "names trumps", "a bid of 30", "the bidder (base)"),
        (&["plunge", "splash"], "names trumps", "a bid of plunge for 4 marks", "the bidder's partner (plunge)"),
        (&["plunge", "splash"], "names trumps", "a bid of splash for 2 marks", "the bidder's partner (splash)"),
        (&["nello", "sevens"], "leads first", "fives for 1 mark", "the bidder (base)"),
        (&["nello", "sevens"], "suits", "fives for 1 mark", "fives are trumps, doubles high (base)"),
        (&["nello", "sevens"], "suits", "doubles for 1 mark", "doubles are trumps (base)"),
        (&["nello", "sevens"], "suits", "follow-me for 1 mark", "no trumps, doubles high (base)"),
        (&["nello", "sevens"], "sits out", "nello for 1 mark", "the bidder's partner (nello)"),
        (&["nello", "sevens"], "is made by", "nello for 1 mark", "no trick (nello)"),
        (&["nello", "sevens"], "sits out", "sevens for 1 mark", "nobody (base)"),
        (&["nello", "sevens"], "is made by", "sevens for 1 mark", "every trick (base)"),
    ] {
        assert_eq!(ruling(&explained(layers), rule, case).as_deref(), Some(expected), "{layers:?}: {rule}, {case}");
    }
}

#[test]
fn rules_that_no_layer_offers_are_left_out() {
    let explained = explain(&context("{}"));
    assert_eq!(ruling(&explained, "names trumps", "a bid of plunge for 4 marks"), None);
    assert_eq!(ruling(&explained, "suits", "nello for 1 mark"), None);
    assert_eq!(ruling(&explained, "suits", "sevens for 1 mark"), None);
}

#[test]
fn the_configuration_answers_rules_that_layers_do_not_change() {
    let answer = |json: &str, rule: &str| ruling(&explain(&context(json)), rule, "").unwrap();
    assert_eq!(answer("{}", "a decided hand"), "ends at once (base)");
    assert_eq!(answer(r#"{"playOn":true}"#, "a decided hand"), "is played to the last trick (base)");
    assert_eq!(answer("{}", "score"), "the marks at stake go to one side (base)");
    let by_points = answer(r#"{"scoring":"points","target":250}"#, "score");
    assert_eq!(by_points, "made: each side what it took; set: the other side what it took and the bid (base)");
    assert_eq!(answer(r#"{"target":1}"#, "after a hand"), "the next hand, until a side has 1 mark (base)");
    assert_eq!(answer(r#"{"seed":"mine"}"#, "deals from"), "mine (base)");
    assert_eq!(answer(r#"{"layers":[{"type":"one-hand","seed":"lesson"}]}"#, "deals from"), "lesson (one-hand)");
}

#[test]
fn each_layer_says_what_it_adds_removes_and_does_by_itself() {
    let explained = explain(&context(&with_layers(&["nello", "forced-bid", "speed", "hints", "consensus"])));
    assert_eq!(
        effects(&explained, "the shaker after three passes"),
        ["base: offers 15: 3: pass … 3: bid 2 marks", "forced-bid: removes 3: pass", "hints: gives hints on 14"]
    );
    assert_eq!(
        effects(&explained, "naming trumps after 1 mark"),
        [
            "base: offers 9: 0: select-trump blanks … 0: select-trump follow-me",
            "nello: offers 0: select-trump nello",
            "hints: gives hints on 10"
        ]
    );
    assert_eq!(
        effects(&explained, "a play without a choice"),
        [
            "base: offers 1: play 5-3, 1: claim",
            "speed: does 1: play 5-3 by itself (only-legal-action)",
            "hints: gives hints on 2"
        ]
    );
    assert_eq!(
        effects(&explained, "a complete trick"),
        ["base: offers complete-trick", "consensus: removes complete-trick; offers 0: agree-complete-trick"]
    );
}
