//! Reading a value out of JSON with as little code as possible.
//!
//! serde writes the code that reads a type anew for every kind of reader, and a page has to load all of it. A page and its
//! worker read with this reader only. It takes objects for objects and lists for lists, and knows no other way to write a
//! type, so that what serde would write for the other ways is left out.

use alloc::{string::String, vec};

use serde::{
    Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor, value::StringDeserializer},
    forward_to_deserialize_any,
};
use serde_json::{Error, Map, Value};

/// Reads a text.
///
/// # Errors
/// When it is no JSON, or not the JSON of such a value.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    read_value(serde_json::from_str(text)?)
}

/// Reads what is JSON already.
///
/// # Errors
/// When it is not the JSON of such a value.
pub fn read_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Reader(value))
}

struct Reader(Value);

/// What stands where something else should.
fn misfit(value: &Value) -> Error {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Error::custom(alloc::format!("invalid type: {kind} does not fit here"))
}

macro_rules! numbers {
    ($visit:ident, $number:ident: $($method:ident)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.0.$number().ok_or_else(|| misfit(&self.0))?)
        })+
    };
}

macro_rules! alike {
    ($shape:ident, $visit:ident, $access:expr; $($method:ident($($argument:ty),*))+) => {
        $(fn $method<V: Visitor<'de>>(self, $(_: $argument,)* visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                Value::$shape(inside) => visitor.$visit($access(inside)),
                other => Err(misfit(&other)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Error;

    /// Only what takes anything asks like this: JSON itself.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_any(visitor)
    }

    numbers!(visit_u64, as_u64: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);
    numbers!(visit_i64, as_i64: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64);
    numbers!(visit_bool, as_bool: deserialize_bool);

    alike!(String, visit_string, core::convert::identity; deserialize_str() deserialize_string() deserialize_identifier());
    alike!(Array, visit_seq, items; deserialize_seq() deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize));
    alike!(Object, visit_map, fields; deserialize_map() deserialize_struct(&'static str, &'static [&'static str]));
    alike!(
        String, visit_enum, StringDeserializer::new;
        deserialize_enum(&'static str, &'static [&'static str])
    );

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 f32 f64 char bytes byte_buf unit unit_struct }
}

struct Items(vec::IntoIter<Value>);

fn items(list: vec::Vec<Value>) -> Items {
    Items(list.into_iter())
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(Reader(item))).transpose()
    }
}

struct Fields {
    rest: serde_json::map::IntoIter,
    value: Value,
}

fn fields(object: Map<String, Value>) -> Fields {
    Fields { rest: object.into_iter(), value: Value::Null }
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(Reader(Value::String(name))).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Reader(self.value.take()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ClientMessage, GameView};

    #[test]
    fn reads_what_serde_reads() {
        let text =
            r#"{"type":"JOIN_GAME","gameId":"abc","name":"Bob","seat":2,"role":"coach","capabilities":[],"key":null}"#;
        assert_eq!(read::<ClientMessage>(text).unwrap(), serde_json::from_str(text).unwrap());
    }

    #[test]
    fn refuses_another_shape_without_a_panic() {
        for text in
            ["", "[", "[]", "3", "null", r#""x""#, r#"{"type":"PING","nonce":-1}"#, r#"{"type":"PING","nonce":1.5}"#]
        {
            assert!(read::<ClientMessage>(text).is_err(), "{text}");
        }
        assert!(read_value::<GameView>(json!([1, 2])).is_err());
        assert!(
            read::<ClientMessage>(r#"{"type":"PING","nonce":1,"gameId":"abc"}"#).is_err(),
            "a field of another message"
        );
    }
}
