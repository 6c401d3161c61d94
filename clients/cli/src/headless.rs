//! A protocol of JSON lines for playing a game over any reader and writer, as UCI is for chess.
//!
//! Every request line gets exactly one answer line; blank lines are skipped. An invalid request gets an error that names the
//! field and the rule. It changes nothing, and the conversation continues. `docs/headless.md` describes the requests, with a
//! transcript.

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use texas42_engine::Refusal;
use texas42_kernel::Viewer;
use texas42_phrases::Language;
use texas42_protocol::ResultView;
use texas42_room::{HeadlessRoom, OpenError};
use texas42_vocab::{Action, Config, Phase, Seat};

/// The maximum length of a line, including its end.
pub const MAX_BYTES: u64 = 4 << 20;

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The input ended, or a line asked to `quit`.
    Finished,
    /// A line was invalid, and the conversation was strict.
    InvalidLine,
}

/// Answers every line until the input ends or a line asks to `quit`. When `strict`, stops after the first invalid line.
///
/// # Errors
/// When the input cannot be read or the output cannot be written.
///
/// ```
/// let mut answers = Vec::new();
/// texas42_cli::headless::converse(&b"{\"cmd\":\"legal\"}\n"[..], &mut answers, false).unwrap();
/// assert!(answers.starts_with(br#"{"ok":false,"error":{"code":"no-game""#));
/// ```
pub fn converse(mut input: impl BufRead, mut output: impl Write, strict: bool) -> io::Result<End> {
    let mut session = HeadlessSession::default();
    while let Some(line) = next_line(&mut input)? {
        if line.as_ref().is_ok_and(|line| line.trim().is_empty()) {
            continue;
        }
        let answer = line.map_or_else(HeadlessReply::from, |line| session.answer(&line));
        writeln!(output, "{}", answer.json)?;
        output.flush()?;
        if strict && !answer.is_ok() {
            return Ok(End::InvalidLine);
        }
        if answer.quit {
            break;
        }
    }
    Ok(End::Finished)
}

/// The next line, or why it is invalid; `None` at the end of the input.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, RequestError>>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(MAX_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    // Without the newline, which would make serde report errors at the end of a line as errors in the next one.
    let is_whole = bytes.pop_if(|last| *last == b'\n').is_some();
    if !is_whole && bytes.len() as u64 == MAX_BYTES {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(RequestError::new("bad-request", format!("a line has at most {MAX_BYTES} bytes")))));
    }
    let text = String::from_utf8(bytes).map_err(|_| RequestError::new("bad-request", "a line is UTF-8 text"));
    Ok(Some(text))
}

/// The contents of the `error` of an answer.
#[derive(Debug)]
struct RequestError {
    code: &'static str,
    field: Option<String>,
    message: String,
    rule: Option<Refusal>,
}

impl RequestError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, field: None, message: message.into(), rule: None }
    }

    fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

impl From<Refusal> for RequestError {
    fn from(refusal: Refusal) -> Self {
        Self { rule: Some(refusal), ..Self::new("refused", refusal.to_string()).at("action") }
    }
}

impl RequestError {
    /// The error for a game that cannot be opened. `field` is the request field that describes the game.
    fn opening(error: OpenError, field: &str) -> Self {
        match error {
            OpenError::Config(error) if field == "config" => {
                Self::new("bad-config", error.problem.to_string()).at(format!("config.{}", error.field))
            }
            OpenError::Config(error) => Self::new("bad-config", error.to_string()).at(field),
            OpenError::Replay(error) => Self {
                rule: Some(error.refusal),
                ..Self::new("refused", error.to_string()).at(format!("actions[{}]", error.at))
            },
            OpenError::Record(error) => Self::new("bad-record", error.to_string()).at(field),
            OpenError::Proof(error) => Self::new("bad-record", error.to_string()).at(field),
            OpenError::Code(error) => Self::new("bad-code", error.to_string()).at(field),
        }
    }
}

/// The answer to one line.
#[derive(Debug)]
pub struct HeadlessReply {
    /// The answer, one line of JSON.
    pub json: Value,
    /// Whether the conversation ends after it.
    pub quit: bool,
}

impl HeadlessReply {
    /// Whether the request succeeded.
    pub fn is_ok(&self) -> bool {
        self.json["ok"] == true
    }
}

impl From<RequestError> for HeadlessReply {
    fn from(problem: RequestError) -> Self {
        let mut error = json!({ "code": problem.code, "message": problem.message });
        if let Some(field) = problem.field {
            error["field"] = field.into();
        }
        if let Some(rule) = problem.rule {
            error["rule"] = json!(rule);
        }
        Self { json: json!({ "ok": false, "error": error }), quit: false }
    }
}

/// A conversation with at most one game at a time. Pass it every line in order, without the newline.
#[derive(Debug, Default)]
pub struct HeadlessSession {
    room: Option<HeadlessRoom>,
}

