//! The OpenAPI document of a host, generated from the message types.

use alloc::format;

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use texas42_protocol::{ClientMessage, GameView, ServerMessage};
use texas42_vocab::Config;

use crate::routes::{Body, HostKind, ROUTES, Reply, Route};

/// The OpenAPI document of a host's [`ROUTES`], with the schemas of all messages.
pub fn openapi(host: HostKind) -> Value {
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
            "description": "Tables of Texas 42. Every body is a message of the protocol; over HTTP, its type and table are in the URL. Live updates are sent over the WebSocket.",
        },
        "paths": paths(host, &schemas["ClientMessage"]),
        "components": {
            "schemas": schemas,
            "securitySchemes": { "key": {
                "type": "http", "scheme": "bearer",
                "description": "The key of a session, or of an invite when joining, or a new one when knocking: 22 letters, digits, - or _.",
            } },
        },
    })
}

/// One entry for each route of the host.
fn paths(host: HostKind, messages: &Value) -> Value {
    let routes = ROUTES.iter().filter(|route| route.is_on(host));
    routes.map(|route| (route.path, path_item(route, messages))).collect()
}

fn path_item(route: &Route, messages: &Value) -> Value {
    let mut item = json!({ (route.method.name().to_ascii_lowercase()): operation(route, messages) });
    if let Some(name) = route.parameter() {
        item["parameters"] = json!([{ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }]);
    }
    item
}

fn operation(route: &Route, messages: &Value) -> Value {
    let mut operation = json!({ "summary": route.summary, "responses": responses(route) });
    if let Some(body) = request_body(route.body, messages) {
        operation["requestBody"] = body;
    }
    if route.has_key {
        operation["security"] = json!([{ "key": [] }]);
    }
    match route.reply {
        Reply::Socket => {
            operation["description"] = json!(
                "A WebSocket. Send one ClientMessage per text frame, receive ServerMessages. The key is in the first message."
            );
        }
        Reply::ValidActions => {
            operation["parameters"] = json!([{
                "name": "playerId", "in": "query", "required": false, "schema": { "type": "string" },
                "description": "The session's public id; any other is rejected.",
            }]);
        }
        Reply::Message(_) | Reply::Created | Reply::Record | Reply::Plain => {}
    }
    operation
}

fn request_body(body: Body, messages: &Value) -> Option<Value> {
    let (description, schema) = match body {
        Body::Empty => return None,
        Body::Message(kind) => {
            (format!("The fields of {kind} without `type` and `gameId`"), without_address(messages, kind))
        }
        Body::Log => (
            format!(
                "At most {} MiB. The key in the header is the one of your seat in the browser, and stays valid.",
                body.max_bytes() >> 20
            ),
            log(),
        ),
    };
    Some(json!({ "description": description, "content": { "application/json": { "schema": schema } } }))
}

/// The log is described only roughly, because its format is private to the client.
fn log() -> Value {
    json!({
        "type": "object", "required": ["log"], "additionalProperties": false,
        "properties": {
            "requestId": { "type": "string" },
            "log": {
                "type": "array",
                "description": "The complete log of the table in the browser, in order.",
                "items": {
                    "type": "object", "required": ["at", "event"],
                    "properties": { "at": { "type": "integer" }, "event": { "type": "object" } },
                },
            },
        },
    })
}

fn responses(route: &Route) -> Value {
    let json = |description: &str, schema: Value| json!({ "description": description, "content": content(&schema) });
    let mut responses = match route.reply {
        Reply::Message(kind) => json!({ "200": json(kind, message()) }),
        Reply::Created => json!({
            "200": json("JOINED, if the same key has created the table before", message()),
            "201": {
                "description": "GAME_CREATED",
                "content": content(&message()),
                "headers": { "Location": {
                    "description": "The URL of the table's state, for use with its key", "schema": { "type": "string" },
                } },
            },
        }),
        Reply::ValidActions => json!({ "200": json("The actions that are legal now", valid_actions()) }),
        Reply::Record => json!({ "200": json("The record", record()) }),
        Reply::Socket => json!({ "101": { "description": "Switching to the WebSocket protocol" } }),
        Reply::Plain => json!({ "200": { "description": route.summary } }),
    };
    responses["default"] = json("An ERROR message that says what is wrong", message());
    responses
}

fn content(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

/// A server message as a body.
fn message() -> Value {
    json!({ "$ref": "#/components/schemas/ServerMessage" })
}

fn valid_actions() -> Value {
    json!({
        "type": "object", "required": ["gameId", "version", "validActions"],
        "properties": {
            "gameId": { "type": "string" },
            "version": { "type": "integer" },
            "validActions": { "type": "array", "items": { "$ref": "#/components/schemas/ValidAction" } },
            "hints": {
                "type": "array",
                "description": "The hints of the host for them, for sessions that may see hints, once they are computed.",
                "items": { "$ref": "#/components/schemas/ActionHint" },
            },
        },
    })
}

fn record() -> Value {
    json!({
        "type": "object",
        "description": "A record of the engine; after a game with secret deals, the proof of its deals, which includes the game.",
    })
}

/// The schema of a message without the fields that are part of the URL.
fn without_address(messages: &Value, kind: &str) -> Value {
    let has_type = |message: &&Value| message["properties"]["type"]["const"] == kind;
    let found = messages["oneOf"].as_array().and_then(|all| all.iter().find(has_type));
    let mut body = found.expect("every message type has a schema").clone();
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
