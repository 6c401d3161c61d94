//! Serializes a list as an object keyed by numbers starting at 1: `{"1": …, "2": …}`.
//!
//! A merge patch replaces a list as a whole but merges an object key by key, so a patch for a growing list stays small.

use alloc::{string::String, vec::Vec};
use core::mem;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error},
    ser::SerializeMap,
};
use serde_json::{Error as JsonError, Map, Value};
use texas42_vocab::read_value;

/// Serializes a list.
pub(crate) fn serialize<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(list.len()))?;
    for (number, item) in (1_u32..).zip(list) {
        map.serialize_entry(&number, item)?;
    }
    map.end()
}

/// Deserializes a list. Keys may come in any order, but must be the numbers from 1 without a gap.
pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let items = Map::deserialize(deserializer)?;
    let (count, mut list) = (items.len(), Vec::new());
    merge(&mut list, items).map_err(D::Error::custom)?;
    // Only a patch may contain `null`.
    if list.len() == count { Ok(list) } else { Err(D::Error::custom("a number is missing")) }
}

/// The patch between two lists: new and changed items, and `null` for removed ones.
pub(crate) struct NumberedChanges<'a, T> {
    pub(crate) before: &'a [T],
    pub(crate) after: &'a [T],
}

impl<T: Serialize + PartialEq> Serialize for NumberedChanges<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for at in 0..self.before.len().max(self.after.len()) {
            let after = self.after.get(at);
            if self.before.get(at) != after {
                map.serialize_entry(&(at + 1), &after)?;
            }
        }
        map.end()
    }
}

/// Merges a patch written by [`NumberedChanges`] into a list.
pub(crate) fn merge<T: DeserializeOwned>(list: &mut Vec<T>, changes: Map<String, Value>) -> Result<(), JsonError> {
    let max_len = list.len() + changes.len();
    let mut places: Vec<Option<T>> = mem::take(list).into_iter().map(Some).collect();
    places.resize_with(max_len, || None);
    for (key, change) in changes {
        let number: usize = key.parse().map_err(|_| JsonError::custom("a key must be a number"))?;
        let place = number.checked_sub(1).and_then(|at| places.get_mut(at));
        *place.ok_or_else(|| JsonError::custom("a number is missing"))? = read_value(change)?;
    }
    let is_complete = places.iter().skip_while(|place| place.is_some()).all(Option::is_none);
    list.extend(places.into_iter().flatten());
    if is_complete { Ok(()) } else { Err(JsonError::custom("a number is missing")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Row(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn a_list_is_keyed_by_number_and_read_in_any_order() {
        let text = serde_json::to_string(&Row((10..22).collect())).unwrap();
        assert!(text.starts_with(r#"{"1":10,"2":11,"#) && text.ends_with(r#""12":21}"#), "{text}");
        let Row(again) = serde_json::from_str(&text).unwrap();
        assert_eq!(again, (10..22).collect::<Vec<u8>>());
        let Row(mixed) = serde_json::from_str(r#"{"2":20,"1":10}"#).unwrap();
        assert_eq!(mixed, [10, 20]);
        for bad in [r#"{"2":1}"#, r#"{"0":1}"#, r#"{"a":1}"#, "[1]"] {
            assert!(serde_json::from_str::<Row>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_patch_contains_only_new_changed_and_removed_items() {
        let changes = |before: &[u8], after: &[u8]| serde_json::to_string(&NumberedChanges { before, after }).unwrap();
        assert_eq!(changes(&[1, 2], &[1, 2, 3]), r#"{"3":3}"#);
        assert_eq!(changes(&[1, 2, 3], &[5]), r#"{"1":5,"2":null,"3":null}"#);
    }

    #[test]
    fn a_patch_is_merged_by_number() {
        let merged = |list: &[u8], changes: &str| {
            let mut list = list.to_vec();
            merge(&mut list, serde_json::from_str(changes).unwrap()).is_ok().then_some(list)
        };
        assert_eq!(merged(&[1, 2], r#"{"3":3}"#), Some(Vec::from([1, 2, 3])));
        assert_eq!(merged(&[1, 2, 3], r#"{"1":5,"2":null,"3":null}"#), Some(Vec::from([5])));
        assert_eq!(merged(&[], r#"{"1":1,"2":2,"3":null}"#), Some(Vec::from([1, 2])));
        for gap in [r#"{"4":4}"#, r#"{"1":null}"#, r#"{"0":1}"#, r#"{"x":1}"#, r#"{"99":9}"#] {
            assert_eq!(merged(&[1, 2], gap), None, "{gap}");
        }
    }
}
