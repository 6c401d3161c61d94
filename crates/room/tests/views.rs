//! The view of each kind of viewer in each phase, as text, and the patches between views.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::{collections::BTreeMap, fmt::Write, sync::Arc};

use serde_json::{Value, json};
use support::{canonical, seat};
use texas42_kernel::{TableMetadata, Viewer, granted, setup_view};
use texas42_protocol::{CommonChanges, FollowOutcome, Follower, GameView, Grant, Role, ServerMessage, ViewPatch};
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, Config, Phase};

/// The standard viewers; the others are compared with the first.
fn viewers() -> Vec<(&'static str, Viewer)> {
    let of = |role: Role, at: Option<u8>, open_hands: bool| {
        let grant = Grant { seat: at.map(seat), open_hands, ..Grant::of(role) };
        let own = grant.seat.filter(|_| role.is_seated());
        Viewer::with(&granted(&grant, own, None), own)
    };
    vec![
        ("player on seat 0", of(Role::Player, Some(0), false)),
        ("player on seat 1", of(Role::Player, Some(1), false)),
        ("student on seat 0", of(Role::Student, Some(0), false)),
        ("spectator", of(Role::Spectator, None, false)),
        ("spectator with open hands", of(Role::Spectator, None, true)),
        ("coach of seat 0", of(Role::Coach, Some(0), false)),
        ("admin", of(Role::Admin, None, false)),
    ]
}

fn table() -> Config {
    serde_json::from_value(json!({
        "seed": "views", "shaker": 3, "target": 1,
        "layers": [{ "type": "nello" }, { "type": "hints" }, { "type": "consensus" }],
        "players": ["human", "ai", "ai", "ai"],
    }))
    .unwrap()
}

