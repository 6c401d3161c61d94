//! Every language has every entry with every placeholder, and renders every reason.
//!
//! The samples are generated from the JSON Schema of the reasons, so that a new reason is tested automatically.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{collections::BTreeSet, fmt::Debug};

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use texas42_phrases::{Hint, Language, OutcomeReason, Problem, Refusal, Remark, Words};

/// The sample for every free text. It has no letters, so it cannot be a word of any language.
const FREE_TEXT: &str = "§7";

fn texts(language: Language) -> Vec<&'static str> {
    let mut words = language.words().clone();
    words.texts_mut().into_iter().map(|text| *text).collect()
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|behind| behind.split_once('}')).map(|(placeholder, _)| placeholder).collect()
}

#[test]
fn every_language_has_the_placeholders_of_english_and_no_empty_entry() {
    for language in Language::ALL {
        for ((entry, english), text) in Words::ENTRIES.iter().zip(texts(Language::English)).zip(texts(*language)) {
            assert_eq!(placeholders(text), placeholders(english), "{language:?} {entry}");
            assert!(!text.trim().is_empty(), "{language:?} {entry}");
        }
    }
}

/// A few sample values for each form of a schema.
fn samples(schema: &Value, defs: &Value) -> Vec<Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return samples(&defs[name.rsplit('/').next().unwrap()], defs);
    }
    if let Some(only) = schema.get("const") {
        return vec![only.clone()];
    }
    for list in ["enum", "oneOf", "anyOf"] {
        if let Some(forms) = schema[list].as_array() {
            let of = |form: &Value| if list == "enum" { vec![form.clone()] } else { samples(form, defs) };
            return forms.iter().flat_map(of).collect();
        }
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().flat_map(|one| typed(one.as_str().unwrap(), schema, defs)).collect(),
        one => typed(one.as_str().unwrap_or_else(|| panic!("{schema}")), schema, defs),
    }
}

fn typed(kind: &str, schema: &Value, defs: &Value) -> Vec<Value> {
    match kind {
        "null" => vec![Value::Null],
        "boolean" => vec![json!(false), json!(true)],
        "integer" => vec![json!(1), json!(3)],
        "string" if schema["pattern"].is_string() => vec![json!("6-4")],
        "string" => vec![json!(FREE_TEXT)],
        "array" => {
            let items = samples(&schema["items"], defs);
            vec![json!([items[0]]), json!([items[0], items[items.len() - 1]])]
        }
        "object" => objects(schema, defs),
        other => panic!("no sample of {other}: {schema}"),
    }
}

/// All combinations of the samples of the fields.
fn objects(schema: &Value, defs: &Value) -> Vec<Value> {
    let fields = schema["properties"].as_object().unwrap();
    let all_samples = fields.iter().fold(vec![Map::new()], |objects, (name, field)| {
        let with = |object: &Map<String, Value>, value: Value| {
            let mut object = object.clone();
            object.insert(name.clone(), value);
            object
        };
        let values = samples(field, defs);
        objects.iter().flat_map(|object| values.iter().map(move |value| with(object, value.clone()))).collect()
    });
    all_samples.into_iter().map(Value::Object).collect()
}

/// A few sample values for each variant of a reason.
fn all_samples<R: JsonSchema + DeserializeOwned>() -> Vec<R> {
    let schema = schema_for!(R).to_value();
    let read = |value: Value| serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"));
    samples(&schema, &schema["$defs"]).into_iter().map(read).collect()
}

/// Renders a reason in every language and checks the texts.
fn check_in_every_language<R: Debug>(reason: &R, say: impl Fn(&R, &Words) -> String) {
    let [english, spanish, pseudo] =
        [Language::English, Language::Spanish, Language::Pseudo].map(|language| say(reason, language.words()));
    for text in [&english, &spanish, &pseudo] {
        assert!(!text.is_empty() && !text.contains(['{', '}']), "{reason:?}: {text}");
        let has = format!("{reason:?}").contains(FREE_TEXT);
        assert_eq!(text.contains(FREE_TEXT), has, "{reason:?} lost a parameter: {text}");
    }
    assert_ne!(english, spanish, "{reason:?}");
    let plain: String = pseudo.chars().filter(char::is_ascii_alphabetic).collect();
    assert!(plain.is_empty(), "{reason:?} has {plain:?} that is not from a catalogue: {pseudo}");
}

#[test]
fn every_refusal_renders_in_every_language() {
    let refusals = all_samples::<Refusal>();
    assert!(refusals.len() > 20);
    refusals.iter().for_each(|refusal| check_in_every_language(refusal, |refusal, words| words.refusal(*refusal)));
}

#[test]
fn every_problem_renders_in_every_language() {
    let problems = all_samples::<Problem>();
    assert!(problems.len() > 100);
    problems.iter().for_each(|problem| check_in_every_language(problem, |problem, words| words.problem(problem)));
}

#[test]
fn every_remark_renders_in_every_language() {
    let remarks = all_samples::<Remark>();
    assert!(remarks.len() > 100);
    remarks.iter().for_each(|remark| check_in_every_language(remark, |remark, words| words.remark(remark)));
}

#[test]
fn every_hint_and_outcome_renders_in_every_language() {
    all_samples::<Hint>().iter().for_each(|hint| check_in_every_language(hint, |hint, words| words.hint(*hint)));
    all_samples::<OutcomeReason>()
        .iter()
        .for_each(|reason| check_in_every_language(reason, |reason, words| words.outcome(*reason).to_owned()));
}
