//! The difference between two views, so that a table does not say everything again after every domino.
//!
//! A patch is a JSON merge patch (RFC 7396) of the view of the version before: objects are merged, everything else is
//! replaced, `null` empties a field. It is made by comparing the views field by field, so only what changed is written.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::view::GameView;

/// What has changed from one version to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ViewPatch(Map<String, Value>);

/// Inserts the fields that differ. A field that is an object is diffed further, because a merge patch would keep what
/// the new object leaves out.
macro_rules! changed_fields {
    ($map:expr, $before:expr, $after:expr, $($field:ident => $name:literal),+ $(,)?) => {
        $(if $before.$field != $after.$field {
            let change = difference(&json(&$before.$field), json(&$after.$field));
            $map.insert(String::from($name), change);
        })+
    };
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// What merges `before` into `after`.
fn difference(before: &Value, after: Value) -> Value {
    match (before, after) {
        (Value::Object(before), Value::Object(mut after)) => {
            let gone = before.keys().filter(|name| !after.contains_key(*name)).cloned();
            let gone: Vec<String> = gone.collect();
            after.retain(|name, value| before.get(name) != Some(value));
            let mut changes: Map<String, Value> = Map::new();
            for (name, value) in after {
                let change = before.get(&name).map_or(Value::Null, Clone::clone);
                changes.insert(name, difference(&change, value));
            }
            changes.extend(gone.into_iter().map(|name| (name, Value::Null)));
            Value::Object(changes)
        }
        (_, after) => after,
    }
}

impl ViewPatch {
    /// What turns `before` into `after`.
    pub fn between(before: &GameView, after: &GameView) -> Self {
        let mut patch = Map::new();
        changed_fields!(
            patch, before, after,
            valid_actions => "validActions",
            players => "players",
            metadata => "metadata",
        );
        insert_changes(&mut patch, "state", state_changes(before, after));
        insert_changes(&mut patch, "derived", derived_changes(before, after));
        Self(patch)
    }

    /// The view that follows, or nothing when the patch does not fit it.
    pub fn apply(&self, before: &GameView) -> Option<GameView> {
        let mut view = serde_json::to_value(before).ok()?;
        merge(&mut view, &self.0);
        serde_json::from_value(view).ok()
    }
}

fn insert_changes(patch: &mut Map<String, Value>, name: &str, changes: Map<String, Value>) {
    if !changes.is_empty() {
        patch.insert(String::from(name), Value::Object(changes));
    }
}

fn state_changes(before: &GameView, after: &GameView) -> Map<String, Value> {
    let mut changes = Map::new();
    changed_fields!(
        changes, before.state, after.state,
        phase => "phase",
        hand_number => "handNumber",
        shaker => "shaker",
        players => "players",
        auction => "auction",
        contract => "contract",
        trick => "trick",
        tricks => "tricks",
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
    changes
}

fn derived_changes(before: &GameView, after: &GameView) -> Map<String, Value> {
    let mut changes = Map::new();
    changed_fields!(
        changes, before.derived, after.derived,
        to_act => "toAct",
        led_suit => "ledSuit",
        trick_winner => "trickWinner",
        playable => "playable",
        winner => "winner",
    );
    changes
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
