//! Patches: the difference between two views, so that a table need not send a full view after every action.
//!
//! A patch is a JSON merge patch (RFC 7396) against the view of the previous version: objects are merged, all other
//! values are replaced, and `null` clears a field. Writing and merging both work field by field. [`parts!`] lists the
//! fields of each part of a view once; a field that is missing there does not compile.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Error, Map, Value};

use texas42_vocab::{
    json::{ObjectWriter, RawJson, TYPICAL_BYTES, write_json},
    read_value, to_json,
};

use crate::{
    message::TableOptions,
    numbered::{self, NumberedChanges},
    view::{DealProof, Derived, GameView, Metadata, ResultView, TableView},
};

/// The changes from one version of a view to the next: a JSON merge patch.
///
/// On the table's side it holds both views and is serialized with its message. On the client's side it holds the JSON
/// that was received.
#[derive(Clone)]
pub struct ViewPatch(Source);

#[derive(Clone)]
enum Source {
    Computed { before: Arc<GameView>, after: Arc<GameView>, common: Option<Arc<CommonChanges>> },
    Received(Map<String, Value>),
}

impl ViewPatch {
    /// The patch that turns `before` into `after`.
    pub const fn between(before: Arc<GameView>, after: Arc<GameView>) -> Self {
        Self(Source::Computed { before, after, common: None })
    }

    /// Like [`Self::between`], for one of several viewers of an event. Takes the changes that all of them see from
    /// `common`.
    pub fn sharing(before: Arc<GameView>, after: Arc<GameView>, common: Arc<CommonChanges>) -> Self {
        let patch = Self(Source::Computed { before: before.clone(), after: after.clone(), common: Some(common) });
        debug_assert_eq!(patch, Self::between(before, after), "the common changes differ between viewers");
        patch
    }

    /// The patch as JSON.
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// The patched view, or `None` if the patch does not fit.
    pub fn apply(&self, view: &GameView) -> Option<GameView> {
        match &self.0 {
            // The patch holds the resulting view: no need to serialize and merge.
            Source::Computed { before, after, .. } if **before == *view => Some(GameView::clone(after)),
            _ => {
                let mut next = view.clone();
                next.merge(self.changes()?).ok().map(|()| next)
            }
        }
    }

    fn changes(&self) -> Option<Map<String, Value>> {
        match &self.0 {
            Source::Computed { .. } => serde_json::from_str(&self.to_json()).ok(),
            Source::Received(changes) => Some(changes.clone()),
        }
    }
}

impl PartialEq for ViewPatch {
    fn eq(&self, other: &Self) -> bool {
        self.changes() == other.changes()
    }
}

impl Eq for ViewPatch {}

impl fmt::Debug for ViewPatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl Serialize for ViewPatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Source::Computed { before, after, common } => {
                RawJson(&changes_between(before, after, common.as_deref())).serialize(serializer)
            }
            Source::Received(changes) => changes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ViewPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(|changes| Self(Source::Received(changes)))
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

/// Serializes a patch. In each part, the common fields come first.
fn changes_between(before: &GameView, after: &GameView, common: Option<&CommonChanges>) -> String {
    let mut out = String::with_capacity(TYPICAL_BYTES);
    match common {
        Some(common) => write_part(before, after, common, &mut out),
        None => write_part(before, after, &CommonChanges::between(before, after), &mut out),
    }
    out
}

/// The changes that all viewers of an event share, serialized once for all of them.
#[derive(Debug)]
pub struct CommonChanges {
    view: String,
    state: String,
    derived: String,
}

impl CommonChanges {
    /// The common changes, taken from the views of any one viewer.
    pub fn between(before: &GameView, after: &GameView) -> Self {
        Self {
            view: common_fields(before, after),
            state: common_fields(&before.state, &after.state),
            derived: common_fields(&before.derived, &after.derived),
        }
    }
}

/// The changed common fields of a part, as the inside of a JSON object.
fn common_fields<T: Part>(before: &T, after: &T) -> String {
    let mut out = String::with_capacity(TYPICAL_BYTES / 2);
    T::write(before, after, &mut Fields { object: ObjectWriter::inside(&mut out), scope: Scope::Common });
    out
}

/// A part of a view: an object that is patched field by field.
trait Part: PartialEq + Sized {
    /// Passes each field to the writer, in order.
    fn write(before: &Self, after: &Self, fields: &mut Fields<'_>);

    /// Merges a patch into the part.
    fn merge(&mut self, changes: Map<String, Value>) -> Result<(), Error>;

    /// The part's serialized common changes.
    fn common(_: &CommonChanges) -> &str {
        ""
    }
}

/// Writes the changed fields of a part.
struct Fields<'a> {
    object: ObjectWriter<'a>,
    scope: Scope<'a>,
}

