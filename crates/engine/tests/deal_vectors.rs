//! The test vectors of `docs/deal.md`, checked with the engine and with an independent implementation in Python.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::{path::Path, process::Command};

use support::*;
use texas42_engine::deal::{Key, deal, draw_first_shaker, hand_key, seed_root, shuffle};
use texas42_vocab::{Domino, Hand};

const DOCUMENT: &str = include_str!("../../../docs/deal.md");

/// The vectors of the document: the text before the colon, and the dominoes.
fn vectors() -> Vec<(&'static str, &'static str)> {
    let lines = DOCUMENT.lines().filter(|line| line.starts_with("seed ") || line.starts_with("key "));
    lines.map(|line| line.split_once(": ").expect("a vector has a colon")).collect()
}

fn text(dominoes: [Domino; 28]) -> String {
    dominoes.map(|domino| domino.to_string()).join(" ")
}

fn key_of_hex(hex: &str) -> Key {
    let mut key = [0; 32];
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    }
    key
}

#[test]
fn the_engine_deals_the_vectors_of_the_document() {
    let (mut seeds, mut keys) = (0, 0);
    for (name, dominoes) in vectors() {
        match name.split(' ').collect::<Vec<_>>()[..] {
            ["seed", seed, "hand", number, "shaker", shaker] => {
                let root = seed_root(&seed.parse().unwrap());
                assert_eq!(text(shuffle(&hand_key(&root, number.parse().unwrap()))), dominoes, "{name}");
                assert_eq!(draw_first_shaker(&root).to_string(), shaker, "{name}");
                seeds += 1;
            }
            ["key", hex] => {
                assert_eq!(text(shuffle(&key_of_hex(hex))), dominoes, "{name}");
                keys += 1;
            }
            _ => panic!("{name} is not a vector"),
        }
    }
    assert!(seeds >= 9 && keys >= 3, "{seeds} {keys}");
}

/// A game deals as the vectors say: seven dominoes to seat 0, the next seven to seat 1, and so on.
#[test]
fn a_game_deals_the_vectors() {
    let ctx = context(r#"{"seed":"texas-42"}"#);
    let (name, dominoes) = vectors()[0];
    assert!(name.starts_with("seed texas-42 hand 0 shaker"));
    let row: Vec<Domino> = dominoes.split(' ').map(d).collect();
    let hands: Vec<Hand> = row.chunks(7).map(|hand| hand.iter().copied().collect()).collect();
    assert_eq!(ctx.deal(0).to_vec(), hands);
    assert_eq!(deal(&hand_key(&seed_root(ctx.seed()), 0)).to_vec(), hands);
    assert_eq!(ctx.first_state().hands.to_vec(), hands);
    assert!(name.ends_with(&ctx.first_state().shaker.to_string()));
    assert_eq!(context("{}").first_state(), ctx.first_state(), "the seed of a table that names none");
}

/// Skipped if Python is not installed.
#[test]
fn a_second_implementation_agrees() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = |arguments: &[&str]| Command::new("python3").args(arguments).current_dir(&top).output();
    // The script is written for Python 3.10 and later.
    let new_enough = python(&["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]);
    if !new_enough.is_ok_and(|output| output.status.success()) {
        println!("skipped: Python 3.10 or later is not installed");
        return;
    }
    let output = python(&["examples/verify_deal.py", "check", "docs/deal.md"]).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), format!("{} vectors hold", vectors().len()));
}
