//! Who may talk at a table, and whom the person at this device hears.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use texas42_engine::{Context, Game};
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_protocol::{Capability, GameId, GameView, Metadata, Name, PlayerId, PlayerView, Role, TableOptions};
use texas42_vocab::{Config, Control, Phase, Seat};
use texas42_web::{
    announce::news,
    settings::Settings,
    table_model::{HostKind, TableModel},
    words::Language,
};

const ANN: Seat = Seat::ALL[0];

fn player(seat: Option<Seat>, name: &str, capabilities: Vec<Capability>) -> PlayerView {
    PlayerView {
        player_id: PlayerId::try_from(name.to_lowercase().as_str()).unwrap(),
        player_index: seat,
        name: Name::try_from(name).unwrap(),
        control_type: Control::Human,
        is_connected: true,
        waits_for_deal: false,
        capabilities,
    }
}

/// Ann, her coach Cora, Bob, a bot, and Wes who watches, as one of them sees it.
fn table(viewer: &str, change: impl FnOnce(&mut Metadata)) -> TableModel {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let mut metadata = Metadata::default();
    change(&mut metadata);
    let table = TableMetadata { metadata: metadata.into(), ..TableMetadata::default() };
    let players = vec![
        player(Some(ANN), "Ann", Role::Player.capabilities(Some(ANN))),
        player(Some(Seat::ALL[1]), "Bob", Role::Player.capabilities(Some(Seat::ALL[1]))),
        PlayerView { control_type: Control::Ai, ..player(Some(Seat::ALL[2]), "Otis", Vec::new()) },
        player(None, "Cora", Role::Coach.capabilities(Some(ANN))),
        player(None, "Wes", Vec::new()),
    ];
    let own = players.iter().find(|player| player.name.as_str() == viewer).cloned();
    let view = view(game.ctx(), game.state(), &Viewer::spectator(), &table);
    TableModel {
        game: GameId::try_from("abc").unwrap(),
        home: HostKind::Server,
        version: 1,
        view: GameView { players: players.into(), ..view },
        player_id: PlayerId::try_from(viewer.to_lowercase().as_str()).ok(),
        seat: own.as_ref().and_then(|own| own.player_index),
        capabilities: own.map(|own| own.capabilities).unwrap_or_default(),
        bottom: ANN,
        best: None,
        expert: Vec::new(),
    }
}

fn usual(_: &mut Metadata) {}

fn coach_is_off(metadata: &mut Metadata) {
    metadata.coach_off = vec![ANN];
}

fn named<'a>(table: &'a TableModel, name: &str) -> &'a PlayerView {
    table.view.players.iter().find(|player| player.name.as_str() == name).unwrap()
}

#[test]
fn people_with_a_session_talk_online_where_it_does_not_count() {
    for viewer in ["Ann", "Cora", "Wes"] {
        assert!(table(viewer, usual).may_talk(), "{viewer}");
    }
    assert!(!table("Nobody", usual).may_talk(), "a spectator without a session");
    let rated = TableOptions { rated: true, ..TableOptions::default() };
    assert!(!table("Ann", |metadata| metadata.table = rated).may_talk());
    assert!(!TableModel { home: HostKind::Browser, ..table("Ann", usual) }.may_talk());
    let mut alone = table("Ann", usual);
    alone.view.players = alone.view.players[..1].to_vec().into();
    assert!(!alone.may_talk(), "nobody hears it");
}

#[test]
fn the_menu_lists_the_other_people() {
    let names = |viewer: &str| -> Vec<String> {
        table(viewer, usual).other_people().map(|person| person.name.to_string()).collect()
    };
    assert_eq!(names("Ann"), ["Bob", "Cora", "Wes"]);
    assert_eq!(names("Wes"), ["Ann", "Bob", "Cora"]);
}

#[test]
fn only_a_coach_points_and_only_at_the_students_hand_while_allowed() {
    let points = |table: &TableModel| Seat::ALL.map(|seat| table.may_point_at(seat));
    assert_eq!(points(&table("Cora", usual)), [true, false, false, false]);
    for silent in [table("Cora", coach_is_off), table("Ann", usual), table("Wes", usual)] {
        assert_eq!(points(&silent), [false; 4]);
    }
}

#[test]
fn a_session_that_sees_hands_is_told_to_wait_until_the_hand_is_over() {
    let sees = |viewer: &str, capability: Capability, phase: Phase| {
        let mut seen = table(viewer, usual);
        seen.capabilities.push(capability);
        seen.view.state.phase = phase;
        seen.must_be_silent()
    };
    for capability in [Capability::ObserveAllHands, Capability::ObserveFullState] {
        assert!(sees("Wes", capability, Phase::Playing), "{capability:?}");
        assert!(!sees("Wes", capability, Phase::Scoring), "{capability:?}");
        assert!(!sees("Cora", capability, Phase::Playing), "a coach talks to the student alone");
    }
    assert!(!sees("Ann", Capability::UndoActions, Phase::Playing));
}

#[test]
fn the_wish_about_the_coach_is_requested_where_it_differs() {
    let ann = |change: fn(&mut Metadata)| table("Ann", change);
    assert_eq!(ann(usual).coach_request(true), None);
    assert_eq!(ann(usual).coach_request(false), Some(false));
    assert_eq!(ann(coach_is_off).coach_request(false), None);
    assert_eq!(ann(coach_is_off).coach_request(true), Some(true));
    assert_eq!(table("Bob", usual).coach_request(false), None, "nobody coaches Bob");
    assert_eq!(table("Cora", usual).coach_request(false), None, "Cora has no seat");
}

#[test]
fn a_person_hears_whom_the_settings_allow() {
    let ann = table("Ann", usual);
    let heard = |settings: &Settings| ["Bob", "Cora", "Wes"].map(|name| settings.hears(&ann, named(&ann, name)));
    assert_eq!(heard(&Settings::default()), [true, true, true]);
    assert_eq!(heard(&Settings { coach: false, ..Settings::default() }), [true, false, true]);
    assert_eq!(heard(&Settings { phrases: false, ..Settings::default() }), [false, true, false]);
    let mut muting = Settings::default();
    muting.toggle_muted(&named(&ann, "Bob").name);
    assert_eq!(heard(&muting), [false, true, true]);
}

#[test]
fn a_coach_learns_that_the_student_plays_alone() {
    let said =
        |viewer: &str| news(Some(&table(viewer, usual)), &table(viewer, coach_is_off), Language::English.words());
    assert_eq!(said("Cora"), ["Ann plays without a coach for now."]);
    assert!(said("Bob").is_empty() && said("Ann").is_empty());
}
