//! The people at one device are remembered until they are replaced.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{cell::RefCell, collections::BTreeMap};

use texas42_client::Ticket;
use texas42_protocol::{GameId, Name, SecretKey};
use texas42_vocab::Seat;
use texas42_web::{
    companions::{Companion, Companions},
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

fn companion(seat: usize, name: &str) -> Companion {
    Companion { seat: Seat::ALL[seat], name: Name::try_from(name).unwrap(), ticket: None }
}

fn ticket(name: &str) -> Ticket {
    Ticket {
        game_id: GameId::try_from("abcdefgh").unwrap(),
        key: SecretKey::new([7; 16]),
        name: Name::try_from(name).unwrap(),
    }
}

#[test]
fn companions_join_one_after_another() {
    let companions = Companions(Memory::default());
    companions.keep(&[companion(1, "Bea"), companion(2, "Cal")]);
    assert_eq!(companions.next_to_join(), Some(companion(1, "Bea")));
    companions.note_joined(Seat::ALL[1], &ticket("Bea"));
    assert_eq!(companions.next_to_join(), Some(companion(2, "Cal")));
    companions.note_joined(Seat::ALL[2], &ticket("Cal"));
    assert_eq!(companions.next_to_join(), None);
    let tickets: Vec<_> = companions.all().into_iter().map(|companion| companion.ticket).collect();
    assert_eq!(tickets, [Some(ticket("Bea")), Some(ticket("Cal"))]);
}

#[test]
fn the_next_table_has_its_own_companions() {
    let companions = Companions(Memory::default());
    companions.keep(&[companion(1, "Bea")]);
    companions.keep(&[]);
    assert_eq!(companions.all(), []);
    assert!(companions.0.0.borrow().is_empty(), "nothing stays behind");
}

#[test]
fn the_companions_of_a_saved_game_wait_for_it() {
    let companions = Companions(Memory::default());
    companions.keep(&[companion(1, "Bea")]);
    companions.note_joined(Seat::ALL[1], &ticket("Bea"));
    companions.keep(&[companion(1, "Cal")]);
    assert_eq!(companions.next_to_join(), Some(companion(1, "Cal")), "the next game has companions of its own");
    let other = Ticket { game_id: GameId::try_from("xyz").unwrap(), ..ticket("Cal") };
    companions.note_joined(Seat::ALL[1], &other);
    let tickets = |companions: &Companions<Memory>| -> Vec<_> {
        companions.all().into_iter().filter_map(|companion| companion.ticket).collect()
    };
    assert_eq!(tickets(&companions), [ticket("Bea"), other.clone()]);
    companions.forget(&ticket("Bea").game_id);
    assert_eq!(tickets(&companions), [other]);
}

#[test]
fn damaged_storage_is_an_empty_list() {
    let companions = Companions(Memory::default());
    companions.keep(&[companion(1, "Bea")]);
    for text in companions.0.0.borrow_mut().values_mut() {
        text.truncate(9);
    }
    assert_eq!(companions.all(), []);
}
