//! The difference between two views, so that a table does not say everything again after every domino.
//!
//! A patch is a JSON merge patch (RFC 7396) of the view of the version before: objects are merged, everything else is
//! replaced, `null` empties a field. It is made by comparing the views field by field, and written straight to text, so
//! that only what changed costs anything.

use alloc::{
    boxed::Box,
    string::{String, ToString},
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer, de,
    ser::{Error, SerializeMap},
};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    numbered::NumberedChanges,
    read::read_value,
    view::{DealProof, Derived, GameView, Metadata, RevealedHand, TableView},
};

/// What has changed from one version to the next, as the text of a merge patch.
#[derive(Clone, Debug)]
pub struct ViewPatch(Box<RawValue>);

impl ViewPatch {
    /// What turns `before` into `after`.
    pub fn between(before: &GameView, after: &GameView) -> Self {
        Self(to_raw_value(&Changes(before, after)).expect("views have only text keys"))
    }

    /// The patch as JSON.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    /// The view that follows, or nothing when the patch does not fit it.
    pub fn apply(&self, before: &GameView) -> Option<GameView> {
        let changes: Map<String, Value> = serde_json::from_str(self.as_json()).ok()?;
        let mut view = as_value(before).ok()?;
        merge(&mut view, &changes);
        read_value(view).ok()
    }
}

/// Views are written as text everywhere else. Here it is done in the same way: every other way would be another copy of that
/// code in each page.
fn as_value(written: &impl Serialize) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(written)?)
}

/// RFC 7396.
fn merge(target: &mut Value, patch: &Map<String, Value>) {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (name, change) in patch {
        match change {
            Value::Null => {
                fields.remove(name);
            }
            Value::Object(changes) => merge(fields.entry(name.clone()).or_insert(Value::Null), changes),
            other => {
                fields.insert(name.clone(), other.clone());
            }
        }
    }
}

impl PartialEq for ViewPatch {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for ViewPatch {}

impl Serialize for ViewPatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Messages are tagged, so what arrives has been read into a value before it is known to be a patch.
impl<'de> Deserialize<'de> for ViewPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let changes = Map::<String, Value>::deserialize(deserializer)?;
        to_raw_value(&changes).map(Self).map_err(|error| de::Error::custom(error.to_string()))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ViewPatch {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "ViewPatch".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "A JSON merge patch (RFC 7396) of the GameView of the version before."
        })
    }
}

/// Writes the fields that differ, each whole: their objects always write all their fields, so that nothing old survives the
/// merge. An empty option is written as `null`, which empties the field.
macro_rules! write_changed {
    ($map:expr, $before:expr, $after:expr, $($field:ident => $name:literal),+ $(,)?) => {
        $(if $before.$field != $after.$field {
            $map.serialize_entry($name, &$after.$field)?;
        })+
    };
}

/// What turns one value into another, as a merge patch.
struct Changes<'a, T>(&'a T, &'a T);

impl Serialize for Changes<'_, GameView> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(before, after) = *self;
        let mut map = serializer.serialize_map(None)?;
        write_changes(&mut map, "state", &before.state, &after.state)?;
        write_changed!(map, before, after, valid_actions => "validActions", players => "players");
        write_changes(&mut map, "derived", &before.derived, &after.derived)?;
        write_changes(&mut map, "metadata", &*before.metadata, &*after.metadata)?;
        map.end()
    }
}

impl Serialize for Changes<'_, TableView> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(before, after) = *self;
        let mut map = serializer.serialize_map(None)?;
        write_changed!(
            map, before, after,
            phase => "phase",
            hand_number => "handNumber",
            events => "events",
            shaker => "shaker",
            players => "players",
            auction => "auction",
            contract => "contract",
            trick => "trick",
            points => "points",
            tricks_taken => "tricksTaken",
            outcome => "outcome",
            claim => "claim",
            last_hand => "lastHand",
            score => "score",
            target => "target",
            scoring => "scoring",
            agreed => "agreed",
        );
        if before.tricks != after.tricks {
            map.serialize_entry("tricks", &NumberedChanges { before: &before.tricks, after: &after.tricks })?;
        }
        if before.log != after.log {
            map.serialize_entry("log", &NumberedChanges { before: &before.log, after: &after.log })?;
        }
        map.end()
    }
}

impl Serialize for Changes<'_, Derived> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(before, after) = *self;
        let mut map = serializer.serialize_map(None)?;
        write_changed!(
            map, before, after,
            to_act => "toAct",
            led_suit => "ledSuit",
            trick_winner => "trickWinner",
            blocked => "blocked",
            winner => "winner",
            intents => "intents",
            composition => "composition",
        );
        map.end()
    }
}

impl Serialize for Changes<'_, Metadata> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(before, after) = *self;
        let mut map = serializer.serialize_map(None)?;
        write_changed!(
            map, before, after,
            undo => "undo",
            ready => "ready",
            deadline => "deadline",
            game_number => "gameNumber",
        );
        write_optional(&mut map, "deal", before.deal.as_ref(), after.deal.as_ref())?;
        write_compared(&mut map, "result", &before.result, &after.result)?;
        write_compared(&mut map, "table", &before.table, &after.table)?;
        map.end()
    }
}

impl Serialize for Changes<'_, DealProof> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(before, after) = *self;
        let mut map = serializer.serialize_map(None)?;
        write_changed!(
            map, before, after,
            secret_commitment => "secretCommitment",
            hand_commitment => "handCommitment",
            next_commitment => "nextCommitment",
            secret => "secret",
        );
        write_optional(&mut map, "revealed", before.revealed.as_ref(), after.revealed.as_ref())?;
        map.end()
    }
}

impl Serialize for Changes<'_, RevealedHand> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(before, after) = *self;
        let mut map = serializer.serialize_map(None)?;
        write_changed!(map, before, after, hand_number => "handNumber", share => "share", entropy => "entropy");
        map.end()
    }
}

fn write_changes<M: SerializeMap, T: PartialEq>(
    map: &mut M,
    name: &'static str,
    before: &T,
    after: &T,
) -> Result<(), M::Error>
where
    for<'a> Changes<'a, T>: Serialize,
{
    if before == after { Ok(()) } else { map.serialize_entry(name, &Changes(before, after)) }
}

/// What was not there before is written whole, and what is gone as `null`.
fn write_optional<M: SerializeMap, T: PartialEq + Serialize>(
    map: &mut M,
    name: &'static str,
    before: Option<&T>,
    after: Option<&T>,
) -> Result<(), M::Error>
where
    for<'a> Changes<'a, T>: Serialize,
{
    match (before, after) {
        (Some(before), Some(after)) => write_changes(map, name, before, after),
        (None, None) => Ok(()),
        _ => map.serialize_entry(name, &after),
    }
}

/// The slow way, for what leaves out its empty fields and changes once a game at most.
fn write_compared<M: SerializeMap, T: PartialEq + Serialize>(
    map: &mut M,
    name: &'static str,
    before: &T,
    after: &T,
) -> Result<(), M::Error> {
    if before == after {
        return Ok(());
    }
    let changes = as_value(before).and_then(|before| Ok(difference(&before, as_value(after)?)));
    map.serialize_entry(name, &changes.map_err(M::Error::custom)?)
}

fn difference(before: &Value, after: Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (before, &after) else { return after };
    let mut changes = Map::new();
    for (name, value) in after.iter().filter(|(name, value)| before.get(*name) != Some(value)) {
        let old = before.get(name).unwrap_or(&Value::Null);
        changes.insert(name.clone(), difference(old, value.clone()));
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        changes.insert(name.clone(), Value::Null);
    }
    Value::Object(changes)
}
