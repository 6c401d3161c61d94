//! The difference between two views, so that a table does not send everything again after every domino.
//!
//! A patch is a JSON merge patch (RFC 7396) of the view of the version before: objects are merged, everything else is
//! replaced, `null` empties a field. Both directions go field by field: [`parts!`] lists the fields of each part of a view
//! once, and a field that is missing there does not compile.

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use core::{fmt, marker::PhantomData, slice};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
    ser::SerializeMap,
};
use serde_json::{
    Error, Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    json::to_json,
    message::TableOptions,
    numbered::{self, NumberedChanges},
    read::read_value,
    view::{DealProof, Derived, GameView, Metadata, ResultView, TableView},
};

/// What has changed from one version to the next: a JSON merge patch.
///
/// The table keeps the two views and writes the patch when the message is written; a client holds the JSON that it read.
#[derive(Clone)]
pub struct ViewPatch(Source);

#[derive(Clone)]
enum Source {
    Made { before: Arc<GameView>, after: Arc<GameView>, common: Option<Arc<CommonChanges>> },
    Read(Map<String, Value>),
}

impl ViewPatch {
    /// The patch that turns `before` into `after`.
    pub const fn between(before: Arc<GameView>, after: Arc<GameView>) -> Self {
        Self(Source::Made { before, after, common: None })
    }

    /// The same patch, where several viewers see the same event: what all of them see is taken from `common`.
    pub fn sharing(before: Arc<GameView>, after: Arc<GameView>, common: Arc<CommonChanges>) -> Self {
        let patch = Self(Source::Made { before, after, common: Some(common) });
        debug_assert_eq!(patch.to_json(), patch.without_common().to_json(), "the viewers do not have this in common");
        patch
    }

    fn without_common(&self) -> Self {
        match &self.0 {
            Source::Made { before, after, .. } => Self::between(before.clone(), after.clone()),
            Source::Read(_) => self.clone(),
        }
    }

    /// The patch as JSON.
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// The view that follows, or nothing when the patch does not fit.
    pub fn apply(&self, view: &GameView) -> Option<GameView> {
        match &self.0 {
            // A patch leads from the first view to the second: nothing has to be written and read for that.
            Source::Made { before, after, .. } if **before == *view => Some(GameView::clone(after)),
            _ => {
                let mut next = view.clone();
                next.merge(self.changes()?).ok().map(|()| next)
            }
        }
    }

    fn changes(&self) -> Option<Map<String, Value>> {
        match &self.0 {
            Source::Made { .. } => serde_json::from_str(&self.to_json()).ok(),
            Source::Read(changes) => Some(changes.clone()),
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
            Source::Made { before, after, common: None } => Changes(&**before, &**after).serialize(serializer),
            Source::Made { before, after, common: Some(common) } => {
                KnownChanges(&**before, &**after, common).serialize(serializer)
            }
            Source::Read(changes) => changes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ViewPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(|changes| Self(Source::Read(changes)))
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

/// What an event changed for everybody, written once for all viewers whose views say the same about the table.
#[derive(Debug)]
pub struct CommonChanges {
    view: Pieces,
    state: Pieces,
    derived: Pieces,
}

/// The common fields of a part in their order; one that did not change has no JSON.
type Pieces = Vec<Option<Box<RawValue>>>;

impl CommonChanges {
    /// What the views of one of the viewers say about it.
    pub fn between(before: &GameView, after: &GameView) -> Self {
        Self {
            view: pieces(before, after),
            state: pieces(&before.state, &after.state),
            derived: pieces(&before.derived, &after.derived),
        }
    }
}

fn pieces<T: Part>(before: &T, after: &T) -> Pieces {
    let mut collected = Collected(Vec::new());
    T::write(before, after, &mut collected).expect("views have only text keys");
    collected.0
}

/// A part of a view: an object that is patched field by field.
trait Part: PartialEq + Sized {
    /// Offers each field to a writer, in order.
    fn write<W: Write>(before: &Self, after: &Self, writer: &mut W) -> Result<(), W::Error>;

    /// Merges a patch into the part.
    fn merge(&mut self, changes: Map<String, Value>) -> Result<(), Error>;

    /// What is known of its common fields.
    fn common(_: &CommonChanges) -> slice::Iter<'_, Option<Box<RawValue>>> {
        [].iter()
    }
}

/// Who sees a field, which decides how often it is written.
trait Write {
    type Error;

    /// A field that only some viewers see like this.
    fn own<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), Self::Error>;

    /// A field that is the same for every viewer.
    fn common<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), Self::Error>;

    /// A part with fields of both sorts.
    fn part<K: Kind<T>, T: Part>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), Self::Error>;
}

/// How a field is written into a patch, and how one is merged into it.
trait Kind<T> {
    fn is_same(before: &T, after: &T) -> bool;
    fn write<S: Serializer>(before: &T, after: &T, serializer: S) -> Result<S::Ok, S::Error>;
    fn merge(field: &mut T, change: Value) -> Result<(), Error>;
}

