//! The people at one device are remembered until they are replaced.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{cell::RefCell, collections::BTreeMap};

use texas42_client::Ticket;
use texas42_protocol::{GameId, Name, SecretKey};
use texas42_vocab::Seat;
use texas42_web::{
    hot_seat_players::{HotSeatPlayer, HotSeatPlayers},
    storage::Storage,
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

fn player(seat: usize, name: &str) -> HotSeatPlayer {
    HotSeatPlayer { seat: Seat::ALL[seat], name: Name::try_from(name).unwrap(), ticket: None }
}

fn ticket(name: &str) -> Ticket {
    Ticket {
        game_id: GameId::try_from("abcdefgh").unwrap(),
        key: SecretKey::new([7; 16]),
        name: Name::try_from(name).unwrap(),
    }
}

#[test]
fn hot_seat_players_join_one_after_another() {
    let players = HotSeatPlayers(Memory::default());
    players.keep(&[player(1, "Bea"), player(2, "Cal")]);
    assert_eq!(players.next_to_join(), Some(player(1, "Bea")));
    players.note_joined(Seat::ALL[1], &ticket("Bea"));
    assert_eq!(players.next_to_join(), Some(player(2, "Cal")));
    players.note_joined(Seat::ALL[2], &ticket("Cal"));
    assert_eq!(players.next_to_join(), None);
    let tickets: Vec<_> = players.all().into_iter().map(|player| player.ticket).collect();
    assert_eq!(tickets, [Some(ticket("Bea")), Some(ticket("Cal"))]);
}

#[test]
fn the_next_table_has_its_own_hot_seat_players() {
    let players = HotSeatPlayers(Memory::default());
    players.keep(&[player(1, "Bea")]);
    players.keep(&[]);
    assert_eq!(players.all(), []);
    assert!(players.0.0.borrow().is_empty(), "nothing stays behind");
}

#[test]
fn the_hot_seat_players_of_a_saved_game_wait_for_it() {
    let players = HotSeatPlayers(Memory::default());
    players.keep(&[player(1, "Bea")]);
    players.note_joined(Seat::ALL[1], &ticket("Bea"));
    players.keep(&[player(1, "Cal")]);
    assert_eq!(players.next_to_join(), Some(player(1, "Cal")), "the next game has players of its own");
    let other = Ticket { game_id: GameId::try_from("xyz").unwrap(), ..ticket("Cal") };
    players.note_joined(Seat::ALL[1], &other);
    let tickets = |players: &HotSeatPlayers<Memory>| -> Vec<_> {
        players.all().into_iter().filter_map(|player| player.ticket).collect()
    };
    assert_eq!(tickets(&players), [ticket("Bea"), other.clone()]);
    players.forget(&ticket("Bea").game_id);
    assert_eq!(tickets(&players), [other]);
}

#[test]
fn damaged_storage_is_an_empty_list() {
    let players = HotSeatPlayers(Memory::default());
    players.keep(&[player(1, "Bea")]);
    for text in players.0.0.borrow_mut().values_mut() {
        text.truncate(9);
    }
    assert_eq!(players.all(), []);
}
