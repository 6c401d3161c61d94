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
    Map, Value, json,
    value::{RawValue, to_raw_value},
};

use crate::{
    numbered::NumberedChanges,
    view::{GameView, Metadata},
};

/// What has changed from one version to the next, as the text of a merge patch.
#[derive(Clone, Debug)]
pub struct ViewPatch(Box<RawValue>);

impl ViewPatch {
    /// What turns `before` into `after`.
    pub fn between(before: &GameView, after: &GameView) -> Self {
        Self(to_raw_value(&Changes { before, after }).expect("views have only text keys"))
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
        match serde_json::from_value(json!({ "type": "View", "view": view })).ok()? {
            Envelope::View { view } => Some(view),
        }
    }
}

/// Views are written as text and read out of tagged messages everywhere else. Here it is done in the same way: every other
/// way would be another copy of that code in each page.
fn as_value(written: &impl Serialize) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(written)?)
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Envelope {
    View { view: GameView },
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

/// Writes the fields that differ, each whole. The objects among them always write all their fields, so that nothing old
/// survives the merge; the one that does not, the metadata, is handled by itself.
macro_rules! write_changed {
    ($map:expr, $before:expr, $after:expr, $($field:ident => $name:literal),+ $(,)?) => {
        $(if $before.$field != $after.$field {
            $map.serialize_entry($name, &$after.$field)?;
        })+
    };
}

struct Changes<'a> {
    before: &'a GameView,
    after: &'a GameView,
}

impl Serialize for Changes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { before, after } = *self;
        let mut map = serializer.serialize_map(None)?;
        if before.state != after.state {
            map.serialize_entry("state", &StateChanges { before, after })?;
        }
        write_changed!(map, before, after, valid_actions => "validActions", players => "players");
        if before.derived != after.derived {
            map.serialize_entry("derived", &DerivedChanges { before, after })?;
        }
        if before.metadata != after.metadata {
            let changes = metadata_changes(&before.metadata, &after.metadata).map_err(S::Error::custom)?;
            map.serialize_entry("metadata", &changes)?;
        }
        map.end()
    }
}

struct StateChanges<'a> {
    before: &'a GameView,
    after: &'a GameView,
}

impl Serialize for StateChanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (before, after) = (&self.before.state, &self.after.state);
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

struct DerivedChanges<'a> {
    before: &'a GameView,
    after: &'a GameView,
}

impl Serialize for DerivedChanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (before, after) = (&self.before.derived, &self.after.derived);
        let mut map = serializer.serialize_map(None)?;
        write_changed!(
            map, before, after,
            to_act => "toAct",
            led_suit => "ledSuit",
            trick_winner => "trickWinner",
            blocked => "blocked",
            winner => "winner",
            intents => "intents",
        );
        map.end()
    }
}

/// The metadata leaves out what is empty, so what is gone has to be named.
fn metadata_changes(before: &Metadata, after: &Metadata) -> Result<Value, serde_json::Error> {
    Ok(difference(&as_value(before)?, as_value(after)?))
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
