//! `texas42 headless`: a game in JSON lines on standard input and output, as UCI is for chess.
//!
//! Every line in gets exactly one line out. What is wrong gets an error that names the field and the rule, changes
//! nothing, and the process goes on. `docs/headless.md` describes the requests, with a transcript.

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use texas42_engine::Refusal;
use texas42_kernel::Viewer;
use texas42_room::{HeadlessRoom, OpenError};
use texas42_vocab::{Action, Config, Phase, Seat};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Exit with an error at the first line that is wrong, instead of going on
    #[arg(long)]
    strict: bool,
}

/// The longest line that is read.
const MOST_BYTES: u64 = 4 << 20;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut session = Session::default();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    while let Some(line) = next_line(&mut input)? {
        if line.as_ref().is_ok_and(|line| line.trim().is_empty()) {
            continue;
        }
        let answer = line.map_or_else(Answer::from, |line| session.answer(&line));
        writeln!(output, "{}", answer.json)?;
        output.flush()?;
        if answer.quit || (args.strict && answer.json["ok"] == false) {
            anyhow::ensure!(answer.json["ok"] == true, "the last line was wrong");
            break;
        }
    }
    Ok(())
}

/// The next line, or why it cannot be read as one; nothing at the end of the input.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, Problem>>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == MOST_BYTES && bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(Problem::new("bad-request", format!("a line has at most {MOST_BYTES} bytes")))));
    }
    let text = String::from_utf8(bytes).map_err(|_| Problem::new("bad-request", "a line is UTF-8 text"));
    Ok(Some(text))
}

/// What went wrong, for the `error` of an answer.
#[derive(Debug)]
struct Problem {
    code: &'static str,
    field: Option<String>,
    message: String,
    rule: Option<Refusal>,
}

impl Problem {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, field: None, message: message.into(), rule: None }
    }

    fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self { rule: Some(refusal), ..Self::new("refused", refusal.to_string()).at("action") }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        let (code, field) = match &error {
            OpenError::Config(error) => ("bad-config", format!("config.{}", error.field)),
            OpenError::Replay(error) => ("refused", format!("actions[{}]", error.at)),
            OpenError::Record(_) => ("bad-record", "record".to_string()),
            OpenError::Code(_) => ("bad-code", "code".to_string()),
        };
        let message = match error {
            OpenError::Config(error) => error.message,
            error => error.to_string(),
        };
        Self::new(code, message).at(field)
    }
}

