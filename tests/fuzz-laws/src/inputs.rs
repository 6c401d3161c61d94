//! Almost valid inputs: noise, valid texts with a few bytes changed, and JSON with changed values.

use serde_json::{Value, json};
use texas42_room::RandomPlayer;

/// Fragments that the parsers know, and some that they must reject.
const WORDS: [&str; 28] = [
    "\"cmd\":",
    "\"new\"",
    "\"type\":",
    "\"player\":",
    "\"undo\",\"to\":",
    "\"set-control\"",
    "\"version\":1",
    "\"layers\":[",
    "\"nello\"",
    "\"one-hand\"",
    "\"6-6\"",
    "\"6-7\"",
    "null",
    "true",
    "-1",
    "255",
    "256",
    "65536",
    "18446744073709551616",
    "1e999",
    "\\u0000",
    "\u{feff}",
    "\n",
    "{",
    "}",
    "[[[[[[[[[[[[[[[[",
    "\"",
    ",",
];

/// Random bytes.
pub(crate) fn noise(dice: &mut RandomPlayer, max_length: u64) -> Vec<u8> {
    let length = dice.below(max_length);
    (0..length).map(|_| dice.below(256) as u8).collect()
}

/// A text with a few random edits.
pub(crate) fn damaged(mut text: Vec<u8>, dice: &mut RandomPlayer) -> Vec<u8> {
    for _ in 0..=dice.below(6) {
        damage(&mut text, dice);
    }
    text
}

fn damage(text: &mut Vec<u8>, dice: &mut RandomPlayer) {
    let at = dice.below(text.len() as u64 + 1) as usize;
    let end = (at + dice.below(24) as usize).min(text.len());
    match dice.below(7) {
        0 => text.truncate(at),
        1 => drop(text.drain(at..end)),
        2 => {
            let copy = text[at..end].to_vec();
            text.splice(at..at, copy);
        }
        3 => drop(text.splice(at..at, WORDS[dice.below(WORDS.len() as u64) as usize].bytes())),
        4 => drop(text.splice(at..end, WORDS[dice.below(WORDS.len() as u64) as usize].bytes())),
        5 if at < text.len() => text[at] ^= 1 << dice.below(8),
        _ if at < text.len() => text[at] = b"0123456789abcXYZ-_\"{}[],:"[dice.below(25) as usize],
        _ => {}
    }
}

/// The same JSON lines with some values changed. Lines that are not JSON are damaged instead.
pub(crate) fn mutate_json(text: &[u8], dice: &mut RandomPlayer) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Value>(line) {
            Ok(mut value) => {
                (0..=dice.below(2)).for_each(|_| mutate_value(&mut value, dice));
                lines.push(value.to_string().into_bytes());
            }
            Err(_) => lines.push(damaged(line.to_vec(), dice)),
        }
    }
    lines.join(&b'\n')
}

/// Changes the value at a random path.
fn mutate_value(value: &mut Value, dice: &mut RandomPlayer) {
    let inner = match value {
        Value::Array(items) => items.len() as u64,
        Value::Object(fields) => fields.len() as u64,
        _ => 0,
    };
    if inner == 0 || dice.below(6) == 0 {
        *value = any_value(dice);
        return;
    }
    let at = dice.below(inner) as usize;
    match value {
        Value::Array(items) if dice.below(12) == 0 => drop(items.remove(at)),
        Value::Array(items) if dice.below(12) == 0 => items.push(items[at].clone()),
        Value::Array(items) => mutate_value(&mut items[at], dice),
        Value::Object(fields) => {
            let key = fields.keys().nth(at).expect("the index is below the length").clone();
            match dice.below(12) {
                0 => drop(fields.remove(&key)),
                1 => drop(fields.insert(format!("{key}s"), any_value(dice))),
                _ => mutate_value(&mut fields[&key], dice),
            }
        }
        _ => {}
    }
}

fn any_value(dice: &mut RandomPlayer) -> Value {
    match dice.below(12) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1.5),
        5 => json!([]),
        6 => json!({}),
        7 => json!("x".repeat(dice.below(60) as usize)),
        8 => json!(format!("{}-{}", dice.below(8), dice.below(8))),
        9 => json!(["human", "points", "nello", "sevens", "follow-me", "quit", "code"][dice.below(7) as usize]),
        _ => json!(dice.below(50)),
    }
}
