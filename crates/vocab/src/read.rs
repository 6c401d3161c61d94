//! Deserializes JSON by way of [`Value`].
//!
//! serde generates deserialization code once per type and deserializer. The page and its worker read JSON with these
//! functions only, so the binary contains one copy of the code for a view. That saves 38,472 bytes of brotli, 7 percent
//! of the page. [`tagged!`](crate::tagged) and the deserializer in this file save another 43,456 bytes, 7 percent.

use alloc::{
    string::{String, ToString},
    vec,
};
use core::slice;

use serde::{
    Deserializer,
    de::{
        DeserializeOwned, DeserializeSeed, EnumAccess, Error as _, Expected, MapAccess, SeqAccess, Unexpected,
        VariantAccess, Visitor,
    },
};
use serde_json::{Error, Number, Value, map};

/// Deserializes a JSON text.
///
/// # Errors
/// If the text is not JSON, or not the JSON of a `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    read_value(serde_json::from_str(text)?)
}

/// Deserializes a JSON value.
///
/// # Errors
/// If it is not the JSON of a `T`.
pub fn read_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Json(value))
}

/// Deserializes a value and calls only the method of a visitor that its type needs.
///
/// The code that serde derives can read a struct from an object or from a list, and a field's name from a number or from
/// bytes. serde_json's own deserializer of a [`Value`] calls all of that code, so it stays in the binary. Here a struct is
/// an object, and its fields are read one after another.
struct Json(Value);

impl Json {
    fn refuse<'de, V: Visitor<'de>>(&self, visitor: &V) -> Result<V::Value, Error> {
        Err(Error::invalid_type(unexpected(&self.0), visitor))
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (None, Some(number)) => Unexpected::Signed(number),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

/// Defines methods for types that are written as one kind of JSON.
macro_rules! deserialize {
    ($($method:ident)+: $kind:ident => $visit:expr) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                Value::$kind(value) => $visit(visitor, value),
                _ => self.refuse(&visitor),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Json {
    type Error = Error;

    deserialize!(deserialize_bool: Bool => V::visit_bool);
    deserialize! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8 deserialize_i16 deserialize_i32
        deserialize_i64 deserialize_f32 deserialize_f64: Number => |visitor, value| number(visitor, &value)
    }
    deserialize!(deserialize_char deserialize_str deserialize_string: String => V::visit_string);
    deserialize!(deserialize_identifier: String => |visitor: V, name: String| visitor.visit_str(&name));
    deserialize!(deserialize_bytes deserialize_byte_buf deserialize_seq: Array => list);
    deserialize!(deserialize_map: Object => object);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(value) => number(visitor, &value),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => list(visitor, items),
            Value::Object(fields) => object(visitor, fields),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_unit() } else { self.refuse(&visitor) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut fields = InOrder::new(self.0, names, &visitor)?;
        visitor.visit_seq(&mut fields).map_err(|error| fields.explained(error))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, content: Value::Null }),
            Value::Object(fields) if fields.len() == 1 => {
                let (name, content) = fields.into_iter().next().expect("there is one field");
                visitor.visit_enum(Variant { name, content })
            }
            _ => self.refuse(&visitor),
        }
    }
}

/// Declares an enum that is written as an object with the name of the variant in a field.
///
/// The declaration is that of an enum with serde's attribute `tag`. serde would read it through a buffer of its own, with
/// a second copy of the code for every type inside of it. With `expecting`, it derives no texts about each variant.
///
/// ```
/// use texas42_vocab::{read, tagged, to_json};
///
/// tagged! {
///     "Shape": tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase";
///     /// A shape.
///     #[derive(Debug, PartialEq)]
///     pub enum Shape {
///         /// Nothing else.
///         Dot,
///         /// With a size.
///         RoundBox {
///             /// The width.
///             outer_width: u8,
///         },
///     }
/// }
///
/// assert_eq!(to_json(&Shape::Dot), r#"{"type":"dot"}"#);
/// assert_eq!(read::<Shape>(r#"{"outerWidth":3,"type":"round-box"}"#).unwrap(), Shape::RoundBox { outer_width: 3 });
/// ```
#[macro_export]
macro_rules! tagged {
    (
        $name:literal: tag = $tag:literal $(, $key:ident $(= $value:literal)?)*;
        $(#[$meta:meta])*
        pub enum $type:ident { $($body:tt)* }
    ) => {
        $(#[$meta])*
        #[derive(serde::Serialize)]
        #[serde(tag = $tag $(, $key $(= $value)?)*)]
        pub enum $type { $($body)* }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(remote = $name $(, $key $(= $value)?)*)]
                #[allow(dead_code, clippy::large_enum_variant, reason = "it only describes the fields")]
                enum Fields { $($body)* }

                // Not generic, so that it is compiled once and not again in every crate that reads the type.
                fn read(tagged: $crate::Tagged) -> Result<$type, <$crate::Tagged as serde::Deserializer<'static>>::Error> {
                    Fields::deserialize(tagged)
                }

                let value = serde::Deserialize::deserialize(deserializer)?;
                read($crate::Tagged::new($tag, value)).map_err(serde::de::Error::custom)
            }
        }
    };
}

