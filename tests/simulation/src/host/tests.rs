//! Deterministic tests of situations that failed in a simulated world.

use std::collections::BTreeSet;

use texas42_hosting::Creator;
use texas42_protocol::{ClientMessage, SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Event};

use super::{Environment, Host, HostOutcome};
use crate::{dice::Dice, http::TableRequest, report::Report, setup::GeneratedTable, trace::Trace};

const ANN: ConnectionId = 1000;
const BOB: ConnectionId = 1001;

/// A table without faults, and its environment.
struct Scene {
    host: Host,
    dice: Dice,
    report: Report,
    trace: Trace,
    keys: BTreeSet<String>,
}

impl Scene {
    /// Creates Ann's table for two people and two bots, with the given options.
    fn of_ann(table: &str) -> Self {
        let (mut dice, mut report, mut trace, mut keys) =
            (Dice::new(1), Report::default(), Trace::default(), BTreeSet::new());
        let create = message(&format!(
            r#"{{"type":"CREATE_GAME","name":"Ann","config":{{"players":["human","human","ai","ai"]}},"table":{table}}}"#
        ));
        let new_table = GeneratedTable::created(Creator::Connection(ANN), create, &mut dice, &mut report).unwrap();
        let mut env = Environment { dice: &mut dice, report: &mut report, trace: &mut trace, keys: &mut keys };
        let (mut host, _) = Host::new(new_table, &mut env).unwrap();
        host.is_healed = true;
        Self { host, dice, report, trace, keys }
    }

