//! Runs the real binary and compares its output with golden files.

#![allow(dead_code, reason = "every test file uses another part of this")]
#![allow(unreachable_pub, reason = "a module of tests has no outside")]

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

pub const TEXAS42: &str = env!("CARGO_BIN_EXE_texas42");

/// A file of the repository.
pub fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

pub fn text_of(path: &str) -> String {
    std::fs::read_to_string(file(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the binary to its end, with backtraces enabled, so that a test notices a panic.
pub fn texas42(args: &[&str], input: &[u8]) -> Run {
    let mut child = command(args).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The JSON that a successful run printed.
pub fn json_of(run: &Run) -> Value {
    assert_eq!(run.code, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(TEXAS42);
    command.args(args).env("RUST_BACKTRACE", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// A conversation with `texas42 headless`.
pub struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Conversation {
    pub fn open() -> Self {
        let mut child = command(&["headless"]).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Sends a line and returns the answer line.
    pub fn say(&mut self, line: &[u8]) -> String {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush()).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        let answer = self.say(request.to_string().as_bytes());
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{request}: {answer:?}: {error}"))
    }

    pub fn hash(&mut self) -> Value {
        self.ask(&json!({ "cmd": "state" }))["hash"].clone()
    }

    /// Closes the input, and returns the remaining output and the exit code.
    pub fn close(mut self) -> (String, Option<i32>) {
        drop(self.input.take());
        let mut rest = String::new();
        while self.output.read_line(&mut rest).unwrap() > 0 {}
        (rest, self.child.wait().unwrap().code())
    }
}

/// Compares a text with a file; with `UPDATE_GOLDEN=1` in the environment, writes the file instead.
pub fn assert_golden(path: &str, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(file(path), text).unwrap();
    }
    let kept = text_of(path);
    assert!(kept == text, "{path} says otherwise; UPDATE_GOLDEN=1 writes this there:\n{text}");
}