impl HeadlessSession {
    /// Carries out the request in a line. An invalid request changes nothing.
    pub fn answer(&mut self, line: &str) -> HeadlessReply {
        let request: Map<String, Value> = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => {
                return RequestError::new("bad-request", format!("a line is one JSON object: {error}")).into();
            }
        };
        let id = request.get("id").cloned();
        let quit = request.get("cmd").is_some_and(|cmd| cmd == "quit");
        let mut answer = self.dispatch(&request).map_or_else(HeadlessReply::from, |json| HeadlessReply { json, quit });
        if let Some(id) = id {
            answer.json["id"] = id;
        }
        answer
    }

    fn dispatch(&mut self, request: &Map<String, Value>) -> Result<Value, RequestError> {
        let Request { cmd, fields } = Request::new(request)?;
        match cmd {
            "new" => self.open("config", HeadlessRoom::new(&fields.config()?)),
            "replay" => self.replay(&fields),
            "legal" => self.room()?.legal_answer(),
            "apply" => self.apply(&fields.required("action")?),
            "state" => self.room()?.state_answer(),
            "view" => self.room()?.view_answer(&fields),
            "record" => Ok(json!({ "ok": true, "record": self.room()?.record() })),
            "code" => Ok(json!({ "ok": true, "code": self.room()?.code() })),
            "explain" => Ok(json!({ "ok": true, "explanation": self.room()?.explain() })),
            _ => Ok(json!({ "ok": true })),
        }
    }

    fn room(&self) -> Result<&HeadlessRoom, RequestError> {
        self.room.as_ref().ok_or_else(|| RequestError::new("no-game", "there is no game yet; start one with \"new\""))
    }

    /// Replaces the current game, unless the new one could not be opened.
    fn open(
        &mut self,
        field: &'static str,
        room: Result<HeadlessRoom, impl Into<OpenError>>,
    ) -> Result<Value, RequestError> {
        let room = room.map_err(|error| RequestError::opening(error.into(), field))?;
        Ok(self.room.insert(room).status())
    }

    /// Opens a game from a configuration and actions, from a record, or from a code.
    fn replay(&mut self, fields: &Fields<'_>) -> Result<Value, RequestError> {
        let given = ["actions", "record", "code"].into_iter().filter(|name| fields.0.contains_key(*name));
        match given.collect::<Vec<_>>()[..] {
            ["actions"] => {
                let actions: Vec<Action> = fields.required("actions")?;
                self.open("config", HeadlessRoom::replay(&fields.config()?, &actions))
            }
            [name] if fields.0.contains_key("config") => {
                Err(RequestError::new("bad-request", format!("a {name} brings its own configuration")).at("config"))
            }
            ["record"] => self.open("record", HeadlessRoom::from_record(&fields.0["record"].to_string())),
            ["code"] => self.open("code", HeadlessRoom::from_link(&fields.required::<String>("code")?)),
            [] => Err(RequestError::new("bad-request", "\"actions\", \"record\" or \"code\" is missing").at("actions")),
            [.., extra] => {
                Err(RequestError::new("bad-request", "one of \"actions\", \"record\" and \"code\" is enough").at(extra))
            }
        }
    }

    fn apply(&mut self, action: &Action) -> Result<Value, RequestError> {
        self.room()?;
        let room = self.room.as_mut().expect("it was there a line ago");
        let before = *room.state();
        room.execute(*action)?;
        let mut answer = room.status();
        // After the trick is picked up, the state no longer has its winner.
        if *action == Action::CompleteTrick {
            answer["trickWinner"] = json!(before.trick_winner());
        }
        Ok(answer)
    }
}

/// The commands, each with its fields besides `cmd` and `id`.
const COMMANDS: [(&str, &[&str]); 10] = [
    ("new", &["config"]),
    ("legal", &[]),
    ("apply", &["action"]),
    ("state", &[]),
    ("view", &["seat", "hints"]),
    ("replay", &["config", "actions", "record", "code"]),
    ("record", &[]),
    ("code", &[]),
    ("explain", &[]),
    ("quit", &[]),
];

struct Request<'a> {
    cmd: &'static str,
    fields: Fields<'a>,
}

impl<'a> Request<'a> {
    fn new(request: &'a Map<String, Value>) -> Result<Self, RequestError> {
        let names = || COMMANDS.map(|(name, _)| name).join(", ");
        let asked = request.get("cmd").and_then(Value::as_str);
        let wrong = |message: String| RequestError::new("bad-request", message).at("cmd");
        let asked = asked.ok_or_else(|| wrong(format!("\"cmd\" is missing; it is one of {}", names())))?;
        let (cmd, fields) = COMMANDS
            .into_iter()
            .find(|(name, _)| *name == asked)
            .ok_or_else(|| wrong(format!("{asked:?} is no command; there are {}", names())))?;
        if let Some(unknown) =
            request.keys().find(|key| *key != "cmd" && *key != "id" && !fields.contains(&key.as_str()))
        {
            let message = match fields {
                [] => format!("\"{cmd}\" takes no fields"),
                fields => format!("\"{cmd}\" takes {}", fields.join(", ")),
            };
            return Err(RequestError::new("bad-request", message).at(unknown));
        }
        Ok(Self { cmd, fields: Fields(request) })
    }
}

