//! Generates `docs/protocol.md` from the schema of the messages, so that no message, field or layer is missing there.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use std::fmt::Write;

use serde_json::{Map, Value};
use support::{assert_golden, texas42, text_of};

const INTRODUCTION: &str = "\
# The protocol

For those who write a client or a bot. This page is written from the declarations in `crates/protocol` and `crates/vocab`; change
their comments, then run `UPDATE_GOLDEN=1 cargo test -p texas42-cli --test protocol`. `docs/schema.json` says the same to programs,
`docs/server.md` how messages travel.

A message is one JSON object. What a client says is read strictly: an unknown field is refused. A client ignores fields that it does
not know.
";

/// The types with their own chapter, in which each variant has a section.
const CHAPTERS: [&str; 3] = ["ClientMessage", "ServerMessage", "Layer"];

#[test]
fn the_page_matches_the_schema() {
    let schema: Value = serde_json::from_str(&texas42(&["schema"], b"").stdout).unwrap();
    assert_golden("docs/protocol.md", &page(schema["$defs"].as_object().unwrap()));
}

#[test]
fn the_documents_for_players_name_every_layer() {
    let schema: Value = serde_json::from_str(&text_of("docs/schema.json")).unwrap();
    for document in ["docs/tools.md", "docs/rules.md"] {
        let text = text_of(document).to_lowercase();
        for layer in variants(&schema["$defs"]["Layer"]) {
            let name = word(layer).replace('-', " ");
            assert!(text.contains(&name), "{document} does not name {name}");
        }
    }
}

fn page(types: &Map<String, Value>) -> String {
    let mut page = INTRODUCTION.to_owned();
    for name in CHAPTERS {
        write!(page, "\n## {name}\n\n{}\n", summary(&types[name])).unwrap();
        variants(&types[name]).iter().for_each(|variant| page += &section(variant));
    }
    page += "\n## Other types\n";
    let mut others: Vec<_> = types.iter().filter(|(name, _)| !CHAPTERS.contains(&name.as_str())).collect();
    others.sort_by_key(|(name, _)| *name);
    for (name, schema) in others {
        write!(page, "\n### {name}\n\n{}\n{}", summary(schema), contents(schema)).unwrap();
    }
    page
}

/// A variant of a chapter: its word, its description, its fields.
fn section(variant: &Value) -> String {
    format!("\n### `{}`\n\n{}\n{}", word(variant), summary(variant), fields(variant))
}

/// The variants, the fields or the form of a type.
fn contents(schema: &Value) -> String {
    if schema["oneOf"].is_array() {
        return words(schema);
    }
    match schema["properties"].as_object() {
        Some(_) => fields(schema),
        None => format!("\nWritten as {}.\n", kind(schema)),
    }
}

/// The fields of an object as a table.
fn fields(schema: &Value) -> String {
    let mut rows = String::new();
    for (name, field) in untagged(schema) {
        let otherwise = match &field["default"] {
            _ if is_required(schema, name) => "required".to_owned(),
            Value::Null => "optional".to_owned(),
            default => format!("`{default}`"),
        };
        writeln!(rows, "| `{name}` | {} | {otherwise} | {} |", kind(field), summary(field)).unwrap();
    }
    if rows.is_empty() {
        rows
    } else {
        format!("\n| field | type | if left out | meaning |\n|---|---|---|---|\n{rows}")
    }
}

/// The variants of a type as a table: words, or objects with a tag.
fn words(schema: &Value) -> String {
    let mut table = "\n| word | fields | meaning |\n|---|---|---|\n".to_owned();
    for variant in variants(schema) {
        let field = |(name, field): (&String, &Value)| {
            let mark = if is_required(variant, name) { "" } else { "?" };
            format!("`{name}`{mark} {}", kind(field))
        };
        let fields: Vec<String> = untagged(variant).map(field).collect();
        writeln!(table, "| `{}` | {} | {} |", word(variant), fields.join(", "), summary(variant)).unwrap();
    }
    table
}

/// The variants of a type.
fn variants(schema: &Value) -> &[Value] {
    schema["oneOf"].as_array().unwrap_or_else(|| panic!("not a choice: {schema}"))
}

/// The word of a variant: the constant, the value of its tag, or the name of its only field.
fn word(variant: &Value) -> &str {
    let fields = || variant["properties"].as_object().into_iter().flatten();
    let tag = || fields().find_map(|(_, field)| field["const"].as_str());
    let only = || fields().map(|(name, _)| name.as_str()).next();
    variant["const"].as_str().or_else(tag).or_else(only).unwrap_or_else(|| panic!("no word: {variant}"))
}

/// The fields without the tag.
fn untagged(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten().filter(|(_, field)| field["const"].is_null())
}

fn is_required(schema: &Value, field: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field))
}

/// The type of a value. Panics for a kind of schema that is not supported yet.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(either) = schema["anyOf"].as_array() {
        let kinds: Vec<String> = either.iter().filter(|one| one["type"] != "null").map(kind).collect();
        return kinds.join(" or ");
    }
    let name = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match name.unwrap_or_else(|| panic!("no type: {schema}")) {
        "boolean" => "boolean".to_owned(),
        "integer" => match (&schema["minimum"], &schema["maximum"]) {
            (Value::Null, _) => "integer".to_owned(),
            (least, Value::Null) => format!("integer from {least}"),
            (least, most) => format!("integer from {least} to {most}"),
        },
        "string" => text(schema),
        "array" => list(schema),
        "object" => match &schema["additionalProperties"] {
            Value::Object(_) => {
                format!("object with the names 1, 2, 3, …, each {}", kind(&schema["additionalProperties"]))
            }
            _ => "object".to_owned(),
        },
        other => panic!("{other}: {schema}"),
    }
}

fn text(schema: &Value) -> String {
    match (&schema["pattern"], &schema["minLength"], &schema["maxLength"]) {
        (Value::String(pattern), ..) => format!("text that matches `{pattern}`"),
        (_, least, most) if most.is_number() => format!("text of {least} to {most} characters"),
        _ => "text".to_owned(),
    }
}

fn list(schema: &Value) -> String {
    let items = kind(&schema["items"]);
    match (&schema["minItems"], &schema["maxItems"]) {
        (Value::Null, Value::Null) => format!("list of {items}"),
        (Value::Null, most) => format!("list of at most {most} {items}"),
        (least, most) if least == most => format!("list of {most} {items}"),
        (least, most) => format!("list of {least} to {most} {items}"),
    }
}

/// The first paragraph of a description, in one line. The other paragraphs are for readers of the code.
fn summary(schema: &Value) -> String {
    let whole = schema["description"].as_str().unwrap_or_default();
    let first = whole.split("\n\n").next().unwrap_or_default();
    first.replace('\n', " ").replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}