/// Which fields to write.
#[derive(Clone, Copy)]
enum Scope<'a> {
    All,
    /// Fields that are the same for every viewer.
    Common,
    /// Fields that depend on the viewer. The common ones are serialized already.
    PerViewer(&'a CommonChanges),
}

impl Fields<'_> {
    /// Writes a field that depends on the viewer.
    fn per_viewer<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) {
        if !matches!(self.scope, Scope::Common) {
            self.field::<K, T>(name, before, after);
        }
    }

    /// Writes a field that is the same for every viewer.
    fn common<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) {
        if !matches!(self.scope, Scope::PerViewer(_)) {
            self.field::<K, T>(name, before, after);
        }
    }

    /// Writes a part that has fields of both scopes.
    fn part<K: Kind<T>, T: Part>(&mut self, name: &'static str, before: &T, after: &T) {
        match self.scope {
            Scope::All => self.field::<K, T>(name, before, after),
            Scope::PerViewer(common) if before != after => write_part(before, after, common, self.object.name(name)),
            Scope::PerViewer(_) | Scope::Common => {}
        }
    }

    fn field<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) {
        if !K::is_same(before, after) {
            K::write(before, after, self.object.name(name));
        }
    }
}

/// Writes a part whose common changes are serialized already.
fn write_part<T: Part>(before: &T, after: &T, common: &CommonChanges, out: &mut String) {
    out.push('{');
    let object = ObjectWriter::with(out, T::common(common));
    T::write(before, after, &mut Fields { object, scope: Scope::PerViewer(common) });
    out.push('}');
}

/// How a field is written to a patch, and how a patch is merged into it.
trait Kind<T> {
    fn is_same(before: &T, after: &T) -> bool;
    fn write(before: &T, after: &T, out: &mut String);
    fn merge(field: &mut T, change: Value) -> Result<(), Error>;
}

/// Lists the fields of each part: scope, name in Rust, name in JSON, and kind. Structs are destructured
/// without `..`, so a new field of a view must be listed here.
macro_rules! parts {
    ($($type:ident $(($common:ident))? { $($scope:ident $field:ident $name:literal $kind:ident;)+ })+) => {$(
        impl Part for $type {
            fn write(before: &Self, after: &Self, fields: &mut Fields<'_>) {
                let Self { $($field),+ } = after;
                $(fields.$scope::<$kind, _>($name, &before.$field, $field);)+
            }

            fn merge(&mut self, changes: Map<String, Value>) -> Result<(), Error> {
                for (name, change) in changes {
                    match name.as_str() {
                        $($name => <$kind as Kind<_>>::merge(&mut self.$field, change)?,)+
                        _ => {}
                    }
                }
                Ok(())
            }

            $(fn common(changes: &CommonChanges) -> &str {
                &changes.$common
            })?
        }
    )+};
}

parts! {
    GameView (view) {
        part state "state" Nested;
        per_viewer valid_actions "validActions" OrDefault;
        common players "players" OrDefault;
        part derived "derived" Nested;
        common metadata "metadata" Nested;
    }
    TableView (state) {
        common phase "phase" Required;
        common hand_number "handNumber" OrDefault;
        common events "events" OrDefault;
        common shaker "shaker" OrDefault;
        per_viewer players "players" Required;
        common auction "auction" OrDefault;
        common contract "contract" OrDefault;
        common trick "trick" OrDefault;
        common tricks "tricks" Numbered;
        common points "points" OrDefault;
        common tricks_taken "tricksTaken" OrDefault;
        common outcome "outcome" OrDefault;
        common claim "claim" OrDefault;
        common last_hand "lastHand" OrDefault;
        common score "score" OrDefault;
        common target "target" OrDefault;
        common scoring "scoring" Required;
        common layers "layers" OrDefault;
        common play_on "playOn" OrDefault;
        common one_hand "oneHand" OrDefault;
        common challenge "challenge" OrDefault;
        common agreed "agreed" OrDefault;
        per_viewer log "log" Numbered;
    }
    Derived (derived) {
        common to_act "toAct" OrDefault;
        common led_suit "ledSuit" OrDefault;
        common trick_winner "trickWinner" OrDefault;
        per_viewer blocked "blocked" OrDefault;
        common winner "winner" OrDefault;
        per_viewer intents "intents" OrDefault;
        per_viewer composition "composition" OrDefault;
    }
    Metadata {
        common deal "deal" Optional;
        common undo "undo" OrDefault;
        common undo_declined "undoDeclined" OrDefault;
        common invited_by "invitedBy" OrDefault;
        common ready "ready" OrDefault;
        common coach_off "coachOff" OrDefault;
        common deadline "deadline" OrDefault;
        common result "result" Optional;
        common game_number "gameNumber" OrDefault;
        common known_deals "knownDeals" OrDefault;
        common created_at "createdAt" OrDefault;
        common last_action_at "lastActionAt" OrDefault;
        common table "table" Nested;
    }
    DealProof {
        common secret_commitment "secretCommitment" Required;
        common hand_commitment "handCommitment" Required;
        common next_commitment "nextCommitment" OrDefault;
        common revealed "revealed" OrDefault;
        common secret "secret" OrDefault;
        common secret_draw "secretDraw" OrDefault;
        common later "later" OrDefault;
    }
    ResultView {
        common winner "winner" OrDefault;
        common score "score" Required;
        common seed "seed" OrDefault;
        common code "code" OrDefault;
        common replay_link "replayLink" OrDefault;
        common stars "stars" OrDefault;
        common challenge "challenge" OrDefault;
        common share_text "shareText" OrDefault;
        common hands "hands" OrDefault;
    }
    TableOptions {
        common deal "deal" OrDefault;
        common ready "ready" OrDefault;
        common turn_seconds "turnSeconds" OrDefault;
        common pause "pause" Required;
        common rated "rated" OrDefault;
        common open_to_spectators "openToSpectators" OrDefault;
        common hints "hints" OrDefault;
        common open_hands "openHands" OrDefault;
        common bots "bots" OrDefault;
        common brought "brought" OrDefault;
    }
}