/// The fields of a request, read one by one so that an error can name its place.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn optional<T: DeserializeOwned>(&self, name: &'static str) -> Result<Option<T>, RequestError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        serde_path_to_error::deserialize(value).map(Some).map_err(|error| {
            let blamed = field_to_blame::<T>(value, &error).map_or_else(String::new, |field| format!(".{field}"));
            let path = error.path().to_string();
            let field = match path.as_bytes() {
                b"." => format!("{name}{blamed}"),
                [b'[', ..] => format!("{name}{path}{blamed}"),
                _ => format!("{name}.{path}{blamed}"),
            };
            let code = if name == "config" { "bad-config" } else { "bad-request" };
            RequestError::new(code, error.into_inner().to_string()).at(field)
        })
    }

    fn required<T: DeserializeOwned>(&self, name: &'static str) -> Result<T, RequestError> {
        self.optional(name)?.ok_or_else(|| RequestError::new("bad-request", format!("\"{name}\" is missing")).at(name))
    }

    fn config(&self) -> Result<Config, RequestError> {
        // serde would also accept an array and assign its items to the fields in order.
        match self.0.get("config") {
            Some(Value::Array(_)) => Err(RequestError::new("bad-config", "a configuration is an object").at("config")),
            _ => Ok(self.optional("config")?.unwrap_or_default()),
        }
    }
}

/// The field that an error is about, when the path of the error ends at an object with a `type`. Such an object is buffered
/// until its type is known, and the path inside it is lost. This finds the field that the error message quotes and whose removal
/// changes the error.
fn field_to_blame<T: DeserializeOwned>(
    value: &Value,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> Option<String> {
    let message = error.inner().to_string();
    let pointer: String = error.path().iter().map(|segment| format!("/{segment}")).collect();
    let pointer = pointer.replace(['[', ']'], "");
    let object = value.pointer(&pointer)?.as_object()?;
    let variant = object.get("type").and_then(Value::as_str).unwrap_or_default();
    if message.starts_with(&format!("unknown variant `{variant}`")) {
        return Some("type".to_owned());
    }
    // serde quotes strings as in JSON, and numbers and names in backticks.
    let is_quoted = |name: &str, held: &Value| {
        let text = if held.is_string() { held.to_string() } else { format!("`{held}`") };
        message.contains(&text) || message.contains(&format!("`{name}`"))
    };
    let is_to_blame = |name: &str| {
        let mut without = value.clone();
        without.pointer_mut(&pointer).and_then(Value::as_object_mut).and_then(|object| object.remove(name));
        T::deserialize(&without).err().is_none_or(|other| other.to_string() != message)
    };
    let mut quoted = object.iter().filter(|(name, held)| *name != "type" && is_quoted(name, held));
    quoted.find(|(name, _)| is_to_blame(name)).map(|(name, _)| name.clone())
}

/// Builds answers from a room.
trait Answers {
    fn status(&self) -> Value;
    fn legal_answer(&self) -> Result<Value, RequestError>;
    fn state_answer(&self) -> Result<Value, RequestError>;
    fn view_answer(&self, fields: &Fields<'_>) -> Result<Value, RequestError>;
}

impl Answers for HeadlessRoom {
    /// The progress that a player at the table would see: enough to continue without another request.
    fn status(&self) -> Value {
        let state = self.state();
        let mut status = json!({
            "ok": true,
            "events": self.game().log().len(),
            "phase": state.phase,
            "player": state.to_act(),
            "legal": self.legal(),
            "points": state.tally.points,
            "marks": state.score,
        });
        if state.phase == Phase::Playing && state.is_trick_complete() {
            status["trickWinner"] = json!(state.trick_winner());
        }
        if let Some(outcome) = state.outcome {
            status["outcome"] = json!(outcome);
            status["outcome"]["text"] = Language::English.words().outcome(outcome.reason).into();
        }
        if let Some(claim) = state.claim {
            status["claim"] = json!({ "player": claim.seat, "stands": claim.stands });
        }
        if let Some(result) = self.result() {
            let ResultView { winner, seed, code, replay_link, stars, share_text, .. } = result;
            status["winner"] = json!(winner);
            status["seed"] = json!(seed);
            status["code"] = json!(code);
            status["replayLink"] = json!(replay_link);
            if let Some(stars) = stars {
                status["stars"] = json!(stars);
                status["shareText"] = json!(share_text);
            }
        }
        status
    }

    fn legal_answer(&self) -> Result<Value, RequestError> {
        Ok(json!({ "ok": true, "legal": self.legal() }))
    }

    fn state_answer(&self) -> Result<Value, RequestError> {
        let view = self.view_of(&Viewer::all_hands());
        let hash = format!("{:016x}", texas42_engine::state_hash(self.state()));
        Ok(json!({ "ok": true, "state": view.state, "derived": view.derived, "hash": hash }))
    }

    fn view_answer(&self, fields: &Fields<'_>) -> Result<Value, RequestError> {
        let seat: Seat = fields.required("seat")?;
        let hints = fields.optional("hints")?.unwrap_or(false);
        let view = self.view_of(&Viewer { hints, ..Viewer::player(seat) });
        Ok(json!({ "ok": true, "view": view }))
    }
}