/// Deserializes an enum that [`tagged!`] declares.
#[derive(Debug)]
pub struct Tagged {
    tag: &'static str,
    value: Value,
}

impl Tagged {
    /// An object whose field `tag` names the variant.
    pub const fn new(tag: &'static str, value: Value) -> Self {
        Self { tag, value }
    }

    fn variant(self) -> Result<Variant, Error> {
        let Value::Object(mut fields) = self.value else {
            return Err(Error::invalid_type(unexpected(&self.value), &"an object"));
        };
        match fields.remove(self.tag) {
            Some(Value::String(name)) => Ok(Variant { name, content: Value::Object(fields) }),
            Some(other) => Err(Error::invalid_type(unexpected(&other), &"a string")),
            None => Err(Error::missing_field(self.tag)),
        }
    }
}

impl<'de> Deserializer<'de> for Tagged {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_enum(self.variant()?)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

fn number<'de, V: Visitor<'de>>(visitor: V, number: &Number) -> Result<V::Value, Error> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (None, Some(number)) => visitor.visit_i64(number),
        (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
    }
}

fn list<'de, V: Visitor<'de>>(visitor: V, items: vec::Vec<Value>) -> Result<V::Value, Error> {
    visitor.visit_seq(Items(items.into_iter()))
}

fn object<'de, V: Visitor<'de>>(visitor: V, fields: map::Map<String, Value>) -> Result<V::Value, Error> {
    visitor.visit_map(Fields { rest: fields.into_iter(), value: Value::Null })
}

/// The last words of what a struct expects if it refuses unknown fields: `deny_unknown_fields` is written together with
/// `expecting`, because serde does not tell a deserializer about the former.
const STRICT: &str = "without other fields";

/// The fields of a struct, in the order of their declaration.
///
/// serde also derives code that reads a struct from a list. It is much smaller than the code for an object, whose fields
/// may come in any order: the page is 12,000 bytes of brotli smaller. It has no place for other names of a field (`alias`),
/// and an optional field without a value is `None` even if the struct has another default.
struct InOrder {
    fields: map::Map<String, Value>,
    names: slice::Iter<'static, &'static str>,
    /// The name of the field that was to be read last, if it is absent.
    absent: Option<&'static str>,
}

impl InOrder {
    fn new(value: Value, names: &'static [&'static str], expected: &dyn Expected) -> Result<Self, Error> {
        let Value::Object(fields) = value else {
            return Err(Error::invalid_type(unexpected(&value), expected));
        };
        match fields.keys().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) if expected.to_string().ends_with(STRICT) => Err(Error::unknown_field(unknown, names)),
            _ => Ok(Self { fields, names: names.iter(), absent: None }),
        }
    }

    /// The value of the next field: `null` if it is absent.
    #[inline(never)]
    fn next_value(&mut self) -> Option<Value> {
        let name = self.names.next()?;
        let value = self.fields.get_mut(*name).map(Value::take);
        self.absent = value.is_none().then_some(name);
        Some(value.unwrap_or_default())
    }

    fn explained(&self, error: Error) -> Error {
        self.absent.map_or(error, Error::missing_field)
    }
}

impl<'de> SeqAccess<'de> for InOrder {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.next_value() else { return Ok(None) };
        let read = seed.deserialize(Json(value));
        // An absent option is read from `null`. For other absent fields, serde uses the default value, if there is one.
        if self.absent.is_some() { Ok(read.ok()) } else { read.map(Some) }
    }
}

/// The items of a list that are not read yet.
struct Items(vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(Json(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The fields of an object that are not read yet, and the value of the field whose name was read last.
struct Fields {
    rest: map::IntoIter,
    value: Value,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(Json(Value::String(name))).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Json(self.value.take()))
    }
}

/// A variant of an enum, and what it holds.
struct Variant {
    name: String,
    content: Value,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Json;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Json), Error> {
        Ok((seed.deserialize(Json(Value::String(self.name)))?, Json(self.content)))
    }
}