/// A part that is shared between views.
impl<T: Part + Clone> Part for Arc<T> {
    fn write(before: &Self, after: &Self, fields: &mut Fields<'_>) {
        T::write(before, after, fields);
    }

    fn merge(&mut self, changes: Map<String, Value>) -> Result<(), Error> {
        Self::make_mut(self).merge(changes)
    }
}

/// A value that is always present. Objects are written with all their fields, so that no old field survives the merge.
struct Required;

impl<T: PartialEq + Serialize + DeserializeOwned> Kind<T> for Required {
    fn is_same(before: &T, after: &T) -> bool {
        before == after
    }

    fn write(_: &T, after: &T, out: &mut String) {
        write_json(out, after);
    }

    fn merge(field: &mut T, change: Value) -> Result<(), Error> {
        *field = read_value(change)?;
        Ok(())
    }
}

/// A value that `null` resets to its default.
struct OrDefault;

impl<T: PartialEq + Serialize + DeserializeOwned + Default> Kind<T> for OrDefault {
    fn is_same(before: &T, after: &T) -> bool {
        before == after
    }

    fn write(_: &T, after: &T, out: &mut String) {
        write_json(out, after);
    }

    fn merge(field: &mut T, change: Value) -> Result<(), Error> {
        *field = if change.is_null() { T::default() } else { read_value(change)? };
        Ok(())
    }
}

/// A part that is merged field by field.
struct Nested;

impl<T: Part> Kind<T> for Nested {
    fn is_same(before: &T, after: &T) -> bool {
        before == after
    }

    fn write(before: &T, after: &T, out: &mut String) {
        out.push('{');
        T::write(before, after, &mut Fields { object: ObjectWriter::inside(out), scope: Scope::All });
        out.push('}');
    }

    fn merge(field: &mut T, change: Value) -> Result<(), Error> {
        match change {
            Value::Object(changes) => field.merge(changes),
            _ => Err(Error::custom("an object is patched with an object")),
        }
    }
}

/// A part that may be absent: a new one is written in full, a removed one as `null`.
struct Optional;

impl<T: Part + Serialize + DeserializeOwned> Kind<Option<T>> for Optional {
    fn is_same(before: &Option<T>, after: &Option<T>) -> bool {
        before == after
    }

    fn write(before: &Option<T>, after: &Option<T>, out: &mut String) {
        match (before, after) {
            (Some(before), Some(after)) => Nested::write(before, after, out),
            _ => write_json(out, after),
        }
    }

    fn merge(field: &mut Option<T>, change: Value) -> Result<(), Error> {
        match field {
            Some(held) if !change.is_null() => Nested::merge(held, change),
            _ => OrDefault::merge(field, change),
        }
    }
}

/// A list keyed by number: new and changed items, and `null` for removed ones.
struct Numbered;

impl<T: PartialEq + Serialize + DeserializeOwned> Kind<Vec<T>> for Numbered {
    fn is_same(before: &Vec<T>, after: &Vec<T>) -> bool {
        before == after
    }

    fn write(before: &Vec<T>, after: &Vec<T>, out: &mut String) {
        write_json(out, &NumberedChanges { before, after });
    }

    fn merge(field: &mut Vec<T>, change: Value) -> Result<(), Error> {
        match change {
            Value::Object(changes) => numbered::merge(field, changes),
            other => OrDefault::merge(field, other),
        }
    }
}
