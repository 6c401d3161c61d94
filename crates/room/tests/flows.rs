//! The message flows between clients and a table, as readable transcripts: `flows/*.txt`.
//!
//! Written by a person:
//!
//! - `> ann {…}` is a message from a client. `<version>` stands for the client's version, `<key ann>` for the key of
//!   Ann's session, `<bot 1>` for the key that the table issued to the bot at seat 1.
//! - `@ 1200` sets the time.
//! - `= …` is an expectation about the line before it. Every `>` and `@` needs at least one, and they are never
//!   regenerated:
//!   - `= ann gets ERROR error.code=refused version=4`: a message of this type with these values;
//!   - `= eve gets nothing`, or `= nobody but ann gets anything`;
//!   - `= stored acted action.type=bid`: an event with these values, or `= stored nothing`;
//!   - `= wants a bot for seat 1` and `= releases the bot of seat 1`.
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

const CLIENTS: [&str; 7] = ["ann", "bob", "bot-0", "bot-1", "bot-2", "bot-3", "eve"];

/// A search without a strategy: it takes the third deal.
struct Third {
    requested: DealRequest,
    looked: u32,
}

impl DealSearch for Third {
    fn advance(&mut self) -> SearchStep {
        self.looked += 1;
        match self.looked {
            3 => SearchStep::Found { number: 2, seed: format!("{}-2", self.requested.words).parse().unwrap() },
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
    messages: Vec<(&'static str, Value)>,
    stored: Vec<Value>,
    /// Other effects for the host.
    requested: Vec<String>,
}

impl Outcome {
    /// Checks one `=` line.
    fn check(&mut self, expected: &str) {
        self.unchecked = None;
        let words: Vec<&str> = expected.split(' ').collect();
        let holds = match words[..] {
            ["stored", "nothing"] => self.stored.is_empty(),
            ["stored", kind, ref values @ ..] => self.stored.iter().any(|event| is_like(event, kind, values)),
            ["nobody", "but", name, "gets", "anything"] => self.messages.iter().all(|(who, _)| *who == name),
            [name, "gets", "nothing"] => self.messages.iter().all(|(who, _)| *who != name),
            [name, "gets", kind, ref values @ ..] => {
                self.messages.iter().any(|(who, message)| *who == name && is_like(message, kind, values))
            }
            ["wants" | "releases", ..] => self.requested.iter().any(|requested| requested == expected),
            _ => panic!("not an expectation: {expected}"),
        };
        assert!(holds, "expected: {expected}\nstored: {:?}\nmessages: {:#?}", self.stored, self.messages);
    }

    fn request(&mut self, requested: String) {
        writeln!(self.text, "! {requested}").unwrap();
        self.requested.push(requested);
    }
}

/// Whether a message or event has this type and these values, each `path=value`.
fn is_like(value: &Value, kind: &str, expected: &[&str]) -> bool {
    let has = |expected: &&str| {
        let (path, wanted) = expected.split_once('=').unwrap_or_else(|| panic!("not path=value: {expected}"));
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
                _ => panic!("not a line of a transcript: {line}"),
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
        assert!(outcome.unchecked.is_none(), "no expectation follows {:?}", outcome.unchecked);
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
        let mut creation =
            Creation::new(self.now, new, message, |requested| Box::new(Third { requested, looked: 0 }), |_, _| 31);
        loop {
            match creation.poll() {
                Step::Progress(message) => self.note_message(connection, &message),
                Step::Ready(room) => return self.room = Some(*room),
                Step::Refused(message) => return self.note_message(connection, &message),
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
                Effect::Send { to, message } => self.note_message(to, &message),
                Effect::RequestBot { seat, key } => {
                    self.outcome.request(format!("wants a bot for seat {seat}"));
                    self.keys.insert(format!("bot {}", seat.index()), key);
                }
                Effect::ReleaseBot { seat } => self.outcome.request(format!("releases the bot of seat {seat}")),
                Effect::ClaimCode(_) => self.outcome.request("wants a code".to_owned()),
                Effect::ReleaseCode(_) => self.outcome.request("releases the code".to_owned()),
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

    fn note_message(&mut self, to: ConnectionId, message: &ServerMessage) {
        let name = CLIENTS[to as usize];
        if let ServerMessage::GameCreated { key: Some(key), .. } | ServerMessage::Joined { key: Some(key), .. } =
            message
        {
            self.keys.insert(format!("key {name}"), key.clone());
        }
        self.versions.extend(message.version().map(|version| (name, version)));
        let message = serde_json::to_value(message).unwrap();
        writeln!(self.outcome.text, "< {name} {}", canonical(&abbreviated(&message))).unwrap();
        self.outcome.messages.push((name, message));
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
    a_person_creates_a_game => "1-create",
    a_person_acts => "2-person-acts",
    a_bot_acts => "3-bot-acts",
    a_person_hands_over_to_a_bot => "4-person-to-bot",
    a_person_takes_over_from_a_bot => "5-bot-to-person",
    one_hand_with_progress => "6-one-hand",
    rejected_requests => "7-errors",
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
= ann gets GAME_CREATED version=3
> ann {{"type":"EXECUTE_ACTION","gameId":"abc123","requestId":"b","version":{version},"action":{{"type":"bid","player":0,"bid":"points","value":30}}}}
"#
        )
    };
    assert!(played(&(bid("<version>") + "= stored acted action.value=30\n")).is_ok());
    assert!(played(&(bid("2") + "= ann gets ERROR error.code=stale\n= stored nothing\n")).is_ok());
    for (version, expectation) in [
        ("2", "= stored acted action.value=30"),
        ("<version>", "= stored acted action.value=31"),
        ("<version>", "= ann gets ERROR error.code=refused"),
        ("<version>", "= stored nothing"),
        ("<version>", "= ann gets nothing"),
        ("<version>", "= wants a bot for seat 1"),
        ("<version>", "= all is well"),
        ("<version>", ""),
    ] {
        assert!(played(&format!("{}{expectation}\n", bid(version))).is_err(), "{expectation}");
    }
}
