//! The message flows between clients and a table, as transcripts that can be read: `flows/*.txt`.
//!
//! A line `> ann {…}` is what a client says, `< ann {…}` what it hears, `! …` what the host has to do, `@ 1200` the time.
//! `<key ann>` in what is said stands for the key of Ann's session, `<program 1>` for the key that the table made for the
//! program of seat 1. Everything else stands there as it goes over the wire, with the fields in one order; keys and
//! hashes follow from fixed randomness.
//!
//! With `UPDATE_FLOWS=1` the transcripts are written anew from what is said in them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]
#![expect(clippy::disallowed_methods, reason = "transcripts are files")]

mod support;

use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};

use support::canonical;

use texas42_protocol::{ClientMessage, GameId, SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Creation, DealSearch, Effect, Looked, NewTable, Room, Step, Stored, Wanted};

const CLIENTS: [&str; 7] = ["ann", "bob", "program-0", "program-1", "program-2", "program-3", "eve"];

/// A search without a strategy: it takes the third deal.
struct Third {
    wanted: Wanted,
    looked: u32,
}

impl DealSearch for Third {
    fn look(&mut self) -> Looked {
        self.looked += 1;
        match self.looked {
            3 => Looked::Found { number: 2, seed: format!("{}-2", self.wanted.words).parse().unwrap() },
            looked => Looked::NotYet(30 * looked as u8),
        }
    }
}

#[derive(Default)]
struct Transcript {
    text: String,
    room: Option<Room>,
    keys: BTreeMap<String, SecretKey>,
    stored: usize,
    now: u64,
}

impl Transcript {
    /// Plays what a transcript says again and writes down everything that happens.
    fn of(script: &str) -> String {
        let mut transcript = Self::default();
        for line in script.lines() {
            match line.split_at_checked(2) {
                Some(("> ", said)) => transcript.say(said),
                Some(("@ ", time)) => transcript.wait(time.parse().unwrap()),
                Some(("# ", _)) => writeln!(transcript.text, "{line}").unwrap(),
                Some(("< " | "! ", _)) => {}
                _ if line.is_empty() => writeln!(transcript.text).unwrap(),
                _ => panic!("no line of a transcript: {line}"),
            }
        }
        transcript.text
    }

    fn say(&mut self, said: &str) {
        writeln!(self.text, "> {said}").unwrap();
        let (name, message) = said.split_once(' ').unwrap();
        let from = CLIENTS.iter().position(|client| *client == name).unwrap() as ConnectionId;
        let message: ClientMessage = serde_json::from_str(&self.filled_in(message)).unwrap();
        match &mut self.room {
            None => self.create(from, message),
            Some(room) => room.handle_message(self.now, from, message),
        }
        self.take_effects();
    }

    fn create(&mut self, connection: ConnectionId, message: ClientMessage) {
        let id = GameId::try_from("abc123").unwrap();
        let new = NewTable { id, randomness: [42; 32], connection };
        let mut creation = Creation::new(self.now, new, message, |wanted| Box::new(Third { wanted, looked: 0 }));
        loop {
            match creation.poll() {
                Step::Progress(message) => self.hear(connection, &message),
                Step::Ready(room) => return self.room = Some(*room),
                Step::Refused(message) => return self.hear(connection, &message),
            }
        }
    }

    fn wait(&mut self, time: u64) {
        writeln!(self.text, "@ {time}").unwrap();
        self.now = time;
        self.room.as_mut().unwrap().handle_time(time);
        self.take_effects();
    }

    fn filled_in(&self, message: &str) -> String {
        let filled = |text: String, (name, key): (&String, &SecretKey)| {
            text.replace(&format!("<{name}>"), &String::from(key.clone()))
        };
        self.keys.iter().fold(message.to_owned(), filled)
    }

    fn take_effects(&mut self) {
        while let Some(effect) = self.room.as_mut().and_then(Room::poll_effect) {
            match effect {
                Effect::Store(events) => self.store(&events),
                Effect::Send { to, message } => self.hear(to, &message),
                Effect::WantAi { seat, key } => {
                    writeln!(self.text, "! want a program for {seat:?}").unwrap();
                    self.keys.insert(format!("program {}", seat.index()), key);
                }
                Effect::ReleaseAi { seat } => writeln!(self.text, "! release the program of {seat:?}").unwrap(),
            }
        }
    }

    fn store(&mut self, events: &[Stored]) {
        for stored in events {
            self.stored += 1;
            let mut event = serde_json::to_value(&stored.event).unwrap();
            // What is stored only is long and says nothing here.
            for hidden in ["secret", "key", "session", "config", "table"] {
                event.as_object_mut().unwrap().remove(hidden);
            }
            writeln!(self.text, "! store {} {}", self.stored, canonical(&event)).unwrap();
        }
    }

    fn hear(&mut self, to: ConnectionId, message: &ServerMessage) {
        let name = CLIENTS[to as usize];
        writeln!(self.text, "< {name} {}", canonical(&serde_json::to_value(message).unwrap())).unwrap();
        if let ServerMessage::GameCreated { key: Some(key), .. } | ServerMessage::Joined { key: Some(key), .. } =
            message
        {
            self.keys.insert(format!("key {name}"), key.clone());
        }
    }
}

fn check(name: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/flows").join(format!("{name}.txt"));
    let expected = fs::read_to_string(&path).unwrap();
    let happened = Transcript::of(&expected);
    if std::env::var_os("UPDATE_FLOWS").is_some() {
        fs::write(&path, &happened).unwrap();
        return;
    }
    for (number, (expected, happened)) in expected.lines().zip(happened.lines()).enumerate() {
        assert_eq!(happened, expected, "{name}.txt line {}", number + 1);
    }
    assert_eq!(happened.lines().count(), expected.lines().count(), "{name}.txt has all lines");
}

macro_rules! flows {
    ($($name:ident => $file:literal),+ $(,)?) => {
        $(#[test]
        fn $name() {
            check($file);
        })+
    };
}

flows! {
    create_a_game => "1-create",
    a_person_acts => "2-person-acts",
    a_program_acts => "3-program-acts",
    from_a_person_to_a_program => "4-person-to-program",
    from_a_program_to_a_person => "5-program-to-person",
    one_hand_with_progress => "6-one-hand",
    errors => "7-errors",
}