/// A view as lines of `field = value`, two levels deep.
fn lines(view: &GameView) -> BTreeMap<String, String> {
    let json = serde_json::to_value(view).unwrap();
    let mut lines = BTreeMap::new();
    for (name, part) in json.as_object().unwrap() {
        let parts: Vec<(String, &Value)> = match part {
            Value::Object(fields) => fields.iter().map(|(field, value)| (format!(".{field}"), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(at, item)| (format!("[{at:02}]"), item)).collect(),
            other => vec![(String::new(), other)],
        };
        lines.extend(parts.into_iter().map(|(field, value)| (format!("{name}{field}"), canonical(value))));
    }
    lines
}

/// The first viewer's view, and how those of the others differ.
fn shown(room: &HeadlessRoom) -> String {
    let mut text = String::new();
    let mut first: Option<BTreeMap<String, String>> = None;
    for (name, viewer) in viewers() {
        let view = lines(&room.view_of(&viewer));
        writeln!(text, "# {name}").unwrap();
        match &first {
            None => view.iter().for_each(|(field, value)| writeln!(text, "{field} = {value}").unwrap()),
            Some(first) => differences(&mut text, first, &view),
        }
        first.get_or_insert(view);
    }
    text
}

fn differences(text: &mut String, first: &BTreeMap<String, String>, other: &BTreeMap<String, String>) {
    for (field, value) in other.iter().filter(|(field, value)| first.get(*field) != Some(value)) {
        writeln!(text, "{field} = {value}").unwrap();
    }
    for field in first.keys().filter(|field| !other.contains_key(*field)) {
        writeln!(text, "{field} is not there").unwrap();
    }
}

/// Seat 0 bids a mark; then everybody takes the last offer.
fn reach(phase: Phase, tricks: u8) -> HeadlessRoom {
    let mut room = HeadlessRoom::new(&table()).unwrap();
    room.execute(Action::Bid { player: seat(0), bid: texas42_vocab::Bid::marks(1) }).unwrap();
    while room.state().phase != phase || room.state().tally.tricks_played() < tricks {
        let offers: Vec<Action> =
            room.legal().iter().filter(|action| !matches!(action, Action::Claim { .. })).collect();
        let next = offers.iter().find(|action| matches!(action, Action::Pass { .. })).or(offers.last());
        room.execute(*next.unwrap()).unwrap();
    }
    room
}

#[test]
fn the_views_of_every_phase() {
    let mut playing = reach(Phase::Playing, 1);
    let second = playing.legal().nth(0).unwrap();
    playing.execute(second).unwrap();
    insta::assert_snapshot!("bidding", shown(&HeadlessRoom::new(&table()).unwrap()));
    insta::assert_snapshot!("trump-selection", shown(&reach(Phase::TrumpSelection, 0)));
    insta::assert_snapshot!("playing", shown(&playing));
    insta::assert_snapshot!("scoring", shown(&reach(Phase::Scoring, 1)));
    insta::assert_snapshot!("game-end", shown(&reach(Phase::GameEnd, 0)));
}

/// Before the first deal there is nothing to see or do.
#[test]
fn the_view_of_the_setup() {
    let view = setup_view(&table(), &TableMetadata::default());
    let text: String = lines(&view).iter().map(|(field, value)| format!("{field} = {value}\n")).collect();
    insta::assert_snapshot!("setup", text);
}

fn random_table(seed: u64) -> HeadlessRoom {
    let mut random = RandomPlayer::new(seed);
    let layers = ["nello", "plunge", "splash", "sevens", "forced-bid", "speed", "hints", "consensus", "one-hand"];
    let layers: Vec<Value> =
        layers.into_iter().filter(|_| random.below(2) == 0).map(|name| json!({ "type": name })).collect();
    let config =
        json!({ "layers": layers, "seed": format!("patch-{seed}"), "target": 2, "playOn": seed.is_multiple_of(2) });
    HeadlessRoom::new(&serde_json::from_value(config).unwrap()).unwrap()
}

fn update(version: u64, patch: &ViewPatch) -> ServerMessage {
    let patch: Value = serde_json::from_str(&patch.to_json()).unwrap();
    let message = json!({ "type": "STATE_UPDATE", "gameId": "g", "version": version, "patch": patch });
    serde_json::from_value(message).unwrap()
}

fn full(version: u64, view: &GameView) -> ServerMessage {
    let message = json!({ "type": "STATE_UPDATE", "gameId": "g", "version": version, "view": view });
    serde_json::from_value(message).unwrap()
}

/// There is a patch between any two views, because an undo may lead anywhere.
#[test]
fn patches_lead_from_any_view_to_any_other() {
    for seed in 0..24 {
        let (mut room, mut random) = (random_table(seed), RandomPlayer::new(seed));
        let mut held: Vec<Vec<Arc<GameView>>> = Vec::new();
        for _ in 0..150 {
            held.push(viewers().iter().map(|(_, viewer)| Arc::new(room.view_of(viewer))).collect());
            let Some(action) = random.pick(&room.legal()) else { break };
            room.execute(action).unwrap();
        }
        for (at, after) in held.iter().enumerate().skip(1) {
            let before = [at - 1, random.below(held.len() as u64) as usize].map(|from| &held[from]);
            for before in before {
                check_patches(before, after);
            }
        }
    }
}

/// Checks the patches of several viewers: each one, read again, leads from one view to the other like a merge patch of
/// RFC 7396, and the common changes can be written once.
fn check_patches(before: &[Arc<GameView>], after: &[Arc<GameView>]) {
    let common = Arc::new(CommonChanges::between(&before[0], &after[0]));
    for (before, after) in before.iter().zip(after) {
        let patch = ViewPatch::between(before.clone(), after.clone());
        let read: ViewPatch = serde_json::from_str(&patch.to_json()).unwrap();
        assert_eq!(read.apply(before).as_ref(), Some(&**after), "{patch:?}");
        assert_eq!(patch.apply(before).as_ref(), Some(&**after), "{patch:?}");
        let mut merged = serde_json::to_value(before).unwrap();
        merge(&mut merged, serde_json::from_str(&patch.to_json()).unwrap());
        assert_eq!(serde_json::from_value::<GameView>(merged).unwrap(), **after, "{patch:?}");
        let shared = ViewPatch::sharing(before.clone(), after.clone(), common.clone());
        assert_eq!(shared.to_json(), patch.to_json());
    }
}

/// The algorithm of RFC 7396.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(changes) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let fields = target.as_object_mut().unwrap();
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(&name);
        } else {
            merge(fields.entry(name).or_insert(Value::Null), change);
        }
    }
}