struct Answer {
    json: Value,
    quit: bool,
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Self {
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

/// One conversation: at most one game at a time.
#[derive(Default)]
struct Session {
    room: Option<HeadlessRoom>,
}

impl Session {
    fn answer(&mut self, line: &str) -> Answer {
        let request: Map<String, Value> = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => return Problem::new("bad-request", format!("a line is one JSON object: {error}")).into(),
        };
        let id = request.get("id").cloned();
        let quit = request.get("cmd").is_some_and(|cmd| cmd == "quit");
        let mut answer = self.dispatch(&request).map_or_else(Answer::from, |json| Answer { json, quit });
        if let Some(id) = id {
            answer.json["id"] = id;
        }
        answer
    }

    fn dispatch(&mut self, request: &Map<String, Value>) -> Result<Value, Problem> {
        let Request { cmd, fields } = Request::new(request)?;
        match cmd {
            "new" => self.open(HeadlessRoom::new(&fields.config()?).map_err(OpenError::from)?),
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

    fn room(&self) -> Result<&HeadlessRoom, Problem> {
        self.room.as_ref().ok_or_else(|| Problem::new("no-game", "there is no game yet; start one with \"new\""))
    }

    fn open(&mut self, room: HeadlessRoom) -> Result<Value, Problem> {
        let answer = room.status();
        self.room = Some(room);
        Ok(answer)
    }

    /// A game from a configuration and actions, from a record, or from a code.
    fn replay(&mut self, fields: &Fields<'_>) -> Result<Value, Problem> {
        if let Some(record) = fields.0.get("record") {
            return self.open(HeadlessRoom::from_record(&record.to_string())?);
        }
        if let Some(code) = fields.optional::<String>("code")? {
            return self.open(HeadlessRoom::from_code(&code)?);
        }
        let actions: Vec<Action> = fields.required("actions")?;
        self.open(HeadlessRoom::replay(&fields.config()?, &actions)?)
    }

    fn apply(&mut self, action: &Action) -> Result<Value, Problem> {
        self.room()?;
        let room = self.room.as_mut().expect("it was there a line ago");
        let before = *room.state();
        room.execute(*action)?;
        let mut answer = room.status();
        // A trick ends when it is taken in; by then it is the last one of those that were taken.
        if *action == Action::CompleteTrick {
            answer["trickWinner"] = json!(before.trick_winner());
        }
        Ok(answer)
    }
}

/// What each command understands beside `cmd` and `id`.
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
    fn new(request: &'a Map<String, Value>) -> Result<Self, Problem> {
        let names = || COMMANDS.map(|(name, _)| name).join(", ");
        let asked = request.get("cmd").and_then(Value::as_str);
        let wrong = |message: String| Problem::new("bad-request", message).at("cmd");
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
            return Err(Problem::new("bad-request", message).at(unknown));
        }
        Ok(Self { cmd, fields: Fields(request) })
    }
}

/// The fields of a request, read one by one so that an error can name its place.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn optional<T: DeserializeOwned>(&self, name: &'static str) -> Result<Option<T>, Problem> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        serde_path_to_error::deserialize(value).map(Some).map_err(|error| {
            let path = error.path().to_string();
            let field = if path == "." { name.to_string() } else { format!("{name}.{path}") };
            let code = if name == "config" { "bad-config" } else { "bad-request" };
            Problem::new(code, error.into_inner().to_string()).at(field)
        })
    }

    fn required<T: DeserializeOwned>(&self, name: &'static str) -> Result<T, Problem> {
        self.optional(name)?.ok_or_else(|| Problem::new("bad-request", format!("\"{name}\" is missing")).at(name))
    }

    fn config(&self) -> Result<Config, Problem> {
        Ok(self.optional("config")?.unwrap_or_default())
    }
}

/// The answers that are made from a room.
trait Answers {
    fn status(&self) -> Value;
    fn legal_answer(&self) -> Result<Value, Problem>;
    fn state_answer(&self) -> Result<Value, Problem>;
    fn view_answer(&self, fields: &Fields<'_>) -> Result<Value, Problem>;
}

impl Answers for HeadlessRoom {
    /// What a player at the table would see of the progress: enough to go on without asking again.
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
            status["outcome"]["text"] = outcome.reason.sentence().into();
        }
        if let Some(claim) = state.claim {
            status["claim"] = json!({ "player": claim.seat, "stands": claim.stands });
        }
        if let Some(winner) = self.game().ctx().winner(state) {
            status["winner"] = json!(winner);
        }
        status
    }

    fn legal_answer(&self) -> Result<Value, Problem> {
        Ok(json!({ "ok": true, "legal": self.legal() }))
    }

    fn state_answer(&self) -> Result<Value, Problem> {
        let view = self.view_of(&Viewer::all_hands());
        let hash = format!("{:016x}", texas42_engine::state_hash(self.state()));
        Ok(json!({ "ok": true, "state": view.state, "derived": view.derived, "hash": hash }))
    }

    fn view_answer(&self, fields: &Fields<'_>) -> Result<Value, Problem> {
        let seat: Seat = fields.required("seat")?;
        let hints = fields.optional("hints")?.unwrap_or(false);
        let view = self.view_of(&Viewer { hints, ..Viewer::player(seat) });
        Ok(json!({ "ok": true, "view": view }))
    }
}
