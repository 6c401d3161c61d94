//! A serializer for messages, records and codes: the output of `serde_json::to_string`, for a third of the instructions.
//! serde generates serialization code once per type and serializer, so the page and its worker use only this one.
//!
//! A table serializes every view once per viewer, and most of the output is field names. serde_json scans each of them
//! for characters to escape, byte by byte, and grows its buffer in small steps.

use alloc::string::String;

use serde::{
    Serialize, Serializer,
    ser::{self, Error as _, SerializeStruct},
};
use serde_json::Error;

/// The struct name by which [`serde_json::value::RawValue`] asks to be copied verbatim. A test fails if it changes.
const RAW: &str = "$serde_json::private::RawValue";

/// More than most updates (600 bytes), less than most full views.
pub const TYPICAL_BYTES: usize = 1024;

/// Serializes a message, an event or a view as JSON.
///
/// # Panics
/// If a map has keys that are neither strings nor numbers. No message contains one.
///
/// ```
/// use texas42_vocab::{Action, Domino, Seat, to_json};
///
/// let play = Action::Play { player: Seat::ALL[2], domino: Domino::new(6, 4).unwrap() };
/// assert_eq!(to_json(&play), r#"{"type":"play","player":2,"domino":"6-4"}"#);
/// ```
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = String::with_capacity(TYPICAL_BYTES);
    write_json(&mut out, value);
    out
}

/// Appends the JSON of a value to `out`.
///
/// # Panics
/// As [`to_json`].
pub fn write_json<T: Serialize + ?Sized>(out: &mut String, value: &T) {
    value.serialize(Writer { out, place: Place::Value }).expect("messages have only text keys");
}

/// JSON text that is copied verbatim.
#[derive(Debug)]
pub struct RawJson<'a>(pub &'a str);

impl Serialize for RawJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, self.0)?;
        raw.end()
    }
}

/// Writes the fields of an object.
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut String,
    is_first: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Starts an object without fields.
    pub const fn inside(out: &'a mut String) -> Self {
        Self { out, is_first: true }
    }

    /// Starts an object with these serialized fields, which may be empty.
    pub fn with(out: &'a mut String, fields: &str) -> Self {
        out.push_str(fields);
        Self { out, is_first: fields.is_empty() }
    }

    /// Writes the name of a field. The caller must append its value.
    pub fn name(&mut self, name: &'static str) -> &mut String {
        self.out.push_str(if self.is_first { "\"" } else { ",\"" });
        self.is_first = false;
        self.out.push_str(name);
        self.out.push_str("\":");
        self.out
    }
}

/// The position of a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Value,
    /// The key of an object: numbers are quoted.
    Key,
    /// Verbatim JSON.
    Raw,
}

struct Writer<'a> {
    out: &'a mut String,
    place: Place,
}

impl<'a> Writer<'a> {
    fn number(self, text: &str) -> Result<(), Error> {
        match self.place {
            Place::Key => quote(self.out, text),
            _ => self.out.push_str(text),
        }
        Ok(())
    }