    fn at_host<T>(
        &mut self,
        work: impl FnOnce(&mut Host, &mut Environment<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let Self { host, dice, report, trace, keys } = self;
        work(host, &mut Environment { dice, report, trace, keys })
    }

    /// Sends a message over a connection. `$` stands for the table's id.
    fn say(&mut self, link: ConnectionId, text: &str, is_invalid: bool) -> Result<Vec<HostOutcome>, String> {
        let text = text.replace('$', self.host.id.as_str());
        self.at_host(|host, env| host.receive(1, link, &text, is_invalid, env))
    }

    /// Ann invites Bob, who takes a seat.
    fn bob_joins(&mut self) {
        let key = String::from(invite_key());
        self.say(
            ANN,
            &format!(r#"{{"type":"INVITE","gameId":"$","requestId":"i","key":"{key}","grant":{{"role":"player"}}}}"#),
            false,
        )
        .unwrap();
        self.say(BOB, &format!(r#"{{"type":"JOIN_GAME","gameId":"$","key":"{key}","name":"Bob"}}"#), false).unwrap();
    }

    /// Sends an HTTP request with a key. Returns the status and type of the answer.
    fn call(&mut self, key: &SecretKey, text: &str) -> Result<Option<(u16, String)>, String> {
        let text = text.replace('$', self.host.id.as_str());
        let mut message = message(&text);
        if let ClientMessage::JoinGame { key: opening, .. } = &mut message {
            *opening = Some(key.clone());
        }
        let request = TableRequest::of(&message, Some(key)).unwrap();
        let (_, answer) = self.at_host(|host, env| host.call(1, &request, env))?;
        Ok(answer.map(|answer| (answer.status, answer.body)))
    }

    fn last_event(&self) -> &Event {
        &self.host.log.last().unwrap().event
    }
}

fn message(json: &str) -> ClientMessage {
    serde_json::from_str(json).unwrap()
}

/// A key that looks random.
fn invite_key() -> SecretKey {
    SecretKey::new([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
}

fn bobs_key() -> SecretKey {
    SecretKey::new([16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
}

/// An invite for an admin, which only the manager of a table with open hands may create.
const ADMIN: &str = r#"{"type":"INVITE","gameId":"$","requestId":"a","grant":{"role":"admin"}}"#;

/// World 786610: Bob sends the invite before Ann gives up her seat, and it arrives when he has become the manager.
#[test]
fn an_invite_is_valid_if_its_sender_manages_the_table_on_arrival() {
    let mut scene = Scene::of_ann(r#"{"openHands":true}"#);
    scene.bob_joins();
    scene.say(ANN, r#"{"type":"GIVE_UP_SEAT","gameId":"$"}"#, false).unwrap();
    scene.say(BOB, ADMIN, true).unwrap();
    assert!(matches!(scene.last_event(), Event::Invited { .. }));
}

/// The same message is invalid while Ann is at the table.
#[test]
fn an_invite_by_another_player_is_refused() {
    let mut scene = Scene::of_ann(r#"{"openHands":true}"#);
    scene.bob_joins();
    let version = scene.host.audit.version();
    let outcomes = scene.say(BOB, ADMIN, true).unwrap();
    let is_error = |outcome: &HostOutcome| match outcome {
        HostOutcome::Sent { to: BOB, message } => matches!(**message, ServerMessage::Error { .. }),
        _ => false,
    };
    assert!(outcomes.iter().any(is_error));
    assert_eq!(scene.host.audit.version(), version);
}

/// Joins, joins again with the same key, leaves twice, gives up the seat, and is refused from then on.
#[test]
fn a_person_joins_once_and_leaves_over_http() {
    let mut scene = Scene::of_ann("{}");
    let invite = r#"{"type":"INVITE","gameId":"$","requestId":"i","key":"KEY","grant":{"role":"player"}}"#;
    scene.say(ANN, &invite.replace("KEY", &String::from(invite_key())), false).unwrap();
    let join = format!(
        r#"{{"type":"JOIN_GAME","gameId":"$","requestId":"j","name":"Bob","sessionKey":"{}"}}"#,
        String::from(bobs_key())
    );
    let leave = r#"{"type":"LEAVE_GAME","gameId":"$","requestId":"l"}"#;
    let give_up = r#"{"type":"GIVE_UP_SEAT","gameId":"$","requestId":"g"}"#;
    let (status, first) = scene.call(&invite_key(), &join).unwrap().unwrap();
    assert_eq!(status, 200, "{first}");
    let version = scene.host.audit.version();
    assert_eq!(scene.call(&invite_key(), &join).unwrap().unwrap().0, 200);
    assert_eq!(scene.host.audit.version(), version);
    assert_eq!(scene.call(&bobs_key(), leave).unwrap().unwrap().0, 200);
    assert_eq!(scene.call(&bobs_key(), leave).unwrap().unwrap().0, 200, "the seat is kept");
    assert_eq!(scene.call(&bobs_key(), give_up).unwrap().unwrap().0, 200);
    assert_eq!(scene.call(&bobs_key(), give_up).unwrap().unwrap().0, 401);
    assert_eq!((scene.report.calls_to_join, scene.report.calls_to_rejoin, scene.report.calls_to_leave), (1, 1, 1));
}

/// If the host crashes after any output, a session is either stored or was never announced.
#[test]
fn a_join_over_http_survives_a_crash_after_every_output() {
    for dies_after in 0..4 {
        let mut scene = Scene::of_ann("{}");
        let invite = r#"{"type":"INVITE","gameId":"$","requestId":"i","key":"KEY","grant":{"role":"player"}}"#;
        scene.say(ANN, &invite.replace("KEY", &String::from(invite_key())), false).unwrap();
        let join = format!(
            r#"{{"type":"JOIN_GAME","gameId":"$","requestId":"j","name":"Bob","sessionKey":"{}"}}"#,
            String::from(bobs_key())
        );
        scene.host.dies_after = Some(dies_after);
        let first = scene.call(&invite_key(), &join).unwrap();
        scene.host.dies_after = None;
        assert!(first.is_none() || scene.host.audit.holder(&bobs_key()).is_some());
        assert_eq!(scene.call(&invite_key(), &join).unwrap().unwrap().0, 200);
        assert_eq!(
            scene
                .host
                .audit
                .participants
                .values()
                .filter(|participant| participant.session.name.as_str() == "Bob")
                .count(),
            1
        );
    }
}
