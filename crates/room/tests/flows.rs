//! The message flows between clients and a table, as readable transcripts: `flows/*.txt`.
//!
//! Written by a person:
//!
//! - `> ann {…}` is a message from a client. `<version>` stands for the client's version, `<key ann>` for the key of
//!   Ann's session, `<program 1>` for the key that the table issued to the bot at seat 1.
//! - `@ 1200` sets the time.
//! - `= …` is an expectation about the line before it. Every `>` and `@` needs at least one, and they are never
//!   regenerated:
//!   - `= ann hears ERROR error.code=refused version=4`: a message of this type with these values;
//!   - `= eve hears nothing`, or `= nobody but ann hears anything`;
//!   - `= stored acted action.type=bid`: an event with these values, or `= stored nothing`;
//!   - `= wants a program for seat 1` and `= releases the program of seat 1`.
//!
//! Written by the test, to show the order of effects: `! …` is an effect for the host, `< ann {…}` a message to a
//! client. Views, patches and players are abbreviated; keys and hashes are omitted. `UPDATE_FLOWS=1` regenerates these
//! lines.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
#![expect(clippy::disallowed_methods, reason = "transcripts are files")]

mod support;

use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};

use serde_json::{Value, json};
use support::canonical;

use texas42_protocol::{ClientMessage, GameId, SecretKey, ServerMessage};
use texas42_room::{
    ConnectionId, Creation, DealRequest, DealSearch, Effect, NewTable, Room, SearchStep, Step, StoredEvent,
};

const CLIENTS: [&str; 7] = ["ann", "bob", "program-0", "program-1", "program-2", "program-3", "eve"];

/// A search without a strategy: it takes the third deal.
struct Third {
    wanted: DealRequest,
    looked: u32,
}

impl DealSearch for Third {
    fn look(&mut self) -> SearchStep {
        self.looked += 1;
        match self.looked {
            3 => SearchStep::Found { number: 2, seed: format!("{}-2", self.wanted.words).parse().unwrap() },
            looked => SearchStep::NotYet(30 * looked as u8),
        }
    }
}

/// The outcome of one line.
#[derive(Default)]
struct Outcome {
    /// The outcome as text.
    text: String,
    /// The line, until an expectation follows it.
    unchecked: Option<String>,
    /// The messages, with their recipients.
    heard: Vec<(&'static str, Value)>,
    stored: Vec<Value>,
    /// Other effects for the host.
    wanted: Vec<String>,
}

impl Outcome {
    /// Checks one `=` line.
    fn check(&mut self, expected: &str) {
        self.unchecked = None;
        let words: Vec<&str> = expected.split(' ').collect();
        let holds = match words[..] {
            ["stored", "nothing"] => self.stored.is_empty(),
            ["stored", kind, ref values @ ..] => self.stored.iter().any(|event| is_like(event, kind, values)),
            ["nobody", "but", name, "hears", "anything"] => self.heard.iter().all(|(who, _)| *who == name),
            [name, "hears", "nothing"] => self.heard.iter().all(|(who, _)| *who != name),
            [name, "hears", kind, ref values @ ..] => {
                self.heard.iter().any(|(who, message)| *who == name && is_like(message, kind, values))
            }
            ["wants" | "releases", ..] => self.wanted.iter().any(|wanted| wanted == expected),
            _ => panic!("nothing that can be expected: {expected}"),
        };
        assert!(holds, "expected: {expected}\nstored: {:?}\nheard: {:#?}", self.stored, self.heard);
    }

