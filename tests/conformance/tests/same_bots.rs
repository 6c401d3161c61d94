//! Everyone who plays the same seeded hand faces the same bots, on every host.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

mod edge;

use edge::Edge;
use serde_json::Value;
use texas42_conformance::{
    Host,
    browser::Browser,
    native::Native,
    player::{Player, play_until, seats},
};
use texas42_protocol::{DealKind, TableOptions};
use texas42_server::strategies;
use texas42_vocab::Config;

/// All actions of a game in which the person always plays the same way.
fn actions(host: &mut dyn Host) -> Vec<Value> {
    let config = Config {
        players: seats("haaa"),
        target: Some(2),
        seed: Some("the-same-hand".parse().unwrap()),
        ..Config::default()
    };
    let table = TableOptions { pause: 0, deal: DealKind::Seeded, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, table);
    play_until(&mut [&mut ann], |players| players[0].is_over());
    ann.heard.iter().map(|message| message["lastAction"].clone()).filter(|action| !action.is_null()).collect()
}

#[test]
fn a_seeded_table_meets_the_same_bots_on_every_host() {
    for level in ["random", "beginner", "intermediate", "expert"] {
        let native = |settings: &mut texas42_server::serve::Settings| {
            settings.strategy = strategies::by_name(level).unwrap();
        };
        let on_server = actions(&mut Native::with(native));
        assert!(on_server.len() > 10, "{level}: {on_server:?}");
        assert_eq!(on_server, actions(&mut Browser::with(level)), "{level}");
        assert_eq!(on_server, actions(&mut Edge::with(level)), "{level}");
        assert_eq!(on_server, actions(&mut Native::with(native)), "{level}");
    }
}
