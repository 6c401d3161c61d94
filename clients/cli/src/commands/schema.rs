//! `texas42 schema`: prints the JSON Schema of every message, for clients in any language.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use texas42_protocol::{ClientMessage, GameView, ServerMessage};
use texas42_vocab::Config;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> anyhow::Result<()> {
    crate::output::print_json(&schema())
}

/// One document with the messages of both directions, and the view and the configuration that they carry.
fn schema() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    let messages = json!({
        "ClientMessage": generator.subschema_for::<ClientMessage>(),
        "ServerMessage": generator.subschema_for::<ServerMessage>(),
        "GameView": generator.subschema_for::<GameView>(),
        "Config": generator.subschema_for::<Config>(),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The messages of Texas 42",
        "description": "A client sends a ClientMessage and gets ServerMessages; both are one JSON object each.",
        "properties": messages,
        "$defs": generator.take_definitions(true),
    })
}
