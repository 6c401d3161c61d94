//! Each input line gets exactly one answer; an invalid line gets an error with a reason and changes nothing.

use serde_json::{Value, json};
use texas42_cli::headless::{HeadlessSession, converse};
use texas42_room::RandomPlayer;

use crate::choices::Choices;

const CODES: [&str; 6] = ["bad-request", "bad-config", "bad-record", "bad-code", "no-game", "refused"];
const STATE: &str = r#"{"cmd":"state"}"#;

/// Checks the law for `data` as input lines.
pub fn headless_answers_every_line(data: &[u8]) {
    let mut output = Vec::new();
    converse(data, &mut output, false).expect("reading and writing memory cannot fail");
    let output = String::from_utf8(output).expect("answers are UTF-8");
    let mut answers = output.lines();
    let mut session = HeadlessSession::default();
    for line in lines(data) {
        let answer = answers.next().expect("every line has an answer");
        check_answer(answer);
        let Ok(line) = std::str::from_utf8(line) else { continue };
        if check_line(&mut session, line, answer) {
            break;
        }
    }
    assert_eq!(answers.next(), None, "each line must get one answer");
}

/// The lines that are not blank.
fn lines(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_blank = |line: &[u8]| std::str::from_utf8(line).is_ok_and(|text| text.trim().is_empty());
    data.split(|byte| *byte == b'\n').filter(move |line| !is_blank(line))
}

fn check_answer(answer: &str) {
    let answer: Value = serde_json::from_str(answer).expect("an answer is JSON");
    match answer["ok"].as_bool() {
        Some(true) => assert_eq!(answer.get("error"), None),
        Some(false) => {
            let error = &answer["error"];
            assert!(CODES.contains(&error["code"].as_str().expect("an error has a code")), "{answer}");
            assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
        }
        None => panic!("an answer must have `ok`: {answer}"),
    }
}

/// Passes the line to a second session and compares the answers; returns whether the line ends the session.
fn check_line(session: &mut HeadlessSession, line: &str, answer: &str) -> bool {
    let before = session.answer(STATE).json;
    let again = session.answer(line);
    assert_eq!(again.json.to_string(), answer, "the same lines must get the same answers");
    if !again.is_ok() {
        assert_eq!(session.answer(STATE).json, before, "the invalid line {line} must change nothing");
    }
    again.quit
}

/// A valid conversation.
pub(crate) fn sample(dice: &mut RandomPlayer) -> Vec<u8> {
    let bytes: Vec<u8> = (0..64).map(|_| dice.below(256) as u8).collect();
    let config = Choices::new(&bytes).config();
    let mut session = HeadlessSession::default();
    let mut lines = vec![json!({ "cmd": "new", "config": config, "id": dice.below(9) })];
    let mut legal = session.answer(&lines[0].to_string()).json["legal"].clone();
    for _ in 0..dice.below(30) {
        let line = request(&legal, &mut session, dice);
        let answer = session.answer(&line.to_string()).json;
        if let Some(next) = answer.get("legal") {
            legal = next.clone();
        }
        lines.push(line);
    }
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

fn request(legal: &Value, session: &mut HeadlessSession, dice: &mut RandomPlayer) -> Value {
    match (legal.as_array(), dice.below(16)) {
        (_, 0) => json!({ "cmd": "view", "seat": dice.below(4), "hints": dice.below(2) == 0 }),
        (_, 1) => json!({ "cmd": (["legal", "state", "explain"][dice.below(3) as usize]) }),
        (_, 2) => json!({ "cmd": "replay", "record": session.answer(r#"{"cmd":"record"}"#).json["record"] }),
        (_, 3) => json!({ "cmd": "replay", "code": session.answer(r#"{"cmd":"code"}"#).json["code"] }),
        (Some(legal), _) if !legal.is_empty() => {
            json!({ "cmd": "apply", "action": legal[dice.below(legal.len() as u64) as usize] })
        }
        _ => json!({ "cmd": "new" }),
    }
}