    fn want(&mut self, wanted: String) {
        writeln!(self.text, "! {wanted}").unwrap();
        self.wanted.push(wanted);
    }
}

/// Whether a message or event has this type and these values, each `path=value`.
fn is_like(value: &Value, kind: &str, expected: &[&str]) -> bool {
    let has = |expected: &&str| {
        let (path, wanted) = expected.split_once('=').unwrap_or_else(|| panic!("no path=value: {expected}"));
        let found = value.pointer(&format!("/{}", path.replace('.', "/"))).unwrap_or(&Value::Null);
        found.as_str().map_or_else(|| canonical(found), str::to_owned) == wanted
    };
    value["type"] == kind && expected.iter().all(has)
}

#[derive(Default)]
struct Transcript {
    text: String,
    room: Option<Room>,
    keys: BTreeMap<String, SecretKey>,
    /// The versions that the clients have.
    versions: BTreeMap<&'static str, u64>,
    outcome: Outcome,
    stored: usize,
    now: u64,
}

impl Transcript {
    /// Replays a transcript, checks its expectations, and returns it with the actual outcomes.
    fn of(script: &str) -> String {
        let mut transcript = Self::default();
        for line in script.lines() {
            match line.split_at_checked(2) {
                Some(("> ", said)) => transcript.say(line, said),
                Some(("@ ", time)) => transcript.wait(line, time.parse().unwrap()),
                Some(("= ", expected)) => transcript.expect(line, expected),
                Some(("< " | "! ", _)) => {}
                Some(("# ", _)) => transcript.write(line),
                _ if line.is_empty() => transcript.write(line),
                _ => panic!("no line of a transcript: {line}"),
            }
        }
        transcript.finish();
        transcript.text
    }

    fn write(&mut self, line: &str) {
        self.finish();
        writeln!(self.text, "{line}").unwrap();
    }

    /// Appends the outcome of a line after its expectations.
    fn finish(&mut self) {
        let outcome = std::mem::take(&mut self.outcome);
        assert!(outcome.unchecked.is_none(), "nothing is expected of {:?}", outcome.unchecked);
        self.text += &outcome.text;
    }

    fn expect(&mut self, line: &str, expected: &str) {
        self.outcome.check(expected);
        writeln!(self.text, "{line}").unwrap();
    }