/// Messages are lost, duplicated and delayed. A follower renders only views that the table sent, and catches up with a
/// full view after every gap.
#[test]
fn a_follower_renders_only_views_of_the_table() {
    for seed in 0..24 {
        let (mut room, mut random) = (random_table(seed), RandomPlayer::new(seed));
        let viewer = viewers()[seed as usize % viewers().len()].1;
        let mut views = vec![room.view_of(&viewer)];
        let mut follower = Follower::default();
        let mut late: Vec<ServerMessage> = vec![full(0, &views[0])];
        for version in 1..150 {
            let Some(action) = random.pick(&room.legal()) else { break };
            room.execute(action).unwrap();
            views.push(room.view_of(&viewer));
            let [before, after] = [version - 1, version].map(|version| Arc::new(views[version as usize].clone()));
            late.push(update(version, &ViewPatch::between(before, after)));
            deliver_some(&mut follower, &mut late, &mut random, (version, &views));
            let rendered = follower.table().map(|(version, view)| views[version as usize] == *view);
            assert_ne!(rendered, Some(false), "seed {seed}");
        }
        let last = views.len() - 1;
        follower.handle_message(&full(last as u64, &views[last]));
        assert_eq!(follower.table(), Some((last as u64, &views[last])));
    }
}

fn deliver_some(
    follower: &mut Follower,
    late: &mut Vec<ServerMessage>,
    random: &mut RandomPlayer,
    (version, views): (u64, &[GameView]),
) {
    for _ in 0..random.below(4) {
        let at = random.below(late.len().max(1) as u64) as usize;
        let Some(message) = late.get(at).cloned() else { return };
        if random.below(3) > 0 {
            late.remove(at);
        }
        if follower.handle_message(&message) == FollowOutcome::Gap && random.below(2) == 0 {
            assert_eq!(follower.handle_message(&full(version, &views[version as usize])), FollowOutcome::Changed);
        }
    }
}

/// The goal of a daily challenge is visible from the setup on, and its result contains all that people share.
#[test]
fn a_daily_challenge_shows_its_goal_and_its_result() {
    let config: Config = serde_json::from_value(json!({
        "layers": [{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "hard", "starThresholds": [9, 10, 42], "deal": 7 }],
        "playOn": true,
    }))
    .unwrap();
    let shown = json!({ "date": "2026-01-15", "difficulty": "hard", "starThresholds": [9, 10, 42], "team": 0 });
    let setup = setup_view(&config, &TableMetadata::default());
    assert_eq!(serde_json::to_value(setup.state.challenge).unwrap(), shown);
    let (mut room, mut random) = (HeadlessRoom::new(&config).unwrap(), RandomPlayer::new(3));
    while let Some(action) = random.pick(&room.legal()) {
        assert_eq!(serde_json::to_value(room.view(seat(0)).state.challenge).unwrap(), shown);
        assert_eq!(room.result(), None);
        room.execute(action).unwrap();
    }
    let result = serde_json::to_value(room.result().unwrap()).unwrap();
    let stars = room.game().ctx().stars(room.state()).unwrap();
    assert_eq!(result["winner"], json!(room.view(seat(0)).derived.winner));
    assert_eq!((&result["score"], &result["seed"]), (&json!(room.state().score), &json!("daily-2026-01-15-hard-7")));
    assert_eq!((&result["stars"], &result["challenge"]), (&json!(stars), &shown));
    assert_eq!(result["shareText"], format!("Texas 42, 2026-01-15 (hard): {stars} of 3 stars"));
    let again = HeadlessRoom::from_link(result["replayLink"].as_str().unwrap()).unwrap();
    assert_eq!(again.state(), room.state());
}
