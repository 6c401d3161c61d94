//! Generates two files of the JavaScript client: the TypeScript types of the messages from their schema, and the endpoints for
//! them from the routes of the hosts. `UPDATE_GOLDEN=1 cargo test -p texas42-cli --test javascript` writes both.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use std::fmt::Write;

use serde_json::{Map, Value};
use support::{assert_golden, texas42};
use texas42_hosting::routes::{Body, Endpoint, ROUTES, TableEndpoint};

const ORIGIN: &str = "\
// Generated: `UPDATE_GOLDEN=1 cargo test -p texas42-cli --test javascript` writes this file, and the test compares it.
";

#[test]
fn the_types_match_the_schema() {
    let schema: Value = serde_json::from_str(&texas42(&["schema"], b"").stdout).unwrap();
    let mut text = format!("{ORIGIN}// The types of the messages of Texas 42. docs/protocol.md explains them.\n");
    for (name, schema) in schema["$defs"].as_object().unwrap() {
        write!(text, "\n{}export type {name} = {};\n", comment(schema, 0), type_of(schema, 0)).unwrap();
    }
    // A union with comments begins on the next line.
    assert_golden("clients/js/src/messages.ts", &text.replace(" \n", "\n"));
}

#[test]
fn the_endpoints_match_the_routes() {
    let mut text =
        format!("{ORIGIN}// The endpoint for each message that a client can send over HTTP, and for the hints.\n\n");
    text += "/** @type {Record<string, { method: string, path: string }>} */\nexport const ENDPOINTS = {\n";
    for route in ROUTES {
        let message = match (route.body, route.endpoint) {
            (Body::Message(message), _) => message,
            (_, Endpoint::Table(TableEndpoint::State)) => "SUBSCRIBE",
            (_, Endpoint::Table(TableEndpoint::Actions)) => "HINTS",
            _ => continue,
        };
        writeln!(text, "  {message}: {{ method: {:?}, path: {:?} }},", route.method.name(), route.path).unwrap();
    }
    assert_golden("clients/js/src/endpoints.js", &(text + "};\n"));
}

/// A schema as a TypeScript type, for code at this depth.
fn type_of(schema: &Value, depth: usize) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    if let Some(variants) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return union(variants, depth);
    }
    match &schema["type"] {
        Value::Array(types) => {
            let variants = types.iter().map(|name| {
                let mut variant = schema.as_object().unwrap().clone();
                variant.insert("type".to_owned(), name.clone());
                variant.remove("description");
                Value::Object(variant)
            });
            union(&variants.collect::<Vec<_>>(), depth)
        }
        Value::String(name) => plain_type(name, schema, depth),
        _ => "unknown".to_owned(),
    }
}

fn union(variants: &[Value], depth: usize) -> String {
    let has_comments = variants.iter().any(|variant| variant["description"].is_string());
    let types = variants.iter().map(|variant| (comment(variant, depth + 1), type_of(variant, depth + 1)));
    if !has_comments {
        return types.map(|(_, name)| name).collect::<Vec<_>>().join(" | ");
    }
    let indent = "  ".repeat(depth + 1);
    types.map(|(comment, name)| format!("\n{comment}{indent}| {name}")).collect()
}

fn plain_type(name: &str, schema: &Value, depth: usize) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "array" => array(schema, depth),
        "object" => match schema["properties"].as_object() {
            Some(fields) => object(fields, schema, depth),
            None if schema["additionalProperties"].is_object() => {
                format!("Record<string, {}>", type_of(&schema["additionalProperties"], depth))
            }
            None => "Record<string, unknown>".to_owned(),
        },
        name => name.to_owned(),
    }
}

/// A list, or a tuple if the length is fixed.
fn array(schema: &Value, depth: usize) -> String {
    let item = type_of(&schema["items"], depth);
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
        (Some(least), Some(most)) if least == most => format!("[{}]", vec![item; most as usize].join(", ")),
        _ => format!("Array<{item}>"),
    }
}

fn object(fields: &Map<String, Value>, schema: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let mut text = "{\n".to_owned();
    for (name, field) in fields {
        let mark = if is_required(name) { "" } else { "?" };
        writeln!(text, "{}{indent}{name}{mark}: {};", comment(field, depth + 1), type_of(field, depth + 1)).unwrap();
    }
    text + &"  ".repeat(depth) + "}"
}

fn comment(schema: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let Some(text) = schema["description"].as_str() else { return String::new() };
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{indent}/** {} */\n", words.replace("*/", "* /"))
}
