//! Whole games through the protocol: four followers act on their views, and after every message these equal the views
//! of the room.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::*;
use texas42_protocol::ServerMessage;
use texas42_room::RandomPlayer;

fn every_contract() -> Value {
    json!({ "layers": [
        { "type": "nello" }, { "type": "plunge" }, { "type": "splash" }, { "type": "sevens" },
        { "type": "consensus" }, { "type": "hints" },
    ] })
}

fn average(sizes: &[usize]) -> usize {
    sizes.iter().sum::<usize>() / sizes.len().max(1)
}

#[test]
fn a_person_and_three_bots_play_a_whole_game() {
    let mut host = Host::seated(1, every_contract(), &json!({ "pause": 0, "hints": true }));
    let mut longest: BTreeMap<String, usize> = BTreeMap::new();
    let mut random = RandomPlayer::new(3);
    while !host.phase().is_over() {
        host.step(&mut random);
        let views = host.followers.keys().filter_map(|id| host.room.view_for(*id));
        let most = views.map(|view| serde_json::to_string(&view).unwrap().len()).max().unwrap();
        let phase = host.phase().to_string();
        longest.entry(phase).and_modify(|longest| *longest = most.max(*longest)).or_insert(most);
    }
    let patched = |message: &ServerMessage| matches!(message, ServerMessage::StateUpdate { patch: Some(_), .. });
    let size = |message: &ServerMessage| serde_json::to_string(message).unwrap().len();
    let patches: Vec<usize> =
        host.sent.iter().filter(|(_, message)| patched(message)).map(|(_, message)| size(message)).collect();
    println!("{} patches of {} bytes on average, most {:?}", patches.len(), average(&patches), patches.iter().max());
    println!("longest views in bytes: {longest:?}");
    assert!(average(&patches) <= 600, "{}", average(&patches));
    assert!(longest.values().all(|bytes| *bytes <= 5200), "{longest:?}");
    assert_eq!(host.restored(9).room.state(), host.room.state());
}

#[test]
fn four_people_play_a_whole_game() {
    let mut host = Host::seated(4, json!({ "layers": [{ "type": "speed" }] }), &json!({}));
    host.play_to_the_end(&mut RandomPlayer::new(4));
    assert_eq!(host.restored(9).room.state(), host.room.state());
}
