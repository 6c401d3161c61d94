//! What a program needs to write a client by: an OpenAPI document made from the types themselves.

use alloc::format;

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use texas42_protocol::{ClientMessage, GameView, ServerMessage};
use texas42_vocab::Config;

/// The OpenAPI document of the HTTP endpoints, with the schemas of every message.
pub fn openapi() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let mut generator = SchemaGenerator::new(settings);
    generator.subschema_for::<ClientMessage>();
    generator.subschema_for::<ServerMessage>();
    generator.subschema_for::<GameView>();
    generator.subschema_for::<Config>();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Texas 42",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Tables of Texas 42. Every body is a message of the protocol; over HTTP its type and table are in the address. Live updates come over the WebSocket.",
        },
        "paths": paths(),
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "key": {
                "type": "http", "scheme": "bearer",
                "description": "The key of a session, or of an invitation when joining: 22 letters, digits, - or _.",
            } },
        },
    })
}

fn paths() -> Value {
    let create = operation("Set up a table and take its first seat", Some("CREATE_GAME"), "GAME_CREATED", false);
    let join = operation("Come to a table with an invitation, or come back", Some("JOIN_GAME"), "JOINED", true);
    let act = operation("Do something", Some("EXECUTE_ACTION"), "STATE_UPDATE", true);
    let leave = operation("Give the seat up for good", Some("LEAVE_GAME"), "LEFT", true);
    let state = operation("The table as the session sees it", None, "STATE_UPDATE", true);
    let mut actions = operation("What the session may do now", None, "validActions", true);
    actions["parameters"] = json!([{
        "name": "playerId", "in": "query", "required": false, "schema": { "type": "string" },
        "description": "The own public id; another one is refused.",
    }]);
    let socket = |about: &str| {
        json!({
            "summary": about,
            "description": "A WebSocket. Send one ClientMessage a text frame, get ServerMessages. The key is in the first message.",
            "responses": { "101": { "description": "Switching to the WebSocket protocol" } },
        })
    };
    let id = json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    json!({
        "/api/games": { "post": create },
        "/api/games/import": { "post": import() },
        "/api/ws": { "get": socket("Set up a table, or join any, and follow it") },
        "/api/games/{id}/ws": { "parameters": id, "get": socket("Join and follow one table") },
        "/api/games/{id}/state": { "parameters": id, "get": state },
        "/api/games/{id}/actions": { "parameters": id, "get": actions },
        "/api/games/{id}/action": { "parameters": id, "post": act },
        "/api/games/{id}/join": { "parameters": id, "post": join },
        "/api/games/{id}/leave": { "parameters": id, "post": leave },
    })
}

/// What a client has stored of a table is its own affair, so the log is described and not spelled out.
fn import() -> Value {
    let about = "Go on with a game that was begun in a browser, in the middle of a hand";
    let mut import = operation(about, None, "GAME_CREATED; JOINED where it was brought before", true);
    import["responses"]["201"] = import["responses"]["200"].clone();
    import["requestBody"] = json!({
        "description": "At most 4 MiB. The key in the header is that of the own seat in the browser, and stays it.",
        "content": { "application/json": { "schema": {
            "type": "object", "required": ["log"], "additionalProperties": false,
            "properties": {
                "requestId": { "type": "string" },
                "log": {
                    "type": "array",
                    "description": "Everything that the browser has stored about the table, in order.",
                    "items": {
                        "type": "object", "required": ["at", "event"],
                        "properties": { "at": { "type": "integer" }, "event": { "type": "object" } },
                    },
                },
            },
        } } },
    });
    import
}

fn operation(summary: &str, takes: Option<&str>, gives: &str, wants_key: bool) -> Value {
    let message = |schema: &str| json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } });
    let mut operation = json!({
        "summary": summary,
        "responses": {
            "200": { "description": gives, "content": message("ServerMessage") },
            "default": { "description": "An ERROR message that says what was wrong and what would be right", "content": message("ServerMessage") },
        },
    });
    if let Some(kind) = takes {
        operation["requestBody"] = json!({
            "description": format!("The fields of {kind} without `type` and `gameId`"),
            "content": message("ClientMessage"),
        });
    }
    if wants_key {
        operation["security"] = json!([{ "key": [] }]);
    }
    operation
}