    fn literal(self, text: &str) -> Result<(), Error> {
        if self.place == Place::Key {
            return Err(Error::custom("a key is a string or a number"));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn open(self, open: char, close: &'static str) -> Result<Compound<'a>, Error> {
        if self.place == Place::Key {
            return Err(Error::custom("a key is a string or a number"));
        }
        self.out.push(open);
        Ok(Compound { out: self.out, close, is_first: true, is_raw: false })
    }

    /// Writes `{"variant":` and `open`.
    fn variant(self, variant: &'static str, open: &str, close: &'static str) -> Result<Compound<'a>, Error> {
        let Compound { out, .. } = self.open('{', "}")?;
        quote(out, variant);
        out.push(':');
        out.push_str(open);
        Ok(Compound { out, close, is_first: true, is_raw: false })
    }
}

fn quote(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// Scans all bytes without an early exit, so that the compiler can vectorize the loop.
fn needs_escape(text: &str) -> bool {
    text.bytes().fold(false, |found, byte| found | (byte < b' ') | (byte == b'"') | (byte == b'\\'))
}

macro_rules! integers {
    ($($method:ident $type:ty)+) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.number(itoa::Buffer::new().format(value))
        })+
    };
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    integers! {
        serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64
        serialize_u8 u8 serialize_u16 u16 serialize_u32 u32 serialize_u64 u64
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.literal(if value { "true" } else { "false" })
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.literal(&serde_json::to_string(&value)?)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.literal(&serde_json::to_string(&value)?)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        if self.place == Place::Raw {
            self.out.push_str(text);
        } else if needs_escape(text) {
            self.out.push_str(&serde_json::to_string(text)?);
        } else {
            quote(self.out, text);
        }
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.literal("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.literal("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.literal("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        quote(self.out, variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let Compound { out, .. } = self.variant(variant, "", "}")?;
        value.serialize(Writer { out: &mut *out, place: Place::Value })?;
        out.push('}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        self.open('[', "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        self.open('[', "]")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.open('[', "]")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant, "[", "]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        self.open('{', "}")
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        if name == RAW {
            return Ok(Compound { out: self.out, close: "", is_first: true, is_raw: true });
        }
        self.open('{', "}")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant, "{", "}}")
    }
}

/// A list or an object in progress.
struct Compound<'a> {
    out: &'a mut String,
    close: &'static str,
    is_first: bool,
    is_raw: bool,
}

impl Compound<'_> {
    fn comma(&mut self) {
        if !self.is_first {
            self.out.push(',');
        }
        self.is_first = false;
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.comma();
        value.serialize(Writer { out: &mut *self.out, place: Place::Value })
    }

    /// Field names are Rust identifiers or serde names, which need no escaping.
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if self.is_raw {
            return value.serialize(Writer { out: &mut *self.out, place: Place::Raw });
        }
        self.comma();
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        value.serialize(Writer { out: &mut *self.out, place: Place::Value })
    }

    fn close(self) -> Result<(), Error> {
        self.out.push_str(self.close);
        Ok(())
    }
}

macro_rules! lists {
    ($($trait:ident $method:ident)+) => {
        $(impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        })+
    };
}

macro_rules! structs {
    ($($trait:ident)+) => {
        $(impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        })+
    };
}

lists! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}
structs! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.comma();
        key.serialize(Writer { out: &mut *self.out, place: Place::Key })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(':');
        value.serialize(Writer { out: &mut *self.out, place: Place::Value })
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, collections::BTreeMap, string::ToString, vec::Vec};

    use serde_json::value::{RawValue, to_raw_value};

    use super::*;

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct Pair(u8, bool);

    #[derive(Serialize)]
    enum Shape {
        Dot,
        Side(i64),
        Box(u8, u8),
        Ring { inner: u8, outer: Option<u8> },
    }

    #[derive(Serialize)]
    struct Everything {
        text: &'static str,
        escaped: Vec<&'static str>,
        letter: char,
        numbers: (i8, u64, f64, f32),
        nothing: Option<u8>,
        unit: Unit,
        pair: Pair,
        shapes: [Shape; 4],
        by_number: BTreeMap<u32, ()>,
        by_text: BTreeMap<&'static str, Vec<u8>>,
        raw: Box<RawValue>,
    }

    #[test]
    fn output_equals_that_of_serde_json() {
        let everything = Everything {
            text: "Ann ♥",
            escaped: Vec::from(["\"", "\\", "\n", "\u{1}", "a\"b\\c\td", ""]),
            letter: '"',
            numbers: (-1, u64::MAX, 1.5, f32::NAN),
            nothing: None,
            unit: Unit,
            pair: Pair(3, true),
            shapes: [Shape::Dot, Shape::Side(-7), Shape::Box(1, 2), Shape::Ring { inner: 1, outer: Some(2) }],
            by_number: BTreeMap::from([(1, ()), (12, ())]),
            by_text: BTreeMap::from([("a\"b", Vec::new()), ("c", Vec::from([1, 2]))]),
            raw: to_raw_value(&[Some(1), None]).unwrap(),
        };
        assert_eq!(to_json(&everything), serde_json::to_string(&everything).unwrap());
    }

    #[test]
    fn rejects_a_map_key_that_is_not_a_string_or_number() {
        let mut out = String::new();
        let odd = BTreeMap::from([(Vec::from([1]), 1)]);
        let error = odd.serialize(Writer { out: &mut out, place: Place::Value }).unwrap_err();
        assert_eq!(error.to_string(), "a key is a string or a number");
    }
}