/// Lists the fields of parts: who sees it, its name in Rust and in JSON, its kind. The structs are taken apart without
/// `..`, so that a new field of a view has to be listed here.
macro_rules! parts {
    ($($type:ident $(($common:ident))? { $($who:ident $field:ident $name:literal $kind:ident;)+ })+) => {$(
        impl Part for $type {
            fn write<W: Write>(before: &Self, after: &Self, writer: &mut W) -> Result<(), W::Error> {
                let Self { $($field),+ } = after;
                $(writer.$who::<$kind, _>($name, &before.$field, $field)?;)+
                Ok(())
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

            $(fn common(known: &CommonChanges) -> slice::Iter<'_, Option<Box<RawValue>>> {
                known.$common.iter()
            })?
        }
    )+};
}

parts! {
    GameView (view) {
        part state "state" Nested;
        own valid_actions "validActions" Usual;
        common players "players" Usual;
        part derived "derived" Nested;
        common metadata "metadata" Nested;
    }
    TableView (state) {
        common phase "phase" Whole;
        common hand_number "handNumber" Usual;
        common events "events" Usual;
        common shaker "shaker" Usual;
        own players "players" Whole;
        common auction "auction" Usual;
        common contract "contract" Usual;
        common trick "trick" Usual;
        common tricks "tricks" Numbered;
        common points "points" Usual;
        common tricks_taken "tricksTaken" Usual;
        common outcome "outcome" Usual;
        common claim "claim" Usual;
        common last_hand "lastHand" Usual;
        common score "score" Usual;
        common target "target" Usual;
        common scoring "scoring" Whole;
        common layers "layers" Usual;
        common play_on "playOn" Usual;
        common one_hand "oneHand" Usual;
        common agreed "agreed" Usual;
        own log "log" Numbered;
    }
    Derived (derived) {
        common to_act "toAct" Usual;
        common led_suit "ledSuit" Usual;
        common trick_winner "trickWinner" Usual;
        own blocked "blocked" Usual;
        common winner "winner" Usual;
        own intents "intents" Usual;
        own composition "composition" Usual;
    }
    Metadata {
        common deal "deal" Optional;
        common undo "undo" Usual;
        common ready "ready" Usual;
        common deadline "deadline" Usual;
        common result "result" Optional;
        common game_number "gameNumber" Usual;
        common table "table" Nested;
    }
    DealProof {
        common secret_commitment "secretCommitment" Whole;
        common hand_commitment "handCommitment" Whole;
        common next_commitment "nextCommitment" Usual;
        common revealed "revealed" Usual;
        common secret "secret" Usual;
    }
    ResultView {
        common winner "winner" Usual;
        common score "score" Whole;
        common seed "seed" Usual;
        common code "code" Usual;
        common stars "stars" Usual;
        common challenge "challenge" Usual;
        common hands "hands" Usual;
    }
    TableOptions {
        common deal "deal" Usual;
        common ready "ready" Usual;
        common turn_seconds "turnSeconds" Usual;
        common pause "pause" Whole;
        common rated "rated" Usual;
        common open_to_spectators "openToSpectators" Usual;
        common hints "hints" Usual;
        common open_hands "openHands" Usual;
        common brought "brought" Usual;
    }
}

/// A part that viewers share.
impl<T: Part + Clone> Part for Arc<T> {
    fn write<W: Write>(before: &Self, after: &Self, writer: &mut W) -> Result<(), W::Error> {
        T::write(before, after, writer)
    }

    fn merge(&mut self, changes: Map<String, Value>) -> Result<(), Error> {
        Self::make_mut(self).merge(changes)
    }
}

/// A value that is always there. Its objects are written with all their fields, so that nothing old survives the merge.
struct Whole;

impl<T: PartialEq + Serialize + DeserializeOwned> Kind<T> for Whole {
    fn is_same(before: &T, after: &T) -> bool {
        before == after
    }

    fn write<S: Serializer>(_: &T, after: &T, serializer: S) -> Result<S::Ok, S::Error> {
        after.serialize(serializer)
    }

    fn merge(field: &mut T, change: Value) -> Result<(), Error> {
        *field = read_value(change)?;
        Ok(())
    }
}

/// A value that `null` empties.
struct Usual;

impl<T: PartialEq + Serialize + DeserializeOwned + Default> Kind<T> for Usual {
    fn is_same(before: &T, after: &T) -> bool {
        before == after
    }

