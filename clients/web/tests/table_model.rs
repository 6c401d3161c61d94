//! How the page builds its model of a table, and what it stores about tables in the browser.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::{cell::RefCell, collections::BTreeMap};

use texas42_client::{Credentials, GameClient, Ticket};
use texas42_engine::{Context, Game, deal::deal};
use texas42_kernel::{TableMetadata, Viewer, setup_view, view};
use texas42_protocol::{
    Capability, DealProof, GameId, GameView, Metadata, Name, PlayerId, PlayerView, RevealedHand, SecretKey,
    ServerMessage,
};
use texas42_vocab::{Config, Control, Phase, Seat};
use texas42_web::{
    storage::Storage,
    table_model::{Home, TableModel},
    tickets::Tickets,
    witnesses::Witnesses,
};

#[derive(Default)]
struct Memory(RefCell<BTreeMap<String, String>>);

impl Storage for Memory {
    fn get(&self, name: &str) -> Option<String> {
        self.0.borrow().get(name).cloned()
    }

    fn set(&self, name: &str, text: &str) {
        self.0.borrow_mut().insert(name.to_owned(), text.to_owned());
    }

    fn remove(&self, name: &str) {
        self.0.borrow_mut().remove(name);
    }
}

fn game_id(text: &str) -> GameId {
    GameId::try_from(text).unwrap()
}

fn name(text: &str) -> Name {
    Name::try_from(text).unwrap()
}

fn ann() -> PlayerId {
    PlayerId::try_from("ann").unwrap()
}

/// A client that has just joined.
fn client(seat: Option<Seat>, capabilities: Vec<Capability>, view: GameView) -> GameClient {
    let mut client = GameClient::new(Credentials::join(game_id("abc"), None, name("Ann")), [1; 24]);
    client.handle_connected(0);
    let joined = ServerMessage::Joined {
        request_id: None,
        game_id: game_id("abc"),
        player_id: ann(),
        seat,
        capabilities,
        key: None,
        version: 5,
        view,
    };
    client.handle_message(0, &joined);
    client
}

fn empty() -> GameView {
    setup_view(&Config::default(), &TableMetadata::default())
}

#[test]
fn there_is_no_model_before_the_first_view() {
    let client = GameClient::new(Credentials::join(game_id("abc"), None, name("Ann")), [1; 24]);
    assert_eq!(TableModel::of_client(&client, Home::Server), None);
}

#[test]
fn a_player_sees_the_table_from_their_seat() {
    let table = TableModel::of_client(&client(Some(Seat::ALL[2]), Vec::new(), empty()), Home::Browser).unwrap();
    assert_eq!((table.game.as_str(), table.home, table.version), ("abc", Home::Browser, 5));
    assert_eq!((table.player_id, table.seat, table.bottom), (Some(ann()), Some(Seat::ALL[2]), Seat::ALL[2]));
}

#[test]
fn the_seat_is_taken_from_the_view_if_necessary() {
    let player = PlayerView {
        player_id: ann(),
        player_index: Some(Seat::ALL[3]),
        name: name("Ann"),
        control_type: Control::Human,
        is_connected: true,
        capabilities: Vec::new(),
    };
    let view = GameView { players: vec![player].into(), ..empty() };
    let table = TableModel::of_client(&client(None, Vec::new(), view), Home::Server).unwrap();
    assert_eq!((table.seat, table.bottom), (Some(Seat::ALL[3]), Seat::ALL[3]));
}

#[test]
fn a_coach_sees_the_table_from_the_students_seat_and_a_spectator_from_the_first() {
    let coach = vec![Capability::ObserveHand { player_index: Seat::ALL[1] }];
    let coach = TableModel::of_client(&client(None, coach, empty()), Home::Server).unwrap();
    assert_eq!((coach.seat, coach.bottom), (None, Seat::ALL[1]));
    let spectator = TableModel::of_client(&client(None, Vec::new(), empty()), Home::Server).unwrap();
    assert_eq!((spectator.seat, spectator.bottom), (None, Seat::ALL[0]));
}

fn ticket(game: &str) -> Ticket {
    Ticket { game_id: game_id(game), key: SecretKey::new([7; 16]), name: name("Ann") }
}

#[test]
fn stores_one_ticket_for_the_browser_and_one_for_the_server() {
    let tickets = Tickets(Memory::default());
    tickets.keep(Home::Browser, &ticket("here"));
    tickets.keep(Home::Server, &ticket("there"));
    assert_eq!(tickets.get(Home::Browser), Some(ticket("here")));
    tickets.keep(Home::Server, &ticket("elsewhere"));
    assert_eq!(tickets.get(Home::Server), Some(ticket("elsewhere")));
    tickets.forget(Home::Server);
    assert_eq!((tickets.get(Home::Server), tickets.get(Home::Browser)), (None, Some(ticket("here"))));
    tickets.0.set("offline", "no ticket");
    assert_eq!(tickets.get(Home::Browser), None);
}

fn table(home: Home, phase: Phase) -> TableModel {
    let mut view = empty();
    view.state.phase = phase;
    TableModel::of_client(&client(Some(Seat::ALL[0]), Vec::new(), view), home).unwrap()
}

#[test]
fn a_game_is_open_until_it_is_over() {
    let tickets = Tickets(Memory::default());
    let (playing, over) = (table(Home::Browser, Phase::Playing), table(Home::Browser, Phase::GameEnd));
    assert!(!tickets.has_open_game(), "there is no game yet");
    tickets.keep(Home::Browser, &ticket("abc"));
    tickets.note_end(None, &playing);
    assert!(tickets.has_open_game());
    tickets.note_end(Some(&playing), &table(Home::Server, Phase::GameEnd));
    assert!(tickets.has_open_game(), "a table on the server must not count");
    tickets.note_end(Some(&playing), &over);
    assert!(!tickets.has_open_game());
    tickets.note_end(Some(&over), &playing);
    assert!(tickets.has_open_game(), "the next game at the same table must count");
}

/// A hand of Ann's before and after it is revealed.
fn hand(revealed: bool) -> TableModel {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
    let shown = RevealedHand { hand_number: 0, share: "share".to_owned(), entropy: "entropy".to_owned() };
    let proof = DealProof {
        secret_commitment: String::new(),
        hand_commitment: "promise".to_owned(),
        next_commitment: None,
        revealed: revealed.then_some(shown),
        secret: None,
    };
    view.metadata = Metadata { deal: Some(proof.into()), ..(*view.metadata).clone() }.into();
    if revealed {
        for (player, dealt) in view.state.players.iter_mut().zip(deal(&[0; 32])) {
            player.hand = dealt;
        }
    }
    TableModel::of_client(&client(Some(Seat::ALL[0]), Vec::new(), view), Home::Server).unwrap()
}

#[test]
fn records_a_hand_once_and_moves_it_with_the_game() {
    let witnesses = Witnesses(Memory::default());
    let (before, after) = (hand(false), hand(true));
    witnesses.note(None, &after);
    assert!(witnesses.get(&after).is_empty(), "without the commitment there is nothing to verify");
    witnesses.note(Some(&before), &after);
    witnesses.note(Some(&before), &after);
    let kept = witnesses.get(&after);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].hand_number, kept[0].commitment.as_str(), kept[0].share.as_str()), (0, "promise", "share"));
    witnesses.move_to(&after, &game_id("xyz"));
    assert!(witnesses.get(&after).is_empty());
    assert_eq!(witnesses.get(&TableModel { game: game_id("xyz"), ..after }), kept);
}