impl<'de> VariantAccess<'de> for Json {
    type Error = Error;

    /// Ignores the fields of an object.
    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            Value::Null | Value::Object(_) => Ok(()),
            other => Err(Error::invalid_type(unexpected(&other), &"a variant without fields")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", names, visitor)
    }
}

#[cfg(test)]
mod tests {
    use alloc::{collections::BTreeMap, format, string::ToString, vec::Vec};
    use core::fmt::Debug;

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Dot,
        Side(i64),
        Pair(u8, bool),
        Box { width: u16 },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type", rename_all = "camelCase")]
    enum Tagged {
        Empty,
        Filled { shape: Shape, letter: char },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, expecting = "struct Strict without other fields")]
    struct Strict {
        size: u8,
        #[serde(default)]
        depth: u8,
        colour: Option<String>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Point(i8, u64);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Everything {
        shapes: Vec<Shape>,
        tagged: Vec<Tagged>,
        numbers: (u8, u64, i32, f64),
        some_text: Option<String>,
        none: Option<u8>,
        map: BTreeMap<String, Option<bool>>,
        point: Point,
        units: ((), Unit),
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    fn everything() -> Everything {
        Everything {
            shapes: [Shape::Dot, Shape::Side(-7), Shape::Pair(255, true), Shape::Box { width: 40_000 }].into(),
            tagged: [Tagged::Empty, Tagged::Filled { shape: Shape::Dot, letter: 'ñ' }].into(),
            numbers: (0, u64::MAX, i32::MIN, 0.5),
            some_text: Some("a \"text\"".to_string()),
            none: None,
            map: [("a".to_string(), None), ("b".to_string(), Some(false))].into(),
            point: Point(-1, 1),
            units: ((), Unit),
            rest: [("more".to_string(), json!({ "nested": [1, -1, 1.5, null, "text"] }))].into(),
        }
    }

    #[test]
    fn reads_what_serde_json_writes() {
        let text = serde_json::to_string(&everything()).unwrap();
        assert_eq!(read::<Everything>(&text).unwrap(), everything());
        assert_eq!(read::<Value>(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
    }

    fn same_error<T: DeserializeOwned + Debug>(value: Value) {
        let expected = serde_json::from_value::<T>(value.clone()).unwrap_err().to_string();
        assert_eq!(read_value::<T>(value).unwrap_err().to_string(), expected);
    }

    #[test]
    fn refuses_with_the_sentences_of_serde_json() {
        same_error::<Shape>(json!("Circle"));
        same_error::<Shape>(json!({ "Box": { "height": 1 } }));
        same_error::<Shape>(json!({ "Pair": [256, true] }));
        same_error::<Tagged>(json!({ "type": "filled", "shape": "Dot" }));
        same_error::<Tagged>(json!({ "type": "full" }));
        same_error::<Strict>(json!({ "size": 1, "width": 2 }));
        same_error::<Strict>(json!({ "colour": "red" }));
        same_error::<Strict>(json!({ "size": null }));
        same_error::<Vec<u8>>(json!({}));
        same_error::<bool>(json!(null));
        same_error::<String>(json!(1.5));
        same_error::<Unit>(json!("unit"));
        same_error::<u8>(json!([]));
        same_error::<u32>(json!(-1));
        same_error::<u8>(json!(256));
        same_error::<i64>(json!(0.5));
    }

    #[test]
    fn absent_fields_have_their_defaults() {
        let absent = read_value::<Strict>(json!({ "size": 1 })).unwrap();
        assert_eq!(absent, Strict { size: 1, depth: 0, colour: None });
        let null = read_value::<Strict>(json!({ "size": 1, "colour": null })).unwrap();
        assert_eq!(null, absent);
    }

    #[test]
    fn a_number_fits_its_type_or_is_refused() {
        assert!(read_value::<u64>(json!(-1)).is_err() && read_value::<i64>(json!(u64::MAX)).is_err());
        assert!(read_value::<u8>(json!(256)).is_err() && read_value::<u8>(json!(1.0)).is_err());
        assert_eq!(read_value::<f64>(json!(-3)).unwrap(), -3.0);
    }

    #[test]
    fn a_struct_is_an_object_and_never_a_list() {
        #[derive(Debug, Deserialize)]
        struct Named {
            _first: u8,
        }

        assert!(read_value::<Named>(json!({ "_first": 1 })).is_ok());
        let error = read_value::<Named>(json!([1])).unwrap_err();
        assert_eq!(format!("{error}"), "invalid type: sequence, expected struct Named");
    }
}