    fn write<S: Serializer>(_: &T, after: &T, serializer: S) -> Result<S::Ok, S::Error> {
        after.serialize(serializer)
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

    fn write<S: Serializer>(before: &T, after: &T, serializer: S) -> Result<S::Ok, S::Error> {
        Changes(before, after).serialize(serializer)
    }

    fn merge(field: &mut T, change: Value) -> Result<(), Error> {
        match change {
            Value::Object(changes) => field.merge(changes),
            _ => Err(Error::custom("an object is patched with an object")),
        }
    }
}

/// The same, where the part may be missing: a new one is written whole, and `null` when it is gone.
struct Optional;

impl<T: Part + Serialize + DeserializeOwned> Kind<Option<T>> for Optional {
    fn is_same(before: &Option<T>, after: &Option<T>) -> bool {
        before == after
    }

    fn write<S: Serializer>(before: &Option<T>, after: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match (before, after) {
            (Some(before), Some(after)) => Nested::write(before, after, serializer),
            _ => after.serialize(serializer),
        }
    }

    fn merge(field: &mut Option<T>, change: Value) -> Result<(), Error> {
        match field {
            Some(held) if !change.is_null() => Nested::merge(held, change),
            _ => Usual::merge(field, change),
        }
    }
}

/// A list by number: entries that are new or changed, and `null` for those that are gone.
struct Numbered;

impl<T: PartialEq + Serialize + DeserializeOwned> Kind<Vec<T>> for Numbered {
    fn is_same(before: &Vec<T>, after: &Vec<T>) -> bool {
        before == after
    }

    fn write<S: Serializer>(before: &Vec<T>, after: &Vec<T>, serializer: S) -> Result<S::Ok, S::Error> {
        NumberedChanges { before, after }.serialize(serializer)
    }

    fn merge(field: &mut Vec<T>, change: Value) -> Result<(), Error> {
        match change {
            Value::Object(changes) => numbered::merge(field, changes),
            other => Usual::merge(field, other),
        }
    }
}

/// Writes what turns one part into another, as a merge patch.
struct Changes<'a, T>(&'a T, &'a T);

impl<T: Part> Serialize for Changes<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        T::write(self.0, self.1, &mut Plain(&mut map))?;
        map.end()
    }
}

/// The same, with the common fields taken from what is known.
struct KnownChanges<'a, T>(&'a T, &'a T, &'a CommonChanges);

impl<T: Part> Serialize for KnownChanges<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        T::write(self.0, self.1, &mut Known { map: &mut map, common: self.2, pieces: T::common(self.2) })?;
        map.end()
    }
}

/// The changes of a field.
struct Changed<'a, K, T>(&'a T, &'a T, PhantomData<K>);

impl<K: Kind<T>, T> Serialize for Changed<'_, K, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        K::write(self.0, self.1, serializer)
    }
}

/// Writes every field that differs.
struct Plain<'a, M>(&'a mut M);

impl<M: SerializeMap> Write for Plain<'_, M> {
    type Error = M::Error;

    fn own<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), M::Error> {
        if K::is_same(before, after) {
            return Ok(());
        }
        self.0.serialize_entry(name, &Changed(before, after, PhantomData::<K>))
    }

    fn common<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), M::Error> {
        self.own::<K, T>(name, before, after)
    }

    fn part<K: Kind<T>, T: Part>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), M::Error> {
        self.own::<K, T>(name, before, after)
    }
}

/// Keeps the JSON of the common fields that differ.
struct Collected(Pieces);

impl Write for Collected {
    type Error = Error;

    fn own<K: Kind<T>, T>(&mut self, _: &'static str, _: &T, _: &T) -> Result<(), Error> {
        Ok(())
    }

    fn common<K: Kind<T>, T>(&mut self, _: &'static str, before: &T, after: &T) -> Result<(), Error> {
        let differs = !K::is_same(before, after);
        let piece = differs.then(|| to_raw_value(&Changed(before, after, PhantomData::<K>))).transpose()?;
        self.0.push(piece);
        Ok(())
    }

    fn part<K: Kind<T>, T: Part>(&mut self, _: &'static str, _: &T, _: &T) -> Result<(), Error> {
        Ok(())
    }
}

/// Writes the own fields that differ, and the known JSON of the common ones.
struct Known<'a, M> {
    map: &'a mut M,
    common: &'a CommonChanges,
    pieces: slice::Iter<'a, Option<Box<RawValue>>>,
}

impl<M: SerializeMap> Write for Known<'_, M> {
    type Error = M::Error;

    fn own<K: Kind<T>, T>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), M::Error> {
        Plain(self.map).own::<K, T>(name, before, after)
    }

    fn common<K: Kind<T>, T>(&mut self, name: &'static str, _: &T, _: &T) -> Result<(), M::Error> {
        match self.pieces.next() {
            Some(Some(piece)) => self.map.serialize_entry(name, piece),
            _ => Ok(()),
        }
    }

    fn part<K: Kind<T>, T: Part>(&mut self, name: &'static str, before: &T, after: &T) -> Result<(), M::Error> {
        if before == after {
            return Ok(());
        }
        self.map.serialize_entry(name, &KnownChanges(before, after, self.common))
    }
}