    fn say(&mut self, line: &str, said: &str) {
        self.write(line);
        self.outcome.unchecked = Some(line.to_owned());
        let (name, message) = said.split_once(' ').unwrap();
        let from = CLIENTS.iter().position(|client| *client == name).unwrap() as ConnectionId;
        let message: ClientMessage = serde_json::from_str(&self.filled_in(name, message)).unwrap();
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

    fn wait(&mut self, line: &str, time: u64) {
        self.write(line);
        self.outcome.unchecked = Some(line.to_owned());
        self.now = time;
        self.room.as_mut().unwrap().handle_time(time);
        self.take_effects();
    }

    fn filled_in(&self, speaker: &str, message: &str) -> String {
        let version = self.versions.get(speaker).copied().unwrap_or_default();
        let filled = |text: String, (name, key): (&String, &SecretKey)| {
            text.replace(&format!("<{name}>"), &String::from(key.clone()))
        };
        self.keys.iter().fold(message.replace("<version>", &version.to_string()), filled)
    }

    fn take_effects(&mut self) {
        while let Some(effect) = self.room.as_mut().and_then(Room::poll_effect) {
            match effect {
                Effect::Store(events) => self.store(&events),
                Effect::Send { to, message } => self.hear(to, &message),
                Effect::RequestBot { seat, key } => {
                    self.outcome.want(format!("wants a program for seat {seat}"));
                    self.keys.insert(format!("program {}", seat.index()), key);
                }
                Effect::ReleaseBot { seat } => self.outcome.want(format!("releases the program of seat {seat}")),
            }
        }
    }

    fn store(&mut self, events: &[StoredEvent]) {
        for stored in events {
            self.stored += 1;
            let event = serde_json::to_value(&stored.event).unwrap();
            let shown = canonical(&abbreviated(&event));
            writeln!(self.outcome.text, "! store {} {shown}", self.stored).unwrap();
            self.outcome.stored.push(event);
        }
    }

    fn hear(&mut self, to: ConnectionId, message: &ServerMessage) {
        let name = CLIENTS[to as usize];
        if let ServerMessage::GameCreated { key: Some(key), .. } | ServerMessage::Joined { key: Some(key), .. } =
            message
        {
            self.keys.insert(format!("key {name}"), key.clone());
        }
        self.versions.extend(message.version().map(|version| (name, version)));
        let message = serde_json::to_value(message).unwrap();
        writeln!(self.outcome.text, "< {name} {}", canonical(&abbreviated(&message))).unwrap();
        self.outcome.heard.push((name, message));
    }
}

/// A message or an event without long, irrelevant parts.
fn abbreviated(value: &Value) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let hidden = ["capabilities", "config", "gameId", "key", "next", "secret", "table"];
    let shown = fields.iter().filter(|(name, _)| !hidden.contains(&name.as_str()));
    let short = |(name, value): (&String, &Value)| {
        let short = match name.as_str() {
            "view" => view_in_short(value),
            "patch" => paths(value).join(", ").into(),
            "player" | "session" if value.is_object() => player_in_short(value),
            _ => abbreviated(value),
        };
        (name.clone(), short)
    };
    shown.map(short).collect()
}

/// A summary of a view: the phase, who is to act, the visible hands, and the valid actions.
fn view_in_short(view: &Value) -> Value {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let joined = |values: Vec<Value>| values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
    let hands = list(&view["state"]["players"]).into_iter().map(|player| joined(list(&player["hand"]))).enumerate();
    let seen = hands.filter(|(_, hand)| !hand.is_empty()).map(|(seat, hand)| format!("{seat}: {hand}"));
    let may = list(&view["validActions"]).into_iter().map(|valid| valid["shortcut"].clone()).collect();
    json!({
        "phase": view["state"]["phase"], "toAct": view["derived"]["toAct"],
        "hands": seen.collect::<Vec<_>>().join("; "), "may": joined(may),
    })
}

/// The fields that a patch changes.
fn paths(patch: &Value) -> Vec<String> {
    let inner = |(name, value): (&String, &Value)| match value {
        Value::Object(fields) => fields.keys().map(|field| format!("{name}.{field}")).collect(),
        _ => vec![name.clone()],
    };
    let mut paths: Vec<String> = patch.as_object().unwrap().iter().flat_map(inner).collect();
    paths.sort();
    paths
}

fn player_in_short(player: &Value) -> Value {
    let control = player.get("controlType").unwrap_or(&player["control"]);
    let seat = player.get("playerIndex").unwrap_or(&player["seat"]);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("{} {}, seat {}, {}", text(&player["playerId"]), text(&player["name"]), text(seat), text(control)).into()
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

fn played(script: &str) -> std::thread::Result<String> {
    std::panic::catch_unwind(|| Transcript::of(script))
}

/// A transcript with a wrong expectation fails, and so does one without expectations.
#[test]
fn a_failed_expectation_is_detected() {
    let create =
        r#"> ann {"type":"CREATE_GAME","name":"Ann","config":{"players":["human","ai","ai","ai"],"shaker":3}}"#;
    let bid = |version: &str| {
        format!(
            r#"{create}
= ann hears GAME_CREATED version=3
> ann {{"type":"EXECUTE_ACTION","gameId":"abc123","requestId":"b","version":{version},"action":{{"type":"bid","player":0,"bid":"points","value":30}}}}
"#
        )
    };
    assert!(played(&(bid("<version>") + "= stored acted action.value=30\n")).is_ok());
    assert!(played(&(bid("2") + "= ann hears ERROR error.code=stale\n= stored nothing\n")).is_ok());
    for (version, promise) in [
        ("2", "= stored acted action.value=30"),
        ("<version>", "= stored acted action.value=31"),
        ("<version>", "= ann hears ERROR error.code=refused"),
        ("<version>", "= stored nothing"),
        ("<version>", "= ann hears nothing"),
        ("<version>", "= wants a program for seat 1"),
        ("<version>", "= all is well"),
        ("<version>", ""),
    ] {
        assert!(played(&format!("{}{promise}\n", bid(version))).is_err(), "{promise}");
    }
}
