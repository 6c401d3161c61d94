//! Links, tickets and settings of version 0.1.0 still work. Never change these texts.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::{cell::RefCell, collections::BTreeMap};

use texas42_protocol::Role;
use texas42_vocab::Difficulty;
use texas42_web::{
    address::Address,
    invite_link::InviteLink,
    settings::{PaceSetting, Settings, Theme},
    storage::Storage,
    table_model::HostKind,
    tickets::Tickets,
};

const KEY: &str = "plAHrhWuAhCSy0UDBh8hWw";

#[test]
fn invite_links_lead_to_their_tables() {
    for (way, role) in
        [("join", Role::Player), ("watch", Role::Spectator), ("coach", Role::Coach), ("behind", Role::Admin)]
    {
        let text = format!("https://example.org/#{way}/k3mzq8abcdef/{KEY}");
        let link = InviteLink::read(&text).unwrap_or_else(|| panic!("{text}"));
        let key = link.key.clone().map(String::from);
        assert_eq!((link.game.as_str(), key.as_deref(), link.role), ("k3mzq8abcdef", Some(KEY), role), "{text}");
        assert_eq!(link.url("https://example.org/"), text, "the link must be written the same way");
    }
    let open = InviteLink::read("#watch/k3mzq8abcdef").unwrap();
    assert_eq!((open.key, open.role), (None, Role::Spectator));
    let typed = InviteLink::typed(&format!(" k3mzq8abcdef/{KEY} ")).unwrap();
    assert_eq!((typed.game.as_str(), typed.role), ("k3mzq8abcdef", Role::Player));
}

#[test]
fn fragments_lead_to_the_same_destinations() {
    assert_eq!(Address::read("play"), Address::Play);
    assert_eq!(Address::read("new"), Address::Create);
    assert_eq!(Address::read("table/k3mzq8abcdef"), Address::Table("k3mzq8abcdef".to_owned()));
    assert_eq!(Address::read("daily/easy"), Address::Daily(Difficulty::Easy, None));
    assert!(matches!(Address::read("seed/lesson-1/3"), Address::Seed(table) if table.0.target == Some(3)));
}

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

#[test]
fn tickets_open_their_tables() {
    let storage = Memory::default();
    storage.set("offline", r#"{"gameId":"k3mzq8abcdef","key":"plAHrhWuAhCSy0UDBh8hWw","name":"Ann"}"#);
    let tickets = Tickets(storage);
    let ticket = tickets.get(HostKind::Browser).unwrap();
    assert_eq!((ticket.game_id.as_str(), String::from(ticket.key).as_str()), ("k3mzq8abcdef", KEY));
    assert!(tickets.has_open_game(HostKind::Browser));
    tickets.0.set("over", "k3mzq8abcdef");
    assert!(!tickets.has_open_game(HostKind::Browser));
}

#[test]
fn settings_are_preserved() {
    let kept = r#"{"language":"es","theme":"contrast","pace":"tap","colouredPips":true,"still":true,"sounds":true,"confirm":true,"name":"Ann","level":"expert"}"#;
    let expected = Settings {
        language: "es".to_owned(),
        theme: Theme::Contrast,
        pace: PaceSetting::Tap,
        colored_pips: true,
        still: true,
        sounds: true,
        alerts: false,
        still_out: None,
        has_earlier_tracker: false,
        confirm: true,
        confirm_bids: false,
        phrases: true,
        coach: true,
        muted: Vec::new(),
        name: "Ann".to_owned(),
        level: "expert".to_owned(),
    };
    assert_eq!(Settings::from_json(kept), expected);
}
