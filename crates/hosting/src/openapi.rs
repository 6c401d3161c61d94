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
    let schemas = Value::Object(generator.take_definitions(true));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Texas 42",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Tables of Texas 42. Every body is a message of the protocol; over HTTP its type and table are in the address. Live updates come over the WebSocket.",
        },
        "paths": paths(&schemas["ClientMessage"]),
        "components": {
            "schemas": schemas,
            "securitySchemes": { "key": {
                "type": "http", "scheme": "bearer",
                "description": "The key of a session, or of an invitation when joining: 22 letters, digits, - or _.",
            } },
        },
    })
}

fn paths(messages: &Value) -> Value {
    let body = |kind| Some((kind, without_address(messages, kind)));
    let mut create = operation("Set up a table and take its first seat", body("CREATE_GAME"), "GAME_CREATED", false);
    create["responses"]["201"] = made(&create);
    create["responses"]["200"]["description"] = json!("JOINED, where the same key has set it up before");
    let join = operation("Come to a table with an invitation, or come back", body("JOIN_GAME"), "JOINED", true);
    let act = operation("Do something", body("EXECUTE_ACTION"), "STATE_UPDATE", true);
    let leave = operation("Give the seat up for good", body("LEAVE_GAME"), "LEFT", true);
    let state = operation(
        "The table as the session sees it; with an invitation to play, who sits where",
        None,
        "STATE_UPDATE",
        true,
    );
    let mut actions = operation("What the session may do now", None, "validActions", true);
    actions["parameters"] = json!([{
        "name": "playerId", "in": "query", "required": false, "schema": { "type": "string" },
        "description": "The own public id; another one is refused.",
    }]);
    actions["responses"]["200"]["content"]["application/json"]["schema"] = json!({
        "type": "object", "required": ["gameId", "version", "validActions"],
        "properties": {
            "gameId": { "type": "string" },
            "version": { "type": "integer" },
            "validActions": { "type": "array", "items": { "$ref": "#/components/schemas/ValidAction" } },
        },
    });
    let mut record =
        operation("The game as far as its hands are over, as a file for the tools", None, "The record", true);
    record["responses"]["200"]["content"]["application/json"]["schema"] = json!({
        "type": "object",
        "description": "A record of the engine; after a game of secret deals, the proof of its deals with the game in it.",
    });
    let plain = |about: &str| json!({ "summary": about, "responses": { "200": { "description": about }, "default": refusal() } });
    let socket = |about: &str| {
        json!({
            "summary": about,
            "description": "A WebSocket. Send one ClientMessage a text frame, get ServerMessages. The key is in the first message.",
            "responses": {
                "101": { "description": "Switching to the WebSocket protocol" },
                "default": refusal(),
            },
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
        "/api/games/{id}/record": { "parameters": id, "get": record },
        "/api/games/{id}/action": { "parameters": id, "post": act },
        "/api/games/{id}/join": { "parameters": id, "post": join },
        "/api/games/{id}/leave": { "parameters": id, "post": leave },
        "/healthz": { "get": plain("Whether the server can store; 503 when it cannot") },
        "/metrics": { "get": plain("Numbers for Prometheus") },
    })
}

/// What a client has stored of a table is its own affair, so the log is described and not spelled out.
fn import() -> Value {
    let about = "Go on with a game that was begun in a browser, in the middle of a hand";
    let mut import = operation(about, None, "GAME_CREATED; JOINED where it was brought before", true);
    import["responses"]["201"] = made(&import);
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

/// The fields of a message without those that the address says.
fn without_address(messages: &Value, kind: &str) -> Value {
    let is_it = |message: &&Value| message["properties"]["type"]["const"] == kind;
    let found = messages["oneOf"].as_array().and_then(|all| all.iter().find(is_it));
    let mut body = found.expect("every kind of message has a schema").clone();
    for name in ["type", "gameId"] {
        if let Some(fields) = body["properties"].as_object_mut() {
            fields.remove(name);
        }
        if let Some(required) = body["required"].as_array_mut() {
            required.retain(|other| other != name);
        }
    }
    body
}

/// A table that was just made has a place.
fn made(operation: &Value) -> Value {
    let mut made = operation["responses"]["200"].clone();
    made["headers"] = json!({ "Location": {
        "description": "Where the table can be seen with the key of the answer", "schema": { "type": "string" },
    } });
    made
}

/// A message of the server as a body.
fn message() -> Value {
    json!({ "application/json": { "schema": { "$ref": "#/components/schemas/ServerMessage" } } })
}

/// Every refusal looks like this, whatever its status.
fn refusal() -> Value {
    json!({ "description": "An ERROR message that says what was wrong and what would be right", "content": message() })
}

fn operation(summary: &str, takes: Option<(&str, Value)>, gives: &str, wants_key: bool) -> Value {
    let mut operation = json!({
        "summary": summary,
        "responses": {
            "200": { "description": gives, "content": message() },
            "default": refusal(),
        },
    });
    if let Some((kind, body)) = takes {
        operation["requestBody"] = json!({
            "description": format!("The fields of {kind} without `type` and `gameId`"),
            "content": { "application/json": { "schema": body } },
        });
    }
    if wants_key {
        operation["security"] = json!([{ "key": [] }]);
    }
    operation
}
