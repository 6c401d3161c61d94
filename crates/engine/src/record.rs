//! A game as JSON: version, configuration, events, and checkpoints with which a reader verifies the replay. Records of
//! older versions are upgraded when they are read.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Value, json};
use texas42_vocab::{Action, Config, to_json};

use crate::{
    context::Context,
    game::{Game, MAX_EVENTS, ReplayError},
};

/// The version that is written.
pub const VERSION: u64 = 2;

/// The number of events between checkpoints. There is one at the end, too.
const CHECKPOINT_EVERY: usize = 100;

/// A game that can be stored and sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Record without other fields", rename_all = "camelCase")]
pub struct Record {
    version: u64,
    /// The configuration of the game.
    pub config: Config,
    /// The events.
    pub actions: Vec<Action>,
    /// Hashes of intermediate states.
    #[serde(default)]
    pub checkpoints: Vec<Checkpoint>,
}

/// The hash of the state after a number of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Checkpoint without other fields")]
pub struct Checkpoint {
    /// After how many events.
    pub at: usize,
    /// The hash, 16 hexadecimal digits.
    #[serde(serialize_with = "to_hex", deserialize_with = "from_hex")]
    pub hash: u64,
}

/// Why a record cannot be read or replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is not JSON, or not a record.
    #[error("the record cannot be read: {0}")]
    Shape(String),
    /// It has an unknown version.
    #[error("the record has version {0}, and versions 1 to {VERSION} can be read")]
    Version(u64),
    /// It has more events than a game can have.
    #[error("the record has {0} events, and a game has at most {MAX_EVENTS}")]
    TooLong(usize),
    /// An event is not legal.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The game replays to a state that differs from the recorded one.
    #[error("after {at} events the replay differs from the recorded game")]
    Diverged {
        /// After how many events.
        at: usize,
    },
}

impl Record {
    /// The record of a game.
    pub fn of(game: &Game) -> Self {
        let end = game.log().len();
        let checkpoints = (CHECKPOINT_EVERY..end).step_by(CHECKPOINT_EVERY).chain([end]).filter_map(|at| {
            let state = game.state_at(at)?;
            Some(Checkpoint { at, hash: crate::state_hash(&state) })
        });
        Self {
            version: VERSION,
            config: game.ctx().config().clone(),
            actions: game.log().to_vec(),
            checkpoints: checkpoints.collect(),
        }
    }

    /// Reads a record of any known version.
    ///
    /// # Errors
    /// Fails if the text is not a record or has an unknown version.
    pub fn from_json(text: &str) -> Result<Self, RecordError> {
        let value: Value = serde_json::from_str(text).map_err(|error| RecordError::Shape(error.to_string()))?;
        let record = match value.get("version").and_then(Value::as_u64) {
            Some(1) => upgrade_from_1(&value)?,
            Some(VERSION) => value,
            Some(version) => return Err(RecordError::Version(version)),
            None => return Err(RecordError::Shape("version: a number is missing".to_string())),
        };
        let record: Self =
            serde_path_to_error::deserialize(record).map_err(|error| RecordError::Shape(error.to_string()))?;
        if record.actions.len() > MAX_EVENTS {
            return Err(RecordError::TooLong(record.actions.len()));
        }
        if !record.checkpoints.is_sorted_by(|one, next| one.at < next.at) {
            return Err(RecordError::Shape("checkpoints: each must come after the one before it".to_string()));
        }
        Ok(record)
    }

    /// The record as JSON.
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// Replays the record on its composed configuration and checks every checkpoint.
    ///
    /// # Errors
    /// Fails if an event is not legal or a checkpoint does not match.
    pub fn replay(&self, ctx: Context) -> Result<Game, RecordError> {
        let game = Game::replayed(ctx, &self.actions)?;
        for checkpoint in &self.checkpoints {
            let state = game.state_at(checkpoint.at).ok_or(RecordError::Diverged { at: checkpoint.at })?;
            if crate::state_hash(&state) != checkpoint.hash {
                return Err(RecordError::Diverged { at: checkpoint.at });
            }
        }
        Ok(game)
    }
}

fn to_hex<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:016x}"))
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = u64::from_str_radix(&text, 16).ok().filter(|_| digits);
    hash.ok_or_else(|| de::Error::custom("a hash is 16 hexadecimal digits"))
}

/// Version 1 said `variants` for layers, kept the configuration flat, and wrote events as words: `"2 bid 31"`,
/// `"0 bid marks 2"`, `"2 trump fives"`, `"3 play 6-4"`, `"0 pass"`, `"complete-trick"`.
fn upgrade_from_1(old: &Value) -> Result<Value, RecordError> {
    let wrong = |what: &str| RecordError::Shape(format!("version 1: {what}"));
    let variants = old["variants"].as_array().ok_or_else(|| wrong("variants is a list"))?;
    let layers: Vec<Value> = variants.iter().map(upgrade_variant).collect();
    let history = old["history"].as_array().ok_or_else(|| wrong("history is a list"))?;
    let actions = history
        .iter()
        .map(|event| {
            event.as_str().and_then(upgrade_event).ok_or_else(|| wrong(&format!("history: {event} is not an event")))
        })
        .collect::<Result<Vec<Value>, _>>()?;
    let known = ["version", "variants", "history", "seed", "target", "shaker", "players"];
    let fields = old.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    if let Some(unknown) = fields.clone().find(|name| !known.contains(name)) {
        return Err(wrong(&format!("unknown field {unknown}")));
    }
    let mut config = json!({ "layers": layers });
    for field in ["seed", "target", "shaker", "players"] {
        if let Some(value) = old.get(field) {
            config[field] = value.clone();
        }
    }
    Ok(json!({ "version": VERSION, "config": config, "actions": actions }))
}

fn upgrade_variant(variant: &Value) -> Value {
    match variant {
        Value::String(name) => json!({ "type": name }),
        other => other.clone(),
    }
}

fn upgrade_event(event: &str) -> Option<Value> {
    let words: Vec<&str> = event.split(' ').collect();
    let seat = |word: &str| word.parse::<u8>().ok();
    Some(match words[..] {
        [name @ ("complete-trick" | "score-hand" | "redeal" | "end-game")] => json!({ "type": name }),
        [player, "pass"] => json!({ "type": "pass", "player": seat(player)? }),
        [player, "bid", points] => {
            json!({ "type": "bid", "player": seat(player)?, "bid": "points", "value": points.parse::<u8>().ok()? })
        }
        [player, "bid", kind, value] => {
            json!({ "type": "bid", "player": seat(player)?, "bid": kind, "value": value.parse::<u8>().ok()? })
        }
        [player, "trump", trump] => json!({ "type": "select-trump", "player": seat(player)?, "trump": trump }),
        [player, "play", domino] => json!({ "type": "play", "player": seat(player)?, "domino": domino }),
        _ => return None,
    })
}
