//! JSON Schemas of the types that implement serde by hand.

use alloc::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{Date, Domino, Hand, Seat, SeedText, Team};

macro_rules! schema {
    ($type:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

schema!(Domino, "Domino", {
    "type": "string",
    "pattern": "^[0-6]-[0-6]$",
    "description": "A domino, written high-low, like \"6-4\"."
});

schema!(Seat, "Seat", {
    "type": "integer",
    "minimum": 0,
    "maximum": 3,
    "description": "A seat at the table, clockwise. Seats 0 and 2 play together, and seats 1 and 3."
});

schema!(Team, "Team", {
    "type": "integer",
    "minimum": 0,
    "maximum": 1,
    "description": "Team 0 is seats 0 and 2, team 1 is seats 1 and 3."
});

schema!(SeedText, "SeedText", {
    "type": "string",
    "pattern": "^[A-Za-z0-9._:~-]{1,48}$",
    "description": "A public seed from which hands are dealt."
});

schema!(Date, "Date", {
    "type": "string",
    "format": "date",
    "description": "A calendar day, from 2000-01-01 on."
});

impl JsonSchema for Hand {
    fn schema_name() -> Cow<'static, str> {
        "Hand".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let domino = generator.subschema_for::<Domino>();
        json_schema!({
            "type": "array",
            "items": domino,
            "uniqueItems": true,
            "maxItems": 28,
            "description": "Dominoes, each once, in a fixed order."
        })
    }
}
