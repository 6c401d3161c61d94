//! Enums that say their variant in the field `type`, read as one struct with the fields of all variants.
//!
//! serde's own way keeps the whole value aside until it has found the tag, and then reads every field of every variant with
//! a second copy of the code that reads it. A page has to load that code. Here every field is read once, whatever the variant.

use alloc::string::String;

/// `Deserialize` for an enum whose variants are told apart by the field `type`.
///
/// First all fields that any variant has, with their types; then each variant with its word and its fields: those that have
/// to be there, those that `may` be missing, and those that have a usual value `or_default`. With
/// `deny_unknown_fields` a variant refuses the fields of the others, and those that nobody knows.
#[macro_export]
macro_rules! read_tagged {
    (
        $name:ident $(, $strict:ident)?;
        fields { $($field:ident: $type:ty),* $(,)? }
        $($word:literal => $variant:ident {
            $($needed:ident),* $(; may $($optional:ident),+)? $(; or_default $($usual:ident),+)?
        })+
    ) => {
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use ::serde::de::Error;

                #[derive(::serde::Deserialize)]
                #[serde(rename_all = "camelCase" $(, $strict)?)]
                struct Fields {
                    r#type: $crate::Word,
                    $($field: Option<$type>,)*
                }

                #[allow(unused_mut)]
                let mut fields = Fields::deserialize(deserializer)?;
                let read = match fields.r#type.as_str() {
                    $($word => Self::$variant {
                        $($needed: $crate::needed(fields.$needed.take(), stringify!($needed))?,)*
                        $($($optional: fields.$optional.take(),)+)?
                        $($($usual: fields.$usual.take().unwrap_or_default(),)+)?
                    },)+
                    other => return Err(D::Error::unknown_variant(other, &[$($word),+])),
                };
                let is_strict = !stringify!($($strict)?).is_empty();
                let left = [$((fields.$field.is_some(), stringify!($field))),*];
                match left.into_iter().find(|(is_left, _)| is_strict && *is_left) {
                    Some((_, field)) => Err($crate::misplaced(field, &fields.r#type)),
                    None => Ok(read),
                }
            }
        }
    };
}

/// A field that has to be there.
#[doc(hidden)]
pub fn needed<T, E: serde::de::Error>(value: Option<T>, field: &str) -> Result<T, E> {
    value.ok_or_else(|| missing(field))
}

fn missing<E: serde::de::Error>(field: &str) -> E {
    E::custom(format_args!("missing field `{}`", camel_case(field)))
}

/// A field is there that belongs to another variant.
#[doc(hidden)]
pub fn misplaced<E: serde::de::Error>(field: &str, variant: &str) -> E {
    E::custom(format_args!("unknown field `{}` of {variant}", camel_case(field)))
}

/// A name as it stands in JSON.
fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let mut name = String::from(words.next().unwrap_or_default());
    for word in words {
        let (first, rest) = word.split_at(1);
        name += &first.to_ascii_uppercase();
        name += rest;
    }
    name
}

/// The word in the field `type`.
#[doc(hidden)]
pub type Word = String;
